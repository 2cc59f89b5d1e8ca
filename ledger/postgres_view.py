"""The statements of ledger/sql_view.py as PostgreSQL reads them, for one log of those in the database."""

from collections.abc import Iterable, Sequence

from ledger.postgres_session import Session
from ledger.sql_append import SqlWriter
from ledger.sql_view import HEAD, SAME_KEY, Row
from ledger.store import Clock, Known

Asked = tuple[str, tuple[object, ...]]


class Statements(dict[str, bytes]):
    """Each statement of one log: its number in every WHERE and VALUES, and numbered parameters."""

    def __init__(self, log: int) -> None:
        super().__init__()
        self._where = f"WHERE log = {log} AND "
        self._values = f"VALUES ({log}, "

    def __missing__(self, sql: str) -> bytes:
        if sql.startswith("INSERT"):
            own = sql.replace("VALUES (", self._values).replace("ON CONFLICT (", "ON CONFLICT (log, ")
        else:
            own = sql.replace("WHERE ", self._where)
        if own == sql:
            raise ValueError(f"a statement that would reach every log: {sql}")
        first, *rest = own.split("?")
        made = first + "".join(f"${number}{part}" for number, part in enumerate(rest, 1))
        self[sql] = made.encode()
        return self[sql]


class LogSession:
    """A session that speaks of one log; what is known to be wanted is asked for ahead, all at once."""

    def __init__(self, session: Session, statements: Statements) -> None:
        self._session = session
        self._statements = statements
        self._ahead: dict[Asked, list[Row]] = {}

    def begin(self, kind: bytes, look: bytes, asked: Iterable[Asked]) -> list[Row]:
        """Begin a transaction of that kind and ask ahead; the names that `look` at the head row gives."""
        self._session.begin(kind)
        asked = list(dict.fromkeys(asked))
        known = self._statements
        looked, *found = self._session.ask([(look, ()), *((known[sql], values) for sql, values in asked)])
        self._ahead = dict(zip(asked, found, strict=True))
        self._ahead[HEAD, ()] = [row[1:] for row in looked]
        return [row[:1] for row in looked]

    def rows(self, sql: str, /, *values: object) -> list[Row]:
        """One statement inside the transaction: all its rows."""
        if any(isinstance(value, str) and "\0" in value for value in values):
            return []  # no text of the database holds that, and it takes no such question
        return self.ask([(sql, values)])[0]

    def ask(self, asked: Sequence[Asked]) -> list[list[Row]]:
        """All rows of each of these statements; those that were not asked ahead are sent together."""
        found = [self._ahead.pop(one, None) for one in asked]
        known = self._statements
        missing = [
            (known[sql], values) for (sql, values), rows in zip(asked, found, strict=True) if rows is None
        ]
        later = iter(self._session.ask(missing) if missing else ())
        return [next(later) if rows is None else rows for rows in found]

    def put(self, sql: str, /, *values: object) -> None:
        """One statement that gives no rows; what was asked ahead may be wrong from here on."""
        if self._ahead:
            self._ahead = {}
        self._session.put(self._statements[sql], *values)


class PostgresWriter(SqlWriter):
    """A Writer that looks all keys of one call up together."""

    def __init__(self, own: LogSession, place: str, clock: Clock, known: Known | None = None) -> None:
        super().__init__(own.rows, own.put, place, clock, known)
        self._own = own

    def _first(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        asked: list[Asked] = [(SAME_KEY, (key,)) for key in keys]
        return {key: rows[0][1] for key, rows in zip(keys, self._own.ask(asked), strict=True) if rows}
