"""A provider row: what was observed of one provider, and the discovery over all of them."""

from schemas.record import Items, Nested, Record, RuleError, field
from schemas.rules import Constant, Flag, Integer, Literal, ProviderId, Text

PROTOCOL = "external_evidence_research_v0"
DISCOVERY = "loopx_external_evidence_discovery_v0"
MOST_PROVIDERS = 64
KINDS = ("method", "connector")


class ProviderRow(Record, subject="provider"):
    """Declared, installed, enabled, ready: four separate facts (lifecycle.md section 3).

    `ready` needs the other three; a row that is not ready says why.
    """

    provider_id: str = field(ProviderId())
    provider_kind: str = field(Literal(*KINDS))
    protocol: str = field(Literal(PROTOCOL), default=PROTOCOL, stated=True)
    declared: bool = field(Flag())
    installed: bool = field(Flag())
    enabled: bool = field(Flag())
    ready: bool = field(Flag())
    unavailable_reason: str | None = field(Text(512), default=None, nullable=True)

    def check(self) -> None:
        if self.ready and not (self.declared and self.installed and self.enabled):
            raise RuleError("cannot be true before declared, installed and enabled are", ".ready")
        if not self.ready and self.unavailable_reason is None:
            raise RuleError("is required when the provider is not ready", ".unavailable_reason")


def provider_rows() -> Items:
    """The rule of a provider list: at most 64 rows, ids unique after trim, order kept."""
    return Items(Nested(ProviderRow), MOST_PROVIDERS, unique=True, key=lambda row: row.provider_id)


class DiscoverySummary(Record, subject="summary"):
    """Counts over the rows of one discovery."""

    provider_count: int = field(Integer(0, MOST_PROVIDERS))
    method_count: int = field(Integer(0, MOST_PROVIDERS))
    connector_count: int = field(Integer(0, MOST_PROVIDERS))
    ready_count: int = field(Integer(0, MOST_PROVIDERS))
    unavailable_count: int = field(Integer(0, MOST_PROVIDERS))


class DiscoveryTruth(Record, subject="truth_contract"):
    """What a discovery does not prove: all four clauses are false."""

    registry_presence_is_readiness: bool = field(Constant(False), default=False)
    supported_status_is_readiness: bool = field(Constant(False), default=False)
    execution_observed: bool = field(Constant(False), default=False)
    evidence_coverage_observed: bool = field(Constant(False), default=False)


class Discovery(Record):
    """The read-only projection of a provider inventory (lifecycle.md section 4)."""

    schema_version: str = field(Literal(DISCOVERY), default=DISCOVERY, stated=True)
    status: str = field(Literal("empty", "ready", "inventory_only"))
    providers: tuple[ProviderRow, ...] = field(provider_rows())
    summary: DiscoverySummary = field(Nested(DiscoverySummary))
    ready_provider_ids: tuple[str, ...] = field(Items(ProviderId(), MOST_PROVIDERS, unique=True))
    truth_contract: DiscoveryTruth = field(Nested(DiscoveryTruth))
