"""Admit or reject a receipt, and rebuild an admission that comes back."""

from evidence.lifecycle.receipt import bind, require_algorithm
from schemas.admission import Admission, Decision, Projection
from schemas.canonical import Algorithm, algorithm_of, canonical_record, digest_bytes
from schemas.errors import MismatchError
from schemas.plan import Plan
from schemas.receipt import Receipt


def admit(plan: Plan, receipt: Receipt, decision: Decision) -> Admission:
    """The admission that `decision` makes of `receipt` (lifecycle.md section 7).

    Raises MismatchError when the receipt does not answer the plan or a named ref is not among its
    sources, InvalidError when the disposition and the refs do not fit each other.
    """
    algorithm = bind(plan, receipt)
    known = {source.source_ref for source in receipt.sources}
    for index, ref in enumerate(decision.admitted_source_refs):
        if ref not in known:
            raise MismatchError(
                f"decision.admitted_source_refs[{index}] {ref!r} is no source of the receipt",
                subject=f"decision.admitted_source_refs[{index}]",
                hint=f"its sources: {', '.join(source.source_ref for source in receipt.sources[:8])}",
            )
    admitted = frozenset(decision.admitted_source_refs)
    projection = Projection(
        plan_id=receipt.plan_id,
        request_id=receipt.request_id,
        objective=plan.request.objective,
        decision=plan.request.decision,
        disposition=decision.disposition,
        sources=tuple(source for source in receipt.sources if source.source_ref in admitted),
        summary=receipt.summary,
        limitations=receipt.limitations,
    )
    bare = Admission(
        plan_id=receipt.plan_id,
        request_id=receipt.request_id,
        provider_id=receipt.provider_id,
        provider_kind=receipt.provider_kind,
        receipt_status=receipt.status,
        receipt_digest=receipt.digest(algorithm),
        completed_at=receipt.completed_at,
        disposition=decision.disposition,
        reason=decision.reason,
        admitted_source_refs=decision.admitted_source_refs,
        downstream_projection=projection,
    )
    return bare.replace(admission_id=_identity(bare, algorithm))


def _identity(admission: Admission, algorithm: Algorithm) -> str:
    wire = admission.to_wire()
    wire.pop("admission_id", None)
    return digest_bytes(canonical_record(wire), algorithm)


def verify_admission(stated: Admission) -> Algorithm:
    """The algorithm of `stated` if its id is the digest of all of it and its projection fits.

    Raises MismatchError otherwise.
    """
    if stated.admission_id is None:
        raise MismatchError("admission.admission_id is required and absent", subject="admission.admission_id")
    algorithm = algorithm_of(stated.admission_id)
    projection = stated.downstream_projection
    for name in ("plan_id", "request_id", "disposition"):
        if getattr(projection, name) != getattr(stated, name):
            raise _mismatch(f"downstream_projection.{name}", "differs from the admission's own")
    if {source.source_ref for source in projection.sources} != set(stated.admitted_source_refs):
        raise _mismatch("downstream_projection.sources", "are not exactly the admitted source refs")
    for name in ("plan_id", "request_id", "receipt_digest"):
        if algorithm_of(getattr(stated, name)) != algorithm:
            raise _mismatch(name, f"is not a {algorithm} digest as the admission_id is")
    require_algorithm(projection.sources, algorithm, "admission.downstream_projection.sources")
    expected = _identity(stated, algorithm)
    if stated.admission_id != expected:
        raise _mismatch("admission_id", f"is {stated.admission_id}; the admission's own digest is {expected}")
    return algorithm


def _mismatch(name: str, complaint: str) -> MismatchError:
    return MismatchError(f"admission.{name} {complaint}", subject=f"admission.{name}")
