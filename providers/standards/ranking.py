"""Which candidates are in, in which order, and how many (matching specification, sections 6 and 7)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from providers.standards.library import StandardRecord
from providers.standards.scores import CODE_ADMITS, CodeScore

LIMIT = 3
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One standard that a query may mean; scores are ten-thousandths."""

    record: StandardRecord
    score: int
    code_score: int
    name_score: int


def admitted(found: dict[int, CodeScore], quiet_typo: bool) -> set[int]:
    """The entries that the scores of one number admit.

    R4: a number that the library holds is no slip of the pen for another.
    """
    held = any(score >= CODE_ADMITS and not slip for score, slip in found.values())
    silent = quiet_typo and held
    return {place for place, (score, slip) in found.items() if score >= CODE_ADMITS and not (slip and silent)}


def first_of_each(ranked: Iterable[tuple[str | int, T]], limit: int) -> Iterator[T]:
    """At most `limit` of `ranked`, each key once; a blank key is no code and never the same."""
    seen: set[str | int] = set()
    for key, candidate in ranked:
        if limit <= 0:
            return
        if key and key in seen:
            continue
        seen.add(key)
        limit -= 1
        yield candidate
