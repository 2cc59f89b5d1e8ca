"""What a receipt says of standards that were found, the same for a library as for a service."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from providers.standards.library import StandardRecord
from schemas.text import legible

if TYPE_CHECKING:  # the matcher is imported when a plan is executed
    from providers.standards.ranking import Candidate

# A finding names up to eight queries of 256 units beside title and relation, within 4096 in all.
LONGEST_PART = 600

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


def finding(record: StandardRecord, said: Iterable[str], revision: str) -> str:
    """What a library of that revision states of `record`, in Chinese, and what was `said` of each query."""
    stated = (
        f"《{legible(record.title, LONGEST_PART)}》{legible(record.code, 200)}，"
        f"状态：{legible(record.status, 100) or '库中未载'}，"
        f"实施日期：{legible(record.implement_date, 100) or '库中未载'}，"
        f"替代关系：{legible(record.relation_text, LONGEST_PART) or '库中未载'}"
    )
    return f"{stated}。{'；'.join(said)}。规范库修订 {revision}。"


def matched(query: str, match: Candidate) -> str:
    """That a query found a standard, how near, and how its number and name fit."""
    return said(query, match.score, fit(match))


def said(query: str, score: int, fits: str) -> str:
    """`matched`, of a score whose words are known."""
    return f"查询“{legible(query, 260)}”匹配度 {score / 10000:.4f}（{fits}）"


def fit(match: Candidate) -> str:
    """In words how the number and the name of a query fit a standard (matching specification, 4 and 5)."""
    words = []
    if match.code_score or match.score != match.name_score:
        words.append(next(words for least, words in _CODE_FITS if match.code_score >= least))
    if match.name_score or match.score != match.code_score:
        words.append(next(words for least, words in _NAME_FITS if match.name_score >= least))
    return "，".join(words)


def shortfalls(query: str, candidates: Sequence[Candidate]) -> list[str]:
    """What a reader must know when the cited standard is not plainly among the candidates."""
    cited = f"查询“{legible(query, 260)}”"
    if not candidates:
        return [f"{cited}在规范库中没有候选。 No candidate for this query."]
    nearest = max(candidates, key=lambda candidate: candidate.code_score)
    numbered = nearest.code_score or any(found.score != found.name_score for found in candidates)
    if not numbered:
        return []
    if nearest.code_score == _NO_YEAR:
        return [f"{cited}未写年号，不能确定所指版本。 No year is cited; which edition is meant is open."]
    if nearest.code_score < _SAME_CODE:
        near = f"所写的编号不在规范库中，所列只是相近的规范（{fit(candidates[0])}）"
        return [f"{cited}{near}。 The cited number is not in the library; what is listed is only near it."]
    if nearest.score != nearest.code_score and nearest.name_score < _NEAR_NAME:
        return [f"{cited}的编号在库中，但名称不符。 The number is there, under another name."]
    return []


def left_out(faults: Sequence[str]) -> str:
    """That candidates cannot be sources, and why."""
    listed = "；".join(faults)
    return legible(
        f"{len(faults)} 条候选规范不能作为来源。 Candidates that cannot be sources: {listed}", 1024
    )
