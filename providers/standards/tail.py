"""What follows the series in a number: digits, parts, year, amendment (matching specification, section 3).

Every pattern is anchored and every repeat in it is bounded: a tail costs the same in a text of any length.
"""

import re
from typing import NamedTuple

from providers.standards.code import UNREADABLE, Code

_YEAR = r"(?:19|20)[0-9]{2}"
_DIGITS = re.compile(r"(?:G ?: ?[A-Z]|[A-Z]{0,2})(?P<digits>[0-9OIL]{1,12})(?:[A-Z](?![A-Z]))?(?![0-9])")
# Blanks inside the digits, allowed only where a year of four digits follows.
_SPACED = re.compile(
    r"(?:[A-Z]{1,2} [0-9OIL]{1,5}(?: [0-9]{1,4}){0,3}|[A-Z]{0,2}[0-9OIL]{1,5}(?: [0-9]{1,4}){1,3})"
    rf"(?=(?:\.[0-9]{{1,4}}){{0,2}}(?: ?[/-] ?[0-9]{{1,2}}){{0,2}} ?[-:] ?{_YEAR}(?![0-9]))"
)
_LONGEST_SPACED = 12
_DOT = re.compile(rf"\.([0-9]{{1,8}})(?![0-9])| ?\. ?(?P<apart>[0-9]{{1,4}})(?= ?[-:] ?{_YEAR}(?![0-9]))")
_SLASH = re.compile(r" ?/ ?([0-9]{1,2})(?![0-9A-Z])")
_DASH = re.compile(r" ?- ?([0-9]{1,6})(?![0-9])")
_RANGE = re.compile(r" ?[~〜] ?(?:[0-9]{1,6})?\.?[0-9]{1,4}(?![0-9])")
_AMEND = re.compile(r" ?/ ?(XG[0-9]{1,2})(?: ?- ?([0-9]{4}))?(?![0-9])")
_COLON_YEAR = re.compile(rf" ?: ?(?P<year>{_YEAR}|[0-9]{{2}})(?![0-9])")
_BRACKETED_YEAR = re.compile(rf" ?\( ?(?P<year>{_YEAR}) ?\)")
# `GB 50011 2016年版` names an edition of the text, not the year of the number.
_BLANK_YEAR = re.compile(rf" (?P<year>{_YEAR})(?![0-9A-Z]|\.[0-9]| ?年? ?(?:版|修|局部))")
_YEAR_FORMS = (_COLON_YEAR, _BRACKETED_YEAR, _BLANK_YEAR)
_FULL_YEAR = re.compile(_YEAR)
# 2O18: letters in place of digits, as a scan has them. Nobody can say which year that is.
_MISREAD_YEAR = re.compile(r" ?[-:] ?(?=[0-9]{0,3}[OIL])(?:[1IL]9|2[0O])[0-9OIL]{2}(?![0-9A-Z])")
_GLUED_YEAR = re.compile(r"([0-9OIL.]*[0-9OIL])(19[89][0-9]|20[0-4][0-9])")
_MOST_DOTS, _MOST_DASHES = 3, 4


class Tail(NamedTuple):
    """The readings of one tail, best first, and what a doubtful series needs to know about it."""

    readings: tuple[Code, ...]
    end: int
    digits: int
    dated: bool
    """A year of two or four digits was written."""
    explicit: bool
    """A year of four digits was written behind a mark other than a blank."""
    slashed: bool


def read_tail(text: str, start: int, head: Code) -> Tail | None:
    """The tail of `head` at `start` of `text`, which is folded and upper case; None where there is none."""
    number = _number(text, start)
    if number is None:
        return None
    num, end = number
    dots, end = _several(_DOT, text, end, _MOST_DOTS)
    slash, end = _several(_SLASH, text, end, 1)
    ranged = _RANGE.match(text, end)
    end = ranged.end() if ranged else end
    dashes, ends = _dashes(text, end)
    stem = head._replace(num=num, parts=(*(f".{part}" for part in dots), *(f"/{part}" for part in slash)))
    readings, end, explicit = _dated(text, ends, stem, dashes)
    amend = _AMEND.match(text, end)
    if amend:
        end = amend.end()
        name = amend[1] + (f"-{amend[2]}" if amend[2] else "")
        readings = [reading._replace(amend=name) for reading in readings]
    first = readings[0]
    return Tail(
        readings=tuple(readings),
        end=end,
        digits=sum(map(str.isdecimal, num)),
        dated=first.year not in ("", UNREADABLE),
        explicit=explicit,
        slashed=bool(slash),
    )


