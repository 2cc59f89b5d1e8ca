"""A receipt answers exactly one plan and attests nothing (lifecycle.md section 6)."""

from typing import Any

import pytest
from hypothesis import given

from evidence.lifecycle.plan import plan
from evidence.lifecycle.receipt import bind, observation_id, receipt
from schemas.canonical import digest
from schemas.errors import InvalidError, MismatchError
from schemas.receipt import Receipt, ReceiptTruth
from tests.strategies import Life, lives
from tests.world import REFS, honest, request, row, source


@pytest.mark.req("receipt-binding")
@given(lives())
def test_an_observation_binds_the_receipt_and_attests_nothing(life: Life) -> None:
    seen = receipt(life.plan, life.receipt)
    assert (seen.plan_id, seen.request_id) == (life.plan.plan_id, life.plan.request.request_id)
    assert (seen.receipt, seen.status) == (life.receipt, life.receipt.status)
    assert seen.truth_contract.to_wire() == {
        "provider_receipt_observed": True,
        "provider_execution_attested": False,
        "evidence_produced_reported": life.receipt.status == "succeeded",
        "evidence_coverage_observed": False,
        "automatic_admission": False,
        "automatic_promotion": False,
        "raw_source_fallback_allowed": True,
    }
    receipt_digest = life.receipt.digest(bind(life.plan, life.receipt))
    lineage = {name: getattr(seen, name) for name in ("plan_id", "request_id", "provider_id")}
    algorithm = bind(life.plan, life.receipt)
    assert seen.receipt_observation_id == digest({**lineage, "receipt_digest": receipt_digest}, algorithm)
    assert seen.receipt_observation_id == observation_id(life.receipt, receipt_digest)


@pytest.mark.req("one-protocol")
@pytest.mark.parametrize("kind", ["method", "connector"])
def test_method_and_connector_take_the_same_plan_and_give_the_same_kind_of_receipt(kind: str) -> None:
    made = plan(request(), [row(f"{kind}:world", kind=kind)])
    seen = receipt(made, honest(made))
    assert seen.provider_kind == kind
    rebuilt = plan(request(), [row("method:world")])
    method = receipt(rebuilt, honest(rebuilt))
    assert seen.to_wire().keys() == method.to_wire().keys()
    assert seen.receipt.to_wire().keys() == method.receipt.to_wire().keys()
    assert made.to_wire().keys() == rebuilt.to_wire().keys()


@pytest.mark.req("receipt-binding", "receipt-refusals")
@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"plan_id": digest("other plan")}, "receipt.plan_id"),
        ({"request_id": digest("stale request")}, "receipt.request_id"),
        ({"provider_id": "method:stale"}, "receipt.provider_id"),
        ({"provider_kind": "connector"}, "receipt.provider_kind"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_receipt_with_a_stale_identity_is_refused_by_field(change: dict[str, Any], field: str) -> None:
    made = plan(request(), [row()])
    with pytest.raises(MismatchError) as caught:
        receipt(made, honest(made, **change))
    assert caught.value.subject == field


@pytest.mark.req("receipt-binding")
@given(lives())
def test_a_receipt_answers_no_other_plan(life: Life) -> None:
    others = plan(life.plan.request.replace(constraints=("another occasion",)), life.plan.provider_candidates)
    with pytest.raises(MismatchError, match=r"receipt\.plan_id|receipt\.provider"):
        receipt(others, life.receipt)


@pytest.mark.req("receipt-refusals")
@pytest.mark.parametrize(
    "ref", ["file:///etc/passwd", "/home/a.pdf", "urn:file:a", "git+file://x/y", "C:\\a.pdf"]
)
def test_a_source_that_is_a_file_is_refused(ref: str) -> None:
    with pytest.raises(InvalidError) as caught:
        source("urn:x:y").replace(source_ref=ref)
    assert caught.value.subject == "source.source_ref"


@pytest.mark.req("receipt-refusals")
@pytest.mark.parametrize("basis", ["rumoured", "Stated", "stated ", "", None])
def test_an_unknown_basis_is_refused(basis: object) -> None:
    made = plan(request(), [row()])
    wire = honest(made).to_wire()
    wire["sources"] = [{**source(REFS[0]).to_wire(), "basis": basis}]
    with pytest.raises(InvalidError, match=r"receipt\.sources\[0\]\.basis must be stated or"):
        Receipt.read(wire)


def test_a_plan_for_peers_that_read_sha256_holds_no_other_digest() -> None:
    made = plan(request(), [row()], None, "sha256")
    mixed = [source(REFS[0], "sha256"), source(REFS[1], "blake3")]
    with pytest.raises(MismatchError, match=r"is a blake3 digest; the plan uses sha256") as caught:
        receipt(made, honest(made, sources=mixed))
    assert caught.value.subject == "receipt.sources[1].content_digest"


def test_content_may_bear_the_sha256_that_it_is_known_by_outside() -> None:
    made = plan(request(), [row()], None, "blake3")
    answer = honest(made, sources=[source(REFS[0], "sha256"), source(REFS[1], "blake3")])
    seen = receipt(made, answer)
    assert seen.receipt == answer
    assert seen.receipt_observation_id.startswith("blake3:")


@pytest.mark.parametrize(
    "claim", ["provider_execution_attested", "evidence_coverage_observed", "automatic_promotion"]
)
def test_an_observation_that_claims_more_cannot_be_made(claim: str) -> None:
    with pytest.raises(InvalidError, match=rf"truth_contract\.{claim} must be false"):
        ReceiptTruth(evidence_produced_reported=True, **{claim: True})


@pytest.mark.parametrize("status", ["failed", "no_evidence"])
def test_a_receipt_without_evidence_is_bound_too(status: str) -> None:
    made = plan(request(), [row()])
    seen = receipt(made, honest(made, refs=(), status=status))
    assert seen.status == status
    assert seen.truth_contract.raw_source_fallback_allowed
    assert not seen.truth_contract.evidence_produced_reported
