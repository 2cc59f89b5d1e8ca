"""Judge whether an admission may be retired."""

from collections.abc import Iterable

from evidence.lifecycle.admit import verify_admission
from schemas.admission import Admission
from schemas.retirement import Retirement


def retire(admission: Admission, downstream_source_refs: Iterable[str] = ()) -> Retirement:
    """The verdict on `admission` given the refs that downstream covers (lifecycle.md section 7).

    Covered means exact equality; refs are already trimmed. Raises MismatchError when the admission
    is not the one its id names.
    """
    verify_admission(admission)
    return verdict(admission, downstream_source_refs)


def verdict(admission: Admission, downstream_source_refs: Iterable[str]) -> Retirement:
    """As `retire`, on an admission that was verified before."""
    covered = frozenset(downstream_source_refs)
    missing = tuple(ref for ref in admission.admitted_source_refs if ref not in covered)
    if admission.disposition == "reject":
        reason = "parent_rejected"
    elif missing:
        reason = "admitted_sources_not_yet_projected"
    else:
        reason = "all_admitted_sources_projected"
    return Retirement(
        admission_id=admission.admission_id or "",
        plan_id=admission.plan_id,
        request_id=admission.request_id,
        status="retained" if missing else "retire_ready",
        retire_ready=not missing,
        missing_downstream_source_refs=missing,
        reason=reason,
    )
