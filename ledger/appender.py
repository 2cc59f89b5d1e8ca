"""Many threads append with one synchronisation of the disk: group commit on any store (ledger.md section 3).

It has no thread of its own: of the callers that wait, the first one commits what all have queued.
"""

from collections import deque
from collections.abc import Iterator
from copy import copy
from itertools import islice
from threading import Lock

from ledger.store import Appended, Draft, Ledger
from schemas.errors import ConflictError, EvidenceError, InvalidError, UsageError

MOST_STEPS = 256


class _Entry:
    """What one caller appends, all of it or nothing, and what became of it."""

    def __init__(self, drafts: tuple[Draft, ...]) -> None:
        self.drafts = drafts
        self.settled = False
        self._done: list[Appended] = []
        self._error: EvidenceError | None = None
        # Held until there is news: the entry is settled, or it is its caller's turn to commit.
        self._news = Lock()
        self._news.acquire()

    def await_news(self) -> None:
        self._news.acquire()

    def wake(self) -> None:
        self._news.release()

    def settle(self, done: list[Appended], error: EvidenceError | None = None) -> None:
        self._done, self._error, self.settled = done, error, True
        self.wake()

    def answer(self) -> list[Appended]:
        if self._error is None:
            return self._done
        # One failure may reach many threads: each raises an error of its own, with a traceback of its own.
        raise copy(self._error) from self._error


class Appender:
    """Appends for many threads at once; each gets its own seqs, ids and proofs, or its own error.

    A transaction takes what waits, in order, up to `most` steps. The ledger stays the caller's to close.
    """

    def __init__(self, ledger: Ledger, most: int = MOST_STEPS) -> None:
        self._ledger = ledger
        self._most = most
        self._lock = Lock()
        self._waiting: deque[_Entry] = deque()
        self._leader: _Entry | None = None
        self._closed = False

    def append(self, *drafts: Draft) -> list[Appended]:
        """Append these steps, all or none, in one transaction with other threads' steps; durable at the end.

        ConflictError and InvalidError are about these steps alone. An error of the store reaches every
        caller whose steps were in the transaction, as if each had had it alone.
        """
        return self._pass(_Entry(drafts))

    def close(self) -> None:
        """Take nothing more, and come back when all that was taken is settled; twice is once."""
        with self._lock:
            self._closed = True
        self._pass(_Entry(()), closing=True)

    def _pass(self, entry: _Entry, closing: bool = False) -> list[Appended]:
        try:
            self._join(entry, closing)
            entry.await_news()
            if not entry.settled:
                self._commit(self._batch())
        finally:
            self._leave(entry)
        return entry.answer()

    def _join(self, entry: _Entry, closing: bool) -> None:
        with self._lock:
            if self._closed and not closing:
                raise UsageError("the appender was closed", subject="appender")
            self._waiting.append(entry)
            if self._leader is None:
                self._appoint()

    def _leave(self, entry: _Entry) -> None:
        # Also on an interrupt, which may come at any moment of the above: nothing is left waiting that
        # nobody waits for, and the turn goes on. A step that was kept in spite of it is found by its key.
        with self._lock:
            if not entry.settled and entry in self._waiting:
                self._waiting.remove(entry)
            if self._leader is entry:
                self._waiting = deque(one for one in self._waiting if not one.settled)
                self._appoint()

    def _appoint(self) -> None:
        self._leader = self._waiting[0] if self._waiting else None
        if self._leader is not None:
            self._leader.wake()

    def _batch(self) -> list[_Entry]:
        """Those whose turn it is, which go on waiting until they are settled."""
        with self._lock:
            room = self._most
            batch: list[_Entry] = []
            for entry in self._waiting:
                room -= len(entry.drafts)
                if batch and room < 0:
                    break
                batch.append(entry)
            return batch

    def _commit(self, batch: list[_Entry]) -> None:
        try:
            done = self._write(batch)
        except EvidenceError as error:
            if isinstance(error, ConflictError | InvalidError) and len(batch) > 1:
                # About one entry, and which one not every store can say: nothing was kept, and each half is
                # done by itself until it stands alone.
                middle = len(batch) // 2
                self._commit(batch[:middle])
                self._commit(batch[middle:])
                return
            for entry in batch:
                entry.settle([], error if entry.drafts else None)
        else:
            for entry in batch:
                entry.settle(list(islice(done, len(entry.drafts))))

    def _write(self, batch: list[_Entry]) -> Iterator[Appended]:
        drafts = [draft for entry in batch for draft in entry.drafts]
        return iter(self._ledger.append(*drafts) if drafts else ())
