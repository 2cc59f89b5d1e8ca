"""Baidu Qianfan 百度搜索: the search itself, never the endpoint that lets a model write an answer."""

import orjson

from providers.web.search.adapter import (
    Adapter,
    Ask,
    Fields,
    Judgement,
    Options,
    Received,
    bearer,
    text_at,
)
from providers.web.search.classify import with_message
from providers.web.search.retry_after import retry_after, until_midnight

_REFUSED = {
    "unsafe_request": "it refuses the content of the query",
    "characters_too_long": "it refuses the length of the query",
}


def _ask(query: str, count: int, _options: Options) -> Ask:
    told = {
        "messages": [{"role": "user", "content": query}],
        "search_source": "baidu_search_v2",
        "edition": "standard",
        "resource_type_filter": [{"type": "web", "top_k": count}],
    }
    return Ask("POST", "/v2/ai_search/web_search", orjson.dumps(told))


def _judge(received: Received) -> Judgement | None:
    code = text_at(received.told, "code", "error.code")
    if code.startswith("RATE_LIMIT_"):
        return Judgement(
            "rate_limited", with_message("it is asked too fast", received), retry_after(received)
        )
    if code.startswith("QUOTA_"):
        why = with_message("the quota of the day is used up", received)
        return Judgement("rate_limited", why, until_midnight(received.now))
    if code.startswith("BILLING_"):
        return Judgement("unavailable", with_message("the account is in debt", received), account=True)
    if code in _REFUSED:
        return Judgement("rejected", with_message(_REFUSED[code], received))
    return None


def _measure(query: str) -> int:
    # The service counts a Chinese character twice, and searches only the beginning of what is longer.
    return sum(1 if sign.isascii() else 2 for sign in query)


BAIDU = Adapter(
    name="baidu",
    title="Baidu 百度搜索",
    base_url="https://qianfan.baidubce.com",
    hits="references",
    # Its `date` is only called the date of the page, so it is not taken for one of publication.
    fields=Fields(url=("url",), title=("title",), snippet=("content",), publisher=("website",)),
    ask=_ask,
    longest_query=72,
    measure=_measure,
    usual=10,
    most=50,
    key_header=bearer,
    judge=_judge,
)
