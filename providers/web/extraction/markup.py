"""The text of an HTML page: one line a block, one tab between cells, nothing but white space changed.

Scripts, styles, noscript, templates and comments are left out with all they hold. ASCII white space in a
line is one space, as a browser shows it; U+3000 and U+00A0 stay. What a style hides stays too: a style
sheet may hide and a script may show anything, and a folded clause is still a clause.
"""

import re
from dataclasses import dataclass, field
from enum import Enum, auto
from io import StringIO
from typing import Final

from providers.web.extraction import tokens
from providers.web.extraction.tokens import Kind, Token

_SPACES = re.compile(r"[\t\n\f\r ]+")
_MOST_METAS: Final = 200
_DROPPED: Final = frozenset(["script", "style", "noscript", "iframe", "noembed", "noframes"])
_AS_WRITTEN: Final = frozenset(["pre", "listing", "textarea", "xmp", "plaintext"])
_CELLS: Final = frozenset(("td", "th"))
_BLOCK_NAMES: Final = """
    address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption
    figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol
    optgroup option p search section summary table tbody tfoot thead title tr ul"""
_BLOCKS: Final = _AS_WRITTEN | frozenset(_BLOCK_NAMES.split())


class _At(Enum):
    LINE = auto()
    CELL = auto()
    TEXT = auto()


@dataclass(frozen=True, slots=True)
class Markup:
    """What a page holds: its text, its title element and its meta elements by lower-case name."""

    text: str
    title: str
    metas: dict[str, str]


def read(source: str) -> Markup:
    """The text of `source` and what its head states; time is linear, the text no longer than the source."""
    reading = _Reading()
    for token in tokens.tokens(source):
        reading.take(token)
    return Markup(reading.written.getvalue().replace("\0", "").rstrip("\n"), reading.title, reading.metas)


@dataclass(slots=True)
class _Reading:
    written: StringIO = field(default_factory=StringIO)
    title: str = ""
    metas: dict[str, str] = field(default_factory=dict)
    gap: str = ""
    at: _At = _At.LINE
    templates: int = 0
    as_written: int = 0
    cells: list[int] = field(default_factory=lambda: [0])

    def take(self, token: Token) -> None:
        if token.name == "template":
            self._template(token)
        elif self.templates:
            return
        elif token.kind is Kind.DATA:
            self._verbatim(token.text) if self.as_written else self._words(token.text)
        elif token.kind is Kind.RAW:
            self._raw(token)
        elif token.kind is Kind.START:
            self._start(token)
        else:
            self._end(token.name)

    def _template(self, token: Token) -> None:
        step = 1 if token.kind is Kind.START else -1
        self.templates = max(0, self.templates + step)

    def _raw(self, token: Token) -> None:
        if token.name in _DROPPED:
            return
        if token.name in _AS_WRITTEN:
            self._verbatim(token.text)
            return
        if not self.title:
            self.title = _SPACES.sub(" ", token.text).strip(" ")
        self._words(token.text)

    def _start(self, token: Token) -> None:
        name = token.name
        if name == "br":
            self._break()
        elif name in _CELLS:
            self._cell()
        elif name == "meta":
            self._meta(tokens.values(token.text))
        elif name in _BLOCKS:
            self._edge(row=name == "tr" and self.cells[-1] > 0)
            if name == "table":
                self.cells.append(0)
            elif name == "tr":
                self.cells[-1] = 0
            elif name in _AS_WRITTEN and name not in tokens.RAW:
                self.as_written += 1

    def _end(self, name: str) -> None:
        if name in _BLOCKS:
            self._edge(row=name in ("tr", "table"))
            if name == "table" and len(self.cells) > 1:
                self.cells.pop()
            elif name in _AS_WRITTEN and name not in tokens.RAW:
                self.as_written = max(0, self.as_written - 1)
        elif name == "br":  # the standard reads </br> as <br>
            self._break()

    def _meta(self, values: dict[str, str]) -> None:
        name = (values.get("name") or values.get("property") or values.get("itemprop") or "").lower()
        if name and len(self.metas) < _MOST_METAS:
            self.metas.setdefault(name, values.get("content", ""))

    def _words(self, text: str) -> None:
        line = _SPACES.sub(" ", text)
        if line.startswith(" "):
            line = line[1:]
            if self.at is _At.TEXT and not self.gap:
                self.gap = " "
        if line:
            self._flush()
            words = line.removesuffix(" ")
            self.written.write(words)
            self.at, self.gap = _At.TEXT, " " if len(words) < len(line) else ""

    def _verbatim(self, text: str) -> None:
        if text:
            self._flush()
            self.written.write(text)
            self.at = _At.LINE if text.endswith("\n") else _At.TEXT

    def _edge(self, *, row: bool = False) -> None:
        if self.at is _At.TEXT or (row and self.at is _At.CELL):
            self.gap = "\n"

    def _break(self) -> None:
        if self.gap == "\n":
            self.written.write("\n")
        self.written.write("\n")
        self.gap, self.at = "", _At.LINE

    def _cell(self) -> None:
        self.cells[-1] += 1
        if self.cells[-1] == 1:
            self._edge()
            self._flush()
        else:
            self.written.write("\t")
            self.gap, self.at = "", _At.CELL

    def _flush(self) -> None:
        if self.gap:
            self.written.write(self.gap)
            if self.gap == "\n":
                self.at = _At.LINE
            self.gap = ""
