"""One way to write a code: `GB 50330-2013`, `GB/T 5750.1-2006`; where only one way can be meant."""

import re

from providers.standards.code import UNREADABLE, Code
from providers.standards.folding import fold
from providers.standards.rules import Rules
from providers.standards.scan import find_codes

# The numbers of some enterprises have blanks of their own: Q/CSG 2 16 004-2019.
_PARTED = re.compile("[0-9] [0-9]")


def official(code: str) -> str:
    """The code with one width, one dash, and one blank between its series and its number.

    Beyond widths and dashes only blanks and the case of letters change, and only where the code begins with
    a number all of whose readings are written the same; what follows in brackets stays.
    """
    folded = fold(code).strip()
    found = find_codes(folded, Rules())
    if len(found) != 1 or found[0].start != 0:
        return folded
    head, rest = folded[: found[0].end], folded[found[0].end :]
    if rest.lstrip()[:1] not in ("", "(") or _PARTED.search(head):
        return folded
    written = {_written(reading) for reading in found[0].readings}
    one = written.pop() if len(written) == 1 else ""
    return one + rest if _bare(one) == _bare(head) else folded


def _written(code: Code) -> str:
    year = "" if code.year == UNREADABLE else code.year
    series = f"T/{code.org}" if code.attr == "G" else "/".join(filter(None, (code.org, code.attr)))
    dated = f"{code.year_mark}{year}" if year else ""
    amended = f"/{code.amend}" if code.amend else ""
    return f"{series} {code.num}{''.join(code.parts)}{dated}{amended}"


def _bare(text: str) -> str:
    return text.replace(" ", "").upper()
