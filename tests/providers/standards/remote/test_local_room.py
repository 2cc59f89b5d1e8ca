"""How many sources one plan can have: never more than a receipt holds."""

from collections.abc import Sequence

import pytest

from providers.standards import matching
from providers.standards.library import Library, StandardRecord
from providers.standards.provider import LocalStandards
from providers.standards.ranking import LIMIT, Candidate
from schemas.errors import InvalidError
from schemas.receipt import MOST_SOURCES
from schemas.request import Request
from tests.providers.standards.remote.test_remote_service import plan
from tests.world import Clock

TERMS = [f"GB {number}" for number in range(1001, 1009)]


def record(term: str, edition: int) -> StandardRecord:
    return StandardRecord(f"{term}-{2000 + edition}", "", f"标准{term}", "现行", "", "")


def test_a_plan_with_as_many_terms_as_it_may_have_fits_a_receipt() -> None:
    held = Library("made", tuple(record(term, edition) for term in TERMS for edition in range(4)))
    receipt = LocalStandards(lambda: held, Clock()).execute(plan(*TERMS))
    assert len(receipt.sources) == LIMIT * len(TERMS) == 24 <= MOST_SOURCES
    with pytest.raises(InvalidError, match="search_terms"):
        Request(
            objective="a",
            user_activity="b",
            decision="c",
            evidence_kinds=("d",),
            search_terms=(*TERMS, "GB 1"),
        )


def test_more_than_a_receipt_holds_is_refused_with_the_way_to_split(monkeypatch: pytest.MonkeyPatch) -> None:
    def many(_library: Library, query: str) -> Sequence[Candidate]:
        return [Candidate(record(query, edition), 9_000, 9_000, 0) for edition in range(9)]

    monkeypatch.setattr(matching, "search", many)
    held = Library("made", (record("GB 1", 0),))
    with pytest.raises(InvalidError, match="72 candidate standards do not fit one receipt of 64") as raised:
        LocalStandards(lambda: held, Clock()).execute(plan(*TERMS))
    assert "at most 21 search terms" in (raised.value.hint or "")
