"""A write-ahead or rollback file beside a ledger that is not of it (ledger.md section 3).

SQLite plays in whatever `-wal` lies there, and when it is closed writes it over the ledger for good; a
`-journal` it writes over the ledger at once.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from ledger.sqlite_file import connect, trouble
from ledger.sqlite_readonly import SqliteReadonly, journal, sides
from ledger.sqlite_view import SqliteReader
from ledger.store import Head
from schemas.errors import IntegrityError
from schemas.ledger import record_id

_TIMEOUT_SECONDS = 10.0
_MAGIC = bytes.fromhex("d9d505f920a163d7")  # sqlite.org/fileformat2.html section 3
# What differs in the first page before and after a change of the journal mode: the two versions, the two
# counters of changes, the version of SQLite (section 1.3).
_OF_THE_MODE = (*range(18, 20), *range(24, 28), *range(92, 100))


def foreign_log(path: Path) -> str | None:
    """What is wrong with the `-wal` beside the ledger at `path`; None when it goes on from it.

    A log only grows: the last record of a file that is whole by itself is there too with its `-wal`.
    """
    size, _ = sides(path)
    last = last_alone(path) if size else None
    if last is None or _holds(path, last):
        return None
    return f"{path.name}-wal is of another ledger, or of another state of this one"


def foreign_journal(path: Path) -> str | None:
    """What is wrong with the `-journal` beside the ledger at `path`; None when it changes nothing in it.

    Who appends is in WAL mode, which needs none. Only who brings a copy that is not (of `VACUUM INTO`, of a
    dump) into that mode has one: it holds the first page as it was before.
    """
    raw = journal(path)
    if not raw or _is_of_the_mode(raw, path) or not journal(path):  # who was changing the mode is done
        return None
    return f"{path.name}-journal is of another database, or of another program that wrote to this one"


def _is_of_the_mode(raw: bytes, path: Path) -> bool:
    pages, sector, page = (int.from_bytes(raw[at : at + 4], "big") for at in (16, 20, 24))
    first = raw[sector:]
    if raw[:8] != _MAGIC or len(first) != 8 + page or first[:4] != b"\0\0\0\1":
        return False
    file = _whole(path)
    return len(file) == pages * page and _without_mode(file[:page]) == _without_mode(first[4:-4])


def _whole(path: Path) -> bytes:
    # By SQLite: to close the file otherwise would end the locks that this process may have on it.
    with closing(connect(path, "mode=ro&immutable=1", _TIMEOUT_SECONDS)) as connection:
        try:
            return connection.serialize()
        except sqlite3.Error as error:
            raise trouble(error, path) from error


def _without_mode(page: bytes) -> bytes:
    return bytes(0 if at in _OF_THE_MODE else byte for at, byte in enumerate(page))


def refuse_sides(path: Path) -> None:
    """IntegrityError: a foreign `-journal` or `-wal` lies beside the ledger, which to open it would spoil."""
    if (complaint := foreign_journal(path)) is not None:
        raise IntegrityError(
            f"{path}: {complaint}",
            subject=f"{path}-journal",
            hint="nothing was written; keep both files aside, then move the -journal away and ask"
            " `audit verify`",
        )
    refuse_foreign(path)


def refuse_foreign(path: Path) -> None:
    """IntegrityError: a foreign `-wal` lies beside the ledger, and opening it would spoil the ledger."""
    if (complaint := foreign_log(path)) is not None:
        raise IntegrityError(
            f"{path}: {complaint}",
            subject=f"{path}-wal",
            hint="nothing was written; move it and the -shm away, or put the ledger back that it is of",
        )


def last_alone(path: Path) -> Head | None:
    """The last record of the file without what lies beside it; None where it is not whole by itself."""
    try:
        connection = connect(path, "mode=ro&immutable=1", _TIMEOUT_SECONDS)
        try:
            return SqliteReader(connection, path).head()
        finally:
            connection.close()
    except IntegrityError:
        return None  # as in the middle of what SQLite calls a checkpoint


def _holds(path: Path, last: Head) -> bool:
    try:
        with SqliteReadonly(path).read() as reader:
            raw = reader.raw(last.seq)
    except IntegrityError:
        return False
    return raw is not None and record_id(raw) == last.id
