"""One connection to PostgreSQL with its transactions in our own hand, and what its errors mean."""

import re
import select
from collections.abc import Iterable
from contextlib import suppress

import psycopg
from psycopg import RawCursor
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.types.numeric import Int8BinaryDumper
from psycopg.types.string import BytesBinaryDumper

from ledger.postgres_url import PostgresUrl
from ledger.sql_view import Row
from ledger.store import erased_body
from schemas.errors import BusyError, EvidenceError, IntegrityError, NotFoundError, StorageError, UsageError

SCHEMA = "external_evidence"
BEGIN = "`ledger init` begins one"
STATEMENT_SECONDS = 60
# A writer that thinks for longer holds up all others; a reader holds up nobody.
_IDLE_SECONDS = {False: 60, True: 3600}
# A dead peer is noticed after half a minute; what the URL says goes before.
_DEFAULTS = {
    "connect_timeout": "10",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
    "application_name": "external-evidence",
}
# Never weaker than `on`, which waits for the standbys that the server names; remote_apply waits for more.
_SYNCHRONOUS = (
    "SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit')"
    " WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),"
    " current_setting('synchronous_standby_names') <> ''"
)

_PASSWORD = re.compile(r"password|密码", re.IGNORECASE)


class NoPostgresLedgerError(NotFoundError):
    """A database in which no ledger was begun, or not the one that is named."""


class CollidedError(BusyError):
    """The server undid the transaction because of another one; the same again may well succeed."""


class LostError(StorageError):
    """The connection was lost before the commit; nothing was kept."""


class TakenError(IntegrityError):
    """A row, table or schema of that key or name is there already."""


class DoubtError(StorageError):
    """The connection was lost in the commit: whether it was kept is not known."""


# postgresql.org, "PostgreSQL Error Codes", by what a caller can do about them: a code or a class of codes.
_State = tuple[type[EvidenceError], str, str | None]
_LOST: _State = (LostError, "{place}: the connection was lost ({said})", None)
_COLLIDED: _State = (CollidedError, "{place}: {said}", "try again")
_TAKEN: _State = (TakenError, "{place}: {said}", None)
_MISSING: _State = (NoPostgresLedgerError, "there is no ledger at {place} ({said})", BEGIN)
_FAILED = "25P02"
_STATES: dict[str, _State] = {
    "08": _LOST,
    "57P": _LOST,
    "25P03": _LOST,
    "40003": _LOST,  # the server itself does not know how the statement ended
    "40001": _COLLIDED,
    "40P01": _COLLIDED,
    "23505": _TAKEN,
    "42P06": _TAKEN,
    "42P07": _TAKEN,
    "42P01": _MISSING,
    "3F000": _MISSING,
    "55P03": (BusyError, "{place} is held by another writer", "try again"),
    "25006": (StorageError, "{place}: this server takes no writing ({said})", "name the primary"),
    _FAILED: (StorageError, "{place}: the transaction has failed before", None),
    "42501": (StorageError, "{place}: this user has no right to do that ({said})", None),
    "57014": (StorageError, "{place}: the statement was cancelled or took too long ({said})", None),
    "22": (StorageError, "{place}: the server cannot store such a value ({said})", None),
    "53": (StorageError, "{place}: the server lacks memory, disk or connections ({said})", None),
    "55": (StorageError, "{place}: the server is in no state to do that ({said})", None),
    "58": (StorageError, "{place}: the server's system reports an error ({said})", None),
    "0A": (StorageError, "{place}: the server knows no such statement ({said})", None),
}
_NOT_NULL = "23502"
_OTHER: _State = (IntegrityError, "{place}: {said}", None)


