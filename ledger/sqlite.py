"""The ledger in one SQLite file, the embedded default (ledger.md section 3)."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from ledger.sql_key import KeyInHand, append_all, keyed
from ledger.sql_view import SqlReader
from ledger.sqlite_file import BEFORE_THE_TREE, bring_up, check_layout, connect, is_there, lay_out, run
from ledger.sqlite_view import SqliteReader, SqliteWriter
from ledger.store import Appended, Clock, Draft, Known, Opening
from schemas.errors import EvidenceError, IntegrityError, NotFoundError, StorageError, UsageError

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
        self._file = _identity(path)
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
            _begin(place, clock, create, signing)
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
        with self._transaction(connection, view, "BEGIN"):
            yield view

    @contextmanager
    def write(self, *, restoring: bool = False) -> Iterator[SqliteWriter]:
        """One transaction: everything is durable at a normal end, nothing is kept on an exception.

        BusyError: another writer held the file longer than the time allowed. UsageError: the ledger has
        a key and this is not it. IntegrityError: as Ledger.write says.
        """
        connection = self._take()
        view = SqliteWriter(connection, self._path, self._clock, self._known)
        with self._transaction(connection, view, "BEGIN IMMEDIATE"):
            self._key.admit(view, restoring)
            yield view
            note = view.seal()
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
        return f"{self._path} is being read; bytes of before stay in its write-ahead file" if in_use else None

    @property
    def signing(self) -> "Signing | None":
        """The key that this object signs with."""
        return self._key.signing

    def close(self) -> None:
        """Close the idle connections now and the busy ones as they come back; twice is once."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def _transaction(self, connection: sqlite3.Connection, view: SqlReader, begin: str) -> Iterator[None]:
        try:
            run(connection, self._path, begin)
            self._refuse_another_file()
            yield
            run(connection, self._path, "COMMIT")
        finally:
            view.end()
            self._give_back(connection)

    def _refuse_another_file(self) -> None:
        # What is appended to a file that was moved away or deleted is found by nobody.
        if _identity(self._path) != self._file:
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


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        seen = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"{path} cannot be looked at: {error}", subject=str(path)) from error
    return seen.st_dev, seen.st_ino


def _refuse_other_names(path: Path) -> None:
    # SQLite keeps its side files beside the name by which a file is opened: writers who use two names do not
    # see each other, and the later one writes over what the earlier one was told is kept.
    with suppress(FileNotFoundError):  # told by who opens it
        if _other_names(path) and _other_names(path):  # who begins a ledger has a second name for a moment
            raise IntegrityError(
                f"{path} has another name (a hard link)",
                subject=str(path),
                hint="keep one name; a backup is a copy, which a hard link is not",
            )


def _other_names(path: Path) -> int:
    seen = path.stat()
    if seen.st_nlink < 2:
        return 0
    from glob import escape  # rare

    new = path.parent.glob(f"{escape(path.name)}.*.new")
    return seen.st_nlink - 1 - sum(_identity(one) == _identity(path) for one in new)


def _refuse_foreign_log(path: Path) -> None:
    with suppress(FileNotFoundError):
        if not Path(f"{path}-wal").stat().st_size:
            return
        from ledger.sqlite_foreign import refuse_foreign  # rare: somebody is at work on it, or was killed

        refuse_foreign(path)


def _make_durable(connection: sqlite3.Connection, path: Path) -> None:
    # A copy made by `VACUUM INTO` or a dump is not in WAL mode; where it is already, this is free.
    run(connection, path, "PRAGMA journal_mode = WAL")
    _synchronise(connection, path)
    # Four times SQLite's own: a page that many commits change, as those of the indexes are, is moved from
    # the write-ahead file into the ledger once for all of them. The file is 16 MB then, not 4.
    run(connection, path, "PRAGMA wal_autocheckpoint = 4000")
    run(connection, path, "PRAGMA trusted_schema = OFF")


def _synchronise(connection: sqlite3.Connection, path: Path) -> None:
    run(connection, path, "PRAGMA synchronous = FULL")
    run(connection, path, "PRAGMA fullfsync = ON")  # macOS only: its fsync alone does not reach the disk


def _begin(path: Path, clock: Clock, opening: Opening, signing: "Signing | None") -> None:
    """Make a whole ledger beside `path`, then give it the name: either all of it is there or nothing."""
    from ledger.files import synchronise  # once in the life of a ledger

    opening = keyed(opening, signing)
    published = None if signing is None else signing.published_note()
    if signing is not None and not is_there(path):  # looked at in this order: somebody may begin it just now
        signing.refuse_used(published)
    origin = opening.origin or f"external-evidence/{os.urandom(8).hex()}"
    new = path.with_name(f"{path.name}.{os.urandom(8).hex()}.new")
    try:
        made = _make_folders(path.parent)
        _refuse_orphan(path)
        try:
            note = _write_first(new, clock, opening.draft(origin), origin, signing)
            with suppress(FileExistsError):  # somebody else was first; theirs is as good
                os.link(new, path)
                if signing is not None and note is not None:
                    signing.publish(note)
        finally:
            for tail in ("", "-journal", "-wal", "-shm"):
                new.with_name(new.name + tail).unlink(missing_ok=True)
        for folder in made:
            synchronise(folder)
    except OSError as error:
        raise StorageError(f"{path} cannot be made: {error}", subject=str(path)) from error


def _write_first(
    new: Path, clock: Clock, draft: Draft, origin: str, signing: "Signing | None"
) -> bytes | None:
    connection = connect(new, "mode=rwc", TIMEOUT_SECONDS)
    try:
        _synchronise(connection, new)
        run(connection, new, "BEGIN IMMEDIATE")
        lay_out(connection, new)
        writer = SqliteWriter(connection, new, clock)
        writer.signing = signing
        writer.found(draft, origin)
        note = writer.seal()
        run(connection, new, "COMMIT")
        # Only now: in WAL mode the records could still stand in a side file that gets no name.
        run(connection, new, "PRAGMA journal_mode = WAL")
        return note
    finally:
        connection.close()


def _refuse_orphan(path: Path) -> None:
    # SQLite would play a left-over write-ahead or rollback file into the new ledger.
    for tail in ("-wal", "-journal"):
        orphan = path.with_name(f"{path.name}{tail}")
        if orphan.exists() and not path.exists():
            raise IntegrityError(
                f"{orphan} is there without its ledger",
                subject=str(orphan),
                hint="its records may be wanted: put the ledger back beside it, or move it away",
            )


def _make_folders(folder: Path) -> list[Path]:
    """Make `folder`; the folders whose entries changed, to be synchronised."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return [folder, *(place.parent for place in missing)]
