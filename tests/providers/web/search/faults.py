"""The fault table: what any service can do wrong over HTTP, and the state that it means."""

from collections.abc import Iterator
from typing import Any

from tests.providers.web.search.faking import Behaviour, dripping, message, raw, says, silent
from tests.providers.web.search.fault import Fault
from tests.providers.web.search.formats import FORMATS, KEY
from tests.providers.web.search.own_faults import own_faults

SERVICES = tuple(FORMATS)


def common(service: str) -> Iterator[Fault]:
    """What any HTTP service can do."""
    form = FORMATS[service]
    good = form.body(form.hit)

    def fault(name: str, does: Behaviour, state: str, says: str = "", **more: Any) -> Fault:
        return Fault(service, name, does, state, says, **more)

    yield fault("one hit", says(200, good), "ok")
    yield fault("no hit", says(200, form.body()), "empty")
    yield fault("no hit has a URL", says(200, form.body({"title": "a"}, 7)), "error", "none of its 2")
    yield fault("connection closed", raw(), "unavailable", "cannot be asked")
    yield fault("silence", silent, "unavailable", "no answer in time", late=True)
    yield fault("endless header", dripping, "unavailable", "no answer in time", late=True)
    yield fault("body cut short", raw(message(200, good)[:-3]), "unavailable")
    yield fault("not HTTP", raw(b"SSH-2.0-x\r\n\r\n"), "error", "cannot be read")
    yield fault("200 headers", raw(b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 200 + b"\r\n"), "error")
    yield fault("body of 5 MiB", says(200, b" " * (5 << 20)), "error", "larger than")
    for status in (301, 302, 303, 307, 308):
        moved = says(status, b"", "text/html", Location="https://www.example.com/search?q=secret")
        yield fault(f"{status}", moved, "error", "points to https://www.example.com;")
    yield fault("302 to no URL", says(302, b"", Location="http://[/"), "error", "302; a redirect")
    yield fault("200 and HTML", says(200, b"<html>", "text/html"), "error", "text/html, not JSON")
    yield fault("200 JSON as text", says(200, good, "text/plain"), "error", "text/plain")
    yield fault("200 without a type", says(200, good, ""), "error", "no content type")
    yield fault("200 gzip", says(200, b"\x1f\x8b", Content_Encoding="gzip"), "error", "coding gzip")
    yield fault("200 no JSON", says(200, b"{"), "error", "no JSON object")
    yield fault("200 a list", says(200, [good]), "error", "no JSON object")
    yield fault("204", says(204, b""), "error", "204")
    yield fault("400", says(400, {"error": "bad"}), "error", "bad")
    yield fault("401", says(401, {"message": f"bad {KEY}"}), "unavailable", "401")
    yield fault("402", says(402, {}), "unavailable", "used up")
    yield fault("404", says(404, b"no", "text/plain"), "error")
    yield fault("429", says(429, {}), "rate_limited")
    yield fault("500", says(500, {}), "unavailable")
    yield fault("502 and HTML", says(502, b"<html>", "text/html"), "unavailable")
    yield fault("503", says(503, {}), "unavailable")


def waiting(service: str) -> Iterator[Fault]:
    """How a service that is asked too much names the time; the clock says 2026-03-04T05:06:08Z."""

    def fault(name: str, does: Behaviour, wait: int) -> Fault:
        return Fault(service, name, does, "rate_limited", f"again in {wait} seconds", wait)

    date = "Wed, 04 Mar 2026 05:07:08 GMT"
    yield fault("429 + seconds", says(429, {}, Retry_After="30"), 30)
    yield fault("429 + date", says(429, {}, Retry_After=date), 60)
    yield fault("429 + past date", says(429, {}, Retry_After="Wed, 04 Mar 2020 05:07:08 GMT"), 0)
    yield fault("429 + reset", says(429, {}, X_RateLimit_Reset="7, 1419704"), 7)
    yield fault("429 + body", says(429, {"retry_after_seconds": 1.5}), 2)
    yield fault("429 + time in body", says(429, {"next_flush_time": 1772600888}), 120)
    yield fault("503 + seconds", says(503, {}, Retry_After="5"), 5)


def _without(service: str, path: str, *values: Any) -> Iterator[tuple[str, Behaviour]]:
    """The good body with the list at `path` missing, and with other values in its place."""
    *way, last = path.split(".")
    for value in ("missing", *values):
        body = FORMATS[service].body(FORMATS[service].hit)
        inner = body
        for step in way:
            inner = inner[step]
        if value == "missing":
            del inner[last]
        else:
            inner[last] = value
        yield f"{path}: {value}", says(200, body)


_LISTS = {
    "searxng": "results",
    "bocha": "data.webPages.value",
    "baidu": "references",
    "zhipu": "search_result",
    "brave": "web.results",
    "tavily": "results",
}


def all_faults() -> Iterator[Fault]:
    """Every row of the table."""
    for service in SERVICES:
        yield from common(service)
        yield from waiting(service)
        for name, does in _without(service, _LISTS[service], None, {}, "a", 7):
            yield Fault(service, name, does, "error", "no list")
    yield from own_faults()
