"""What downstream really holds of an admission, read back and judged (lifecycle.md section 9)."""

from schemas.admission import DISPOSITIONS
from schemas.receipt import MOST_SOURCES, STATUSES, Source, limitations, sources
from schemas.record import Items, Nested, Record, field
from schemas.request import Request
from schemas.retirement import Retirement
from schemas.rules import Constant, Digest, Instant, Literal, ProviderId, SourceRef, Text

READBACK = "loopx_external_evidence_readback_v0"
BLOCKER_CODES = ("conflict", "damaged", "not_admitted", "refused")
MOST_BLOCKERS = 1024


class Held(Record):
    """What a sink holds of one admitted source, and since when; `withdrawn` names what withdrew it."""

    source: Source = field(Nested(Source))
    plan_id: str = field(Digest())
    admission_id: str = field(Digest())
    receipt_digest: str = field(Digest())
    content_digest: str = field(Digest())
    withdrawn: str | None = field(Text(128), default=None, nullable=True)
    recorded_at: str = field(Instant())


class WriteBlocker(Record, subject="write_blocker"):
    """Why a sink does not hold a source; `source_ref` is null where damage left no ref to name."""

    source_ref: str | None = field(SourceRef(), nullable=True)
    code: str = field(Literal(*BLOCKER_CODES))
    reason: str = field(Text(1024))


class ParentAdmission(Record, subject="parent_admission"):
    """The parent's decision that the readback was derived from."""

    disposition: str = field(Literal(*DISPOSITIONS))
    reason: str = field(Text(2048))
    admission_id: str = field(Digest())
    admitted_source_refs: tuple[str, ...] = field(Items(SourceRef(), MOST_SOURCES, unique=True))


class Readback(Record):
    """A receipt, its admission and what downstream was seen to hold of it (section 9).

    `downstream_source_refs` are the covered refs in receipt order; `retirement` is the verdict on
    exactly those. Nothing here says that the evidence is complete.
    """

    schema_version: str = field(Literal(READBACK), default=READBACK, stated=True)
    plan_id: str = field(Digest())
    request: Request = field(Nested(Request))
    provider_id: str = field(ProviderId())
    receipt_status: str = field(Literal(*STATUSES))
    sources: tuple[Source, ...] = field(sources())
    summary: str = field(Text(4096))
    limitations: tuple[str, ...] = field(limitations(), default=())
    parent_admission: ParentAdmission | None = field(Nested(ParentAdmission), nullable=True)
    downstream_source_refs: tuple[str, ...] = field(Items(SourceRef(), MOST_SOURCES, unique=True))
    retirement: Retirement | None = field(Nested(Retirement), nullable=True)
    write_blockers: tuple[WriteBlocker, ...] = field(Items(Nested(WriteBlocker), MOST_BLOCKERS))
    original_source_fallback_allowed: bool = field(Constant(True), default=True)
    automatic_admission: bool = field(Constant(False), default=False)
    evidence_coverage_observed: bool = field(Constant(False), default=False)
