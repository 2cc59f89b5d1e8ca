"""Verify every signature of a log with a key: its keys, checkpoints and restorals (ledger.md section 2)."""

from collections.abc import Iterator
from contextlib import suppress

from ledger.chain import Break
from ledger.checkpoint import Checkpoint
from ledger.keyring import RESTORED, ROTATED, Period, key_at, periods, restorals
from ledger.note import Known, known
from ledger.store import Reader
from schemas.errors import IntegrityError, InvalidError
from schemas.ledger import read_raw

_KEYS = "each key is signed for by the one before it"
_ONE_NAME = "one log, one name"
_NOBODY = "a log without a key has nobody who could sign this"
_SIGNED = "a checkpoint is signed by the key of the last record that it covers"


def signature_breaks(reader: Reader) -> Iterator[Break]:
    """Every signature that does not hold or is missing; in a log without a key, all that only a key can do.

    The keys are those that the log itself tells; whether they are the right ones is for a Policy to say.
    NotReadyError: the extra that verifies is not installed.
    """
    try:
        keys = periods(reader)
        if not keys:
            yield from _without_key(reader)
            return
        restorals(reader, keys)
    except (IntegrityError, InvalidError) as error:
        yield Break(0, "key", _KEYS, "a signature that holds", error.message)
        return
    covered, every = 0, known(period.key for period in keys)
    for size, note in reader.checkpoints():
        covered = size
        yield from _checkpoint(size, note, keys, every)
    head = reader.head()
    records = 0 if head is None else head.seq + 1
    if covered != records:
        rule = "every commit of a log with a key is signed"
        yield Break(
            records - 1, "checkpoint", rule, f"a checkpoint of {records} records", f"one of {covered}"
        )


def _without_key(reader: Reader) -> Iterator[Break]:
    for kind in (ROTATED, RESTORED):
        for seq, _ in reader.of_kind(kind):
            yield Break(seq, "kind", _NOBODY, "another kind", kind)
    log = read_raw(reader.raw(0) or b"").log
    for size, note in reader.checkpoints():
        with suppress(InvalidError):  # told by index_breaks, which reads the same bytes
            stated = Checkpoint.of(note)[1]
            if stated.origin != log:
                yield Break(size - 1, "checkpoint.origin", _ONE_NAME, log, stated.origin)


def _checkpoint(size: int, raw: bytes, keys: list[Period], every: Known) -> Iterator[Break]:
    seq, expected, name = size - 1, key_at(keys, size), keys[0].key.name
    try:
        note, stated = Checkpoint.of(raw)
        signed = note.verified_by(every)
    except InvalidError:
        return  # told by index_breaks, which reads the same bytes
    except IntegrityError as error:
        yield Break(seq, "checkpoint", _SIGNED, str(expected), error.message)
        return
    if stated.origin != name:
        yield Break(seq, "checkpoint.origin", _ONE_NAME, name, stated.origin)
    if expected not in signed:
        yield Break(seq, "checkpoint", _SIGNED, str(expected), ", ".join(map(str, signed)) or "nobody known")
