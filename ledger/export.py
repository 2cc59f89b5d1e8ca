"""Walk a whole log once for an export: every record, its body and the checkpoint that was signed there."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ledger.chain import links
from ledger.files import fresh, sweep, synchronise
from ledger.store import Head, Reader
from schemas.errors import ConflictError, IntegrityError, StorageError, UsageError
from schemas.ledger import LedgerRecord


class Stored(NamedTuple):
    """One record, its id, its body unless that is gone, and the checkpoint whose last record it is."""

    raw: bytes
    id: str
    record: LedgerRecord
    body: bytes | None
    note: bytes | None


def walk(reader: Reader) -> Iterator[Stored]:
    """Every record in order; IntegrityError at the first that does not hold."""
    notes = reader.checkpoints()
    size, note = next(notes, (0, b""))
    for link in links(reader.records(), _its_own):
        if link.record is None or link.breaks:
            first = link.breaks[0]
            raise _damaged(f"record {link.seq}: {first.field} is {first.found}, not {first.expected}")
        here = None
        if size == link.seq + 1:
            here = note
            size, note = next(notes, (0, b""))
        yield Stored(link.raw, link.id, link.record, reader.body(link.record.body.digest), here)
    if size:
        raise _damaged(f"a checkpoint of {size} records is of none that are stored")


def _its_own(_idem: str, seq: int) -> int:
    """A key that comes twice is for an audit to tell: to look for it would keep all keys in memory."""
    return seq


def head_of(reader: Reader) -> Head:
    """The last record; UsageError when there is nothing to export."""
    head = reader.head()
    if head is None:
        raise UsageError("the ledger holds no record; there is nothing to export", subject="ledger")
    return head


def written(path: Path, write: Callable[[BinaryIO], None], *, force: bool = False) -> None:
    """A new file at `path` with what `write` puts into it: whole and durable, or not there at all.

    ConflictError: something is there, and `force` does not say to replace it.
    """
    if path.exists() and not force:
        raise ConflictError(f"{path} is there already", subject=str(path), hint="say --force to replace it")
    try:
        name, descriptor = fresh(path)
        new = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
        synchronise(path.parent)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error}", subject=str(path)) from error
    sweep(path)


def _damaged(complaint: str) -> IntegrityError:
    return IntegrityError(
        complaint, subject="ledger", hint="an audit says more; a damaged ledger is not exported"
    )
