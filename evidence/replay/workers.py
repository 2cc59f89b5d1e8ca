"""Do the parts of a replay in several processes, each with a snapshot of its own of the same ledger.

A process that finds something although it does not see exactly the caller's records has its part done again
by the caller, so that a writer at work changes nothing that is found.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from evidence.replay.findings import MOST_FINDINGS
from evidence.replay.lives import ChangedError, Context, Derived, derive
from evidence.replay.notes import Notes
from ledger.chain import Break
from ledger.signature_check import signature_breaks
from ledger.store import Head, Readable, Reader
from schemas.errors import EvidenceError
from schemas.ledger import record_id

if TYPE_CHECKING:  # they cost a third of a start, and most ledgers are short
    from concurrent.futures import Future, ProcessPoolExecutor

# More parts than processes, so that none waits long for the last one.
_PARTS_PER_JOB = 8
Begun: TypeAlias = "Future[list[Break] | None]"
"""A check that another process does; its result is None when the caller has to do it again."""


class Crew:
    """Some processes over one ledger, whose last record is `head` as the caller sees it."""

    def __init__(self, pool: "ProcessPoolExecutor", jobs: int, log: Readable, head: Head, path: Path) -> None:
        self._pool = pool
        self._jobs = jobs
        self._log = log
        self._head = head
        self._path = path

    @classmethod
    @contextmanager
    def of(cls, jobs: int, log: Readable, head: Head, path: Path) -> Iterator["Crew"]:
        """That many processes with the caller's own, until the end of the block; its notes are at `path`."""
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        # Not forked: a connection of SQLite must not be carried over a fork.
        with ProcessPoolExecutor(max(1, jobs - 1), mp_context=get_context("spawn")) as pool:
            yield cls(pool, jobs, log, head, path)

    def index(self) -> "Begun":
        """Begin to check the indexes; None when the caller has to do it."""
        return self._pool.submit(checked, index_breaks, self._log, self._head)

    def signatures(self) -> "Begun":
        """Begin to verify the signatures; None when the caller has to do it."""
        return self._pool.submit(checked, signatures, self._log, self._head)

    def derive(self, reader: Reader, notes: Notes, context: Context, steps: int) -> Derived:
        """All lives of which the notes tell; StrayError, ChangedError as `lives.derive`."""
        parts = max(1, min(steps, self._jobs * _PARTS_PER_JOB))
        bounds = [steps * part // parts for part in range(parts + 1)]
        pairs = list(pairwise(bounds))
        asked = [
            self._pool.submit(derived_part, self._log, self._head, self._path, context, *pair)
            for pair in pairs
        ]
        derived = Derived()
        # The others begin at the first part, the caller at the last that nobody has begun.
        for pair, future in reversed(list(zip(pairs, asked, strict=True))):
            done = None if future.cancel() else future.result()
            derived.add(derive(reader, notes, context, *pair) if done is None else done)
        return derived


def index_breaks(reader: Reader) -> list[Break]:
    """What is wrong with the indexes: as much of it as anybody is told."""
    return list(islice(reader.index_breaks(), MOST_FINDINGS + 1))


def signatures(reader: Reader) -> list[Break]:
    """Which signatures do not hold: as many as anybody is told of."""
    return list(islice(signature_breaks(reader), MOST_FINDINGS + 1))


def checked(check: Callable[[Reader], list[Break]], log: Readable, head: Head) -> list[Break] | None:
    """What another process finds by that check; None when the caller has to do it."""
    try:
        with log.read() as reader:
            found = check(reader)
            return found if not found or _sees(reader, head) else None
    except EvidenceError:  # the caller comes to the same and says it
        return None


def derived_part(
    log: Readable, head: Head, path: Path, context: Context, begin: int, end: int
) -> Derived | None:
    """What another process derives of some lives; None when the caller has to do it."""
    notes = Notes.finished(path)
    try:
        with log.read() as reader:
            derived = derive(reader, notes, context, begin, end)
            return derived if derived.findings.none or _sees(reader, head) else None
    except (ChangedError, EvidenceError):
        return None
    finally:
        notes.close()


def _sees(reader: Reader, head: Head) -> bool:
    last = list(islice(reader.records(head.seq - 1), 2))
    return len(last) == 1 and (last[0][0], record_id(last[0][1])) == (head.seq, head.id)
