"""Choose the words of a page that a reader of one query needs to see."""

import re
from collections.abc import Iterable
from itertools import islice

from providers.web.extraction.page import Page
from schemas.web import WebClauseCandidate

MOST = 200
"""Code points of one passage, as EXT-20's excerpts."""
_LETTERS = re.compile(r"[^\W_]+")
_LINE = re.compile(r"[^\n]*\S[^\n]*")
_MOST_LINES = 20_000


def passages(page: Page, queries: Iterable[str], count: int = 2) -> tuple[WebClauseCandidate, ...]:
    """At most `count` passages that share most with the queries, in reading order: clauses, else lines.

    None where nothing on the page shares two neighbouring characters with any of them. Offsets are those
    of the page's text, and `text[start:end] == excerpt`.
    """
    asked = tuple(queries)
    found = nearest(page.candidates, asked, count) or nearest(_lines(page.text), asked, count)
    return tuple(sorted(found, key=lambda one: one.start))


def opening(page: Page, count: int = 2) -> tuple[WebClauseCandidate, ...]:
    """The first clauses of the page, or lines where it has none: what a reader without a query sees first."""
    return tuple(map(_cut, islice(page.candidates or _lines(page.text), count)))


def nearest(
    found: Iterable[WebClauseCandidate], queries: Iterable[str], count: int = 2
) -> tuple[WebClauseCandidate, ...]:
    """At most `count` of the passages `found` that share most with the queries, best first."""
    wanted = {pair for query in queries for pair in _pairs(query)}
    if not wanted:
        return ()
    scored = [(len(wanted & _pairs(one.excerpt)), one) for one in found]
    ranked = sorted((pair for pair in scored if pair[0]), key=lambda pair: (-pair[0], pair[1].start))
    return tuple(_cut(one) for _, one in ranked[:count])


def _cut(one: WebClauseCandidate) -> WebClauseCandidate:
    excerpt = one.excerpt[:MOST]
    return WebClauseCandidate(
        clause_no=one.clause_no, excerpt=excerpt, start=one.start, end=one.start + len(excerpt)
    )


def _lines(text: str) -> Iterable[WebClauseCandidate]:
    for number, line in enumerate(_LINE.finditer(text)):
        if number == _MOST_LINES:
            return
        shown = line[0].strip()
        start = line.start() + line[0].index(shown)
        yield WebClauseCandidate(excerpt=shown, start=start, end=start + len(shown))


def _pairs(text: str) -> set[str]:
    """Every two neighbouring letters or digits of `text`, in lower case."""
    words = _LETTERS.findall(text.lower())
    return {word[at : at + 2] for word in words for at in range(len(word) - 1)}
