"""What a search finds: articles and other blocks with a text, of which their 款 and 项 are part."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from providers.regulations.disclosure import heading_told, text_told
from providers.regulations.edition import Edition
from providers.regulations.node import Node
from providers.regulations.search.grams import fold

# A hit in a 款 or 项 is told as its article, with the excerpt there; chapters are found by their articles.
FOUND: Final = frozenset({"note", "pre", "art", "anx", "x1", "x2", "x3", "x4"})
_COUNTRY: Final = "中华人民共和国"


@dataclass(frozen=True, slots=True)
class Unit:
    """One row of an index; `heading` and `text` are empty where the edition does not tell them."""

    edition_id: str
    path: str
    heading: str
    text: str
    sha256: str


def short_title(title: str) -> str:
    """The title as people say it: without the country's name."""
    return title.removeprefix(_COUNTRY) or title


def units(nodes: Iterable[Node], editions: Mapping[str, Edition]) -> Iterator[Unit]:
    """The rows of a revision's index, in the order of `nodes`.

    A text or heading that is not told is not indexed: that a word finds it would tell the word. It is found
    by number and name.
    """
    for node in nodes:
        if node.kind not in FOUND or not node.text:
            continue
        path = node.node_id.partition("#")[2]
        level = editions[node.edition_id].disclosure
        heading = "\n".join(node.heading_path) if heading_told(level) else ""
        text = node.text if text_told(level) else ""
        yield Unit(node.edition_id, path, fold(heading), fold(text), node.sha256)
