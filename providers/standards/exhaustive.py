"""The definition: every record of a library compared with a query, and nothing left out.

This is the matching specification, sections 4 to 7, word for word and as slow as that is. `matching`
answers the same through an index; tests hold the two equal.
"""

from functools import lru_cache

from providers.standards.code import Code
from providers.standards.entry import Entry, read_entry
from providers.standards.library import Library
from providers.standards.query import Query, parse
from providers.standards.ranking import LIMIT, Candidate, admitted, first_of_each
from providers.standards.rules import Rules
from providers.standards.scores import FULL, NAME_ADMITS, CodeScore, best, code_score, final_score

ALL_RULES = Rules()


def search(library: Library, text: str, limit: int = LIMIT, rules: Rules = ALL_RULES) -> list[Candidate]:
    """At most `limit` candidates, best first; none for a query without a number or a name."""
    query = parse(text, rules)
    entries = _entries(library, rules)
    code_scores = [_code_scores(entries, readings, rules) for readings in query.codes]
    by_code: set[int] = set()
    for scores in code_scores:
        by_code |= admitted(scores, rules.quiet_typo)
    found: list[tuple[Entry, Candidate]] = []
    for entry in entries:
        code = max((scores[entry.position].score for scores in code_scores), default=0)
        name = max((name.score(entry.name, rules) for name in query.names), default=0)
        if _is_whole_code(entry, query):
            found.append((entry, Candidate(entry.record, FULL, FULL, 0)))
        elif entry.name and entry.name == query.whole:
            found.append((entry, Candidate(entry.record, FULL, 0, FULL)))
        elif entry.position in by_code or name >= NAME_ADMITS:
            final = final_score(code if query.codes else None, name if query.names else None)
            found.append((entry, Candidate(entry.record, final, code, name)))
    found.sort(key=lambda pair: _order(pair[0], pair[1], query.edition))
    return list(first_of_each(((entry.key, candidate) for entry, candidate in found), limit))


@lru_cache(maxsize=16)
def _entries(library: Library, rules: Rules) -> tuple[Entry, ...]:
    return tuple(read_entry(position, record, rules) for position, record in enumerate(library.records))


def _code_scores(
    entries: tuple[Entry, ...], readings: tuple[Code, ...], rules: Rules
) -> dict[int, CodeScore]:
    return {
        entry.position: best(code_score(reading, code, rules) for reading in readings for code in entry.codes)
        for entry in entries
    }


def _is_whole_code(entry: Entry, query: Query) -> bool:
    """Section 3: an official code that the grammar cannot read matches only as it is."""
    return not entry.codes and entry.key != "" and entry.key == query.key


def _order(entry: Entry, candidate: Candidate, edition: str | None) -> tuple[object, ...]:
    """Section 7: score, code score, newest year, the edition asked for, natural order, file order."""
    other_edition = edition is None or entry.edition != edition
    scores = (-candidate.score, -candidate.code_score)
    return (*scores, -entry.year, other_edition, entry.order, entry.position)
