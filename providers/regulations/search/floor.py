"""What a unit must hold of a query to be a hit: a word of it nearly whole, not one common pair (issue 5).

安全阀 is not found where only 安全 stands. A question of everyday words is asked for less, since statutes
say most of it otherwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from providers.regulations.search.grams import fold, grams, is_word, placed_runs
from providers.regulations.search.lay_words import MEASURES, placed
from providers.regulations.search.words import without_asking

# Chosen on the questions of the benchmark and thirty words that the shared corpus does not hold.
SHARE: Final = 0.75  # of a run's characters
SHARE_OF_LONG: Final = 0.6  # where that is two words: 储罐检验 of 储罐检验周期
TWO_WORDS: Final = 4
SENTENCE: Final = 9  # a run from this length on is a sentence and no word
SHORTER: Final = 0.5  # a run that is shorter than this beside the longest says too little
PAIRS: Final = 2
RARE: Final = 0.01  # of all units

Span = tuple[int, int]
Placed = tuple[str, Span]


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of the query: where it stands, and the terms of it."""

    span: Span
    terms: tuple[Placed, ...]

    @property
    def length(self) -> int:
        return self.span[1] - self.span[0]


class Floor:
    """Judges texts by one query; `frequencies` says in how many of all `units` a term stands."""

    def __init__(self, query: str, frequencies: Mapping[str, int], units: int, *, lay: bool) -> None:
        folded = fold(query)
        asked = without_asking(folded)
        self._runs = [_run(text, at) for text, at in placed_runs(asked)]
        longest = max((one.length for one in self._runs), default=0)
        self._question = asked != folded or longest >= SENTENCE
        self._telling = [one for one in self._runs if _telling(one, longest)] or self._runs
        self._lay = [
            ((start, end), [_terms(word) for word in words])
            for start, end, words in (placed(folded) if lay else ())
        ]
        self._measures = {span for span, _ in self._lay if folded[slice(*span)] in MEASURES}
        most = max(1, int(units * RARE))
        self._rare = {term for term, number in frequencies.items() if len(term) > 1 and number <= most}

    def reached(self, text: str) -> bool:
        """Whether folded `text` holds enough of the query."""
        said_otherwise = [span for span, words in self._lay if any(_all_in(word, text) for word in words)]
        if any(self._held(run, text, said_otherwise) for run in self._telling):
            return True
        if not self._question:
            return False
        held = {term for run in self._runs for term, _ in run.terms if len(term) > 1 and term in text}
        if len(held) >= PAIRS or any(span not in self._measures for span in said_otherwise):
            return True
        # One pair is chance: 线织 of 用毛线织围巾. 多久 is in every question.
        return bool(said_otherwise) and not held.isdisjoint(self._rare)

    def by_chance(self, text: str) -> bool:
        """Whether `text` holds a rare pair of a question: something, where it is near in meaning too."""
        return self._question and any(
            term in self._rare and term in text for run in self._runs for term, _ in run.terms
        )

    @staticmethod
    def _held(run: _Run, text: str, said_otherwise: list[Span]) -> bool:
        spans = [span for term, span in run.terms if term in text] + said_otherwise
        covered = {at for start, end in spans for at in range(start, end)}
        number = len(covered.intersection(range(*run.span)))
        return number >= run.length * (SHARE_OF_LONG if number >= TWO_WORDS else SHARE)


def whole(query: str, text: str) -> bool:
    """Whether folded `text` holds every word of a query as it is written there."""
    return all(run in text for run, _ in placed_runs(without_asking(fold(query))))


def _run(text: str, at: int) -> _Run:
    end = at + len(text)
    if is_word(text) or len(text) == 1:
        return _Run((at, end), ((text, (at, end)),))
    return _Run((at, end), tuple((text[i : i + 2], (at + i, at + i + 2)) for i in range(len(text) - 1)))


def _telling(run: _Run, longest: int) -> bool:
    text = run.terms[0][0]
    return run.length > 1 and run.length >= SHORTER * longest and not text.isdecimal()


def _terms(word: str) -> tuple[str, ...]:
    found = grams(word)
    return found.pairs or found.singles


def _all_in(terms: tuple[str, ...], text: str) -> bool:
    return all(term in text for term in terms)
