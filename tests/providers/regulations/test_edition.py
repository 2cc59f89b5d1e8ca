from datetime import UTC, datetime

import pytest

from providers.regulations import status
from providers.regulations.edition import Edition
from schemas.errors import InvalidError
from tests.providers.regulations.law import edition

OLD = edition("2001-01-01", effective_from="2001-05-01", effective_to="2031-06-01", claimed_status="已修改")
NEW = edition("2031-03-04", effective_from="2031-06-01")
NEXT = edition("2040-01-01", effective_from="2041-01-01")
BOTH = (OLD, NEW)


@pytest.mark.parametrize(
    ("one", "as_of", "expected"),
    [
        (OLD, "2001-04-30", "尚未生效"), (OLD, "2001-05-01", "现行有效"), (OLD, "2031-05-31", "现行有效"),
        (OLD, "2031-06-01", "已修改"), (NEW, "2031-05-31", "尚未生效"), (NEW, "2031-06-01", "现行有效"),
    ],
)  # fmt: skip
def test_the_status_on_a_day_follows_from_the_dates(one: Edition, as_of: str, expected: str) -> None:
    assert status.legal_status(one, BOTH, as_of) == expected


@pytest.mark.parametrize(
    ("claimed", "others", "expected"),
    [
        ("失效", BOTH, "失效"), ("已废止", BOTH, "已废止"), ("", BOTH, "已修改"),
        ("", (), "已废止"), ("已修改", (), "已修改"), ("现行有效", BOTH, "已修改"),
    ],
)  # fmt: skip
def test_how_an_edition_ended_is_the_sources_word_or_its_successor(
    claimed: str, others: tuple[Edition, ...], expected: str
) -> None:
    ended = edition(
        "2001-01-01", effective_from="2001-05-01", effective_to="2031-06-01", claimed_status=claimed
    )
    assert status.legal_status(ended, others, "2035-01-01") == expected


def test_an_edition_without_dates_has_no_known_status() -> None:
    unknown = edition("1999", effective_from=None)
    assert status.legal_status(unknown, (), "2035-01-01") == "效力未知"
    assert status.in_force(unknown, "2035-01-01") is None


def test_in_force_is_half_open_and_a_clause_may_commence_on_its_own_day() -> None:
    assert status.in_force(OLD, "2031-06-01") is False
    assert status.in_force(OLD, "2031-05-31") is True
    split = edition(commencements=(("art4", "2032-01-01"), ("art4/p2", "2033-01-01")))
    assert status.in_force(split, "2031-12-31", "art4/p1") is False
    assert status.in_force(split, "2032-01-01", "art4/p1/i1") is True
    assert status.in_force(split, "2032-01-01", "art4/p2") is False
    assert status.in_force(split, "2031-06-01", "art1/p1") is True
    assert status.legal_status(split, (), "2031-07-01", "art4") == "尚未生效"


def test_a_promulgated_future_edition_is_told() -> None:
    assert status.future(NEW, (NEXT, *BOTH), "2040-06-01") == [NEXT]


def test_intervals_may_have_gaps_but_not_overlap() -> None:
    assert status.overlaps((OLD, NEW, NEXT)) == [(NEW.edition_id, NEXT.edition_id)]
    other = edition(regulation_id="tower-rules")
    assert status.overlaps((OLD, NEW, other, edition("1999", effective_from=None))) == []
    early = edition("1990-01-01", effective_from="1990-01-01", effective_to="1995-01-01")
    assert status.gaps((OLD, early, other)) == [(early.edition_id, OLD.edition_id)]


def test_today_is_a_day_in_shanghai() -> None:
    assert status.today(datetime(2031, 5, 31, 16, 0, tzinfo=UTC)) == "2031-06-01"


@pytest.mark.parametrize(
    "values",
    [
        {"regulation_id": "Lamp"}, {"regulation_id": "a--b"}, {"regulation_id": "a" * 121},
        {"key": "2031-3-4x"},
        {"key": "31"}, {"disclosure": "open"}, {"title": " "}, {"effective_from": "2031-02-30"},
        {"effective_to": "20310601"}, {"note": "a\x00b"}, {"accept": ("\u202e",)},
        {"commencements": (("art1", "soon"),)},
    ],
)  # fmt: skip
def test_an_edition_cannot_say_nonsense(values: dict[str, object]) -> None:
    with pytest.raises(InvalidError):
        edition(**values)  # type: ignore[arg-type]


def test_an_edition_comes_back_from_its_manifest() -> None:
    whole = edition(
        accept=("art3~2",), uncertain=("effective_to 2040?",), relations=(("replaces", "old-rules@1990"),),
        commencements=(("art4", "2032-01-01"),), withheld_reason="",
    )  # fmt: skip
    assert Edition.from_wire(whole.to_wire()) == whole
    assert whole.to_wire()["doc_no_key"] == "灯塔委员会令7号"
    assert "doc_no_key" not in edition(doc_no="").to_wire()
