"""A whole log as a folder of static files: C2SP tlog-tiles, and bodies and schemas beside the tiles.

checkpoint                     the newest signed checkpoint
tile/LEVEL/INDEX[.p/WIDTH]     256 hashes, or fewer at the right edge
tile/entries/INDEX[.p/WIDTH]   256 records, each after its length in two bytes
bodies/HEX                     the bodies by their BLAKE3
schemas/NAME/HEX.json          the bodies that are registered schemas

The folder is finished beside its place and then gets its name. It holds no policy.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

from ledger.checkpoint import Checkpoint
from ledger.export import Stored, head_of, walk
from ledger.store import REGISTERED, Reader
from ledger.tree import HASH_BYTES, Node
from schemas.errors import ConflictError, IntegrityError, StorageError, UsageError

WIDTH = 256
_HEIGHT = 8  # levels of the tree in one tile


def export_tiles(reader: Reader, folder: Path, *, force: bool = False) -> None:
    """Write the log that `reader` sees into a new or empty `folder`; `force`: in place of its older tiles.

    UsageError: it is not signed, and a tlog-tiles folder begins with its signed checkpoint.
    IntegrityError: it does not hold together. ConflictError: there is something else at `folder`.
    """
    size, note = _signed(reader)
    _refuse_taken(folder, force, note)
    new = folder.with_name(f"{folder.name}.{os.urandom(8).hex()}.new")
    try:
        try:
            for name, content in _files(reader, size):
                _put(new / name, content)
            _put(new / "checkpoint", note)
            _take_place(new, folder)
        finally:
            rmtree(new, ignore_errors=True)
    except OSError as error:
        raise StorageError(f"{folder} cannot be written: {error}", subject=str(folder)) from error


def _refuse_taken(folder: Path, force: bool, note: bytes) -> None:
    """ConflictError unless nothing stands there, or older tiles of the same log that may be replaced."""
    try:
        if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            return
        held = (folder / "checkpoint").read_bytes() if (folder / "tile").is_dir() else b""
    except OSError as error:
        raise StorageError(f"{folder} cannot be looked at: {error}", subject=str(folder)) from error
    if held.partition(b"\n")[0] != note.partition(b"\n")[0]:
        raise ConflictError(f"{folder} is there already and holds other things", subject=str(folder))
    if not force:
        raise ConflictError(
            f"{folder} holds tiles of this log already",
            subject=str(folder),
            hint="say --force to replace them",
        )


def _take_place(new: Path, folder: Path) -> None:
    if not folder.exists():
        new.rename(folder)
        return
    old = new.with_suffix(".old")
    folder.rename(old)
    try:
        new.rename(folder)
    except OSError:
        old.rename(folder)
        raise
    rmtree(old)


def tile_path(level: str, index: int, width: int) -> str:
    """Where the tile of that level (a number, or `entries`) and index is."""
    groups = [f"{index % 1000:03d}"]
    while index := index // 1000:
        groups.insert(0, f"x{index % 1000:03d}")
    return f"tile/{level}/{'/'.join(groups)}" + ("" if width == WIDTH else f".p/{width}")


def hash_tiles(node: Node, size: int) -> Iterator[tuple[int, int, bytes]]:
    """The level, index and content of every hash tile of a tree of `size` records."""
    level, count = 0, size
    while count:
        for index in range(-(-count // WIDTH)):
            hashes = range(index * WIDTH, min(count, (index + 1) * WIDTH))
            content = b"".join(node(level * _HEIGHT, place) for place in hashes)
            yield level, index, content
        level, count = level + 1, count // WIDTH


def _files(reader: Reader, size: int) -> Iterator[tuple[str, bytes]]:
    entries: list[bytes] = []
    for number, stored in enumerate(walk(reader), 1):
        if stored.body is not None:
            yield _body_path(stored), stored.body
        entries.append(len(stored.raw).to_bytes(2) + stored.raw)
        if len(entries) == WIDTH or number == size:
            yield tile_path("entries", (number - 1) // WIDTH, len(entries)), b"".join(entries)
            entries = []
    for level, index, content in hash_tiles(reader.subtree, size):
        yield tile_path(str(level), index, len(content) // HASH_BYTES), content


def _body_path(stored: Stored) -> str:
    digits = stored.record.body.digest.partition(":")[2]
    if stored.record.kind == REGISTERED:
        return f"schemas/{stored.record.schema.name}/{digits}.json"
    return f"bodies/{digits}"


def _signed(reader: Reader) -> tuple[int, bytes]:
    head, note = head_of(reader), reader.last_checkpoint()
    if note is None:
        raise UsageError(
            "a log without a key has no checkpoint for a tiles folder", subject="key", hint="export a bundle"
        )
    _, checkpoint = Checkpoint.of(note)
    if checkpoint.size != head.seq + 1:
        raise IntegrityError(
            f"the last checkpoint is of {checkpoint.size} records; there are {head.seq + 1}",
            subject="checkpoint",
        )
    return checkpoint.size, note


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
