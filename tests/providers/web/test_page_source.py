"""A captured page as a source: what it says, and what it does not prove."""

from datetime import UTC, datetime
from typing import Any

import pytest

from providers.web.assembly import search_service
from providers.web.capture.fetched import Fetched
from providers.web.capturing import Captured, Capturer
from providers.web.connector import WebSearch
from providers.web.exclusions import Exclusions
from providers.web.extraction.page import extract
from providers.web.extraction.rights import Retention, retained
from providers.web.page_source import AS_SEEN, Wanted, page_source
from providers.web.search.official import OfficialDomains
from providers.web.settings import Settings
from schemas.canonical import digest_bytes
from schemas.dates import instant
from schemas.errors import InvalidError
from schemas.web import WebCapture, WebCaptureRequest
from tests.providers.web.asking import finding, healthy, plan
from tests.providers.web.search.faking import faking
from tests.world import Clock

URL = "https://page.example/a"
NOW = instant(datetime(2026, 3, 4, tzinfo=UTC))
BODY = (
    "<html><head><title>边坡办法</title><meta name='ContentSource' content='某局'></head>"
    "<p>发布日期：2024-01-02</p><p>第一条 边坡。</p><p>第二条 乙。</p><p>第三条 丙。</p>"
).encode()


def captured(body: bytes = BODY, retention: Retention = "excerpt", **how: Any) -> Captured:
    facts: dict[str, Any] = {
        "byte_size": len(body),
        "sha256": "0" * 64,
        "content_type": how.pop("content_type", "text/html; charset=utf-8"),
        "final_url": how.pop("url", URL),
        "fetched_at": NOW,
    }
    page = extract(body, facts["content_type"])
    given: dict[str, Any] = {"requested_url": URL, "body": body, "framing": "length", **facts, **how}
    text, candidates = retained(page, retention)
    capture = WebCapture(state="captured", retention=retention, text=text, candidates=candidates, **facts)
    return Captured(capture, Fetched(state="captured", **given), page)


def wanted(queries: tuple[str, ...] = ("边坡",)) -> Wanted:
    return Wanted(WebCaptureRequest(url=URL), list(queries), ["检索“边坡”第 1 位", "检索“边坡”第 1 位"])


def test_a_source_has_its_title_publisher_dates_passages_and_limits() -> None:
    source = page_source(wanted(), captured(), True, "sha256")
    assert source.source_family == "official_web_page"
    assert source.finding.startswith("网页《边坡办法》，页面所载来源：某局。 text/html; charset=utf-8，")
    assert source.finding.count("检索“边坡”第 1 位") == 1
    assert "：“第一条 边坡。”。" in source.finding
    assert (source.publication_date, source.content_digest) == ("2024-01-02", digest_bytes(BODY, "sha256"))
    assert source.limitation is not None
    assert source.limitation.startswith(AS_SEEN)
    assert "official: yes; retention: excerpt; robots.txt: not asked; pinned: yes." in source.limitation
    assert "publication date stated by the page (text:发布日期)." in source.limitation


def test_only_metadata_of_a_page_that_may_not_be_quoted() -> None:
    source = page_source(wanted(), captured(retention="metadata_only"), False, "blake3")
    assert "《边坡办法》" in source.finding
    assert "摘录" not in source.finding


def test_what_makes_a_capture_weaker_is_told() -> None:
    found = captured(pinned=False, framing="close", robots="allowed", content_type="")
    source = page_source(wanted(queries=()), found, False, "blake3")
    assert "pinned: no, through a proxy" in (source.limitation or "")
    assert "known only by the end of the connection" in (source.limitation or "")
    assert "：“" not in source.finding.replace("检索“", "")


def test_a_page_without_title_and_type_says_so() -> None:
    source = page_source(wanted(), captured("第一条 边坡。".encode(), content_type=""), False, "blake3")
    assert source.finding.startswith("网页《（无题）》。 未声明类型，")
    assert source.publication_date is None


def test_an_address_that_is_no_reference_is_refused() -> None:
    with pytest.raises(InvalidError):
        page_source(wanted(), captured(url="https://page.example/" + "x" * 3000), False, "blake3")


class Moved(Capturer):
    """A capturer whose pages all lie where a redirect led."""

    def __init__(self, end: str) -> None:
        self._end = end

    def refusal(self, url: str) -> str | None:  # noqa: ARG002 - every address may be asked for
        return None

    def capture(self, request: WebCaptureRequest) -> Captured:  # noqa: ARG002 - wherever it began
        return captured(url=self._end)


@pytest.mark.parametrize(
    ("asked", "end", "family"),
    [
        ("https://www.mohurd.gov.cn/out?to=x", "https://page.example/a", "web_page"),
        ("https://page.example/a", "https://www.mohurd.gov.cn/a", "official_web_page"),
    ],
)
def test_official_is_the_host_where_the_redirects_ended(asked: str, end: str, family: str) -> None:
    with faking() as fake:
        clock, settings = Clock(), Settings(url=healthy(fake, finding({})).url)
        service, official = search_service(settings, clock, {}), OfficialDomains.standard()
        made = WebSearch(service, Moved(end), clock, settings, Exclusions(), official)
        (source,) = made.execute(plan(made, refs=(asked,))).sources
    assert (source.source_ref, source.source_family) == (end, family)
