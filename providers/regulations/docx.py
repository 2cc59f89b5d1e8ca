"""The lines of a Word document, by the standard library alone: paragraphs, and the rows of tables."""

import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from typing import Final
from xml.etree import ElementTree as ET

from providers.regulations.lines import INVISIBLE, MOST_BYTES, WHITE, Aside, Cleaned, Line
from schemas.errors import InvalidError

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PART: Final = "word/document.xml"
_BREAKS: Final = (f"{_W}br", f"{_W}cr")
# Numbers that Word counts itself are in no run: a reader that left them out would lose 第一条.
_COUNTED: Final = f"{_W}pPr/{_W}numPr"

# What is said a second time: where moved text stood before, and what programs without text boxes show.
_ELSEWHERE: Final = (
    f"{_W}moveFrom",
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
)
_BROKEN: Final = (zipfile.BadZipFile, zlib.error, lzma.LZMAError)


def clean_docx(asset: bytes, name: str = "asset") -> Cleaned:
    """The lines of a .docx; InvalidError for what is none, is too large, or counts its paragraphs itself.

    Line numbers count paragraphs and table rows, since a Word document has no lines of its own.
    """
    body = _body(asset, name)
    lines: list[Line] = []
    asides: list[Aside] = []
    source: list[str] = []
    for text, table in _blocks(body, name):
        source.append(text)
        for part, piece in enumerate(text.split("\n")):
            bare = piece.strip(WHITE)
            if bare and not bare.strip(INVISIBLE + WHITE):
                asides.append(Aside(len(source), part, "invisible", text))
            elif bare:
                lines.append(Line(len(source), part, bare, table=table, raw=text))
    return Cleaned(tuple(lines), tuple(asides), 0, "utf-8", tuple(source))


def _body(asset: bytes, name: str) -> ET.Element:
    try:
        with zipfile.ZipFile(io.BytesIO(asset)) as archive:
            if archive.getinfo(_PART).file_size > MOST_BYTES:
                raise InvalidError(f"{name} unpacks to more than {MOST_BYTES} bytes", subject=name)
            xml = archive.read(_PART)
    except (*_BROKEN, KeyError, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise InvalidError(f"{name} 不是 Word 文件 is no Word document: {error}", subject=name) from error
    # UTF-16 would hide the words below; Word writes UTF-8.
    if b"\0" in xml or b"<!DOCTYPE" in xml or b"<!ENTITY" in xml:
        raise InvalidError(f"{name} declares entities or is no UTF-8, unlike Word's own", subject=name)
    try:
        body = ET.fromstring(xml).find(f"{_W}body")  # noqa: S314 - no entities: refused above
    except ET.ParseError as error:
        raise InvalidError(f"{name} 不是 Word 文件 is no Word document: {error}", subject=name) from error
    if body is None:
        raise InvalidError(f"{name} 不是 Word 文件 is no Word document: it has no body", subject=name)
    return body


def _blocks(body: ET.Element, name: str) -> Iterator[tuple[str, bool]]:
    """Paragraphs and rows in reading order, also those that content controls and the like stand around."""
    waiting = list(reversed(body))
    while waiting:
        child = waiting.pop()
        if child.tag == f"{_W}p":
            if child.find(_COUNTED) is not None:
                raise InvalidError(
                    f"{name} has paragraphs that Word numbers itself: {_text(child)[:20]!r}",
                    subject=name,
                    hint="另存为文本 save it as text, which writes the numbers out",
                )
            yield _text(child), False
        elif child.tag == f"{_W}tbl":
            if child.find(f".//{_W}tbl") is not None:
                raise InvalidError(f"{name} has a table within a table", subject=name, hint="save it as text")
            for row in child.iter(f"{_W}tr"):
                cells = [" ".join(_text(p) for p in cell.iter(f"{_W}p")) for cell in row.iter(f"{_W}tc")]
                yield " | ".join(" ".join(cell.split("\n")) for cell in cells), True
        elif child.tag not in _ELSEWHERE:
            waiting += reversed(child)


def _text(paragraph: ET.Element) -> str:
    pieces: list[str] = []
    waiting = [paragraph]
    while waiting:
        element = waiting.pop()
        if element.tag in _ELSEWHERE:
            continue
        waiting += reversed(element)
        if element.tag == f"{_W}t":
            pieces.append(element.text or "")
        elif element.tag == f"{_W}tab":
            pieces.append("\t")
        elif element.tag in _BREAKS:
            pieces.append("\n")
    return "".join(pieces)
