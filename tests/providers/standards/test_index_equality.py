"""The index answers as the definition does: the same codes, order and scores, for any library and query."""

import pytest

from providers.standards import exhaustive, titles
from providers.standards.library import Library
from providers.standards.matching import search
from providers.standards.rules import Rules
from tests.providers.standards.cases import RULES, Seeded, make_library, make_query

QUERIES_A_LIBRARY = 20


def differing(library: Library, query: str, limit: int, rules: Rules) -> list[object]:
    """What the two engines say where they do not say the same."""
    answers = [engine(library, query, limit, rules) for engine in (search, exhaustive.search)]
    return [] if answers[0] == answers[1] else [library.records, query, limit, rules, *answers]


def compare(seeds: range, most: int) -> int:
    """How many pairs of a query and a library were compared, all of them equal."""
    pairs = 0
    for seed in seeds:
        choices = Seeded(seed)
        library = make_library(choices, most)
        rules = RULES[seed % len(RULES)]
        for _ in range(QUERIES_A_LIBRARY):
            query = make_query(choices, library)
            limit = (3, 3, 3, 1, 7)[choices.below(5)]
            assert differing(library, query, limit, rules) == []
            pairs += 1
    return pairs


@pytest.mark.parametrize("part", range(4))
def test_the_index_and_the_definition_agree(part: int) -> None:
    assert compare(range(part * 1_000, part * 1_000 + 30), 40) == 600


def test_they_agree_where_blocks_of_titles_are_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(titles, "_SMALL", 3)
    monkeypatch.setattr(titles, "BLOCK", 7)
    assert compare(range(10_000, 10_040), 60) == 800


@pytest.mark.soak
@pytest.mark.parametrize("part", range(10))
def test_they_agree_on_sixty_thousand_pairs(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if part % 2:
        monkeypatch.setattr(titles, "_SMALL", 5)
        monkeypatch.setattr(titles, "BLOCK", 16)
    assert compare(range(100_000 + part * 1_000, 100_300 + part * 1_000), 100) == 6_000
