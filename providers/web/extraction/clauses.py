"""Passages that read like clauses: 第X条, labelled 款 and 项, and the numbered clauses of standards.

A candidate starts at its label and ends before the next label of its rank, a heading, an annex or the
furniture of the page, and `most` code points later at the latest. So an article holds its 款 and its
（一）（二） items, and one that was cut is exactly `most` long.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from providers.web.extraction.clause_labels import Label, Rank, labels
from schemas.web import WebClauseCandidate

MOST_EXCERPT: Final = 2000
MOST_LABELS: Final = 20_000  # a long code has some two thousand; each takes three hundred bytes of memory
_CONTENTS = re.compile(
    r"^[ \t\u3000\u00a0*#]{0,40}目[ \t\u3000\u00a0]{0,8}[录次][ \t\u3000\u00a0*]{0,8}$", re.MULTILINE
)
_ENTRY_MOST: Final = 200
_FEW: Final = 3


def candidates(text: str, *, most: int = MOST_EXCERPT) -> Iterator[WebClauseCandidate]:
    """The clause candidates of `text` in order: `text[start:end] == excerpt`; time is linear in `text`.

    Only its first MOST_LABELS labels are read.
    """
    for label, stop in reversed(list(_extents(text))):
        excerpt = text[label.start : min(stop, label.start + most)].rstrip()
        end = label.start + len(excerpt)
        yield WebClauseCandidate(clause_no=label.number, excerpt=excerpt, start=label.start, end=end)


def _extents(text: str) -> Iterator[tuple[Label, int]]:
    """Every label of a clause and where what it labels stops, the last one first."""
    following = dict.fromkeys(Rank, len(text))
    for label in reversed(_one_scheme(_without_contents(text, list(islice(labels(text), MOST_LABELS))))):
        if label.rank is not Rank.END:
            yield label, min(following[rank] for rank in Rank if rank <= label.rank)
        following[label.rank] = label.start


def _one_scheme(found: Sequence[Label]) -> list[Label]:
    """Without decimal numbers where articles rule: there 3.1 is part of an article (regulations.md 4)."""
    decimals = sum(label.decimal for label in found)
    articles = sum(label.rank is Rank.CLAUSE for label in found) - decimals
    ruled = articles >= _FEW and articles >= decimals
    return [label for label in found if not (ruled and label.decimal)]


def _without_contents(text: str, found: list[Label]) -> list[Label]:
    """Without the entries of a table of contents: lines after 目录 that come again with their text."""
    start = _contents(text)
    if start is None:
        return found
    last = {label.number: label.start for label in found}
    first = next((place for place, label in enumerate(found) if label.start > start), len(found))
    after = first
    for label, following in zip(found[first:], found[first + 1 :], strict=False):
        entry = text[label.start : min(following.start, label.start + _ENTRY_MOST + 1)]
        if last[label.number] == label.start or len(entry) > _ENTRY_MOST or "。" in entry:
            break
        after += 1
    return found[:first] + found[after:]


def _contents(text: str) -> int | None:
    found = _CONTENTS.search(text)
    return None if found is None else found.end()
