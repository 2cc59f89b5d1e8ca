"""The main part of a page for people: the run of lines that is densest in sentences.

A view only: offsets, hashes and clause candidates always refer to the whole text.
"""

from itertools import accumulate
from typing import Final

_SENTENCE: Final = frozenset("。；：！？，、,;:!?")
# What a line of a menu has: a few words and no mark. A paragraph earns its length.
_LINE_COST: Final = 12
_MARK_WORTH: Final = 8
_MOST_WORTH: Final = 200


def main_content(text: str) -> str:
    """The lines of `text` between its menus: the contiguous run with the most sentences for its lines."""
    lines = text.split("\n")
    sums = [0, *accumulate(map(_worth, lines))]
    best, start, end, lowest = 0, 0, 0, 0
    for place in range(1, len(sums)):
        if sums[place] - sums[lowest] > best:
            best, start, end = sums[place] - sums[lowest], lowest, place
        if sums[place] < sums[lowest]:
            lowest = place
    return "\n".join(lines[start:end]) if best else text


def _worth(line: str) -> int:
    words = line.strip()
    if not words:
        return -1
    marks = sum(character in _SENTENCE for character in words)
    return min(len(words) + _MARK_WORTH * marks - _LINE_COST, _MOST_WORTH) if marks else -_LINE_COST
