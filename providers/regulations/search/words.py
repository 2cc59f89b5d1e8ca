"""The words of a question: what asks is left out, and everyday words bring the statute's words along."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from providers.regulations.search.grams import fold, grams, is_word, runs
from providers.regulations.search.lay_words import printed
from providers.regulations.search.ranking import Phrase, Weighted
from providers.regulations.search.seam import Terms

# They are in every question, or between its words, and tell no clause from another.
_ASKING: Final = re.compile(
    "请问|想问|想知道|我想|怎么办理|怎么办|会怎么样|怎么样|怎么|怎样|如何|为什么|什么时候|什么样|什么|哪些人?|哪个|哪里|哪种|"
    "是不是|能不能|可不可以|要不要|算不算|会不会|有没有|行不行|用不用|需不需要|是否|能否|可否|可以吗|行吗|"
    "的话|的时候|情况下|我们|咱们|他们|这个|那个|这些|那些|[的了吗呢吧啊嘛]"
)
# Alone these say nothing; in a pair they may: 有效, 过失, 要求.
_IDLE: Final = frozenset(
    "一不是有在和与或及被把让跟会要能可以得对从到向里上下中就都还也很这那我你他她它谁几多过着给个为其之"
)
MOST_RUNS: Final = 40
SINGLE: Final = 0.5
WORD: Final = 2.0


@dataclass(frozen=True, slots=True)
class Question:
    """What an engine has to look for, and what each term counts in ranking."""

    terms: Terms
    weighted: Weighted


def question(query: str, *, lay: bool = True) -> Question:
    """The terms of a query; without `lay` only its own words."""
    own: dict[str, float] = {}
    for run in _plain(query)[:MOST_RUNS]:
        _add(own, run)
    phrases = printed(fold(query)) if lay else ()
    otherwise = tuple(tuple(_phrase(phrase) for phrase in group) for group in phrases)
    weighted = Weighted(own, otherwise)
    needed = tuple(term for term in weighted.terms if len(term) > 1 or is_word(term))
    single = tuple(term for term in weighted.terms if len(term) == 1 and not is_word(term))
    return Question(Terms(needed, single) if needed else Terms(single), weighted)


def _plain(query: str) -> Sequence[str]:
    """The runs of a query without the words that ask; all of them where nothing else is left."""
    return list(runs(without_asking(fold(query))))


def without_asking(folded: str) -> str:
    """`folded` with blanks for the words that ask, so that offsets stay; as it is where nothing is left."""
    plain = _ASKING.sub(lambda match: " " * len(match.group()), folded)
    return plain if next(runs(plain), None) is not None else folded


def _add(weights: dict[str, float], run: str) -> None:
    found = grams(run)
    weights.update(dict.fromkeys(found.pairs, 1.0))
    weights.update(dict.fromkeys(found.words, WORD))
    for term in found.singles:
        if len(found.singles) == 1 or term not in _IDLE:
            weights[term] = SINGLE


def _phrase(printed_word: str) -> Phrase:
    found = grams(printed_word)
    return found.pairs or found.singles
