"""How a store over SQL appends inside one transaction (ledger.md section 3); see ledger/sql_view.py."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from ledger.sql_view import HEAD, LAST, SAME_KEY, Rows, SqlReader, bytes_of, hex_and_algorithm, key_of, refuse
from ledger.store import REGISTERED, Appended, Clock, Draft, Head, Known, compose, repeat
from ledger.tree import Frontier, frontier_at, leaf_hash, peaks
from schemas.ledger import LedgerRecord, read_raw, record_id

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
        self._sealed: list[tuple[int, bytes]] = []
        self._begun = 0
        # What the tree of this transaction is made of, so that proofs of what it appends read no row.
        self._nodes: dict[tuple[int, int], bytes] = {}
        self.signing: Signing | None = None

    def end(self) -> None:
        super().end()
        self._put = refuse

    def append(self, draft: Draft) -> Appended:
        """Chain one step to the head; the same key and content again gives the first record back."""
        idem = draft.idem()
        first = self._pair(SAME_KEY, key_of(idem))
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
            self._put(_NO_BODY, key_of(digest), b"")

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
        found = self._nodes.get((level, index))
        return super().subtree(level, index) if found is None else found

    def checkpoint(self, size: int) -> bytes | None:
        own = next((note for covered, note in self._sealed if covered >= size > self._begun), None)
        return super().checkpoint(size) if own is None else own

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
            if self.signing is not None:
                self._begun = self._tree.size
                self._nodes.update(zip(peaks(self._begun), self._tree.peaks, strict=True))
        return self._head

    def _stands(self, head: Head) -> bool:
        """Whether that head is the last record still, by its bytes; what it says was read before."""
        found = self._pair(LAST)
        return (
            found is not None
            and (found[0], record_id(found[1])) == (head.seq, head.id)
            and self._rows(HEAD) == [(head.seq, key_of(head.id))]
        )

    def _found_last(self) -> Known:
        head = self.head()
        if head is None:
            raise self._wrong("the first record is missing")
        if self.signing is not None:
            return Known(head, self.signing.tree(self, head.seq + 1))
        return Known(head, frontier_at(self.subtree, head.seq + 1))

    def _insert(self, draft: Draft, record: LedgerRecord, raw: bytes) -> Appended:
        seq, identity, put = record.seq, record_id(raw), self._put
        put(_BODY, bytes_of(record.body.digest), draft.body)
        prev = b"" if record.prev is None else bytes_of(record.prev)
        self._tree, completed = self._tree.append(leaf_hash(raw))
        put(_RECORD, seq, raw, prev, bytes_of(record.idem), record.kind, b"".join(completed))
        for field, subject in record.subject.ids().items():
            put(_SUBJECT, *hex_and_algorithm(subject), field, seq)
        if record.kind == REGISTERED:
            put(_SCHEMA, record.schema.name, bytes_of(record.schema.digest))
        if self.signing is not None:
            self._nodes.update({(level, seq >> level): one for level, one in enumerate(completed)})
        self._head = Head(record.log, seq, identity)
        self._unsealed = True
        return Appended(seq, identity, record, repeated=False)

    def _put_head(self) -> None:
        """What the last record is, which nobody else can ask for before the transaction's end."""
        if self._head is not None and self._unsealed:
            self._put(_LATEST, self._head.seq, bytes_of(self._head.id))
