"""Which part of a node a hit shows: the 款 or 项 that fits best, and its surroundings while there is room."""

from collections.abc import Mapping
from typing import Final

from providers.regulations.disclosure import EXCERPT
from providers.regulations.search.grams import fold

_LEAD: Final = 20  # code points before the first term, when a line is cut


def span(text: str, weights: Mapping[str, float]) -> tuple[int, int]:
    """Half-open offsets into `text`, at most 200 code points, that cover the heaviest terms."""
    if len(text) <= EXCERPT:
        return 0, len(text)
    start, end = _line(text, weights)
    if end - start > EXCERPT:
        start = _window(text[start:end], weights) + start
        return start, min(end, start + EXCERPT)
    return _widened(text, start, end)


def _line(text: str, weights: Mapping[str, float]) -> tuple[int, int]:
    best, found, at = -1.0, (0, 0), 0
    for line in text.split("\n"):
        worth = _worth(fold(line), weights)
        if worth > best:
            best, found = worth, (at, at + len(line))
        at += len(line) + 1
    return found


def _worth(folded: str, weights: Mapping[str, float]) -> float:
    return sum(weight for term, weight in weights.items() if term in folded)


def _window(line: str, weights: Mapping[str, float]) -> int:
    """Where to cut a long line: each window begins a little before a term."""
    low = line.lower()
    starts = {max(0, low.find(term) - _LEAD) for term in weights if len(term) > 1 and term in low}
    last = len(line) - EXCERPT
    scored = [
        (_worth(fold(line[at : at + EXCERPT]), weights), -at) for at in {min(at, last) for at in starts}
    ]
    return -max(scored)[1] if scored else 0


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    """Whole lines before and behind, while they fit: what comes before a 项 says what the list is."""
    while True:
        before = text.rfind("\n", 0, max(start - 1, 0)) + 1 if start else start
        after = text.find("\n", end + 1) if end < len(text) else end
        after = len(text) if after < 0 else after
        if before < start and end - before <= EXCERPT:
            start = before
        elif after > end and after - start <= EXCERPT:
            end = after
        else:
            return start, end
