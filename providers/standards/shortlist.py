"""The candidates found so far, and the score that a further one needs."""

from bisect import insort
from collections.abc import Sequence
from typing import NamedTuple


class Found(NamedTuple):
    """One entry with its scores in ten-thousandths."""

    entry: int
    score: int
    code_score: int
    name_score: int


class Shortlist:
    """Keeps every entry that may still be among the first `limit`; entries that are the same count once."""

    def __init__(self, limit: int, same: Sequence[int]) -> None:
        self.floor = 0
        """The score of the last place; a lower one is out, an equal one is not."""
        self._limit = limit
        self._same = same
        self._found: dict[int, Found] = {}
        self._scores: dict[int, int] = {}
        self._best: list[int] = []

    def add(self, found: Found) -> None:
        """Take in an entry, or a better score for one that is known."""
        if found.score < self.floor:
            return
        known = self._found.get(found.entry)
        if known is not None and known.score >= found.score and known.name_score >= found.name_score:
            return
        self._found[found.entry] = found
        standard = self._same[found.entry]
        before = self._scores.get(standard, -1)
        if found.score > before:
            self._scores[standard] = found.score
            self._raise(before, found.score)

    def _raise(self, before: int, score: int) -> None:
        best = self._best
        if before >= 0 and before >= best[0]:
            best.remove(before)
        insort(best, score)
        if len(best) > self._limit:
            del best[0]
        if len(best) == self._limit:
            self.floor = best[0]

    def standing(self) -> list[Found]:
        """The entries that reach the last place."""
        return [found for found in self._found.values() if found.score >= self.floor]
