"""One node of an edition: a stable id, its exact text and its hash (regulations.md sections 3, 6)."""

import hashlib
import re
from dataclasses import dataclass
from typing import Final

PATH: Final = re.compile(
    r"(?:(?:bk|sbk|ch|sec|pre|anx|x[1-4]|p|i|si|tbl|row|fig|note)[0-9]{1,6}|art[0-9]{1,4}(?:-[0-9]{1,4})?)(?:~[0-9]{1,4})?"
)
_KEY: Final = re.compile(
    r"art(?P<art>[0-9]+(?:-[0-9]+)?)(?:/p(?P<p>[0-9]+)(?:/i(?P<i>[0-9]+)(?:/si(?P<si>[0-9]+))?)?)?"
)
LONGEST_ID: Final = 200


def text_sha256(text: str) -> str:
    """The hash of a node's text, which `sha256sum` of its UTF-8 bytes gives too."""
    return hashlib.sha256(text.encode()).hexdigest()


def edition_of(node_id: str) -> str:
    """The edition id before the `#` of a node id."""
    return node_id.partition("#")[0]


def clause_key(node_id: str) -> str:
    """The canonical clause key of an article, 款, 项 or 目 of the body, such as 120-1.2.3; else empty."""
    match = _KEY.fullmatch(node_id.partition("#")[2])
    return "" if match is None else ".".join(part for part in match.groups() if part is not None)


@dataclass(frozen=True, slots=True)
class PageSpan:
    """Where in the node's text the text of one page stands."""

    page: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node as readers get it; `start` and `end` are its whole text in code points.

    `heading_path` is derived from the headings above it; `sha256` is the manifest's and covers the
    whole text. `text` is the full text and not cut by disclosure: show it only through
    `disclosure.disclosed`.
    """

    regulation_id: str
    edition_id: str
    node_id: str
    kind: str
    clause_no: str
    heading_path: tuple[str, ...]
    parent: str
    ordinal: int
    text: str
    sha256: str
    source_asset_sha256: str
    pages: tuple[PageSpan, ...] = ()

    @property
    def start(self) -> int:
        """The first code point of the whole text."""
        return 0

    @property
    def end(self) -> int:
        """One past the last code point of the whole text."""
        return len(self.text)

    @property
    def clause_key(self) -> str:
        """The canonical clause key, empty for a node that has none."""
        return clause_key(self.node_id)

    @property
    def page_start(self) -> int | None:
        """The first page of the whole text; None when the asset has no pages."""
        return self.pages_of(0, self.end)[0]

    @property
    def page_end(self) -> int | None:
        """The last page of the whole text; None when the asset has no pages."""
        return self.pages_of(0, self.end)[1]

    def pages_of(self, start: int, end: int) -> tuple[int | None, int | None]:
        """The first and last page of `text[start:end]`."""
        pages = [span.page for span in self.pages if span.start < end and start < span.end]
        return (min(pages), max(pages)) if pages else (None, None)
