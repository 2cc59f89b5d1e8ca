"""Where a ledger is, a file or a database, and how it is opened to be appended to."""

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ledger.store import Clock, Ledger, Opening
from schemas.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from ledger.postgres import PostgresReadonly
    from ledger.postgres_url import PostgresUrl
    from ledger.signing import Signing

Place: TypeAlias = "Path | PostgresUrl"


def place(text: str) -> Place:
    """The place that `text` names; UsageError repeats nothing of a URL that is not PostgreSQL's."""
    if ":" not in text and "//" not in text:
        return Path(text)
    from ledger.postgres_url import PostgresUrl  # not for a plain path: a file's start is quicker without
    from schemas.database_url import is_meant_as_url

    return PostgresUrl.of(text) if is_meant_as_url(text) else Path(text)


def open_ledger(
    where: Place, clock: Clock, *, create: Opening | None = None, signing: "Signing | None" = None
) -> Ledger:
    """The ledger at that place; a missing one is begun as `create` says, else NotFoundError.

    UsageError: it is in PostgreSQL, and the extra that speaks with it is missing.
    """
    if isinstance(where, Path):
        from ledger.sqlite import SqliteLedger

        return SqliteLedger.open(where, clock, create=create, signing=signing)
    try:
        from ledger.postgres import PostgresLedger
    except ImportError as error:
        raise _missing(error) from error
    return PostgresLedger.open(where, clock, create=create, signing=signing)


def named(where: Place, name: str | None) -> Place:
    """The place with the log of that name, where it is one that can hold several."""
    if name is None or isinstance(where, Path) or where.log == name:
        return where
    if where.log is not None:
        raise UsageError(f"{where} and {name} are two names", subject="origin")
    return where.of_log(name)


def is_begun(where: Place) -> bool:
    """Whether there is such a ledger already, or something else in its place."""
    if isinstance(where, Path):
        return where.exists()
    try:
        open_database(where).close()
    except NotFoundError:
        return False
    return True


def open_database(where: "PostgresUrl") -> "PostgresReadonly":
    """The log in that database, to be read only; the right to SELECT is enough."""
    try:
        from ledger.postgres import PostgresReadonly
    except ImportError as error:
        raise _missing(error) from error
    return PostgresReadonly(where)


def _missing(error: ImportError) -> UsageError:
    return UsageError(
        f"a ledger in PostgreSQL needs the extra postgres ({error})",
        subject="--ledger",
        hint="pip install '.[postgres]' in a checkout of the project",
    )
