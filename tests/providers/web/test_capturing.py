"""One page: judged, fetched, read, and kept as far as its rights allow."""

from collections.abc import Iterator, Sequence

import pytest

from providers.web.capture.politeness import Politeness
from providers.web.capturing import ALMOST_EMPTY, EXCLUDED, Captured, Capturer, cited
from providers.web.exclusions import Exclusions
from providers.web.extraction.rights import Rule
from providers.web.minimise import Policy
from providers.web.screening import NOT_SHOWN
from schemas.web import WebCaptureRequest, WebClauseCandidate
from tests.providers.web.capture.peer import Peer, page, policy
from tests.providers.web.capture.peer import running as serving
from tests.world import Clock

CLAUSES = "".join(
    f"<p>第{number}条 {text}</p>" for number, text in zip("一二三", ("甲" * 300, "乙", "丙"), strict=True)
)
HTML = "Content-Type: text/html; charset=utf-8"


@pytest.fixture(scope="module")
def site() -> Iterator[Peer]:
    with serving() as found:
        yield found


def body(text: str, title: str = "题", *fields: str) -> bytes:
    return page(f"<html><head><title>{title}</title></head><body>{text}".encode(), 200, *(fields or (HTML,)))


def capturer(
    site: Peer,
    exclusions: Sequence[str] = (),
    rules: Sequence[Rule] = (),
    detectors: Policy = "refuse",
    patience: float = 0.0,
) -> Capturer:
    polite = Politeness(lambda _: None, spacing=0, at_once=1, patience=patience)
    chosen = policy(site, user_agent="tester")
    return Capturer(chosen, Clock(), polite, Exclusions(exclusions), detectors=detectors, rules=rules)


def captured(site: Peer, answer: bytes, **how: object) -> Captured:
    site.answer("/page", answer)
    made = capturer(site, **how)  # type: ignore[arg-type]  # each test names real arguments
    return made.capture(WebCaptureRequest(url=site.url("/page", "127.0.0.1")))


def rule(retention: str) -> Rule:
    return Rule("127.0.0.1", retention, "of a test")  # type: ignore[arg-type]  # one of the three


def test_of_a_page_excerpts_are_kept(site: Peer) -> None:
    found = captured(site, body(CLAUSES))
    assert (found.capture.state, found.capture.retention, found.capture.text) == ("captured", "excerpt", "")
    assert [len(one.excerpt) for one in found.capture.candidates] == [200, 5, 5]
    assert found.page is not None
    for one in found.capture.candidates:
        assert found.page.text[one.start : one.end] == one.excerpt
    assert found.capture.capture_id.startswith("blake3:")
    assert found.capture.byte_size == len(found.fetched.body)


def test_a_rule_keeps_all_or_nothing(site: Peer) -> None:
    full = captured(site, body(CLAUSES), rules=[rule("full")]).capture
    assert full.text.count("甲") == 300
    assert len(full.candidates[0].excerpt) > 300
    bare = captured(site, body(CLAUSES), rules=[rule("metadata_only")]).capture
    assert (bare.retention, bare.text, bare.candidates, bare.state) == ("metadata_only", "", (), "captured")
    assert bare.sha256 == full.sha256


def test_what_is_no_text_is_hashed_and_says_why_it_has_no_words(site: Peer) -> None:
    found = captured(site, page(b"\x89PNG\r\n\x1a\n...", 200, "Content-Type: image/png"))
    assert (found.capture.state, found.capture.retention) == ("captured", "metadata_only")
    assert found.capture.reason == "not a text format: a PNG image"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ALMOST_EMPTY),
        ("<div id=app></div><script src=a.js></script>", ALMOST_EMPTY),
        ("<noscript>请启用脚本</noscript><SCRIPT>x</SCRIPT>加载中", ALMOST_EMPTY),
        ("<p>通知。</p>", ""),
        ("<p>第一条 边坡。</p><script>x</script>", ""),
        (f"<p>{'字' * 80}</p><script>x</script>", ""),
    ],
)
def test_a_page_that_shows_next_to_nothing_without_its_scripts_says_so(
    site: Peer, text: str, told: str
) -> None:
    found = captured(site, body(text)).capture
    assert (found.state, found.reason) == ("captured", told)


