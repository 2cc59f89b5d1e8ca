"""A write-ahead file beside a ledger that is not of it (ledger.md section 3).

SQLite plays in whatever `-wal` lies there, and when it is closed writes it over the ledger for good.
"""

from pathlib import Path

from ledger.sqlite_file import connect
from ledger.sqlite_readonly import SqliteReadonly, sides
from ledger.sqlite_view import SqliteReader
from ledger.store import Head
from schemas.errors import IntegrityError
from schemas.ledger import record_id

_TIMEOUT_SECONDS = 10.0


def foreign_log(path: Path) -> str | None:
    """What is wrong with the `-wal` beside the ledger at `path`; None when it goes on from it.

    A log only grows: the last record of a file that is whole by itself is there too with its `-wal`.
    """
    size, _ = sides(path)
    last = last_alone(path) if size else None
    if last is None or _holds(path, last):
        return None
    return f"{path.name}-wal is of another ledger, or of another state of this one"


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
