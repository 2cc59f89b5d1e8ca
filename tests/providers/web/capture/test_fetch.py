"""A fetch that goes well: what is captured, what is hashed, what the other side gets to see."""

import gzip
from collections.abc import Sequence
from hashlib import sha256
from socket import gaierror

import pytest

from providers.web.capture.deadline import Deadline
from providers.web.capture.ending import RejectedError
from providers.web.capture.fetch import Fetcher
from providers.web.capture.fetched import Hop
from tests.providers.web.capture.peer import (
    NOW,
    Peer,
    allow,
    answering,
    fetch,
    fetcher,
    page,
    policy,
    running,
)

BODY = "第4.2.1条 边坡工程".encode("gb18030")
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: Chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("framing", "steps"),
    [
        ("length", [page(BODY)]),
        ("length", [page(BODY), b"and more"]),
        ("length", [b"HTTP/1.0 200\r\n", page(BODY).partition(b"\r\n")[2]]),
        ("length", [page(BODY, 203)]),
        ("length", [b"HTTP/1.1 103 Early\r\nLink: <a>\r\n\r\n", page(BODY)]),
        (
            "chunked",
            [CHUNKED, b"4\r\n", BODY[:4], b"\r\n%x;a=b\r\n" % (len(BODY) - 4), BODY[4:], b"\r\n0\r\n\r\n"],
        ),
        (
            "chunked",
            [
                CHUNKED,
                b"00%X\r\n" % len(BODY),
                BODY,
                b"\r\n0\r\nA: b\r\n\r\n",
            ],
        ),
        ("close", [OK, b"\r\n", BODY]),
        ("length", [page(gzip.compress(BODY), 200, "Content-Encoding: gzip")]),
        ("length", [page(gzip.compress(BODY), 200, "content-encoding:  X-GZIP ")]),
        ("length", [page(BODY, 200, "Content-Encoding: identity")]),
        ("length", [page(BODY, 200, "Content-Encoding:")]),
        ("close", [OK, b"Content-Encoding: gzip\r\n\r\n", gzip.compress(BODY)]),
    ],
)
def test_a_whole_body_is_captured_and_hashed_without_its_codings(
    peer: Peer, framing: str, steps: Sequence[bytes]
) -> None:
    peer.answer("/", *steps)
    fetched = fetch(peer)
    assert (fetched.state, fetched.reason, fetched.framing) == ("captured", "", framing)
    assert (fetched.body, fetched.byte_size) == (BODY, len(BODY))
    assert fetched.sha256 == sha256(BODY).hexdigest()


def test_an_empty_page_is_a_whole_page(peer: Peer) -> None:
    peer.answer("/", page(b""))
    fetched = fetch(peer)
    assert (fetched.state, fetched.sha256) == ("captured", sha256(b"").hexdigest())


def test_what_came_is_told_with_its_headers_as_they_were(peer: Peer) -> None:
    fields = (
        "Content-Type: text/html; charset=GB2312",
        "Last-Modified: Tue, 03 Mar 2026 00:00:00 GMT",
        "Set-Cookie: a=b",
    )
    peer.answer("/a/c?b=%E9%A1%B5", page(BODY, 200, *fields))
    url = peer.url("/a/./b/../c?b=页#part", host="Page.Test.")
    fetched = fetcher(policy(peer)).fetch(f" {url}\n")
    assert fetched.requested_url == f" {url}\n"
    assert fetched.final_url == peer.url("/a/c?b=%E9%A1%B5")
    assert fetched.hops == (Hop(fetched.final_url, 200, "127.0.0.1"),)
    assert fetched.fetched_at == "2026-03-04T05:06:07.000000Z"
    assert fetched.content_type == "text/html; charset=GB2312"
    assert fetched.charset == "GB2312"
    assert fetched.last_modified == "Tue, 03 Mar 2026 00:00:00 GMT"
    assert (fetched.retry_after, fetched.pinned, fetched.robots) == (None, True, "not asked")


@pytest.mark.parametrize(
    ("content_type", "charset"),
    [
        ("text/html", None),
        ("text/html;charset=utf-8", "utf-8"),
        ('text/html; a=b; CharSet = "GBK"; c=d', "GBK"),
        ("text/html; xcharset=utf-8", None),
        ("text/html; charset=", None),
    ],
)
def test_the_charset_parameter_is_read_as_it_stands(
    peer: Peer, content_type: str, charset: str | None
) -> None:
    peer.answer("/", page(BODY, 200, f"Content-Type: {content_type}"))
    assert fetch(peer).charset == charset


