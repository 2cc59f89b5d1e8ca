"""The parent's word on a receipt: a decision, the admission it makes, and what goes downstream."""

from schemas.provider import KINDS
from schemas.receipt import MOST_SOURCES, STATUSES, Source, limitations, sources
from schemas.record import Items, Nested, Record, RuleError, field
from schemas.rules import Digest, Instant, Literal, ProviderId, SourceRef, Text

ADMISSION = "loopx_external_evidence_admission_v0"
PROJECTION = "loopx_external_evidence_projection_v0"
DISPOSITIONS = ("admit", "reject")


class Decision(Record):
    """Admit named sources of a receipt, or reject it, and say why (lifecycle.md section 7)."""

    disposition: str = field(Literal(*DISPOSITIONS))
    reason: str = field(Text(2048))
    admitted_source_refs: tuple[str, ...] = field(Items(SourceRef(), MOST_SOURCES, unique=True), default=())


class Projection(Record, subject="downstream_projection"):
    """What an admission lets downstream use: the admitted sources in receipt order."""

    schema_version: str = field(Literal(PROJECTION), default=PROJECTION, stated=True)
    plan_id: str = field(Digest(exact=True))
    request_id: str = field(Digest(exact=True))
    objective: str = field(Text(4096))
    decision: str = field(Text(4096))
    disposition: str = field(Literal(*DISPOSITIONS))
    sources: tuple[Source, ...] = field(sources())
    summary: str = field(Text(4096))
    limitations: tuple[str, ...] = field(limitations(), default=())


class Admission(Record):
    """A decision bound to one exact receipt; `admission_id` is the digest of all the rest."""

    schema_version: str = field(Literal(ADMISSION), default=ADMISSION, stated=True)
    plan_id: str = field(Digest())
    request_id: str = field(Digest())
    provider_id: str = field(ProviderId())
    provider_kind: str = field(Literal(*KINDS))
    receipt_status: str = field(Literal(*STATUSES))
    receipt_digest: str = field(Digest())
    completed_at: str = field(Instant())
    disposition: str = field(Literal(*DISPOSITIONS))
    reason: str = field(Text(2048))
    admitted_source_refs: tuple[str, ...] = field(Items(SourceRef(), MOST_SOURCES, unique=True), default=())
    downstream_projection: Projection = field(Nested(Projection))
    admission_id: str | None = field(Digest(), default=None, omitted=True)

    def check(self) -> None:
        if self.disposition == "admit" and (
            self.receipt_status != "succeeded" or not self.admitted_source_refs
        ):
            raise RuleError(
                "is admit, which needs a succeeded receipt and at least one admitted source", ".disposition"
            )
        if self.disposition == "reject" and self.admitted_source_refs:
            raise RuleError("is reject, which admits no source", ".disposition")
