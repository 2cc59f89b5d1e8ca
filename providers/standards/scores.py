"""The code score, the name score and the final score (matching specification, sections 4 to 6).

Every score is an integer in ten-thousandths, rounded half up; no float takes part.
"""

from collections.abc import Iterable
from typing import NamedTuple

from providers.standards.code import UNREADABLE, Code
from providers.standards.folding import han
from providers.standards.rules import Rules

FULL = 10_000
CODE_ADMITS = 7_000
NAME_ADMITS = 7_500
SLIP = 7_500
"""The score of row 8: one character of the number may be wrong."""
FUZZY_HAN = 6
"""Names with fewer Han characters match only exactly or by containment."""

_AMEND_CAP = 8_000
# Preparing a name costs the square of its length in bits; a longer one is read against each title instead.
_LONGEST_PREPARED = 2_000


class CodeScore(NamedTuple):
    """A code score and whether row 8 alone gave it."""

    score: int
    slip: bool


NO_CODE_SCORE = CodeScore(0, slip=False)


def ratio(above: int, below: int) -> int:
    """`above / below`, rounded half up; both are natural numbers."""
    return (2 * above + below) // (2 * below)


def code_score(query: Code, record: Code, rules: Rules) -> CodeScore:
    """One reading of a query's number against one number of a record: the table of section 4."""
    score, slip = _row(query, record, rules)
    if score and query.amend != record.amend:
        score = min(score, _AMEND_CAP)
    return CodeScore(score, slip)


def best(scores: Iterable[CodeScore]) -> CodeScore:
    """The highest of `scores`; at equal height the one that is no slip."""
    return max(scores, key=lambda found: (found.score, not found.slip), default=NO_CODE_SCORE)


def _row(query: Code, record: Code, rules: Rules) -> tuple[int, bool]:
    same_number = (query.org, query.num) == (record.org, record.num)
    years = _years(query.year, record.year)
    if query.glued:
        glued = same_number and query.parts == record.parts and query.attr == record.attr and years == "same"
        return (7_500 if glued else 0), False
    if same_number and query.parts == record.parts:
        if _marks_differ(query, record, rules) and years in ("same", "short"):
            return SLIP, False
        return _same_body(years, query.attr == record.attr), False
    if same_number and query.parts == record.parts[: len(query.parts)]:
        return (7_000 if years == "different" else 8_000), False
    dated = query.year and record.year and years in ("same", "short")
    if dated and one_edit(query.edit_key, record.edit_key):
        return SLIP, True
    return 0, False


def _same_body(years: str, same_attr: bool) -> int:
    if years == "different":
        return 7_000
    if years == "missing":
        return 9_000 if same_attr else 8_000
    if not same_attr:
        return 9_300
    return FULL if years == "same" else 9_800


def _years(query: str, record: str) -> str:
    """`same`, `short` (one has two digits and they agree), `missing` (in the query) or `different`."""
    if query == record and query != UNREADABLE:
        return "same"
    if not query:
        return "missing"
    if {len(query), len(record)} == {2, 4} and query[-2:] == record[-2:]:
        return "short"
    return "different"


def _marks_differ(query: Code, record: Code, rules: Rules) -> bool:
    """With R6 off, another mark before the year is the one wrong character of the 0.75 row."""
    return not rules.year_mark and (query.year_mark == ":") != (record.year_mark == ":")


def one_edit(left: str, right: str) -> bool:
    """Whether the Levenshtein distance is exactly one: one insertion, deletion or substitution."""
    if abs(len(left) - len(right)) > 1 or left == right:
        return False
    short, long = sorted((left, right), key=len)
    pairs = enumerate(zip(short, long, strict=False))
    at = next((index for index, (one, other) in pairs if one != other), len(short))
    return short[at + (len(short) == len(long)) :] == long[at + 1 :]


class Pattern:
    """A query name prepared for many titles."""

    __slots__ = ("_places", "han", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.han = han(name)
        self._places = _places(name) if len(name) <= _LONGEST_PREPARED else None

    def common(self, title: str) -> int:
        """The length of the longest common subsequence of the name and `title`."""
        if self._places is None:
            return _common(_places(title), len(title), self.name)
        return _common(self._places, len(self.name), title)

    def score(self, title: str, rules: Rules) -> int:
        """The name score against a normalised `title`: the first row of section 5 that applies."""
        name = self.name
        if not name or not title:
            return 0
        if name == title:
            return FULL
        if title in name and _counts_inside(title, len(name), rules):
            return 9_000 + ratio(800 * len(title), len(name))
        if name in title:
            return 6_500 + ratio(3_000 * len(name), len(title))
        if self.han < FUZZY_HAN:
            return 0
        return ratio(20_000 * self.common(title), len(name) + len(title))


def _places(pattern: str) -> dict[str, int]:
    """Where each character of `pattern` stands, as bits."""
    places: dict[str, int] = {}
    for index, character in enumerate(pattern):
        places[character] = places.get(character, 0) | 1 << index
    return places


def _common(places: dict[str, int], length: int, text: str) -> int:
    """The bit-parallel longest common subsequence of Hyyrö (2004): one row of the table is one integer."""
    full = row = (1 << length) - 1
    for matched in filter(None, map(places.get, text)):
        hit = row & matched
        row = ((row + hit) | (row - hit)) & full
    return length - row.bit_count()


def shortest_inside(name: int, rules: Rules) -> int:
    """The fewest characters of a title that counts inside a name of length `name` (R7)."""
    return min((name + 1) // 2, FUZZY_HAN) if rules.contained_floor else 1


def _counts_inside(title: str, name: int, rules: Rules) -> bool:
    """R7: a title inside a name of length `name` is no match when it is short and has few Han characters."""
    return not rules.contained_floor or 2 * len(title) >= name or han(title) >= FUZZY_HAN


def final_score(code: int | None, name: int | None) -> int:
    """Section 6: 0.7 of the higher and 0.3 of the lower; None is what the query lacks."""
    if code is None or name is None:
        return code or name or 0
    return ratio(7 * max(code, name) + 3 * min(code, name), 10)
