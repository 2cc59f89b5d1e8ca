"""What an index keeps of a unit: its terms, each with the share of BM25 that it earns, in sixteen steps.

A share depends on its unit alone, so that an index is written in one pass. Engines add up integers, so that
every one of them recalls the same units in the same order.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import add
from typing import Final

from providers.regulations.edition import Edition
from providers.regulations.search.grams import fold, is_word, runs
from providers.regulations.search.seam import Terms
from providers.regulations.search.units import Unit, short_title

DIGITS: Final = "0123456789abcdef"
K1: Final = 1.2
B: Final = 0.75
# Grams of a usual article; a constant, so that a unit's shares are the same in every revision.
USUAL: Final = 250
# A word in a heading says more of an article than one in its text (T8).
TITLE: Final = 0.6
HEADING: Final = 2.0
LONGEST: Final = 500  # code points of a term; no query that is looked at is longer
_FINE: Final = 1000  # what the rarity of a term is counted in
_KEPT_HEADINGS: Final = 1000


def lexeme(term: str, level: int) -> str:
    """How an index names a term of a unit that earns `level` there."""
    return DIGITS[level] + term


class Writer:
    """Makes the lexemes of units, editions' titles included, and counts them."""

    def __init__(self, editions: Mapping[str, Edition]) -> None:
        self.titles = {one: fold(short_title(edition.title)) for one, edition in editions.items()}
        self.numbers: Counter[str] = Counter()
        self.units = 0
        self._length = 0
        self._titles = {one: _Counted.of(title) for one, title in self.titles.items()}
        self._headings: dict[str, _Counted] = {}

    @property
    def mean_length(self) -> float:
        """Code points of a unit's text."""
        return self._length / max(self.units, 1)

    def lexemes(self, unit: Unit) -> list[str]:
        """Each term of a unit once."""
        title, heading = self._titles[unit.edition_id], self._heading(unit.heading)
        text = _Counted.of(unit.text)
        norm = K1 * (1 - B + B * (title.length + heading.length + text.length) / USUAL)
        steps = {times: DIGITS[_level(times, norm)] for times in set(text.counts.values())}
        beside = title.counts.keys() | heading.counts.keys()
        found = [steps[times] + term for term, times in text.counts.items() if term not in beside]
        for term in beside:
            times = text.counts[term] + TITLE * title.counts[term] + HEADING * heading.counts[term]
            found.append(lexeme(term, _level(times, norm)))
        self.numbers.update(found)
        self.units += 1
        self._length += len(unit.text)
        return found

    def terms(self) -> Iterator[tuple[str, list[int]]]:
        """Every term with the number of units of each level."""
        counts: dict[str, list[int]] = {}
        for one, number in self.numbers.items():
            counts.setdefault(one[1:], [0] * len(DIGITS))[int(one[0], base=len(DIGITS))] = number
        return iter(sorted(counts.items()))

    def _heading(self, heading: str) -> "_Counted":
        known = self._headings.get(heading)
        if known is None:
            if len(self._headings) >= _KEPT_HEADINGS:
                self._headings.clear()
            known = self._headings[heading] = _Counted.of(heading)
        return known


@dataclass(frozen=True, slots=True)
class _Counted:
    counts: Counter[str]
    length: int

    @classmethod
    def of(cls, folded: str) -> "_Counted":
        # As grams.py has it, at a third of the time: this is what takes longest when an index is written.
        terms: list[str] = []
        for run in runs(folded):
            if not is_word(run):
                terms.extend(run)
                terms.extend(map(add, run, run[1:]))
            elif len(run) <= LONGEST:
                terms.append(run)
        return cls(Counter(terms), len(terms))


def _level(times: float, norm: float) -> int:
    return int(times / (times + norm) * len(DIGITS))


@dataclass(frozen=True, slots=True)
class Weighed:
    """In how many units each term stands, and what each lexeme of the needed ones is worth."""

    frequencies: Mapping[str, int]
    worths: Mapping[str, int] = field(default_factory=dict)


def weigh(terms: Terms, counts: Mapping[str, Sequence[int]], units: int) -> Weighed:
    """What a query's terms weigh in an index of `units`, whose terms have `counts` by level."""
    wanted = (*terms.needed, *terms.single)
    frequencies = {term: sum(counts.get(term, ())) for term in wanted}
    worths = {
        lexeme(term, level): _rarity(frequencies[term], units) * (2 * level + 1)
        for term in dict.fromkeys(terms.needed)
        for level, number in enumerate(counts.get(term, ()))
        if number
    }
    return Weighed(frequencies, worths)


def _rarity(number: int, units: int) -> int:
    """The rarity of BM25; a term of more than half of all units still finds them."""
    share = (units - number + 0.5) / (number + 0.5)
    return max(1, round(_FINE * math.log(share))) if share > 0 else 1
