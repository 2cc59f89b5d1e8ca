"""Instants and dates (lifecycle.md H4), and their order (H8)."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.dates import instant, publication_complaint, split_instant
from schemas.errors import InvalidError
from schemas.record import Record, field
from schemas.rules import Instant, PublicationDate
from tests.strategies import moments, publication_dates

GOOD = [
    "2026-01-02T03:04:05Z", "2026-01-02t03:04:05z", "2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05-00:00",
    "2026-01-02T03:04:05.1Z", "2026-01-02T03:04:05.123456789012+23:59", "2024-02-29T00:00:00Z",
    "2000-02-29T23:59:59-12:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+08:00",
    "9999-12-31T23:59:59-08:00",
]  # fmt: skip
LEAP_SECONDS = [
    "2016-12-31T23:59:60Z",
    "2016-12-31T23:59:60.9Z",
    "2017-01-01T07:59:60+08:00",
    "2016-12-31T12:29:60-11:30",
]
BAD = [
    "2026-01-02T03:04:05", "2026-01-02 03:04:05Z", "2026-01-02T03:04Z", "2026-01-02", "2026-1-2T03:04:05Z",
    "2026-01-02T24:00:00Z", "2026-01-02T23:60:00Z", "2026-01-02T23:59:61Z", "2026-01-02T03:04:05.Z",
    "2026-01-02T03:04:05,5Z", "2026-01-02T03:04:05+0800", "2026-01-02T03:04:05+08",
    "2026-01-02T03:04:05+24:00",
    "2026-01-02T03:04:05+08:60", "2026-01-02T03:04:05 Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
    "2026-04-31T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
    "0000-01-01T00:00:00Z", "２０２６-01-02T03:04:05Z", "2026-01-02T03:04:0٥Z", "+2026-01-02T03:04:05Z",
    "2026-W01-1T00:00:00Z", "now", "1767322800", "2026-01-02T03:04:05ZZ",
    "2016-12-31T23:58:60Z", "2016-12-31T12:59:60Z", "2016-12-31T23:59:60+08:00",
]  # fmt: skip


class Dated(Record):
    """An instant and a publication date."""

    at: str = field(Instant())
    published: str | None = field(PublicationDate(), default=None, nullable=True)


AT = GOOD[0]


@pytest.mark.parametrize("text", GOOD + LEAP_SECONDS)
def test_h4_an_instant_with_an_offset_is_kept_as_written(text: str) -> None:
    assert Dated.read({"at": f" {text} ", "published": text}).to_wire() == {"at": text, "published": text}


@pytest.mark.parametrize("text", BAD)
def test_h4_what_is_no_instant_is_refused(text: str) -> None:
    with pytest.raises(
        InvalidError, match=r"dated\.at must be an RFC 3339 instant with an offset, found"
    ) as caught:
        Dated.read({"at": text})
    assert caught.value.subject == "dated.at"


@pytest.mark.parametrize("text", [2026, None, True, ["2026-01-02T03:04:05Z"]])
def test_h4_an_instant_is_text(text: object) -> None:
    with pytest.raises(InvalidError, match="must be text"):
        Dated.read({"at": text})


@pytest.mark.parametrize(
    "text", ["2026", "0001", "9999", "2026-12", "2026-01-31", "2024-02-29", "2000-02-29"]
)
def test_h4_a_publication_date_may_be_a_year_a_month_or_a_day(text: str) -> None:
    assert Dated.read({"at": AT, "published": text}).published == text


@pytest.mark.parametrize(
    "text", ["0000", "2026-00", "2026-13", "2026-04-31", "2026-02-29", "1900-02-29", "2026-01-00"]
)
def test_h4_a_publication_date_is_a_real_one(text: str) -> None:
    with pytest.raises(InvalidError, match=rf"dated\.published is no real calendar date: '{text}'"):
        Dated.read({"at": AT, "published": text})


@pytest.mark.parametrize(
    "text", ["26", "2026-1", "2026/01", "2026-01-1", "20260101", "2026年", "2026-", "c. 2026", *BAD[:2]]
)
def test_h4_another_form_is_no_publication_date(text: str) -> None:
    with pytest.raises(InvalidError, match="must be YYYY, YYYY-MM, YYYY-MM-DD or an RFC 3339 instant"):
        Dated.read({"at": AT, "published": text})


def test_an_absent_publication_date_is_null() -> None:
    assert Dated.read({"at": AT}) == Dated.read({"at": AT, "published": None})


def test_an_instant_is_at_most_64_units_long() -> None:
    Dated.read({"at": "2026-01-02T03:04:05." + "0" * 43 + "Z"})
    with pytest.raises(InvalidError, match="is 65 UTF-16 code units long; at most 64"):
        Dated.read({"at": "2026-01-02T03:04:05." + "0" * 44 + "Z"})


@given(moments())
def test_every_moment_of_the_strategies_is_an_instant(text: str) -> None:
    assert split_instant(text) is not None


@given(publication_dates())
def test_every_date_of_the_strategies_is_a_publication_date(text: str) -> None:
    assert publication_complaint(text) is None


AWARE = st.datetimes(
    datetime(2, 1, 1),  # noqa: DTZ001 - Hypothesis adds the zone
    datetime(9998, 1, 1),  # noqa: DTZ001
    timezones=st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes))),
)


@given(AWARE, AWARE)
def test_instants_compare_as_their_moments_do(first: datetime, second: datetime) -> None:
    apart = [split_instant(one.isoformat()) for one in (first, second)]
    assert None not in apart
    assert (apart[0] < apart[1]) is (first < second)  # type: ignore[operator]
    assert (apart[0] == apart[1]) is (first == second)


@given(AWARE)
def test_a_moment_is_written_in_utc_with_microseconds(moment: datetime) -> None:
    text = instant(moment)
    assert text.endswith("Z")
    assert len(text) == 27
    assert datetime.fromisoformat(text) == moment.astimezone(UTC)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000001Z"), ("2026-01-01T00:00:00.09Z",
     "2026-01-01T00:00:00.1Z"),
     ("2026-01-01T00:00:00+08:00", "2026-01-01T00:00:00Z"), ("2016-12-31T23:59:59.9Z",
      "2016-12-31T23:59:60Z")],
)  # fmt: skip
def test_order_is_that_of_time_not_of_text(earlier: str, later: str) -> None:
    first, second = split_instant(earlier), split_instant(later)
    assert first is not None
    assert second is not None
    assert first < second
