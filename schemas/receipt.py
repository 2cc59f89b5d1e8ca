"""A receipt: what a provider says it found, source by source, and the observation of it."""

from schemas.dates import split_instant
from schemas.plan import RECEIPT
from schemas.provider import KINDS
from schemas.record import Items, Nested, Record, RuleError, field
from schemas.rules import (
    Constant,
    Digest,
    Flag,
    Instant,
    Literal,
    ProviderId,
    PublicationDate,
    SourceRef,
    Text,
)

OBSERVATION = "loopx_external_evidence_receipt_observation_v0"
BASES = ("stated", "observed", "tested", "inferred")
STATUSES = ("succeeded", "failed", "no_evidence")
MOST_SOURCES = 64


class Source(Record):
    """One piece of evidence: a direct reference, its basis, finding, limits, dates and content digest."""

    source_ref: str = field(SourceRef())
    source_family: str = field(Text(128))
    basis: str = field(Literal(*BASES))
    finding: str = field(Text(4096))
    limitation: str | None = field(Text(2048), default=None, nullable=True)
    publication_date: str | None = field(PublicationDate(), default=None, nullable=True)
    accessed_at: str = field(Instant())
    content_digest: str = field(Digest())


def sources() -> Items:
    """The rule of a source list: at most 64, one per reference, order kept."""
    return Items(Nested(Source), MOST_SOURCES, unique=True, key=lambda source: source.source_ref)


def limitations() -> Items:
    """The rule of an artifact's limitations: at most 16 of 1024 units."""
    return Items(Text(1024), most=16)


class Receipt(Record):
    """A provider's answer to one plan (lifecycle.md section 6, H8)."""

    schema_version: str = field(Literal(RECEIPT), default=RECEIPT, stated=True)
    plan_id: str = field(Digest(exact=True))
    request_id: str = field(Digest(exact=True))
    provider_id: str = field(ProviderId(exact=True))
    provider_kind: str = field(Literal(*KINDS))
    status: str = field(Literal(*STATUSES))
    sources: tuple[Source, ...] = field(sources())
    summary: str = field(Text(4096))
    limitations: tuple[str, ...] = field(limitations(), default=())
    completed_at: str = field(Instant())

    def check(self) -> None:
        if (self.status == "succeeded") != bool(self.sources):
            rule = "at least one source" if self.status == "succeeded" else "no sources"
            raise RuleError(
                f"holds {len(self.sources)} items; a {self.status} receipt needs {rule}", ".sources"
            )
        completed = split_instant(self.completed_at) or (0, "")
        for index, source in enumerate(self.sources):
            if (split_instant(source.accessed_at) or (0, "")) > completed:
                raise RuleError(
                    f"{self.completed_at} is before sources[{index}].accessed_at {source.accessed_at}",
                    ".completed_at",
                )


class ReceiptTruth(Record, subject="truth_contract"):
    """What observing a receipt proves and does not prove."""

    provider_receipt_observed: bool = field(Constant(True), default=True)
    provider_execution_attested: bool = field(Constant(False), default=False)
    evidence_produced_reported: bool = field(Flag())
    evidence_coverage_observed: bool = field(Constant(False), default=False)
    automatic_admission: bool = field(Constant(False), default=False)
    automatic_promotion: bool = field(Constant(False), default=False)
    raw_source_fallback_allowed: bool = field(Constant(True), default=True)


class ReceiptObservation(Record, subject="observation"):
    """A receipt bound to its exact plan; no proof that the provider ran."""

    schema_version: str = field(Literal(OBSERVATION), default=OBSERVATION, stated=True)
    receipt_observation_id: str = field(Digest())
    plan_id: str = field(Digest())
    request_id: str = field(Digest())
    provider_id: str = field(ProviderId())
    provider_kind: str = field(Literal(*KINDS))
    status: str = field(Literal(*STATUSES))
    receipt: Receipt = field(Nested(Receipt))
    truth_contract: ReceiptTruth = field(Nested(ReceiptTruth))
