"""A log that was carried away as files, read through an index of its own (ledger.md section 3).

A bundle and a tiles folder have no index. One is made while they are read, in a private database of
SQLite's that goes to disk when it grows, so that memory does not grow with the log.
"""

import re
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from ledger.body_check import RULE as STRAY
from ledger.chain import Break
from ledger.store import REGISTERED, Head
from ledger.tree import kept
from ledger.tree_check import TreeCheck, checkpoint_breaks
from ledger.written import read_written
from schemas.errors import IntegrityError
from schemas.ledger import record_id

Place = int | str
Pair = tuple[int, bytes]

_TABLES = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE records (seq INTEGER PRIMARY KEY, place, kind TEXT, tree BLOB);
CREATE INDEX by_kind ON records (kind);
CREATE TABLE bodies (digest TEXT PRIMARY KEY, place) WITHOUT ROWID;
CREATE TABLE named (digest TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE notes (number INTEGER PRIMARY KEY, size INTEGER, place);
CREATE TABLE subjects (hex TEXT, algorithm TEXT, field TEXT, seq INTEGER,
    PRIMARY KEY (hex, algorithm, field, seq)) WITHOUT ROWID;
CREATE TABLE schemas (name TEXT, digest TEXT, PRIMARY KEY (name, digest)) WITHOUT ROWID;
"""
_PREFIX = re.compile(r"(?:(sha256|blake3):)?([0-9a-f]{1,64})")
_MOST_LIKE = 8
_CHUNK = 256


class CarriedReader(ABC):
    """A Reader of files; its subclass says where each record, body and checkpoint stands."""

    def __init__(self) -> None:
        self._index = sqlite3.connect("", isolation_level=None)
        self._index.executescript(_TABLES)
        self._index.execute("BEGIN")
        self._log = ""
        self._size = 0
        self._bodies = 0
        self._derived = False
        self._all_read = True
        self._breaks: list[Break] = []
        self.torn: str | None = None

    @abstractmethod
    def content(self, place: Place) -> bytes:
        """The bytes that stand at that place."""

    def close(self) -> None:
        """Give the index back."""
        self._index.close()

    @property
    def named(self) -> str | None:
        """What the files say that the log is called, be there a record or none; None: nothing."""
        return self._log or None

    def head(self) -> Head | None:
        """The last record; None when there is none at all."""
        raw = self.raw(self._size - 1)
        return None if raw is None else Head(self._log, self._size - 1, record_id(raw))

    def raw(self, seq: int) -> bytes | None:
        """The stored bytes of one record."""
        return next(
            (raw for _, raw in self._pairs("SELECT seq, place FROM records WHERE seq = ?", seq)), None
        )

    def records(self, after: int = -1) -> Iterator[Pair]:
        """Every (seq, raw) beyond `after` in order, a few at a time."""
        query = "SELECT seq, place FROM records WHERE seq > ? ORDER BY seq LIMIT ?"
        while chunk := self._pairs(query, after, _CHUNK):
            yield from chunk
            after = chunk[-1][0]

    def body(self, digest: str) -> bytes | None:
        """The body of that digest, None when absent or erased."""
        found = self._rows("SELECT place FROM bodies WHERE digest = ?", digest)
        return self.content(found[0][0]) if found else None

    def of_subject(self, identity: str) -> list[Pair]:
        """Every (seq, raw) whose subject names `identity` in any field, in order."""
        self._derive()
        algorithm, _, digits = identity.partition(":")
        return self._pairs(
            "SELECT seq, place FROM records WHERE seq IN"
            " (SELECT seq FROM subjects WHERE hex = ? AND algorithm = ?) ORDER BY seq",
            digits,
            algorithm,
        )

    def of_kind(self, kind: str) -> list[Pair]:
        """Every (seq, raw) of one kind, in order."""
        self._derive()
        return self._pairs("SELECT seq, place FROM records WHERE kind = ? ORDER BY seq", kind)

    def latest(self, kind: str) -> Pair | None:
        """The last (seq, raw) of one kind."""
        self._derive()
        query = "SELECT seq, place FROM records WHERE kind = ? ORDER BY seq DESC LIMIT 1"
        return next(iter(self._pairs(query, kind)), None)

    def ids_like(self, prefix: str, field: str | None = None) -> list[tuple[str, str]]:
        """A handful of (field, id) whose id begins with `prefix`, given with or without its algorithm."""
        match = _PREFIX.fullmatch(prefix)
        if match is None:
            return []
        self._derive()
        algorithm, digits = match.groups()
        found = self._rows(
            "SELECT DISTINCT field, algorithm || ':' || hex FROM subjects WHERE hex >= ? AND hex < ?"
            " AND (? IS NULL OR algorithm = ?) AND (? IS NULL OR field = ?)"
            " ORDER BY hex, algorithm, field LIMIT ?",
            *(digits, f"{digits}g", algorithm, algorithm, field, field, _MOST_LIKE),
        )
        return [(str(name), str(identity)) for name, identity in found]

    def has_schema(self, name: str, digest: str) -> bool:
        """Whether that schema was registered here."""
        self._derive()
        return bool(self._rows("SELECT 1 FROM schemas WHERE name = ? AND digest = ?", name, digest))

    def subtree(self, level: int, index: int) -> bytes:
        """The hash over the 2^level records from index·2^level on; IntegrityError when absent."""
        self._derive()
        return kept(self._tree_row)(level, index)

    def checkpoint(self, size: int) -> bytes | None:
        """The first signed checkpoint that covers at least `size` records."""
        return next((note for covered, note in self.checkpoints() if covered >= size), None)

    def last_checkpoint(self) -> bytes | None:
        """The signed checkpoint of the most records."""
        found = self._rows("SELECT place FROM notes ORDER BY number DESC LIMIT 1")
        return self.content(found[0][0]) if found else None

    def checkpoints(self) -> Iterator[Pair]:
        """Every (size, note) in order of size, a few at a time."""
        query, after = "SELECT number, size, place FROM notes WHERE number > ? ORDER BY number LIMIT ?", 0
        while chunk := self._rows(query, after, _CHUNK):
            yield from ((size, self.content(place)) for _, size, place in chunk)
            after = chunk[-1][0]

    def index_breaks(self) -> Iterator[Break]:
        """What is wrong with the files as a whole, and with the checkpoints in them."""
        yield from self._breaks
        yield from self._stray_bodies()
        notes = self.checkpoints()
        size, note = next(notes, (-1, b""))
        tree = TreeCheck()
        for seq, raw in self.records():
            tree.row(raw, None)
            while size == seq + 1:
                yield from checkpoint_breaks(seq, note, tree)
                size, note = next(notes, (-1, b""))
        if size == 0:
            yield Break(0, "checkpoint", "a checkpoint is of stored records", "a record before it", "none")

    def may_be_erased(self) -> bool:
        """Whether the end that was lost may have told of a body that is absent that it was erased."""
        return self.torn is not None and not self._strays()

    def _stray_bodies(self) -> Iterator[Break]:
        """Which bodies are of no record or there twice, beyond what the end that was lost explains."""
        strays, last = self._strays(), max(0, self._size - 1)
        for digest in strays:
            yield Break(last, "body", STRAY, "no such body", digest)
        [(different,)] = self._rows("SELECT COUNT(*) FROM bodies")
        if different != self._bodies and self._all_read:
            rule = "a body is there once"
            yield Break(last, "body", rule, f"{different} bodies", f"{self._bodies} bodies")

    def _strays(self) -> list[str]:
        """Which bodies no record names, where every record can be read and the lost end had none of it."""
        self._derive()
        if not self._all_read:
            return []
        query = "SELECT digest, place FROM bodies WHERE digest NOT IN (SELECT digest FROM named) ORDER BY 1"
        return [digest for digest, place in self._rows(query) if not self._before_its_record(place)]

    def _before_its_record(self, place: Place) -> bool:
        """Whether the record of the body at that place may have stood in the end that was lost.

        Only behind the last record: each body stands right before the first record that names it.
        """
        [(last,)] = self._rows("SELECT COALESCE(MAX(place), -1) FROM records")
        return self.torn is not None and int(place) > int(last)

    def found_record(self, place: Place) -> None:
        """The next record stands there."""
        self._index.execute("INSERT INTO records (seq, place) VALUES (?, ?)", (self._size, place))
        self._size += 1

    def found_body(self, digest: str, place: Place) -> None:
        """A body of that digest stands there; the first one counts."""
        self._index.execute("INSERT OR IGNORE INTO bodies VALUES (?, ?)", (digest, place))
        self._bodies += 1

    def found_note(self, place: Place, size: int | None = None) -> None:
        """A checkpoint of so many records stands there; without `size` of those found so far."""
        row = (self._size if size is None else size, place)
        self._index.execute("INSERT INTO notes (size, place) VALUES (?, ?)", row)

    def _derive(self) -> None:
        """Read every record once for all that is looked up by what they say; what breaks an audit tells."""
        if self._derived:
            return
        self._derived, tree = True, TreeCheck()
        for seq, raw in self.records():
            kind = self._named(seq, raw)
            row = (tree.row(raw, None), kind, seq)
            self._index.execute("UPDATE records SET tree = ?, kind = ? WHERE seq = ?", row)

    def _named(self, seq: int, raw: bytes) -> str | None:
        try:
            record = read_written(raw)
        except IntegrityError:
            self._all_read = False
            return None
        self._index.execute("INSERT OR IGNORE INTO named VALUES (?)", (record.body.digest,))
        subjects = (
            (*reversed(identity.split(":")), field, seq) for field, identity in record.subject.ids().items()
        )
        self._index.executemany("INSERT OR IGNORE INTO subjects VALUES (?, ?, ?, ?)", subjects)
        if record.kind == REGISTERED:
            schema = (record.schema.name, record.schema.digest)
            self._index.execute("INSERT OR IGNORE INTO schemas VALUES (?, ?)", schema)
        return record.kind

    def _tree_row(self, seq: int) -> bytes:
        found = self._rows("SELECT tree FROM records WHERE seq = ?", seq)
        return bytes(found[0][0]) if found else b""

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        return self._index.execute(sql, values).fetchall()

    def _pairs(self, sql: str, *values: object) -> list[Pair]:
        return [(seq, self.content(place)) for seq, place in self._rows(sql, *values)]
