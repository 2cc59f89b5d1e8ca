"""A verification's report for people: Chinese and English side by side."""

from typing import Any

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
_NOTES = (
    ("which is the one that was kept", "有签名的恢复记录放弃了一个见过的检查点，正是您留存的这一个 "),
    ("a signed ledger.restored, gave up", "有签名的恢复记录放弃了一个见过的检查点 "),
    ("no record before the cut", "截断处之前没有读得出的记录 "),
    ("before the cut the records", "截断处之前只读了记录和哈希链，没有读正文 "),
)


def render(report: dict[str, Any]) -> str:
    """The report of `evidence.verify.Verification.to_wire` as lines of text."""
    lines = [f"账本核实 Ledger verification: {WORDS[report['verdict']]} {report['verdict']}"]
    lines += [f"  原因 reason: {reason}" for reason in report["reasons"]]
    if report["records"]:
        lines += [
            f"  日志 log: {report['log']}",
            f"  记录 records: {report['records']}，末条 head: {report['head']}",
        ]
    lines += [f"  密钥 key: {key}" for key in report["keys"]]
    lines += [f"  依据 anchored by: {one}" for one in report["anchored_by"]]
    if report["torn"]:
        lines.append(f"  尾部 tail: {report['torn']}")
    findings = report["findings"]
    for finding in findings[:_MOST_SHOWN]:
        lines += [
            f"  × 记录 record {finding['seq']} {finding['field']}: {finding['rule']}",
            f"      应为 expected: {with_base64(finding['expected'])}",
            f"      实为 found: {with_base64(finding['found'])}",
        ]
    if len(findings) > _MOST_SHOWN or report["findings_truncated"]:
        lines.append(f"  … {len(findings)} 处问题，全部见 --format json; all findings: --format json")
    lines += listed_seqs(report)
    lines += [f"  说明 note: {chinese_note(note)}{note}" for note in report["notes"]]
    lines.append(
        "  局限 limit: 账本不能证明从未写入的内容，也不能证明您所留存的最新检查点之后没有被截断。"
        f"{report['limit']}"
    )
    return terminal("\n".join(lines))


def chinese_note(note: str) -> str:
    """The Chinese before a note, where there is any."""
    return next((chinese for part, chinese in _NOTES if part in note), "")


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
