"""The failures that each service documents, in its own words, and the state that each means."""

from collections.abc import Iterator
from typing import Any

from tests.providers.web.search.faking import Behaviour, says
from tests.providers.web.search.fault import Fault
from tests.providers.web.search.formats import FORMATS, QUERY


def _told(service: str, **more: Any) -> dict[str, Any]:
    return {**FORMATS[service].body(), **more}


def _searxng() -> Iterator[Fault]:
    def fault(name: str, does: Behaviour, state: str, says: str = "") -> Fault:
        return Fault("searxng", name, does, state, says)

    def failed(*pairs: Any, hits: int = 0) -> Behaviour:
        form = FORMATS["searxng"]
        return says(200, {**form.body(*[form.hit] * hits), "unresponsive_engines": list(pairs)})

    busy = "too many requests"
    yield fault("some engines failed", failed(["a", "timeout"], hits=1), "ok", "failed: a (timeout)")
    for reason in ("timeout", "access denied", "HTTP error", "HTTP connection error", "parsing error"):
        yield fault(f"every engine: {reason}", failed(["a", reason]), "unavailable", reason)
    yield fault("every engine: crash", failed(["a", "unexpected crash"]), "unavailable")
    yield fault("suspended", failed(["a", "Suspended: access denied"]), "unavailable", "no engine answered")
    yield fault("every engine: busy", failed(["a", busy], ["b", f"Suspended: {busy}"]), "rate_limited")
    yield fault("busy and late", failed(["a", busy], ["b", "timeout"]), "unavailable")
    yield fault("unknown reason", failed(["a", "暂停服务"]), "error", "not every reason is known")
    yield fault("reason missing", failed(["a"], [], "b"), "error")
    yield fault("no list of failures", says(200, _told("searxng", unresponsive_engines=7)), "error")
    yield fault("json not enabled", says(403, b"<html>", "text/html"), "unavailable", "search.formats")
    yield fault("limiter", says(429, b"Too Many Requests", "text/html"), "rate_limited", "limiter")
    yield fault("no query", says(400, {"error": "No query"}), "error", "No query")


def _bocha() -> Iterator[Fault]:
    def fault(name: str, does: Behaviour, state: str, says: str = "") -> Fault:
        return Fault("bocha", name, does, state, says)

    def told(code: Any, text: str = "") -> dict[str, Any]:
        return {"code": code, "message": text, "log_id": "1"}

    debt = "You do not have enough money"
    yield fault("403 balance", says(403, told("403", debt)), "unavailable", debt)
    yield fault("200, code 403", says(200, told("403", debt)), "unavailable", "balance")
    yield fault("200, code 401", says(200, told(401, "Invalid API KEY")), "unavailable", "Invalid API KEY")
    yield fault("200, code 429", says(200, told("429")), "rate_limited")
    yield fault("200, code 400", says(200, told(400, "bad")), "error", "bad")
    yield fault("200, code 500", says(200, told(500)), "unavailable")
    yield fault("200, code 20001", says(200, told(20001, "odd")), "error", "odd")
    yield fault("200, no code", says(200, {"data": {}}), "error", "whose code is not 200")
    yield fault("200, code true", says(200, _told("bocha", code=True)), "error")
    yield fault("429 in both", says(429, told("429", "slow down")), "rate_limited", "slow down")


def _baidu() -> Iterator[Fault]:
    def fault(code: str, status: int, state: str, wait: int | None = None) -> Fault:
        told = {"code": code, "message": "m", "request_id": "1"}
        return Fault("baidu", f"{status} {code}", says(status, told), state, code, wait)

    for code in ("RATE_LIMIT_TOTAL_QPS", "RATE_LIMIT_SEARCH_TOTAL_QPS", "RATE_LIMIT_SEARCH_QPS"):
        yield fault(code, 429, "rate_limited")
    for code in ("QUOTA_USER_DAILY_REQUEST", "QUOTA_USER_DAILY_FREE"):
        yield fault(code, 429, "rate_limited", 39_232)  # it is 13:06:08 in Beijing
    yield fault("BILLING_INSUFFICIENT_BALANCE", 429, "unavailable")
    yield fault("BILLING_INSUFFICIENT_BALANCE", 200, "unavailable")
    yield fault("access_denied", 401, "unavailable")
    yield fault("invalid_iam_token", 401, "unavailable")
    yield fault("malformed_json", 400, "error")
    yield fault("unsafe_request", 400, "rejected")
    yield fault("characters_too_long", 400, "rejected")
    yield fault("odd", 200, "error")
    nested = {"error": {"code": "unsafe_request", "message": "m"}, "id": "1"}
    yield Fault("baidu", "400 error.unsafe_request", says(400, nested), "rejected")


