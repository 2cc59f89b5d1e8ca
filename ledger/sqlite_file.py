"""A SQLite file that is a ledger: its layout, how it is opened, what its errors mean."""

import sqlite3
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ledger.store import erased_body
from ledger.tree import Frontier, leaf_hash
from schemas.errors import BusyError, EvidenceError, IntegrityError, StorageError

APPLICATION_ID = 0x45784576  # "ExEv" in the file's header, for file(1) and for us
LAYOUT = 2
BEFORE_THE_TREE = 1  # layout 1: no column tree, no checkpoints; read as it is, brought up when it is written

# One log per file. Only raw and bytes are the record; every other column is derived and serves look-up.
# prev and idem are the 32 bytes of their digests; prev of the first record is empty, not NULL, because
# UNIQUE lets NULL repeat.
_RECORDS_1 = (
    "CREATE TABLE records (seq INTEGER PRIMARY KEY CHECK (seq >= 0), raw BLOB NOT NULL,"
    " prev BLOB NOT NULL UNIQUE, idem BLOB NOT NULL UNIQUE, kind TEXT NOT NULL)"
)
# tree: the hashes of all subtrees that the record completes, its own leaf's first (ledger/tree.py). In the
# record's own row because that page is written anyway.
_TREE = "tree BLOB NOT NULL DEFAULT x''"
_RECORDS = f"{_RECORDS_1[:-1]}, {_TREE})"  # as ALTER TABLE writes it
_RECORDS_BY_KIND = "CREATE INDEX records_by_kind ON records (kind)"
_BODIES = "CREATE TABLE bodies (digest BLOB NOT NULL UNIQUE, bytes BLOB NOT NULL)"
_SUBJECTS = (
    "CREATE TABLE subjects (hex TEXT NOT NULL, algorithm TEXT NOT NULL, field TEXT NOT NULL,"
    " seq INTEGER NOT NULL, PRIMARY KEY (hex, algorithm, field, seq)) WITHOUT ROWID"
)
_SCHEMAS = (
    "CREATE TABLE schemas (name TEXT NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (name, digest))"
    " WITHOUT ROWID"
)
# The last record has no successor whose prev pins its bytes; until a checkpoint does, this row does.
_HEAD = (
    "CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, digest BLOB NOT NULL)"
)
_CHECKPOINTS = "CREATE TABLE checkpoints (size INTEGER PRIMARY KEY, note BLOB NOT NULL)"
TABLES = (_RECORDS, _RECORDS_BY_KIND, _BODIES, _SUBJECTS, _SCHEMAS, _HEAD, _CHECKPOINTS)
_LAYOUTS = {
    BEFORE_THE_TREE: (_RECORDS_1, _RECORDS_BY_KIND, _BODIES, _SUBJECTS, _SCHEMAS, _HEAD),
    LAYOUT: TABLES,
}

