"""The SQLite file of a corpus: its layout, its connections, one transaction at a time, errors as ours.

WAL, so readers never wait for a writer; a reader sees one state of the file for a whole transaction.
Texts, assets and manifest entries are kept once, by hash, and never changed.
"""

import sqlite3
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

from schemas.errors import BusyError, EvidenceError, IntegrityError, NotFoundError, StorageError

APPLICATION_ID: Final = 0x6B627267  # "kbrg"
LAYOUT: Final = 1
WAIT_SECONDS: Final = 30.0

_TABLES: Final = (
    "CREATE TABLE assets (sha256 TEXT NOT NULL UNIQUE, data BLOB NOT NULL CHECK (typeof(data) = 'blob'))",
    "CREATE TABLE texts (sha256 TEXT NOT NULL UNIQUE, text TEXT NOT NULL)",
    (
        "CREATE TABLE entries (sha256 TEXT NOT NULL UNIQUE, edition TEXT NOT NULL,"
        " data BLOB NOT NULL CHECK (typeof(data) = 'blob'))"
    ),
    "CREATE TABLE drafts (edition TEXT PRIMARY KEY, entry TEXT NOT NULL, report BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE tombstones (edition TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID",
    (
        "CREATE TABLE revisions (id TEXT PRIMARY KEY, built_at TEXT NOT NULL, nodes INTEGER NOT NULL,"
        " tombstones BLOB NOT NULL) WITHOUT ROWID"
    ),
    (
        "CREATE TABLE members (revision TEXT NOT NULL, edition TEXT NOT NULL, entry TEXT NOT NULL,"
        " PRIMARY KEY (revision, edition)) WITHOUT ROWID"
    ),
    (
        "CREATE TABLE history (seq INTEGER PRIMARY KEY, at TEXT NOT NULL, actor TEXT NOT NULL,"
        " event TEXT NOT NULL CHECK (event IN ('published', 'withdrawn')), revision TEXT NOT NULL,"
        " reason TEXT NOT NULL)"
    ),
)
# SQLite's primary result codes (sqlite.org/rescode.html) by what a caller can do about them.
_BUSY: Final = frozenset({5, 6})
_STORAGE: Final = frozenset({3, 7, 8, 10, 13, 14, 15})

Row = tuple[Any, ...]


class Store:
    """One corpus file; a connection for each thread, closed together."""

    def __init__(self, path: Path, *, create: bool = False, wait_seconds: float = WAIT_SECONDS) -> None:
        self.path = path
        self._wait = wait_seconds
        self._local = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._serials = count()
        self._lock = threading.Lock()
        there = path.is_file()
        if not there and not create:
            raise NotFoundError(
                f"no corpus at {path}", subject=str(path), hint="regulations import … --corpus"
            )
        self._create = create and not there
        if self._create:
            with self.writing():
                self._lay_out()
        self._check()

    def run(self, sql: str, *values: object) -> list[Row]:
        """All rows of one statement."""
        try:
            return self._connection().execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise _trouble(error, self.path) from error

    def run_many(self, sql: str, rows: Iterable[Row]) -> None:
        """One statement for many rows."""
        try:
            self._connection().executemany(sql, rows)
        except sqlite3.Error as error:
            raise _trouble(error, self.path) from error

    def stream(self, sql: str, *values: object) -> Generator[Row, None, None]:
        """Rows as they come; use it up inside one transaction."""
        try:
            yield from self._connection().execute(sql, values)
        except sqlite3.Error as error:
            raise _trouble(error, self.path) from error

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One state of the file for everything inside; a transaction that is open already is used."""
        if self._connection().in_transaction:
            yield
            return
        self.run("BEGIN")
        try:
            yield
        finally:
            self.run("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """The file's one writer; everything inside is there afterwards, or nothing."""
        self.run("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.run("ROLLBACK")
            raise
        self.run("COMMIT")

    def state(self) -> tuple[int, int, int]:
        """What is equal only as long as nobody has changed the file: this connection or another one."""
        [(version,)] = self.run("PRAGMA data_version")  # means something to its own connection only
        return self._local.serial, int(version), self._connection().total_changes

    def checkpoint(self) -> None:
        """Move what was committed into the file itself, as far as readers let it; a copy then holds it.

        Passive: a checkpoint that waited for readers would keep the next writer waiting with it.
        """
        self.run("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Close every thread's connection."""
        with self._lock:
            for connection in self._opened:
                connection.close()
            self._opened.clear()
            self._local = threading.local()

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect()
            self._local.serial = next(self._serials)
            with self._lock:
                self._opened.append(connection)
        return connection

    def _connect(self) -> sqlite3.Connection:
        mode = "rwc" if self._create else "rw"
        uri = f"{self.path.absolute().as_uri()}?mode={mode}"
        try:
            connection = sqlite3.connect(
                uri, uri=True, timeout=self._wait, isolation_level=None, check_same_thread=False
            )
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")  # a withdrawn text is gone from the file
        except sqlite3.Error as error:
            raise _trouble(error, self.path) from error
        return connection

    def _lay_out(self) -> None:
        for table in _TABLES:
            self.run(table)
        self.run(f"PRAGMA application_id = {APPLICATION_ID}")
        self.run(f"PRAGMA user_version = {LAYOUT}")

    def _check(self) -> None:
        if self.run("PRAGMA application_id") != [(APPLICATION_ID,)]:
            raise IntegrityError(f"{self.path} is not a corpus of regulations", subject=str(self.path))
        [(layout,)] = self.run("PRAGMA user_version")
        found = self.run("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
        if layout != LAYOUT or sorted(str(sql) for (sql,) in found) != sorted(_TABLES):
            raise IntegrityError(f"{self.path} has another layout than {LAYOUT}", subject=str(self.path))


def _trouble(error: sqlite3.Error, path: Path) -> EvidenceError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # absent when Python itself complains
    if code in _BUSY:
        return BusyError(f"{path} is held by another writer", subject=str(path), hint="try again")
    if code in _STORAGE:
        return StorageError(f"{path} cannot be read or written: {error}", subject=str(path))
    return IntegrityError(f"{path}: {error}", subject=str(path))
