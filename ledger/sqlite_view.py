"""What is seen and appended inside one SQLite transaction."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from ledger.chain import Break
from ledger.sql_append import SqlWriter
from ledger.sql_view import Row, SqlReader
from ledger.sqlite_file import BEFORE_THE_TREE, layout_of, run, run_all
from ledger.store import MOST_BODY_BYTES, Clock, Known

_MOST_ROW_BYTES = MOST_BODY_BYTES + 1024  # the body and its digest
_MOST_KEYS = 256  # SQLite takes 999 and more, which its builders choose


class SqliteReader(SqlReader):
    """A Reader over one snapshot of a file."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        super().__init__(partial(run, connection, path), str(path))
        self._connection = connection
        self._path = path
        self._has_tree: bool | None = None
        self.torn: str | None = None  # what of the log is not read here, if anything is left out

    def _grown(self) -> bool:
        """Whether the file has its tree; one that was written before is read without."""
        if self._has_tree is None:
            self._has_tree = layout_of(self._connection, self._path) != BEFORE_THE_TREE
        return self._has_tree

    def body(self, digest: str) -> bytes | None:
        """As for every store; also where whoever reads limits how long everything else may be."""
        limit = self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_ROW_BYTES)
        try:
            return super().body(digest)
        finally:
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limit)

    def index_breaks(self) -> Iterator[Break]:
        """As for every store, and each page and index of the file that does not fit the others."""
        yield from super().index_breaks()
        for (one,) in self._rows("SELECT one FROM head WHERE one <> 1"):  # SQLite checks what it writes only
            yield Break(0, "head", "the one row of this table is called 1", "1", str(one))
        # The rows may be right and an index of theirs not: what is looked up by it is then not found.
        found = [str(complaint) for (complaint,) in self._rows("PRAGMA integrity_check(10)")]
        if found != ["ok"]:
            [(last,)] = self._rows("SELECT coalesce(max(seq), 0) FROM records")
            yield Break(last, "file", "every page and index fits the tables", "ok", "; ".join(found))


class SqliteWriter(SqlWriter):
    """A Writer inside one BEGIN IMMEDIATE transaction."""

    def __init__(
        self, connection: sqlite3.Connection, path: Path, clock: Clock, known: Known | None = None
    ) -> None:
        rows = partial(run, connection, path)
        super().__init__(rows, rows, str(path), clock, known)
        self._connection = connection
        self._path = path

    def erase(self, digests: Iterable[str]) -> None:
        """As for every store; what a row gives up is overwritten in its page."""
        self._rows("PRAGMA secure_delete = ON")
        super().erase(digests)

    def _first(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        for place in range(0, len(keys), _MOST_KEYS):
            some = keys[place : place + _MOST_KEYS]
            marks = ", ".join("?" * len(some))
            query = f"SELECT idem, raw FROM records WHERE seq >= 0 AND idem IN ({marks})"  # noqa: S608 - question marks
            found.update((key, self._blob(raw)) for key, raw in self._rows(query, *some))
        return found

    def _put_all(self, sql: str, rows: Iterable[Row]) -> None:
        # One call for all: the way into SQLite costs as much as a small row.
        if rows:
            run_all(self._connection, self._path, sql, rows)
