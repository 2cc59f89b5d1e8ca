"""One connection to PostgreSQL with its transactions in our own hand, and what its errors mean."""

import re
import select
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum, auto
from time import monotonic
from typing import cast

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus, Format
from psycopg.pq.abc import PGresult

from ledger.postgres_url import PostgresUrl
from ledger.sql_view import Row
from ledger.store import erased_body
from schemas.errors import BusyError, EvidenceError, IntegrityError, NotFoundError, StorageError, UsageError

SCHEMA = "external_evidence"
BEGIN = "`ledger init` begins one"
RIGHTS = f"whoever owns the tables gives it: GRANT USAGE ON SCHEMA {SCHEMA}, then what docs/postgres.md lists"
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
    " WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)"
)

_PASSWORD = re.compile(r"password|密码", re.IGNORECASE)


class NoPostgresLedgerError(NotFoundError):
    """A database in which no ledger was begun, or not the one that is named."""


class NoRightError(EvidenceError):
    """The user of the database may not do that; trying again changes nothing."""

    code = "forbidden"
    http_status = 403


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
    "42501": (NoRightError, "{place}: this user has no right to do that ({said})", RIGHTS),
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
    """A connection that does not wait for answers that are not needed (libpq's pipeline mode).

    Each statement is prepared once, and no wait has no end.
    """

    def __init__(self, place: PostgresUrl, timeout_seconds: float, readonly: bool) -> None:
        self._place = place
        self._connection = _connect(place, readonly)
        self._libpq = self._connection.pgconn
        self._prepared: dict[bytes, bytes] = {}
        self._awaited: list[_Awaited] = []
        self._open = False
        self._failed = False
        self._warned = False
        self._seconds = timeout_seconds + STATEMENT_SECONDS
        try:
            self._set_up(timeout_seconds, readonly)
            self._libpq.enter_pipeline_mode()
        except psycopg.Error as error:
            self.close()
            raise StorageError(f"{place}: {_words(error)}", subject=str(place)) from error

    def begin(self, kind: bytes) -> None:
        """Begin a transaction; the one before has ended."""
        self._open = True
        self.put(kind)

    def rows(self, sql: bytes, *values: object) -> list[Row]:
        """All rows of one statement."""
        return self.ask([(sql, values)])[0]

    def ask(self, statements: Iterable[tuple[bytes, tuple[object, ...]]]) -> list[list[Row]]:
        """All rows of each statement; they are sent together."""
        with self._watched():
            for sql, values in statements:
                self._send(sql, values, _Awaited.ROWS)
            self._libpq.send_flush_request()
            return self._receive()

    def put(self, sql: bytes, *values: object) -> None:
        """One statement that gives no rows; it goes with what follows, and so does its error."""
        with self._watched():
            self._send(sql, values, _Awaited.DONE)

    def commit(self) -> None:
        """Everything is durable, on the standbys too that the server waits for.

        DoubtError: it may be or not. Any other error: nothing was kept.
        """
        self._warned = False
        try:
            with self._watched():
                self._end(b"COMMIT")
        except LostError as error:
            raise DoubtError(error.message, subject=error.subject, hint=error.hint) from error
        self._open = False
        if self._warned:  # some standby was not waited for (postgresql.org, synchronous_commit)
            raise DoubtError(f"{self._place}: the server warned in the commit", subject=str(self._place))

    def undo(self) -> bool:
        """Undo what was not committed; whether another transaction may follow, else it is closed."""
        if self._open and not self._failed:
            with suppress(EvidenceError), self._watched():
                self._end(b"ROLLBACK")
                self._open = False
        if self._open or self._failed:
            self.close()
        return not self._connection.closed

    def close(self) -> None:
        """Close the connection; the server undoes what was not committed."""
        self._connection.close()

    def _end(self, sql: bytes) -> None:
        self._libpq.send_query_params(sql, None)
        self._libpq.pipeline_sync()
        self._awaited += [_Awaited.DONE, _Awaited.SYNC]
        self._receive()

    def _send(self, sql: bytes, values: tuple[object, ...], awaited: "_Awaited") -> None:
        name = self._prepared.get(sql)
        if name is None:
            name = self._prepared[sql] = b"s%d" % len(self._prepared)
            self._libpq.send_prepare(name, sql)
            self._awaited.append(_Awaited.DONE)
        sent = [_encoded(value) for value in values]
        self._libpq.send_query_prepared(name, sent, _BINARY * len(sent), result_format=Format.BINARY)
        self._awaited.append(awaited)

    def _receive(self) -> list[list[Row]]:
        """Send what is to be sent and take every answer to it: the rows of those that were asked for some."""
        deadline = monotonic() + self._seconds
        while self._libpq.flush():
            self._wait(select.POLLIN | select.POLLOUT, deadline)
        awaited, self._awaited, found = self._awaited, [], []
        for kind in awaited:
            result = self._result(deadline)
            if kind is _Awaited.ROWS:
                found.append(_decoded(result))
            if kind is not _Awaited.SYNC:
                self._next(deadline)  # the end of this one's answers
        return found

    def _result(self, deadline: float) -> PGresult:
        result = self._next(deadline)
        if result is not None and result.status in _ANSWERED:
            return result
        asked = (DiagnosticField.SQLSTATE, DiagnosticField.MESSAGE_PRIMARY)
        state, said = ("", "") if result is None else (_text(result.error_field(field)) for field in asked)
        lost = self._libpq.status == ConnStatus.BAD
        raise trouble("08006" if lost else state, said or "the server ended it", self._place)

    def _next(self, deadline: float) -> PGresult | None:
        while self._libpq.is_busy():
            self._wait(select.POLLIN, deadline)
        return self._libpq.get_result()

    def _wait(self, events: int, deadline: float) -> None:
        waiting = select.poll()
        waiting.register(self._libpq.socket, events)
        ready = waiting.poll(max(0.0, deadline - monotonic()) * 1000)
        if not ready:
            self._libpq.finish()
            raise LostError(
                f"{self._place}: the server did not answer for {self._seconds:g} seconds",
                subject=str(self._place),
                hint="it may be waiting for its standbys",
            )
        if ready[0][1] & ~select.POLLOUT:
            self._libpq.consume_input()

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Errors as ours; after one, or an interruption, nobody knows which answers are still to come."""
        if self._failed:
            raise trouble(_FAILED, "", self._place)
        try:
            yield
        except psycopg.Error as error:
            self._failed = True
            raise LostError(
                f"{self._place}: the connection was lost ({_words(error)})", subject=str(self._place)
            ) from error
        except BaseException:
            self._failed = True
            raise

    def _set_up(self, timeout_seconds: float, readonly: bool) -> None:
        self._connection.add_notice_handler(self._notice)
        settings = {
            "search_path": f"{SCHEMA}, pg_catalog",
            "lock_timeout": max(1, round(timeout_seconds * 1000)),
            "statement_timeout": STATEMENT_SECONDS * 1000,
            "idle_in_transaction_session_timeout": _IDLE_SECONDS[readonly] * 1000,
            "default_transaction_read_only": "on" if readonly else "off",
            "client_encoding": "UTF8",
        }
        script = [f"SET {name} = {value}" for name, value in settings.items()]
        self._connection.execute(";".join([*script, _SYNCHRONOUS]).encode())

    def _notice(self, diagnostic: psycopg.errors.Diagnostic) -> None:
        self._warned = self._warned or diagnostic.severity_nonlocalized == "WARNING"


class _Awaited(Enum):
    """What the answer to a statement is looked at for."""

    DONE = auto()
    ROWS = auto()
    SYNC = auto()


def trouble(state: str, said: str, place: PostgresUrl) -> EvidenceError:
    """The error of ours that a SQLSTATE means."""
    if state == _NOT_NULL:
        return erased_body(str(place))
    known = [_STATES[part] for part in (state, state[:3], state[:2]) if part in _STATES]
    kind, told, hint = (*known, _OTHER)[0]
    return kind(told.format(place=place, said=said), subject=str(place), hint=hint)


def _encoded(value: object) -> bytes | None:
    if isinstance(value, int):
        return value.to_bytes(8, "big", signed=True)
    if isinstance(value, str):
        return value.encode()
    return cast(bytes | None, value)


def _decoded(result: PGresult) -> list[Row]:
    readers = [_READERS.get(result.ftype(column), _text) for column in range(result.nfields)]
    columns = list(enumerate(readers))
    value = result.get_value
    return [
        tuple(read(value(row, column) or b"") for column, read in columns) for row in range(result.ntuples)
    ]


def _integer(value: bytes) -> int:
    return int.from_bytes(value, "big", signed=True)


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace")


def _words(error: psycopg.Error) -> str:
    return " ".join(str(error).split())


_BINARY = [Format.BINARY]
_ANSWERED = frozenset({ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK, ExecStatus.PIPELINE_SYNC})
# The types of our columns by their numbers in pg_type; every other is text here.
_READERS: dict[int, Callable[[bytes], object]] = {
    16: lambda value: value == b"\1",
    17: bytes,
    20: _integer,
    23: _integer,
}


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
