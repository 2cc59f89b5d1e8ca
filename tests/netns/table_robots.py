"""robots.txt as a way in: it leads inside, never ends, bursts, lies."""

from tests.netns.case import HANGS, OTHER, WWW, Answer, Case, Name, forever, page, says, to
from tests.netns.table_bodies import BOMB

ASKED = ("www.c{n}.test",)
LATE = f"robots.txt was not read: not over within {HANGS:g} seconds"


def robots(name: str, state: str, reason: str, answer: Answer, **more: object) -> Case:
    """Our first request is answered so; the page would be a good one."""
    case: dict[str, object] = {"reached": (WWW,), "asked": ASKED, "site": {"www /robots.txt": answer}, **more}
    final = "http://www.c{n}.test/" if state == "captured" else ""
    return Case(name=f"robots: {name}", state=state, reason=reason, final=final, **case)  # type: ignore[arg-type]


def unread(name: str, why: str, answer: Answer, state: str = "failed", **more: object) -> Case:
    """What cannot be read forbids everything."""
    return robots(name, state, f"robots.txt was not read: {why}", answer, **more)


LARGE = b"User-agent: *\n" + b"Disallow: /no\n" * 40000

ROBOTS = (
    unread(
        "leads to metadata",
        "the host is 169.254.169.254, which is not public: Cloud metadata",
        to("http://169.254.169.254/latest/"),
        "rejected",
    ),
    unread(
        "leads to a name inside",
        "the host is 10.5.5.5, which is not public: Private-Use",
        to("http://inside.c{n}.test/robots.txt"),
        "rejected",
        names={"inside": Name(a=("10.5.5.5",))},
        asked=("www.c{n}.test", "inside.c{n}.test"),
    ),
    unread("leads to another port", "port 6379 is not allowed", to("http://www.c{n}.test:6379/"), "rejected"),
    unread("leads on and on", "more than 5 redirects", to("/robots.txt")),
    unread("server's failure", "status 500", says(page(b"", 500))),
    unread("reset", "the connection broke: Connection reset by peer", says("reset")),
    unread("no HTTP", "the answer is not HTTP/1.x", says(b"220 mail.test ESMTP\r\n")),
    unread(
        "brotli",
        "the answer has a content coding other than gzip once",
        says(page(b"x", 200, "Content-Encoding: br")),
    ),
    robots("forbids", "rejected", "robots.txt disallows it", says(page(b"User-agent: *\nDisallow: /\n"))),
    robots("drips", "failed", LATE, forever(b"HTTP/1.1 200 OK\r\n\r\n", 0.1, b"#"), seconds=HANGS),
    robots("never answers", "failed", LATE, says("hold"), seconds=HANGS),
    robots("without end", "captured", "", forever(b"HTTP/1.1 200 OK\r\n\r\n", b"# \n" * 20000), fresh=True),
    robots("bomb", "captured", "", BOMB, fresh=True),
    robots("forty thousand rules", "captured", "", says(page(LARGE)), fresh=True),
    robots(
        "patterns that explode",
        "rejected",
        "robots.txt disallows it",
        says(page(b"User-agent: *\n" + (b"Disallow: /" + b"*a" * 4000 + b"$\n") * 60)),
        url="http://www.c{n}.test/?" + "a" * 4000,
    ),
    robots(
        "leads to another host",
        "captured",
        "",
        to("http://other.c{n}.test/rules"),
        reached=(WWW, OTHER),
        asked=("www.c{n}.test", "other.c{n}.test"),
    ),
    robots("wants a login", "captured", "", says(page(b"", 401, "WWW-Authenticate: Basic realm=x"))),
    robots(
        "sets a cookie",
        "captured",
        "",
        says(page(b"User-agent: *\nAllow: /", 200, "Set-Cookie: id=canary-cookie")),
    ),
)
