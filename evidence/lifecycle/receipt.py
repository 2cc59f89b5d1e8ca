"""Bind a receipt to the exact plan that it answers."""

from collections.abc import Iterable

from evidence.lifecycle.plan import verify_ready
from schemas.canonical import Algorithm, algorithm_of, digest
from schemas.errors import MismatchError
from schemas.plan import Plan
from schemas.receipt import Receipt, ReceiptObservation, ReceiptTruth, Source


def receipt(plan: Plan, receipt: Receipt) -> ReceiptObservation:
    """The observation of `receipt` for `plan` (lifecycle.md section 6).

    Raises MismatchError when the plan is not the one its id names or is not ready, and when the
    receipt names another plan, request or provider, or mixes digest algorithms.
    """
    algorithm = bind(plan, receipt)
    return ReceiptObservation(
        receipt_observation_id=observation_id(receipt, receipt.digest(algorithm)),
        plan_id=receipt.plan_id,
        request_id=receipt.request_id,
        provider_id=receipt.provider_id,
        provider_kind=receipt.provider_kind,
        status=receipt.status,
        receipt=receipt,
        truth_contract=ReceiptTruth(evidence_produced_reported=receipt.status == "succeeded"),
    )


def observation_id(receipt: Receipt, receipt_digest: str) -> str:
    """The `receipt_observation_id` of a receipt whose own digest is `receipt_digest`."""
    lineage = {
        "plan_id": receipt.plan_id,
        "request_id": receipt.request_id,
        "provider_id": receipt.provider_id,
        "receipt_digest": receipt_digest,
    }
    return digest(lineage, algorithm_of(receipt_digest))


def bind(plan: Plan, receipt: Receipt) -> Algorithm:
    """Verify `plan`, and that `receipt` answers exactly it; the digest algorithm of both."""
    algorithm = verify_ready(plan)
    selected = plan.selected_provider
    expected = {
        "plan_id": plan.plan_id,
        "request_id": plan.request.request_id,
        "provider_id": selected and selected.provider_id,
        "provider_kind": selected and selected.provider_kind,
    }
    for name, value in expected.items():
        if getattr(receipt, name) != value:
            raise MismatchError(
                f"receipt.{name} is {getattr(receipt, name)}; the plan's is {value}",
                subject=f"receipt.{name}",
            )
    require_algorithm(receipt.sources, algorithm, "receipt.sources")
    return algorithm


def require_algorithm(sources: Iterable[Source], algorithm: Algorithm, where: str) -> None:
    """Peers that read sha256 know no other; else content may bear the sha256 that it is known by outside.

    The ids of one plan's artifacts all use one algorithm (section 2); a content digest is none of them.
    """
    for index, source in enumerate(sources):
        if algorithm == "sha256" != algorithm_of(source.content_digest):
            subject = f"{where}[{index}].content_digest"
            raise MismatchError(
                f"{subject} is a {algorithm_of(source.content_digest)} digest; the plan uses {algorithm}",
                subject=subject,
            )