# ANALYZE keeps its figures in tables of its own, which change nothing that is stored. Their names alone say
# nothing: whoever writes the file's schema can call a trigger so.
_ANALYZED = {
    "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}
# SQLite also keeps what the SQL says already, by columns, and the indexes that it makes for UNIQUE.
_FOUND = "SELECT type, name, tbl_name, sql FROM sqlite_master"
_MADE_BY_SQLITE = {
    ("index", "sqlite_autoindex_records_1", "records", None),
    ("index", "sqlite_autoindex_records_2", "records", None),
    ("index", "sqlite_autoindex_bodies_1", "bodies", None),
}

# SQLite's primary result codes (sqlite.org/rescode.html) by what a caller can do about them.
_HEAD_BYTES = 512
_BUSY = frozenset({5, 6})  # BUSY, LOCKED
_STOPPED, _CORRUPT, _NOT_A_DATABASE = 9, 11, 26
_STORAGE = {
    3: "access is not permitted",
    7: "out of memory",
    8: "the file or its folder is read-only",
    10: "the disk reports an error",
    13: "the disk is full",
    14: "the file cannot be opened",
    15: "the locking protocol failed",
}

Row = tuple[Any, ...]


class NoLedgerError(IntegrityError):
    """A file that is no ledger of ours at all, or of a layout that this version does not know."""


def trouble(error: sqlite3.Error | UnicodeDecodeError, path: Path) -> EvidenceError:
    """The error of ours that `error` means; raise it `from` the cause."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # absent when Python itself complains
    if code in _BUSY:
        return BusyError(f"{path} is held by another writer", subject=str(path), hint="try again")
    if code in _STORAGE:
        return StorageError(f"{path}: {_STORAGE[code]} ({error})", subject=str(path))
    if code == _NOT_A_DATABASE:
        return NoLedgerError(_no_database(error, path), subject=str(path))
    if code == _CORRUPT and (refused := _unread(path)) is not None:
        return StorageError(f"{path} cannot be read: {refused}", subject=str(path))
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_CONSTRAINT_NOTNULL:
        return erased_body(str(path))
    return IntegrityError(f"{path}: {_damage(error, code)}", subject=str(path))


def _damage(error: Exception, code: int) -> str:
    if isinstance(error, UnicodeDecodeError):  # SQLite's own message may repeat bytes of a damaged file
        return "the file is damaged, and its error is no text"
    return "its pages are named again and again" if code == _STOPPED else str(error)


def _no_database(error: object, path: Path) -> str:
    """What SQLite says of a file that is none of its own, and what the file is where its beginning tells."""
    from ledger.converted import another  # only for a file that is no ledger

    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    cause = another(head)
    return f"{path}: {error}" if cause is None else f"{path}: {error} ({cause})"


def _unread(path: Path) -> OSError | None:
    """Why the file cannot be read to its end."""
    # SQLite calls a page malformed that the disk does not give back (its SQLITE_IOERR_CORRUPTFS).
    try:
        with path.open("rb", buffering=0) as file:
            while file.read(1 << 20):
                pass
    except OSError as error:
        return error
    return None


def is_there(path: Path) -> bool:
    """Whether a file is at `path`; IntegrityError when it is something else than a file."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError) as error:  # ValueError: a NUL, at which SQLite would cut the name short
        raise StorageError(f"{path} cannot be looked at: {error}", subject=str(path)) from error
    if not stat.S_ISREG(mode):
        raise NoLedgerError(f"{path} is not a file", subject=str(path))
    return True


def identity(path: Path) -> tuple[int, int] | None:
    """What tells the file at `path` from any other; None when there is none."""
    try:
        seen = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"{path} cannot be looked at: {error}", subject=str(path)) from error
    return seen.st_dev, seen.st_ino


