"""The series of a number and its attribute, at one place of a text (matching specification, section 3).

The text is folded and in upper case. A head names the series; the tail behind it must satisfy what
the head needs, since CH 4 and HRB400 are no numbers of standards.
"""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from providers.standards.code import Code
from providers.standards.rules import Rules
from providers.standards.tables import LISTED, STRONG
from providers.standards.tail import Tail, read_tail


class Need(Enum):
    """What the tail must have before the head is believed."""

    NOTHING = auto()
    WEAK = auto()
    """A year, a slash, or three digits."""
    YEAR = auto()
    """A year of four digits behind a mark."""


class Head(NamedTuple):
    """A possible beginning of a number: series and attribute, and where its digits should begin."""

    code: Code
    end: int
    need: Need = Need.NOTHING
    slashed: bool = False


class Found(NamedTuple):
    """A number in a text: all its readings, first the one a record would have."""

    readings: tuple[Code, ...]
    start: int
    end: int


_GAP = re.compile(" ?-? ?")
_ATTR = re.compile(r"(?: ?(?P<mark>[/-]) ?| )(?P<attr>[TZ])(?=(?P<letter>[A-Z])?)")
_RUN = re.compile(r"[A-Z]{1,12}|建标")
_APART = re.compile(r"[A-Z]{1,5}(?: [A-Z]{1,5}){1,5}(?![A-Z])")
_SECOND = re.compile(r"(?:/[A-Z]{2,5}){1,2}(?![A-Z])")
_BRACKET = re.compile(r"JJ[FG] ?\( ?([^()]{1,8}) ?\)")
_GROUP = re.compile(r"T(?: ?/ ?|(?P<dash>-))(?P<org>[A-Z]{2,12}(?:[0-9][A-Z]{1,6})?)(?![A-Z])")
_ENTERPRISE = re.compile(r"Q ?/ ?(?P<org>[A-Z]{1,10}(?:-[A-Z]{1,10}){0,3})(?![A-Z])")
_ATLAS = re.compile(
    r"(?P<year>[0-9]{2})(?P<num>[CDFGJKMRSX]{1,2}[0-9]{3})(?:-(?P<part>[0-9]{1,2}))?(?![0-9A-Z])"
)
_R2 = r"(?P<region>[0-9]{2})"
_REGION = r"(?P<region>[0-9]{6}|[0-9]{4}|[0-9]{2})"
_NO_YEAR = r"(?!(?:19|20)[0-9]{2}(?![0-9]| ?[-:]))"
# Each names the series that the region joins; `t` is the attribute however it is written.
_REGIONAL = tuple(
    (org, re.compile(pattern))
    for org, pattern in (
        ("DGJ", rf"DG(?: ?[/-] ?| )?(?P<t>T)J ?-? ?{_R2}(?= ?[-/]? ?[0-9])"),
        ("DGJ", rf"DGJ ?-? ?{_R2}(?: ?/ ?(?:(?P<t>T)J?|J))?(?= ?[-/]? ?[0-9])"),
        ("DBJ", rf"DBJ(?:(?: ?[/-] ?| )?(?P<t>T))? ?-? ?{_R2}(?= ?- ?[0-9]| [0-9]{{1,4}}-)"),
        ("DBJ", rf"DBJ ?{_REGION}(?: ?\(J\))?(?: ?/ ?(?:(?P<t>T)|J))(?= ?-? ?[0-9])"),
        ("DB", rf"DB ?/ ?(?P<t>T) ?{_R2}(?= ?- ?[0-9])"),
        ("DB", rf"DB ?{_REGION}(?:\(J\))?(?: ?[/-] ?| )(?P<t>[TZ])(?= ?-? ?[0-9])"),
        ("DB", rf"DB ?{_REGION}(?:\(J\)(?: ?[/-] ?)?| ?[/-] ?| ){_NO_YEAR}(?=[0-9])"),
        ("DB", rf"DB{_R2}(?=[0-9]{{3}})"),
    )
)
# R5: DB13T is DB13/T.
_GLUED_REGIONAL = (("DB", re.compile(rf"DB ?{_REGION}(?:\(J\))?(?P<t>T)(?= ?-? ?[0-9])")),)
_SPECIAL_STARTS = frozenset("TQJD")
_INTERNATIONAL = frozenset({"ISO", "IEC", "EN", "ANSI", "ASTM", "ASME", "IEEE", "NFPA", "BS", "DIN"})
_LONGEST_UNLISTED = 6
# The plainest numbers, GB/T 5750.1-2006, with nothing behind them that could belong to them: one reading,
# the same that the heads and the tail below would find step by step.
_PLAIN = re.compile(
    r"(?P<org>[A-Z]{2,4})(?:/(?P<attr>[TZ]))? ?(?P<num>[0-9]{1,6})(?P<parts>(?:\.[0-9]{1,4}){0,2})"
    r"-(?P<year>(?:19|20)[0-9]{2})(?![0-9A-Z]| ?[-/:.~〜(])"
)
_PLAIN_SERIES = STRONG - {"DBJ", "DGJ", "TSG"}


