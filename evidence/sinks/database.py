"""One SQLite file opened for one transaction; its troubles as errors of ours."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from schemas.errors import BusyError, EvidenceError, IntegrityError, StorageError

HEADER_SIZE = 100
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_ERROR}


@contextmanager
def transaction(path: Path, patience: float, write: bool) -> Iterator[sqlite3.Connection]:
    """A connection inside a transaction that commits when the block ends well and leaves no trace else.

    `patience`: seconds to wait for another writer. A reader never creates the file. Every text comes
    back as bytes, because damaged text need not be UTF-8.
    """
    with named_errors(path):
        _refuse_stub(path)
        mode = "rwc" if write else "rw"
        # A URI, percent-encoded, so that no character of a path is read as a parameter.
        address = f"{path.absolute().as_uri()}?mode={mode}"
        connection = sqlite3.connect(address, uri=True, timeout=patience, isolation_level=None)
        with closing(connection):
            connection.text_factory = bytes
            # EXTRA: with a rollback journal, FULL alone may lose the last commit when the power fails.
            connection.execute("PRAGMA synchronous=EXTRA")
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            yield connection
            connection.execute("COMMIT")


def _refuse_stub(path: Path) -> None:
    # SQLite takes a file of one byte for an empty one, and would write over it.
    if path.exists() and 0 < path.stat().st_size < HEADER_SIZE:
        raise IntegrityError(f"{path} is no SQLite file and is left alone", subject=str(path))


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Let no sqlite3.Error and no OSError out: each becomes BusyError, StorageError or IntegrityError."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise _named(error, path) from error
    except OSError as error:
        raise StorageError(f"{path} cannot be used: {error.strerror or error}", subject=str(path)) from error


def _named(error: sqlite3.DatabaseError, path: Path) -> EvidenceError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in _BUSY:
        return BusyError(f"{path} is held by another writer", subject=str(path), hint="try again")
    if code in _BROKEN:
        return IntegrityError(
            f"{path} is no sound SQLite file: {error}",
            subject=str(path),
            hint="move the file away and write again; the ledger still holds every admission",
        )
    return StorageError(f"{path} cannot be read or written now: {error}", subject=str(path))
