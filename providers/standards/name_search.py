"""Look for the titles that one name can mean, best chances first, and stop where none is left."""

from collections.abc import Collection, Iterator
from functools import lru_cache

from providers.standards.folding import han
from providers.standards.index import Index
from providers.standards.rules import Rules
from providers.standards.scores import FULL, FUZZY_HAN, NAME_ADMITS, Pattern, ratio
from providers.standards.shortlist import Found, Shortlist

_FEW = 24


class NameSearch:
    """One name of a query; `coded` says that the query has a number too, so that a name alone gives 0.7."""

    def __init__(self, prepared: Index, name: Pattern, *, coded: bool, rules: Rules) -> None:
        self._prepared = prepared
        self._titles = prepared.titles
        self._name = name
        self._length = len(name.name)
        self._fuzzy = name.han >= FUZZY_HAN
        self._coded = coded
        self._rules = rules

    def collect(self, shortlist: Shortlist, done: Collection[int]) -> None:
        """Add every entry not in `done` whose score may reach the last place of `shortlist`."""
        same = self._titles.find(self._name.name)
        if same is not None:
            self._add(shortlist, done, same, FULL)
        for title in self._titles.inside(self._name.name):
            self._compare(shortlist, done, title, self._titles[title])
        known, unknown = self._titles.tokens(self._name.name)
        for best, length in _lengths(self._length, self._fuzzy):
            needed = self._needed(shortlist.floor)
            if best < needed:
                break
            missing = self._missing(length, needed) - unknown
            if missing < 0:
                continue
            for block in self._titles.by_length.get(length, ()):
                for place in set_bits(block.holding(known, missing)):
                    self._compare(shortlist, done, block.first + place, self._titles.in_block(block, place))

    def _needed(self, floor: int) -> int:
        """The least name score whose final score reaches `floor`, and that admits."""
        if self._coded:
            # rd(7 N / 10) >= floor, solved for N.
            floor = -(-(20 * floor - 10) // 14)
        return max(floor, NAME_ADMITS)

    def _missing(self, length: int, needed: int) -> int:
        """How many characters of the name a title of `length` may lack; -1 if it can lack none or more."""
        mine, both = self._length, self._length + length
        missing = -1
        if self._fuzzy:
            # rd(20000 c / both) >= needed, solved for the number c of shared characters.
            shared = -(-(2 * needed - 1) * both // 40_000)
            if shared <= length:
                missing = mine - shared
        if missing < 0 and length > mine and 6_500 + ratio(3_000 * mine, length) >= needed:
            missing = 0
        return missing

    def _compare(self, shortlist: Shortlist, done: Collection[int], title: int, text: str) -> None:
        score = self._name.score(text, han(text), self._rules)
        if score >= self._needed(shortlist.floor):
            self._add(shortlist, done, title, score)

    def _add(self, shortlist: Shortlist, done: Collection[int], title: int, score: int) -> None:
        final = ratio(7 * score, 10) if self._coded else score
        for entry in self._prepared.owners[title]:
            if entry not in done:
                shortlist.add(Found(entry, final, 0, score))


@lru_cache(maxsize=4096)
def _lengths(mine: int, fuzzy: bool) -> list[tuple[int, int]]:
    """Lengths of titles that a name of length `mine` can reach, each with its best score, highest first.

    A shorter title can only be like the name; a longer one can also contain it.
    """
    found = []
    for length in range(1, 3 * mine + 2):
        best = ratio(20_000 * min(mine, length), mine + length) if fuzzy else 0
        if length > mine:
            best = max(best, 6_500 + ratio(3_000 * mine, length))
        if best >= NAME_ADMITS:
            found.append((best, length))
    return sorted(found, key=lambda pair: (-pair[0], pair[1]))


def set_bits(bits: int) -> Iterator[int]:
    """The places of the ones in `bits`, lowest first."""
    if bits.bit_count() <= _FEW:
        while bits:
            low = bits & -bits
            yield low.bit_length() - 1
            bits ^= low
        return
    written = f"{bits:b}"[::-1]
    place = written.find("1")
    while place >= 0:
        yield place
        place = written.find("1", place + 1)
