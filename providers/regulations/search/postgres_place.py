"""Where an index for many machines is: a postgresql:// URL, and what may be shown of it.

A password in it is never shown; it had better be where libpq looks for it itself: PGPASSFILE, ~/.pgpass.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn

from providers.regulations.edition import Edition
from providers.regulations.node import Node
from providers.regulations.search.seam import Recalled, Terms, Within
from schemas.errors import NotReadyError, UsageError

if TYPE_CHECKING:
    from providers.regulations.search.postgres_index import PostgresIndex

INSTALL: Final = "pip install 'external-evidence[postgres]'"
_URL: Final = re.compile(r"postgres(?:ql)?://(?P<authority>[^/?#]*)(?:/(?P<database>[^?#]*))?(?:\?[^#]*)?")
_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class Place:
    """A database, as libpq is told and as people are."""

    url: str
    shown: str

    @classmethod
    def of(cls, url: str) -> "Place":
        """UsageError without a word of `url` where a password may stand."""
        found = _URL.fullmatch(url)
        authority, database = (found["authority"], found["database"] or "") if found else ("", "")
        # A bare @ or / in a password would make libpq take the rest of it for a host, and show that.
        if found is None or authority.count("@") > 1 or "@" in database or _PERCENT.search(authority):
            raise UsageError(
                "--index names an index in PostgreSQL: postgresql://USER@HOST[:PORT]/DATABASE",
                subject="--index",
                hint="user and password are percent-encoded: @ as %40, / as %2F, # as %23, % as %25;"
                " better leave the password to ~/.pgpass",
            )
        user, at, hosts = authority.rpartition("@")
        return cls(url, f"postgresql://{user.partition(':')[0]}{at}{hosts}/{database}")


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
