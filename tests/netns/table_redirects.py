"""Where an answer leads: inside in every writing, to other schemes, in circles, too far, with secrets."""

from tests.netns.case import OTHER, WWW, Case, Name, numeric, page, says, to

ASKED = ("www.c{n}.test",)
BOTH = (*ASKED, "other.c{n}.test")
NUMBER = "the host is a number but no canonical dotted quad"


def led(name: str, where: str, reason: str, state: str = "rejected", **more: object) -> Case:
    """The first answer leads there, with a cookie; the query was only for the first host."""
    case: dict[str, object] = {
        "url": "http://www.c{n}.test/?q=canary-query",
        "site": {"www /": to(where)},
        "asked": ASKED,
        "reached": (WWW,),
        **more,
    }
    return Case(name=f"redirect: {name}", state=state, reason=reason, **case)  # type: ignore[arg-type]


def followed(name: str, where: str, final: str, **more: object) -> Case:
    """The same, and the page is captured at its end."""
    return led(name, where, "", "captured", final=final, **more)


HOPS = {f"/{hop}": to(f"/{hop + 1}") for hop in range(9)}

REDIRECTS = (
    led("loopback", "http://127.0.0.1/", "the host is 127.0.0.1, which is not public: Loopback"),
    led(
        "unspecified",
        "http://0.0.0.0/",
        "the host is 0.0.0.0, which is not public: This host on this network",
    ),
    led(
        "metadata",
        "http://169.254.169.254/latest/meta-data/iam/",
        "the host is 169.254.169.254, which is not public: Cloud metadata",
    ),
    led("private", "https://10.0.0.1/", "the host is 10.0.0.1, which is not public: Private-Use"),
    led("IPv6 loopback", "http://[::1]/", "the host is ::1, which is not public: Loopback Address"),
    led(
        "mapped",
        "http://[::ffff:a00:1]/",
        f"the host is {numeric('::ffff:10.0.0.1')}, "
        "which is not public: IPv4-mapped Address with 10.0.0.1 inside, Private-Use",
    ),
    led("decimal", "http://2130706433/", NUMBER),
    led("octal", "http://0177.0.0.1/", NUMBER),
    led("hexadecimal", "http://0x7f.1/", NUMBER),
    led("short", "http://127.1/", NUMBER),
    led("ideographic stops in octets", "http://127。0。0。1/", "the host holds an escape"),
    led("escaped host", "http://%E3%80%82127.0.0.1/", "the host holds an escape"),
    led("user", "http://www.c{n}.test@127.0.0.1/", "the URL names a user"),
    led("port of Redis", "http://www.c{n}.test:6379/", "port 6379 is not allowed"),
    led("port of mail", "//www.c{n}.test:25/", "port 25 is not allowed"),
    led("file", "file:///etc/passwd", "the URL is neither http nor https"),
    led("gopher", "gopher://127.0.0.1:6379/_FLUSHALL", "the URL is neither http nor https"),
    led("javascript", "javascript:alert(1)", "the URL is not absolute"),
    led("data", "data:text/html,page", "the URL is not absolute"),
    led("scheme without slashes", "http:127.0.0.1", "the URL is not absolute"),
    led(
        "protocol-relative, inside",
        "//169.254.169.254/",
        "the host is 169.254.169.254, which is not public: Cloud metadata",
    ),
    led("backslashes", "\\\\127.0.0.1\\", "the URL holds a backslash"),
    led("slash and backslash", "/\\127.0.0.1/", "the URL holds a backslash"),
    led("three slashes", "///127.0.0.1/", "the URL has no host"),
    led(
        "tab that a browser drops", "http://127.0.0.1\t/", "the redirect's address holds a control character"
    ),
    led(
        "name inside",
        "http://inside.c{n}.test/",
        "the host is 10.4.4.4, which is not public: Private-Use",
        names={"inside": Name(a=("10.4.4.4",))},
        asked=("www.c{n}.test", "inside.c{n}.test"),
    ),
    led(
        "name with an address outside and one inside",
        "http://inside.c{n}.test/",
        "the host is fd00::4, which is not public: Unique-Local",
        names={"inside": Name(a=(OTHER,), aaaa=("fd00::4",))},
        asked=("www.c{n}.test", "inside.c{n}.test"),
    ),
    led(
        "alias inside, after two hops",
        "/one",
        "the host is 100.100.100.200, which is not public: Alibaba Cloud metadata",
        names={"inside": Name(alias="meta.c{n}.test"), "meta": Name(a=("100.100.100.200",))},
        site={"www /": to("/one"), "www /one": to("http://inside.c{n}.test/")},
        asked=("www.c{n}.test", "inside.c{n}.test"),
    ),
    led("circle of one", "http://www.c{n}.test/?q=canary-query", "the redirects go in a circle", "failed"),
    led(
        "circle of two hosts",
        "http://other.c{n}.test/",
        "the redirects go in a circle",
        "failed",
        url="http://www.c{n}.test/",
        site={"www /": to("http://other.c{n}.test/"), "other /": to("http://www.c{n}.test/")},
        asked=BOTH,
        reached=(WWW, OTHER),
    ),
    led("six hops", "/1", "more than 5 redirects", site={"www /": to("/1"), **HOPS}, fresh=True),
    led(
        "no address",
        "",
        "status 302 without one address to go to",
        "failed",
        site={"www /": says(page(b"", 302))},
    ),
    led(
        "two addresses",
        "/",
        "status 302 without one address to go to",
        "failed",
        site={"www /": to("/one", 302, "Location: http://127.0.0.1/")},
    ),
    led(
        "from https to http",
        "http://other.c{n}.test/",
        "a redirect from https to http",
        url="https://www.c{n}.test/?q=canary-query",
    ),
    led("longer than a URL may be", "/" + "a" * 9000, "the URL is longer than 8192 characters"),
    led("status 300", "/", "status 300", "failed", site={"www /": to("http://127.0.0.1/", 300)}),
    led("status 304", "/", "status 304", "failed", site={"www /": to("http://127.0.0.1/", 304)}),
    led(
        "status 305, use a proxy",
        "/",
        "status 305",
        "failed",
        site={"www /": to("http://10.9.9.9:3128/", 305)},
    ),
    led("refusal that leads", "/", "status 403", "failed", site={"www /": to("http://127.0.0.1/", 403)}),
    led(
        "redirect with an endless body",
        "/",
        "the host is 127.0.0.1, which is not public: Loopback",
        site={
            "www /": lambda: iter(
                [b"HTTP/1.1 302 X\r\nLocation: http://127.0.0.1/\r\n\r\n", *([bytes(1 << 16)] * 400)]
            )
        },
    ),
    followed("relative", "/one", "http://www.c{n}.test/one", site={"www /": to("one"), "/one": says(page())}),
    followed(
        "five hops", "/4", "http://www.c{n}.test/8", site={"www /": to("/4"), **HOPS, "/8": says(page())}
    ),
    followed(
        "another host, neither cookie nor query",
        "http://other.c{n}.test/",
        "http://other.c{n}.test/",
        asked=BOTH,
        reached=(WWW, OTHER),
    ),
    followed(
        "protocol-relative",
        "//other.c{n}.test/",
        "http://other.c{n}.test/",
        asked=BOTH,
        reached=(WWW, OTHER),
    ),
    followed(
        "from http to https",
        "https://other.c{n}.test/",
        "https://other.c{n}.test/",
        asked=BOTH,
        reached=(WWW, OTHER),
    ),
    followed(
        "to itself once the cookie is set, which it never is",
        "/",
        "http://www.c{n}.test/page?seen=1",
        site={"www /": to("/in"), "/in": to("/page?seen=1"), "/page": says(page())},
    ),
    followed(
        "fragment",
        "/one#canary-fragment",
        "http://www.c{n}.test/one",
        site={"www /": to("/one#canary-fragment"), "/one": says(page())},
    ),
    followed(
        "status 308",
        "/one",
        "http://www.c{n}.test/one",
        site={"www /": to("/one", 308), "/one": says(page())},
    ),
)