def _number(text: str, start: int) -> tuple[str, int] | None:
    spaced = _SPACED.match(text, start)
    if spaced:
        digits = spaced.group().replace(" ", "")
        if len(digits) <= _LONGEST_SPACED:
            return digits, spaced.end()
    found = _DIGITS.match(text, start)
    if found is None or not any(map(str.isdecimal, found["digits"])):
        return None
    return found.group().replace(" ", ""), found.end()


def _several(pattern: re.Pattern[str], text: str, start: int, most: int) -> tuple[list[str], int]:
    values: list[str] = []
    while len(values) < most and (found := pattern.match(text, start)):
        values.append(next(filter(None, found.groups())))
        start = found.end()
    return values, start


def _dashes(text: str, start: int) -> tuple[list[str], list[int]]:
    """The digits behind dashes, and where the text stands after each; a full year ends them."""
    values: list[str] = []
    ends = [start]
    while len(values) < _MOST_DASHES and (found := _DASH.match(text, ends[-1])):
        if _MISREAD_YEAR.match(text, ends[-1]):
            break
        values.append(found[1])
        ends.append(found.end())
    full = [index for index, value in enumerate(values) if _FULL_YEAR.fullmatch(value)]
    if full and full[-1] != len(values) - 1:
        del values[full[0] + 1 :], ends[full[0] + 2 :]
    return values, ends


def _dated(text: str, ends: list[int], stem: Code, dashes: list[str]) -> tuple[list[Code], int, bool]:
    """The readings, their end, and whether a mark announces a year of four digits."""
    if dashes and _FULL_YEAR.fullmatch(dashes[-1]):
        return [_with(stem, dashes[:-1], dashes[-1])], ends[-1], True
    for form in _YEAR_FORMS:
        found = form.match(text, ends[-1])
        if found:
            mark = ":" if form is _COLON_YEAR else "-"
            explicit = form is not _BLANK_YEAR and len(found["year"]) == 4
            return [_with(stem, dashes, found["year"], mark)], found.end(), explicit
    misread = _MISREAD_YEAR.match(text, ends[-1])
    if misread:
        return [_with(stem, dashes, UNREADABLE)], misread.end(), True
    readings = _undated(stem, dashes)
    return readings, ends[-1], len(readings[0].year) == 4


def _undated(stem: Code, dashes: list[str]) -> list[Code]:
    """The readings of a number without an unmistakable year, in the order of section 3."""
    whole = _with(stem, dashes)
    if dashes:
        last = dashes[-1]
        if len(last) == 2:
            return [_with(stem, dashes[:-1], last), whole]
        return [whole, _with(stem, dashes[:-1], UNREADABLE)] if len(last) > 2 else [whole]
    if stem.parts and _FULL_YEAR.fullmatch(stem.parts[-1][1:]) and stem.parts[-1][0] == ".":
        return [stem._replace(parts=stem.parts[:-1], year=stem.parts[-1][1:]), whole]
    return [whole, *_glued(stem)]


def _glued(stem: Code) -> list[Code]:
    """`JGJ522006`: the year stands at the end of the digits."""
    if stem.parts:
        found = _GLUED_YEAR.fullmatch(stem.parts[-1][1:])
        if not found or stem.parts[-1][0] != ".":
            return []
        return [stem._replace(parts=(*stem.parts[:-1], f".{found[1]}"), year=found[2], glued=True)]
    letters = stem.num.rstrip("0123456789")
    found = _GLUED_YEAR.fullmatch(stem.num[len(letters) :])
    return [stem._replace(num=letters + found[1], year=found[2], glued=True)] if found else []


def _with(stem: Code, dashes: list[str], year: str = "", mark: str = "-") -> Code:
    parts = (*stem.parts, *(f"-{part}" for part in dashes))
    return stem._replace(parts=parts, year=year, year_mark=mark)
