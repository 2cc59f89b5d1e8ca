"""The ledger in one SQLite file, the embedded default (ledger.md section 3)."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from ledger.sql_key import KeyInHand, append_all
from ledger.sqlite_file import (
    BEFORE_THE_TREE,
    bring_up,
    check_layout,
    connect,
    identity,
    is_there,
    run,
    synchronous,
)
from ledger.sqlite_view import SqliteReader, SqliteWriter
from ledger.store import Appended, Clock, Draft, Known, Opening
from schemas.errors import EvidenceError, IntegrityError, NotFoundError, UsageError

if TYPE_CHECKING:
    from ledger.signing import Signing
    from ledger.store import Writer

T = TypeVar("T")
TIMEOUT_SECONDS = 10.0


class SqliteLedger:
    """A Ledger in one file; threads may share one object, and processes one file.

    Every transaction has a connection to itself: it is taken from the idle ones or opened, and given
    back at the end. An object must not be carried over a fork.
    """

    def __init__(
        self,
        path: Path,
        clock: Clock,
        timeout_seconds: float = TIMEOUT_SECONDS,
        signing: "Signing | None" = None,
    ) -> None:
        self._path = path.absolute()  # whoever changes the working directory changes no ledger
        self._clock = clock
        self._timeout = timeout_seconds
        self._file = identity(path)
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self._key = KeyInHand(signing)
        self._known: Known | None = None

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        clock: Clock,
        *,
        create: Opening | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
        signing: "Signing | None" = None,
    ) -> Self:
        """The ledger at `path`; a missing one is begun as `create` says, else NotFoundError.

        Several processes may begin it at once: one of them does. IntegrityError: the file is no ledger.
        With `signing` a new ledger has that key and its name; who appends to it later needs it too.
        """
        place = Path(path)
        if not is_there(place):
            if create is None:
                raise NotFoundError(f"there is no ledger at {place}", subject=str(place))
            from ledger.sqlite_begin import begin  # once in the life of a ledger

            begin(place, clock, create, signing)
        _refuse_other_names(place.resolve())
        _refuse_foreign_log(place.resolve())
        ledger = cls(place, clock, timeout_seconds, signing)
        ledger._idle.append(ledger._connect())
        return ledger

    @contextmanager
    def read(self) -> Iterator[SqliteReader]:
        """One snapshot; it neither blocks nor sees half a transaction."""
        connection = self._take()
        view = SqliteReader(connection, self._path)
        try:
            self._begin(connection, "BEGIN")
            yield view
            run(connection, self._path, "COMMIT")
        finally:
            view.end()
            self._give_back(connection)

    @contextmanager
    def write(self, *, restoring: bool = False) -> Iterator[SqliteWriter]:
        """One transaction: everything is durable at a normal end, nothing is kept on an exception.

        BusyError: another writer held the file longer than the time allowed. UsageError: the ledger has
        a key and this is not it. IntegrityError: as Ledger.write says.
        """
        connection = self._take()
        view = SqliteWriter(connection, self._path, self._clock, self._known)
        try:
            self._begin(connection, "BEGIN IMMEDIATE")
            self._key.admit(view, restoring)
            yield view
            note = view.seal()
            run(connection, self._path, "COMMIT")
        finally:
            view.end()
            self._give_back(connection)
        self._known = view.known()
        self._key.publish(view, note)

    def append(self, *drafts: Draft) -> list[Appended]:
        """Append in one transaction and, with a key, give every step its proof, which the caller keeps."""
        with self.write() as writer:
            return append_all(writer, drafts)

    def run(self, step: Callable[["Writer"], T]) -> T:
        """What `step` gives in one transaction."""
        with self.write() as writer:
            return step(writer)

    def scrub(self) -> str | None:
        """Write the file anew without what erased bodies left in it, and empty the write-ahead file.

        Why something may be left, None: nothing is. Other writers wait meanwhile.
        """
        # The pages of a table keep bytes of rows that they gave to other pages, also of those that went
        # before `secure_delete` was on.
        try:
            connection = self._take()
            try:
                run(connection, self._path, "VACUUM")
                [(in_use, *_)] = run(connection, self._path, "PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                self._give_back(connection)
        except EvidenceError as error:
            return error.message
        if in_use:
            return (
                f"{self._path} is being read; bytes of before stay until nobody does: say the command again"
            )
        return None

    @property
    def signing(self) -> "Signing | None":
        """The key that this object signs with."""
        return self._key.signing

    def close(self) -> None:
        """Close the idle connections now and the busy ones as they come back; twice is once."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    def _begin(self, connection: sqlite3.Connection, kind: str) -> None:
        run(connection, self._path, kind)
        # What is appended to a file that was moved away or deleted is found by nobody.
        if identity(self._path) != self._file:
            raise IntegrityError(
                f"{self._path} is not the file that was opened; it was moved, replaced or deleted",
                subject=str(self._path),
                hint="nothing was appended; open the ledger again",
            )

    def _take(self) -> sqlite3.Connection:
        if self._closed:
            raise UsageError(f"the ledger {self._path} was closed", subject=str(self._path))
        try:
            return self._idle.pop()
        except IndexError:
            return self._connect()

    def _give_back(self, connection: sqlite3.Connection) -> None:
        # Closing rolls back whatever is still open, also when the disk refuses every statement.
        if connection.in_transaction:
            connection.close()
        else:
            self._idle.append(connection)
        if self._closed:
            self.close()

    def _connect(self) -> sqlite3.Connection:
        connection = connect(self._path, "mode=rw", self._timeout)
        try:
            layout = check_layout(connection, self._path)
            _make_durable(connection, self._path)
            if layout == BEFORE_THE_TREE:
                bring_up(connection, self._path)
        except BaseException:
            connection.close()
            raise
        return connection


def _refuse_other_names(path: Path) -> None:
    with suppress(FileNotFoundError):  # told by who opens it
        if path.stat().st_nlink > 1:
            from ledger.sqlite_begin import refuse_other_names  # rare

            refuse_other_names(path)


def _refuse_foreign_log(path: Path) -> None:
    if any(_holds_something(Path(f"{path}{tail}")) for tail in ("-wal", "-journal")):
        from ledger.sqlite_foreign import refuse_sides  # rare: somebody is at work on it, or was killed

        refuse_sides(path)


def _holds_something(side: Path) -> bool:
    with suppress(FileNotFoundError):
        return side.stat().st_size > 0
    return False


def _make_durable(connection: sqlite3.Connection, path: Path) -> None:
    # A copy made by `VACUUM INTO` or a dump is not in WAL mode; where it is already, this is free.
    run(connection, path, "PRAGMA journal_mode = WAL")
    synchronous(connection, path)
    # Four times SQLite's own: a page that many commits change, as those of the indexes are, is moved from
    # the write-ahead file into the ledger once for all of them. The file is 16 MB then, not 4.
    run(connection, path, "PRAGMA wal_autocheckpoint = 4000")
    run(connection, path, "PRAGMA trusted_schema = OFF")
