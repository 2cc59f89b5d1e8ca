"""`method:local-standards`: look citations up in a local library of standards and state what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from providers.base import Clock
from providers.standards.folding import fold
from providers.standards.library import Library, StandardRecord, record_digest
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
# A finding names up to eight queries of 256 units beside title and relation, within 4096 in all.
LONGEST_PART = 600

# What a library says about a standard is a statement; whether it is in force stays with the reader.
LIMITATION = (
    "本条为本地规范库（{name}，修订 {revision}）的陈述，"
    "现行与否由使用者判断；匹配度只表示文字与编号的相近程度。"
    " The local library states this; whether the standard is in force is the reader's judgement."
)

_SAME_CODE, _NO_YEAR, _NEAR_NAME = 9_800, 9_000, 7_500
_CODE_FITS = (
    (10_000, "编号一致"),
    (9_800, "编号一致，年号写作两位"),
    (9_300, "编号与年号一致，属性（如 GB 与 GB/T）不同"),
    (9_000, "编号一致，引用未写年号"),
    (8_000, "编号一致，缺年号或分部分号"),
    (7_500, "编号疑似有一字之差"),
    (7_000, "编号一致，年号不同"),
    (0, "编号不符"),
)
_NAME_FITS = ((10_000, "名称一致"), (7_500, "名称相近"), (0, "名称不符"))


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
            unavailable_reason=None if why_not is None else legible(why_not, 512),
        )

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
            limitations += _shortfalls(query, candidates)
            for candidate in candidates:
                found.setdefault(candidate.record, []).append((query, candidate))
        _check_room(len(found))
        algorithm = algorithm_of(plan.plan_id or "blake3:")
        sources, left_out = [], []
        for record, matches in found.items():
            try:
                sources.append(_source(library, record, matches, accessed_at, algorithm))
            except InvalidError as error:
                left_out.append(f"{legible(record.code, 200)}: {error.message}")
        if left_out:
            limitations.append(_left_out(left_out))
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
        finding=finding(record, matches, library.revision),
        limitation=LIMITATION.format(name=legible(library.name, 200), revision=library.revision),
        accessed_at=accessed_at,
        content_digest=record_digest(record, algorithm),
    )


def finding(record: StandardRecord, matches: Iterable[tuple[str, Candidate]], revision: str) -> str:
    """What the library states of `record`, in Chinese, for the queries that found it, and how they fit."""
    said = [matched(query, match.score, _fit(match)) for query, match in matches]
    return finding_of(record, said, revision)


def matched(query: str, score: int, fit: str = "") -> str:
    """That a query found a standard, how near, and how its number and name fit where that is known."""
    return f"查询“{legible(query, 260)}”匹配度 {score / 10000:.4f}{f'（{fit}）' if fit else ''}"


def finding_of(record: StandardRecord, said: Iterable[str], revision: str) -> str:
    """What a library of that revision states of `record`, and what was `said` of each query."""
    stated = (
        f"《{legible(record.title, LONGEST_PART)}》{legible(record.code, 200)}，"
        f"状态：{legible(record.status, 100) or '库中未载'}，"
        f"实施日期：{legible(record.implement_date, 100) or '库中未载'}，"
        f"替代关系：{legible(record.relation_text, LONGEST_PART) or '库中未载'}"
    )
    return f"{stated}。{'；'.join(said)}。规范库修订 {revision}。"


def _summary(library: Library, asked: int, answered: int) -> str:
    where = f"{legible(library.name, 200)}（{len(library)} 条，修订 {library.revision}）"
    return (
        f"在本地规范库 {where}中查询 {asked} 项，"
        f"得到候选规范 {answered} 条。 Queries: {asked}; candidate standards: {answered}."
    )


def _fit(match: Candidate) -> str:
    """In words how the number and the name of a query fit a standard (matching specification, 4 and 5)."""
    said = []
    if match.code_score or match.score != match.name_score:
        said.append(next(words for least, words in _CODE_FITS if match.code_score >= least))
    if match.name_score or match.score != match.code_score:
        said.append(next(words for least, words in _NAME_FITS if match.name_score >= least))
    return "，".join(said)


def _shortfalls(query: str, candidates: Sequence[Candidate]) -> list[str]:
    """What a reader must know when the cited standard is not plainly among the candidates."""
    if not candidates:
        return [_unmatched(query)]
    cited = f"查询“{legible(query, 260)}”"
    nearest = max(candidates, key=lambda candidate: candidate.code_score)
    numbered = nearest.code_score or any(found.score != found.name_score for found in candidates)
    if not numbered:
        return []
    if nearest.code_score == _NO_YEAR:
        return [f"{cited}未写年号，不能确定所指版本。 No year is cited; which edition is meant is open."]
    if nearest.code_score < _SAME_CODE:
        fit = f"所写的编号不在规范库中，所列只是相近的规范（{_fit(candidates[0])}）"
        return [f"{cited}{fit}。 The cited number is not in the library; what is listed is only near it."]
    if nearest.score != nearest.code_score and nearest.name_score < _NEAR_NAME:
        return [f"{cited}的编号在库中，但名称不符。 The number is there, under another name."]
    return []


def _unmatched(query: str) -> str:
    return f"查询“{legible(query, 260)}”在规范库中没有候选。 No candidate for this query."


def _left_out(faults: list[str]) -> str:
    listed = "；".join(faults)
    return legible(
        f"{len(faults)} 条候选规范不能作为来源。 Candidates that cannot be sources: {listed}", 1024
    )
