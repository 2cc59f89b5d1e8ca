"""Small files beside a ledger or a key that are replaced as a whole."""

import os
from contextlib import suppress
from pathlib import Path

from schemas.errors import StorageError

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def read_if_there(path: Path) -> bytes | None:
    """The content of the file at `path`; None when there is none."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise StorageError(f"{path} cannot be read: {error}", subject=str(path)) from error


def replace(path: Path, content: bytes, *, synchronised: bool) -> None:
    """Put `content` at `path`: a reader sees the old file or the new one, never a part.

    `synchronised`: it is durable at the end, else a fall of power may bring the old file back or an
    empty one.
    """
    # As text: a Path keeps each of these random names for good (sys.intern).
    new = f"{path}.{os.urandom(8).hex()}.new"
    try:
        try:
            _write(new, content, synchronised)
            os.replace(new, path)  # noqa: PTH105
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(new)  # noqa: PTH108
            raise
        if synchronised:
            synchronise(path.parent)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error}", subject=str(path)) from error


def synchronise(folder: Path) -> None:
    """Make the entries of `folder` durable."""
    with suppress(PermissionError):  # Windows opens no folders, and needs none synchronised
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _write(new: str, content: bytes, synchronised: bool) -> None:
    # By descriptor: an object of open() costs as much again as the file.
    descriptor = os.open(new, _NEW, 0o666)
    try:
        while content:
            content = content[os.write(descriptor, content) :]
        if synchronised:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
