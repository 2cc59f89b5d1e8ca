"""robots.txt as a fetch meets it: read once an origin, within the same rules and the same deadline."""

from datetime import datetime, timedelta

import pytest

from providers.web.capture.fetch import Fetcher
from tests.providers.web.capture.peer import (
    NOW,
    Peer,
    Step,
    allow,
    answering,
    fetch,
    fetcher,
    page,
    policy,
)

DISALLOW = b"User-agent: *\nDisallow: /private\n"


@pytest.fixture(autouse=True)
def _pages(peer: Peer) -> None:
    peer.answer("/private", page(b"a private page"))
    peer.answer("/public", page(b"a page"))


def test_a_page_that_robots_txt_disallows_is_not_asked_for(peer: Peer) -> None:
    peer.answer("/robots.txt", page(DISALLOW))
    capture = fetcher(policy(peer, robots=True))
    private, public = capture.fetch(peer.url("/public/../private")), capture.fetch(peer.url("/public"))
    assert (private.state, private.reason) == ("rejected", "robots.txt disallows it")
    assert (private.robots, private.hops, private.final_url) == ("disallowed", (), "")
    assert (public.state, public.robots, public.body) == ("captured", "allowed", b"a page")
    assert peer.targets == ["/robots.txt", "/public"]


def test_it_is_not_asked_for_when_the_policy_says_so(peer: Peer) -> None:
    peer.answer("/robots.txt", page(DISALLOW))
    fetched = fetch(peer, "/private", robots=False)
    assert (fetched.state, fetched.robots, peer.targets) == ("captured", "not asked", ["/private"])


@pytest.mark.parametrize("status", [204, 400, 401, 403, 404, 410, 429])
def test_without_a_robots_txt_everything_is_allowed(peer: Peer, status: int) -> None:
    peer.answer("/robots.txt", page(DISALLOW, status))
    fetched = fetch(peer, "/private", robots=True)
    assert (fetched.state, fetched.robots) == ("captured", "no robots.txt")


@pytest.mark.parametrize(
    ("steps", "state", "reason"),
    [
        ([page(b"", 500)], "failed", "status 500"),
        ([page(b"", 503)], "failed", "status 503"),
        ([page(b"", 304)], "failed", "status 304"),
        ([b"SSH-2.0-x\r\n"], "failed", "the answer is not HTTP/1.x"),
        ([page(b"half", length=8)], "failed", "the answer ends before its stated length"),
        ([page(b"", 302, "Location: /robots.txt?1")], "failed", "more than 5 redirects"),
        (
            [page(b"", 302, "Location: http://10.0.0.1/")],
            "rejected",
            "the host is 10.0.0.1, which is not public: Private-Use",
        ),
        (["hold"], "failed", "not over within 0.3 seconds"),
    ],
)
def test_one_that_cannot_be_read_forbids_everything(
    peer: Peer, steps: list[Step], state: str, reason: str
) -> None:
    peer.answer("/robots.txt", *steps)
    peer.answer("/robots.txt?1", *steps)
    fetched = fetch(peer, "/public", robots=True, seconds=0.3 if steps == ["hold"] else 5.0)
    assert (fetched.state, fetched.reason) == (state, f"robots.txt was not read: {reason}")
    assert fetched.robots == "unreachable"
    assert "/public" not in peer.targets


def test_it_is_followed_through_redirects_and_read_to_its_cap_only(peer: Peer) -> None:
    large = DISALLOW + b"#" * (600 << 10) + b"\nDisallow: /public\n"
    peer.answer("/robots.txt", page(b"", 301, "Location: /r"))
    peer.answer("/r", page(large))
    capture = fetcher(policy(peer, robots=True))
    assert capture.fetch(peer.url("/public")).robots == "allowed"
    assert capture.fetch(peer.url("/private")).robots == "disallowed"


def test_it_is_read_again_for_another_origin_and_after_a_day(peer: Peer) -> None:
    peer.answer("/robots.txt", page(DISALLOW))
    now = NOW

    def clock() -> datetime:
        return now

    capture = Fetcher(policy(peer, robots=True), clock, allow, answering("127.0.0.1"))
    for _ in range(2):
        capture.fetch(peer.url("/public"))
    capture.fetch(peer.url("/public", host="other.test"))
    now += timedelta(hours=24, seconds=1)
    capture.fetch(peer.url("/public"))
    assert peer.targets.count("/robots.txt") == 3


def test_a_last_line_that_the_cap_cuts_says_nothing(peer: Peer) -> None:
    rules = b"User-agent: *\nDisallow: /p\n"
    cut = b"\nAllow: /public"
    comment = b"#" * ((500 << 10) - len(rules) - len(cut))
    peer.answer("/robots.txt", page(rules + comment + cut + b"-relations\n"))
    assert fetch(peer, "/public", robots=True).robots == "disallowed"


def test_large_files_are_kept_for_the_last_origins_only(peer: Peer) -> None:
    peer.answer("/robots.txt", page(DISALLOW + b"#" * (400 << 10)))
    capture = fetcher(policy(peer, robots=True))
    for host in ("a.test", "b.test", "c.test", "c.test", "b.test", "a.test"):
        capture.fetch(peer.url("/public", host=host))
    assert peer.targets.count("/robots.txt") == 4


def test_no_more_than_256_origins_are_kept(peer: Peer) -> None:
    capture = fetcher(policy(peer, robots=True))
    for number in range(257):
        capture.fetch(peer.url("/public", host=f"{number}.page.test"))
    assert peer.targets.count("/robots.txt") == 257
    capture.fetch(peer.url("/public", host="256.page.test"))
    capture.fetch(peer.url("/public", host="0.page.test"))
    assert peer.targets.count("/robots.txt") == 258


def test_every_hop_asks_its_own(peer: Peer) -> None:
    peer.answer("/robots.txt", page(DISALLOW))
    peer.answer("/start", page(b"", 302, "Location: /private"))
    fetched = fetch(peer, "/start", robots=True)
    assert (fetched.state, fetched.reason) == ("rejected", "robots.txt disallows it")
    assert peer.targets == ["/robots.txt", "/start"]
