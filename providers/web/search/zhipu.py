"""Zhipu BigModel 智谱 web_search: four engines behind one key; it may rewrite a query and then says so."""

from collections.abc import Mapping

import orjson

from providers.web.search.adapter import (
    Adapter,
    Ask,
    Fields,
    Judgement,
    Options,
    Received,
    State,
    at,
    bearer,
    text_at,
    whole,
)
from providers.web.search.classify import with_message
from providers.web.search.retry_after import retry_after, until_named

_QUOTA = frozenset((1308, 1310))
_ACCOUNT = {1113: "the account is in debt", **dict.fromkeys(range(1000, 1006), "the key is not accepted")}
_OTHER: Mapping[int, tuple[State, str]] = {
    1301: ("rejected", "it refuses the content of the query"),
    **dict.fromkeys((1302, 1303, 1304, 1305, *_QUOTA), ("rate_limited", "it is asked too much")),
}


def _ask(query: str, count: int, options: Options) -> Ask:
    told = {
        "search_query": query,
        "search_engine": options.engines[0] if options.engines else "search_std",
        "search_intent": False,
        "count": count,
    }
    return Ask("POST", "/api/paas/v4/web_search", orjson.dumps(told))


def _judge(received: Received) -> Judgement | None:
    code = whole(at(received.told, "error.code")) or 0
    if code in _ACCOUNT:
        return Judgement("unavailable", with_message(_ACCOUNT[code], received), account=True)
    if code in _OTHER:
        state, why = _OTHER[code]
        wait = retry_after(received) if state == "rate_limited" else None
        if code in _QUOTA:
            wait = until_named(text_at(received.told, "error.message"), received.now)
        return Judgement(state, with_message(why, received), wait)
    if received.status == 200 and at(received.told, "error") is not None:
        return Judgement("error", with_message("it answered 200 with an error", received))
    return None


def _answered(told: object) -> str:
    intents = at(told, "search_intent")
    searched = [text_at(one, "keywords", "query") for one in (intents if isinstance(intents, list) else ())]
    return "；".join(text for text in searched if text)


def _judge_empty(told: object) -> Judgement | None:
    intents = at(told, "search_intent")
    chosen = {text_at(one, "intent") for one in (intents if isinstance(intents, list) else ())}
    return Judgement("error", "it chose not to search") if chosen == {"SEARCH_NONE"} else None


ZHIPU = Adapter(
    name="zhipu",
    title="Zhipu 智谱",
    base_url="https://open.bigmodel.cn",
    hits="search_result",
    fields=Fields(
        url=("link",), title=("title",), snippet=("content",), publisher=("media",), date=("publish_date",)
    ),
    ask=_ask,
    longest_query=70,
    usual=10,
    most=50,
    key_header=bearer,
    judge=_judge,
    judge_empty=_judge_empty,
    answered=_answered,
)
