"""The URL that names a ledger in PostgreSQL: whom to ask, and which log of those that it holds.

    postgresql://USER@HOST[:PORT][,HOST…]/DATABASE[?OPTIONS][#LOG]

As libpq reads it (postgresql.org, "Connection URIs"), with the log's name as its fragment. A password in it
is never shown; it had better be where libpq looks for it itself: PGPASSFILE, ~/.pgpass, a certificate.
"""

import re
from typing import NamedTuple, Self

from schemas.errors import UsageError
from schemas.ledger import origin
from schemas.record import RuleError

_SCHEME = re.compile(r"postgres(?:ql)?://")
_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


def is_url(place: str) -> bool:
    """Whether this names a ledger in PostgreSQL; anything else is the path of a file."""
    return _SCHEME.match(place) is not None


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
        conninfo, _, fragment = text.partition("#")
        scheme = _SCHEME.match(conninfo)
        beyond = conninfo[scheme.end() :] if scheme else ""
        address, _, _ = beyond.partition("?")
        authority, _, database = address.partition("/")
        # A password with a bare @ or / would make libpq take the rest of it for a host or a database, and
        # show that in its errors.
        if authority.count("@") > 1 or "@" in database + fragment or _PERCENT.search(address):
            raise UsageError(
                "the user, password, database and log of a postgresql:// URL are percent-encoded",
                subject="--ledger",
                hint="write @ as %40, / as %2F, # as %23, % as %25; better leave the password to ~/.pgpass",
            )
        user, at, hosts = authority.rpartition("@")
        shown = f"postgresql://{user.partition(':')[0]}{at}{hosts}/{database}"
        return cls(conninfo, _log(fragment), shown + (f"#{fragment}" if fragment else ""))

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
