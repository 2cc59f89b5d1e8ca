"""The two scores behind a match score, worked out again from a query and one standard that it found."""

from providers.standards.exhaustive import search
from providers.standards.library import Library, StandardRecord
from providers.standards.ranking import Candidate


def rescored(query: str, record: StandardRecord) -> Candidate | None:
    """`record` as a candidate for `query` by the rules of this program; None where they do not find it.

    A candidate's scores hang on nothing but the query and its own record (matching specification, 4 to 6).
    """
    alone = Library("one standard", (record,), revision="one standard")
    return next(iter(search(alone, query)), None)
