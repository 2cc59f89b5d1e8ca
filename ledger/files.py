"""Small files beside a ledger or a key that are replaced as a whole."""

import os
import re
import stat
from contextlib import suppress
from pathlib import Path

from schemas.errors import StorageError

_BINARY = getattr(os, "O_BINARY", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY
_THERE = os.O_WRONLY | _NOFOLLOW | _BINARY
_LOOK = os.O_RDONLY | _NOFOLLOW | getattr(os, "O_NONBLOCK", 0)  # a pipe of that name is not waited for
_CLAIM = os.O_RDWR | os.O_CREAT | _BINARY
_SECTOR = 512
NEW = r"\.[0-9a-f]{16}\.new"  # after the name of the file that it is to become


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
    try:
        while not _replaced(path, content, synchronised):
            pass
        if synchronised:
            synchronise(path.parent)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error}", subject=str(path)) from error
    sweep(path)


def fresh(path: Path, mode: int = 0o666) -> tuple[str, int]:
    """The name and descriptor of a new file that is to become `path`; while it is open no `sweep` takes it.

    In the moments before and after it may: who then finds no file of that name makes another.
    """
    # As text, and hence by os: a Path keeps each of these random names for good (sys.intern).
    new = f"{path}.{os.urandom(8).hex()}.new"
    descriptor = os.open(new, _NEW, mode)
    _lock(descriptor)
    return new, descriptor


def sweep(*paths: Path) -> None:
    """Take away what writers of `paths` left that were killed: `fresh` files that nobody has open."""
    for path in paths:
        _sweep(path)


def _sweep(path: Path) -> None:
    pattern = re.compile(re.escape(path.name) + NEW)
    with suppress(OSError):  # a folder that may be passed but not listed
        for name in os.listdir(path.parent):  # noqa: PTH208 - see `fresh`
            if pattern.fullmatch(name):
                _take_away(os.path.join(path.parent, name))  # noqa: PTH118


def _take_away(new: str) -> None:
    # ImportError: a system without these locks leaves them. OSError: somebody writes it, or is done just now.
    with suppress(ImportError, OSError):
        import fcntl

        descriptor = os.open(new, _LOOK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(new)  # noqa: PTH108
        finally:
            os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Wait for a lock that ends with the descriptor or the process; a file system without locks has none."""
    with suppress(ImportError, OSError):
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)


def claim(path: Path, content: bytes) -> bool:
    """Put `content` at `path` where nothing or an empty file is; whether that was so.

    Of several who claim at once one does. A process that is killed has claimed or has not.
    """
    try:
        descriptor = _locked(path)
        try:
            if os.fstat(descriptor).st_size:
                return False
            _write(descriptor, content, synchronised=False)
        except BaseException:
            os.ftruncate(descriptor, 0)  # a part of it would look like somebody's claim
            raise
        finally:
            os.close(descriptor)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error}", subject=str(path)) from error
    return True


def disclaim(path: Path, content: bytes) -> None:
    """Take back what was claimed, unless something else is there by now; an empty file stays."""
    with suppress(OSError):
        descriptor = _locked(path)
        try:
            if os.read(descriptor, len(content) + 1) == content:
                os.ftruncate(descriptor, 0)
        finally:
            os.close(descriptor)


def _locked(path: Path) -> int:
    """The file at `path`, made where none is, and locked."""
    while True:
        descriptor = os.open(path, _CLAIM, 0o666)
        _lock(descriptor)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), os.stat(path)):  # noqa: PTH116
                return descriptor
        os.close(descriptor)  # it was replaced or taken away before the lock was ours


def synchronise(folder: Path) -> None:
    """Make the entries of `folder` durable."""
    with suppress(PermissionError):  # Windows opens no folders, and needs none synchronised
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _replaced(path: Path, content: bytes, synchronised: bool) -> bool:
    """Whether it was done; not where somebody swept the new file away unseen."""
    new, descriptor = fresh(path)
    try:
        try:
            _write(descriptor, content, synchronised)
        finally:
            os.close(descriptor)  # Windows renames no open file
        os.replace(new, path)  # noqa: PTH105
    except FileNotFoundError:
        return False
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(new)  # noqa: PTH108
        raise
    return True


def _write(descriptor: int, content: bytes, synchronised: bool) -> None:
    # By descriptor: an object of open() costs as much again as the file.
    while content:
        content = content[os.write(descriptor, content) :]
    if synchronised:
        os.fsync(descriptor)


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
