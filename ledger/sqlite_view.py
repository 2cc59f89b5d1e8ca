"""What is seen and appended inside one SQLite transaction."""

import sqlite3
from functools import partial
from pathlib import Path

from ledger.sql_view import SqlReader, SqlWriter
from ledger.sqlite_file import BEFORE_THE_TREE, layout_of, run
from ledger.store import Clock, Known


class SqliteReader(SqlReader):
    """A Reader over one snapshot of a file."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        super().__init__(partial(run, connection, path), str(path))
        self._connection = connection
        self._path = path
        self._has_tree: bool | None = None

    def _grown(self) -> bool:
        """Whether the file has its tree; one that was written before is read without."""
        if self._has_tree is None:
            self._has_tree = layout_of(self._connection, self._path) != BEFORE_THE_TREE
        return self._has_tree


class SqliteWriter(SqlWriter):
    """A Writer inside one BEGIN IMMEDIATE transaction."""

    def __init__(
        self, connection: sqlite3.Connection, path: Path, clock: Clock, known: Known | None = None
    ) -> None:
        rows = partial(run, connection, path)
        super().__init__(rows, rows, str(path), clock, known)
        self._connection = connection
