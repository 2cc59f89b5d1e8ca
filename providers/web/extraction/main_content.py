"""The main part of a page for people: the run of lines that is densest in sentences.

A view only, by a rule that sees no markup: offsets, hashes and clause candidates always refer to the whole
text. A heading above the run and a table without sentences beside it can be missing.
"""

import re
from itertools import accumulate
from typing import Final

_MARKS: Final = frozenset("；：！？，、,;:!?")
# What a line of a menu has: a few words and no mark. A sentence earns its length and more.
_LINE_COST: Final = 8
_MARK_WORTH: Final = 6
_STOP_WORTH: Final = 16
_MOST_WORTH: Final = 200
_FURNITURE = re.compile("版权所有|主办|承办|备案|网站标识码|浏览次数|分享到|责任编辑|技术支持|联系电话")
_DATED = re.compile(r"\s*(?:[12][0-9]{3}|[〇零一二三四五六七八九]{4})\s?年.{1,4}月.{1,4}日\s*")
_SIGNED_WITHIN: Final = 4


def main_content(text: str) -> str:
    """The lines of `text` between its menus: the run with the most sentences, and the signature below it."""
    lines = text.split("\n")
    sums = [0, *accumulate(map(_worth, lines))]
    best, start, end, lowest = 0, 0, 0, 0
    for place in range(1, len(sums)):
        if sums[place] - sums[lowest] > best:
            best, start, end = sums[place] - sums[lowest], lowest, place
        if sums[place] < sums[lowest]:
            lowest = place
    return "\n".join(lines[start : _signed(lines, end)]) if best else text


def _worth(line: str) -> int:
    words = line.strip()
    if not words:
        return -1
    marks, stops = sum(character in _MARKS for character in words), words.count("。")
    if not (marks or stops) or _FURNITURE.search(words):
        return -_LINE_COST
    return min(len(words) + _MARK_WORTH * marks + _STOP_WORTH * stops - _LINE_COST, _MOST_WORTH)


def _signed(lines: list[str], end: int) -> int:
    """Where the run that stops at `end` stops with the names and the day that are written below it."""
    for place in range(end, min(end + _SIGNED_WITHIN, len(lines))):
        if _DATED.fullmatch(lines[place]):
            return place + 1
    return end
