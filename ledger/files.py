"""Small files beside a ledger or a key that are replaced as a whole."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from schemas.errors import StorageError

_BINARY = getattr(os, "O_BINARY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY
_THERE = os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | _BINARY
_SECTOR = 512


def read_if_there(path: Path) -> bytes | None:
    """The content of the file at `path`; None when there is none."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise StorageError(f"{path} cannot be read: {error}", subject=str(path)) from error


def read_settled(path: Path) -> bytes | None:
    """As `read_if_there`, of a file that others `overwrite`: what two looks found alike."""
    while (seen := read_if_there(path)) != read_if_there(path):
        pass
    return seen


def overwrite(path: Path, content: bytes) -> None:
    """Put `content` at `path`: one write over a small file of the same length, any other is replaced.

    A fall of power may bring the old content back; who reads meanwhile asks `read_settled`.
    """
    # A file that takes the name of another one is written out at once by ext4, which costs nearly as much
    # as a synchronisation. Within one sector no crash leaves half.
    if len(content) > _SECTOR or not _written_over(path, content):
        replace(path, content, synchronised=False)


def replace(path: Path, content: bytes, *, synchronised: bool) -> None:
    """Put `content` at `path`: a reader sees the old file or the new one, never a part.

    `synchronised`: it is durable at the end, else a fall of power may bring the old file back or an
    empty one.
    """
    # As text, and hence by os: a Path keeps each of these random names for good (sys.intern).
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


def _written_over(path: Path, content: bytes) -> bool:
    """Whether there was a file of that length and of one name at `path`, and all of it is new."""
    try:
        descriptor = os.open(path, _THERE)
        try:
            seen = os.fstat(descriptor)
            fits = stat.S_ISREG(seen.st_mode) and (seen.st_nlink, seen.st_size) == (1, len(content))
            return fits and os.write(descriptor, content) == len(content)
        finally:
            os.close(descriptor)
    except OSError:
        return False  # it is not there, or not to be written: `replace` says which
