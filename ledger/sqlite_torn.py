"""A SQLite ledger file that lost its end: how much is gone (ledger.md section 5)."""

from pathlib import Path
from typing import NamedTuple

from ledger.sqlite_file import NoLedgerError

_HEADER_BYTES = 100
_MAGIC = b"SQLite format 3\0"


class Torn(NamedTuple):
    """How many bytes the file has, had when it was whole, and has on a page; the program that it is of."""

    size: int
    whole: int
    page: int
    application: int

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
    if len(header) < _HEADER_BYTES and header.startswith(_MAGIC):
        raise NoLedgerError(f"{path} has {size} bytes, fewer than the header of a SQLite file")
    # sqlite.org/fileformat2.html section 1.3: the count is valid only where the two change counters agree.
    stated = int.from_bytes(header[16:18], "big")
    page = 1 << 16 if stated == 1 else stated
    whole = page * int.from_bytes(header[28:32], "big")
    if not header.startswith(_MAGIC) or header[24:28] != header[92:96] or whole <= size:
        return None
    if page.bit_count() != 1 or page < 512:  # no page has that size: damage, of which SQLite says the word
        return None
    return Torn(size, whole, page, int.from_bytes(header[68:72], "big"))
