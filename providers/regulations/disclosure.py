"""What of a node may be shown: the one place that enforces it, for hits, evidence and the connector."""

from dataclasses import dataclass
from typing import Final

from providers.regulations import offsets
from providers.regulations.edition import Disclosure, Edition
from providers.regulations.node import Node

EXCERPT: Final = 200  # code points


def text_told(level: str) -> bool:
    """Whether words of a text may be told at `level`: shown, found by, or said to be in it or not."""
    return level in ("full", "excerpt")


def heading_told(level: str) -> bool:
    """The same of a heading, which is a text of its edition too."""
    return level != "withheld"


@dataclass(frozen=True, slots=True)
class Disclosed:
    """What may be shown: `excerpt == node.text[start:end]`, or nothing and the reason."""

    disclosure: Disclosure
    excerpt: str = ""
    start: int = 0
    end: int = 0
    withheld_reason: str = ""


def disclosed(node: Node, edition: Edition, start: object = 0, end: object = 0) -> Disclosed:
    """The slice `start, end` of `node` as far as its edition's disclosure level allows.

    Offsets are checked first and never clamped (regulations.md section 5); at level `excerpt` at most
    200 code points are shown, from `start` on, and the end that is returned is that of what is shown.
    """
    first, last = offsets.span(len(node.text), start, end)
    if edition.disclosure == "full":
        return Disclosed("full", node.text[first:last], first, last)
    if edition.disclosure == "excerpt":
        last = min(last, first + EXCERPT)
        return Disclosed("excerpt", node.text[first:last], first, last)
    return Disclosed(edition.disclosure, withheld_reason=edition.withheld_reason)


def window(edition: Edition, fitting: tuple[int, int]) -> tuple[int, int]:
    """What of a node a hit asks to show: the span that fits its query only where all of it may be shown.

    At level `excerpt` it is the node's beginning whatever the query, so that many do not add up to the text.
    """
    return fitting if edition.disclosure == "full" else (0, 0)


def withheld(reason: str) -> Disclosed:
    """Nothing, because of something that is found in this call and not of the edition's level."""
    return Disclosed("withheld", withheld_reason=reason)
