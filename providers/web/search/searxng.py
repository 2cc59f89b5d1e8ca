"""SearXNG and searx, self-hosted: the metasearch whose answers tell which engines failed.

One trap is left: searx 1 does not list an engine that it has suspended, so a second query after a failure
looks as if nothing were found; its `empty` says so.
"""

from collections.abc import Iterator
from urllib.parse import urlencode

from providers.web.search.adapter import (
    Adapter,
    Ask,
    Asker,
    Fields,
    Judgement,
    Options,
    Received,
    at,
    holds_han,
    text_at,
)
from providers.web.search.retry_after import retry_after
from schemas.text import legible

# Reasons that engines give in English, which is what Accept-Language asks for; some are of searx 1 only.
_BUSY = "too many requests"
_KNOWN = frozenset(
    (
        _BUSY,
        "access denied",
        "blocked",
        "captcha",
        "captcha required",
        "http connection error",
        "http error",
        "http protocol error",
        "http timeout",
        "network error",
        "parsing error",
        "proxy error",
        "server api error",
        "ssl error: certificate validation has failed",
        "timeout",
        "unexpected crash",
    )
)
_ENGLISH = (("Accept-Language", "en"),)
_HEALTH = Ask("GET", "/healthz", headers=_ENGLISH)
_CONFIG = Ask("GET", "/config", headers=_ENGLISH)
# Without a query SearXNG refuses in the format that was asked for, if it has that format.
_FORMAT = Ask("GET", "/search?format=json", headers=_ENGLISH)


def _ask(query: str, _count: int, options: Options) -> Ask:
    # Where no language is named, the server may take that of Accept-Language, which is for its reasons.
    language = options.language or ("zh-CN" if holds_han(query) else "all")
    told = {"q": query, "format": "json", "language": language}
    if options.engines:
        told["engines"] = ",".join(options.engines)
    if options.categories:
        told["categories"] = ",".join(options.categories)
    return Ask("GET", f"/search?{urlencode(told)}", headers=_ENGLISH)


def _judge(received: Received) -> Judgement | None:
    if received.status == 403:
        return Judgement("unavailable", "it answered 403; json is not among its search.formats")
    if received.status == 429:
        return Judgement(
            "rate_limited", "it answered 429; its limiter blocks this client", retry_after(received)
        )
    if received.status == 200 and isinstance(received.told, dict):
        failed = received.told.get("unresponsive_engines", [])
        if not isinstance(failed, list):
            return Judgement("error", "its list of unresponsive engines is no list")
    return None


def _failed(told: object) -> Iterator[tuple[str, str]]:
    listed = at(told, "unresponsive_engines")
    for one in listed if isinstance(listed, list) else ():
        pair = [str(part) for part in one] if isinstance(one, list) else [str(one)]
        yield legible(pair[0] if pair else "", 100), legible(pair[1] if len(pair) > 1 else "", 100)


def _remark(told: object) -> str:
    named = [f"{engine} ({reason})" for engine, reason in _failed(told)]
    return legible(f"engines that failed: {', '.join(named)}", 1000) if named else ""


def _judge_empty(told: object) -> Judgement | None:
    reasons = {reason.removeprefix("Suspended: ").strip().lower() for _, reason in _failed(told)}
    if not reasons:
        return None
    why = f"no engine answered; {_remark(told)}"
    if reasons == {_BUSY}:
        return Judgement("rate_limited", why)
    if reasons <= _KNOWN:
        return Judgement("unavailable", why)
    return Judgement("error", f"{why}; not every reason is known")


def _config(asker: Asker) -> tuple[object, str]:
    """What /config tells, and why it tells nothing."""
    received = asker(_CONFIG)
    if received.status == 429:
        return None, "its limiter blocks this client"
    if received.status != 200 or not isinstance(at(received.told, "engines"), list):
        return None, f"/config answered {received.status} without a list of engines"
    return received.told, ""


def _missing(config: object, options: Options) -> str:
    """Which engine or category that is asked for is not there or not enabled."""
    listed = at(config, "engines")
    enabled = {
        text_at(engine, "name"): at(engine, "categories")
        for engine in (listed if isinstance(listed, list) else ())
        if at(engine, "enabled") is True
    }
    served = {str(one) for names in enabled.values() if isinstance(names, list) for one in names}
    if missing := [name for name in options.engines if name not in enabled]:
        return f"the engine {', '.join(missing)} is not enabled there"
    wanted = options.categories or (() if options.engines else ("general",))
    if missing := [name for name in wanted if name not in served]:
        return f"the category {', '.join(missing)} has no enabled engine there"
    return ""


def _ready(asker: Asker, options: Options) -> str | None:
    health = asker(_HEALTH)
    if health.status != 200 or health.body.strip() != b"OK":
        return f"/healthz answered {health.status}; this is no SearXNG that is well"
    config, why_not = _config(asker)
    if why_not or (why_not := _missing(config, options)):
        return why_not
    asked = asker(_FORMAT)
    if asked.status == 403:
        return "json is not among its search.formats"
    return "its limiter blocks this client" if asked.status == 429 else ""


def _confirm(asker: Asker, options: Options, empty: bool) -> Judgement | None:
    """An unknown engine is silently nothing, and an unknown category silently `general`."""
    if not empty and not options.engines and not options.categories:
        return None
    config, why_not = _config(asker)
    if why_not := why_not or _missing(config, options):
        return Judgement("unavailable", f"what it answered is not believed: {why_not}")
    if empty and text_at(config, "version").startswith("1."):
        return Judgement("empty", "searx 1 does not tell which engines it has suspended")
    return None


SEARXNG = Adapter(
    name="searxng",
    title="SearXNG",
    base_url="http://127.0.0.1:8888",
    hits="results",
    fields=Fields(url=("url",), title=("title",), snippet=("content",), date=("publishedDate", "pubdate")),
    ask=_ask,
    longest_query=256,
    usual=10,
    most=50,
    judge=_judge,
    judge_empty=_judge_empty,
    remark=_remark,
    answered=lambda told: text_at(told, "query"),
    probes=(_HEALTH, _CONFIG, _FORMAT),
    ready=_ready,
    confirm=_confirm,
)
