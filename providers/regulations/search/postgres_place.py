"""Where an index for many machines is: a postgresql:// URL, and what may be shown of it.

A password in it is never shown; it had better be where libpq looks for it itself: PGPASSFILE, ~/.pgpass.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn

from providers.regulations.edition import Edition
from providers.regulations.node import Node
from providers.regulations.search.seam import Recalled, Terms, Within
from schemas.database_url import DatabaseUrl
from schemas.errors import NotReadyError, UsageError

if TYPE_CHECKING:
    from providers.regulations.search.postgres_index import PostgresIndex

INSTALL: Final = "pip install '.[postgres]' in a checkout of the project"


@dataclass(frozen=True, slots=True)
class Place:
    """A database, as libpq is told and as people are."""

    url: str
    shown: str

    @classmethod
    def of(cls, url: str) -> "Place":
        """UsageError without a word of `url` where a password may stand."""
        found = DatabaseUrl.read(url)
        if found is None or found.fragment:
            raise UsageError(
                "--index names an index in PostgreSQL: postgresql://USER@HOST[:PORT]/DATABASE",
                subject="--index",
                hint="user and password are percent-encoded: @ as %40, / as %2F, ? as %3F, # as %23,"
                " % as %25; better leave the password to ~/.pgpass",
            )
        return cls(found.conninfo, found.shown)


def postgres_index(place: Place) -> "PostgresIndex | MissingIndex":
    """The index at a place; one that says what is missing where the extra `postgres` is not installed."""
    try:
        from providers.regulations.search.postgres_index import PostgresIndex
    except ImportError:
        return MissingIndex(f"an index in PostgreSQL needs the extra postgres: {INSTALL}")
    return PostgresIndex(place)


class MissingIndex:
    """An index of which every question is NotReadyError, with the reason and what to install."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    # What is asked is not looked at (ARG002): every question is refused alike.

    def build(self, revision: str, nodes: Iterable[Node], editions: Sequence[Edition]) -> None:  # noqa: ARG002
        """See SearchIndex."""
        self._refuse()

    def has(self, revision: str) -> bool:  # noqa: ARG002
        """See SearchIndex."""
        self._refuse()

    def drop(self, revision: str) -> None:  # noqa: ARG002
        """See SearchIndex."""
        self._refuse()

    def recall(self, revision: str, terms: Terms, within: Within, most: int) -> Recalled:  # noqa: ARG002
        """See SearchIndex."""
        self._refuse()

    def leading(self, revision: str, edition_id: str, most: int) -> Sequence[str]:  # noqa: ARG002
        """See SearchIndex."""
        self._refuse()

    def holding(self, revision: str, path: str) -> Collection[str]:  # noqa: ARG002
        """See SearchIndex."""
        self._refuse()

    def close(self) -> None:
        """Nothing is open."""

    def _refuse(self) -> NoReturn:
        raise NotReadyError(self._reason, subject="--index")
