"""Search text (regulations.md section 1, layer 3): folded, then characters, pairs of them, and words.

Nobody's dictionary decides what can be found: a Chinese run gives every character and every pair, ASCII
letters and digits give words. The same function reads texts and queries.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_RUN: Final = re.compile(r"[a-z0-9]+|[^\W_a-z0-9]+")


def fold(text: str) -> str:
    """`text` in NFKC and lower case; for looking up, never for quoting."""
    return unicodedata.normalize("NFKC", text).lower()


def runs(folded: str) -> Iterator[str]:
    """The unbroken runs of folded text: an ASCII word each, or letters of one other script each."""
    return (run for run, _ in placed_runs(folded))


def placed_runs(folded: str) -> Iterator[tuple[str, int]]:
    """The runs, and where each begins."""
    return ((match.group(), match.start()) for match in _RUN.finditer(folded))


def is_word(run: str) -> bool:
    """Whether a run is an ASCII word, which is not cut."""
    return run.isascii()


@dataclass(frozen=True, slots=True)
class Grams:
    """What a text is made of, each kind in order and with repeats."""

    singles: tuple[str, ...]
    pairs: tuple[str, ...]
    words: tuple[str, ...]


def grams(folded: str) -> Grams:
    """The grams of folded text."""
    singles: list[str] = []
    pairs: list[str] = []
    words: list[str] = []
    for run in runs(folded):
        if is_word(run):
            words.append(run)
        else:
            singles.extend(run)
            pairs.extend(run[at : at + 2] for at in range(len(run) - 1))
    return Grams(tuple(singles), tuple(pairs), tuple(words))
