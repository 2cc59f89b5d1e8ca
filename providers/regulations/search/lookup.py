"""What a query names outright: the nodes of a clause number, the first nodes of a document."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, zip_longest
from typing import Final

from providers.regulations.clause_number import ClauseNumber, DecimalNumber
from providers.regulations.search.catalogue import Catalogue
from providers.regulations.search.hits import Found

NUMBER: Final = "number"
TITLE: Final = "title"
_MOST_PARAGRAPHS: Final = 40
# Where a document begins, when no index says it.
_BEGINNINGS: Final = ("note1", "pre1", "art1", "x11")


@dataclass(frozen=True, slots=True)
class Lookup:
    """Look-ups in one revision; `there` tells whether it holds a node id, `leading` how an edition begins."""

    catalogue: Catalogue
    as_of: str
    there: Callable[[str], bool]
    leading: Callable[[str], Sequence[str] | None] | None = None

    def clause(
        self, clause: ClauseNumber | DecimalNumber, editions: Iterable[str], kinds: tuple[str, ...]
    ) -> Iterator[Found]:
        """The node of a clause in each edition that has it, those in force first."""
        for edition_id in self._ordered(editions):
            node_id = self._node(edition_id, clause)
            if node_id is not None:
                yield from (Found(one, kinds, 1.0) for one in self._twins(node_id))

    def beginnings(self, editions: Iterable[str], kinds: tuple[str, ...]) -> Iterator[Found]:
        """The first node of every edition, those in force first, then every second node, and so on."""
        columns = [[f"{one}#{path}" for path in self._paths(one)] for one in self._ordered(editions)]
        for row in zip_longest(*columns):
            for node_id in row:
                if node_id is not None:
                    yield Found(node_id, kinds, 1.0)

    def _paths(self, edition_id: str) -> Sequence[str]:
        known = None if self.leading is None else self.leading(edition_id)
        if known is not None:
            return known
        return [path for path in _BEGINNINGS if self.there(f"{edition_id}#{path}")]

    def _ordered(self, editions: Iterable[str]) -> list[str]:
        return sorted(editions, key=lambda one: self.catalogue.preference(one, self.as_of), reverse=True)

    def _twins(self, node_id: str) -> Iterator[str]:
        """The node, and those under the same article number that a reviewer accepted a second time (S5)."""
        yield node_id
        edition_id, _, path = node_id.partition("#")
        head, slash, below = path.partition("/")
        for times in count(2):
            twin = f"{edition_id}#{head}~{times}"
            if not self.there(twin):
                return
            if not slash or self.there(f"{twin}/{below}"):
                yield f"{twin}{slash}{below}"

    def _node(self, edition_id: str, clause: ClauseNumber | DecimalNumber) -> str | None:
        for form in _forms(clause):
            node_id = f"{edition_id}#{form.path}"
            if self.there(node_id):
                return node_id
        return None


def _forms(clause: ClauseNumber | DecimalNumber) -> Iterator[ClauseNumber | DecimalNumber]:
    """The clause, and where its 款 was only implied, the same 项 of the 款 that follow."""
    yield clause
    if isinstance(clause, ClauseNumber) and clause.implied:
        for paragraph in range(2, _MOST_PARAGRAPHS):
            yield replace(clause, paragraph=paragraph)
