"""A page from its bytes: its kind, its text, what it states of itself, and clause candidates.

Offsets are code points of `text`. The text comes from code of this package, named and versioned by
`extractor`: the same bytes and content type give the same text under every supported Python.
"""

import hashlib
import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Literal

from providers.web.extraction import charset, clauses, markup, pdf, statements
from schemas.web import WebClauseCandidate

Kind = Literal["html", "text", "pdf", "other"]

HTML_EXTRACTOR: Final = "external-evidence-html/1"
NO_TEXT: Final = "no text"
TEXT_EXTRACTOR: Final = "external-evidence-text/1"
_SNIFFED: Final = 1024
_MOST_TITLE: Final = 300
# What no text begins with, whatever a server calls it.
_BINARY: Final = (
    (b"PK\x03\x04", "a ZIP container, such as DOCX or XLSX"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an OLE container, such as DOC or XLS"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x1f\x8b", "gzip data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"{\\rtf", "RTF"),
)
_HTML_TYPES: Final = frozenset(("text/html", "application/xhtml+xml"))
_OPAQUE: Final = frozenset(
    ("", "application/octet-stream", "application/pdf", "application/x-pdf", "text/plain")
)
_TEXT_TYPES: Final = frozenset(("application/json", "application/xml", "application/ld+json"))
_LOOKS_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--.{0,500}?-->\s*+)?"
    rb"<(?:!doctype\s++html|html|head|body|meta|title|script|table|div|p|h1|br|a|style|font)[\s>/]",
    re.IGNORECASE | re.DOTALL,
)
_CONTROLS: Final = bytes((*range(9), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)))
_BOMS: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one extraction may cost; lengths are code points."""

    most_bytes: int = 2 << 20
    """The largest HTML or plain text that is read; what is read takes some ten times as much memory."""
    most_text: int = 8_000_000
    most_excerpt: int = clauses.MOST_EXCERPT
    most_candidates: int = 2000
    for_pdf: pdf.PdfLimits = pdf.DEFAULT


DEFAULT: Final = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page as text; `problem` says why there is none, `notes` what a reader of it should know."""

    kind: Kind
    text: str = ""
    text_sha256: str = ""
    extractor: str = ""
    charset: str = ""
    charset_steps: tuple[str, ...] = ()
    title: str = ""
    publication_date: str = ""
    publication_date_from: str = ""
    publisher: str = ""
    publisher_from: str = ""
    candidates: tuple[WebClauseCandidate, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str = ""


def extract(body: bytes, content_type: str, *, limits: Limits = DEFAULT) -> Page:
    """The page that `body` is; never raises for what the bytes hold.

    `content_type` is the header as it came; it names the charset and decides between HTML and text, but a
    PDF or a container is known by its first bytes.
    """
    if _is_pdf(body):
        return _pdf(body, limits)
    named = next((name for start, name in _BINARY if body.startswith(start)), None)
    if named is not None:
        return Page(kind="other", problem=f"not a text format: {named}")
    if not body:
        return Page(kind="other", problem="no content")
    kind, problem = _kind(body, content_type.partition(";")[0].strip().lower())
    return Page(kind=kind, problem=problem) if problem else _text(body, content_type, kind, limits)


def _is_pdf(body: bytes) -> bool:
    head = body[:_SNIFFED]
    # A page about PDF may name the mark; one that begins as markup is no PDF.
    return b"%PDF-" in head and not head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


def _kind(body: bytes, essence: str) -> tuple[Kind, str]:
    if essence in _HTML_TYPES or (essence in _OPAQUE and _LOOKS_HTML.match(body[:_SNIFFED])):
        return "html", ""
    if "pdf" in essence:
        return "other", "declared as PDF, but there is no %PDF- in its first 1,024 bytes"
    if essence in _OPAQUE and not body.startswith(_BOMS) and _binary(body):
        return "other", "not a text format: it holds control bytes"
    if essence.startswith("text/") or essence in _OPAQUE or essence in _TEXT_TYPES:
        return "text", ""
    if essence.endswith("+xml"):
        return "text", ""
    return "other", f"not a text format: {_shown(essence)}"


def _binary(body: bytes) -> bool:
    head = body[:_SNIFFED]
    return len(head.translate(None, _CONTROLS)) < len(head)


def _shown(essence: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in essence[:60])


def _text(body: bytes, content_type: str, kind: Kind, limits: Limits) -> Page:
    extractor = HTML_EXTRACTOR if kind == "html" else TEXT_EXTRACTOR
    if len(body) > limits.most_bytes:
        problem = f"too large to be read as text: more than {limits.most_bytes} bytes"
        return Page(kind=kind, extractor=extractor, problem=problem)
    decoded = charset.decode(body, content_type, markup=kind == "html")
    if decoded.text is None:
        return Page(kind=kind, extractor=extractor, charset_steps=decoded.steps, problem="undecodable")
    source = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
    read = markup.read(source) if kind == "html" else markup.Markup(source.rstrip("\n"), "", {})
    blank = Page(kind=kind, extractor=extractor, charset=decoded.charset, charset_steps=decoded.steps)
    return _filled(blank, read, limits)


def _pdf(body: bytes, limits: Limits) -> Page:
    layer = pdf.read(body, limits.for_pdf)
    blank = Page(kind="pdf", extractor=layer.extractor, notes=layer.notes, problem=layer.problem)
    return blank if layer.problem else _filled(blank, markup.Markup(layer.text, "", {}), limits)


def _filled(blank: Page, read: markup.Markup, limits: Limits) -> Page:
    """`blank` with its text, or with the reason why it has none."""
    text, notes = read.text, list(blank.notes)
    if not text.strip():
        return replace(blank, title=_title(read), problem=NO_TEXT)
    if len(text) > limits.most_text:
        notes.append(f"the text is cut at {limits.most_text} of {len(text)} code points")
        text = text[: limits.most_text]
    found = clauses.candidates(text, most=limits.most_excerpt)
    kept = tuple(islice(found, limits.most_candidates))
    if next(found, None) is not None:
        notes.append(f"only the first {limits.most_candidates} clause candidates are kept")
    day, publisher = statements.published(read.metas, text), statements.publisher(read.metas, text)
    return replace(
        blank,
        text=text,
        text_sha256=hashlib.sha256(text.encode()).hexdigest(),
        title=_title(read),
        publication_date=day.value,
        publication_date_from=day.where,
        publisher=publisher.value,
        publisher_from=publisher.where,
        candidates=kept,
        notes=tuple(notes),
    )


def _title(read: markup.Markup) -> str:
    """The title element, else the ArticleTitle of Chinese government pages."""
    return (read.title or " ".join(read.metas.get("articletitle", "").split()))[:_MOST_TITLE]
