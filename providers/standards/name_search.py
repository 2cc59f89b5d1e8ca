"""Look for the titles that one name can mean, best chances first, and stop where none is left."""

from collections.abc import Collection, Iterator

from providers.standards.index import Index
from providers.standards.rules import Rules
from providers.standards.scores import FULL, FUZZY_HAN, NAME_ADMITS, Pattern, ratio, shortest_inside
from providers.standards.shortlist import Found, Shortlist
from providers.standards.titles import Block

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
        name = self._name.name
        same = self._titles.find(name)
        if same is not None:
            self._add(shortlist, done, same, FULL)
        for title in self._titles.inside(name, shortest_inside(self._length, self._rules)):
            self._compare(shortlist, done, title, self._titles[title])
        known, unknown = self._titles.tokens(name)
        characters = set(name)
        repeated = self._length - len(characters)
        plan = self._plan()
        seen: dict[int, int] = {}
        # Titles that lack next to nothing come first: they raise the floor for the others.
        for most in (1, self._length):
            for best, block in plan:
                needed = self._needed(shortlist.floor)
                if best < needed:
                    break
                missing = min(self._missing(block, needed) - unknown, most)
                if missing < 0:
                    continue
                found = block.holding(known, missing)
                if not found:
                    continue
                before = seen.get(block.first, 0)
                seen[block.first] = before | found
                for place in set_bits(found & ~before):
                    title = block.first + place
                    text = self._titles[title]
                    shared = len(characters.intersection(text)) + repeated
                    if shared >= min(self._shared(len(text), needed), self._length):
                        self._compare(shortlist, done, title, text)

    def _needed(self, floor: int) -> int:
        """The least name score whose final score reaches `floor`, and that admits."""
        if self._coded:
            # rd(7 N / 10) >= floor, solved for N.
            floor = -(-(20 * floor - 10) // 14)
        return max(floor, NAME_ADMITS)

    def _shared(self, length: int, needed: int) -> int:
        """How many characters a title of `length` must share: rd(20000 c / (m + n)) >= needed, solved for c."""
        return -(-(2 * needed - 1) * (self._length + length) // 40_000)

    def _missing(self, block: Block, needed: int) -> int:
        """How many characters of the name a title of `block` may lack; -1 if none can reach `needed`."""
        mine = self._length
        missing = -1
        if self._fuzzy:
            # The shortest title may lack most; one that is shorter still cannot share enough.
            least = -(-(2 * needed - 1) * mine // (40_001 - 2 * needed))
            length = max(block.shortest, least)
            if length <= block.longest:
                missing = mine - self._shared(length, needed)
        if missing < 0 and block.longest > mine:
            length = max(block.shortest, mine + 1)
            if 6_500 + ratio(3_000 * mine, length) >= needed:
                return 0
        return missing

    def _plan(self) -> list[tuple[int, Block]]:
        """Blocks with a title that the name can reach, each with its best score, highest first."""
        plans = self._titles.plans
        key = (self._length, self._fuzzy)
        if key not in plans:
            if len(plans) >= _MOST_PLANS:
                plans.clear()
            found = [(self._best(block), block) for block in self._titles.blocks]
            found = [pair for pair in found if pair[0] >= NAME_ADMITS]
            plans[key] = sorted(found, key=lambda pair: (-pair[0], pair[1].first))
        return plans[key]

    def _best(self, block: Block) -> int:
        mine, best = self._length, 0
        if self._fuzzy:
            near = min(max(mine, block.shortest), block.longest)
            best = ratio(20_000 * min(mine, near), mine + near)
        if block.longest > mine:
            best = max(best, 6_500 + ratio(3_000 * mine, max(block.shortest, mine + 1)))
        return best

    def _compare(self, shortlist: Shortlist, done: Collection[int], title: int, text: str) -> None:
        score = self._name.score(text, self._rules)
        if score >= self._needed(shortlist.floor):
            self._add(shortlist, done, title, score)

    def _add(self, shortlist: Shortlist, done: Collection[int], title: int, score: int) -> None:
        final = ratio(7 * score, 10) if self._coded else score
        for entry in self._prepared.owners[title]:
            if entry not in done:
                shortlist.add(Found(entry, final, 0, score))


_MOST_PLANS = 512


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