def read_code(text: str, start: int, rules: Rules) -> Found | None:
    """The number that begins at `start` of `text`, the longest where heads differ, or None."""
    plain = _PLAIN.match(text, start)
    if plain is not None and plain["org"] in _PLAIN_SERIES:
        org, attr, num, parts, year = plain.groups("")
        divided = tuple(f".{part}" for part in parts[1:].split(".")) if parts else ()
        return Found((Code(org, num, divided, attr, year),), start, plain.end())
    return _atlas(text, start) or _longest(text, start, rules)


def _longest(text: str, start: int, rules: Rules) -> Found | None:
    tails = (_believed(text, head) for head in _heads(text, start, rules))
    found = [(tail.end, tail.readings) for tail in tails if tail is not None]
    if not found:
        return None
    end = max(reach for reach, _ in found)
    readings = dict.fromkeys(code for reach, codes in found if reach == end for code in codes)
    return Found(tuple(readings), start, end)


def _heads(text: str, start: int, rules: Rules) -> Iterator[Head]:
    special = list(_special(text, start, rules))
    if special:
        yield from special
        return
    run = _RUN.match(text, start)
    if run is None:
        return
    letters, end = run.group(), run.end()
    if letters in LISTED:
        yield from _listed(text, letters, end)
    else:
        yield from _unlisted(text, letters, end, rules)
    apart = _APART.match(text, start)
    if apart is not None:
        yield from _typed_apart(text, apart)


def _special(text: str, start: int, rules: Rules) -> Iterator[Head]:
    """Group, enterprise, bracketed and regional series."""
    if text[start] not in _SPECIAL_STARTS:
        return
    group = _GROUP.match(text, start)
    if group is not None and text[start - 1 : start] != "/":
        org, attr = (group["org"], "G") if rules.group_mark else (f"T/{group['org']}", "")
        need = Need.YEAR if group["dash"] else Need.NOTHING
        yield Head(Code(org, "", attr=attr), group.end(), need)
    enterprise = _ENTERPRISE.match(text, start)
    if enterprise is not None:
        yield Head(Code(f"Q/{enterprise['org']}", ""), enterprise.end())
    bracket = _BRACKET.match(text, start)
    if bracket is not None:
        yield Head(Code(f"{text[start : start + 3]}({bracket[1].replace(' ', '')})", ""), bracket.end())
    for org, pattern in (*_REGIONAL, *(_GLUED_REGIONAL if rules.glued_attribute else ())):
        regional = pattern.match(text, start)
        if regional is not None:
            code = Code(org + regional["region"], "", attr=regional.groupdict().get("t") or "", regional=True)
            yield Head(code, regional.end())
            return


