"""Search a library for the standards that a citation may mean, through the index.

`exhaustive.search` is the definition; this gives the same candidates, order and scores without looking at
every record. Entries that a number can mean are all scored. Of the others only the name can speak: their
code score is 0, so their final score grows with their name score, and once `limit` candidates are found
a title that cannot reach the last of them is not looked at (`titles` proves which).
"""

from collections.abc import Sequence

from providers.standards.code import Code
from providers.standards.index import Index, index
from providers.standards.library import Library
from providers.standards.name_search import NameSearch
from providers.standards.query import Query, parse
from providers.standards.ranking import LIMIT, Candidate, admitted, first_of_each
from providers.standards.rules import Rules
from providers.standards.scores import FULL, NAME_ADMITS, CodeScore, Pattern, best, code_score, final_score
from providers.standards.shortlist import Found, Shortlist

__all__ = ["ALL_RULES", "LIMIT", "Candidate", "search"]

ALL_RULES = Rules()


def search(library: Library, text: str, limit: int = LIMIT, rules: Rules = ALL_RULES) -> list[Candidate]:
    """At most `limit` candidates, best first; none for a query without a number or a name."""
    query = parse(text, rules)
    prepared = index(library, rules)
    ranked = sorted(
        _standing(prepared, query, limit, rules), key=lambda found: _order(prepared, found, query)
    )
    # The first entry with a code stands for all of them; plus one, since that may be entry 0.
    standards = ((prepared.same[found.entry] + 1, found) for found in ranked)
    return [Candidate(library.records[found.entry], *found[1:]) for found in first_of_each(standards, limit)]


def _standing(prepared: Index, query: Query, limit: int, rules: Rules) -> list[Found]:
    if limit <= 0:
        return []
    shortlist = Shortlist(limit, prepared.same)
    whole = dict.fromkeys(prepared.named(query.whole), (0, FULL))
    whole.update(dict.fromkeys(prepared.unreadable(query.key), (FULL, 0)))
    for entry, scores in whole.items():
        shortlist.add(Found(entry, FULL, *scores))
    by_number = _by_number(prepared, query, rules)
    for found in by_number.values():
        if found is not None and found.entry not in whole:
            shortlist.add(found)
    done = whole.keys() | by_number.keys()
    for name in query.names:
        NameSearch(prepared, name, coded=bool(query.codes), rules=rules).collect(shortlist, done, query.whole)
    return shortlist.standing()


def _by_number(prepared: Index, query: Query, rules: Rules) -> dict[int, Found | None]:
    """Every entry that has a code score, with its scores, or None where neither number nor name admits it."""
    scores: dict[int, int] = {}
    by_code: set[int] = set()
    for readings in query.codes:
        found = _scores_of(prepared, readings, rules)
        for entry, (score, _) in found.items():
            scores[entry] = max(score, scores.get(entry, 0))
        by_code |= admitted(found, rules.quiet_typo)
    return {
        entry: _scored(prepared, query, entry, code, entry in by_code, rules)
        for entry, code in scores.items()
    }


def _scores_of(prepared: Index, readings: tuple[Code, ...], rules: Rules) -> dict[int, CodeScore]:
    found: dict[int, CodeScore] = {}
    for entry in prepared.numbers.near(readings):
        codes = prepared.numbers.codes(entry)
        scores = [code_score(reading, code, rules) for reading in readings for code in codes]
        score = scores[0] if len(scores) == 1 else best(scores)
        if score.score:
            found[entry] = score
    return found


def _scored(
    prepared: Index, query: Query, entry: int, code: int, by_code: bool, rules: Rules
) -> Found | None:
    name = _name_score(query.names, prepared.name(entry), rules)
    if not by_code and name < NAME_ADMITS:
        return None
    return Found(entry, final_score(code, name if query.names else None), code, name)


def _name_score(names: Sequence[Pattern], title: str, rules: Rules) -> int:
    if len(names) == 1:
        return names[0].score(title, rules)
    return max((name.score(title, rules) for name in names), default=0)


def _order(prepared: Index, found: Found, query: Query) -> tuple[int, ...]:
    """Section 7: score, code score, newest year, the edition asked for, natural order, file order."""
    other_edition = query.edition is None or prepared.edition[found.entry] != int(query.edition)
    return (
        -found.score,
        -found.code_score,
        -prepared.year[found.entry],
        other_edition,
        prepared.rank[found.entry],
    )
