"""What a reviewer is told about an import: by kind, with file and line, and whether it blocks publishing."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from providers.regulations import labels
from providers.regulations.lines import INVISIBLE, SEPARATORS, Cleaned, Line
from schemas.text import refused_character

_HALF_ITEM: Final = re.compile(r"\([〇零一二三四五六七八九十百]+[)）]|[（(][〇零一二三四五六七八九十百]+\)")
_SPLIT_DECIMAL: Final = re.compile(r"(?<![0-9.])[0-9]{1,4}\. [0-9]")
_LEFTOVER: Final = re.compile(
    r"\*\*|__|~~|\\[.\-_*\[\]()#]|!?\[[^\[\]]{0,300}+\]\([^)]{0,300}+\)|<https?://"
    r"|(?<![0-9A-Za-z])_[^_]+_(?![0-9A-Za-z])"
)
_TAG: Final = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*+)?>")
_LOOSE_HEADING: Final = re.compile(r"[\s　]")


@dataclass(frozen=True, slots=True, order=True)
class Defect:
    """One thing about one line of one file. `blocks` says that nothing may be published with it.

    `name` is what a reviewer accepts it by, in the edition's `accept` list; empty when nothing but a
    better source helps.
    """

    edition_id: str
    file: str
    line: int
    kind: str
    detail: str
    blocks: bool = False
    name: str = ""

    @property
    def where(self) -> str:
        """The file and line, as compilers print them."""
        return f"{self.file}:{self.line}" if self.line else self.file


def of_lines(cleaned: Cleaned) -> Iterator[tuple[str, int, str]]:
    """Kind, line and detail of what the source itself shows: seen before any tree is grown."""
    if cleaned.charset != "utf-8":
        yield "charset", 0, f"按 {cleaned.charset} 读取 read as {cleaned.charset}"
    for aside in cleaned.asides:
        if aside.reason in ("invisible", "markup"):
            yield f"{aside.reason} line", aside.number, "不计入正文 set aside"
    for line in cleaned.lines:
        yield from ((kind, line.number, detail) for kind, detail in _of_line(line))


def _of_line(line: Line) -> Iterator[tuple[str, str]]:
    if _first_visible(line.raw).startswith("\u00a0"):
        yield "U+00A0 indent", "文字之前有不换行空格 no-break spaces before the text"
    elif "\u00a0" in line.text:
        yield "U+00A0 inside", "文字之中有不换行空格 a no-break space inside the text"
    if any(character in INVISIBLE for character in line.text):
        yield "invisible character", _named(line.text, INVISIBLE)
    problem = refused_character(line.text)
    if problem is not None:
        yield "control character", problem
    elif any(character in SEPARATORS for character in line.text):
        # Another editor shows two lines here, and what the second one is called would be part of a text.
        yield "control character", _named(line.text, SEPARATORS)
    item = labels.item(line)
    if item is not None and _HALF_ITEM.match(line.text):
        yield "half-width item", item.printed
    yield from _of_numbers(line)
    if _LEFTOVER.search(line.text):
        yield "markup left in the text", _shown(_LEFTOVER, line.text)
    if _TAG.search(line.text):
        yield "HTML left in the text", _shown(_TAG, line.text)


def _of_numbers(line: Line) -> Iterator[tuple[str, str]]:
    if line.table and _SPLIT_DECIMAL.search(line.text):
        yield "decimal broken by a space", ""
    heading = labels.heading(line)
    if heading is not None and _LOOSE_HEADING.search(line.text.removeprefix(heading.printed).strip()):
        yield "spaces inside a heading", heading.printed
    found = labels.article(line)
    if found is not None and not found.spaced:
        yield "label glued to the text", found.printed


def unbalanced(lines: Iterable[Line]) -> Iterator[tuple[str, int, str]]:
    """Header lines whose round brackets do not pair."""
    for line in lines:
        opens, closes = (sum(line.text.count(mark) for mark in marks) for marks in ("（(", "）)"))
        if opens != closes:
            yield (
                "unbalanced bracket in the header",
                line.number,
                f"左括号 {opens}，右括号 {closes} open and close",
            )


def _first_visible(raw: str) -> str:
    return raw.lstrip(" \t\u3000>#*")


def _named(text: str, among: str) -> str:
    found = sorted({character for character in text if character in among})
    return ", ".join(f"U+{ord(one):04X} {unicodedata.name(one, '')}".strip() for one in found)


def _shown(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[0][:20] if match else ""
