"""What is seen inside one transaction of a store over SQL (ledger.md section 3).

The statements are those that SQLite and PostgreSQL both understand. A store that holds several logs puts
its own log into each WHERE and VALUES, so that every table that is named here has one of the two.
"""

import re
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any, Protocol

from ledger.chain import Break
from ledger.store import REGISTERED, Head
from ledger.tree import kept
from schemas.canonical import digest_bytes, is_digest
from schemas.errors import IntegrityError, UsageError
from schemas.ledger import LedgerRecord, read_raw, record_id

if TYPE_CHECKING:
    from ledger.body_check import BodyCheck

_PREFIX = re.compile(r"(?:(sha256|blake3):)?([0-9a-f]{1,64})")
_MOST_LIKE = 8
CHUNK = 256
# A file may hold rows that no walk comes to, below the first record: nobody is shown one.
LAST = "SELECT seq, raw FROM records WHERE seq >= 0 ORDER BY seq DESC LIMIT 1"
HEAD = "SELECT seq, digest FROM head WHERE TRUE"
AFTER = "SELECT seq, raw FROM records WHERE seq > ? ORDER BY seq LIMIT ?"
LAST_NOTE = "SELECT size, note FROM checkpoints WHERE size > 0 ORDER BY size DESC LIMIT 1"
RAW = "SELECT seq, raw FROM records WHERE seq = ? AND seq >= 0"
LATEST = "SELECT seq, raw FROM records WHERE kind = ? AND seq >= 0 ORDER BY seq DESC LIMIT 1"
SAME_KEY = "SELECT seq, raw FROM records WHERE idem = ? AND seq >= 0"
_OUTSIDE = {
    "records": "SELECT COUNT(*) FROM records WHERE seq < 0",
    "checkpoints": "SELECT COUNT(*) FROM checkpoints WHERE size < 1",
}
_NO_CHECKPOINT = (-1, b"")
_RULE = "the index says what the record says"


Row = tuple[Any, ...]


class Rows(Protocol):
    """One statement, done inside the transaction: all its rows; errors as ours."""

    def __call__(self, sql: str, /, *values: object) -> list[Row]: ...


