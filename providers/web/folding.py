"""Fold a text so that an excluded term is found again however it is written.

Three foldings, each character by character, so a part of a text folds to a part of the folded text:

- `plain`: compatibility forms (NFKD), case, marks, invisible characters, traditional and simplified
  Chinese, digits of other scripts by value; everything that is neither letter nor digit is dropped.
- `looks`: the same by appearance, so that Cyrillic а and Latin a are one.
- `kept`: `plain` with separators left in, for terms that consist of little else.

Nothing here is ever sent: folding only decides. Limits: pinyin, translation, encodings (base64),
spelled-out digits and words put between the parts of a term are not seen through.
"""

import re
import unicodedata
from collections.abc import Callable

from providers.web.han_variants import VARIANTS
from providers.web.lookalikes import HAN, LATIN

# U+034F and U+17B4, U+17B5 are marks and U+00AD, U+200B and the like are Cf: dropped by category.
FILLERS = frozenset("\u115f\u1160\u3164\uffa0")
_NAMED = re.compile(
    r"(?:LATIN (?:CAPITAL LETTER|SMALL LETTER|LETTER SMALL CAPITAL)"
    r"|NEGATIVE CIRCLED LATIN CAPITAL LETTER|NEGATIVE SQUARED LATIN CAPITAL LETTER"
    r"|REGIONAL INDICATOR SYMBOL LETTER) ([A-Z])(?: WITH .*)?"
)
# в looks like B as its capital does; where a small letter has a look of its own, that stands.
_LATIN = {**{like.lower(): letter for like, letter in LATIN.items()}, **LATIN}
# `plain` comes first, so both sides of a pair of look-alikes are what it makes of them.
_HAN = {
    VARIANTS.get(sign, sign): VARIANTS.get(first, first)
    for like, first in HAN.items()
    for sign in (like, first)
}
_TIGHT = str.maketrans({"0": "o", "1": "l", "i": "l"})


def lower(text: str) -> str:
    """`text` as Go's strings.ToLower writes it: each code point by its simple mapping, without context."""
    # The two for which str.lower() differs: Σ depends on its place in a word, İ becomes two characters.
    return text.replace("\u03a3", "\u03c3").replace("\u0130", "i").lower()


def plain(text: str) -> str:
    """`text` by its letters and digits alone."""
    return text.translate(_PLAIN)


def looks(text: str) -> str:
    """`text` by what its letters and digits look like."""
    return text.translate(_LOOKS)


def tight(looking: str) -> str:
    """A text that `looks` returned, with 0 and o, and 1, i and l, made one."""
    return looking.translate(_TIGHT)


def kept(text: str) -> str:
    """`text` as `plain` folds it, but with its separators and signs left in."""
    return text.translate(_KEPT)


class Table(dict[int, str]):
    """A folding of single characters for `str.translate`; only the basic plane is remembered."""

    def __init__(self, folding: Callable[[str], str]) -> None:
        super().__init__()
        self._folding = folding

    def __missing__(self, point: int) -> str:
        found = self._folding(chr(point))
        if point <= 0xFFFF:
            self[point] = found
        return found


def _pieces(character: str) -> str:
    """The characters that `character` is made of, without what is invisible or a mark."""
    # Marks go before case: U+0345 is a mark whose case is a letter.
    seen = "".join(piece for piece in unicodedata.normalize("NFKD", character) if not _unseen(piece))
    return "".join(piece for piece in unicodedata.normalize("NFKD", seen.casefold()) if not _unseen(piece))


def _unseen(character: str) -> bool:
    category = unicodedata.category(character)
    if "\U000e0000" <= character <= "\U000e0fff":  # default-ignorable, assigned or not
        return True
    return category[0] == "M" or category in ("Cf", "Cs") or character in FILLERS


def _word(character: str) -> bool:
    # Unassigned and private characters may be letters of a newer Unicode or of a font.
    return unicodedata.category(character)[0] in "LN" or unicodedata.category(character) in ("Cn", "Co")


def _valued(piece: str) -> str:
    digit = unicodedata.digit(piece, None)
    return str(digit) if digit is not None else VARIANTS.get(piece, piece)


def _plain(character: str) -> str:
    return "".join(_valued(piece) for piece in _pieces(character) if _word(piece))


def _kept(character: str) -> str:
    if unicodedata.category(character)[0] == "Z" or character.isspace():
        return " "
    return "".join(_valued(piece) for piece in _pieces(character))


def _looks(character: str) -> str:
    if character in _LATIN:
        return _LATIN[character]
    whole = unicodedata.normalize("NFKD", character)
    return "".join(_look(piece) for piece in whole if not _unseen(piece))


def _look(piece: str) -> str:
    if piece in _LATIN:
        return _LATIN[piece]
    named = _NAMED.fullmatch(unicodedata.name(piece, ""))
    if named is not None:
        return named[1].lower()
    return "".join(_LATIN.get(part, _HAN.get(part, part)) for part in _plain(piece))


_PLAIN, _LOOKS, _KEPT = Table(_plain), Table(_looks), Table(_kept)