@pytest.mark.parametrize(
    "answer",
    [
        body("<p>第一条 金絲雀。</p>"),
        body("<p>文</p>", "金丝 雀"),
        body('<meta name="ContentSource" content="金丝雀"><p>文</p>'),
        body("<p>x</p>", "题", "Content-Type: text/html; charset=kanariennei-9"),
    ],
    ids=["text", "title", "publisher", "charset"],
)
def test_a_page_with_an_excluded_term_keeps_no_word(site: Peer, answer: bytes) -> None:
    found = captured(site, answer, exclusions=["金丝雀", "Kanariennei"], rules=[rule("full")])
    assert (found.withheld, found.capture.reason) == (True, EXCLUDED)
    assert (found.capture.text, found.capture.candidates) == ("", ())
    assert len(found.capture.sha256) == 64
    assert "kanarien" not in str(found.capture.to_wire())


def test_an_excluded_term_in_a_header_is_not_shown(site: Peer) -> None:
    answer = page(b"gone", 410, "Content-Type: text/kanariennei")
    found = captured(site, answer, exclusions=["kanariennei"])
    assert (found.capture.state, found.capture.content_type) == ("failed", NOT_SHOWN)


def test_a_url_is_judged_before_anything_is_sent(site: Peer) -> None:
    site.requests.clear()
    made = capturer(site, ["金丝雀"])
    url = site.url("/%E9%87%91%E4%B8%9D%E9%9B%80", "127.0.0.1")
    assert made.refusal(url) == "url contains an excluded term"
    found = made.capture(WebCaptureRequest(url=url))
    assert (found.capture.state, found.capture.reason) == ("rejected", "url contains an excluded term")
    assert (found.capture.final_url, found.page, made.outgoing(url), site.requests) == ("", None, [], [])


def test_what_detectors_see_in_a_url_refuses_unless_told_to_warn(site: Peer) -> None:
    url = site.url("/?mail=someone@example.org", "127.0.0.1")
    assert "email" in (capturer(site).refusal(url) or "")
    assert capturer(site, detectors="warn").refusal(url) is None


@pytest.mark.parametrize("url", ["", "http://[::1", "a\ud800", "ftp://x/", "http://127.0.0.1:1/", "//x"])
def test_what_is_no_url_that_may_be_asked_is_rejected(site: Peer, url: str) -> None:
    made = capturer(site)
    found = made.capture(WebCaptureRequest(url=url))
    assert found.capture.state == "rejected"
    assert found.capture.reason
    assert made.outgoing(url) == []


def test_an_excluded_term_in_a_type_that_is_no_text_is_not_repeated(site: Peer) -> None:
    answer = page(b"ab", 200, "Content-Type: application/x-Canary")
    found = captured(site, answer, exclusions=["canary"])
    assert (found.capture.state, found.capture.retention) == ("captured", "metadata_only")
    assert (found.capture.content_type, found.capture.reason) == (NOT_SHOWN, EXCLUDED)


def test_a_host_that_asked_for_a_longer_pause_is_left_alone(site: Peer) -> None:
    site.answer("/page", page(b"busy", 503, "Retry-After: 60"))
    site.requests.clear()
    made = capturer(site, patience=5)
    url = site.url("/page", "127.0.0.1")
    assert made.capture(WebCaptureRequest(url=url)).capture.reason == "status 503"
    again = made.capture(WebCaptureRequest(url=url)).capture
    assert (again.state, len(site.requests)) == ("failed", 1)
    assert "left alone for 60 more seconds" in again.reason


def test_a_clause_is_cited_with_its_place() -> None:
    one = WebClauseCandidate(clause_no="第一条", excerpt="x", start=3, end=4)
    assert cited(one) == "第一条，第 3–4 字"
    assert cited(WebClauseCandidate(excerpt="x", start=3, end=4)) == "第 3–4 字"
