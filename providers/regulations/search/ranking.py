"""The order of recalled candidates: BM25 over fields, and what one line, a 款 or 项, covers by itself.

Done here and not in an engine, so that every engine that recalls the same units ranks them the same (T7).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from providers.regulations.search.seam import Candidate, Recalled

K1: Final = 1.2
B: Final = 0.55
TITLE: Final = 0.5
HEADING: Final = 1.5
LINE: Final = 0.5
# What the words that statutes print count beside those of the query itself.
OTHERWISE: Final = 0.8
# With one term nothing else tells hits apart: a heading that bears it says what a chapter is about (T8).
TOPIC: Final = 1.0
BEST: Final = 3  # candidates that are looked at for what a query says

Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Weighted:
    """A query's terms with what each counts; and for its everyday words phrases, one of which will do."""

    own: Mapping[str, float]
    otherwise: tuple[tuple[Phrase, ...], ...] = ()

    @property
    def terms(self) -> dict[str, float]:
        """Every term once, with the most that it counts."""
        all_terms = {term: OTHERWISE for group in self.otherwise for phrase in group for term in phrase}
        return {**all_terms, **self.own}


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score; higher is better, and comparable within one answer only."""

    score: float
    candidate: Candidate


def rank(recalled: Recalled, wanted: Weighted) -> list[Ranked]:
    """Candidates by score, ties by node id."""
    scorer = _Scorer(recalled, wanted)
    scored = [Ranked(scorer.score(one), one) for one in recalled.candidates]
    return sorted(scored, key=lambda one: (-one.score, one.candidate.node_id))


def said(ranked: Sequence[Ranked], wanted: Weighted) -> float:
    """How much of a query the best candidates say themselves, from 0 to 1; everyday words count."""
    return max((_said(one.candidate, wanted) for one in ranked[:BEST]), default=0.0)


def _said(one: Candidate, wanted: Weighted) -> float:
    text = f"{one.title}\n{one.heading}\n{one.text}"
    terms = {term: weight for term, weight in wanted.own.items() if len(term) > 1}
    whole = sum(terms.values())
    own = sum(weight for term, weight in terms.items() if term in text) / whole if whole else 1.0
    if not wanted.otherwise:
        return own
    held = sum(any(all(term in text for term in phrase) for phrase in group) for group in wanted.otherwise)
    return max(own, (own + held / len(wanted.otherwise)) / 2)


class _Scorer:
    def __init__(self, recalled: Recalled, wanted: Weighted) -> None:
        self._mean = max(recalled.mean_length, 1.0)
        self._rarity = {
            term: math.log(1 + (recalled.units - number + 0.5) / (number + 0.5))
            for term, number in recalled.frequencies.items()
            if number
        }
        self._own = {t: weight * self._rarity[t] for t, weight in wanted.own.items() if t in self._rarity}
        self._otherwise = wanted.otherwise
        whole = [term for term in wanted.own if len(term) > 1]
        self._topic = whole[0] if len(whole) == 1 and whole[0] in self._rarity else None

    def score(self, one: Candidate) -> float:
        length = 1 - B + B * len(one.text) / self._mean
        held: dict[str, float] = {}
        for term in self._rarity:
            times = TITLE * (term in one.title) + HEADING * (term in one.heading) + one.text.count(term)
            if times:
                held[term] = times * (K1 + 1) / (times + K1 * length)
        score = self._sum(held) + LINE * max(self._line(line, held) for line in one.text.split("\n"))
        if self._topic is not None and self._topic in one.heading:
            score += TOPIC * self._rarity[self._topic]
        return score

    def _line(self, line: str, held: Mapping[str, float]) -> float:
        return self._sum({term: 1.0 for term in held if term in line})

    def _sum(self, held: Mapping[str, float]) -> float:
        own = sum(self._own[term] * times for term, times in held.items() if term in self._own)
        otherwise = sum(
            max(
                sum(self._rarity[term] * held.get(term, 0.0) for term in phrase if term in held)
                for phrase in group
            )
            for group in self._otherwise
        )
        return own + OTHERWISE * otherwise
