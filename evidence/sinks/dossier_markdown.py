"""A dossier as the Markdown that reviewers read: numbered citations, withdrawn entries apart."""

from collections import Counter
from collections.abc import Sequence

from evidence.rendering.escape import code, markdown
from evidence.rendering.labels import DISPOSITIONS, NONE, ORIGINALS, RECEIPT_STATUSES, UNVERIFIED
from evidence.rendering.source_markdown import item, prose, prose_list, source_lines
from evidence.sinks.dossier_rows import Contents, Damage
from schemas.admission import Admission
from schemas.readback import Held
from schemas.request import Request

_UNREADABLE = "已损坏，不可读 damaged, unreadable"
_WEB = ("http://", "https://")


def render(question: Request, contents: Contents) -> str:
    """The whole document; the same contents give the same bytes.

    A citation keeps its number for ever; the number of a withdrawn entry is not given again.
    """
    current = [(number, held) for number, held in contents.entries if held.withdrawn is None]
    withdrawn = [(number, held) for number, held in contents.entries if held.withdrawn is not None]
    lines = [
        *("# 证据卷宗 Evidence dossier", ""),
        prose("目标 Objective", question.objective),
        prose("用户活动 User activity", question.user_activity),
        prose("决策 Decision", question.decision),
        item("请求编号 Request id", code(question.request_id or "")),
        *_section("证据 Evidence", [_current(*entry, contents) for entry in current]),
        *_section("已撤回 Withdrawn", [_withdrawn(*entry, contents) for entry in withdrawn]),
        *_section("历次决定 Decisions in order of arrival", _decisions(contents)),
        *_section("已损坏 Damaged", [[_damage(damage)] for damage in contents.damaged]),
        *("", "---", ""),
        f"- {ORIGINALS}",
        f"- {UNVERIFIED}",
    ]
    return "\n".join(lines) + "\n"


def _section(title: str, blocks: Sequence[Sequence[str]]) -> list[str]:
    lines = ["", f"## {title}"]
    for block in blocks:
        lines += ["", *block]
    return lines if blocks else [*lines, "", NONE]


def _current(number: int, held: Held, contents: Contents) -> list[str]:
    ref = held.source.source_ref
    return [
        *(f"### [{number}] {code(ref)}", ""),
        *source_lines(held.source, ("记录时间 Recorded", held.recorded_at)),
        *_lineage(held, contents),
        *([item("原文 Original", f"[打开 open](<{_address(ref)}>)")] if ref.startswith(_WEB) else []),
    ]


def _withdrawn(number: int, held: Held, contents: Contents) -> list[str]:
    return [
        *(f"### 已撤回 withdrawn {code(held.source.source_ref)}", ""),
        item("曾用编号 Former number", str(number)),
        item("撤回依据 Withdrawn by", code(held.withdrawn or "")),
        *source_lines(held.source, ("撤回记录时间 Withdrawal recorded", held.recorded_at)),
        *_lineage(held, contents),
    ]


def _lineage(held: Held, contents: Contents) -> list[str]:
    admission = contents.admissions.get(held.admission_id)
    return [
        item("采纳编号 Admission", code(held.admission_id)),
        prose("采纳理由 Reason", None if admission is None else admission.reason, _UNREADABLE),
    ]


def _address(ref: str) -> str:
    # Inside <…> an entity is still decoded and an angle bracket ends the address.
    return ref.replace("&", "&amp;").replace("<", "%3C").replace(">", "%3E")


def _decisions(contents: Contents) -> list[list[str]]:
    current = Counter(held.admission_id for _, held in contents.entries if held.withdrawn is None)
    withdrawn = Counter(held.admission_id for _, held in contents.entries if held.withdrawn is not None)
    return [
        [
            *_admission(admission),
            item("条目 Entries", f"现有 current {current[key]}, 已撤回 withdrawn {withdrawn[key]}"),
        ]
        for key, admission in contents.admissions.items()
    ]


def _admission(admission: Admission) -> list[str]:
    projection = admission.downstream_projection
    return [
        *(f"### {DISPOSITIONS[admission.disposition]} {code(admission.admission_id or '')}", ""),
        prose("理由 Reason", admission.reason),
        item("提供者 Provider", code(admission.provider_id)),
        item("回执状态 Receipt status", RECEIPT_STATUSES[admission.receipt_status]),
        item("完成时间 Completed", code(admission.completed_at)),
        prose("摘要 Summary", projection.summary),
        *prose_list("局限 Limitations", projection.limitations),
        item("计划编号 Plan id", code(admission.plan_id)),
    ]


def _damage(damage: Damage) -> str:
    return f"- {code(damage.source_ref) if damage.source_ref else _UNREADABLE}: {markdown(damage.reason)}"