def _listed(text: str, org: str, end: int) -> Iterator[Head]:
    need = Need.NOTHING if org in STRONG else Need.WEAK
    second = _SECOND.match(text, end)
    if second is not None and org in _INTERNATIONAL:
        yield Head(Code(org + second.group(), ""), second.end())
        return
    # The letter of TSG T7001 belongs to its number.
    attributed = None if org == "TSG" else _attribute(text, end)
    if attributed is not None:
        attr, after, slashed = attributed
        yield Head(Code(org, "", attr=attr), after, need, slashed)
    elif second is not None:
        yield Head(Code(org + second.group(), ""), second.end(), Need.YEAR)
    else:
        yield Head(Code(org, ""), end, need)


def _attribute(text: str, end: int) -> tuple[str, int, bool] | None:
    found = _ATTR.match(text, end)
    if found is None:
        return None
    if found["letter"] and found["mark"] != "/":
        return None
    after = found.end()
    if _next_digit(text, after) is None:
        return None
    return found["attr"], after, found["mark"] == "/"


_TO_DIGIT = re.compile(r" ?-? ?(?:G ?: ?[A-Z]|[A-Z]{0,2}) ?[OIL]{0,3}[0-9]")


def _next_digit(text: str, start: int) -> re.Match[str] | None:
    return _TO_DIGIT.match(text, start)


def _unlisted(text: str, letters: str, end: int, rules: Rules) -> Iterator[Head]:
    start = end - len(letters)
    glued = _split_attribute(letters) if rules.glued_attribute else None
    if glued is not None:
        need = Need.NOTHING if glued in STRONG else Need.WEAK
        yield Head(Code(glued, "", attr="T"), start + len(glued) + 1, need, slashed=True)
        yield Head(Code(letters, ""), end)
        return
    numbered = _split_number(letters)
    if numbered is not None:
        yield Head(Code(numbered, ""), start + len(numbered))
        return
    if len(letters) > _LONGEST_UNLISTED:
        return
    found = _ATTR.match(text, end)
    if found is not None and found["mark"] == "/" and _next_digit(text, found.end()) is not None:
        yield Head(Code(letters, "", attr=found["attr"]), found.end(), slashed=True)
        return
    second = _SECOND.match(text, end)
    org, after = (letters + second.group(), second.end()) if second else (letters, end)
    yield Head(Code(org, ""), after, Need.YEAR)


def _split_attribute(letters: str) -> str | None:
    """The series of `GBT` or `JTGTF`: listed, then T, then at most two letters of the number."""
    for cut in (len(letters) - 1, len(letters) - 2, len(letters) - 3):
        if cut > 0 and letters[cut] == "T" and letters[:cut] in LISTED:
            return letters[:cut]
    return None


def _split_number(letters: str) -> str | None:
    """The series of `JTGF90`: listed, then at most two letters of the number."""
    for cut in (len(letters) - 1, len(letters) - 2):
        if letters[:cut] in STRONG:
            return letters[:cut]
    return None


def _typed_apart(text: str, apart: re.Match[str]) -> Iterator[Head]:
    """`G B 50330`: letters with blanks between them that join to a listed series."""
    words = apart.group().split(" ")
    for count in range(len(words), 1, -1):
        org = "".join(words[:count])
        if org in LISTED:
            end = apart.start() + len(" ".join(words[:count]))
            yield from _listed(text, org, end)
            return


def _believed(text: str, head: Head) -> Tail | None:
    gap = _GAP.match(text, head.end)
    tail = read_tail(text, gap.end() if gap else head.end, head.code)
    if tail is None:
        return None
    followed = text[tail.end : tail.end + 1]
    if followed.isascii() and followed.isalpha() and tail.digits < 3 and not tail.dated:
        return None
    if head.need is Need.YEAR and not tail.explicit:
        return None
    if head.need is Need.WEAK and not (tail.dated or head.slashed or tail.slashed or tail.digits >= 3):
        return None
    return tail


def _atlas(text: str, start: int) -> Found | None:
    """`16G101-1`, a volume of the national atlas of drawings."""
    found = _ATLAS.match(text, start)
    if found is None:
        return None
    parts = (f"-{found['part']}",) if found["part"] else ()
    return Found((Code("图集", found["num"], parts, year=found["year"]),), start, found.end())
