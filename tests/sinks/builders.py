"""Small valid lives for sinks and renderings: a plan, its receipt, decisions on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from evidence.lifecycle.admit import admit
from evidence.lifecycle.plan import plan
from schemas.admission import Admission, Decision
from schemas.canonical import Algorithm, digest
from schemas.dates import instant
from schemas.plan import Plan
from schemas.provider import ProviderRow
from schemas.receipt import Receipt, Source
from schemas.request import Request

NOW = instant(datetime(2026, 3, 1, 9, 30, tzinfo=UTC))
LATER = instant(datetime(2026, 3, 2, 9, 30, tzinfo=UTC))
LATEST = instant(datetime(2026, 3, 3, 9, 30, tzinfo=UTC))
ACCESSED = "2026-02-28T08:00:00Z"
REFS = ("urn:cn-standard:GB%2050763-2012", "https://example.org/a", "https://example.org/b")


@dataclass(frozen=True)
class Life:
    """A ready plan and a receipt that answers it."""

    plan: Plan
    receipt: Receipt

    def admit(self, *refs: str, reason: str = "fits the decision") -> Admission:
        """The admission of `refs`."""
        decision = Decision(disposition="admit", reason=reason, admitted_source_refs=refs)
        return admit(self.plan, self.receipt, decision)

    def reject(self) -> Admission:
        """The rejection of the whole receipt."""
        return admit(self.plan, self.receipt, Decision(disposition="reject", reason="off the point"))

    def sources(self, *refs: str) -> list[Source]:
        """The receipt's sources of these refs."""
        return [source for source in self.receipt.sources if source.source_ref in refs]


def source(ref: str, algorithm: Algorithm = "blake3", **changes: Any) -> Source:
    """One source with `changes`."""
    given: dict[str, Any] = {
        "source_ref": ref,
        "source_family": "standard",
        "basis": "stated",
        "finding": f"what {ref} says",
        "accessed_at": ACCESSED,
        "content_digest": digest(ref, algorithm),
    }
    return Source(**{**given, **changes})


def life(sources: Sequence[Source] | None = None, algorithm: Algorithm = "blake3", **changes: Any) -> Life:
    """A life over `sources`; `changes` go to the request, those named `receipt_…` to the receipt."""
    of_receipt = {
        key.removeprefix("receipt_"): changes.pop(key) for key in list(changes) if key.startswith("receipt_")
    }
    given: dict[str, Any] = {
        "objective": "坡道坡度?",
        "user_activity": "review",
        "decision": "accept the ramp",
        "evidence_kinds": ("standard",),
    }
    row = ProviderRow(
        provider_id="method:test",
        provider_kind="method",
        declared=True,
        installed=True,
        enabled=True,
        ready=True,
    )
    made = plan(Request(**{**given, **changes}), [row], algorithm=algorithm)
    found = [source(ref, algorithm) for ref in REFS] if sources is None else list(sources)
    receipt: dict[str, Any] = {
        "plan_id": made.plan_id,
        "request_id": made.request.request_id,
        "provider_id": "method:test",
        "provider_kind": "method",
        "status": "succeeded" if found else "no_evidence",
        "sources": found,
        "summary": "what was found",
        "completed_at": "2026-02-28T08:00:01Z",
    }
    return Life(made, Receipt(**{**receipt, **of_receipt}))