class Session:
    """A connection that sends statements without waiting where their answers are not needed."""

    def __init__(self, place: PostgresUrl, timeout_seconds: float, readonly: bool) -> None:
        self._place = place
        self._connection = _connect(place, readonly)
        self._pipelining = self._connection.pipeline()
        self._open = False
        self._failed = False
        self._warned = False
        self._standbys = False
        self._commit_seconds = timeout_seconds + STATEMENT_SECONDS
        try:
            self._set_up(timeout_seconds, readonly)
            # For good: what a statement gives is fetched when it is wanted, and its error comes then at last.
            self._pipeline = self._pipelining.__enter__()
        except psycopg.Error as error:
            told = self._trouble(error)
            self.close()
            raise told from error
        self._putting = self._cursor()

    def begin(self, kind: bytes) -> None:
        """Begin a transaction; nothing else may have been asked since the end of the one before."""
        self._open = True
        self.put(kind)

    def rows(self, sql: bytes, *values: object) -> list[Row]:
        """All rows of one statement."""
        try:
            return self._cursor().execute(sql, values, binary=True).fetchall()
        except psycopg.DataError as error:
            if error.sqlstate is None:  # the client's own complaint of a NUL, which no stored text has
                return []
            raise self._trouble(error) from error
        except psycopg.Error as error:
            raise self._trouble(error) from error

    def ask(self, statements: Iterable[tuple[bytes, tuple[object, ...]]]) -> list[list[Row]]:
        """All rows of each statement; they are sent together."""
        try:
            cursors = [self._cursor().execute(sql, values, binary=True) for sql, values in statements]
            return [cursor.fetchall() for cursor in cursors]
        except psycopg.Error as error:
            raise self._trouble(error) from error

    def put(self, sql: bytes, *values: object) -> None:
        """One statement that gives no rows; its error may come with a later one."""
        try:
            self._putting.execute(sql, values)
        except psycopg.Error as error:
            raise self._trouble(error) from error

    def commit(self) -> None:
        """Everything is durable, on the standbys too that the server waits for.

        DoubtError: it may be or not. Any other error: nothing was kept.
        """
        self._warned = False
        try:
            self._putting.execute(b"COMMIT", prepare=False)
            if self._standbys:
                self._await_answer()
            self._pipeline.sync()
        except psycopg.Error as error:
            told = self._trouble(error)
            if isinstance(told, LostError):
                raise DoubtError(told.message, subject=told.subject) from error
            raise told from error
        self._open = False
        if self._putting.statusmessage != "COMMIT":
            raise StorageError(f"{self._place}: the transaction had failed", subject=str(self._place))
        if self._warned:  # some standby was not waited for (postgresql.org, synchronous_commit)
            raise DoubtError(f"{self._place}: the server warned in the commit", subject=str(self._place))

    def close(self) -> None:
        """Close the connection; the server undoes what was not committed."""
        self._connection.close()
        with suppress(psycopg.Error):  # or it would say that to a log, when it is collected
            self._pipelining.__exit__(None, None, None)

    def undo(self) -> bool:
        """Undo what was not committed; whether another transaction may follow, else it is closed."""
        with suppress(psycopg.Error):
            if self._open and not self._failed:
                self._putting.execute(b"ROLLBACK", prepare=False)
                self._pipeline.sync()
                # With a rollback psycopg forgets what it had prepared, and tells the server so only behind
                # its next statement, which would lose what it prepares: this one prepares nothing.
                self._putting.execute(b"SELECT 1", prepare=False)
                self._pipeline.sync()
                self._open = False
        if self._open or self._failed:
            self.close()
        return not self._connection.closed

    def _cursor(self) -> RawCursor[Row]:
        return RawCursor(self._connection)

    def _await_answer(self) -> None:
        """Wait as long as is sensible: a server whose standbys are gone lets a commit wait for ever."""
        self._connection.pgconn.send_flush_request()
        self._connection.pgconn.flush()
        waiting = select.poll()
        waiting.register(self._connection.fileno(), select.POLLIN)
        if not waiting.poll(self._commit_seconds * 1000):
            raise DoubtError(
                f"{self._place}: the commit was not confirmed for {self._commit_seconds:g} seconds",
                subject=str(self._place),
            )

    def _set_up(self, timeout_seconds: float, readonly: bool) -> None:
        self._connection.add_notice_handler(self._notice)
        self._connection.prepare_threshold = 0
        self._connection.adapters.register_dumper(int, Int8BinaryDumper)
        self._connection.adapters.register_dumper(bytes, BytesBinaryDumper)
        settings = {
            "search_path": f"{SCHEMA}, pg_catalog",
            "lock_timeout": max(1, round(timeout_seconds * 1000)),
            "statement_timeout": STATEMENT_SECONDS * 1000,
            "idle_in_transaction_session_timeout": _IDLE_SECONDS[readonly] * 1000,
            "default_transaction_read_only": "on" if readonly else "off",
            "client_encoding": "UTF8",
        }
        script = [f"SET {name} = {value}" for name, value in settings.items()]
        self._connection.execute(";".join(script).encode(), prepare=False)
        [(_, self._standbys)] = self._connection.execute(_SYNCHRONOUS, prepare=False)

    def _notice(self, diagnostic: psycopg.errors.Diagnostic) -> None:
        self._warned = self._warned or diagnostic.severity_nonlocalized == "WARNING"

    def _trouble(self, error: psycopg.Error) -> EvidenceError:
        # The statements that were sent after the one that failed were not prepared, as the client believes.
        self._failed = True
        lost = self._connection.closed or self._connection.broken
        return trouble(error, self._place, lost)


def trouble(error: psycopg.Error, place: PostgresUrl, lost: bool = False) -> EvidenceError:
    """The error of ours that `error` means; raise it `from` the cause."""
    subject = str(place)
    # Nothing is said to what was sent after the statement that failed.
    state = _FAILED if isinstance(error, psycopg.errors.PipelineAborted) else error.sqlstate or ""
    said = error.diag.message_primary or " ".join(str(error).split())
    if lost:
        return LostError(f"{place}: the connection was lost ({said})", subject=subject)
    if state == _NOT_NULL:
        return erased_body(subject)
    known = [_STATES[part] for part in (state, state[:3], state[:2]) if part in _STATES]
    kind, told, hint = (*known, _OTHER)[0]
    return kind(told.format(place=place, said=said), subject=subject, hint=hint)


def _connect(place: PostgresUrl, readonly: bool) -> psycopg.Connection[Row]:
    try:
        named = conninfo_to_dict(place.conninfo)
    except psycopg.Error:
        # Its own words repeat parts of the URL, of which a password may be one.
        raise UsageError(f"{place} is no URL that PostgreSQL knows", subject="--ledger") from None
    hosts = str(named.get("host") or named.get("hostaddr") or "")
    if "," in hosts and not readonly:  # after a failover the one that writes is another
        named.setdefault("target_session_attrs", "read-write")
    try:
        return psycopg.connect(
            make_conninfo(**(_DEFAULTS | {name: str(value) for name, value in named.items()})),
            autocommit=True,
        )
    except psycopg.Error as error:
        said = " ".join(str(error).split())
        if _PASSWORD.search(said):
            raise UsageError(
                f"{place}: {said}", subject=str(place), hint="see PGPASSFILE, ~/.pgpass or PGPASSWORD"
            ) from error
        raise StorageError(f"{place} cannot be reached: {said}", subject=str(place)) from error
