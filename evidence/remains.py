"""What is left of a plan's recorded life where bodies were erased (docs/ledger-format.md, Erasure)."""

from collections.abc import Sequence
from typing import NamedTuple

from ledger.erasure import erased
from ledger.store import Reader
from schemas.errors import ErasedError
from schemas.ledger import LedgerRecord
from schemas.ledger_erasure import KEPT

_HINT = "what was erased stays erased in this ledger; record it in another one"


class Remains(NamedTuple):
    """The steps that can be taken again, the receipts that were erased, whether evidence of one retired."""

    steps: Sequence[LedgerRecord]
    receipts: frozenset[str]
    retired: bool


def remains(reader: Reader, records: Sequence[LedgerRecord]) -> Remains:
    """What is left of the life that these records tell; ErasedError when the plan itself was erased.

    A body that is gone without a word is left in `steps`: whoever asks for it says so.
    """
    named = erased(reader)
    gone = [
        one
        for one in records
        if one.kind not in KEPT and one.body.digest in named and reader.body(one.body.digest) is None
    ]
    for one in gone:
        if one.subject.receipt_digest is None:
            raise refusal("plan", one.subject.plan_id)
    receipts = frozenset(str(one.subject.receipt_digest) for one in gone)
    touched = [one for one in records if one.subject.receipt_digest in receipts]
    steps = [one for one in records if one.subject.receipt_digest not in receipts]
    return Remains(steps, receipts, any(one.kind == "evidence.retired" for one in touched))


def refusal(what: str, identity: str | None) -> ErasedError:
    """The error that says so."""
    return ErasedError(f"the {what} {identity} was erased from this ledger", subject=identity, hint=_HINT)