class SqlReader:
    """A Reader over one snapshot; it ends with its transaction. `place` names the store in errors."""

    def __init__(self, rows: Rows, place: str) -> None:
        self._rows = rows
        self._place = place

    def end(self) -> None:
        """Refuse every later use: the connection belongs to somebody else by then."""
        self._rows = refuse

    def head(self) -> Head | None:
        """The last record, None when there is none; IntegrityError: it is not the last that was appended."""
        found = self._pair(LAST)
        return None if found is None else self._checked(*found, self._rows(HEAD))

    def _checked(self, seq: int, raw: bytes, stated: list[Row]) -> Head:
        record = read_raw(raw)
        if record.seq != seq:
            raise self._wrong(f"record.seq is {record.seq} where {seq} is stored")
        identity = record_id(raw)
        if stated != [(seq, key_of(identity))]:
            raise self._wrong(f"record {seq} is not the one that was appended last")
        return Head(record.log, seq, identity)

    def raw(self, seq: int) -> bytes | None:
        """The stored bytes of one record."""
        found = self._pair(RAW, seq)
        return None if found is None else found[1]

    def records(self, after: int = -1) -> Iterator[tuple[int, bytes]]:
        """Every (seq, raw) beyond `after` in order, a few at a time; IntegrityError: they never end."""
        while chunk := self._pairs(AFTER, after, CHUNK):
            if chunk[-1][0] <= after:  # in a damaged table rows come again, and would for ever
                raise self._wrong("its records come again and again")
            yield from chunk
            after = chunk[-1][0]

    def body(self, digest: str) -> bytes | None:
        """The body of that digest, None when absent or erased; IntegrityError when it is another."""
        found = self._rows("SELECT bytes FROM bodies WHERE digest = ?", key_of(digest))
        if not found:
            return None
        body = self._blob(found[0][0])
        if digest_bytes(body) != digest:
            if not body:
                return None
            raise IntegrityError(f"the body stored under {digest} is another", subject=digest)
        return body

    def of_subject(self, identity: str) -> list[tuple[int, bytes]]:
        """Every (seq, raw) whose subject names `identity` in any field, in order."""
        algorithm, _, digits = identity.partition(":")
        return self._pairs(
            "SELECT seq, raw FROM records WHERE seq >= 0 AND seq IN"
            " (SELECT seq FROM subjects WHERE hex = ? AND algorithm = ?) ORDER BY seq",
            digits,
            algorithm,
        )

    def of_kind(self, kind: str) -> list[tuple[int, bytes]]:
        """Every (seq, raw) of one kind, in order."""
        return self._pairs("SELECT seq, raw FROM records WHERE kind = ? AND seq >= 0 ORDER BY seq", kind)

    def latest(self, kind: str) -> tuple[int, bytes] | None:
        """The last (seq, raw) of one kind."""
        return self._pair(LATEST, kind)

    def ids_like(self, prefix: str, field: str | None = None) -> list[tuple[str, str]]:
        """A handful of (field, id) whose id begins with `prefix`, given with or without its algorithm."""
        match = _PREFIX.fullmatch(prefix)
        if match is None:
            return []
        algorithm, digits = match.groups()
        found = self._rows(
            "SELECT field, algorithm || ':' || hex FROM subjects WHERE hex >= ? AND hex < ?"
            " AND (CAST(? AS TEXT) IS NULL OR algorithm = ?) AND (CAST(? AS TEXT) IS NULL OR field = ?)"
            " GROUP BY hex, algorithm, field ORDER BY hex, algorithm, field LIMIT ?",
            *(digits, f"{digits}g", algorithm, algorithm, field, field, _MOST_LIKE),
        )
        return [(str(name), str(identity)) for name, identity in found]

    def has_schema(self, name: str, digest: str) -> bool:
        """Whether that schema was registered here."""
        query = "SELECT 1 FROM schemas WHERE name = ? AND digest = ?"
        return bool(self._rows(query, name, key_of(digest)))

    def subtree(self, level: int, index: int) -> bytes:
        """The stored hash over the 2^level records from index·2^level on; IntegrityError when absent."""
        return kept(self._tree_row)(level, index)

    def checkpoint(self, size: int) -> bytes | None:
        """The first signed checkpoint that covers at least `size` records."""
        query = "SELECT size, note FROM checkpoints WHERE size >= ? AND size > 0 ORDER BY size LIMIT 1"
        found = self._pair(query, size) if self._grown() else None
        return None if found is None else found[1]

    def last_checkpoint(self) -> bytes | None:
        """The signed checkpoint of the most records."""
        found = self._pair(LAST_NOTE) if self._grown() else None
        return None if found is None else found[1]

    def checkpoints(self) -> Iterator[tuple[int, bytes]]:
        """Every (size, note) in order of size, a few at a time; IntegrityError: they never end."""
        query = "SELECT size, note FROM checkpoints WHERE size > ? ORDER BY size LIMIT ?"
        after = 0
        while self._grown() and (chunk := self._pairs(query, after, CHUNK)):
            if chunk[-1][0] <= after:
                raise self._wrong("its checkpoints come again and again")
            yield from chunk
            after = chunk[-1][0]

    def _tree_row(self, seq: int) -> bytes:
        row = self._rows("SELECT tree FROM records WHERE seq = ?", seq) if self._grown() else []
        return self._blob(row[0][0]) if row else b""

    def _grown(self) -> bool:
        """Whether the store has its tree."""
        return True

    def index_breaks(self) -> Iterator[Break]:
        """Every derived row that is not what the stored bytes make of it, the stored head among them."""
        from ledger.body_check import BodyCheck  # an audit's, not a writer's
        from ledger.index_check import fits

        yield from self._outside()
        with closing(BodyCheck()) as bodies:
            if not self._grown() or not fits(self._rows, self.checkpoints(), bodies):
                yield from self._row_breaks(bodies)
            yield from bodies.strays(self._rows)

    def _outside(self) -> Iterator[Break]:
        for table, query in _OUTSIDE.items():
            if table == "records" or self._grown():
                rule, found = "no row stands where no record is", self._rows(query)
                yield from _differing(0, rule, {table: found}, {table: [(0,)]})

    def _row_breaks(self, bodies: "BodyCheck") -> Iterator[Break]:
        from ledger.written import read_written  # an audit's, not a writer's

        seq, identity, named, all_read = 0, "", 0, True
        registered: set[Row] = set()
        yield from self._tree_breaks()
        for seq, raw in self.records():
            identity = record_id(raw)
            try:
                record = read_written(raw)
            except IntegrityError:
                all_read = False  # told by the chain; nothing can be derived from it
                bodies.unread()
                continue
            bodies.name(seq, record.body.digest)
            if record.kind == REGISTERED:
                registered.add((record.schema.name, key_of(record.schema.digest)))
            found = self._derived(seq, record)
            named += len(found["subject"])
            yield from _differing(seq, _RULE, found, _derive(record))
        expected: dict[str, object] = {
            "head": [(seq, key_of(identity))] if identity else [],
            "schemas": sorted(registered),
        }
        if all_read:
            expected["subjects"] = [(named,)]
        yield from _differing(seq, "the table says what the records say", self._tables(), expected)

    def _tree_breaks(self) -> Iterator[Break]:
        from ledger.tree_check import TreeCheck, checkpoint_breaks  # an audit's, not a writer's

        tree, notes = TreeCheck(), self.checkpoints()
        size, note = next(notes, _NO_CHECKPOINT)
        for seq, raw, stored in self._tree_rows():
            if seq != tree.size:  # told by the chain; a tree over what is left is another tree
                return
            expected = tree.row(raw, stored)
            yield from _differing(seq, _RULE, {"tree": stored}, {"tree": expected})
            if size == tree.size:
                yield from checkpoint_breaks(seq, note, tree)
                size, note = next(notes, _NO_CHECKPOINT)
        while note:
            found = f"a checkpoint of {size} records"
            yield Break(tree.size - 1, "checkpoint", "a checkpoint is of stored records", "none", found)
            size, note = next(notes, _NO_CHECKPOINT)

    def _tree_rows(self) -> Iterator[tuple[int, bytes, object]]:
        query = "SELECT seq, raw, tree FROM records WHERE seq > ? ORDER BY seq LIMIT ?"
        after = -1
        while self._grown() and (chunk := self._rows(query, after, CHUNK)):
            for seq, raw, stored in chunk:
                yield seq, self._blob(raw), stored
            after = chunk[-1][0]

    def _tables(self) -> dict[str, object]:
        return {
            "head": self._rows(HEAD),
            "schemas": self._rows("SELECT name, digest FROM schemas WHERE TRUE ORDER BY name, digest"),
            "subjects": self._rows("SELECT COUNT(seq) FROM subjects WHERE TRUE"),
        }

    def _derived(self, seq: int, record: LedgerRecord) -> dict[str, Any]:
        # In a damaged table a row that was walked to may not be found by its key.
        found = self._rows("SELECT prev, idem, kind FROM records WHERE seq = ?", seq)
        row = found[0] if found else ("none", "none", "none")
        # Asked for by key: looking for all rows of one seq would read the whole table each time. A row
        # that no record asks for is seen in their number.
        present = "SELECT 1 FROM subjects WHERE hex = ? AND algorithm = ? AND field = ? AND seq = ?"
        subject = [
            (field, identity)
            for field, identity in sorted(record.subject.ids().items())
            if self._rows(present, *hex_and_algorithm(identity), field, seq)
        ]
        return {"prev": row[0], "idem": row[1], "kind": row[2], "subject": subject}

    def _pairs(self, sql: str, *values: object) -> list[tuple[int, bytes]]:
        return [(seq, self._blob(raw)) for seq, raw in self._rows(sql, *values)]

    def _pair(self, sql: str, *values: object) -> tuple[int, bytes] | None:
        found = self._pairs(sql, *values)
        return found[0] if found else None

    def _blob(self, value: object) -> bytes:
        # A column of SQLite holds any type, whatever its declaration says.
        if not isinstance(value, bytes):
            raise self._wrong("stored bytes are text or a number")
        return value

    def _wrong(self, complaint: str) -> IntegrityError:
        return IntegrityError(f"{self._place}: {complaint}", subject=self._place)


