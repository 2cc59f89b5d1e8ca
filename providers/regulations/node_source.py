"""A resolved node as a source of a receipt: what the corpus states, and what that does not prove."""

from dataclasses import dataclass, field

from providers.regulations.disclosure import heading_told
from providers.regulations.edition import Edition
from providers.regulations.node import text_sha256
from schemas.receipt import Source
from schemas.regulations import RegulationEvidence
from schemas.text import legible

FAMILY = "regulation"
QUOTED = 1000
"""Code points of a node that a finding quotes; offsets are those of what is quoted."""
EMPTY = text_sha256("")
_DISCLOSED = {
    "full": "全文 full",
    "excerpt": "摘录 excerpt",
    "metadata_only": "仅元数据 metadata_only",
    "withheld": "不披露 withheld",
}


@dataclass
class Cited:
    """One node of one revision, and which queries led to it in which way."""

    revision: str
    node_id: str
    start: int = 0
    end: int = 0
    found: list[str] = field(default_factory=list)
    length: int = 0  # code points of the whole text; 0 where that is not known

    @property
    def ref(self) -> str:
        """Its source reference."""
        return f"urn:kbreg:{self.revision}:{self.node_id}"


def node_source(
    cited: Cited,
    evidence: RegulationEvidence,
    edition: Edition,
    heading_path: tuple[str, ...],
    status: tuple[str, str],
    accessed_at: str,
) -> Source:
    """The evidence as what the corpus states; `status` is the legal status and the day it is computed for.

    The content digest is the SHA-256 of the node's whole text, which anybody can recompute.
    """
    return Source(
        source_ref=cited.ref,
        source_family=FAMILY,
        basis="stated",
        finding=_finding(cited, evidence, edition, heading_path, status),
        limitation=_limitation(evidence, edition, status),
        publication_date=edition.promulgated_on,
        accessed_at=accessed_at,
        content_digest=f"sha256:{evidence.node_sha256}",
    )


def _finding(
    cited: Cited,
    evidence: RegulationEvidence,
    edition: Edition,
    heading_path: tuple[str, ...],
    status: tuple[str, str],
) -> str:
    # Headings are words of the edition too, and only its number and name may be told where it is withheld.
    headings = heading_path if heading_told(evidence.disclosure) else ()
    where = " › ".join(legible(heading, 80) for heading in headings)
    parts = [
        f"《{legible(edition.title, 200)}》{_bracketed(edition.label, edition.doc_no)}",
        f"{legible(evidence.clause_no, 80)}{f'（{where}）' if where else ''}",
        f"{status[1]}（北京时间）的效力状态：{status[0]}",
    ]
    parts.append(_quoted(cited, evidence) if evidence.excerpt else _untold(evidence))
    if cited.found:
        parts.append(f"得自：{said('；'.join(dict.fromkeys(cited.found)), 900)}")
    parts.append(f"语料修订 {evidence.corpus_revision}，节点 SHA-256 {evidence.node_sha256}，哈希已核验")
    return "。".join(part for part in parts if part) + "。"


def _quoted(cited: Cited, evidence: RegulationEvidence) -> str:
    """The slice, its offsets in the node's text, which has no 条 and 项 numbers, and that it is a part."""
    quoted = evidence.excerpt[:QUOTED]
    end = evidence.start + len(quoted)
    part = evidence.start > 0 or len(quoted) < len(evidence.excerpt) or end < cited.length
    told = f"（节选，全文 {cited.length} 个码点）" if part and cited.length else "（节选）" if part else ""
    before, after = "……" * (evidence.start > 0), "……" * (part and end != cited.length)
    return f"节点文本（不含条、项序号）[{evidence.start}:{end}]{told}：{before}“{quoted}”{after}"


def _untold(evidence: RegulationEvidence) -> str:
    """That the text is not disclosed, with the reason that its keeper states, if there is one."""
    if evidence.node_sha256 == EMPTY:
        return "该节点没有自己的文字"
    reason = said(evidence.withheld_reason, 200)
    return f"不披露正文（原因：{reason}）" if reason else "不披露正文"


def _limitation(evidence: RegulationEvidence, edition: Edition, status: tuple[str, str]) -> str:
    source = legible(edition.source, 300) or "未载 unknown"
    stated, english = (
        ("文本", "states the text of this edition")
        if evidence.excerpt
        else ("条款号和哈希，不给出正文", "states number and hash of this clause and not its text")
    )
    return (
        f"语料库陈述版本 {edition.edition_id}（来源：{source}）的{stated}；"
        f"效力状态由库中日期按 {status[1]}（北京时间）推算，"
        f"披露级别：{_DISCLOSED.get(evidence.disclosure, evidence.disclosure)}；是否适用由使用者判断。"
        f" The corpus {english}; its legal status ({status[0]}) is computed from the"
        f" dates in the corpus as of {status[1]} (Beijing time); whether it applies is the reader's to judge."
    )


def said(text: str, longest: int) -> str:
    """`text` within a sentence that goes on: without its own full stop."""
    return legible(text, longest).rstrip("。. ")


def _bracketed(*parts: str) -> str:
    told = "，".join(legible(part, 120) for part in parts if part)
    return f"（{told}）" if told else ""
