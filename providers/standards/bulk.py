"""Look many citations up with all cores, in order, so that an interrupted run goes on where it stopped.

Answers go to `OUTPUT.partial`, JSON lines behind a head that names the queries, the library and the rules.
The output is made from it in one step at the end, and the partial file goes.
"""

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing.process import BaseProcess
from pathlib import Path

import orjson

from providers.standards.answer import answer_members
from providers.standards.library import Library
from providers.standards.matching import ALL_RULES
from schemas.canonical import digest
from schemas.errors import ConflictError, ProviderError, StorageError

CHUNK = 64
FEWEST_FOR_CORES = 512
"""Fewer queries are answered sooner here than by processes that must be started first."""

_LIBRARY: list[Library] = []


def answers(library: Library, queries: Sequence[str], cores: int) -> Iterator[bytes]:
    """One JSON line for each query, in order: `{"query", "candidates"}`, with a line feed."""
    _LIBRARY[:] = [library]
    forking = sys.platform == "linux" and "fork" in multiprocessing.get_all_start_methods()
    if cores < 2 or len(queries) < FEWEST_FOR_CORES or not forking:
        for query in queries:
            yield _line(query)
        return
    _line(queries[0])  # the library is prepared once, and every process shares it
    chunks = (list(queries[start : start + CHUNK]) for start in range(0, len(queries), CHUNK))
    try:
        with ProcessPoolExecutor(cores, multiprocessing.get_context("fork"), _live_with_parent) as pool:
            for lines in _in_order(pool, chunks, 4 * cores):
                yield from lines
    except BrokenProcessPool as error:
        hint = "run the same command again: what is done is kept"
        raise ProviderError(
            "a process that looked queries up was ended", subject="match", hint=hint
        ) from error


def _in_order(pool: ProcessPoolExecutor, chunks: Iterator[list[str]], ahead: int) -> Iterator[list[bytes]]:
    waiting: deque[Future[list[bytes]]] = deque(pool.submit(_lines, chunk) for chunk in islice(chunks, ahead))
    try:
        while waiting:
            yield waiting.popleft().result()
            waiting.extend(pool.submit(_lines, chunk) for chunk in islice(chunks, 1))
    finally:
        for future in waiting:
            future.cancel()


def _live_with_parent() -> None:
    """In a process of the pool: an interrupt is the parent's business, and its end is ours."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _lines(queries: list[str]) -> list[bytes]:
    return [_line(query) for query in queries]


def _line(query: str) -> bytes:
    return b"{" + answer_members(_LIBRARY[0], query, ALL_RULES) + b"}\n"


def head_of(queries: Sequence[str], library: Library) -> dict[str, object]:
    """What an interrupted run must agree on before it goes on: the queries and the library, by digest."""
    return {"queries": digest(list(queries)), "count": len(queries), "library_revision": library.revision}


class Partial:
    """The answers so far, in a file that outlives the process."""

    def __init__(self, path: Path, head: dict[str, object]) -> None:
        self.path = path
        self._head = orjson.dumps(head) + b"\n"

    def resume(self) -> int:
        """How many answers are there already, after an unfinished last line is cut off.

        Raises ConflictError for a file that another run left.
        """
        try:
            if not self.path.exists():
                self.path.write_bytes(self._head)
                return 0
            with self.path.open("r+b") as file:
                if (head := file.readline()) != self._head:
                    self._check_torn(head)
                    file.seek(0)
                    file.write(self._head)
                    file.truncate()
                    return 0
                done, end = 0, file.tell()
                for line in file:
                    if line.endswith(b"\n"):
                        done, end = done + 1, end + len(line)
                file.truncate(end)
                return done
        except OSError as error:
            raise self._storage(error) from error

    def _check_torn(self, head: bytes) -> None:
        if head.endswith(b"\n") or not self._head.startswith(head):
            raise ConflictError(
                f"{self.path} was left by a run over other queries or another library",
                subject=str(self.path),
                hint="remove it, or say --restart, to begin anew",
            )

    def extend(self, lines: Iterable[bytes], told: Callable[[int], None]) -> None:
        """Append `lines`, and tell how many were, now and then."""
        try:
            with self.path.open("ab") as file:
                for line in lines:
                    file.write(line)
                    told(1)
        except OSError as error:
            raise self._storage(error) from error

    def lines(self) -> Iterator[bytes]:
        """The answers."""
        with self.path.open("rb") as file:
            file.readline()
            yield from file

    def _storage(self, error: OSError) -> StorageError:
        return StorageError(f"{self.path} cannot be written: {error.strerror}", subject=str(self.path))
