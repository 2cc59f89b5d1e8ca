"""The URL that names a ledger in PostgreSQL: whom to ask, and which log of those that it holds.

    postgresql://USER@HOST[:PORT][,HOST…]/DATABASE[?OPTIONS][#LOG]

As libpq reads it (postgresql.org, "Connection URIs"), with the log's name as its fragment. A password in it
is never shown; it had better be where libpq looks for it itself: PGPASSFILE, ~/.pgpass, a certificate.
"""

from typing import NamedTuple, Self

from schemas.database_url import DatabaseUrl
from schemas.errors import UsageError
from schemas.ledger import origin
from schemas.record import RuleError


class PostgresUrl(NamedTuple):
    """What libpq is told, the name of the log if one was given, and what may be shown of it."""

    conninfo: str
    log: str | None
    shown: str

    def __str__(self) -> str:
        return self.shown

    @classmethod
    def of(cls, text: str) -> Self:
        """The place that `text` names; UsageError without a word of it where a password may stand."""
        found = DatabaseUrl.read(text)
        if found is None:
            raise UsageError(
                "a ledger is a file, or postgresql://USER@HOST[:PORT]/DATABASE[#LOG], and this is no such"
                " URL: its user, password, database and log are percent-encoded",
                subject="--ledger",
                hint="write @ as %40, / as %2F, ? as %3F, # as %23, % as %25; better leave the password to"
                " ~/.pgpass",
            )
        fragment = f"#{found.fragment}" if found.fragment else ""
        return cls(found.conninfo, _log(found.fragment), found.shown + fragment)

    def of_log(self, name: str) -> Self:
        """The same place with that log."""
        return self._replace(log=name, shown=f"{self.shown.partition('#')[0]}#{name}")


def _log(fragment: str) -> str | None:
    if not fragment:
        return None
    try:
        return str(origin().read(fragment))
    except RuleError as error:
        raise UsageError(
            "the part after # names the log, as example.org/plans", subject="--ledger"
        ) from error
