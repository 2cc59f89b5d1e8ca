"""Records of a library file that was read before: the file's digest stands for reading it again.

The records are kept as the canonical bytes that the library's revision is the digest of, so that they
prove themselves. `load` needs only their number and the revision; they are checked and read when a record
is asked for, and read from the library file again if they are damaged.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import orjson
from blake3 import blake3

from providers.standards import cache
from providers.standards.packed import Sections, read_numbers

if TYPE_CHECKING:
    from providers.standards.library import StandardRecord

FEWEST_BYTES = 256 * 1024
"""A smaller file is read in a few milliseconds, so nothing is kept of it."""

_PROGRAM = ("library", "stored", "folding", "tables")

Records = Sequence["StandardRecord"]


@dataclass(frozen=True, slots=True)
class Held:
    """What a kept file would hold, in memory: where nothing can be kept."""

    facts: dict[str, object]
    _sections: Sections

    def sections(self) -> Sections:
        """The sections."""
        return self._sections


class StoredRecords(Sequence["StandardRecord"]):
    """The records behind a kept file, each read when it is asked for."""

    def __init__(
        self, kept: cache.Kept | Held, make: Callable[..., "StandardRecord"], again: Callable[[], Records]
    ):
        self.revision = str(kept.facts["revision"])
        self._count = int(str(kept.facts["records"]))
        self._kept = kept
        self._make = make
        self._again = again
        self._written = memoryview(b"")
        self._ends: memoryview | None = None
        self._instead: Records = ()

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> "StandardRecord": ...
    @overload
    def __getitem__(self, index: slice) -> "tuple[StandardRecord, ...]": ...
    def __getitem__(self, index: int | slice) -> "StandardRecord | tuple[StandardRecord, ...]":
        places = range(self._count)[index]
        return self._at(places) if isinstance(places, int) else tuple(map(self._at, places))

    def __iter__(self) -> "Iterator[StandardRecord]":
        return map(self._at, range(self._count))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(self.revision)

    def _at(self, place: int) -> "StandardRecord":
        if self._ends is None and not self._instead:
            self._open()
        if self._ends is None:
            return self._instead[place]
        # A comma, or the opening bracket, stands before each record.
        start = self._ends[place - 1] if place else 0
        return self._make(**orjson.loads(self._written[start + 1 : self._ends[place]]))

    def _open(self) -> None:
        sections = self._kept.sections()
        if sections is None or f"blake3:{blake3(sections['records']).hexdigest()}" != self.revision:
            self._instead = self._again()
        else:
            self._written, self._ends = memoryview(sections["records"]), read_numbers(sections["ends"])


def find_records(file_digest: str) -> cache.Kept | None:
    """What was kept of the library file with this digest."""
    return cache.find(_name(file_digest), _key(file_digest))


def keep_records(file_digest: str, written: Iterable[bytes]) -> Held:
    """Keep the canonical bytes of all records of a file: each with what stands before it, then `]`."""
    text, ends = bytearray(), array("I")
    for piece in written:
        text += piece
        ends.append(len(text))
    records = len(ends) - 1
    facts: dict[str, object] = {"revision": f"blake3:{blake3(text).hexdigest()}", "records": records}
    sections: dict[str, bytes | memoryview] = {"records": memoryview(text), "ends": ends[:records].tobytes()}
    cache.keep(_name(file_digest), _key(file_digest), facts, sections)
    return Held(facts, sections)


def _name(file_digest: str) -> str:
    return f"{file_digest.rpartition(':')[2]}.records"


def _key(file_digest: str) -> cache.Key:
    return {"file": file_digest, "program": cache.program(*_PROGRAM)}
