"""What a run of many pages costs, and that its share of time holds the reading of a PDF too."""

import itertools
import tracemalloc
from collections.abc import Iterator

import pytest

from providers.web.assembly import search_service
from providers.web.capturing import Captured, Capturer
from providers.web.connector import WebSearch, reading_seconds
from providers.web.exclusions import Exclusions
from providers.web.search.official import OfficialDomains
from providers.web.settings import Settings
from schemas.web import WebCaptureRequest
from tests.providers.web.asking import at_times, finding, healthy, plan, provider, settings
from tests.providers.web.search.faking import Fake, faking
from tests.providers.web.test_page_source import captured
from tests.world import Clock

SIZE = 2 << 20
PAGES = 8


class Heavy(Capturer):
    """A capturer whose pages are large and are no text."""

    def __init__(self) -> None:
        pass

    def refusal(self, url: str) -> str | None:  # noqa: ARG002 - every address may be asked for
        return None

    def capture(self, request: WebCaptureRequest) -> Captured:
        return captured(b"GIF8" + bytes(SIZE), url=request.url, content_type="image/gif")


@pytest.fixture
def fake() -> Iterator[Fake]:
    with faking() as made:
        yield healthy(made, finding({}))


def test_only_the_pages_at_work_are_held_in_memory(fake: Fake) -> None:
    clock, chosen = Clock(), Settings(url=fake.url, at_once=2)
    service, official = search_service(chosen, clock, {}), OfficialDomains.standard()
    made = WebSearch(service, Heavy(), clock, chosen, Exclusions(), official)
    asked = plan(made, refs=tuple(f"https://page.example/{number}" for number in range(PAGES)))
    tracemalloc.start()
    try:
        receipt = made.execute(asked)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(receipt.sources) == PAGES
    assert most < 5 * SIZE  # two at work; all together are eight


@pytest.mark.parametrize(("seconds", "reading"), [(300.0, 30.0), (120.0, 30.0), (40.0, 10.0), (2.0, 0.5)])
def test_a_pdf_is_read_for_a_quarter_of_the_run_at_most(fake: Fake, seconds: float, reading: float) -> None:
    assert reading_seconds(seconds) == reading
    made = provider(settings(fake), seconds=seconds)
    assert made._capturer._limits.for_pdf.seconds == reading


@pytest.mark.parametrize(("passed", "begun"), [(64.0, True), (66.0, False)])
def test_no_page_is_begun_whose_reading_could_end_too_late(fake: Fake, passed: float, begun: bool) -> None:
    made = provider(settings(fake), seconds=100.0)  # 95, less 5 for the page and 25 for its reading: 65
    asked = plan(made, refs=("http://127.0.0.1:1/",))
    times = itertools.chain([0.0], itertools.repeat(passed))
    [told] = at_times(made, lambda: next(times)).execute(asked).limitations
    assert ("not begun" not in told) is begun