def connect(path: Path, options: str, timeout_seconds: float) -> sqlite3.Connection:
    """A connection with transactions in our own hand; `options` is the URI's query.

    It may move between threads, one at a time.
    """
    uri = f"{path.absolute().as_uri()}?{options}"
    try:
        return sqlite3.connect(
            uri, uri=True, timeout=timeout_seconds, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise trouble(error, path) from error


def bounded(connection: sqlite3.Connection, size: int) -> sqlite3.Connection:
    """The connection, on which what cannot end in a ledger of `size` bytes ends in an IntegrityError.

    A few pages that name each other many times over are a table of more rows than any machine can read. In a
    whole ledger a statement takes SQLite a tenth of a step for each byte, all its repetitions in one reading
    together.
    """
    # `COUNT(*)` alone takes one step whatever there is to count, so that no statement here says it.
    connection.set_progress_handler(lambda: True, min(250_000 + 8 * size, 2**31 - 1))
    return connection


def run(connection: sqlite3.Connection, path: Path, sql: str, *values: object) -> list[Row]:
    """All rows of one statement, so that no cursor outlives its transaction; errors as ours."""
    try:
        return connection.execute(sql, values).fetchall()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise trouble(error, path) from error


def run_all(connection: sqlite3.Connection, path: Path, sql: str, rows: Iterable[Row]) -> None:
    """One statement, which gives no rows, with each of these; errors as ours."""
    try:
        connection.executemany(sql, rows)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise trouble(error, path) from error


def synchronous(connection: sqlite3.Connection, path: Path) -> None:
    """Let no transaction of that connection end before the disk has it."""
    run(connection, path, "PRAGMA synchronous = FULL")
    run(connection, path, "PRAGMA fullfsync = ON")  # macOS only: its fsync alone does not reach the disk


def lay_out(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables in the transaction that is open, with the head row of a log of no records."""
    for table in TABLES:
        run(connection, path, table)
    run(connection, path, "INSERT INTO head VALUES (1, -1, x'')")
    run(connection, path, f"PRAGMA application_id = {APPLICATION_ID}")
    run(connection, path, f"PRAGMA user_version = {LAYOUT}")


def layout_of(connection: sqlite3.Connection, path: Path) -> int:
    """The number of the layout that the file states."""
    [(layout,)] = run(connection, path, "PRAGMA user_version")
    return int(layout)


def check_layout(connection: sqlite3.Connection, path: Path) -> int:
    """The file's layout; IntegrityError unless it holds exactly our tables.

    A trigger or a lost index is not ours.
    """
    if run(connection, path, "PRAGMA application_id") != [(APPLICATION_ID,)]:
        raise NoLedgerError(f"{path} is not an evidence ledger", subject=str(path))
    layout = layout_of(connection, path)
    if layout not in _LAYOUTS:
        raise NoLedgerError(
            f"{path} has layout {layout}; this version reads layouts {BEFORE_THE_TREE} to {LAYOUT}",
            subject=str(path),
            hint="use the version that wrote it" if layout > LAYOUT else None,
        )
    found = run(connection, path, _FOUND)
    if layout_of(connection, path) != layout:  # somebody brought it up meanwhile
        return check_layout(connection, path)
    ours = {*map(_as_kept, _LAYOUTS[layout]), *_MADE_BY_SQLITE}
    kept = [row for row in found if row[3] not in _ANALYZED or row != _as_kept(row[3])]
    if set(kept) != ours or len(kept) != len(ours):
        raise IntegrityError(f"{path} has other tables, indexes or triggers than a ledger", subject=str(path))
    return layout


def _as_kept(sql: str) -> Row:
    """The row of SQLite's own table for a CREATE statement, as `_FOUND` gives it."""
    _, kind, name, *rest = sql.replace("(", " (").split()
    return kind.lower(), name, rest[1] if kind == "INDEX" else name, sql


def bring_up(connection: sqlite3.Connection, path: Path) -> None:
    """Give a ledger of before the tree its tree, in one transaction; who comes second finds it done."""
    run(connection, path, "BEGIN IMMEDIATE")
    try:
        if layout_of(connection, path) == BEFORE_THE_TREE:
            run(connection, path, f"ALTER TABLE records ADD COLUMN {_TREE}")
            run(connection, path, _CHECKPOINTS)
            _grow(connection, path)
            run(connection, path, f"PRAGMA user_version = {LAYOUT}")
        run(connection, path, "COMMIT")
    except BaseException:
        run(connection, path, "ROLLBACK")
        raise


def _grow(connection: sqlite3.Connection, path: Path) -> None:
    tree, after = Frontier(), -1
    while chunk := run(
        connection, path, "SELECT seq, raw FROM records WHERE seq > ? ORDER BY seq LIMIT 256", after
    ):
        for seq, raw in chunk:
            if not isinstance(raw, bytes) or seq != tree.size:
                raise IntegrityError(f"{path}: record {tree.size} is missing or no record", subject=str(path))
            tree, completed = tree.append(leaf_hash(raw))
            run(connection, path, "UPDATE records SET tree = ? WHERE seq = ?", b"".join(completed), seq)
        after = chunk[-1][0]
