"""Search a library for the standards that a citation may mean (matching specification, sections 6 and 7)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from providers.standards.code import Code
from providers.standards.folding import fold
from providers.standards.index import Entry, Index, index
from providers.standards.library import Library, StandardRecord, code_key
from providers.standards.names import codes_outside_titles, edition_year, query_names, whole_name
from providers.standards.rules import Rules
from providers.standards.scan import find_codes
from providers.standards.scores import (
    CODE_ADMITS,
    FULL,
    NAME_ADMITS,
    CodeScore,
    Pattern,
    best,
    code_score,
    final_score,
)

LIMIT = 3
ALL_RULES = Rules()

MOST_CODES = 32
MOST_NAMES = 32
"""A query that lists more numbers or names than this is no citation; the rest is not looked up."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One standard that a query may mean; scores are ten-thousandths."""

    record: StandardRecord
    score: int
    code_score: int
    name_score: int


@dataclass(frozen=True, slots=True)
class _Query:
    """A query taken apart: numbers with all their readings, names, and the whole as one name."""

    codes: tuple[tuple[Code, ...], ...]
    names: tuple[Pattern, ...]
    whole: str
    key: str
    edition: str | None


def search(library: Library, query: str, limit: int = LIMIT, rules: Rules = ALL_RULES) -> list[Candidate]:
    """At most `limit` candidates, best first; none for a query without a number or a name."""
    prepared = index(library, rules)
    parsed = _parse(query, rules)
    ranked = sorted(
        _candidates(prepared, parsed), key=lambda found: _order(found[0], found[1], parsed.edition)
    )
    return list(_first_of_each(ranked, limit))


def _parse(query: str, rules: Rules) -> _Query:
    folded = fold(query)
    codes = codes_outside_titles(folded, find_codes(folded, rules))
    names = query_names(folded, codes, rules)
    return _Query(
        codes=tuple(code.readings for code in codes[:MOST_CODES]),
        names=tuple(Pattern(name) for name in names[:MOST_NAMES]),
        whole=whole_name(folded, rules),
        key=code_key(query),
        edition=edition_year(folded),
    )


def _candidates(prepared: Index, query: _Query) -> Iterator[tuple[Entry, Candidate]]:
    whole = dict.fromkeys(prepared.named(query.whole), (0, FULL))
    whole.update(dict.fromkeys(prepared.unreadable(query.key), (FULL, 0)))
    for place, (code, name) in whole.items():
        yield prepared.entries[place], Candidate(prepared.entries[place].record, FULL, code, name)
    code_scores, by_code = _code_scores(prepared, query.codes)
    name_scores = _name_admissions(prepared, query.names)
    for place in (by_code | name_scores.keys()) - whole.keys():
        entry = prepared.entries[place]
        code = code_scores.get(place, 0)
        name = name_scores[place] if place in name_scores else _name_score(query.names, entry, prepared.rules)
        final = final_score(code if query.codes else None, name if query.names else None)
        yield entry, Candidate(entry.record, final, code, name)


def _code_scores(prepared: Index, codes: Iterable[tuple[Code, ...]]) -> tuple[dict[int, int], set[int]]:
    """The code score of each entry that has one, and the entries that their number admits."""
    scores: dict[int, int] = {}
    admitted: set[int] = set()
    for readings in codes:
        found = _scores_of(prepared, readings)
        for place, (score, _) in found.items():
            scores[place] = max(score, scores.get(place, 0))
        admitted.update(_admitted(found, prepared.rules))
    return scores, admitted


def _scores_of(prepared: Index, readings: tuple[Code, ...]) -> dict[int, CodeScore]:
    rules = prepared.rules
    found: dict[int, CodeScore] = {}
    for place in prepared.near(readings):
        pairs = ((reading, code) for reading in readings for code in prepared.entries[place].codes)
        score = best(code_score(reading, code, rules) for reading, code in pairs)
        if score.score:
            found[place] = score
    return found


def _admitted(found: dict[int, CodeScore], rules: Rules) -> set[int]:
    """R4: a number that the library holds is no slip of the pen for another."""
    held = any(score >= CODE_ADMITS and not slip for score, slip in found.values())
    silent = rules.quiet_typo and held
    return {place for place, (score, slip) in found.items() if score >= CODE_ADMITS and not (slip and silent)}


def _name_score(names: Iterable[Pattern], entry: Entry, rules: Rules) -> int:
    return max((name.score(entry.name, entry.name_han, rules) for name in names), default=0)


def _name_admissions(prepared: Index, names: tuple[Pattern, ...]) -> dict[int, int]:
    """The name score of each entry that its name admits."""
    found: dict[int, int] = {}
    for name in names:
        for entry in prepared.entries:
            title = entry.name
            if not (name.could_admit(len(title)) or title in name.name or name.name in title):
                continue
            score = name.score(title, entry.name_han, prepared.rules)
            if score >= NAME_ADMITS:
                found[entry.position] = max(score, found.get(entry.position, 0))
    return found


def _order(entry: Entry, candidate: Candidate, edition: str | None) -> tuple[object, ...]:
    """Section 7: score, code score, newest year, the edition asked for, natural order, file order."""
    other_edition = edition is None or entry.edition != edition
    scores = (-candidate.score, -candidate.code_score)
    return (*scores, -entry.year, other_edition, entry.order, entry.position)


def _first_of_each(ranked: Iterable[tuple[Entry, Candidate]], limit: int) -> Iterator[Candidate]:
    seen: set[str] = set()
    for entry, candidate in ranked:
        if limit <= 0:
            return
        # A blank code is no code, so two of them are not the same.
        if entry.key and entry.key in seen:
            continue
        seen.add(entry.key)
        limit -= 1
        yield candidate
