"""The ledger in PostgreSQL, for many machines (ledger.md section 3): the same bytes as in a SQLite file."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, Self, TypeVar

from ledger.postgres_begin import MOST_TRIES, WRITE, begin, named_log
from ledger.postgres_layout import check_layout
from ledger.postgres_session import CollidedError, DoubtError, LostError, Session
from ledger.postgres_url import PostgresUrl
from ledger.postgres_view import Asked, LogSession, PostgresWriter, Statements
from ledger.sql_append import SqlWriter
from ledger.sql_key import KeyInHand, append_all
from ledger.sql_view import AFTER, CHUNK, LAST, LAST_NOTE, LATEST, RAW, SAME_KEY, SqlReader, key_of
from ledger.store import Appended, Clock, Draft, Head, Known, Opening
from schemas.errors import IntegrityError, StorageError, UsageError
from schemas.ledger import record_id

if TYPE_CHECKING:
    from ledger.signing import Signing
    from ledger.store import Writer

T = TypeVar("T")
TIMEOUT_SECONDS = 10.0
Pause = Callable[[float], object]

_READ = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_SERVER = b"SELECT current_setting('server_version'), current_setting('fsync') = 'on'"


class PostgresReadonly:
    """A Readable over one log; a role that may only SELECT is enough."""

    _readonly = True

    def __init__(self, place: PostgresUrl, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._timeout = timeout_seconds
        self._closed = False
        self._place = place
        session = self._connect()
        self._idle = [session]
        try:
            session.begin(_READ)
            self._log, name = named_log(session, place)
            session.commit()
        except BaseException:
            self.close()
            raise
        self._place = place.of_log(name)
        self._statements = Statements(self._log)
        self._look = self._statements["SELECT name, seq, digest FROM head WHERE TRUE"]

    @contextmanager
    def read(self) -> Iterator[SqlReader]:
        """One snapshot; it neither blocks nor sees half a transaction."""
        session, own = self._begun(_READ, self._look, ())
        view = SqlReader(own.rows, str(self._place))
        try:
            yield view
            session.commit()
        finally:
            view.end()
            self._give_back(session)

    def server(self) -> tuple[str, bool]:
        """The server's version, and whether what it confirms survives its crash (fsync)."""
        session, _ = self._begun(_READ, self._look, ())
        try:
            [(version, safe)] = session.rows(_SERVER)
        finally:
            self._give_back(session)
        return str(version), bool(safe)

    def close(self) -> None:
        """Close the idle connections now and the busy ones as they come back; twice is once."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    def _begun(self, kind: bytes, look: bytes, asked: Iterable[Asked]) -> tuple[Session, LogSession]:
        """A session in a transaction; one that was lost while it was idle is replaced."""
        while True:
            idle = self._take()
            session = idle or self._connect()
            own = LogSession(session, self._statements)
            try:
                found = own.begin(kind, look, asked)
                if found != [(self._place.log,)]:
                    raise IntegrityError(
                        f"{self._place} is not the log that was opened",
                        subject=str(self._place),
                        hint="nothing was appended; open the ledger again",
                    )
            except LostError:
                session.close()
                if idle is None:
                    raise
            except BaseException:
                session.close()
                raise
            else:
                return session, own

    def _take(self) -> Session | None:
        if self._closed:
            raise UsageError(f"the ledger {self._place} was closed", subject=str(self._place))
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _give_back(self, session: Session) -> None:
        if session.undo():
            self._idle.append(session)
        if self._closed:
            self.close()

    def _connect(self) -> Session:
        session = Session(self._place, self._timeout, self._readonly)
        try:
            # Always in a transaction of its own: without one, what is sent goes into the next one.
            session.begin(_READ)
            check_layout(session, self._place)
            session.commit()
        except BaseException:
            session.close()
            raise
        return session


class PostgresLedger(PostgresReadonly):
    """A Ledger in a database; threads may share one object, and machines one database.

    Every transaction has a connection to itself: it is taken from the idle ones or opened, and given
    back at the end. An object must not be carried over a fork.
    """

    _readonly = False

    def __init__(
        self,
        place: PostgresUrl,
        clock: Clock,
        timeout_seconds: float = TIMEOUT_SECONDS,
        signing: "Signing | None" = None,
        pause: Pause | None = None,
    ) -> None:
        super().__init__(place, timeout_seconds)
        self._lock = self._look + b" FOR UPDATE"
        self._clock = clock
        self._key = KeyInHand(signing)
        self._known: Known | None = None
        self._pause: Pause = pause or Event().wait

    @classmethod
    def open(
        cls,
        place: PostgresUrl,
        clock: Clock,
        *,
        create: Opening | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
        signing: "Signing | None" = None,
    ) -> Self:
        """The log that `place` names; a missing one is begun as `create` says, else NotFoundError.

        Several processes may begin it at once: one of them does. IntegrityError: the tables are not ours.
        With `signing` a new log has that key and its name; who appends to it later needs it too.
        """
        if create is not None:
            place = begin(place, clock, create, timeout_seconds, signing)
        return cls(place, clock, timeout_seconds, signing)

    @contextmanager
    def write(self, *, restoring: bool = False) -> Iterator[SqlWriter]:
        """One transaction: everything is durable at a normal end, nothing is kept on an exception.

        BusyError: another writer held the log longer than the time allowed, or the server undid this
        transaction for another one's sake; a block cannot be done again by itself, `run` can. UsageError:
        the log has a key and this is not it. IntegrityError: as Ledger.write says. StorageError: the
        connection was lost; it says whether anything was kept, where that can be known.
        """
        with self._writing((), restoring) as view:
            yield view

    def run(self, step: Callable[["Writer"], T]) -> T:
        """What `step` gives in one transaction; it is done again where the server undid that."""
        return self._run(step, ())

    def append(self, *drafts: Draft) -> list[Appended]:
        """Append in one transaction and, with a key, give every step its proof, which the caller keeps."""
        return self._run(
            lambda writer: append_all(writer, drafts),
            [(SAME_KEY, (key_of(draft.idem()),)) for draft in drafts],
        )

    def scrub(self) -> str | None:
        """Why bytes of erased bodies may be left: only whoever keeps the server can say more."""
        return (
            f"{self._place}: old rows stay until VACUUM, and the server's write-ahead log, archive, standbys"
            " and backups keep what they have"
        )

    @property
    def signing(self) -> "Signing | None":
        """The key that this object signs with."""
        return self._key.signing

    def _run(self, step: Callable[["Writer"], T], asked: Iterable[Asked]) -> T:
        for tried in range(1, MOST_TRIES):
            try:
                with self._writing(asked) as view:
                    return step(view)
            except CollidedError:
                continue
            except LostError:
                self._pause(0.05 * 2**tried)
        with self._writing(asked) as view:
            return step(view)

    @contextmanager
    def _writing(self, asked: Iterable[Asked], restoring: bool = False) -> Iterator[SqlWriter]:
        ahead: list[Asked] = [(LAST, ()), *asked]
        if self._known is not None:  # what others appended since
            ahead.append((AFTER, (self._known.head.seq - 1, CHUNK)))
        if self._key.signing is not None:
            from ledger.keyring import ROTATED  # what the key's own admission asks for

            ahead += [(LATEST, (ROTATED,)), (LAST_NOTE, ())]
        session, own = self._begun(WRITE, self._lock, ahead)
        view = PostgresWriter(own, str(self._place), self._clock, self._known)
        try:
            self._key.admit(view, restoring)
            yield view
            note = view.seal()
            self._commit(session, view)
        finally:
            view.end()
            self._give_back(session)
        self._known = view.known()
        self._key.publish(view, note)

    def _commit(self, session: Session, view: SqlWriter) -> None:
        try:
            session.commit()
        except DoubtError as error:
            session.close()
            known = view.known()
            if known is not None and not self._is_there(known.head, error):
                raise LostError(
                    f"{self._place}: the connection was lost in the commit, and nothing was kept",
                    subject=str(self._place),
                    hint="do the same step again",
                ) from error

    def _is_there(self, last: Head, cause: DoubtError) -> bool:
        """Whether that record was kept, asked on a new connection, until one can be had.

        The lock is had only when the lost session's end is decided, and the commit waits for the standbys
        that the lost one did not wait for.
        """
        for tried in range(MOST_TRIES):
            try:
                session, own = self._begun(WRITE, self._lock, ())
                try:
                    found = own.rows(RAW, last.seq)
                    own.put("UPDATE head SET seq = seq WHERE TRUE")
                    session.commit()
                finally:
                    self._give_back(session)
                return [record_id(raw) for (_, raw) in found] == [last.id]
            except StorageError:
                self._pause(0.05 * 2**tried)
        raise StorageError(
            f"{self._place}: the connection was lost in the commit and cannot be had again; record {last.seq}"
            " may have been kept or not",
            subject=str(self._place),
            hint="do the same step again: if it was kept, its key finds it",
        ) from cause
