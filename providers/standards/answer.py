"""One query and what the library has for it, as every door shows it (matcher design, sections 4 and 5)."""

from typing import TypedDict

import orjson

from providers.standards.library import Library
from providers.standards.matching import ALL_RULES, Candidate, search
from providers.standards.rules import Rules


class CandidateWire(TypedDict):
    """A candidate as every door shows it: these fields and no other (section 5)."""

    code: str
    title: str
    status: str
    relation_text: str
    implement_date: str
    match_score: float


class AnswerWire(TypedDict):
    """A query, verbatim, and at most three candidates, best first."""

    query: str
    candidates: list[CandidateWire]


def candidate(found: Candidate) -> CandidateWire:
    """A candidate in the words of section 5; the score has at most four decimals."""
    record = found.record
    return {
        "code": record.code,
        "title": record.title,
        "status": record.status,
        "relation_text": record.relation_text,
        "implement_date": record.implement_date,
        "match_score": found.score / 10_000,
    }


def answer(library: Library, query: str, rules: Rules = ALL_RULES) -> AnswerWire:
    """What `library` has for `query`."""
    return {"query": query, "candidates": [candidate(found) for found in search(library, query, rules=rules)]}


def answer_members(library: Library, query: str, rules: Rules = ALL_RULES) -> bytes:
    """The answer as the JSON members `"query":…,"candidates":…`, to stand in a response and in a log line.

    Raises orjson.JSONEncodeError for a query with a lone surrogate.
    """
    return orjson.dumps(answer(library, query, rules))[1:-1]
