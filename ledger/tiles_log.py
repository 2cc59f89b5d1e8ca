"""Read a tlog-tiles folder as a log: what stands in it, and whether its tiles are those of its records."""

import re
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ledger.carried import CarriedReader, Place
from ledger.chain import Break
from ledger.checkpoint import Checkpoint
from ledger.note import MOST_NOTE_BYTES
from ledger.sqlite_file import NoLedgerError
from ledger.tiles import WIDTH, hash_tiles, tile_path
from ledger.tree import HASH_BYTES
from schemas.canonical import digest_bytes
from schemas.errors import IntegrityError, InvalidError, StorageError
from schemas.ledger import MOST_RAW_BYTES
from schemas.outside import MAX_BYTES

CHECKPOINT = "checkpoint"
_NUMBER = re.compile("[1-9][0-9]{0,2}")
_LENGTH = 2  # bytes before each record
_MOST_TILE_BYTES = WIDTH * (MOST_RAW_BYTES + _LENGTH)


class TilesLog:
    """A Readable over a tiles folder; one that lost its end is read with `cut_too` only."""

    def __init__(self, folder: Path, *, cut_too: bool = False) -> None:
        self._folder = folder
        self._cut_too = cut_too

    @contextmanager
    def read(self) -> Iterator["TilesReader"]:
        """The whole folder; NoLedgerError when it is none, IntegrityError when it lost its end."""
        with closing(TilesReader(self._folder)) as reader:
            if reader.torn is not None and not self._cut_too:
                raise IntegrityError(
                    f"the folder lost its end: {reader.torn}",
                    subject="end",
                    hint="`audit verify` judges what is left",
                )
            yield reader

    def close(self) -> None:
        """Nothing is held between two reads."""


class TilesReader(CarriedReader):
    """A Reader of a tiles folder; `torn` says how many records are left of how many."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._tile: tuple[str, bytes] = ("", b"")
        try:
            self._scan(self._stated())
        except BaseException:
            self.close()
            raise

    def content(self, place: Place) -> bytes:
        name, _, span = str(place).partition(" ")
        if not span:
            return self._file(name, MAX_BYTES) or b""
        if self._tile[0] != name:
            self._tile = (name, self._file(name, _MOST_TILE_BYTES) or b"")
        start, _, end = span.partition("-")
        return self._tile[1][int(start) : int(end)]

    def body(self, digest: str) -> bytes | None:
        """The body of that digest, None when absent or erased; IntegrityError when it is another."""
        self._derive()
        digits = digest.partition(":")[2]
        names = self._rows("SELECT name FROM schemas WHERE digest = ?", digest)
        for name in (f"bodies/{digits}", *(f"schemas/{one}/{digits}.json" for (one,) in names)):
            body = self._file(name, MAX_BYTES)
            if body is not None:
                if digest_bytes(body) != digest:
                    raise IntegrityError(f"the body stored under {digest} is another", subject=digest)
                return body
        return None

    def index_breaks(self) -> Iterator[Break]:
        yield from super().index_breaks()
        stated, whole = self._stated().size, self.torn is None
        for level, index, mine in hash_tiles(self.subtree, self._size):
            width = min(WIDTH, (stated >> 8 * level) - index * WIDTH)
            name = tile_path(str(level), index, width)
            stored = self._file(name, WIDTH * HASH_BYTES)
            # What a folder lost with its end is not held against the rest of it.
            there = stored if whole or stored is None else stored[: len(mine)]
            if there != mine and (whole or stored is not None):
                last = min(self._size, (index * WIDTH + len(mine) // HASH_BYTES) << 8 * level) - 1
                rule, found = "a tile holds the hashes of its records", "none" if stored is None else "others"
                yield Break(last, name, rule, "those", found)

    def _stated(self) -> Checkpoint:
        note = self._file(CHECKPOINT, MOST_NOTE_BYTES)
        if note is None:
            empty = next(self._folder.glob("*"), None) is None
            why = "it is empty" if empty else f"it has no file called {CHECKPOINT}"
            raise NoLedgerError(f"{self._folder} is no tiles folder: {why}", subject=str(self._folder))
        try:
            _, stated = Checkpoint.of(note)
        except InvalidError as error:
            raise NoLedgerError(
                f"{self._folder} is no tiles folder: {error.message}", subject=str(self._folder)
            ) from error
        return stated

    def _scan(self, stated: Checkpoint) -> None:
        self._log = stated.origin
        for tile in range(-(-stated.size // WIDTH)):
            width = min(WIDTH, stated.size - tile * WIDTH)
            self._entries(tile, width)
            if self._size < tile * WIDTH + width:
                self._short(tile, stated.size)
                return
        self.found_note(CHECKPOINT)

    def _entries(self, tile: int, width: int) -> None:
        name, raw = self._tile_of(tile, width)
        at, count = 0, 0
        while len(raw) - at >= _LENGTH and count < width:
            start = at + _LENGTH
            end = start + int.from_bytes(raw[at:start])
            if end > len(raw):
                return
            self.found_record(f"{name} {start}-{end}")
            at, count = end, count + 1
        if count == width and at < len(raw):
            rule = "nothing after the last record"
            self._breaks.append(
                Break(self._size - 1, "tile/entries", rule, f"{at} bytes", f"{len(raw)} bytes")
            )

    def _tile_of(self, tile: int, width: int) -> tuple[str, bytes]:
        """The tile of that width, else the widest that an older checkpoint had."""
        path = tile_path("entries", tile, width)
        older = (one.name for one in (self._folder / path).parent.glob("*") if _NUMBER.fullmatch(one.name))
        narrower = sorted((int(one) for one in older if int(one) < width), reverse=True)
        for name in (path, *(tile_path("entries", tile, one) for one in narrower)):
            raw = self._file(name, _MOST_TILE_BYTES)
            if raw is not None:
                return name, raw
        return path, b""

    def _short(self, tile: int, size: int) -> None:
        left, last = f"{self._size} of {size} records", (size - 1) // WIDTH
        later = {tile + 1, last} if tile < last else set()
        names = (tile_path("entries", one, min(WIDTH, size - one * WIDTH)) for one in later)
        if any((self._folder / name).exists() for name in names):
            rule = "no record is missing between others"
            self._breaks.append(Break(self._size, "tile/entries", rule, f"{size} records", left))
        else:
            self.torn = left

    def _file(self, name: str, most: int) -> bytes | None:
        path = self._folder / name
        try:
            if not stat.S_ISREG(path.stat().st_mode):  # to open a pipe is to wait
                return None
            with path.open("rb") as file:
                return file.read(most + 1)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise StorageError(f"{path} cannot be read: {error}", subject=str(path)) from error
