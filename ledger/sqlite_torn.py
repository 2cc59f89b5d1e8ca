"""A SQLite ledger file that lost its end: how much is gone, what can be read (ledger.md section 5)."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from ledger.sqlite_file import connect
from ledger.sqlite_view import SqliteReader
from schemas.errors import IntegrityError

_HEADER_BYTES = 100
_TIMEOUT_SECONDS = 10.0


class Torn(NamedTuple):
    """How many bytes the file has, how many it had when it was whole, and how many a page has."""

    size: int
    whole: int
    page: int

    def __str__(self) -> str:
        return f"the file has {self.size} of its {self.whole} bytes"


def torn(path: Path) -> Torn | None:
    """How the file at `path` was cut; None when all its pages are there.

    Beside a write-ahead file nothing is said: that one may hold the rest.
    """
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        return None
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    size = path.stat().st_size
    # sqlite.org/fileformat2.html section 1.3: the count is valid only where the two change counters agree.
    stated = int.from_bytes(header[16:18], "big")
    page = 1 << 16 if stated == 1 else stated
    whole = page * int.from_bytes(header[28:32], "big")
    if len(header) < _HEADER_BYTES or header[24:28] != header[92:96] or whole <= size:
        return None
    if page.bit_count() != 1:  # no page has that size: damage, of which SQLite says the word
        return None
    return Torn(size, whole, page)


@contextmanager
def what_is_left(path: Path, lost: Torn) -> Iterator[SqliteReader]:
    """A reader of a copy whose lost pages are empty: what it reads before an IntegrityError is there."""
    import shutil  # only for a file that was cut; half of a cold start otherwise
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="external-evidence-"))
    try:
        copy = folder / "ledger.sqlite3"
        shutil.copyfile(path, copy)
        os.truncate(copy, lost.size - lost.size % lost.page)  # half a page cannot be told from damage
        os.truncate(copy, lost.whole)
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


def before_the_cut(records: int) -> str:
    """What could be read of a SQLite file that was cut."""
    if not records:
        return "no record before the cut could be read"
    return "before the cut the records and their chain were read, not the bodies"
