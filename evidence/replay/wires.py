"""What an artifact must look like, given those before it as they are written and its own few words.

Each function says in JSON what one verb of `evidence.lifecycle` says in records (lifecycle.md sections 5-9).
"""

from collections.abc import Collection, Sequence
from typing import Any, TypeGuard

from schemas.admission import ADMISSION, PROJECTION
from schemas.canonical import Algorithm, algorithm_of, canonical_record, digest_bytes
from schemas.ledger import EXECUTION
from schemas.plan import AUTHORITY, ENVELOPE, PERSISTENCE, PLAN, RECEIPT
from schemas.provider import PROTOCOL
from schemas.readback import READBACK
from schemas.receipt import Receipt
from schemas.retirement import RETIREMENT

Wire = dict[str, Any]


def chosen(rows: Sequence[Wire], selected: object) -> int | None:
    """Which row `selected` is, by its id; None when no ready one has it."""
    stated = selected.get("provider_id") if isinstance(selected, dict) else None
    places = (place for place, row in enumerate(rows) if row["ready"] and row["provider_id"] == stated)
    return next(places, None)


def plan(
    request: Wire, rows: Sequence[Wire], row: Wire | None, blocker: object, algorithm: Algorithm
) -> Wire:
    """The plan of that request over those rows, `row` selected."""
    request.pop("request_id", None)
    request["request_id"] = digest_bytes(canonical_record(request), algorithm)
    envelope: Wire | None = row and {
        "schema_version": ENVELOPE,
        "request_id": request["request_id"],
        "provider_id": row["provider_id"],
        "provider_kind": row["provider_kind"],
        "protocol": PROTOCOL,
        "authority": AUTHORITY,
        "raw_content_persistence": PERSISTENCE,
        "result_contract": RECEIPT,
    }
    wire: Wire = {
        "schema_version": PLAN,
        "status": "ready" if row else "blocked",
        "request": request,
        "provider_candidates": rows,
        "selected_provider": row,
        "execution_envelope": envelope,
        "blocker": blocker,
    }
    wire["plan_id"] = digest_bytes(canonical_record(wire), algorithm)
    if envelope is not None:
        envelope["plan_id"] = wire["plan_id"]
    return wire


def execution(plan: Wire, attempt: int, status: str | None = None, receipt: str | None = None) -> Wire:
    """The start of an execution, the selected provider as it was when the plan was made; or its end."""
    row = plan["selected_provider"]
    return {
        "schema_version": EXECUTION,
        "plan_id": plan["plan_id"],
        "provider_id": row["provider_id"],
        "attempt": attempt,
        "state": "started" if receipt is None else "finished",
        "provider": row if receipt is None else None,
        "receipt_status": status,
        "receipt_digest": receipt,
    }


def answers(receipt: Receipt, plan: Wire) -> bool:
    """Whether the receipt names exactly this ready plan, and no digest that its peers cannot read."""
    row = plan["selected_provider"]
    stated = (receipt.plan_id, receipt.request_id, receipt.provider_id, receipt.provider_kind)
    expected = (plan["plan_id"], plan["request"]["request_id"], row["provider_id"], row["provider_kind"])
    algorithm = algorithm_of(plan["plan_id"])
    return stated == expected and (
        algorithm != "sha256" or all(algorithm_of(one.content_digest) == algorithm for one in receipt.sources)
    )


def admission(plan: Wire, receipt: Wire, digest: str, stated: Wire, algorithm: Algorithm) -> Wire | None:
    """The admission of that decision on the receipt; None when there is none."""
    disposition, refs = stated.get("disposition"), stated.get("admitted_source_refs")
    if not _are_texts(refs) or len(set(refs)) != len(refs):
        return None
    admitted = frozenset(refs)
    sources = [source for source in receipt["sources"] if source["source_ref"] in admitted]
    allowed = bool(refs) and receipt["status"] == "succeeded" if disposition == "admit" else not refs
    if len(sources) != len(refs) or not allowed or disposition not in ("admit", "reject"):
        return None
    wire: Wire = {
        "schema_version": ADMISSION,
        "plan_id": receipt["plan_id"],
        "request_id": receipt["request_id"],
        "provider_id": receipt["provider_id"],
        "provider_kind": receipt["provider_kind"],
        "receipt_status": receipt["status"],
        "receipt_digest": digest,
        "completed_at": receipt["completed_at"],
        "disposition": disposition,
        "reason": stated.get("reason"),
        "admitted_source_refs": refs,
        "downstream_projection": {
            "schema_version": PROJECTION,
            "plan_id": receipt["plan_id"],
            "request_id": receipt["request_id"],
            "objective": plan["request"]["objective"],
            "decision": plan["request"]["decision"],
            "disposition": disposition,
            "sources": sources,
            "summary": receipt["summary"],
            "limitations": receipt["limitations"],
        },
    }
    wire["admission_id"] = digest_bytes(canonical_record(wire), algorithm)
    return wire


def covered(admission: Wire, refs: object) -> list[str] | None:
    """The refs, when they are admitted ones in the order of the receipt."""
    if not _are_texts(refs):
        return None
    sources = admission["downstream_projection"]["sources"]
    known = [source["source_ref"] for source in sources if source["source_ref"] in refs]
    return known if known == refs else None


def readback(plan: Wire, receipt: Wire, admission: Wire, refs: list[str]) -> Wire:
    """What is told of a sink that holds just these refs, nothing hindering it."""
    return {
        "schema_version": READBACK,
        "plan_id": receipt["plan_id"],
        "request": plan["request"],
        "provider_id": receipt["provider_id"],
        "receipt_status": receipt["status"],
        "sources": receipt["sources"],
        "summary": receipt["summary"],
        "limitations": receipt["limitations"],
        "parent_admission": {
            "disposition": admission["disposition"],
            "reason": admission["reason"],
            "admission_id": admission["admission_id"],
            "admitted_source_refs": admission["admitted_source_refs"],
        },
        "downstream_source_refs": refs,
        "retirement": retirement(admission, refs),
        "write_blockers": [],
        "original_source_fallback_allowed": True,
        "automatic_admission": False,
        "evidence_coverage_observed": False,
    }


def retirement(admission: Wire, refs: Collection[str]) -> Wire:
    """The verdict on an admission of which downstream covers these refs."""
    missing = [ref for ref in admission["admitted_source_refs"] if ref not in refs]
    if admission["disposition"] == "reject":
        reason = "parent_rejected"
    else:
        reason = "admitted_sources_not_yet_projected" if missing else "all_admitted_sources_projected"
    return {
        "schema_version": RETIREMENT,
        "admission_id": admission["admission_id"],
        "plan_id": admission["plan_id"],
        "request_id": admission["request_id"],
        "status": "retained" if missing else "retire_ready",
        "retire_ready": not missing,
        "missing_downstream_source_refs": missing,
        "reason": reason,
    }


def _are_texts(refs: object) -> TypeGuard[list[str]]:
    return isinstance(refs, list) and all(isinstance(ref, str) for ref in refs)
