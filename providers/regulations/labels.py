"""What a line begins with: heading, article, item, outline or decimal label (regulations.md section 2)."""

import re
from dataclasses import dataclass
from typing import Final

from providers.regulations import numerals
from providers.regulations.lines import WHITE, Line

LONGEST_HEADING: Final = 60
LEVELS: Final = {"编": "bk", "分编": "sbk", "章": "ch", "节": "sec"}
DEPTH: Final = {"bk": 1, "sbk": 2, "ch": 3, "sec": 4}

_N: Final = numerals.NUMERAL + "+"
_HAN: Final = "[〇○零一二三四五六七八九十百]+"
_WHITE: Final = f"[{WHITE}]"
_HEADING: Final = re.compile(f"第{_WHITE}*({_N}){_WHITE}*(编|分编|章|节)(?![的中和及与、，规])")
_ARTICLE: Final = re.compile(
    f"第({_N})条(?:之({_N}))?({_WHITE}+|(?![条款项的至、，第和或及与之中]|规定|所列|所称))"
)
_ITEM: Final = re.compile(f"[（(]{_WHITE}*({_HAN}){_WHITE}*[）)]{_WHITE}*")
_SUBITEM: Final = re.compile(rf"([0-9]{{1,2}})\\?[.．、](?![0-9]){_WHITE}*")
_OUTLINE: Final = (
    re.compile(f"({_HAN})、{_WHITE}*"),
    _ITEM,
    _SUBITEM,
    re.compile(f"[（(]{_WHITE}*([0-9]{{1,2}}){_WHITE}*[）)]{_WHITE}*"),
)
_DECIMAL: Final = re.compile(
    rf"([0-9]{{1,3}}(?:\.[0-9]{{1,3}})+)(?![0-9.．%％])\.?"
    rf"(?![条款项章节的]|目(?!的)|{_WHITE}*[、，至和或及与]|{_WHITE}+[条款项章节](?:的|规定|所|中|[、，至和或及与]))"
    rf"{_WHITE}*"
)
_DECIMAL_TOP: Final = re.compile(rf"([0-9]{{1,3}})(?:\\?[.．、](?![0-9]){_WHITE}*|{_WHITE}+(?=[^0-9]))")
_ANNEX: Final = re.compile(
    f"(附件|附录|附表|附)(?!{_WHITE}*则){_WHITE}*({_N}|[A-Z])?(?={_WHITE}|[:：(（]|$)[:：]?{_WHITE}*"
)
_CONTENTS: Final = re.compile(f"目{_WHITE}*[录次]")
_CONTENTS_LINK: Final = re.compile(r"[-*+]\s*\[[^\]]*\]\(#[^)]*\)")


@dataclass(frozen=True, slots=True)
class Label:
    """What stands before the text of a line: `kind` of node, its numbers, the print, and the rest.

    `taken` is what the label takes from the line, white space and colon included.
    """

    kind: str
    number: int
    inserted: int
    printed: str
    taken: str
    rest: str
    spaced: bool = True

    @property
    def step(self) -> str:
        """The step of a node path that the label makes: `art120-1`, `x13`."""
        return f"{self.kind}{self.number}-{self.inserted}" if self.inserted else f"{self.kind}{self.number}"


def heading(line: Line) -> Label | None:
    """第N编, 分编, 章 or 节; all inner white space is taken out of the heading's text."""
    match = _HEADING.match(line.text)
    if match is None or len(line.text) > LONGEST_HEADING or line.text.endswith(("。", "；", ";")):
        return None
    number = numerals.read(match[1])
    if number is None:
        return None
    rest = "".join(line.text[match.end() :].split())
    return Label(LEVELS[match[2]], number, 0, f"第{match[1]}{match[2]}", match[0], rest)


def article(line: Line) -> Label | None:
    """第N条 or 第N条之M as a label; a line that begins with a reference such as 第八十条第二款的 has none."""
    match = _ARTICLE.match(line.text)
    if match is None:
        return None
    number, inserted = numerals.read(match[1]), numerals.read(match[2]) if match[2] else 0
    if not number or inserted is None:
        return None
    rest = line.text[match.end() :]
    return Label(
        "art", number, inserted, match[0].strip(WHITE), match[0], rest, spaced=bool(match[3]) or not rest
    )


def item(line: Line) -> Label | None:
    """（N）, of full or half width."""
    return _labelled(_ITEM.match(line.text), "i", line.text)


def subitem(line: Line) -> Label | None:
    """N. or N、 before anything but a digit."""
    return _labelled(_SUBITEM.match(line.text), "si", line.text)


def outline(line: Line) -> Label | None:
    """一、（一）1.（1）of documents without articles, as x1 to x4."""
    for level, pattern in enumerate(_OUTLINE, 1):
        found = _labelled(pattern.match(line.text), f"x{level}", line.text)
        if found is not None:
            return found
    return None


def decimal(line: Line) -> tuple[tuple[int, ...], str, str] | None:
    """The parts, the print and the rest of a line that begins with 5 or 5.2.1."""
    match = _DECIMAL.match(line.text) or _DECIMAL_TOP.match(line.text)
    if match is None:
        return None
    return tuple(int(part) for part in match[1].split(".")), match[1], line.text[match.end() :]


def is_decimal(line: Line) -> bool:
    """Whether a line begins with a number of at least two parts."""
    return _DECIMAL.match(line.text) is not None


def annex(line: Line) -> Label | None:
    """附件, 附录, 附表 or 附, with or without a number; number 0 when none is printed."""
    match = _ANNEX.match(line.text)
    if match is None or len(line.text) > LONGEST_HEADING or line.text.endswith(("。", "；", ";")):
        return None
    number = 0
    if match[2]:
        number = ord(match[2]) - ord("A") + 1 if match[2].isalpha() and match[2].isascii() else -1
        if number < 0:
            number = numerals.read(match[2]) or 0
    printed = match[1] + (match[2] or "")
    return Label("anx", number, 0, printed, match[0], line.text[match.end() :])


def contents(line: Line) -> bool:
    """目录, which begins a table of contents."""
    return _CONTENTS.fullmatch(line.text) is not None


def contents_link(line: Line) -> bool:
    """A list entry that only links to a place in the same document."""
    return _CONTENTS_LINK.fullmatch(line.text) is not None


def _labelled(match: re.Match[str] | None, kind: str, text: str) -> Label | None:
    if match is None:
        return None
    number = numerals.read(match[1])
    if not number:
        return None
    return Label(kind, number, 0, _printed(match[0]), match[0], text[match.end() :])


def _printed(label: str) -> str:
    # Markdown escapes the dot of `1.` so that it makes no list.
    return label.strip(WHITE).replace("\\", "")
