"""A verification's report for people: Chinese and English side by side."""

from collections.abc import Iterator
from typing import Any

from evidence.rendering.chinese import both
from evidence.rendering.escape import terminal, with_base64

WORDS = {
    "VERIFIED": "已核实",
    "TAMPERED": "被改动",
    "FORKED": "有分叉",
    "RULE-BROKEN": "违反规则",
    "CANNOT-VERIFY": "无法核实",
    "UNANCHORED": "前后一致，但无可比对",
    "TORN": "尾部不全",
}
_MOST_SHOWN = 20


def render(report: dict[str, Any]) -> str:
    """The report of `evidence.verify.Verification.to_wire` as lines of text."""
    lines = [f"账本核实 Ledger verification: {WORDS[report['verdict']]} {report['verdict']}"]
    lines += listed_reasons(report)
    if report["records"]:
        lines += [
            f"  日志 log: {report['log']}",
            f"  记录 records: {report['records']}，末条 head: {report['head']}",
        ]
    lines += [f"  密钥 key: {key}" for key in report["keys"]]
    lines += [f"  依据 anchored by: {both(one)}" for one in report["anchored_by"]]
    if report["torn"]:
        lines.append(f"  尾部 tail: {both(report['torn'])}")
    lines += listed_findings(report)
    lines += listed_seqs(report)
    lines += [f"  说明 note: {both(note)}" for note in report["notes"]]
    lines.append(
        "  局限 limit: 账本不能证明从未写入的内容，也不能证明您所留存的最新检查点之后没有被截断。"
        f"{report['limit']}"
    )
    return terminal("\n".join(lines))


def listed_reasons(report: dict[str, Any]) -> Iterator[str]:
    """Why there is no better word on a log; that it is empty is one."""
    yield from (f"  原因 reason: {both(reason)}" for reason in report["reasons"])
    if report["verdict"] == "CANNOT-VERIFY" and not report["reasons"]:
        yield f"  原因 reason: {both('the ledger has no record')}"


def listed_findings(report: dict[str, Any]) -> Iterator[str]:
    """The first findings of a verification or a replay, and how many there are."""
    findings = report["findings"]
    for finding in findings[:_MOST_SHOWN]:
        yield f"  × 记录 record {finding['seq']} {finding['field']}: {both(finding['rule'])}"
        yield f"      应为 expected: {with_base64(both(finding['expected']))}"
        yield f"      实为 found: {with_base64(both(finding['found']))}"
    if len(findings) > _MOST_SHOWN or report["findings_truncated"]:
        yield f"  … {len(findings)} 处问题，全部见 --format json; all findings: --format json"


def listed_seqs(report: dict[str, Any]) -> list[str]:
    """Which records a verification or a replay could not judge, and why."""
    reasons = {
        "cannot_interpret": "无法解释的记录 CANNOT-INTERPRET",
        "erased": "正文已删除 ERASED",
        "not_derived": "因此未能推出 NOT-DERIVED",
    }
    lines = []
    for name, what in reasons.items():
        seqs = report[name]
        if seqs:
            more = ", …" if len(seqs) > _MOST_SHOWN else ""
            lines.append(f"  {what}: {', '.join(map(str, seqs[:_MOST_SHOWN]))}{more}")
    return lines
