"""What counts as covered, and what a readback refuses (lifecycle.md section 9)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.lifecycle.readback import held_of, readback
from schemas.admission import Admission, Decision
from schemas.canonical import digest
from schemas.errors import MismatchError
from schemas.readback import Held, Readback, WriteBlocker
from tests.sinks.builders import LATER, NOW, REFS, Life, life, source
from tests.sinks.strategies import decisions, lives

OTHER = digest("other")


def decision_of(admission: Admission) -> Decision:
    return Decision(
        disposition=admission.disposition,
        reason=admission.reason,
        admitted_source_refs=admission.admitted_source_refs,
    )


def held_by(admission: Admission) -> list[Held]:
    return [held_of(admission, one, NOW) for one in admission.downstream_projection.sources]


def read(a_life: Life, admission: Admission, held: list[Held]) -> Readback:
    return readback(a_life.plan, a_life.receipt, decision_of(admission), held)


@pytest.mark.req("coverage-before-retirement")
@given(st.data())
def test_every_admission_whose_rows_are_held_is_covered_and_may_retire(data: st.DataObject) -> None:
    a_life = data.draw(lives())
    decision = data.draw(decisions(a_life.receipt))
    bare = readback(a_life.plan, a_life.receipt, decision, [])
    assert bare.retirement is not None
    assert bare.retirement.retire_ready is (decision.disposition == "reject")
    admission = (
        a_life.admit(*decision.admitted_source_refs) if decision.admitted_source_refs else a_life.reject()
    )
    decision = decision_of(admission)
    rows = data.draw(st.permutations(held_by(admission)))
    result = readback(a_life.plan, a_life.receipt, decision, rows, stated=admission)
    assert result.retirement is not None
    assert result.retirement.retire_ready
    assert set(result.downstream_source_refs) == set(decision.admitted_source_refs)
    order = [one.source_ref for one in a_life.receipt.sources]
    assert list(result.downstream_source_refs) == sorted(result.downstream_source_refs, key=order.index)
    assert Readback.read(result.to_wire()) == result


@pytest.mark.req("coverage-before-retirement")
@pytest.mark.parametrize(
    "change",
    [
        {"plan_id": OTHER},
        {"admission_id": OTHER},
        {"receipt_digest": OTHER},
        {"content_digest": OTHER},
        {"withdrawn": "parent_rejected"},
        {"finding": "another finding"},
        {"limitation": "another limitation"},
        {"basis": "inferred"},
        {"content_digest_of_source": OTHER},
        {"source_ref": f"{REFS[1]}/"},
        {"source_ref": REFS[1].upper().replace("HTTPS", "https")},
        {"source_ref": REFS[1].replace("a", "%61")},
    ],
    ids=str,
)
def test_one_difference_in_ref_lineage_or_finding_is_no_coverage(change: dict[str, str]) -> None:
    a_life = life()
    admission = a_life.admit(*REFS)
    rows = held_by(admission)
    row = next(row for row in rows if row.source.source_ref == REFS[1])
    renamed = {name.removesuffix("_of_source"): value for name, value in change.items()}
    outer = set(change) & {"plan_id", "admission_id", "receipt_digest", "content_digest", "withdrawn"}
    changed = row.replace(**renamed) if outer else row.replace(source=row.source.replace(**renamed))
    result = read(a_life, admission, [changed if one is row else one for one in rows])
    assert result.downstream_source_refs == (REFS[0], REFS[2])
    assert result.retirement is not None
    assert result.retirement.missing_downstream_source_refs == (REFS[1],)


def test_refs_that_differ_only_by_slash_case_or_encoding_are_covered_apart() -> None:
    near = ["https://e.x/a", "https://e.x/a/", "https://e.x/A", "https://e.x/%61", "urn:X:a", "urn:x:a"]
    a_life = life([source(ref) for ref in near])
    admission = a_life.admit(*near)
    for row in held_by(admission):
        assert read(a_life, admission, [row]).downstream_source_refs == (row.source.source_ref,)


def test_when_a_row_was_recorded_does_not_matter() -> None:
    a_life = life()
    admission = a_life.admit(REFS[0])
    rows = [
        held_of(admission, a_life.receipt.sources[0], LATER),
        held_of(admission, a_life.receipt.sources[0]),
    ]
    assert all(read(a_life, admission, [row]).downstream_source_refs == (REFS[0],) for row in rows)


def test_rows_of_another_admission_of_the_same_ref_do_not_cover() -> None:
    a_life = life()
    first, second = a_life.admit(REFS[0]), a_life.admit(REFS[0], reason="other words")
    assert read(a_life, first, held_by(second)).downstream_source_refs == ()
    assert read(a_life, first, [*held_by(second), *held_by(first)]).downstream_source_refs == (REFS[0],)


def test_without_a_decision_nothing_is_covered_and_nothing_retires() -> None:
    a_life = life()
    rows = held_by(a_life.admit(*REFS))
    blocker = WriteBlocker(source_ref=REFS[0], code="conflict", reason="r")
    result = readback(a_life.plan, a_life.receipt, None, rows, [blocker])
    assert result.parent_admission is None
    assert result.retirement is None
    assert result.downstream_source_refs == ()
    assert result.write_blockers == (blocker,)


@pytest.mark.req("admission-tamper")
@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("reason", {"reason": "other"}),
        ("admission_id", {"admission_id": OTHER}),
        ("receipt_digest", {"receipt_digest": OTHER}),
        ("completed_at", {"completed_at": LATER}),
        ("admitted_source_refs", {"admitted_source_refs": REFS[:2]}),
    ],
    ids=str,
)
def test_a_stated_admission_that_differs_is_refused_by_field(field: str, change: dict[str, object]) -> None:
    a_life = life()
    admission = a_life.admit(*REFS)
    with pytest.raises(MismatchError) as caught:
        readback(a_life.plan, a_life.receipt, decision_of(admission), [], stated=admission.replace(**change))
    assert caught.value.subject == f"admission.{field}"


def test_a_stated_admission_alone_brings_its_own_decision() -> None:
    a_life = life()
    admission = a_life.admit(*REFS)
    result = readback(a_life.plan, a_life.receipt, None, held_by(admission), stated=admission)
    assert result == read(a_life, admission, held_by(admission))
    with pytest.raises(MismatchError, match=r"admission\.completed_at"):
        readback(a_life.plan, a_life.receipt, None, [], stated=admission.replace(completed_at=LATER))


@pytest.mark.req("receipt-binding")
def test_a_receipt_of_another_plan_is_refused_with_and_without_a_decision() -> None:
    a_life, other = life(), life(objective="another question")
    decision = decision_of(a_life.admit(REFS[0]))
    for given_decision in (None, decision):
        with pytest.raises(MismatchError, match=r"receipt\.plan_id"):
            readback(a_life.plan, other.receipt, given_decision, [])
