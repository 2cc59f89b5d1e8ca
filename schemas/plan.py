"""A plan: one request bound to the one provider that was seen ready, or the reason why none was."""

from schemas.provider import KINDS, PROTOCOL, ProviderRow, provider_rows
from schemas.record import Nested, Record, field
from schemas.request import Request
from schemas.rules import Digest, Literal, ProviderId

PLAN = "loopx_external_evidence_plan_v0"
ENVELOPE = "loopx_external_evidence_execution_envelope_v0"
RECEIPT = "loopx_external_evidence_receipt_v0"
AUTHORITY = "read_external_sources_only"
PERSISTENCE = "provider_private"
BLOCKERS = ("no_ready_provider", "preferred_provider_not_ready")


class ExecutionEnvelope(Record, subject="execution_envelope"):
    """What a provider may do for one plan: read outside sources, keep raw content private."""

    schema_version: str = field(Literal(ENVELOPE), default=ENVELOPE, stated=True)
    request_id: str = field(Digest(exact=True))
    provider_id: str = field(ProviderId(exact=True))
    provider_kind: str = field(Literal(*KINDS))
    protocol: str = field(Literal(PROTOCOL), default=PROTOCOL, stated=True)
    authority: str = field(Literal(AUTHORITY), default=AUTHORITY, stated=True)
    raw_content_persistence: str = field(Literal(PERSISTENCE), default=PERSISTENCE, stated=True)
    result_contract: str = field(Literal(RECEIPT), default=RECEIPT, stated=True)
    plan_id: str | None = field(Digest(exact=True), default=None, omitted=True)


class Plan(Record):
    """A request, its candidates, and the selected provider's envelope or a blocker (section 5).

    `plan_id` is the digest of the plan without `plan_id`, the envelope's copy left out too.
    """

    schema_version: str = field(Literal(PLAN), default=PLAN, stated=True)
    status: str = field(Literal("ready", "blocked"))
    request: Request = field(Nested(Request))
    provider_candidates: tuple[ProviderRow, ...] = field(provider_rows())
    selected_provider: ProviderRow | None = field(Nested(ProviderRow), nullable=True)
    execution_envelope: ExecutionEnvelope | None = field(Nested(ExecutionEnvelope), nullable=True)
    blocker: str | None = field(Literal(*BLOCKERS), nullable=True)
    plan_id: str | None = field(Digest(), default=None, omitted=True)
