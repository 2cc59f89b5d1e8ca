"""A query taken apart: its numbers, its names, and the whole of it (matching specification, 3 and 5)."""

from typing import NamedTuple

from providers.standards.code import Code
from providers.standards.folding import fold
from providers.standards.library import folded_key
from providers.standards.names import codes_outside_titles, edition_year, query_names, whole_name
from providers.standards.rules import Rules
from providers.standards.scan import find_codes
from providers.standards.scores import Pattern

MOST_CODES = 32
MOST_NAMES = 32
"""A query that lists more numbers or names than this is no citation; the rest is not looked up."""


class Query(NamedTuple):
    """Numbers with all their readings, names, and the whole as one name and as one code."""

    codes: tuple[tuple[Code, ...], ...]
    names: tuple[Pattern, ...]
    whole: str
    key: str
    edition: str | None


def parse(text: str, rules: Rules) -> Query:
    """What `text` may mean; a query without a number or a letter has neither codes nor names."""
    folded = fold(text)
    codes = codes_outside_titles(folded, find_codes(folded, rules))
    names = query_names(folded, codes, rules)
    return Query(
        codes=tuple(code.readings for code in codes[:MOST_CODES]),
        names=tuple(Pattern(name) for name in names[:MOST_NAMES]),
        whole=whole_name(folded, rules),
        key=folded_key(folded),
        edition=edition_year(folded),
    )
