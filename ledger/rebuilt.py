"""Write a SQLite ledger out of given bytes, each derived row as they make it: to copy a log, or to forge one.

A test of an audit needs forgeries that are right in everything but one thing.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ledger.checkpoint import Checkpoint
from ledger.export import walk
from ledger.sqlite_file import connect, lay_out, run
from ledger.store import REGISTERED, Reader
from ledger.tree import Frontier, leaf_hash
from schemas.canonical import digest_bytes
from schemas.ledger import read_raw, record_id

_TIMEOUT_SECONDS = 10.0


class Piece(NamedTuple):
    """A record's bytes, its body unless that is gone, and the checkpoint that covers it last."""

    raw: bytes
    body: bytes | None
    note: bytes | None = None


def pieces(reader: Reader) -> Iterator[Piece]:
    """All that a log holds; IntegrityError where it does not hold together."""
    return (Piece(stored.raw, stored.body, stored.note) for stored in walk(reader))


def rebuild(path: Path, held: Iterable[Piece]) -> None:
    """A new ledger file that holds these pieces in this order; they need not hold together."""
    with closing(connect(path, "mode=rwc", _TIMEOUT_SECONDS)) as connection:
        put = partial(run, connection, path)
        put("PRAGMA journal_mode = OFF")
        put("PRAGMA synchronous = OFF")
        put("BEGIN")
        lay_out(connection, path)
        tree, seq, raw = Frontier(), -1, b""
        for seq, (raw, body, note) in enumerate(held):
            tree, completed = tree.append(leaf_hash(raw))
            _put_record(put, seq, Piece(raw, body), b"".join(completed))
            if note is not None:
                put("INSERT INTO checkpoints VALUES (?, ?)", seq + 1, note)
        put("UPDATE head SET seq = ?, digest = ?", seq, key(record_id(raw)))
        put("COMMIT")


def rechained(held: Iterable[Piece], sign: Callable[[Checkpoint], bytes] | None = None) -> Iterator[Piece]:
    """The pieces as whoever can write all of them anew makes them: seq, prev, digests and sizes are right.

    Checkpoints are made anew with `sign`, else they stay as they were signed.
    """
    tree, prev = Frontier(), None
    for seq, (raw, body, note) in enumerate(held):
        record = read_raw(raw).replace(seq=seq, prev=prev)
        if body is not None:
            record = record.replace(body=record.body.replace(digest=digest_bytes(body), size=len(body)))
        if record.kind == REGISTERED:
            record = record.replace(schema=record.schema.replace(digest=record.body.digest))
        made = record.canonical()
        tree, _ = tree.append(leaf_hash(made))
        prev = record_id(made)
        if sign is None or note is None:
            yield Piece(made, body, note)
        else:
            yield Piece(made, body, sign(Checkpoint(record.log, tree.size, tree.root())))


def key(digest: str) -> bytes:
    """The bytes by which a digest is stored."""
    return bytes.fromhex(digest.partition(":")[2])


def _put_record(put: Callable[..., object], seq: int, piece: Piece, tree: bytes) -> None:
    record = read_raw(piece.raw)
    if piece.body is not None:
        put("INSERT OR IGNORE INTO bodies VALUES (?, ?)", key(record.body.digest), piece.body)
    prev = b"" if record.prev is None else key(record.prev)
    row = (seq, piece.raw, prev, key(record.idem), record.kind, tree)
    put("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)", *row)
    for field, identity in record.subject.ids().items():
        algorithm, _, digits = identity.partition(":")
        put("INSERT INTO subjects VALUES (?, ?, ?, ?)", digits, algorithm, field, seq)
    if record.kind == REGISTERED:
        schema = record.schema
        put("INSERT OR IGNORE INTO schemas VALUES (?, ?)", schema.name, key(schema.digest))
