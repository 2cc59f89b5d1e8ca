"""The query log: one JSON line for each sub-query, whole whatever happens (matcher design, section 9).

Every process writes files of its own, `queries-YYYYMMDD-PID-N.jsonl` (UTC day), in one folder. Lines of
one request go out in one write, before its answer does. A process that is killed inside a write can
leave the beginning of a line that nobody was answered; `mend` cuts it off once the process is gone.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock

from providers.base import Clock
from schemas.errors import StorageError

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # Windows: files are not locked there, so none is mended while the service runs
    flock = None  # type: ignore[assignment]

MEGABYTE = 1_000_000
LARGEST_BYTES = 64 * MEGABYTE
KEEP_DAYS = 180
_NAME = re.compile(r"queries-([0-9]{8})-[0-9]+-[0-9]+\.jsonl")
_TAIL = 64 * 1024


class QueryLog:
    """The log files of one process; any number of its threads may append."""

    def __init__(
        self, folder: Path, clock: Clock, largest_bytes: int = LARGEST_BYTES, keep_days: int = KEEP_DAYS
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._largest_bytes = largest_bytes
        self._keep_days = keep_days
        self._lock = Lock()
        self._file: int | None = None
        self._day = ""
        self._size = 0
        self._number = 0

    def append(self, moment: datetime, lines: bytes) -> None:
        """Write whole `lines`, which belong to `moment`, in one piece.

        Raises StorageError when they cannot be written; then nothing of them is left in the file.
        """
        day = moment.astimezone(UTC).strftime("%Y%m%d")
        with self._lock:
            try:
                full = self._size > 0 and self._size + len(lines) > self._largest_bytes
                if self._file is None or day > self._day or full:
                    self._next_file(day)
                self._write(lines)
            except OSError as error:
                message = f"the query log in {str(self._folder)!r} cannot be written: {error.strerror}"
                raise StorageError(message, subject="query log") from error

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._file is not None:
                os.close(self._file)
                self._file = None

    def _next_file(self, day: str) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file = self._new(day)
        self._day, self._size = day, 0
        forget(self._folder, self._clock, self._keep_days)

    def _new(self, day: str) -> int:
        """A file that nobody had: a process number comes again, so the last number is counted up."""
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND
        while True:
            self._number += 1
            path = self._folder / f"queries-{day}-{os.getpid()}-{self._number}.jsonl"
            with suppress(FileExistsError):
                file = os.open(path, flags, 0o600)
                if flock is not None:
                    flock(file, LOCK_EX)
                return file

    def _write(self, lines: bytes) -> None:
        assert self._file is not None  # noqa: S101 - for the type checker: append has opened it
        rest = memoryview(lines)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError:
            os.ftruncate(self._file, self._size)
            raise
        self._size += len(lines)


def log_files(folder: Path) -> list[Path]:
    """The log files in `folder`, oldest day first."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name))


def forget(folder: Path, clock: Clock, keep_days: int) -> list[Path]:
    """Remove the files of days more than `keep_days` ago, none for 0; tell which."""
    if keep_days <= 0:
        return []
    oldest = (clock().astimezone(UTC) - timedelta(days=keep_days)).strftime("%Y%m%d")
    gone = [path for path in log_files(folder) if path.name[8:16] < oldest]
    for path in gone:
        path.unlink(missing_ok=True)
    return gone


def mend(folder: Path) -> dict[Path, int]:
    """Cut off the unfinished last line of every file that no process writes any more; bytes cut off."""
    if flock is None:
        return {}
    return {path: cut for path in log_files(folder) if (cut := _mended(path))}


def _mended(path: Path) -> int:
    with suppress(BlockingIOError, FileNotFoundError), path.open("r+b") as file:
        flock(file, LOCK_EX | LOCK_NB)
        size = file.seek(0, os.SEEK_END)
        keep = _whole_lines(file.fileno(), size)
        if keep < size:
            os.ftruncate(file.fileno(), keep)
        return size - keep
    return 0


def _whole_lines(file: int, size: int) -> int:
    """How many of the first `size` bytes are whole lines."""
    end = size
    while end > 0:
        start = max(0, end - _TAIL)
        found = os.pread(file, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def log_lines(paths: Iterable[Path]) -> Iterator[tuple[Path, int, bytes]]:
    """Every line of every file with its place; the last may lack its end where a process still writes."""
    for path in paths:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                yield path, number, line
