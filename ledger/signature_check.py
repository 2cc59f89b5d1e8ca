"""Verify every signature of a log with a key: its keys, checkpoints and restorals (ledger.md section 2)."""

from collections.abc import Iterator

from ledger.chain import Break
from ledger.checkpoint import Checkpoint
from ledger.keyring import Period, key_at, periods, restorals
from ledger.store import Reader
from schemas.errors import IntegrityError, InvalidError

_KEYS = "each key is signed for by the one before it"
_SIGNED = "a checkpoint is signed by the key of the last record that it covers"


def signature_breaks(reader: Reader) -> Iterator[Break]:
    """Every signature that does not hold or is missing; nothing for a log without a key.

    The keys are those that the log itself tells; whether they are the right ones is for a Policy to say.
    NotReadyError: the extra that verifies is not installed.
    """
    try:
        keys = periods(reader)
        if not keys:
            return
        restorals(reader, keys)
    except (IntegrityError, InvalidError) as error:
        yield Break(0, "key", _KEYS, "a signature that holds", error.message)
        return
    covered = 0
    for size, note in reader.checkpoints():
        covered = size
        yield from _checkpoint(size, note, keys)
    head = reader.head()
    records = 0 if head is None else head.seq + 1
    if covered != records:
        rule = "every commit of a log with a key is signed"
        yield Break(
            records - 1, "checkpoint", rule, f"a checkpoint of {records} records", f"one of {covered}"
        )


def _checkpoint(size: int, raw: bytes, keys: list[Period]) -> Iterator[Break]:
    seq, expected, name = size - 1, key_at(keys, size), keys[0].key.name
    try:
        note, stated = Checkpoint.of(raw)
        signed = note.verified(period.key for period in keys)
    except InvalidError:
        return  # told by index_breaks, which reads the same bytes
    except IntegrityError as error:
        yield Break(seq, "checkpoint", _SIGNED, str(expected), error.message)
        return
    if stated.origin != name:
        yield Break(seq, "checkpoint.origin", "one log, one name", name, stated.origin)
    if expected not in signed:
        yield Break(seq, "checkpoint", _SIGNED, str(expected), ", ".join(map(str, signed)) or "nobody known")
