"""Check that stored records are one unbroken chain, and say of each what is wrong with it."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from schemas.errors import IntegrityError
from schemas.ledger import LedgerRecord, record_id

First = Callable[[str, int], int]
"""Which record used this key first: asked in order with each key and its seq."""


class Break(NamedTuple):
    """One rule that one record breaks: which field, what was expected there, what was found."""

    seq: int
    field: str
    rule: str
    expected: str
    found: str


class Link(NamedTuple):
    """One stored record, its true id, what it reads as if it can be read, and what is wrong with it."""

    seq: int
    raw: bytes
    id: str
    record: LedgerRecord | None
    breaks: tuple[Break, ...]


def links(records: Iterable[tuple[int, bytes]], first_use: First | None = None) -> Iterator[Link]:
    """Every record from the first one on, checked by its bytes and by those right before it.

    A break is reported and the walk goes on from what is stored, so that one edit is one finding.
    Without `first_use` the keys are kept in memory.
    """
    from ledger.written import read_written  # an audit's, not a writer's

    before: Link | None = None
    log: str | None = None
    idems: dict[str, int] = {}
    first_use = first_use or idems.setdefault
    for seq, raw in records:
        identity = record_id(raw)
        record, breaks = _read(read_written, seq, raw)
        breaks += _position(seq, before)
        if record is not None:
            log = record.log if log is None else log
            prev = None if before is None else before.id
            if (record.seq, record.prev, record.log) != (seq, prev, log):
                expected = {"seq": str(seq), "prev": prev or "null", "log": log}
                breaks += _differences(seq, record, expected)
            first = first_use(record.idem, seq)
            if first != seq:
                breaks.append(same_key(seq, first))
        before = Link(seq, raw, identity, record, tuple(breaks))
        yield before


def same_key(seq: int, first: int) -> Break:
    """What is wrong with a record whose key another one had before."""
    return Break(seq, "idem", "one key, one record", "a new key", f"that of {first}")


def _read(
    read: Callable[[bytes], LedgerRecord], seq: int, raw: bytes
) -> tuple[LedgerRecord | None, list[Break]]:
    try:
        return read(raw), []
    except IntegrityError as error:
        field = (error.subject or "record").removeprefix("record.")
        return None, [Break(seq, field, "record format (ledger.md section 1)", "a record", error.message)]


def _position(seq: int, before: Link | None) -> list[Break]:
    expected = 0 if before is None else before.seq + 1
    if seq == expected:
        return []
    return [Break(seq, "seq", "no gap", str(expected), str(seq))]


def _differences(seq: int, record: LedgerRecord, expected: dict[str, str]) -> list[Break]:
    rules = {
        "seq": "seq is the place where the record is stored",
        "prev": "prev is the id of the record before it; one of the two was changed",
        "log": "one log, one name",
    }
    found = {"seq": str(record.seq), "prev": record.prev or "null", "log": record.log}
    return [
        Break(seq, name, rules[name], value, found[name])
        for name, value in expected.items()
        if found[name] != value
    ]
