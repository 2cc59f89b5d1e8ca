"""Tavily: what parent agents often use already; its usage can be read without spending any."""

import orjson

from providers.web.search.adapter import (
    Adapter,
    Ask,
    Asker,
    Fields,
    Judgement,
    Options,
    Received,
    at,
    bearer,
    text_at,
)
from providers.web.search.classify import with_message

_USAGE = Ask("GET", "/usage")


def _ask(query: str, count: int, options: Options) -> Ask:
    told = {
        "query": query,
        "max_results": count,
        "search_depth": "basic",
        "topic": "general",
        "auto_parameters": False,
        "include_answer": False,
        "include_raw_content": False,
        "include_images": False,
    }
    keyless = (("X-Tavily-Access-Mode", "keyless"),) if options.keyless else ()
    return Ask("POST", "/search", orjson.dumps(told), keyless)


def _judge(received: Received) -> Judgement | None:
    said = text_at(received.told, "detail.error", "error.message", "detail", "error")
    if received.status == 400 and "too long" in said:
        return Judgement("rejected", with_message("it refuses the length of the query", received))
    return None


def _ready(asker: Asker, options: Options) -> str | None:
    if options.keyless:
        return None
    received = asker(_USAGE)
    if received.status == 429:
        return ""  # the limit of this look itself, and it took the key
    if received.status in (401, 403):
        return with_message("the key is not accepted", received)
    if received.status != 200 or not isinstance(at(received.told, "account"), dict):
        return f"/usage answered {received.status} without an account"
    return _exhausted(received.told)


def _exhausted(told: object) -> str:
    if _used_up(told, "key.usage", "key.limit"):
        return "the limit of the key is used up"
    plan_used = _used_up(told, "account.plan_usage", "account.plan_limit")
    return "the plan is used up" if plan_used and not _pays_as_it_goes(told) else ""


def _used_up(told: object, usage: str, limit: str) -> bool:
    """Whether a limit is reached; null is no limit."""
    used, most = at(told, usage), at(told, limit)
    return isinstance(used, int | float) and isinstance(most, int | float) and used >= most


def _pays_as_it_goes(told: object) -> bool:
    used, most = at(told, "account.paygo_usage"), at(told, "account.paygo_limit")
    if most is None:
        return isinstance(used, int | float) and used > 0
    return not _used_up(told, "account.paygo_usage", "account.paygo_limit")


TAVILY = Adapter(
    name="tavily",
    title="Tavily",
    base_url="https://api.tavily.com",
    hits="results",
    fields=Fields(url=("url",), title=("title",), snippet=("content",), date=("published_date",)),
    ask=_ask,
    longest_query=400,
    usual=10,
    most=20,
    key_header=bearer,
    judge=_judge,
    may_be_keyless=True,
    probes=(_USAGE,),
    ready=_ready,
    answered=lambda told: text_at(told, "query"),
)
