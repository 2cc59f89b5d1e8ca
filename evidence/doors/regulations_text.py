"""What the regulations commands say: defects, hits and comparisons, as lines for reviewers and as JSON."""

from typing import TYPE_CHECKING

from providers.regulations.comparison import WHOLE
from providers.regulations.disclosure import disclosed, text_told
from providers.regulations.kinds import MATCHES, bilingual

if TYPE_CHECKING:
    from collections.abc import Sequence

    from providers.regulations.comparison import Comparison, Row
    from providers.regulations.corpus import ImportReport
    from providers.regulations.defects import Defect
    from providers.regulations.edition import Edition
    from providers.regulations.node import Node
    from providers.regulations.pointer import Held, Revision
    from schemas.regulations import RegulationsSearchResult

MOST_SHOWN = 40
ANSWERS = {
    "ok": "有结果 ok",
    "empty": "没有找到 empty",
    "degraded": "不完整 degraded",
    "unavailable": "不可用 unavailable",
}
ROWS = {
    "same": "相同 same",
    "amended": "修改 amended",
    "renumbered": "条号变动 renumbered",
    "inserted": "新增 inserted",
    "deleted": "删除 deleted",
}


def defect(one: "Defect") -> dict[str, object]:
    """One defect as JSON."""
    return {
        "edition": one.edition_id,
        "file": one.file,
        "line": one.line,
        "kind": one.kind,
        "detail": one.detail,
        "blocks": one.blocks,
        "accept": one.name,
    }


def defect_line(one: "Defect") -> str:
    """One defect as a line."""
    word = "阻止发布 blocks" if one.blocks else "提示 note"
    place = f"{one.edition_id} {one.where}".strip()
    accept = f" 接受名 accept: {one.name}" if one.name else ""
    return f"  {place}: {bilingual(one.kind)}: {one.detail} [{word}]{accept}"


def import_lines(report: "ImportReport", everything: bool) -> list[str]:
    """What an import took in, and its defects, those that block first."""
    lines = [
        f"已收入草稿 taken in as drafts: {len(report.editions)} 版本 editions，{report.nodes} 节点 nodes"
    ]
    lines += defect_lines(report.defects, everything)
    if report.problems:
        lines.append(f"不能发布：{len(report.problems)} 项 blocked")
    return lines


# What may be a wrong file or a wrong date goes before what only was set aside.
SERIOUS = (
    *("title differs", "document number not in the file", "variant differs", "claimed status differs"),
    *("date in doubt", "effective before issued", "gap between editions", "no articles"),
    *("number twice", "accepted name of no problem", "commencement in the text differs"),
)
FEW = 3


def defect_lines(defects: "Sequence[Defect]", everything: bool) -> list[str]:
    """What blocks, one by one; notes one line a kind, the serious ones first, unless all are asked for."""
    blocking = [one for one in defects if one.blocks]
    notes = [one for one in defects if not one.blocks]
    if everything:
        return [*map(defect_line, [*blocking, *sorted(notes, key=_weight)])]
    lines = [*map(defect_line, blocking[:MOST_SHOWN])]
    if len(blocking) > MOST_SHOWN:
        lines.append(
            f"  另有 {len(blocking) - MOST_SHOWN} 项阻止发布 more that block; --all 全部列出 shows them"
        )
    kinds: dict[str, list[Defect]] = {}
    for one in sorted(notes, key=_weight):
        kinds.setdefault(one.kind, []).append(one)
    for kind, found in kinds.items():
        if len(found) == 1:
            lines.append(defect_line(found[0]))
            continue
        places = "，".join(f"{one.edition_id} {one.where}".strip() for one in found[:FEW])
        more = "，… --all 全部列出 shows all" if len(found) > FEW else ""
        lines.append(f"  {len(found)} × {bilingual(kind)} [提示 note]: {places}{more}")
    return lines


def _weight(one: "Defect") -> tuple[int, str]:
    return (SERIOUS.index(one.kind) if one.kind in SERIOUS else len(SERIOUS), one.kind)


STATES = {"draft": "草稿 draft", "published": "已发布 published", "withdrawn": "已撤回 withdrawn"}


def revision_line(one: "Revision") -> str:
    """One revision as a line, with the reason for which it was withdrawn."""
    reason = f"  撤回原因 reason: {one.reason}" if one.state == "withdrawn" else ""
    return (
        f"{'*' if one.current else ' '} {one.revision}  {STATES[one.state]}  "
        f"{one.editions} 版本 editions，{one.nodes} 节点 nodes  {_when(one)}{reason}"
    )


def _when(one: "Revision") -> str:
    """What happened last to a revision, and when."""
    if one.withdrawn_at:
        return f"撤回于 withdrawn {one.withdrawn_at}"
    if not one.published_at:
        return f"建立于 built {one.built_at}"
    return f"最近一次发布于 last published {one.published_at}"


def held_line(one: "Held") -> str:
    """Where an edition of a withdrawn revision still is."""
    places = [*one.revisions, *(["草稿 drafts"] if one.draft else [])]
    return f"  {one.edition_id} 仍在 is still in: {'，'.join(places)}"


