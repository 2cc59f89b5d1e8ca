"""Brave: an index of its own, exact quota headers, and a query that it corrects unless told not to."""

from urllib.parse import urlencode

from providers.web.search.adapter import (
    Adapter,
    Ask,
    Fields,
    Judgement,
    Options,
    Received,
    at,
    holds_han,
    text_at,
)
from providers.web.search.classify import with_message
from providers.web.search.retry_after import numbers, retry_after, within

_ACCOUNT = frozenset(("SUBSCRIPTION_TOKEN_INVALID", "OPTION_NOT_IN_PLAN", "RESOURCE_NOT_ALLOWED"))


def _ask(query: str, count: int, options: Options) -> Ask:
    told = {
        "q": query,
        "count": str(count),
        "result_filter": "web",
        "text_decorations": "false",
        "spellcheck": "false",
        "operators": "false",
    }
    # Where no language is named, only English pages are searched.
    if language := options.language or ("zh-hans" if holds_han(query) else ""):
        told["search_lang"] = language
    return Ask("GET", f"/res/v1/web/search?{urlencode(told)}")


def _judge(received: Received) -> Judgement | None:
    if received.status == 429:
        why = with_message("it answered 429", received)
        return _spent(received) or Judgement("rate_limited", why, retry_after(received))
    code = text_at(received.told, "error.code")
    if code in _ACCOUNT:
        return Judgement("unavailable", with_message("the key is not accepted", received), account=True)
    if received.status == 200 and isinstance(received.told, dict) and at(received.told, "type") != "search":
        return Judgement("error", with_message("it answered 200 with what is no search result", received))
    return None


def _spent(received: Received) -> Judgement | None:
    """Whether nothing is left of the longest window; a limit of 0 is none."""
    limit, left, reset = (
        numbers(received.headers.get(f"x-ratelimit-{name}", "")) for name in ("limit", "remaining", "reset")
    )
    if not limit or len(limit) < 2 or len(left) != len(limit) or len(reset) != len(limit):
        return None
    if limit[-1] == 0 or left[-1] > 0:
        return None
    return Judgement("unavailable", "the quota of the month is used up", within(reset[-1]), account=True)


BRAVE = Adapter(
    name="brave",
    title="Brave",
    base_url="https://api.search.brave.com",
    hits="web.results",
    may_be_absent="web",
    fields=Fields(
        url=("url",),
        title=("title",),
        snippet=("description",),
        publisher=("profile.name", "meta_url.hostname"),
        date=("page_age",),
    ),
    ask=_ask,
    longest_query=400,
    usual=10,
    most=20,
    key_header=lambda key: ("X-Subscription-Token", key),
    judge=_judge,
    spent=_spent,
    answered=lambda told: text_at(told, "query.altered", "query.original"),
)
