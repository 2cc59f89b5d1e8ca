"""From the bytes of an asset to cleaned lines: rules a to e of `md-cn-law/1` (regulations.md section 1).

No line is lost on the way: one that holds no text of the law is set aside under a name.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from schemas.errors import InvalidError

MOST_BYTES: Final = 32 * 1024 * 1024
# Unicode's White_Space; str.strip() would also take U+001C to U+001F, and strip(" \t　") would leave U+00A0.
WHITE: Final = (
    "\t\n\v\f\r \x85\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
INVISIBLE: Final = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e"

SEPARATORS: Final = "\u2028\u2029"

_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_INFO_END: Final = re.compile(r"<!--\s*INFO END\s*-->")
_MARKS: Final = re.compile(rf"[{WHITE}]*((?:[>#]+[{WHITE}]*)+)")
_BREAK: Final = re.compile(r"<br\s*/?>", re.IGNORECASE)
_RULE: Final = re.compile(r"(?:[-*_=~] ?){2,}")
_SEPARATOR: Final = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)+\|?")
_TAGS_ONLY: Final = re.compile(
    r"(?:</?(?:table|thead|tbody|tr|colgroup|col|div|p|center|a)\b[^>]*>\s*)+", re.IGNORECASE
)
_HTML_TABLE: Final = re.compile(r"</?(?:table|thead|tbody|tr|td|th)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    """One cleaned line; `part` counts what `<br>` made of one source line, `page` is 1-based or None.

    `continues` says that the margin of a page broke a paragraph here: the line belongs to the one before.
    """

    number: int
    part: int
    text: str
    heading_marks: int = 0
    quoted: bool = False
    bold: bool = False
    table: bool = False
    continues: bool = False
    page: int | None = None
    raw: str = ""

    @property
    def at(self) -> tuple[int, int]:
        """Where the line stands, for reading order and for the account of all lines."""
        return self.number, self.part


@dataclass(frozen=True, slots=True)
class Aside:
    """A line that is no text of the law, and why."""

    number: int
    part: int
    reason: str
    text: str

    @property
    def at(self) -> tuple[int, int]:
        """Where the line stands."""
        return self.number, self.part


@dataclass(frozen=True, slots=True)
class Cleaned:
    """An asset as lines; `info_end` is the number of the line that ends its header, 0 when none says so.

    `source` are all lines as they came, against which the account of lines is made.
    """

    lines: tuple[Line, ...]
    asides: tuple[Aside, ...]
    info_end: int
    charset: str
    source: tuple[str, ...]


def decode(asset: bytes, name: str = "asset") -> tuple[str, str]:
    """The text and its charset: UTF-8 with or without a mark, else GB18030, else InvalidError."""
    if len(asset) > MOST_BYTES:
        raise InvalidError(f"{name} 过大 is {len(asset)} bytes; at most {MOST_BYTES} are read", subject=name)
    for codec in ("utf-8-sig", "gb18030"):
        try:
            return asset.decode(codec), "utf-8" if codec == "utf-8-sig" else codec
        except UnicodeDecodeError:
            continue
    raise InvalidError(f"{name} 的编码无法识别 is neither UTF-8 nor GB18030", subject=name)


def clean(asset: bytes, name: str = "asset") -> Cleaned:
    """The cleaned lines of a Markdown or plain text asset."""
    text, charset = decode(asset, name)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    raw = text.split("\n")
    info = _INFO_END.search(text)
    info_end = text.count("\n", 0, info.start()) + 1 if info else 0
    bare = _without_comments(text).split("\n")
    front = _front_matter(bare)
    tables = _tables(bare)
    lines: list[Line] = []
    asides: list[Aside] = []
    for number, (source, shown) in enumerate(zip(raw, bare, strict=True), 1):
        if number <= front:
            _set_aside(asides, number, "front matter", source)
        elif source.strip(WHITE) and not shown.strip(WHITE):
            _set_aside(asides, number, "comment", source)
        else:
            for found in _cleaned(number, shown, source, number in tables):
                if isinstance(found, Line):
                    lines.append(found)
                else:
                    asides.append(found)
    return Cleaned(tuple(lines), tuple(asides), info_end, charset, tuple(raw))


def _without_comments(text: str) -> str:
    """`text` with the line ends of its comments only; one that is never closed is text."""
    end = text.rfind("-->")
    if end < 0:
        return text
    # Behind the last end no comment is closed: to look for one from each beginning would never be done.
    head = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text[: end + 3])
    return head + text[end + 3 :]


def _set_aside(asides: list[Aside], number: int, reason: str, source: str) -> None:
    if source.strip(WHITE):
        asides.append(Aside(number, 0, reason, source))


def _front_matter(lines: list[str]) -> int:
    """The number of the line that closes a YAML header, 0 when the asset has none."""
    first = next((at for at, line in enumerate(lines) if line.strip(WHITE)), None)
    if first is None or lines[first].rstrip(WHITE) != "---":
        return 0
    for at in range(first + 1, len(lines)):
        if lines[at].rstrip(WHITE) == "---":
            return at + 1
    return 0


def _tables(lines: list[str]) -> frozenset[int]:
    """The numbers of lines that are rows: from the line above a `---|---` to the next blank line."""
    rows: set[int] = set()
    inside = False
    for at, line in enumerate(lines):
        bare = line.strip(WHITE)
        inside = inside and bool(bare)
        if inside:
            rows.add(at + 1)
        elif _SEPARATOR.fullmatch(bare):
            inside = True
            rows.update((at, at + 1) if at and lines[at - 1].strip(WHITE) else (at + 1,))
        elif _HTML_TABLE.search(line):
            rows.add(at + 1)
    return frozenset(rows)


def _cleaned(number: int, line: str, source: str, table: bool) -> Iterator[Line | Aside]:
    pieces = _BREAK.split(line)
    if line.strip(WHITE) and not any(piece.strip(WHITE) for piece in pieces):
        yield Aside(number, 0, "markup", source)
        return
    for part, piece in enumerate(pieces):
        marks = _MARKS.match(piece)
        leading = marks[1] if marks else ""
        rest = piece[marks.end() :] if marks else piece
        text = _unpaired(rest).strip(WHITE)
        if not text:
            if piece.strip(WHITE):
                yield Aside(number, part, "markup", source)
            continue
        reason = _no_text(text)
        if reason is not None:
            yield Aside(number, part, reason, source)
            continue
        yield Line(
            number,
            part,
            text,
            heading_marks=leading.count("#"),
            quoted=">" in leading,
            bold=rest.lstrip(WHITE).startswith(("**", "__")),
            table=table,
            raw=source,
        )


def _unpaired(text: str) -> str:
    """`text` without its paired bold marks; an odd one at the end stays."""
    for mark in ("**", "__"):
        *paired, last = text.split(mark)
        text = "".join(paired) + (mark if len(paired) % 2 == 1 else "") + last
    return text


def _no_text(text: str) -> str | None:
    if _RULE.fullmatch(text):
        return "rule"
    if _SEPARATOR.fullmatch(text):
        return "table rule"
    if not text.strip(INVISIBLE + WHITE):
        return "invisible"
    if not text.strip("*_~#>|`" + WHITE):
        return "markup"
    return "markup" if _TAGS_ONLY.fullmatch(text) else None
