"""Admission and retirement (lifecycle.md section 7)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.lifecycle.admit import admit, verify_admission
from evidence.lifecycle.plan import plan
from evidence.lifecycle.retire import retire
from evidence.lifecycle.wire import call
from schemas.admission import Admission, Decision
from schemas.canonical import ALGORITHMS, Algorithm, digest
from schemas.errors import InvalidError, MismatchError
from tests.strategies import PADDING, Life, lives
from tests.world import REFS, honest, other, request, row, source


def admitted(*refs: str, algorithm: Algorithm = "blake3") -> Admission:
    made = plan(request(), [row()], None, algorithm)
    return admit(made, honest(made), Decision(disposition="admit", reason="fits", admitted_source_refs=refs))


def rehashed(admission: Admission, algorithm: Algorithm = "blake3", **changes: Any) -> Admission:
    """`admission` with `changes` and an id that is right for them."""
    changed = admission.replace(**changes).to_wire()
    del changed["admission_id"]
    return Admission.read({**changed, "admission_id": digest(changed, algorithm)})


@pytest.mark.req("admitted-subset")
@given(lives("succeeded"))
def test_an_admission_projects_exactly_the_admitted_sources_in_receipt_order(life: Life) -> None:
    projected = life.admission.downstream_projection
    refs = [one.source_ref for one in life.receipt.sources]
    chosen = set(life.decision.admitted_source_refs)
    assert [one.source_ref for one in projected.sources] == [ref for ref in refs if ref in chosen]
    assert set(projected.sources) <= set(life.receipt.sources)
    assert life.admission.admitted_source_refs == life.decision.admitted_source_refs
    assert (projected.objective, projected.decision) == (
        life.plan.request.objective,
        life.plan.request.decision,
    )
    verify_admission(life.admission)


@pytest.mark.req("admitted-subset")
@pytest.mark.parametrize(
    "ref", [f"{REFS[1]}/", REFS[1].upper(), "urn:x:unknown", REFS[0].lower(), f"{REFS[1]}#x"]
)
def test_a_source_that_the_receipt_does_not_hold_cannot_be_admitted(ref: str) -> None:
    made = plan(request(), [row()])
    ref = ref.replace("HTTPS", "https")
    decision = Decision(disposition="admit", reason="r", admitted_source_refs=(REFS[0], ref))
    with pytest.raises(MismatchError, match="is no source of the receipt") as caught:
        admit(made, honest(made), decision)
    assert caught.value.subject == "decision.admitted_source_refs[1]"


@pytest.mark.parametrize(
    ("disposition", "refs", "found"),
    [("admit", (), REFS), ("reject", REFS[:1], REFS), ("admit", (), ())],
    ids=["admit nothing", "reject something", "admit of nothing"],
)
def test_disposition_and_refs_must_fit(
    disposition: str, refs: tuple[str, ...], found: tuple[str, ...]
) -> None:
    made = plan(request(), [row()])
    decision = Decision(disposition=disposition, reason="r", admitted_source_refs=refs)
    with pytest.raises(InvalidError) as caught:
        admit(made, honest(made, refs=found), decision)
    assert caught.value.subject == "admission.disposition"


@pytest.mark.parametrize("status", ["succeeded", "failed", "no_evidence"])
def test_every_receipt_may_be_rejected(status: str) -> None:
    made = plan(request(), [row()])
    answer = honest(made, refs=REFS if status == "succeeded" else (), status=status)
    admission = admit(made, answer, Decision(disposition="reject", reason="off the point"))
    assert admission.downstream_projection.sources == ()
    assert retire(admission).reason == "parent_rejected"
    assert retire(admission).retire_ready


@pytest.mark.req("coverage-before-retirement")
@given(lives("succeeded"), st.data())
def test_retirement_waits_for_every_admitted_source(life: Life, data: st.DataObject) -> None:
    refs = life.admission.admitted_source_refs
    covered = data.draw(st.lists(st.sampled_from([*refs, "urn:x:else"]), unique=True))
    verdict = retire(life.admission, covered)
    missing = tuple(ref for ref in refs if ref not in covered)
    assert verdict.missing_downstream_source_refs == missing
    assert verdict.retire_ready is (not missing) is (verdict.status == "retire_ready")
    reason = "admitted_sources_not_yet_projected" if missing else "all_admitted_sources_projected"
    assert verdict.reason == (reason if refs else "parent_rejected")


@pytest.mark.req("coverage-before-retirement")
def test_covered_means_the_same_text_after_trim() -> None:
    admission = {"admission": admitted(*REFS[1:]).to_wire()}
    near = [f"{REFS[1]}/", REFS[1].swapcase(), REFS[2]]
    assert call("retire", {**admission, "downstream_source_refs": near})[
        "missing_downstream_source_refs"
    ] == [REFS[1]]
    padded = [f"{PADDING}{ref}\n" for ref in REFS[1:]]
    assert call("retire", {**admission, "downstream_source_refs": padded})["retire_ready"] is True
    assert call("retire", admission)["status"] == "retained"
    with pytest.raises(InvalidError, match="downstream_source_refs must be an array, found null"):
        call("retire", {**admission, "downstream_source_refs": None})


@pytest.mark.req("admission-tamper")
@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"plan_id": digest("x")}, "downstream_projection.plan_id"),
        ({"request_id": digest("x")}, "downstream_projection.request_id"),
        ({"disposition": "reject", "admitted_source_refs": ()}, "downstream_projection.disposition"),
        ({"admitted_source_refs": REFS[:1]}, "downstream_projection.sources"),
        ({"admitted_source_refs": (*REFS, "urn:x:more")}, "downstream_projection.sources"),
        ({"receipt_digest": digest("x", "sha256")}, "receipt_digest"),
    ],
)
def test_an_admission_that_contradicts_itself_is_refused_although_its_id_is_right(
    change: dict[str, Any], field: str
) -> None:
    with pytest.raises(MismatchError) as caught:
        retire(rehashed(admitted(*REFS), **change), REFS)
    assert caught.value.subject == f"admission.{field}"


@pytest.mark.req("admission-tamper")
def test_an_admission_for_peers_that_read_sha256_holds_no_other_digest() -> None:
    admission = admitted(REFS[0], algorithm="sha256")
    mixed = admission.downstream_projection.replace(sources=(source(REFS[0], "blake3"),))
    with pytest.raises(MismatchError, match=r"downstream_projection\.sources\[0\]\.content_digest"):
        retire(rehashed(admission, "sha256", downstream_projection=mixed))


@pytest.mark.req("admission-tamper")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_admission_uses_one_algorithm(algorithm: Algorithm) -> None:
    admission = admitted(REFS[0], algorithm=algorithm)
    with pytest.raises(MismatchError, match="as the admission_id is"):
        retire(rehashed(admission, other(algorithm)))


@pytest.mark.req("admission-tamper")
@pytest.mark.parametrize(
    "change",
    [
        {"reason": "other"},
        {"provider_id": "method:x"},
        {"receipt_digest": digest("x")},
        {"admitted_source_refs": REFS[::-1]},
    ],
    ids=lambda value: next(iter(value)),
)
def test_an_admission_whose_id_is_another_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(MismatchError, match="the admission's own digest is") as caught:
        retire(admitted(*REFS).replace(**change), REFS)
    assert caught.value.subject == "admission.admission_id"


def test_an_admission_without_its_id_is_refused() -> None:
    with pytest.raises(MismatchError, match=r"admission\.admission_id is required and absent"):
        verify_admission(admitted(*REFS).replace(admission_id=None))