def test_neither_urls_nor_the_body_are_in_the_repr(peer: Peer) -> None:
    peer.answer("/canary-path", page(b"canary-body"))
    assert "canary" not in repr(fetch(peer, "/canary-path"))


def test_retry_after_of_a_refusal_is_kept(peer: Peer) -> None:
    peer.answer("/", page(b"", 429, "Retry-After: 120"))
    fetched = fetch(peer)
    assert (fetched.state, fetched.reason, fetched.retry_after) == ("failed", "status 429", "120")


def test_redirects_are_followed_hop_by_hop_without_cookies_or_a_referer(peer: Peer) -> None:
    cookie = "Set-Cookie: id=1; Domain=page.test; Path=/"
    peer.answer("/a/b", page(b"", 301, "Location: c?d=e#f", cookie))
    peer.answer("/a/c?d=e", page(b"", 302, "Location: /g", cookie))
    peer.answer("/g", page(b"", 303, f"Location: //other.test:{peer.port}/h", cookie))
    peer.answer(
        "/h",
        page(b"", 307, f"Location: HTTP://Third.test:{peer.port}/页", cookie),
    )
    peer.answer("/%E9%A1%B5", page(b"", 308, f"Location: {peer.url('/end')}", cookie))
    peer.answer("/end", page(BODY))
    fetched = fetch(peer, "/a/b")
    assert (fetched.state, fetched.body) == ("captured", BODY)
    assert [hop.status for hop in fetched.hops] == [301, 302, 303, 307, 308, 200]
    assert [hop.url for hop in fetched.hops[1:5]] == [
        peer.url("/a/c?d=e"),
        peer.url("/g"),
        peer.url("/h", host="other.test"),
        peer.url("/%E9%A1%B5", host="third.test"),
    ]
    assert fetched.final_url == peer.url("/end")
    names = {line.split(b":")[0] for request in peer.requests for line in request.split(b"\r\n")[1:] if line}
    assert names == {b"Host", b"User-Agent", b"Accept", b"Accept-Encoding", b"Connection"}


def test_a_sixth_redirect_is_not_followed(peer: Peer) -> None:
    for number in range(9):
        peer.answer(f"/{number}", page(b"", 302, f"Location: /{number + 1}"))
    fetched = fetch(peer, "/0")
    assert (fetched.state, fetched.reason) == ("rejected", "more than 5 redirects")
    assert peer.targets == ["/0", "/1", "/2", "/3", "/4", "/5"]
    assert fetch(peer, "/0", max_redirects=0).reason == "more than 0 redirects"


def test_every_hop_is_judged_then_resolved_then_asked(peer: Peer) -> None:
    peer.answer("/a", page(b"", 302, f"Location: http://other.test:{peer.port}/b"))
    peer.answer("/b", page(BODY))
    seen: list[str] = []

    def judge(url: str) -> None:
        seen.append(f"judge {url} after {len(peer.requests)} requests")

    def resolver(host: str, port: int, deadline: Deadline) -> list[str]:
        assert port == peer.port
        assert deadline.left() > 0
        seen.append(f"resolve {host} after {len(peer.requests)} requests")
        return ["127.0.0.1"]

    Fetcher(policy(peer), lambda: NOW, judge, resolver).fetch(peer.url("/x/../a", host="PAGE.test"))
    assert seen == [
        f"judge http://PAGE.test:{peer.port}/x/../a after 0 requests",
        f"judge http://page.test:{peer.port}/a after 0 requests",
        "resolve page.test after 0 requests",
        f"judge http://other.test:{peer.port}/b after 1 requests",
        "resolve other.test after 1 requests",
    ]


@pytest.mark.parametrize("refused", ["secret", "SECRET"])
def test_a_url_that_the_judge_refuses_is_neither_resolved_nor_asked(peer: Peer, refused: str) -> None:
    def judge(url: str) -> str | None:
        return "url contains an excluded term" if refused in url else None

    def resolver(_host: str, _port: int, _deadline: Deadline) -> list[str]:
        raise AssertionError

    # In upper case the term is there as submitted only, in lower case as sent only.
    fetched = Fetcher(policy(peer), lambda: NOW, judge, resolver).fetch("http://SECRET.test/")
    assert (fetched.state, fetched.reason) == ("rejected", "url contains an excluded term")
    assert (fetched.final_url, fetched.hops, peer.requests) == ("", (), [])


