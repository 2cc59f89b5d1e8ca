"""`method:local-standards`: look citations up in a local library of standards and state what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING
from urllib.parse import quote

from providers.base import Clock, standing
from providers.standards.folding import fold
from providers.standards.library import Library, StandardRecord, record_digest
from providers.standards.stating import finding, left_out, matched, shortfalls
from schemas.canonical import Algorithm, algorithm_of
from schemas.dates import instant
from schemas.errors import EvidenceError, InvalidError
from schemas.plan import Plan
from schemas.provider import ProviderRow
from schemas.receipt import MOST_SOURCES, Receipt, Source
from schemas.text import legible

if TYPE_CHECKING:  # the matcher is imported when a plan is executed
    from providers.standards.ranking import Candidate

PROVIDER_ID = "method:local-standards"
FAMILY = "local_standards_library"
# What a library says about a standard is a statement; whether it is in force stays with the reader.
LIMITATION = (
    "本条为本地规范库（{name}，修订 {revision}）的陈述，"
    "现行与否由使用者判断；匹配度只表示文字与编号的相近程度。"
    " The local library states this; whether the standard is in force is the reader's judgement."
)


class LocalStandards:
    """The local standards matcher as a method provider; nothing leaves the machine."""

    provider_id = PROVIDER_ID
    provider_kind = "method"

    def __init__(self, open_library: Callable[[], Library], clock: Clock) -> None:
        self._open_library = open_library
        self._clock = clock

    def readiness(self) -> ProviderRow:
        """Ready when the library loads, now, and holds at least one standard."""
        try:
            library = self._open_library()
        except EvidenceError as error:
            why_not: str | None = f"the standards library does not load: {error.message}"
        else:
            why_not = None if len(library) else f"the standards library {library.name} is empty"
        return standing(self.provider_id, self.provider_kind, why_not)

    def execute(self, plan: Plan) -> Receipt:
        """One look-up for each search term, or for the objective when there is none.

        Every candidate becomes a source that names the query, what the library states and the revision
        of the library; a standard that several queries found is one source. One that cannot be a source
        becomes a limitation.
        """
        from providers.standards.matching import search

        library = self._open_library()
        accessed_at = instant(self._clock())
        queries = tuple(dict.fromkeys(plan.request.search_terms or (plan.request.objective,)))
        found: dict[StandardRecord, list[tuple[str, Candidate]]] = {}
        limitations = []
        for query in queries:
            candidates = search(library, query)
            limitations += shortfalls(query, candidates)
            for candidate in candidates:
                found.setdefault(candidate.record, []).append((query, candidate))
        _check_room(len(found))
        algorithm = algorithm_of(plan.plan_id or "blake3:")
        sources, unusable = [], []
        for record, matches in found.items():
            try:
                sources.append(_source(library, record, matches, accessed_at, algorithm))
            except InvalidError as error:
                unusable.append(f"{legible(record.code, 200)}: {error.message}")
        if unusable:
            limitations.append(left_out(unusable))
        return Receipt(
            plan_id=plan.plan_id or "",
            request_id=plan.request.request_id or "",
            provider_id=self.provider_id,
            provider_kind=self.provider_kind,
            status="succeeded" if sources else "no_evidence",
            sources=tuple(sources),
            summary=_summary(library, len(queries), len(sources)),
            limitations=tuple(limitations),
            completed_at=instant(self._clock()),
        )


def _check_room(found: int) -> None:
    """A plan has at most 8 queries of 3 candidates, 24 in all; a receipt holds 64 sources."""
    if found > MOST_SOURCES:
        raise InvalidError(
            f"{found} candidate standards do not fit one receipt of {MOST_SOURCES} sources; "
            "split the search terms over several plans",
            subject="search_terms",
            hint=f"give each plan at most {MOST_SOURCES // 3} search terms: each has up to 3 candidates",
        )


def _source(
    library: Library,
    record: StandardRecord,
    matches: Iterable[tuple[str, Candidate]],
    accessed_at: str,
    algorithm: Algorithm,
) -> Source:
    return Source(
        source_ref=f"urn:cn-standard:{quote(fold(record.code), safe='')}",
        source_family=FAMILY,
        basis="stated",
        finding=finding(record, [matched(*match) for match in matches], library.revision),
        limitation=LIMITATION.format(name=legible(library.name, 200), revision=library.revision),
        accessed_at=accessed_at,
        content_digest=record_digest(record, algorithm),
    )


def _summary(library: Library, asked: int, answered: int) -> str:
    where = f"{legible(library.name, 200)}（{len(library)} 条，修订 {library.revision}）"
    return (
        f"在本地规范库 {where}中查询 {asked} 项，"
        f"得到候选规范 {answered} 条。 Queries: {asked}; candidate standards: {answered}."
    )
