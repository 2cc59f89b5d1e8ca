"""Look for the titles that one name can mean, best chances first, and stop where none is left."""

from collections.abc import Collection

from providers.standards.index import Index
from providers.standards.rules import Rules
from providers.standards.scores import FULL, FUZZY_HAN, NAME_ADMITS, Pattern, ratio, shortest_inside
from providers.standards.shortlist import Found, Shortlist
from providers.standards.titles import Block

_MOST_PLANS = 512


class NameSearch:
    """One name of a query; `coded` says that the query has a number too, so that a name alone gives 0.7."""

    def __init__(self, prepared: Index, name: Pattern, *, coded: bool, rules: Rules) -> None:
        self._prepared = prepared
        self._titles = prepared.titles
        self._name = name
        self._length = len(name.name)
        self._characters = set(name.name)
        self._repeated = self._length - len(self._characters)
        self._fuzzy = name.han >= FUZZY_HAN
        self._coded = coded
        self._rules = rules

    def collect(self, shortlist: Shortlist, done: Collection[int], whole: str) -> None:
        """Add every entry not in `done` whose score may reach the last place of `shortlist`.

        `done` holds the entries whose title is exactly `whole`.
        """
        name, titles = self._name.name, self._titles
        same = None if name == whole else titles.find(name)
        if same is not None:
            self._add(shortlist, done, same, FULL)
        for title in titles.inside(name, shortest_inside(self._length, self._rules)):
            self._compare(shortlist, done, title, titles[title])
        hands, unknown = titles.hands(name)
        needed = self._needed(shortlist.floor)
        reach = self._reach(needed)
        for best, admitting, block in self._plan():
            if best < needed:
                break
            missing = admitting if needed == NAME_ADMITS else self._missing(block, needed)
            missing -= unknown
            if missing < 0:
                continue
            full = hands.full(missing)
            found = block.holding(hands[missing], missing, full) if full else block.all
            if found:
                found &= titles.of_lengths(block, *reach)
                self._look(shortlist, done, block, found)
                if needed != self._needed(shortlist.floor):
                    needed = self._needed(shortlist.floor)
                    reach = self._reach(needed)

    def _look(self, shortlist: Shortlist, done: Collection[int], block: Block, found: int) -> None:
        """Compare the titles of `block` whose bits are set in `found`, unless they share too little."""
        needed = self._needed(shortlist.floor)
        first, mine, titles = block.first, self._length, self._titles
        characters, repeated = self._characters, self._repeated
        while found:
            # From the highest bit down, so that the number shrinks.
            place = found.bit_length() - 1
            found ^= 1 << place
            text = titles[first + place]
            shared = len(characters.intersection(text)) + repeated
            if shared == mine or shared * 40_000 >= (2 * needed - 1) * (mine + len(text)):
                self._compare(shortlist, done, first + place, text)
                needed = self._needed(shortlist.floor)

    def _needed(self, floor: int) -> int:
        """The least name score whose final score reaches `floor`, and that admits."""
        if self._coded:
            # rd(7 N / 10) >= floor, solved for N.
            floor = -(-(20 * floor - 10) // 14)
        return max(floor, NAME_ADMITS)

    def _shared(self, length: int, needed: int) -> int:
        """How many characters a title of `length` must share: rd(20000 c / (m + n)) >= needed, for c."""
        return -(-(2 * needed - 1) * (self._length + length) // 40_000)

    def _reach(self, needed: int) -> tuple[int, int]:
        """The shortest and longest title that can reach `needed` by likeness or by containing the name."""
        mine = self._length
        # 6500 + rd(3000 m / n) >= needed, solved for n.
        longest = 6_000 * mine // (2 * (needed - 6_500) - 1)
        if not self._fuzzy:
            return mine + 1, longest
        # A shorter one has fewer characters than it would have to share, a longer one more than the name has.
        shortest = -(-(2 * needed - 1) * mine // (40_001 - 2 * needed))
        return shortest, max(longest, 40_000 * mine // (2 * needed - 1) - mine)

    def _missing(self, block: Block, needed: int) -> int:
        """How many characters of the name a title of `block` may lack; -1 if none can reach `needed`."""
        mine = self._length
        shortest, longest = self._reach(needed)
        length = max(block.shortest, shortest)
        if length > min(block.longest, longest):
            return -1
        # The shortest title may lack most, if it is like the name; one that contains the name lacks nothing.
        return max(mine - self._shared(length, needed), 0) if self._fuzzy else 0

    def _plan(self) -> list[tuple[int, int, Block]]:
        """Blocks that the name can reach: best score, how many may miss to be admitted, block."""
        plans = self._titles.plans
        key = (self._length, self._fuzzy)
        plan = plans.get(key)
        if plan is None:
            blocks = self._titles.blocks
            found = [(self._best(block), self._missing(block, NAME_ADMITS), block) for block in blocks]
            reached = [one for one in found if one[0] >= NAME_ADMITS]
            plan = sorted(reached, key=lambda one: (-one[0], one[2].first))
            if len(plans) >= _MOST_PLANS:
                plans.clear()
            plans[key] = plan
        return plan

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
