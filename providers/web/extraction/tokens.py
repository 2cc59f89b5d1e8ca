"""HTML into tokens, as the standard's tokenizer splits it.

Not html.parser: its security releases changed what a malformed page splits into, so offsets would depend
on the Python that made them, and older ones need quadratic time for an unclosed comment. Left out are the
double escape inside script, and CDATA in SVG and MathML, which is skipped like everywhere else in HTML.
"""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import Final, NamedTuple

from providers.web.extraction import references

_WS: Final = r"\t\n\f\r "
_MARKUP = re.compile(r"<(?:(?=[A-Za-z!?])|(?=/.))", re.DOTALL)
# Every character but > is consumed by one branch, so the pattern fails only at the end of the text or
# where a quote never closes: then the standard drops the tag and all that follows it.
_ATTRIBUTE = (
    rf"[^{_WS}/>][^{_WS}/>=]*+"
    rf"(?:[{_WS}]*+=[{_WS}]*+(?:\"[^\"]*+\"|'[^']*+'|[^{_WS}>\"'][^{_WS}>]*+|(?=>))|(?![{_WS}]*+=))"
)
_TAG = re.compile(rf"<(/?)([A-Za-z][^{_WS}/>]*+)((?:[{_WS}/]++|{_ATTRIBUTE})*+)>")
_VALUE = re.compile(
    rf"([^{_WS}/>][^{_WS}/>=]*+)(?:[{_WS}]*+=[{_WS}]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^{_WS}>\"'][^{_WS}>]*+)))?+"
)
_COMMENT_END = re.compile(r"--!?>")

# The content of these is no markup; noscript as where scripts run, which is what a person sees.
RAW: Final = frozenset(
    ["script", "style", "noscript", "iframe", "noembed", "noframes", "xmp", "title", "textarea"]
)
REFERENCES_IN_RAW: Final = frozenset(("title", "textarea"))
_RAW_END = {name: re.compile(rf"</{name}(?=[{_WS}/>])", re.IGNORECASE | re.ASCII) for name in RAW}
_ASCII_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


class Kind(Enum):
    """What a token is."""

    DATA = auto()
    START = auto()
    END = auto()
    RAW = auto()


class Token(NamedTuple):
    """One token: DATA has `text`, START `name` and its attributes as written, RAW `name` and content."""

    kind: Kind
    name: str
    text: str


def tokens(text: str) -> Iterator[Token]:
    """The tokens of `text` in order, in time linear in it; comments and declarations are left out."""
    place = 0
    while found := _MARKUP.search(text, place):
        start = found.start()
        if start > place:
            yield Token(Kind.DATA, "", references.decoded(text[place:start]))
        tag = _TAG.match(text, start)
        if tag is None:
            place = _skipped(text, start)
            continue
        slash, written, attributes = tag.groups()
        name, place = written.translate(_ASCII_LOWER), tag.end()
        if slash:
            yield Token(Kind.END, name, "")
            continue
        yield Token(Kind.START, name, attributes)
        if name in RAW or name == "plaintext":
            raw, place = _raw(text, name, place)
            yield Token(Kind.RAW, name, references.decoded(raw) if name in REFERENCES_IN_RAW else raw)
    if place < len(text):
        yield Token(Kind.DATA, "", references.decoded(text[place:]))


def values(attributes: str) -> dict[str, str]:
    """The attributes of a START token by lower-case name; of two of one name the first counts."""
    found: dict[str, str] = {}
    for match in _VALUE.finditer(attributes):
        name, *value = match.groups()
        found.setdefault(
            name.translate(_ASCII_LOWER), references.decoded(next((one for one in value if one), ""))
        )
    return found


def _raw(text: str, name: str, place: int) -> tuple[str, int]:
    end = _RAW_END[name].search(text, place) if name in RAW else None
    stop = len(text) if end is None else end.start()
    return text[place:stop], stop


def _skipped(text: str, start: int) -> int:
    """Where the text goes on after a comment, a declaration or a tag that never ends."""
    if text.startswith("!--", start + 1):
        return _after_comment(text, start + 4)
    first, second = text[start + 1], text[start + 2 : start + 3]
    if first in "!?" or (first == "/" and not (second.isascii() and second.isalpha())):
        return _past(text.find(">", start), text)  # a bogus comment: </1>, </>, <!x>, <?x>
    return len(text)


def _after_comment(text: str, place: int) -> int:
    for short in (">", "->"):
        if text.startswith(short, place):
            return place + len(short)
    end = _COMMENT_END.search(text, place)
    return len(text) if end is None else end.end()


def _past(place: int, text: str) -> int:
    return len(text) if place < 0 else place + 1
