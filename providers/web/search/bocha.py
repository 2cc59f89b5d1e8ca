"""Bocha 博查: a Chinese index whose HTTP status says less than the `code` in the body."""

import orjson

from providers.web.search.adapter import (
    Adapter,
    Ask,
    Fields,
    Judgement,
    Options,
    Received,
    at,
    bearer,
    text_at,
    whole,
)
from providers.web.search.classify import by_status, with_message


def _ask(query: str, count: int, _options: Options) -> Ask:
    # Only `noLimit` names no period; within it the service may still weigh periods by itself.
    told = {"query": query, "freshness": "noLimit", "summary": False, "count": count}
    return Ask("POST", "/v1/web-search", orjson.dumps(told))


def _judge(received: Received) -> Judgement | None:
    if received.status == 200 and not isinstance(received.told, dict):
        return None
    code = whole(at(received.told, "code"))
    status = code if received.status == 200 else received.status
    if status == 200:
        return None
    if status == 403:
        why = with_message("it answered 403, the balance is used up", received)
        return Judgement("unavailable", why, account=True)
    if received.status != 200:
        return None
    if code is not None and 400 <= code < 600:
        return by_status(code, received)
    return Judgement("error", with_message("it answered 200 with a body whose code is not 200", received))


BOCHA = Adapter(
    name="bocha",
    title="Bocha 博查",
    base_url="https://api.bochaai.com",
    hits="data.webPages.value",
    # dateLastCrawled is no publication date, and its Z stands for Beijing time (web-apis.md, 2).
    fields=Fields(
        url=("url",),
        title=("name",),
        snippet=("snippet", "summary"),
        publisher=("siteName",),
        date=("datePublished",),
    ),
    ask=_ask,
    longest_query=256,
    usual=10,
    most=50,
    key_header=bearer,
    judge=_judge,
    answered=lambda told: text_at(told, "data.queryContext.originalQuery"),
)
