"""Clause numbers: 第一百二十条之一第二款第（三）项 is 120-1.2.3 (regulations.md section 4)."""

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Final, Literal

from providers.regulations import numerals
from schemas.errors import InvalidError
from schemas.text import shown

Scheme = Literal["article", "decimal", "outline"]

_N: Final = numerals.NUMERAL + "+"
_CLAUSE: Final = re.compile(
    f"(?:第?(?P<art>{_N})条(?:之(?P<sub>{_N}))?|(?P<bare>{_N})(?:[-－—之](?P<baresub>{_N}))?)"
    f"(?:第(?P<p>{_N})款)?"
    f"(?:第(?P<i>{_N})项|第\\((?P<ibracket>{_N})\\)项|\\((?P<ionly>{_N})\\)项?)?"
    f"(?:第(?P<si>{_N})目)?"
)
_DECIMAL: Final = re.compile(r"(?:第)?([0-9]{1,4}(?:\.[0-9]{1,4})*)条?")
_KEY: Final = re.compile(
    r"([1-9][0-9]{0,3})(?:-([1-9][0-9]{0,3}))?"
    r"(?:\.([1-9][0-9]{0,3})(?:\.([1-9][0-9]{0,3})(?:\.([1-9][0-9]{0,3}))?)?)?"
)


@dataclass(frozen=True, slots=True)
class ClauseNumber:
    """An article, or a 款, 项 or 目 of one; a level that is not named is 0.

    `implied` is set when the text named a 项 without its 款: 第一款 is then a guess that an article
    of several 款 may not bear out.
    """

    article: int
    inserted: int = 0
    paragraph: int = 0
    item: int = 0
    subitem: int = 0
    implied: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        levels = (self.article, self.paragraph, self.item, self.subitem)
        named = [level > 0 for level in levels]
        if not named[0] or named != sorted(named, reverse=True):
            raise InvalidError(f"clause number {levels} leaves a level out", subject="clauseNo")
        if max(*levels, self.inserted) > numerals.LARGEST or min(*levels, self.inserted) < 0:
            raise InvalidError(f"clause number {levels} is beyond {numerals.LARGEST}", subject="clauseNo")

    @property
    def key(self) -> str:
        """The canonical key `n[-s][.p[.i[.si]]]`."""
        head = f"{self.article}-{self.inserted}" if self.inserted else f"{self.article}"
        below = [level for level in (self.paragraph, self.item, self.subitem) if level]
        return ".".join([head, *(str(level) for level in below)])

    @property
    def path(self) -> str:
        """The path of the node that bears this number, as in a node id: `art120-1/p2/i3`."""
        head = f"art{self.article}-{self.inserted}" if self.inserted else f"art{self.article}"
        levels = (("p", self.paragraph), ("i", self.item), ("si", self.subitem))
        return "/".join([head, *(f"{name}{level}" for name, level in levels if level)])

    @property
    def unit_path(self) -> str:
        """The path of the article, which is what a search finds."""
        return self.path.partition("/")[0]

    @property
    def text(self) -> str:
        """The long form that is printed: 第一百二十条之一第二款第（三）项."""
        text = f"第{numerals.write(self.article)}条"
        if self.inserted:
            text += f"之{numerals.write(self.inserted)}"
        if self.paragraph:
            text += f"第{numerals.write(self.paragraph)}款"
        if self.item:
            text += f"第（{numerals.write(self.item)}）项"
        if self.subitem:
            text += f"第{numerals.write(self.subitem)}目"
        return text


@dataclass(frozen=True, slots=True)
class DecimalNumber:
    """A decimal clause such as 5.2.1, of standards and guidance."""

    parts: tuple[int, ...]

    @property
    def key(self) -> str:
        """The parts with dots between."""
        return ".".join(str(part) for part in self.parts)

    @property
    def path(self) -> str:
        """The path of the node that bears this number: `x13/x21/x32`; an outline may have the same one."""
        return "/".join(f"x{level}{part}" for level, part in enumerate(self.parts, 1))

    @property
    def unit_path(self) -> str:
        """A decimal clause is found by itself."""
        return self.path

    @property
    def text(self) -> str:
        """A decimal clause prints as its key."""
        return self.key


def parse(text: str, scheme: Scheme = "article") -> ClauseNumber | DecimalNumber:
    """The clause that `text` names in a document of `scheme`; InvalidError tells why it names none.

    A bare 12.3 is ambiguous in a document of articles and refused there.
    """
    plain = "".join(unicodedata.normalize("NFKC", text).split())
    decimal = _DECIMAL.fullmatch(plain)
    if scheme != "article" and decimal is not None:
        return DecimalNumber(tuple(_number(part, text) for part in decimal[1].split(".")))
    if decimal is not None and "." in decimal[1]:
        raise _refused(text, "is ambiguous in a document of articles: 第十二条第三款 or a decimal clause")
    match = _CLAUSE.fullmatch(plain)
    if match is None:
        raise _refused(text, "is no clause number")
    found = match.groupdict()
    item = found["i"] or found["ibracket"] or found["ionly"]
    if found["si"] and not item:
        raise _refused(text, "names a 目 without its 项")
    implied = bool(item) and not found["p"]
    return ClauseNumber(
        article=_number(found["art"] or found["bare"], text),
        inserted=_optional(found["sub"] or found["baresub"], text),
        paragraph=1 if implied else _optional(found["p"], text),
        item=_optional(item, text),
        subitem=_optional(found["si"], text),
        implied=implied,
    )


def from_key(key: str) -> ClauseNumber:
    """The clause of a canonical key such as `120-1.2.3`."""
    match = _KEY.fullmatch(key)
    if match is None:
        raise _refused(key, "is no canonical clause key")
    article, inserted, paragraph, item, subitem = (int(part or 0) for part in match.groups())
    return ClauseNumber(article, inserted, paragraph, item, subitem)


def _optional(text: str | None, whole: str) -> int:
    return 0 if text is None else _number(text, whole)


def _number(text: str, whole: str) -> int:
    number = numerals.read(text)
    if number is None or not 1 <= number <= numerals.LARGEST:
        raise _refused(whole, f"holds {shown(text)}, which numbers no clause")
    return number


def _refused(text: str, why: str) -> InvalidError:
    return InvalidError(f"clause number {shown(text)} {why}", subject="clauseNo")
