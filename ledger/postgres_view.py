"""The statements of ledger/sql_view.py as PostgreSQL reads them, for one log of those in the database."""

from collections.abc import Iterable

from ledger.postgres_session import Session
from ledger.sql_view import HEAD, Row

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
        if self._ahead and (found := self._ahead.pop((sql, values), None)) is not None:
            return found
        if any(isinstance(value, str) and "\0" in value for value in values):
            return []  # no text of the database holds that, and it takes no such question
        return self._session.rows(self._statements[sql], *values)

    def put(self, sql: str, /, *values: object) -> None:
        """One statement that gives no rows; what was asked ahead may be wrong from here on."""
        if self._ahead:
            self._ahead = {}
        self._session.put(self._statements[sql], *values)
