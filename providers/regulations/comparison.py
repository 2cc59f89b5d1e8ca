"""新旧对照: the articles of two editions side by side (regulations.md section 3, nodeRelations)."""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Final, Literal

from providers.regulations.node import Node

Kind = Literal["same", "amended", "renumbered", "inserted", "deleted"]
UNITS: Final = frozenset({"art", "x1", "x2", "x3", "x4"})
WHOLE: Final = 10_000
ALIKE: Final = 5_000  # of 10,000 shared bigrams: below it two articles are no versions of each other


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a node of the old edition, of the new one, or of both; `score` of 10,000 compares their text.

    `renumbered` says that the number changed; whether the text did too is `changed`. Basis: computed.
    """

    kind: Kind
    score: int
    changed: bool
    old: Node | None = None
    new: Node | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """All rows in the order of the new edition, what was deleted where it stood."""

    rows: tuple[Row, ...]

    def counts(self) -> dict[str, int]:
        """How many rows of each kind."""
        return dict(Counter(row.kind for row in self.rows))


@dataclass(frozen=True, slots=True)
class _Unit:
    node: Node
    folded: str
    bigrams: "Counter[str]"


def compare(old: Sequence[Node], new: Sequence[Node]) -> Comparison:
    """Pair the articles, or the sections of a document without them: equal text first, then the likest."""
    olds, news = _units(old), _units(new)
    pairs = _pairs(olds, news)
    rows: list[Row] = []
    taken = {at for at, _ in pairs.values()}
    gone = [at for at in range(len(olds)) if at not in taken]
    for at, unit in enumerate(news):
        found = pairs.get(at)
        if found is None:
            rows.append(Row("inserted", 0, changed=True, new=unit.node))
            continue
        while gone and gone[0] < found[0]:
            rows.append(Row("deleted", 0, changed=True, old=olds[gone.pop(0)].node))
        rows.append(_row(olds[found[0]], unit, found[1]))
    rows += [Row("deleted", 0, changed=True, old=olds[at].node) for at in gone]
    return Comparison(tuple(rows))


def _units(nodes: Sequence[Node]) -> list[_Unit]:
    units = []
    for node in nodes:
        if node.kind in UNITS and "anx" not in node.node_id.partition("#")[2]:
            folded = _folded(node.text)
            units.append(_Unit(node, folded, Counter(map("".join, pairwise(folded)))))
    return units


def _folded(text: str) -> str:
    """Honest copies differ by width and white space only (regulations.md section 0)."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def _pairs(olds: Sequence[_Unit], news: Sequence[_Unit]) -> dict[int, tuple[int, int]]:
    """For each new unit its old one and their score, every unit at most once."""
    pairs = _equal(olds, news)
    free_new = set(range(len(news))) - set(pairs)
    free_old = set(range(len(olds))) - {old_at for old_at, _ in pairs.values()}
    candidates = []
    for new_at, old_at in product(sorted(free_new), sorted(free_old)):
        old, new = olds[old_at], news[new_at]
        score = _score(old, new)
        if score >= ALIKE:
            moved = old.node.clause_no != new.node.clause_no
            candidates.append((-score, moved, abs(old_at - new_at), new_at, old_at))
    for score, _, _, new_at, old_at in sorted(candidates):
        if new_at in free_new and old_at in free_old:
            pairs[new_at] = (old_at, -score)
            free_new.remove(new_at)
            free_old.remove(old_at)
    return pairs


def _equal(olds: Sequence[_Unit], news: Sequence[_Unit]) -> dict[int, tuple[int, int]]:
    """Units whose text occurs once on each side; most do, so few are left to be scored in pairs."""
    places: dict[str, tuple[list[int], list[int]]] = {}
    for side, units in enumerate((olds, news)):
        for at, unit in enumerate(units):
            places.setdefault(unit.folded, ([], []))[side].append(at)
    return {new[0]: (old[0], WHOLE) for old, new in places.values() if len(old) == len(new) == 1}


def _score(one: _Unit, other: _Unit) -> int:
    """Dice's coefficient of the bigrams, of 10,000; 10,000 only for equal folded text."""
    if one.folded == other.folded:
        return WHOLE
    total = one.bigrams.total() + other.bigrams.total()
    if not total:
        return 0
    short, long = sorted((one.bigrams, other.bigrams), key=len)
    # The most that can be shared bounds the score, and is cheap.
    if 2 * WHOLE * min(short.total(), long.total()) // total < ALIKE:
        return 0
    shared = sum(min(count, long[bigram]) for bigram, count in short.items() if bigram in long)
    return min(2 * WHOLE * shared // total, WHOLE - 1)


def _row(old: _Unit, new: _Unit, score: int) -> Row:
    changed = score < WHOLE
    if old.node.clause_no != new.node.clause_no:
        return Row("renumbered", score, changed, old.node, new.node)
    return Row("amended" if changed else "same", score, changed, old.node, new.node)
