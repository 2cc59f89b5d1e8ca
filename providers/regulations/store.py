"""The SQLite file of a corpus: its layout, its connections, one transaction at a time, errors as ours.

WAL, so readers never wait for a writer; a reader sees one state of the file for a whole transaction.
Texts, assets and manifest entries are kept once, by hash, and never changed.
"""

import hashlib
import sqlite3
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

import orjson

from schemas.errors import (
    BusyError,
    EvidenceError,
    IntegrityError,
    InvalidError,
    NotFoundError,
    StorageError,
)

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
# SQLite's own messages may quote bytes of a damaged file, which are no text for Python then.
_ERRORS: Final = (sqlite3.Error, UnicodeError)


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
                f"没有语料库 no corpus at {path}", subject=str(path), hint="regulations import … --corpus"
            )
        self._create = create
        if create:
            # Also where the file was made and not yet laid out: by a process that was killed, or by one
            # that does it right now.
            with self.writing():
                if _is_blank(self._connection()):
                    self._lay_out()
        self._check()

    def run(self, sql: str, *values: object) -> list[Row]:
        """All rows of one statement."""
        try:
            return self._connection().execute(sql, values).fetchall()
        except _ERRORS as error:
            raise _trouble(error, self.path) from error

    def run_many(self, sql: str, rows: Iterable[Row]) -> None:
        """One statement for many rows."""
        try:
            self._connection().executemany(sql, rows)
        except _ERRORS as error:
            raise _trouble(error, self.path) from error

    def stream(self, sql: str, *values: object) -> Generator[Row, None, None]:
        """Rows as they come; use it up inside one transaction."""
        try:
            yield from self._connection().execute(sql, values)
        except _ERRORS as error:
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
            self._roll_back()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """The file's one writer; everything inside is there afterwards, or nothing."""
        self._connection()
        if self._local.frozen:
            raise StorageError(f"{self.path} 无法写入 cannot be written", subject=str(self.path))
        self.run("BEGIN IMMEDIATE")
        try:
            yield
            self.run("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        # A full disk makes SQLite end the transaction by itself; there is then none to roll back.
        if self._connection().in_transaction:
            self.run("ROLLBACK")

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
        self._local.frozen = False
        try:
            connection = self._opened_as(f"mode={'rwc' if self._create else 'rw'}")
            try:
                # WAL stays with a file, so it is never set on one that is another program's.
                if self._is_ours(connection):
                    connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.Error as error:
                connection.close()
                if not _unwritable(error) or self._pending():
                    raise
                # Media that nobody can write: no other process changes the file either.
                self._local.frozen = True
                return self._opened_as("mode=ro&immutable=1")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")  # a withdrawn text is gone from the file
        except _ERRORS as error:
            raise _trouble(error, self.path) from error
        return connection

    def _opened_as(self, how: str) -> sqlite3.Connection:
        return sqlite3.connect(
            f"{self.path.absolute().as_uri()}?{how}",
            uri=True,
            timeout=self._wait,
            isolation_level=None,
            check_same_thread=False,
        )

    def _pending(self) -> bool:
        """Whether something was committed beside the file, which a reader of the file alone would miss."""
        beside = Path(f"{self.path}-wal")
        return beside.is_file() and beside.stat().st_size > 0

    def _is_ours(self, connection: sqlite3.Connection) -> bool:
        """Whether the file is a corpus, or holds nothing at all and may become one."""
        [mark] = connection.execute("PRAGMA application_id").fetchone()
        return mark == APPLICATION_ID or (self._create and _is_blank(connection))

    def _lay_out(self) -> None:
        for table in _TABLES:
            self.run(table)
        self.run(f"PRAGMA application_id = {APPLICATION_ID}")
        self.run(f"PRAGMA user_version = {LAYOUT}")

    def _check(self) -> None:
        if self.run("PRAGMA application_id") != [(APPLICATION_ID,)]:
            raise IntegrityError(
                f"{self.path} 不是法规语料库 is not a corpus of regulations", subject=str(self.path)
            )
        [(layout,)] = self.run("PRAGMA user_version")
        found = self.run("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
        if layout != LAYOUT or sorted(str(sql) for (sql,) in found) != sorted(_TABLES):
            raise IntegrityError(f"{self.path} has another layout than {LAYOUT}", subject=str(self.path))


def holds(cell: object, digest: object, kind: type[str] | type[bytes]) -> bool:
    """Whether a cell is of the type that its column has, and hashes to `digest`; a damaged one may not."""
    if not isinstance(cell, kind):
        return False
    data = cell.encode() if isinstance(cell, str) else cell
    return hashlib.sha256(data).hexdigest() == digest


def unpacked(cell: object, what: str) -> Any:
    """The JSON that a cell holds; IntegrityError when it is damaged."""
    try:
        return orjson.loads(cell)  # type: ignore[arg-type]  # what a damaged cell holds is refused below
    except orjson.JSONDecodeError as error:
        raise IntegrityError(f"{what} is damaged: {error}", subject=what) from error


def _is_blank(connection: sqlite3.Connection) -> bool:
    """Whether the file holds nothing at all, not even another program's mark."""
    [mark] = connection.execute("PRAGMA application_id").fetchone()
    return mark == 0 and connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None


def _unwritable(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)


def _trouble(error: sqlite3.Error | UnicodeError, path: Path) -> EvidenceError:
    if isinstance(error, UnicodeEncodeError):
        return InvalidError("a lone surrogate cannot be kept or looked for", subject=str(path))
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # absent when Python itself complains
    if code in _BUSY:
        return BusyError(
            f"{path} 正被另一写者占用 is held by another writer", subject=str(path), hint="再试 try again"
        )
    if code in _STORAGE:
        return StorageError(f"{path} 无法读写 cannot be read or written: {error}", subject=str(path))
    return IntegrityError(f"{path}: {error}", subject=str(path))