def refuse(_sql: str, *_values: object) -> list[Row]:
    """In place of every statement once the transaction has ended."""
    raise UsageError("a view of the ledger was used after its transaction had ended")


def key_of(digest: str) -> bytes:
    """The bytes of a digest, as the columns hold them."""
    # No column holds what a text that is no digest gives, so that looking it up finds nothing.
    return bytes_of(digest) if is_digest(digest) else b"no digest"


def bytes_of(digest: str) -> bytes:
    """The 32 bytes of a digest that was checked or made here."""
    return bytes.fromhex(digest[7:])  # both algorithms have names of one length


def _derive(record: LedgerRecord) -> dict[str, object]:
    return {
        "prev": b"" if record.prev is None else key_of(record.prev),
        "idem": key_of(record.idem),
        "kind": record.kind,
        "subject": sorted(record.subject.ids().items()),
    }


def _differing(seq: int, rule: str, found: dict[str, object], expected: dict[str, object]) -> Iterator[Break]:
    for name, value in expected.items():
        if found[name] != value:
            yield Break(seq, name, rule, _shown(value), _shown(found[name]))


def _shown(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list | tuple):
        return f"[{', '.join(_shown(item) for item in value)}]"
    return str(value)


def hex_and_algorithm(identity: str) -> tuple[str, str]:
    """An id as the rows of its look-up hold it."""
    algorithm, _, digits = identity.partition(":")
    return digits, algorithm
