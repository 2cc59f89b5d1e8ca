"""How an answer begins: no HTTP, floods, drips, silence, statuses that carry no page, headers that lure."""

from tests.netns.case import HANGS, WWW, Answer, Case, forever, page, says

ASKED = ("www.c{n}.test",)
OK = b"HTTP/1.1 200 OK\r\n"
LATE = f"not over within {HANGS:g} seconds"


def head(name: str, reason: str, answer: Answer, state: str = "failed", **more: object) -> Case:
    """The page is answered so."""
    case: dict[str, object] = {"reached": (WWW,), "asked": ASKED, "site": {"www /": answer}, **more}
    final = "http://www.c{n}.test/" if state == "captured" else ""
    return Case(name=f"answer: {name}", state=state, reason=reason, final=final, **case)  # type: ignore[arg-type]


def hangs(name: str, answer: Answer, fresh: bool = False) -> Case:
    """It never comes to an end by itself."""
    return head(name, LATE, answer, seconds=HANGS, fresh=fresh)


def lures(name: str, *fields: str, status: int = 200) -> Case:
    """A good page with a field that leads elsewhere, which nobody follows."""
    return head(name, "", says(page(b"a page", status, *fields)), "captured", body=b"a page")


ANSWERS = (
    hangs("silence", says("hold")),
    hangs("drip in the status line", forever(b"HTTP/1.1 200 ", 0.1, b"O"), fresh=True),
    hangs("drip in the head", forever(OK, 0.1, b"A", 0.1, b":b\r\n")),
    hangs("drip of interim answers", forever(b"", 0.5, b"HTTP/1.1 103 E\r\n\r\n")),
    hangs("half a head, then silence", says(OK + b"Content-Type: text/html\r\n", "hold")),
    head(
        "nobody listens",
        "no connection: Connection refused",
        says(),
        url="http://www.c{n}.test:8081/",
        options=("--allow-port", "8081", "--no-robots"),
    ),
    head("closed at once", "the connection was closed without an answer", says()),
    head("half closed at once", "the connection was closed without an answer", says("half")),
    head("reset", "the connection broke: Connection reset by peer", says("reset")),
    head("closed in the head", "the answer ends inside its head", says(OK + b"Content-Le")),
    head("half closed in the head", "the answer ends inside its head", says(OK + b"A: b\r\n", "half")),
    head("HTTP/0.9", "the answer is not HTTP/1.x", says(b"<html>a page</html>")),
    head("HTTP/2", "the answer is not HTTP/1.x", says(b"HTTP/2 200 OK\r\n\r\n")),
    head("SSH", "the answer is not HTTP/1.x", says(b"SSH-2.0-OpenSSH_9.2\r\n")),
    head("Redis", "the answer is not HTTP/1.x", says(b"-ERR wrong number of arguments for 'get'\r\n")),
    head("flood of noise", "the answer is not HTTP/1.x", forever(b"\x00" * 64, b"\x00" * 65536)),
    head(
        "status line without end",
        "its head has a line that is too long",
        forever(b"HTTP/1.1 200 ", b"A" * 65536),
    ),
    head(
        "field without end",
        "its head has a line that is too long",
        forever(OK + b"A: ", b"A" * 65536),
    ),
    head("fields without end", "its head is too large", forever(OK, b"A: b\r\n" * 1000), fresh=True),
    head(
        "fields of 15 KiB without end", "its head is too large", forever(OK, b"A: " + b"b" * 15000 + b"\r\n")
    ),
    head(
        "interim answers without end",
        "the answer does not come to an end of its interim answers",
        forever(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
        fresh=True,
    ),
    head(
        "another protocol",
        "the answer changes the protocol, which nobody asked for",
        says(b"HTTP/1.1 101 X\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n", "hold"),
    ),
    head(
        "bare line feeds",
        "its head has a line that does not end as HTTP's do",
        says(b"HTTP/1.1 200 OK\n\npage"),
    ),
    head("folded field", "its head has a line that is no header field", says(OK + b"A: b\r\n c\r\n\r\n")),
    head("NUL in a field", "its head has a line that is no header field", says(OK + b"A: b\x00c\r\n\r\n")),
    head(
        "login",
        "status 401",
        says(page(b"", 401, "WWW-Authenticate: Basic realm=x", "WWW-Authenticate: Negotiate")),
    ),
    head("proxy login", "status 407", says(page(b"", 407, "Proxy-Authenticate: Basic realm=x"))),
    head("no content", "status 204", says(b"HTTP/1.1 204 X\r\n\r\n")),
    head("reset content", "status 205", says(page(b"", 205))),
    head("part of a page", "status 206", says(page(b"part", 206, "Content-Range: bytes 0-3/100"))),
    head("not modified", "status 304", says(b"HTTP/1.1 304 X\r\n\r\n")),
    head(
        "no such page, without end",
        "status 404",
        forever(b"HTTP/1.1 404 X\r\n\r\n", bytes(65536)),
    ),
    head("too many requests", "status 429", says(page(b"", 429, "Retry-After: 999999"))),
    head("unavailable", "status 503", says(page(b"", 503, "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT"))),
    lures("another way in", 'Alt-Svc: h2="10.0.0.1:443"; ma=9999', 'Alt-Svc: h3=":6379"'),
    lures("refresh", "Refresh: 0; url=http://127.0.0.1/"),
    lures("location of a good answer", "Location: http://127.0.0.1/", status=201),
    lures("content location", "Content-Location: http://10.0.0.1/", "Content-Base: http://10.0.0.1/"),
    lures("links", "Link: <http://10.0.0.1/x>; rel=preload", "Link: <http://127.0.0.1/>; rel=canonical"),
    lures("reports", 'NEL: {"report_to":"a"}', 'Report-To: {"endpoints":[{"url":"http://10.0.0.1"}]}'),
    lures("keep the connection", "Connection: keep-alive", "Keep-Alive: timeout=99"),
    lures("cookies", "Set-Cookie: id=canary-cookie; Domain=test; Path=/", "Set-Cookie2: id=canary-cookie"),
    lures("strict transport", "Strict-Transport-Security: max-age=99999; includeSubDomains"),
    lures("control characters for a terminal", "X-Note: \x9b2J\x85", "Content-Type: \x9b31m"),
    head(
        "interim answers before a good one",
        "",
        says(b"HTTP/1.1 103 E\r\nLink: <http://127.0.0.1/>; rel=preload\r\n\r\n", page()),
        "captured",
    ),
    head(
        "drip that ends in time",
        "",
        says(*[step for byte in page() for step in (bytes((byte,)),)]),
        "captured",
    ),
    head("HTTP/1.0", "", says(b"HTTP/1.0 200 OK\r\n\r\nold", "half"), "captured", body=b"old"),
)
