"""One view of a text for the detectors: digits and signs in their plain forms, citations taken out."""

import re
import unicodedata
from typing import NamedTuple

from providers.standards.tables import LISTED
from providers.web import folding

# A standard's code: prefix, body with parts, year. Body and year are too short to be any secret number.
_CITATION = re.compile(
    rf"(?<![A-Za-z])(?:(?:T/)?(?:{'|'.join(sorted(LISTED, key=lambda word: (-len(word), word)))})"
    r"(?:[ /-]?[TZJ])?|DB ?[0-9]{2,4}(?:/[TJ])?|T/[A-Z]{2,10})"
    r"[ -]{0,2}[0-9]{1,6}(?:\.[0-9]{1,4})*(?: ?[-:] ?|  ?)(?:(?:19|20)[0-9]{2}|[0-9]{2})(?![0-9])"
)
_NUMERALS = re.compile("[〇零一二三四五六七八九幺]{11,}")
_NUMERAL_VALUES = str.maketrans("〇零一二三四五六七八九幺", "001234567891")
GAP = "\x00"


class Narrow(NamedTuple):
    """A text for the detectors, and where each of its characters came from."""

    text: str
    places: range | list[int]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The half-open code points of the original between which `start` and `end` lie."""
        return self.places[start], self.places[end - 1] + 1

    def without_citations(self) -> "Narrow":
        """The same with every code of a standard blanked, so that no number runs through it."""
        return self._replace(text=_CITATION.sub(lambda found: GAP * len(found[0]), self.text))


def narrow(text: str) -> Narrow:
    """`text` with full-width and other digits as ASCII, dashes and blanks as one, invisible ones left out."""
    if text.isascii():
        return Narrow(text, range(len(text)))
    joined = text.translate(_NARROW)
    # No character becomes more than one, so the same length means that none was left out.
    whole = len(joined) == len(text)
    places = range(len(text)) if whole else [place for place, one in enumerate(text) if _NARROW[ord(one)]]
    return Narrow(_NUMERALS.sub(lambda found: found[0].translate(_NUMERAL_VALUES), joined), places)


def _narrow(character: str) -> str:
    if character.isascii():
        return character
    digit = unicodedata.digit(character, None)
    if digit is not None:
        return str(digit)
    category = unicodedata.category(character)
    if category in ("Cf", "Mn", "Me") or character in folding.FILLERS:
        return ""
    if category[0] == "Z":
        return " "
    if category == "Pd" or character == "\u2212":
        return "-"
    plain = unicodedata.normalize("NFKC", character)
    return plain if len(plain) == 1 else character


_NARROW = folding.Table(_narrow)