def unverified(because: str) -> str:
    """What stands behind the hash of a node that was not verified; `because` it was withdrawn."""
    if not because:
        return "（未通过 not verified）"
    return f"（未核验：该语料修订已撤回 not verified: withdrawn）撤回原因 reason：{because}"


def hit_lines(result: "RegulationsSearchResult") -> list[str]:
    """A search result for a reader."""
    state = ANSWERS.get(result.state, result.state)
    lines = [f"法规检索 search: {state}，语料修订 revision {result.corpus_revision}"]
    word = "原因 reason" if result.state in ("degraded", "unavailable") else "说明 note"
    lines += [f"  {word}: {reason}" for reason in result.degraded_reasons]
    for number, hit in enumerate(result.hits, 1):
        label = f"（{hit.edition_label}）" if hit.edition_label else ""
        lines += [
            f"{number:3}. 《{hit.title}》{label}{hit.clause_no}  {hit.legal_status}",
            f"     {hit.node_id}  [{_found(hit.match_kinds)}] {hit.score:.4f}",
        ]
        if hit.excerpt:
            lines.append(f"     {hit.excerpt}".replace("\n", " "))
        elif hit.disclosure not in ("full", "excerpt"):
            lines.append(f"     {undisclosed(hit.disclosure, hit.withheld_reason)}")
    return lines


def undisclosed(level: str, reason: str) -> str:
    """That no text is shown at this level, and why where its keeper says so."""
    return f"（正文不披露 not disclosed: {level}{f'：{reason}' if reason else ''}）"


def _found(kinds: "Sequence[str]") -> str:
    return "、".join(MATCHES.get(kind, kind) for kind in kinds)


def diff_row(row: "Row", editions: "tuple[Edition, Edition]") -> dict[str, object]:
    """One row of a comparison; of each text as much as its edition discloses."""
    wire: dict[str, object] = {"kind": row.kind, "changed": row.changed}
    if all(text_told(edition.disclosure) for edition in editions):
        wire["score"] = row.score
    for name, node, edition in zip(("old", "new"), (row.old, row.new), editions, strict=True):
        if node is not None:
            shown = disclosed(node, edition)
            side: dict[str, object] = {
                "nodeId": node.node_id,
                "clauseNo": node.clause_no,
                "nodeSha256": node.sha256,
                "disclosure": shown.disclosure,
            }
            wire[name] = {**side, "excerpt": shown.excerpt} if shown.excerpt else side
    return wire


def diff_lines(compared: "Comparison", editions: "tuple[Edition, Edition]", everything: bool) -> list[str]:
    """A comparison for a reader."""
    counts = "，".join(f"{ROWS[kind]} {count}" for kind, count in sorted(compared.counts().items()))
    moved = sum(row.kind == "renumbered" and row.changed for row in compared.rows)
    if moved:
        counts += f"（条号变动的有 {moved} 条文字也变 renumbered and amended: {moved}）"
    lines = [f"新旧对照 comparison: {counts or '没有条文 no articles'}", *_order_lines(editions)]
    for row in compared.rows:
        if row.kind == "same" and not everything:
            continue
        numbers = " → ".join(
            node.clause_no or node.node_id for node in (row.old, row.new) if node is not None
        )
        paired = row.old is not None and row.new is not None
        told = all(text_told(edition.disclosure) for edition in editions)
        likeness = f"（相似 likeness {row.score / WHOLE:.2f}）" if paired and told else ""
        if (
            row.old is not None
            and row.new is not None
            and not row.changed
            and row.old.sha256 != row.new.sha256
        ):
            likeness += "（仅全半角、空白或编号不同 only width, white space or numbers differ）"
        lines.append(f"{numbers}  {ROWS[row.kind]}{likeness}")
        if row.changed:
            sides = zip(("旧 old", "新 new"), (row.old, row.new), editions, strict=True)
            lines += [
                f"  {word}: {_told(node, edition)}" for word, node, edition in sides if node is not None
            ]
    return lines


def _order_lines(editions: "tuple[Edition, Edition]") -> list[str]:
    """What a reader would else take for a comparison of an edition with the one that followed it."""
    old, new = editions
    if old.regulation_id != new.regulation_id:
        return ["  注意 note: 这是两件法规 these are two regulations"]
    if old.edition_id == new.edition_id:
        return ["  注意 note: 这是同一版本 this is one edition"]
    if old.key > new.key:
        return ["  注意 note: 次序颠倒，前者较新 in reverse order: the first is the newer one"]
    return []


def _told(node: "Node", edition: "Edition") -> str:
    shown = disclosed(node, edition)
    if not shown.excerpt and node.text:
        return f"（不披露 not disclosed: {shown.disclosure}）"
    rest = "" if shown.end == len(node.text) else "（余文不披露 the rest is not disclosed）"
    return f"{shown.excerpt}{rest}".replace("\n", "\n    ")
