"""The verdict whether an admission may be retired."""

from schemas.receipt import MOST_SOURCES
from schemas.record import Items, Record, field
from schemas.rules import Digest, Flag, Literal, SourceRef

RETIREMENT = "loopx_external_evidence_retirement_v0"
REASONS = ("parent_rejected", "all_admitted_sources_projected", "admitted_sources_not_yet_projected")


class Retirement(Record):
    """A rejected admission may retire; an admitted one when every admitted ref is covered (section 7)."""

    schema_version: str = field(Literal(RETIREMENT), default=RETIREMENT, stated=True)
    admission_id: str = field(Digest())
    plan_id: str = field(Digest())
    request_id: str = field(Digest())
    status: str = field(Literal("retire_ready", "retained"))
    retire_ready: bool = field(Flag())
    missing_downstream_source_refs: tuple[str, ...] = field(Items(SourceRef(), MOST_SOURCES))
    reason: str = field(Literal(*REASONS))
