"""Fold a text so that spellings that mean the same become the same (matching specification, section 2)."""

import re
import unicodedata

from providers.standards.tables import COLONS, DASHES, DOTS, RADICALS, SLASHES

# Normalising one long run of combining marks costs quadratic time; pieces keep any text linear.
_PIECE = 1000

_ONE_TO_ONE: dict[int, str] = {
    **{ord(dash): "-" for dash in DASHES},
    **{ord(colon): ":" for colon in COLONS},
    **{ord(slash): "/" for slash in SLASHES},
    **{ord(radical): character for radical, character in RADICALS.items()},
}
_POINT_BETWEEN_DIGITS = re.compile(rf"(?<=[0-9])[{DOTS}](?=[0-9])")
_ONE_AS_DASH = re.compile(r"(?<=[A-Za-z0-9])一(?=[0-9]{2,4}(?![0-9]))")
_DASHES = re.compile(r"--+")
_BLANKS = re.compile(r"  +")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


class _Folds(dict[int, str | None]):
    """Step 2 and 3 for `str.translate`, character by character, remembered for the basic plane."""

    def __missing__(self, point: int) -> str | None:
        found = _folded(chr(point))
        if point <= 0xFFFF:
            self[point] = found
        return found


def _folded(character: str) -> str | None:
    if "\ufe00" <= character <= "\ufe0f":
        return None
    category = unicodedata.category(character)
    if category == "Cf":
        return None
    return " " if category in ("Cc", "Zs", "Zl", "Zp") else character


_FOLDS = _Folds(_ONE_TO_ONE)

# What people write most: ASCII, Han, their marks and the full-width forms of ASCII. For these alone every
# step before the points is one look-up a character: none of them joins another under NFKC.
_COMMON = re.compile("[ -~\u2014\u201c\u201d\u3000-\u3002\u3008-\u3011\u4e00-\u9fff\uff01-\uff5e]*")
_WIDE = re.compile("[_\\\\\u2014\u3000\uff01-\uff5e]")
_NARROW = {
    **{ord(wide): _ONE_TO_ONE[ord(wide)] for wide in "_\\\u2014"},
    0x3000: " ",
    **{wide: _ONE_TO_ONE.get(wide - 0xFEE0, chr(wide - 0xFEE0)) for wide in range(0xFF01, 0xFF5F)},
}


def fold(text: str) -> str:
    """`text` with one form for widths, dashes, colons, slashes, radicals and blanks; case stays."""
    if _COMMON.fullmatch(text):
        text = _WIDE.sub(_narrow, text)
    else:
        # NFKC takes U+00AF and U+FE30 of the table apart, so the table goes before it as well as after;
        # the second time joins what a dropped character kept apart.
        text = _nfkc(_nfkc(text.translate(_ONE_TO_ONE)).translate(_FOLDS))
    text = _POINT_BETWEEN_DIGITS.sub(".", text)
    if "一" in text:
        text = _ONE_AS_DASH.sub("-", text)
    if "--" in text:
        text = _DASHES.sub("-", text)
    return _BLANKS.sub(" ", text) if "  " in text else text


def _narrow(found: re.Match[str]) -> str:
    return _NARROW[ord(found[0])]


def _nfkc(text: str) -> str:
    pieces = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
    return "".join(unicodedata.normalize("NFKC", piece) for piece in pieces)


def norm(text: str) -> str:
    """`text` as a name is compared: folded, lower case, letters and digits only (section 5)."""
    return norm_folded(fold(text))


def norm_folded(folded: str) -> str:
    """`norm` of a text that is already folded."""
    return "".join(filter(str.isalnum, folded.lower()))


def han(text: str) -> int:
    """How many Han characters `text` holds."""
    return len(_HAN.findall(text))
