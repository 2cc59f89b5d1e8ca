"""What is seen and appended inside one transaction of a store over SQL (ledger.md section 3).

The statements are those that SQLite and PostgreSQL both understand. A store that holds several logs puts
its own log into each WHERE and VALUES, so that every table that is named here has one of the two.
"""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from ledger.chain import Break
from ledger.store import REGISTERED, Appended, Clock, Draft, Head, Known, compose, repeat
from ledger.tree import Frontier, frontier_at, kept, leaf_hash
from schemas.canonical import digest_bytes, is_digest
from schemas.errors import IntegrityError, UsageError
from schemas.ledger import LedgerRecord, read_raw, record_id

if TYPE_CHECKING:
    from ledger.signing import Signing

_PREFIX = re.compile(r"(?:(sha256|blake3):)?([0-9a-f]{1,64})")
_MOST_LIKE = 8
_CHUNK = 256
_LAST = "SELECT seq, raw FROM records WHERE TRUE ORDER BY seq DESC LIMIT 1"
_HEAD = "SELECT seq, digest FROM head WHERE TRUE"
# The row of an erased body is empty, and stays. Who appends that body again is refused by NOT NULL, without
# another statement for all who do not.
_BODY = (
    "INSERT INTO bodies VALUES (?, ?)"
    " ON CONFLICT (digest) DO UPDATE SET bytes = NULL WHERE length(bodies.bytes) = 0"
)
_NO_BODY = "INSERT INTO bodies VALUES (?, ?) ON CONFLICT (digest) DO UPDATE SET bytes = excluded.bytes"
_SCHEMA = "INSERT INTO schemas VALUES (?, ?) ON CONFLICT DO NOTHING"
_NO_CHECKPOINT = (-1, b"")
_RULE = "the index says what the record says"


Row = tuple[Any, ...]


class Rows(Protocol):
    """One statement, done inside the transaction: all its rows; errors as ours."""

    def __call__(self, sql: str, /, *values: object) -> list[Row]: ...


class Put(Protocol):
    """One statement that gives no rows; a store may send it later, with what follows, in order."""

    def __call__(self, sql: str, /, *values: object) -> object: ...


