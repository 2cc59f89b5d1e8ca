"""One way to write a code: `GB 50330-2013`, `GB/T 5750.1-2006`; where only one way can be meant."""

import re
from collections.abc import Iterator

from providers.standards.code import UNREADABLE, Code
from providers.standards.folding import fold
from providers.standards.rules import Rules
from providers.standards.scan import find_codes
from providers.standards.tables import LISTED

# The numbers of some enterprises have blanks of their own: Q/CSG 2 16 004-2019.
_PARTED = re.compile("[0-9] [0-9]")
# Listed series behind which a T is no attribute: foreign ones, CECS (T/CECS), TSG (TSG T7001).
_WITHOUT_T = frozenset((
    "ISO", "IEC", "EN", "DIN", "BS", "ASTM", "ASME", "API", "AWS", "ACI", "JIS", "ANSI", "IEEE", "NFPA",
    "AS", "UL", "CECS", "TSG",
))  # fmt: skip


def official(code: str) -> str:
    """The code with one width, one dash, and one blank between its series and its number.

    Beyond widths and dashes only blanks and the case of letters change, and GBT becomes GB/T (R5), and only
    where the code begins with a number that is written in one way; what follows in brackets stays.
    """
    folded = fold(code).strip()
    found = find_codes(folded, Rules())
    if len(found) != 1 or found[0].start != 0:
        return folded
    head, rest = folded[: found[0].end], folded[found[0].end :]
    if rest.lstrip()[:1] not in ("", "(") or _PARTED.search(head):
        return folded
    now = {new for old, new in _writings(found[0].readings) if _bare(old) == _bare(head)}
    return now.pop() + rest if len(now) == 1 else folded


def _writings(readings: tuple[Code, ...]) -> Iterator[tuple[str, str]]:
    """Ways in which the number may be written, each with the one that it is given."""
    first = readings[0]
    usual = _written(first)
    if all(_written(reading) == usual for reading in readings):
        yield usual, usual
    if first.attr == "T" and (first.regional or first.org in LISTED - _WITHOUT_T):
        yield usual.replace("/T ", "T ", 1), usual
    if first.regional and not first.attr:
        slashed = usual.replace(" ", "/", 1)
        yield slashed, slashed


def _written(code: Code) -> str:
    year = "" if code.year == UNREADABLE else code.year
    series = f"T/{code.org}" if code.attr == "G" else "/".join(filter(None, (code.org, code.attr)))
    dated = f"{code.year_mark}{year}" if year else ""
    amended = f"/{code.amend}" if code.amend else ""
    return f"{series} {code.num}{''.join(code.parts)}{dated}{amended}"


def _bare(text: str) -> str:
    return text.replace(" ", "").upper()
