"""The body of `body.erased`: whose artifacts left the store, and why (ledger.md sections 1 and 3)."""

from schemas.ledger import Matching, Subject, origin
from schemas.ledger_keys import MOST_REASON
from schemas.record import Items, Nested, Record, RuleError, field
from schemas.rules import Literal, Text

BODY_ERASED = "external_evidence_body_erased_v0"
LISTED_ERASURE = "external_evidence_listed_erasure_v0"
ERASURE = "body.erased"
MOST_BODIES = 65_536  # with their digests it stays well below what a body may hold
# Others depend on these, and none of them tells of a person: they are never erased.
KEPT = frozenset(
    {
        "ledger.opened",
        "schema.registered",
        "key.rotated",
        "ledger.restored",
        ERASURE,
        "provider.observed",
        "provider.called",
    }
)


def _bodies() -> Items:
    digest = Matching(r"blake3:[0-9a-f]{64}", 71, "blake3: and 64 lower-case hex digits")
    return Items(digest, MOST_BODIES, least=1, unique=True)


class BodyErased(Record, subject="erased"):
    """These bodies are gone on purpose; the record's subject is the one id that they were asked for by."""

    schema_version: str = field(Literal(BODY_ERASED), default=BODY_ERASED, stated=True)
    origin: str = field(origin())
    bodies: tuple[str, ...] = field(_bodies())
    reason: str = field(Text(MOST_REASON))

    def check(self) -> None:
        if list(self.bodies) != sorted(self.bodies):
            raise RuleError("must be sorted", ".bodies")


class ListedErasure(Record, subject="listed"):
    """One line of the list beside a log's key: an erasure that no older copy of the log may undo."""

    schema_version: str = field(Literal(LISTED_ERASURE), default=LISTED_ERASURE, stated=True)
    origin: str = field(origin())
    subject: Subject = field(Nested(Subject))
    bodies: tuple[str, ...] = field(_bodies())
    reason: str = field(Text(MOST_REASON))
