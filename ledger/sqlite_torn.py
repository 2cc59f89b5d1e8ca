"""A SQLite ledger file that lost its end: how much is gone, what can be read (ledger.md section 5)."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from ledger.sqlite_file import connect
from ledger.sqlite_view import SqliteReader
from schemas.errors import IntegrityError, StorageError

_HEADER_BYTES = 100
_TIMEOUT_SECONDS = 10.0


class Torn(NamedTuple):
    """How many bytes the file has, and how many it had when it was whole."""

    size: int
    whole: int

    def __str__(self) -> str:
        return f"the file has {self.size} of its {self.whole} bytes"


def torn(path: Path) -> Torn | None:
    """How the file at `path` was cut; None when all its pages are there.

    Beside a write-ahead file nothing is said: that one may hold the rest.
    """
    try:
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            return None
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
        size = path.stat().st_size
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error}", subject=str(path)) from error
    # sqlite.org/fileformat2.html section 1.3: the count is valid only where the two change counters agree.
    stated = int.from_bytes(header[16:18], "big")
    page = 1 << 16 if stated == 1 else stated
    whole = page * int.from_bytes(header[28:32], "big")
    if len(header) < _HEADER_BYTES or header[24:28] != header[92:96] or whole <= size:
        return None
    return Torn(size, whole)


@contextmanager
def what_is_left(path: Path, lost: Torn) -> Iterator[SqliteReader]:
    """A reader of a copy whose lost pages are empty: what it reads before an IntegrityError is there."""
    folder = Path(tempfile.mkdtemp(prefix="external-evidence-"))
    try:
        copy = folder / "ledger.sqlite3"
        try:
            shutil.copyfile(path, copy)
            page = int.from_bytes(copy.read_bytes()[16:18], "big")
            whole_pages = lost.size - lost.size % (1 << 16 if page == 1 else page)
            os.truncate(copy, whole_pages)  # half a page holds nothing that can be told from damage
            os.truncate(copy, lost.whole)
        except OSError as error:
            raise StorageError(f"{path} cannot be copied to be read: {error}", subject=str(path)) from error
        with closing(connect(copy, "mode=ro&immutable=1", _TIMEOUT_SECONDS)) as connection:
            yield SqliteReader(connection, path)
    finally:
        shutil.rmtree(folder)


def readable(reader: SqliteReader) -> Iterator[tuple[int, bytes]]:
    """Every (seq, raw) in order up to the first that was lost."""
    after = -1
    while True:
        try:
            raw = reader.raw(after + 1)
        except IntegrityError:
            return
        if raw is None:
            return
        after += 1
        yield after, raw