def _zhipu() -> Iterator[Fault]:
    def fault(code: Any, status: int, state: str, text: str = "m", wait: int | None = None) -> Fault:
        told = {"error": {"code": code, "message": text}}
        return Fault("zhipu", f"{status} {code!r} {text}", says(status, told), state, text, wait)

    for number in range(1000, 1006):
        yield fault(str(number), 401, "unavailable")
    yield fault("1113", 429, "unavailable")
    for number in (1302, 1303, 1304, 1305):
        yield fault(str(number), 429, "rate_limited")
    yield fault("1308", 429, "rate_limited", "限额将在 2026-03-04 13:07:08 重置", 60)
    yield fault("1310", 429, "rate_limited", "限额在 2026-02-30 13:07:08 重置")
    yield fault("1310", 429, "rate_limited", "以后再来")
    for code in ("1210", "1213", "1214"):
        yield fault(code, 400, "error")
    yield fault("1301", 400, "rejected")
    yield fault(1301, 200, "rejected")
    yield fault("9999", 200, "error")
    chose = _told("zhipu", search_intent=[{"query": "a", "intent": "SEARCH_NONE", "keywords": ""}])
    yield Fault("zhipu", "chose not to search", says(200, chose), "error", "chose not to search")
    one = _told("zhipu", search_result=FORMATS["zhipu"].hit)
    yield Fault("zhipu", "one object for a list", says(200, one), "error", "no list search_result")


def _brave() -> Iterator[Fault]:
    def told(code: str, status: int) -> dict[str, Any]:
        return {"type": "ErrorResponse", "error": {"code": code, "detail": "d", "status": status}}

    def limited(limit: str, left: str, reset: str = "1, 500") -> Behaviour:
        more = {"X_RateLimit_Limit": limit, "X_RateLimit_Remaining": left, "X_RateLimit_Reset": reset}
        return says(429, told("RATE_LIMITED", 429), **more)

    def fault(name: str, does: Behaviour, state: str, says: str = "", wait: int | None = None) -> Fault:
        return Fault("brave", name, does, state, says, wait)

    yield fault("no web", says(200, {"type": "search", "query": {"original": QUERY}}), "empty")
    yield fault("429 this second", limited("1, 15000", "0, 14523"), "rate_limited", "", 1)
    yield fault("429 this month", limited("1, 15000", "0, 0"), "unavailable", "month", 500)
    yield fault("429 no month", limited("20, 0", "0, 0"), "rate_limited", "", 1)
    yield fault("429 one window", limited("1", "0", "1"), "rate_limited", "", 1)
    yield fault("429 odd headers", limited("a, b", "0, 0"), "rate_limited", "", 1)
    yield fault("403 key", says(403, told("SUBSCRIPTION_TOKEN_INVALID", 403)), "unavailable", "d")
    yield fault("422 key", says(422, told("SUBSCRIPTION_TOKEN_INVALID", 422)), "unavailable", "key")
    yield fault("422 parameter", says(422, told("VALIDATION", 422)), "error", "VALIDATION d")
    yield fault("200 error", says(200, told("INTERNAL", 500)), "error", "no search result")


def _tavily() -> Iterator[Fault]:
    def fault(status: int, text: str, state: str) -> Fault:
        return Fault("tavily", f"{status} {text}", says(status, {"detail": {"error": text}}), state, text)

    yield fault(401, "Unauthorized: missing or invalid API key.", "unavailable")
    yield fault(429, "Your request has been blocked", "rate_limited")
    yield fault(432, "This request exceeds your plan's set usage limit", "unavailable")
    yield fault(433, "This request exceeds the pay-as-you-go limit", "unavailable")
    yield fault(400, "Query is too long. Max query length is 400 characters.", "rejected")
    yield fault(400, "Invalid search depth", "error")
    told = {"error": {"code": "limit", "message": "m", "window": "day", "retry_after_seconds": 90}}
    yield Fault("tavily", "429 keyless", says(429, told), "rate_limited", "limit m", 90)


def own_faults() -> Iterator[Fault]:
    """The rows of every service."""
    for service in (_searxng, _bocha, _baidu, _zhipu, _brave, _tavily):
        yield from service()
