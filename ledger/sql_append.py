"""How a store over SQL appends inside one transaction (ledger.md section 3); see ledger/sql_view.py."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from ledger.sql_view import (
    AFTER,
    CHUNK,
    HEAD,
    LAST,
    Row,
    Rows,
    SqlReader,
    bytes_of,
    hex_and_algorithm,
    key_of,
    refuse,
)
from ledger.store import REGISTERED, Appended, Clock, Draft, Head, Known, compose, repeat
from ledger.tree import Frontier, frontier_at, leaf_hash, peaks
from schemas.canonical import digest_bytes
from schemas.dates import instant
from schemas.ledger import record_id

if TYPE_CHECKING:
    from ledger.signing import Signing

# The row of an erased body is empty, and stays. Who appends that body again is refused by NOT NULL, without
# another statement for all who do not.
_BODY = (
    "INSERT INTO bodies VALUES (?, ?)"
    " ON CONFLICT (digest) DO UPDATE SET bytes = NULL WHERE length(bodies.bytes) = 0"
)
_NO_BODY = "INSERT INTO bodies VALUES (?, ?) ON CONFLICT (digest) DO UPDATE SET bytes = excluded.bytes"
_RECORD = "INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)"
_SUBJECT = "INSERT INTO subjects VALUES (?, ?, ?, ?)"
_LATEST = "UPDATE head SET seq = ?, digest = ? WHERE TRUE"
_SCHEMA = "INSERT INTO schemas VALUES (?, ?) ON CONFLICT DO NOTHING"


class Put(Protocol):
    """One statement that gives no rows; a store may send it later, with what follows, in order."""

    def __call__(self, sql: str, /, *values: object) -> object: ...


class _Steps:
    """The rows of new steps, each chained to the one before; `head` is the last record so far."""

    def __init__(self, log: str, head: Head | None, at: str) -> None:
        self.log, self.head, self.at = log, head, at
        self.bodies: list[Row] = []
        self.records: list[Row] = []
        self.subjects: list[Row] = []
        self.schemas: list[Row] = []

    def add(self, draft: Draft, idem: str) -> Appended:
        """Chain one step more, whose key is `idem`; InvalidError as `compose` says."""
        body, head = digest_bytes(draft.body), self.head
        raw = compose(draft, idem, body, self.log, head, self.at)
        seq, prev = (0, b"") if head is None else (head.seq + 1, bytes_of(head.id))
        self.head = Head(self.log, seq, record_id(raw))
        self.bodies.append((bytes_of(body), draft.body))
        self.records.append((seq, raw, prev, bytes_of(idem), draft.kind))
        for field, identity in draft.subject.ids().items():
            self.subjects.append((*hex_and_algorithm(identity), field, seq))
        if draft.kind == REGISTERED:
            self.schemas.append((draft.schema_name, bytes_of(draft.schema_digest)))
        return Appended(seq, self.head.id, raw, repeated=False)


class SqlWriter(SqlReader, ABC):
    """A Writer inside one transaction that holds the right to append."""

    def __init__(self, rows: Rows, put: Put, place: str, clock: Clock, known: Known | None = None) -> None:
        super().__init__(rows, place)
        self._put = put
        self._clock = clock
        self._head: Head | None = None
        self._raw = b""
        self._tree = Frontier()
        self._known = known
        self._unsealed = False
        self._sealed: list[tuple[int, bytes]] = []
        self._begun = 0
        # What the tree of this transaction is made of, so that proofs of what it appends read no row.
        self._peaks: dict[tuple[int, int], bytes] = {}
        self._grown_by: dict[int, bytes] = {}
        self.signing: Signing | None = None

    def end(self) -> None:
        super().end()
        self._put = refuse

    def append(self, draft: Draft) -> Appended:
        """Chain one step to the head; the same key and content again gives the first record back."""
        return self.append_all([draft])[0]

    def append_all(self, drafts: Sequence[Draft]) -> list[Appended]:
        """As `append` does with each in turn, at one moment; after an error the transaction is given up."""
        idems = [draft.idem() for draft in drafts]
        keys = [bytes_of(idem) for idem in idems]
        first = self._first(keys)
        done: list[Appended] = []
        steps: _Steps | None = None
        for draft, idem, key in zip(drafts, idems, keys, strict=True):
            raw = first.get(key)
            if raw is not None:
                done.append(repeat(draft, raw))
                continue
            if steps is None:
                head = self._last()
                steps = _Steps(head.log, head, instant(self._clock()))
            done.append(steps.add(draft, idem))
            first[key] = done[-1].raw
        if steps is not None:
            self._insert(steps)
        return done

    def found(self, draft: Draft, log: str) -> None:
        """Write the first record of the log called `log`; the store has made its head row."""
        steps = _Steps(log, None, instant(self._clock()))
        steps.add(draft, draft.idem())
        self._insert(steps)

    def erase(self, digests: Iterable[str]) -> None:
        """Take these bodies out; none of them can be appended again."""
        self._put_all(_NO_BODY, [(key_of(digest), b"") for digest in digests])

    def keep_checkpoint(self, size: int, note: bytes) -> None:
        """Store the signed checkpoint over all `size` records."""
        self._put("INSERT INTO checkpoints VALUES (?, ?)", size, note)
        self._sealed.append((size, note))

    def seal(self) -> bytes | None:
        """Say which record is the last, and sign that; the checkpoint to publish, None without a key.

        Asked again it is the same one, unless more was appended. Each transaction ends with it.
        """
        if self._head is not None and self._unsealed:
            self._put_head()
            if self.signing is not None:
                self.signing.seal(self, self._head.log, self._tree)
            self._unsealed = False
        return self._sealed[-1][1] if self._sealed else None

    def head(self) -> Head | None:
        self._put_head()
        return super().head()

    def subtree(self, level: int, index: int) -> bytes:
        found = self._peaks.get((level, index))
        return super().subtree(level, index) if found is None else found

    def checkpoint(self, size: int) -> bytes | None:
        own = next((note for covered, note in self._sealed if covered >= size > self._begun), None)
        return super().checkpoint(size) if own is None else own

    def known(self) -> Known | None:
        """The tree that the next transaction may go on from; asked after the end of this one."""
        return self._known if self._head is None else Known(self._head, self._raw, self._tree)

    def _last(self) -> Head:
        if self._head is None:
            self._head, self._raw, self._tree = self._found_last()
            if self.signing is not None:
                self._begun = self._tree.size
                self._peaks = dict(zip(peaks(self._begun), self._tree.peaks, strict=True))
        return self._head

    def _found_last(self) -> Known:
        found, stated, known = self._pair(LAST), self._rows(HEAD), self._known
        if found is None:
            raise self._wrong("the first record is missing")
        seq, raw = found
        if (
            known is not None
            and (seq, raw) == (known.head.seq, known.raw)
            and stated == [(seq, bytes_of(known.head.id))]
        ):
            return known  # what it says was read before
        head = self._checked(seq, raw, stated)
        self._peaks = self._caught_up(seq + 1)
        if self.signing is not None:
            if known is not None and not self._peaks:  # a restored database, or much that others wrote
                self.signing.admit_again(self)
            return Known(head, raw, self.signing.tree(self, seq + 1))
        return Known(head, raw, frontier_at(self.subtree, seq + 1))

    def _caught_up(self, size: int) -> dict[tuple[int, int], bytes]:
        """The peaks of the tree that is known, with what others appended since; nothing where that is much.

        One statement then reads fewer rows than the tree's own would be.
        """
        if self._known is None:
            return {}
        head, last, tree = self._known
        rest = self._pairs(AFTER, head.seq - 1, CHUNK)
        if not rest or rest[0][1] != last:  # another history stands here now
            return {}
        tree, _ = tree.extend(leaf_hash(raw) for _, raw in rest[1:])
        return dict(zip(peaks(size), tree.peaks, strict=True)) if tree.size == size else {}

    @abstractmethod
    def _first(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The stored bytes of the records that have one of these idempotency keys, each by its key."""
        ...

    def _insert(self, steps: _Steps) -> None:
        tree, rows = self._tree.extend(leaf_hash(record[1]) for record in steps.records)
        self._put_all(_BODY, steps.bodies)
        self._put_all(_RECORD, [(*record, row) for record, row in zip(steps.records, rows, strict=True)])
        self._put_all(_SUBJECT, steps.subjects)
        self._put_all(_SCHEMA, steps.schemas)
        self._grown_by.update(enumerate(rows, self._tree.size))
        self._head, self._raw, self._tree = steps.head, steps.records[-1][1], tree
        self._unsealed = True

    def _put_all(self, sql: str, rows: Iterable[Row]) -> None:
        for row in rows:
            self._put(sql, *row)

    def _tree_row(self, seq: int) -> bytes:
        own = self._grown_by.get(seq)
        return super()._tree_row(seq) if own is None else own

    def _put_head(self) -> None:
        """What the last record is, which nobody else can ask for before the transaction's end."""
        if self._head is not None and self._unsealed:
            self._put(_LATEST, self._head.seq, bytes_of(self._head.id))
