"""The order of recalled candidates: BM25 over fields, nearness, and what a 款 covers by itself.

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
# How much of its weight a run of three characters adds to its two pairs, and the best line to the whole text.
RUN: Final = 0.6
LINE: Final = 0.5
SHORT_QUERY: Final = 2


@dataclass(frozen=True, slots=True)
class Weighted:
    """Terms with what each counts, as a query or the lay words made of it give them."""

    weights: Mapping[str, float]
    runs: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score; higher is better, and comparable within one answer only."""

    score: float
    candidate: Candidate


def rank(recalled: Recalled, wanted: Weighted) -> list[Ranked]:
    """Candidates by score, ties by node id."""
    rarity = _rarity(recalled, wanted)
    scored = [Ranked(_score(one, rarity, wanted, recalled.mean_length), one) for one in recalled.candidates]
    return sorted(scored, key=lambda one: (-one.score, one.candidate.node_id))


def _rarity(recalled: Recalled, wanted: Weighted) -> dict[str, float]:
    """Each term's weight times its inverse document frequency."""
    found = recalled.frequencies or {}
    total = recalled.units
    return {
        term: weight * math.log(1 + (total - found[term] + 0.5) / (found[term] + 0.5))
        for term, weight in wanted.weights.items()
        if found.get(term, 0) > 0
    }


def _score(one: Candidate, rarity: Mapping[str, float], wanted: Weighted, mean: float) -> float:
    length = 1 - B + B * len(one.text) / max(mean, 1.0)
    held = {
        term: TITLE * (term in one.title) + HEADING * (term in one.heading) + one.text.count(term)
        for term in rarity
    }
    score = sum(
        rarity[term] * times * (K1 + 1) / (times + K1 * length) for term, times in held.items() if times
    )
    score += RUN * _in_runs(one.text, wanted.runs, rarity)
    lines = one.text.split("\n")
    if len(lines) > 1 or LINE:
        score += LINE * max(sum(worth for term, worth in rarity.items() if term in line) for line in lines)
    return score


def _in_runs(text: str, runs: Sequence[str], rarity: Mapping[str, float]) -> float:
    """What three characters of the query in a row, in a row in the text too, say beyond their pairs."""
    return sum(
        (rarity.get(run[at : at + 2], 0.0) + rarity.get(run[at + 1 : at + 3], 0.0)) / 2
        for run in runs
        for at in range(len(run) - 2)
        if run[at : at + 3] in text
    )
