"""Read what is left of a SQLite ledger that lost its end (ledger.md section 5).

Its lost pages are empty in a copy. Every row is read by itself: what SQLite cannot read was lost, and so is
a value that reaches into a lost page, which would be read as zeros there.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from sqlite3 import Connection, DatabaseError

from ledger.body_check import RULE as STRAY
from ledger.carried import CarriedReader, Pair, Place
from ledger.chain import Break
from ledger.sqlite_file import (
    APPLICATION_ID,
    BEFORE_THE_TREE,
    NoLedgerError,
    Row,
    bounded,
    check_layout,
    connect,
)
from ledger.sqlite_torn import Torn
from ledger.written import read_written
from schemas.canonical import digest_bytes
from schemas.errors import IntegrityError
from schemas.ledger import record_id
from schemas.ledger_erasure import ERASURE

_TIMEOUT_SECONDS = 10.0
_MOST_LOST = 4096  # rows that may be missing between two that are there; a lost page holds fewer
_RECORD = (
    "SELECT seq, raw, length(raw) + length(prev) + length(idem) + length(kind) FROM records"
    " WHERE seq > ? ORDER BY seq LIMIT 1"
)
_NOTE = "SELECT size, note, length(note) FROM checkpoints WHERE size > ? ORDER BY size LIMIT 1"
_BODY = "SELECT rowid, digest, bytes FROM bodies WHERE rowid > ? ORDER BY rowid LIMIT 1"
_THERE = "SELECT 1 FROM bodies WHERE digest = ? AND length(bytes) > 0"
_STORED = {
    "r": "SELECT raw FROM records WHERE seq = ?",
    "b": "SELECT bytes FROM bodies WHERE rowid = ?",
    "c": "SELECT note FROM checkpoints WHERE size = ?",
}
_TREE_BYTES, _ROW_BYTES = 64 * 32, 32  # more than a row has beside what its length is asked for
_LEAF_BYTES = 35  # sqlite.org/fileformat2.html section 1.6: a row of up to a page without these is on it


class CutLog:
    """A Readable over a SQLite file of which `lost` tells how it was cut."""

    def __init__(self, path: Path, lost: Torn) -> None:
        self._path = path
        self._lost = lost

    @contextmanager
    def read(self) -> Iterator["CutReader"]:
        """What is left; NoLedgerError when it is of another program, IntegrityError: it has other tables."""
        if self._lost.application != APPLICATION_ID:
            raise NoLedgerError(f"{self._path} is not an evidence ledger", subject=str(self._path))
        folder = Path(tempfile.mkdtemp(prefix="external-evidence-"))
        try:
            copy = folder / "ledger.sqlite3"
            shutil.copyfile(self._path, copy)
            pages = self._lost.size // self._lost.page  # of half a page none is sure
            os.truncate(copy, pages * self._lost.page)
            os.truncate(copy, self._lost.whole)
            with (
                closing(connect(copy, "mode=ro&immutable=1", _TIMEOUT_SECONDS)) as connection,
                closing(CutReader(bounded(connection, self._lost.whole), self._path, self._lost)) as reader,
            ):
                yield reader
        finally:
            shutil.rmtree(folder)

    def close(self) -> None:
        """Nothing is held between two reads."""


class CutReader(CarriedReader):
    """A Reader of what is left; `judged` says how many records have what it takes to judge their steps."""

    def __init__(self, connection: Connection, path: Path, lost: Torn) -> None:
        super().__init__()
        self._connection = connection
        self._path = path
        self._page = lost.page
        self._whole = False
        self._others: set[str] = set()
        self.torn = str(lost)
        self.judged = 0
        try:
            if lost.size >= lost.page:
                self._scan()
        except BaseException:
            self.close()
            raise

    def content(self, place: Place) -> bytes:
        found = self._stored(_STORED[str(place)[0]], _number(place))
        value = found[0][0] if found else b""  # walked to, and not found by its key
        # Only a checkpoint may be something else than bytes; nothing reads as no note.
        return value if isinstance(value, bytes) else b""

    def body(self, digest: str) -> bytes | None:
        """The body of that digest, None when absent, erased or lost; IntegrityError when it is another."""
        if digest in self._others:
            raise IntegrityError(f"the body stored under {digest} is another", subject=digest)
        return super().body(digest)

    def of_kind(self, kind: str) -> list[Pair]:
        """Every (seq, raw) of one kind, in order, among those that can be judged."""
        return [pair for pair in super().of_kind(kind) if pair[0] < self.judged]

    def may_be_erased(self) -> bool:
        """Whether a record that was lost, or that cannot be judged, may tell of an erasure."""
        told = [seq for seq, _ in super().of_kind(ERASURE) if seq >= self.judged]
        return (not self._whole or bool(told)) and not self._strays()

    def index_breaks(self) -> Iterator[Break]:
        yield from super().index_breaks()
        named = {digest for (digest,) in self._rows("SELECT digest FROM named")}
        for digest in sorted(self._others - named):
            yield Break(max(0, self._size - 1), "body", STRAY, "no such body", digest)

    def _before_its_record(self, place: Place) -> bool:
        """Only behind the last body whose record is there: bodies come in the order of their records."""
        query = "SELECT place FROM bodies WHERE digest IN (SELECT digest FROM named)"
        last = max((_number(other) for (other,) in self._rows(query)), default=0)
        return not self._whole and _number(place) > last

    def _scan(self) -> None:
        try:
            layout = check_layout(self._connection, self._path)
        except IntegrityError as error:
            if isinstance(error, NoLedgerError) or error.__cause__ is None:
                raise
            return  # what the tables are was lost
        for rowid, digest, content in self._bodies_left():
            self._take_body(rowid, digest, content)
        self._whole = self._records_left()
        self.judged = self._first_lost()
        if layout != BEFORE_THE_TREE:
            self._notes_left()

    def _bodies_left(self) -> Iterator[Row]:
        rowid = missed = 0
        while missed < _MOST_LOST:
            try:
                found = self._stored(_BODY, rowid)
            except IntegrityError:
                rowid, missed = rowid + 1, missed + 1
                continue
            if not found or found[0][0] <= rowid:  # in a damaged table rows come again
                return
            yield found[0]
            rowid, missed = found[0][0], 0

    def _take_body(self, rowid: int, key: object, content: object) -> None:
        if not isinstance(key, bytes) or not isinstance(content, bytes):
            self._breaks.append(Break(0, "body", STRAY, "no such body", "stored bytes are text or a number"))
        elif content:
            digest = f"blake3:{key.hex()}"
            if digest_bytes(content) != digest:
                if self._reaches_out(content, len(key) + len(content)):
                    return
                self._others.add(digest)
            self.found_body(digest, f"b{rowid}")

    def _records_left(self) -> bool:
        """Find every record up to the first that was lost; whether none was."""
        raw = b""
        with suppress(IntegrityError):
            while found := self._stored(_RECORD, self._size - 1):
                [(seq, raw, size)] = found
                if not isinstance(raw, bytes) or seq != self._size:
                    found_here = str(seq) if isinstance(raw, bytes) else "stored bytes are text or a number"
                    self._breaks.append(Break(self._size, "seq", "no gap", str(self._size), found_here))
                    return False
                if self._reaches_out(raw, size + _TREE_BYTES):
                    return False
                self.found_record(f"r{seq}")
            head = self._stored("SELECT seq, digest FROM head")
            expected = [(self._size - 1, bytes.fromhex(record_id(raw)[-64:]))] if raw else head
            if head != expected:
                rule = "the table says what the records say"
                self._breaks.append(Break(max(0, self._size - 1), "head", rule, str(expected), str(head)))
            return True
        return False

    def _first_lost(self) -> int:
        """The first record whose body was lost with the end: of what follows from it, nothing can be said."""
        for seq, raw in self.records():
            with suppress(IntegrityError):
                digest = read_written(raw).body.digest
                if not self._rows("SELECT 1 FROM bodies WHERE digest = ?", digest) and self._is_lost(digest):
                    return seq
        return self._size

    def _is_lost(self, digest: str) -> bool:
        try:
            return bool(self._stored(_THERE, bytes.fromhex(digest[-64:])))
        except IntegrityError:
            return True

    def _notes_left(self) -> None:
        seen = 0
        with suppress(IntegrityError):
            while found := self._stored(_NOTE, seen):
                [(size, note, length)] = found
                if size <= seen or size > self.judged or self._reaches_out(note, length):
                    return
                self.found_note(f"c{size}", size)
                seen = size

    def _reaches_out(self, content: object, size: int) -> bool:
        """Whether zeros of a lost page may be in it: no JSON and no note has any."""
        has_zeros = isinstance(content, bytes) and 0 in content
        return has_zeros and size + _ROW_BYTES > self._page - _LEAF_BYTES

    def _stored(self, sql: str, *values: object) -> list[Row]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except (DatabaseError, UnicodeDecodeError) as error:
            raise IntegrityError(f"{self._path}: {error}", subject=str(self._path)) from error


def _number(place: Place) -> int:
    return int(str(place)[1:])
