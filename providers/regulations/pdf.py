"""The lines of a PDF with a text layer, each with its page; PDFium reads it in a process of its own.

A page breaks paragraphs at its margin. A line that follows a full one without a sentence's end and begins
with no label goes on with it; both stay lines, joined by LF as rule g says, so that pages stay exact.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from providers.regulations import labels
from providers.regulations.lines import WHITE, Aside, Cleaned, Line
from providers.web.extraction import pdf
from schemas.errors import InvalidError

_FOLIO: Final = re.compile(r"[-—–－―·\s]*(?:第\s*)?[0-9]{1,4}(?:\s*页)?(?:\s*/\s*[0-9]{1,4})?[-—–－―·\s]*")
_ENDS: Final = ("。", "；", ";", "：", ":", "！", "？", "”", "）")
_FULL: Final = 0.8  # of the usual width of a line
_LABELS: Final = (
    labels.heading, labels.article, labels.item, labels.subitem, labels.outline, labels.decimal, labels.annex,
)  # fmt: skip


def clean_pdf(asset: bytes, name: str = "asset") -> Cleaned:
    """The lines of the text layer of a PDF; InvalidError when it has none or cannot be read."""
    layer = pdf.read(asset, pdf.DEFAULT)
    if layer.problem:
        raise InvalidError(f"{name}: {layer.problem}", subject=name)
    if layer.notes:
        raise InvalidError(f"{name} is not read whole: {'; '.join(layer.notes)}", subject=name)
    found = list(_lines(layer.text))
    asides = [Aside(at, 0, "folio", text) for at, _, text in found if _FOLIO.fullmatch(text.strip(WHITE))]
    folios = {aside.number for aside in asides}
    bare = [
        Line(at, 0, text.strip(WHITE), page=page, raw=text)
        for at, page, text in found
        if text.strip(WHITE) and at not in folios
    ]
    return Cleaned(tuple(_joined(bare)), tuple(asides), 0, "utf-8", tuple(text for _, _, text in found))


def _lines(text: str) -> Iterator[tuple[int, int, str]]:
    number = 0
    for page, content in enumerate(text.split("\f"), 1):
        for line in content.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
            number += 1
            yield number, page, line


def _joined(lines: Sequence[Line]) -> Iterator[Line]:
    widths = sorted(len(line.text) for line in lines)
    width = widths[len(widths) * 9 // 10] if widths else 0
    before: Line | None = None
    for line in lines:
        full = before is not None and len(before.text) >= _FULL * width
        goes_on = full and before is not None and not before.text.endswith(_ENDS) and not _labelled(line)
        continued = goes_on and before is not None and labels.heading(before) is None
        yield Line(line.number, 0, line.text, continues=continued, page=line.page, raw=line.raw)
        before = line


def _labelled(line: Line) -> bool:
    return labels.contents(line) or any(found(line) is not None for found in _LABELS)
