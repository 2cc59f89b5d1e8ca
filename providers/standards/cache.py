"""Keep what was computed from a library, and believe it only if it is whole and about just this.

A kept file is a header and sections. The header names its *key*, which holds everything that the content
was computed from, and the digest of the sections; it ends with its own digest. A file that is damaged, has
another key, or belongs to someone else is as good as none. Nothing needs a kept file: where none can be
written, everything is computed again.
"""

import contextlib
import mmap
import os
import stat
import sys
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO

import orjson
from blake3 import blake3

from providers.standards.packed import Sections

FOLDER_VARIABLE = "XDG_CACHE_HOME"
_FOLDER = "external-evidence"
_MAGIC = b"external-evidence kept file 1\n\0\0"
_DIGEST_BYTES = 32
_ALIGNED = 8
_LARGEST_HEADER = 1 << 20
_CHUNK = 1 << 20
_MOST_FILES = 16

Key = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept file whose header is whole and has the key that was asked for."""

    facts: dict[str, object]
    _path: Path
    _head: bytes
    _digest: str
    _table: tuple[tuple[str, int, int], ...]

    def sections(self) -> Sections | None:
        """The sections, or None if they are damaged or gone; the bytes are hashed on each call."""
        start = _padded(len(self._head))
        size = start + sum(_padded(length) for _, _, length in self._table)
        try:
            with self._path.open("rb") as file:
                if os.fstat(file.fileno()).st_size != size or file.read(len(self._head)) != self._head:
                    return None
                file.seek(start)
                # Read and not mapped: pages that are only hashed shall not count as memory of the process.
                if _hash_of(file) != self._digest:
                    return None
                view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))[start:]
        except OSError:
            return None
        return {name: view[at : at + length] for name, at, length in self._table}


def _hash_of(file: BinaryIO) -> str:
    hasher = blake3()
    while chunk := file.read(_CHUNK):
        hasher.update(chunk)
    return hasher.hexdigest()


def folder() -> Path:
    """Where kept files are: $XDG_CACHE_HOME/external-evidence, else ~/.cache/external-evidence.

    Without a home the answer is a relative path, where nothing is kept.
    """
    base = os.environ.get(FOLDER_VARIABLE, "")
    # The XDG base directory specification ignores a relative path.
    root = Path(base) if base.startswith("/") else Path(os.path.expanduser("~/.cache"))  # noqa: PTH111
    return root / _FOLDER


@cache
def program(*modules: str) -> str:
    """What computes the content: the text of these modules of this package, and the tables of Python."""
    hasher = blake3(f"{sys.byteorder} {unicodedata.unidata_version}".encode())
    for module in modules:
        hasher.update((Path(__file__).parent / f"{module}.py").read_bytes())
    return hasher.hexdigest()


def find(name: str, key: Key) -> Kept | None:
    """The kept file `name` with just this key, or None."""
    path = folder() / name
    if not path.is_absolute():
        return None
    try:
        with path.open("rb") as file:
            return _kept(path, file, key) if _is_ours(file) else None
    except (OSError, ValueError):
        return None


def _is_ours(file: BinaryIO) -> bool:
    """Whether only the user of this process can have written the file."""
    seen = os.fstat(file.fileno())
    if not stat.S_ISREG(seen.st_mode):
        return False
    return not hasattr(os, "getuid") or (seen.st_uid == os.getuid() and not seen.st_mode & 0o022)


def _kept(path: Path, file: BinaryIO, key: Key) -> Kept | None:
    lead = file.read(len(_MAGIC) + 8)
    length = int.from_bytes(lead[len(_MAGIC) :], "little")
    if not lead.startswith(_MAGIC) or length > _LARGEST_HEADER:
        return None
    written, digest = file.read(length), file.read(_DIGEST_BYTES)
    if digest != blake3(lead + written).digest():
        return None
    header = orjson.loads(written)
    if header["key"] != orjson.loads(orjson.dumps(key)):
        return None
    table = tuple((name, at, length) for name, at, length in header["sections"])
    return Kept(header["facts"], path, lead + written + digest, header["digest"], table)


def keep(name: str, key: Key, facts: Mapping[str, object], sections: Sections) -> None:
    """Write a kept file at once and whole; where that cannot be done, nothing is kept."""
    hasher = blake3()
    for part in _body(sections.values()):
        hasher.update(part)
    lengths = [len(section) for section in sections.values()]
    starts = [sum(map(_padded, lengths[:place])) for place in range(len(lengths))]
    header = orjson.dumps(
        {
            "key": key,
            "facts": facts,
            "sections": list(zip(sections, starts, lengths, strict=True)),
            "digest": hasher.hexdigest(),
        }
    )
    head = _MAGIC + len(header).to_bytes(8, "little") + header
    head += blake3(head).digest()
    # A full or read-only disk, or no home, must not stop the search.
    place = folder()
    if not place.is_absolute():
        return
    with contextlib.suppress(OSError):
        _write(place, name, [head.ljust(_padded(len(head)), b"\0"), *_body(sections.values())])


def _body(sections: Iterable[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    for section in sections:
        yield section
        yield bytes(_padded(len(section)) - len(section))


def _padded(length: int) -> int:
    return -(-length // _ALIGNED) * _ALIGNED


def _write(place: Path, name: str, parts: Iterable[bytes | memoryview]) -> None:
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    number, temporary = tempfile.mkstemp(prefix=f".{name[:40]}.", dir=place)
    try:
        with os.fdopen(number, "wb") as file:
            for part in parts:
                file.write(part)
        Path(temporary).replace(place / name)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise
    _forget(place)


def _forget(place: Path) -> None:
    """Remove all but the newest files: of each library that was replaced one would stay for ever."""
    files = sorted(place.glob("*.*"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
    for file in files[_MOST_FILES:]:
        file.unlink(missing_ok=True)
