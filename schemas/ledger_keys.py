"""The bodies that tell of a ledger's key: `key.rotated` and `ledger.restored` (ledger.md sections 1 to 3).

What is signed is a text over the record's own place in the chain, so that neither can be moved.
"""

from schemas.ledger import Matching, origin
from schemas.record import Record, field
from schemas.rules import Literal, Text

KEY_ROTATED = "external_evidence_key_rotated_v0"
LEDGER_RESTORED = "external_evidence_ledger_restored_v0"
MOST_CHECKPOINT = 65_536
MOST_REASON = 1_000


def _key() -> Text:
    return Text(512, exact=True)


def _signature() -> Matching:
    return Matching(r"[A-Za-z0-9+/]+={0,2}", 512, "base64")


class KeyRotated(Record, subject="rotation"):
    """The body of `key.rotated`: from this record on the log is signed by `new_key`, says `old_key`."""

    schema_version: str = field(Literal(KEY_ROTATED), default=KEY_ROTATED, stated=True)
    origin: str = field(origin())
    old_key: str = field(_key())
    new_key: str = field(_key())
    signature: str = field(_signature())


class LedgerRestored(Record, subject="restored"):
    """The body of `ledger.restored`: the log goes on from here although `published` says otherwise."""

    schema_version: str = field(Literal(LEDGER_RESTORED), default=LEDGER_RESTORED, stated=True)
    origin: str = field(origin())
    key: str = field(_key())
    published: str = field(
        Matching(r"[^\x00-\x09\x0b-\x1f\x7f\ud800-\udfff]+", MOST_CHECKPOINT, "a signed checkpoint")
    )
    reason: str = field(Text(MOST_REASON))
    signature: str = field(_signature())