def test_a_redirect_that_the_judge_refuses_is_not_followed_nor_told(peer: Peer) -> None:
    peer.answer("/", page(b"", 302, "Location: /?q=secret"))

    def judge(url: str) -> str | None:
        return "url contains an excluded term" if "secret" in url else None

    fetched = Fetcher(policy(peer), lambda: NOW, judge, answering("127.0.0.1")).fetch(peer.url("/"))
    assert (fetched.state, fetched.reason) == ("rejected", "url contains an excluded term")
    assert (fetched.final_url, peer.targets) == (peer.url("/"), ["/"])
    assert "secret" not in "".join(hop.url for hop in fetched.hops)


def test_a_name_that_turns_to_another_address_between_hops_is_judged_again(peer: Peer) -> None:
    peer.answer("/", page(b"", 302, "Location: /next"))
    addresses = iter([["127.0.0.1"], ["10.0.0.1"]])
    fetched = fetch(peer, resolver=lambda _host, _port, _deadline: next(addresses))
    assert fetched.reason == "the host is 10.0.0.1, which is not public: Private-Use"
    assert peer.targets == ["/"]


def test_an_address_in_the_url_is_asked_without_a_lookup_where_it_is_allowed(peer: Peer) -> None:
    peer.answer("/", page(BODY))

    def resolver(_host: str, _port: int, _deadline: Deadline) -> list[str]:
        raise AssertionError

    fetched = fetcher(policy(peer), resolver).fetch(peer.url("/", host="127.0.0.1"))
    assert (fetched.state, fetched.body) == ("captured", BODY)
    assert f"Host: 127.0.0.1:{peer.port}".encode() in peer.requests[0]


def test_the_next_address_is_tried_when_one_does_not_take_the_connection(peer: Peer) -> None:
    peer.answer("/", page(BODY))
    fetched = fetch(peer, resolver=answering("127.0.0.2", "127.0.0.1"))
    assert (fetched.state, fetched.hops[0].address) == ("captured", "127.0.0.1")


def test_no_more_than_four_addresses_are_tried(peer: Peer) -> None:
    fetched = fetch(peer, resolver=answering(*(f"127.0.0.{last}" for last in (2, 3, 4, 5, 1))))
    assert (fetched.state, fetched.reason) == ("failed", "no connection: Connection refused")
    assert (fetched.final_url, fetched.hops) == ("", ())


@pytest.mark.parametrize(
    ("error", "words"),
    [(gaierror(-3, "Temporary failure in name resolution"), "Temporary failure"), (OSError(), "OSError")],
)
def test_a_lookup_that_fails_tells_why(peer: Peer, error: OSError, words: str) -> None:
    def resolver(_host: str, _port: int, _deadline: Deadline) -> list[str]:
        raise error

    fetched = fetch(peer, resolver=resolver)
    assert fetched.state == "failed"
    assert fetched.reason.startswith(f"the name was not resolved: {words}")


def test_a_name_without_an_address_fails(peer: Peer) -> None:
    assert fetch(peer, resolver=answering()).reason == "the name has no address"


def test_the_environment_s_proxies_are_not_used(peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    peer.answer("/", page(BODY))
    with running() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert fetch(peer).state == "captured"
        assert proxy.requests == []


@pytest.mark.parametrize("robots", [True, False])
def test_what_would_be_sent_first_is_told_byte_for_byte(peer: Peer, robots: bool) -> None:
    peer.answer("/a", page(BODY))
    capture = fetcher(policy(peer, robots=robots))
    prepared = capture.prepared(peer.url("/x/../a"))
    assert peer.requests == []
    capture.fetch(peer.url("/x/../a"))
    assert prepared == [(peer.url(request.split(b" ")[1].decode()), request) for request in peer.requests]
    assert len(prepared) == 1 + robots


def test_where_nothing_would_be_sent_there_is_nothing_to_prepare(peer: Peer) -> None:
    with pytest.raises(RejectedError, match="port 22 is not allowed"):
        fetcher(policy(peer)).prepared("http://page.test:22/")


def test_the_clock_of_the_deadline_is_an_argument(peer: Peer) -> None:
    moments = iter([0.0, *[4.0] * 3, *[6.0] * 99])
    late = Fetcher(policy(peer), lambda: NOW, allow, answering("127.0.0.1"), lambda: next(moments))
    fetched = late.fetch(peer.url("/"))
    assert (fetched.state, fetched.reason) == ("failed", "not over within 5 seconds")
