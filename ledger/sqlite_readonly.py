"""Read a SQLite ledger without writing anything in its folder (ledger.md section 3)."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from ledger.sqlite_file import NoLedgerError, bounded, check_layout, connect, is_there, run
from ledger.sqlite_view import SqliteReader
from schemas.errors import BusyError, IntegrityError, NotFoundError, StorageError

_TIMEOUT_SECONDS = 10.0
# A writer that ends between our look at the folder and our opening takes its side files away.
_TRIES = 3
_LOG_HEADER = 32  # bytes of a write-ahead file before its first page
_MOST_VALUE_BYTES = 1 << 20  # of a checkpoint; a record may have fewer, and bodies are read one by one
_MOST_OF_A_JOURNAL = 0x20009  # more than the largest header and one page of the largest size

_Stamp = tuple[int, int, int]


class SqliteReadonly:
    """A Readable over a ledger file that may lie on a read-only disk, be in use, or be a copy."""

    def __init__(self, path: Path, torn: str | None = None) -> None:
        self._path = path
        self._torn = torn

    @contextmanager
    def read(self) -> Iterator[SqliteReader]:
        """One snapshot; it neither blocks a writer nor sees half a transaction.

        BusyError: a file that nobody had open changed while it was read.
        """
        session = _begin(self._path) if self._torn is None else _alone(self._path, _stamp(self._path))
        view = SqliteReader(session.connection, self._path)
        view.torn = self._torn
        try:
            yield view
            session.refuse_change()
        except IntegrityError as error:
            session.refuse_change(error)
            raise
        finally:
            view.end()
            session.close()

    def close(self) -> None:
        """Nothing is held between two reads."""


def open_readonly(path: str | os.PathLike[str], *, cut_too: bool = False) -> SqliteReadonly:
    """The ledger at `path`, to be read only.

    NotFoundError when there is none; IntegrityError when the file is no ledger, or what lies beside it is
    of another: with `cut_too` that is left out, and its reader's `torn` says so.
    """
    place = Path(path)
    if not is_there(place):
        raise NotFoundError(f"there is no ledger at {place}", subject=str(place))
    # SQLite keeps its side files beside the file itself, not beside a symbolic link to it.
    place = place.resolve()
    if sides(place)[0]:
        from ledger.sqlite_foreign import foreign_log, refuse_foreign

        if not cut_too:
            refuse_foreign(place)
        elif (left_out := foreign_log(place)) is not None:
            return SqliteReadonly(place, f"{left_out}; it was left out, and what it should hold is not here")
    ledger = SqliteReadonly(place)
    with ledger.read():
        return ledger


class _Session(NamedTuple):
    """A connection, and what must not have changed or must go away when it ends."""

    connection: sqlite3.Connection
    path: Path
    stamp: _Stamp | None = None
    copy: Path | None = None

    def refuse_change(self, cause: IntegrityError | None = None) -> None:
        if self.stamp is not None and self.stamp != _stamp(self.path):
            raise BusyError(
                f"{self.path} changed while it was read", subject=str(self.path), hint="try again"
            ) from cause

    def close(self) -> None:
        self.connection.close()
        if self.copy is not None:
            _remove(self.copy)


def _begin(path: Path) -> _Session:
    for _ in range(_TRIES - 1):
        with suppress(StorageError):
            return _try(path)
    return _try(path)


def _try(path: Path) -> _Session:
    session = _open(path)
    try:
        run(session.connection, path, "BEGIN")
        check_layout(session.connection, path)
    except IntegrityError as error:
        session.close()
        session.refuse_change(error)
        raise
    except StorageError:
        session.close()
        raise
    return session


def _open(path: Path) -> _Session:
    """The way that fits what lies beside the file: nothing, a living or dead writer's files, a copied log."""
    stamp = _stamp(path)
    log = path.with_name(f"{path.name}-wal")
    log_size, shared_size = sides(path)
    if log_size == _LOG_HEADER:
        # A writer died between its head and its first page. There is nothing in it, but SQLite, which may not
        # mend the shared memory, waits for the writer.
        log_size = None
    if log_size is not None and shared_size is not None and not journal(path):
        # Takes locks in the shared memory, writes no byte of it; a dead writer's is not even used.
        return _Session(_connected(path, "mode=ro&readonly_shm=1", log_size), path)
    if log_size:
        # SQLite reads a write-ahead file only with shared memory beside it, which it would have to make; and
        # first it would play in a rollback file, which is not of a ledger in this mode.
        copy = _copied(path, log)
        return _Session(_connected(copy / path.name, "mode=ro", log_size), path, stamp, copy)
    return _alone(path, stamp)


def _alone(path: Path, stamp: _Stamp) -> _Session:
    # All records are in the one file. Nothing locks it, so that it is looked at again at the end.
    return _Session(_connected(path, "mode=ro&immutable=1"), path, stamp)


def _connected(path: Path, options: str, log_size: int = 0) -> sqlite3.Connection:
    _, size, _ = _stamp(path)
    connection = bounded(connect(path, options, _TIMEOUT_SECONDS), size + log_size)
    # Many rows may rest on the same pages: a few hundred at a time are many times the file.
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_VALUE_BYTES)
    return connection


def sides(path: Path) -> tuple[int | None, int | None]:
    """The sizes of the `-wal` and the `-shm` beside a file; IntegrityError when one is no file."""
    return _size(path.with_name(f"{path.name}-wal")), _size(path.with_name(f"{path.name}-shm"))


def journal(path: Path) -> bytes:
    """The beginning of the `-journal` beside a file; empty where SQLite would play nothing in.

    IntegrityError when it is no file.
    """
    side = path.with_name(f"{path.name}-journal")
    if not _size(side):
        return b""
    head = b""
    try:
        with suppress(FileNotFoundError), side.open("rb") as file:  # its writer is done meanwhile
            head = file.read(_MOST_OF_A_JOURNAL)
    except OSError as error:
        raise StorageError(f"{side} cannot be read: {error}", subject=str(side)) from error
    return b"" if head[:1] == b"\0" else head  # it did not get to the first page of the file


def _size(side: Path) -> int | None:
    """The size of a side file, None when there is none; IntegrityError when it is something else."""
    try:
        seen = side.lstat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"{side} cannot be looked at: {error}", subject=str(side)) from error
    if not stat.S_ISREG(seen.st_mode):  # to open a pipe is to wait; a link SQLite does not follow here
        raise NoLedgerError(f"{side} is not a file", subject=str(side), hint="move it away")
    return seen.st_size


def _copied(path: Path, log: Path) -> Path:
    import shutil  # only for this rare way; half of a cold start otherwise
    import tempfile

    try:
        folder = Path(tempfile.mkdtemp(prefix="external-evidence-"))
        try:
            shutil.copyfile(path, folder / path.name)
            shutil.copyfile(log, folder / log.name)
        except OSError:
            _remove(folder)
            raise
    except OSError as error:
        raise StorageError(f"{path} cannot be copied to be read: {error}", subject=str(path)) from error
    return folder


def _remove(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()


def _stamp(path: Path) -> _Stamp:
    try:
        seen = path.stat()
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error}", subject=str(path)) from error
    return seen.st_ino, seen.st_size, seen.st_mtime_ns
