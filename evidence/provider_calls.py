"""The audit of provider calls: one event a call, kept as a ledger record (EXT-20 section 4.3)."""

from typing import NamedTuple, Protocol

from ledger.store import Draft, Ledger, registration
from schemas.canonical import digest_bytes
from schemas.ledger import ACTOR, MOST_WORD, PLUGIN, PROVIDER_CALL, CallOutcome, ProviderCall, Subject
from schemas.published import schema_bytes
from schemas.record import RuleError
from schemas.text import legible


class AuditEvent(NamedTuple):
    """Who called, and all that the audit may know of the call."""

    actor: str
    call: ProviderCall


class AuditStore(Protocol):
    """Where audit events go."""

    def write(self, event: AuditEvent) -> None:
        """Keep `event` durably, or raise: the call's result is then withheld."""
        ...


def outcome(state: str, count: int = 0, revision: str = "", query_sha256: str = "") -> CallOutcome:
    """What the audit tells of a call; what is empty is left out.

    Foreign words are made legible and cut, so that none of them can stop the audit.
    """
    return CallOutcome(
        revision=legible(revision, MOST_WORD) or None,
        count=count,
        state=legible(state, MOST_WORD),
        querySha256=query_sha256 or None,
    )


def event_of(plugin_id: str, owner: str, action: str, told: CallOutcome) -> AuditEvent:
    """The event of one call by the plugin, for the owner."""
    call = ProviderCall(action=action, owner=legible(owner, MOST_WORD), evidence=told)
    return AuditEvent(actor_of(plugin_id), call)


def actor_of(plugin_id: str) -> str:
    """The plugin as the ledger names it; InvalidError for an id that no record can name."""
    try:
        return str(ACTOR.read(plugin_id and f"{PLUGIN}{plugin_id}"))
    except RuleError as fault:
        raise fault.named("plugin_id") from None


class LedgerAudit:
    """Audit events as `provider.called` records of a ledger; `actor` registers their schema."""

    def __init__(self, ledger: Ledger, actor: str = "local") -> None:
        self._ledger = ledger
        self._actor = actor

    def write(self, event: AuditEvent) -> None:
        """Append one record, in a transaction of its own."""
        document = schema_bytes(PROVIDER_CALL)
        stated = digest_bytes(document)
        with self._ledger.write() as writer:
            if not writer.has_schema(PROVIDER_CALL, stated):
                writer.append(registration(self._actor, PROVIDER_CALL, document))
            # Two equal calls are two events: the head tells them apart, and only this writer moves it.
            head = writer.head()
            command = f"call:{head and head.seq}"
            body = event.call.canonical()
            writer.append(
                Draft("provider.called", event.actor, command, Subject(), PROVIDER_CALL, stated, body)
            )