class SqlReader:
    """A Reader over one snapshot; it ends with its transaction. `place` names the store in errors."""

    def __init__(self, rows: Rows, place: str) -> None:
        self._rows = rows
        self._place = place

    def end(self) -> None:
        """Refuse every later use: the connection belongs to somebody else by then."""
        self._rows = _refuse

    def head(self) -> Head | None:
        """The last record, None when there is none; IntegrityError: it is not the last that was appended."""
        found = self._pair(_LAST)
        if found is None:
            return None
        seq, raw = found
        record = read_raw(raw)
        if record.seq != seq:
            raise self._wrong(f"record.seq is {record.seq} where {seq} is stored")
        identity = record_id(raw)
        if self._rows(_HEAD) != [(seq, _key(identity))]:
            raise self._wrong(f"record {seq} is not the one that was appended last")
        return Head(record.log, seq, identity)

    def raw(self, seq: int) -> bytes | None:
        """The stored bytes of one record."""
        found = self._pair("SELECT seq, raw FROM records WHERE seq = ?", seq)
        return None if found is None else found[1]

    def records(self, after: int = -1) -> Iterator[tuple[int, bytes]]:
        """Every (seq, raw) beyond `after` in order, a few at a time."""
        while chunk := self._pairs(
            "SELECT seq, raw FROM records WHERE seq > ? ORDER BY seq LIMIT ?", after, _CHUNK
        ):
            yield from chunk
            after = chunk[-1][0]

    def body(self, digest: str) -> bytes | None:
        """The body of that digest, None when absent or erased; IntegrityError when it is another."""
        found = self._rows("SELECT bytes FROM bodies WHERE digest = ?", _key(digest))
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
            "SELECT seq, raw FROM records WHERE seq IN"
            " (SELECT seq FROM subjects WHERE hex = ? AND algorithm = ?) ORDER BY seq",
            digits,
            algorithm,
        )

    def of_kind(self, kind: str) -> list[tuple[int, bytes]]:
        """Every (seq, raw) of one kind, in order."""
        return self._pairs("SELECT seq, raw FROM records WHERE kind = ? ORDER BY seq", kind)

    def latest(self, kind: str) -> tuple[int, bytes] | None:
        """The last (seq, raw) of one kind."""
        return self._pair("SELECT seq, raw FROM records WHERE kind = ? ORDER BY seq DESC LIMIT 1", kind)

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
        return bool(self._rows(query, name, _key(digest)))

    def subtree(self, level: int, index: int) -> bytes:
        """The stored hash over the 2^level records from index·2^level on; IntegrityError when absent."""
        return kept(self._tree_row)(level, index)

    def checkpoint(self, size: int) -> bytes | None:
        """The first signed checkpoint that covers at least `size` records."""
        query = "SELECT size, note FROM checkpoints WHERE size >= ? ORDER BY size LIMIT 1"
        found = self._pair(query, size) if self._grown() else None
        return None if found is None else found[1]

    def last_checkpoint(self) -> bytes | None:
        """The signed checkpoint of the most records."""
        query = "SELECT size, note FROM checkpoints WHERE TRUE ORDER BY size DESC LIMIT 1"
        found = self._pair(query) if self._grown() else None
        return None if found is None else found[1]

    def checkpoints(self) -> Iterator[tuple[int, bytes]]:
        """Every (size, note) in order of size, a few at a time."""
        query = "SELECT size, note FROM checkpoints WHERE size > ? ORDER BY size LIMIT ?"
        after = -(1 << 63)
        while self._grown() and (chunk := self._pairs(query, after, _CHUNK)):
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
        seq, identity, named, all_read = 0, "", 0, True
        registered: set[Row] = set()
        yield from self._tree_breaks()
        for seq, raw in self.records():
            identity = record_id(raw)
            try:
                record = read_raw(raw)
            except IntegrityError:
                all_read = False  # told by the chain; nothing can be derived from it
                continue
            if record.kind == REGISTERED:
                registered.add((record.schema.name, _key(record.schema.digest)))
            found = self._derived(seq, record)
            named += len(found["subject"])
            yield from _differing(seq, _RULE, found, _derive(record))
        expected: dict[str, object] = {
            "head": [(seq, _key(identity))] if identity else [],
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
        while self._grown() and (chunk := self._rows(query, after, _CHUNK)):
            for seq, raw, stored in chunk:
                yield seq, self._blob(raw), stored
            after = chunk[-1][0]

    def _tables(self) -> dict[str, object]:
        return {
            "head": self._rows(_HEAD),
            "schemas": self._rows("SELECT name, digest FROM schemas WHERE TRUE ORDER BY name, digest"),
            "subjects": self._rows("SELECT COUNT(*) FROM subjects WHERE TRUE"),
        }

    def _derived(self, seq: int, record: LedgerRecord) -> dict[str, Any]:
        row = self._rows("SELECT prev, idem, kind FROM records WHERE seq = ?", seq)[0]
        # Asked for by key: looking for all rows of one seq would read the whole table each time. A row
        # that no record asks for is seen in their number.
        present = "SELECT 1 FROM subjects WHERE hex = ? AND algorithm = ? AND field = ? AND seq = ?"
        subject = [
            (field, identity)
            for field, identity in sorted(record.subject.ids().items())
            if self._rows(present, *_hex_and_algorithm(identity), field, seq)
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


class SqlWriter(SqlReader):
    """A Writer inside one transaction that holds the right to append."""

    def __init__(self, rows: Rows, put: Put, place: str, clock: Clock, known: Known | None = None) -> None:
        super().__init__(rows, place)
        self._put = put
        self._clock = clock
        self._head: Head | None = None
        self._tree = Frontier()
        self._known = known
        self._unsealed = False
        self._sealed: bytes | None = None
        self.signing: Signing | None = None

    def end(self) -> None:
        super().end()
        self._put = _refuse

    def append(self, draft: Draft) -> Appended:
        """Chain one step to the head; the same key and content again gives the first record back."""
        idem = draft.idem()
        first = self._pair("SELECT seq, raw FROM records WHERE idem = ?", _key(idem))
        if first is not None:
            return repeat(draft, read_raw(first[1]), record_id(first[1]))
        head = self._last()
        return self._insert(draft, *compose(draft, idem, head.log, head, self._clock()))

    def found(self, draft: Draft, log: str) -> Appended:
        """Write the first record of the log called `log`; the store has made its head row."""
        return self._insert(draft, *compose(draft, draft.idem(), log, None, self._clock()))

    def erase(self, digests: Iterable[str]) -> None:
        """Take these bodies out; none of them can be appended again."""
        for digest in digests:
            self._put(_NO_BODY, _key(digest), b"")

    def keep_checkpoint(self, size: int, note: bytes) -> None:
        """Store the signed checkpoint over all `size` records."""
        self._put("INSERT INTO checkpoints VALUES (?, ?)", size, note)

    def seal(self) -> bytes | None:
        """Sign what this transaction appended; the checkpoint to publish, None without a key or a record.

        Asked again it is the same one, unless more was appended.
        """
        if self.signing is not None and self._head is not None and self._unsealed:
            self._sealed = self.signing.seal(self, self._head.log, self._tree)
            self._unsealed = False
        return self._sealed

    def known(self) -> Known | None:
        """The tree that the next transaction may go on from; asked after the end of this one."""
        return self._known if self._head is None else Known(self._head, self._tree)

    def _last(self) -> Head:
        if self._head is None:
            known = self._known
            if known is not None and self._stands(known.head):
                self._head, self._tree = known
            else:
                self._head, self._tree = self._found_last()
        return self._head

    def _stands(self, head: Head) -> bool:
        """Whether that head is the last record still, by its bytes; what it says was read before."""
        found = self._pair(_LAST)
        return (
            found is not None
            and (found[0], record_id(found[1])) == (head.seq, head.id)
            and self._rows(_HEAD) == [(head.seq, _key(head.id))]
        )

    def _found_last(self) -> Known:
        head = self.head()
        if head is None:
            raise self._wrong("the first record is missing")
        if self.signing is not None:
            return Known(head, self.signing.tree(self, head.seq + 1))
        return Known(head, frontier_at(self.subtree, head.seq + 1))

    def _insert(self, draft: Draft, record: LedgerRecord, raw: bytes) -> Appended:
        identity = record_id(raw)
        self._put(_BODY, _key(record.body.digest), draft.body)
        prev = b"" if record.prev is None else _key(record.prev)
        self._tree, completed = self._tree.append(leaf_hash(raw))
        self._put(
            "INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)",
            *(record.seq, raw, prev, _key(record.idem), record.kind, b"".join(completed)),
        )
        for field, subject in record.subject.ids().items():
            algorithm, _, digits = subject.partition(":")
            self._put("INSERT INTO subjects VALUES (?, ?, ?, ?)", digits, algorithm, field, record.seq)
        if record.kind == REGISTERED:
            name, digest = record.schema.name, _key(record.schema.digest)
            self._put(_SCHEMA, name, digest)
        self._put("UPDATE head SET seq = ?, digest = ? WHERE TRUE", record.seq, _key(identity))
        self._head = Head(record.log, record.seq, identity)
        self._unsealed = True
        return Appended(record.seq, identity, record, repeated=False)


def _refuse(_sql: str, *_values: object) -> list[Row]:
    raise UsageError("a view of the ledger was used after its transaction had ended")


def _key(digest: str) -> bytes:
    # No column holds what a text that is no digest gives, so that looking it up finds nothing.
    return bytes.fromhex(digest.partition(":")[2]) if is_digest(digest) else b"no digest"


def _derive(record: LedgerRecord) -> dict[str, object]:
    return {
        "prev": b"" if record.prev is None else _key(record.prev),
        "idem": _key(record.idem),
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


def _hex_and_algorithm(identity: str) -> tuple[str, str]:
    algorithm, _, digits = identity.partition(":")
    return digits, algorithm
