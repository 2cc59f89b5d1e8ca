"""A readback as Markdown for chat, reports and Lark/Feishu (lifecycle.md section 9)."""

from evidence.rendering.escape import code, markdown
from evidence.rendering.labels import (
    DISPOSITIONS,
    NO,
    NONE,
    ORIGINALS,
    REASONS,
    RECEIPT_STATUSES,
    RETIREMENTS,
    UNVERIFIED,
    YES,
)
from evidence.rendering.source_markdown import code_list, item, prose, prose_list, source_lines
from providers.moved import moved
from schemas.readback import Readback
from schemas.request import Request


def render(readback: Readback) -> str:
    """`readback` as Markdown in Chinese and English; every text of others is escaped.

    It uses headings, lists and code spans only, which the transports all know; the plan id is last.
    """
    lines = [
        "# 外部证据回读 External evidence readback",
        *_request(readback.request),
        *_receipt(readback),
        *_admission(readback),
        *_coverage(readback),
        *_sources(readback),
        *_difference(readback),
        *_blockers(readback),
        *("", "## 说明 Notes", ""),
        f"- {ORIGINALS}",
        f"- {UNVERIFIED}",
        item("计划编号 Plan id", code(readback.plan_id)),
    ]
    return "\n".join(lines) + "\n"


def _section(title: str) -> list[str]:
    return ["", f"## {title}", ""]


def _request(request: Request) -> list[str]:
    return [
        *_section("请求 Request"),
        prose("目标 Objective", request.objective),
        prose("用户活动 User activity", request.user_activity),
        prose("决策 Decision", request.decision),
        *prose_list("证据类型 Evidence kinds", request.evidence_kinds),
        *prose_list("约束 Constraints", request.constraints),
        *prose_list("检索词 Search terms", request.search_terms),
    ]


def _receipt(readback: Readback) -> list[str]:
    return [
        *_section("回执 Receipt"),
        item("提供者 Provider", code(readback.provider_id)),
        item("回执状态 Receipt status", RECEIPT_STATUSES[readback.receipt_status]),
        prose("摘要 Summary", readback.summary),
        *prose_list("局限 Limitations", readback.limitations),
    ]


def _admission(readback: Readback) -> list[str]:
    parent = readback.parent_admission
    title = _section("采纳方决定 Parent decision")
    if parent is None:
        return [*title, item("决定 Disposition", "尚未作出 not made yet")]
    return [
        *title,
        item("决定 Disposition", DISPOSITIONS[parent.disposition]),
        prose("理由 Reason", parent.reason),
        item("采纳编号 Admission id", code(parent.admission_id)),
    ]


def _coverage(readback: Readback) -> list[str]:
    parent, verdict = readback.parent_admission, readback.retirement
    admitted = len(parent.admitted_source_refs) if parent else 0
    lines = [
        *_section("覆盖与退休 Coverage and retirement"),
        item("下游已核到 Observed downstream", f"{len(readback.downstream_source_refs)} / {admitted}"),
    ]
    if verdict is None:
        return [*lines, item("退休 Retirement", "尚无决定 no decision yet")]
    return [
        *lines,
        item("退休 Retirement", RETIREMENTS[verdict.status]),
        item("原因 Reason", REASONS[verdict.reason]),
        *code_list("尚未读到 Not yet observed", verdict.missing_downstream_source_refs),
    ]


def _sources(readback: Readback) -> list[str]:
    parent = readback.parent_admission
    admitted = parent.admitted_source_refs if parent else ()
    lines = _section("来源 Sources")
    for number, source in enumerate(readback.sources, 1):
        ref = source.source_ref
        lines += [
            *([""] if number > 1 else []),
            *(f"### 来源 Source {number}", ""),
            item("引用 Reference", code(ref)),
            item("已采纳 Admitted", YES if ref in admitted else NO),
            item("下游已核到 Observed downstream", YES if ref in readback.downstream_source_refs else NO),
            *source_lines(source),
        ]
    return lines if readback.sources else [*lines, NONE]


def _difference(readback: Readback) -> list[str]:
    returned = [source.source_ref for source in readback.sources]
    requested = readback.request.source_refs
    lines = _section("请求与返回之差 Requested and returned")
    if requested is None:
        return [*lines, item("指定的引用 Requested references", NONE)]
    absent = [ref for ref in requested if ref not in returned]
    beside = [ref for ref in returned if ref not in requested]
    led = [(old, new) for old in absent for new in returned if moved(old, new) in readback.limitations]
    olds, news = {old for old, _ in led}, {new for _, new in led}
    return [
        *lines,
        *code_list("请求而未返回 Requested, not returned", [ref for ref in absent if ref not in olds]),
        *code_list("返回而未请求 Returned, not requested", [ref for ref in beside if ref not in news]),
        *(item("已跳转 Moved", f"{code(old)} → {code(new)}") for old, new in led),
    ]


def _blockers(readback: Readback) -> list[str]:
    lines = _section("写入受阻 Write blockers")
    for blocker in readback.write_blockers:
        ref = "引用不可读 unreadable reference" if blocker.source_ref is None else code(blocker.source_ref)
        lines.append(f"- {ref}: {code(blocker.code)} {markdown(blocker.reason)}")
    return lines if readback.write_blockers else [*lines, NONE]
