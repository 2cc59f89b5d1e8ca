"""Whatever JSON comes back, it is a state; and what is mapped keeps its rules."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.web.search.official import OfficialDomains
from providers.web.search.publication import publication_date
from providers.web.search.reading import is_absolute, read
from providers.web.search.retry_after import until_midnight, until_named
from providers.web.search.services import SERVICES
from schemas.dates import publication_complaint
from schemas.text import refused_character
from schemas.web import WebSearchRequest
from tests.providers.web.search.faking import Fake, faking, says
from tests.providers.web.search.formats import FORMATS, QUERY, service, well

STATES = {"ok", "empty", "unavailable", "rate_limited", "rejected", "error"}
NAMES = """
    account altered code content data datePublished description detail error hostname intent key keywords
    limit link media message meta_url msg name original originalQuery page_age profile publishedDate
    publish_date published_date query queryContext references results search_intent search_result
    siteName snippet title    type unresponsive_engines url usage value web webPages website
""".split()  # noqa: SIM905 - forty names in quotes are hard to read
TEXTS = st.text(max_size=8) | st.sampled_from(
    ["", "search", "https://www.gov.cn/a", "http://a.cn", "2024-01-02", "SEARCH_NONE", "1301", "429"]
)
NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
LEAVES = st.none() | st.booleans() | NUMBERS | TEXTS
KEYS = st.sampled_from(NAMES) | st.text(max_size=3)
ANY = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner), max_leaves=20
)
STATUSES = st.sampled_from([200, 200, 200, 200, 204, 302, 400, 401, 402, 403, 404, 422, 429, 432, 500, 503])
HITS = st.lists(st.dictionaries(st.sampled_from(NAMES), TEXTS | LEAVES, max_size=8) | LEAVES, max_size=6)
OFFICIAL = OfficialDomains.standard()


@pytest.fixture(scope="module")
def fake() -> Iterator[Fake]:
    with faking() as made:
        well(made)
        yield made


def state_of(fake: Fake, name: str, status: int, body: Any) -> str:
    fake.does[FORMATS[name].path] = says(status, body)
    result = service(name, fake.url).search(WebSearchRequest(query=QUERY)).result
    assert bool(result.results) == (result.state == "ok")
    assert result.reason or result.state in ("ok", "empty")
    orjson.dumps(result.to_wire())
    return result.state


@pytest.mark.parametrize("name", FORMATS)
@given(status=STATUSES, body=ANY)
def test_any_json_is_one_of_the_six_states(fake: Fake, name: str, status: int, body: Any) -> None:
    assert state_of(fake, name, status, body) in STATES


@pytest.mark.parametrize("name", FORMATS)
@given(change=st.dictionaries(st.sampled_from(NAMES), ANY, max_size=3), hits=HITS)
def test_any_change_of_a_good_answer_is_one_of_the_six_states(
    fake: Fake, name: str, change: dict[str, Any], hits: list[Any]
) -> None:
    assert state_of(fake, name, 200, {**FORMATS[name].body(*hits), **change}) in STATES


@pytest.mark.parametrize("name", FORMATS)
@given(hits=HITS)
def test_ranks_are_places_as_received_and_urls_absolute(name: str, hits: list[Any]) -> None:
    reading = read(SERVICES[name], FORMATS[name].body(*hits), OFFICIAL)
    assert reading is not None
    assert len(reading.hits) + reading.dropped == len(hits)
    assert len(reading.hits) == len(reading.dates)
    ranks = [hit.rank for hit in reading.hits]
    assert ranks == sorted(set(ranks))
    for hit, date in zip(reading.hits, reading.dates, strict=True):
        came = hits[hit.rank - 1]
        assert hit.url in {value.strip() for value in came.values() if isinstance(value, str)}
        assert urlsplit(hit.url).scheme in ("http", "https")
        assert urlsplit(hit.url).hostname
        assert not date or publication_complaint(date) is None
        assert not any(map(refused_character, (hit.title, hit.snippet, hit.publisher)))


@given(st.text(max_size=40) | st.from_regex(r"https?://[^/]{0,20}/?.{0,10}", fullmatch=True))
def test_official_and_absolute_never_raise(url: str) -> None:
    assert is_absolute(url) in (True, False)
    assert OFFICIAL.holds(url) in (True, False)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-03-10", "2024-03-10"), ("2024-3-1", "2024-03-01"), ("2024/03/10", "2024-03-10"),
        ("2024.03.10", "2024-03-10"), ("2024年3月10日", "2024-03-10"), ("2024年03月10日 08:00", "2024-03-10"),
        ("2024-03-10T23:59:59", "2024-03-10"), ("2024-03-10T00:00:00+08:00", "2024-03-10"),
        ("2024-03-10 08:00:00", "2024-03-10"), (" 2024-03-10\n", "2024-03-10"),
        ("Sun, 10 Mar 2024 08:00:00 GMT", "2024-03-10"), ("", ""), ("2024-02-30", ""), ("2024-13-01", ""),
        ("3天前", ""), ("yesterday", ""), ("March 10, 2024", ""), ("2024", ""), ("10/03/2024", ""),
        ("2024-03/10", ""), ("2024-03-10 或更早", ""), ("Sun, 31 Feb 2024 08:00:00 GMT", ""), ("a, b", ""),
        (f"Sun, {'9' * 30} Mar 2024 08:00:00 GMT", ""),
        ("１０２４-03-10", ""), ("1710057600", ""), ("20240310", ""),
    ],
)  # fmt: skip
def test_only_what_is_surely_a_date_is_one(text: str, date: str) -> None:
    assert publication_date(text) == date


@given(st.text(max_size=40))
def test_no_text_breaks_a_date_or_a_wait(text: str) -> None:
    date = publication_date(text)
    assert not date or publication_complaint(date) is None
    assert (until_named(text, 0.0) or 0) >= 0


def test_a_day_ends_in_beijing() -> None:
    assert until_midnight(57_600 - 1.5) == 2  # 1970-01-01T16:00Z is midnight there
    assert until_midnight(57_600) == 86_400
