"""`method:local-standards`: look citations up in a local library of standards and state what it says."""

from collections.abc import Callable, Iterable
from urllib.parse import quote

from providers.base import Clock
from providers.standards.library import Library, StandardRecord, record_digest
from schemas.canonical import Algorithm, algorithm_of
from schemas.dates import instant
from schemas.errors import EvidenceError
from schemas.plan import Plan
from schemas.provider import ProviderRow
from schemas.receipt import Receipt, Source
from schemas.text import units

PROVIDER_ID = "method:local-standards"
FAMILY = "local_standards_library"
LONGEST_PART = 1200

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
            return self._row(f"the standards library does not load: {error.message}")
        return self._row(None if len(library) else f"the standards library {library.name} is empty")

    def _row(self, why_not: str | None) -> ProviderRow:
        return ProviderRow(
            provider_id=self.provider_id,
            provider_kind=self.provider_kind,
            declared=True,
            installed=True,
            enabled=True,
            ready=why_not is None,
            unavailable_reason=None if why_not is None else why_not[:512],
        )

    def execute(self, plan: Plan) -> Receipt:
        """One look-up for each search term, or for the objective when there is none.

        Every candidate becomes a source that names the query, what the library states and the revision
        of the library; a standard that several queries found is one source.
        """
        from providers.standards.matching import search

        library = self._open_library()
        accessed_at = instant(self._clock())
        queries = plan.request.search_terms or (plan.request.objective,)
        found: dict[StandardRecord, list[tuple[str, int]]] = {}
        unmatched = []
        for query in dict.fromkeys(queries):
            candidates = search(library, query)
            if not candidates:
                unmatched.append(query)
            for candidate in candidates:
                found.setdefault(candidate.record, []).append((query, candidate.score))
        algorithm = algorithm_of(plan.plan_id or "blake3:")
        sources = tuple(
            _source(library, record, matches, accessed_at, algorithm) for record, matches in found.items()
        )
        return Receipt(
            plan_id=plan.plan_id or "",
            request_id=plan.request.request_id or "",
            provider_id=self.provider_id,
            provider_kind=self.provider_kind,
            status="succeeded" if sources else "no_evidence",
            sources=sources,
            summary=_summary(library, len(queries), len(sources)),
            limitations=tuple(_unmatched(query) for query in unmatched),
            completed_at=instant(self._clock()),
        )


def _source(
    library: Library,
    record: StandardRecord,
    matches: Iterable[tuple[str, int]],
    accessed_at: str,
    algorithm: Algorithm,
) -> Source:
    return Source(
        source_ref=f"urn:cn-standard:{quote(record.code, safe='')}",
        source_family=FAMILY,
        basis="stated",
        finding=finding(record, matches, library.revision),
        limitation=LIMITATION.format(name=_cut(library.name, 200), revision=library.revision),
        accessed_at=accessed_at,
        content_digest=record_digest(record, algorithm),
    )


def finding(record: StandardRecord, matches: Iterable[tuple[str, int]], revision: str) -> str:
    """What the library states of `record`, in Chinese, for the queries that found it."""
    queries = "；".join(f"查询“{_cut(query, 260)}”匹配度 {score / 10000:.4f}" for query, score in matches)
    stated = (
        f"《{_cut(record.title, LONGEST_PART)}》{_cut(record.code, 200)}，"
        f"状态：{_cut(record.status, 100) or '库中未载'}，"
        f"实施日期：{_cut(record.implement_date, 100) or '库中未载'}，"
        f"替代关系：{_cut(record.relation_text, LONGEST_PART) or '库中未载'}"
    )
    return f"{stated}。{queries}。规范库修订 {revision}。"


def _summary(library: Library, asked: int, answered: int) -> str:
    where = f"{_cut(library.name, 200)}（{len(library)} 条，修订 {library.revision}）"
    return (
        f"在本地规范库 {where}中查询 {asked} 项，"
        f"得到候选规范 {answered} 条。 Looked up {asked} queries, {answered} candidate standards."
    )


def _unmatched(query: str) -> str:
    return f"查询“{_cut(query, 260)}”在规范库中没有候选。 No candidate for this query."


def _cut(text: str, most: int) -> str:
    """`text` within `most` UTF-16 code units; a cut is shown as one."""
    if units(text) <= most:
        return text
    kept = text.encode("utf-16-le", "surrogatepass")[: 2 * (most - 1)].decode("utf-16-le", "ignore")
    return f"{kept}…"
