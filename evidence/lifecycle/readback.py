"""Judge what a sink was seen to hold of an admission."""

from collections.abc import Sequence

from evidence.lifecycle.admit import admit
from evidence.lifecycle.receipt import bind
from evidence.lifecycle.retire import retire
from schemas.admission import Admission, Decision
from schemas.errors import MismatchError
from schemas.plan import Plan
from schemas.readback import Held, ParentAdmission, Readback, WriteBlocker
from schemas.receipt import Receipt, Source


def readback(
    plan: Plan,
    receipt: Receipt,
    decision: Decision | None,
    held: Sequence[Held],
    blockers: Sequence[WriteBlocker] = (),
    stated: Admission | None = None,
) -> Readback:
    """The readback of `receipt` given what a sink was seen to hold (lifecycle.md section 9).

    Receipt binding and admission are derived again. A `stated` admission is compared whole; without
    a `decision` its own decision is taken. Raises MismatchError naming the first thing that differs.
    """
    admission = _derive(plan, receipt, decision, stated)
    covered = () if admission is None else covered_refs(admission, held)
    return Readback(
        plan_id=receipt.plan_id,
        request=plan.request,
        provider_id=receipt.provider_id,
        receipt_status=receipt.status,
        sources=receipt.sources,
        summary=receipt.summary,
        limitations=receipt.limitations,
        parent_admission=None if admission is None else _parent(admission),
        downstream_source_refs=covered,
        retirement=None if admission is None else retire(admission, covered),
        write_blockers=tuple(blockers),
    )


def covered_refs(admission: Admission, held: Sequence[Held]) -> tuple[str, ...]:
    """The admitted refs, in receipt order, that `held` covers.

    A row covers a source when it holds the very same source (ref, finding and all the rest) under the
    same plan, admission, receipt and content digest, and was not withdrawn.
    """
    current = {_mark(row) for row in held if row.withdrawn is None}
    lineage = (admission.plan_id, admission.admission_id, admission.receipt_digest)
    return tuple(
        source.source_ref
        for source in admission.downstream_projection.sources
        if (source, *lineage, source.content_digest) in current
    )


def held_of(admission: Admission, source: Source, recorded_at: str | None = None) -> Held:
    """The row that a sink which took `source` for `admission` holds; by default since the completion."""
    return Held(
        source=source,
        plan_id=admission.plan_id,
        admission_id=admission.admission_id or "",
        receipt_digest=admission.receipt_digest,
        content_digest=source.content_digest,
        recorded_at=recorded_at or admission.completed_at,
    )


def _mark(row: Held) -> tuple[object, ...]:
    return row.source, row.plan_id, row.admission_id, row.receipt_digest, row.content_digest


def _derive(
    plan: Plan, receipt: Receipt, decision: Decision | None, stated: Admission | None
) -> Admission | None:
    if stated is not None and decision is None:
        decision = Decision(
            disposition=stated.disposition,
            reason=stated.reason,
            admitted_source_refs=stated.admitted_source_refs,
        )
    if decision is None:
        bind(plan, receipt)
        return None
    derived = admit(plan, receipt, decision)
    if stated is not None and stated != derived:
        raise _difference(stated, derived)
    return derived


def _difference(stated: Admission, derived: Admission) -> MismatchError:
    name = next(
        spec.name for spec in Admission.FIELDS if getattr(stated, spec.name) != getattr(derived, spec.name)
    )
    return MismatchError(
        f"admission.{name} differs from the admission that plan, receipt and decision make",
        subject=f"admission.{name}",
    )


def _parent(admission: Admission) -> ParentAdmission:
    return ParentAdmission(
        disposition=admission.disposition,
        reason=admission.reason,
        admission_id=admission.admission_id or "",
        admitted_source_refs=admission.admitted_source_refs,
    )
