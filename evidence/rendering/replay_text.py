"""A replay's report for people: Chinese and English side by side."""

from typing import Any

from evidence.rendering.escape import terminal


def render(report: dict[str, Any]) -> str:
    """The report of `evidence.audit.Replay.to_wire` as lines of text."""
    verdict = "完好 clean" if report["clean"] else "不成立 does not hold"
    lines = [
        f"账本重放 Ledger replay: {verdict}",
        f"  日志 log: {report['log']}",
        f"  记录 records: {report['records']}，末条 head: {report['head']}",
        f"  计划 plans: {report['plans']}，回执 receipts: {report['receipts']}",
        f"  决定 decisions: {report['admissions']}，已退休 retired: {report['retired']}",
    ]
    lines += [_call(row) for row in report["provider_calls"]]
    findings = report["findings"]
    lines += [_finding(finding) for finding in findings[:20]]
    if len(findings) > 20 or report["findings_truncated"]:
        lines.append(f"  … {len(findings)} 处问题，全部见 --format json; all findings: --format json")
    if len(findings) > 1:
        lines.append(
            "  以第一处为准，其后可能是它的后果 look at the first: those after it may follow from it"
        )
    if report["cannot_interpret"]:
        seqs = ", ".join(map(str, report["cannot_interpret"][:20]))
        lines.append(f"  无法解释的记录 CANNOT-INTERPRET: {seqs}")
    lines.append(f"  局限 limit: 账本不能证明从未写入的内容。{report['limit']}")
    return terminal("\n".join(lines))


def _call(row: dict[str, Any]) -> str:
    return f"  提供方调用 provider calls: {row['actor']} {row['action']} {row['state']} × {row['calls']}"


def _finding(finding: dict[str, Any]) -> str:
    return (
        f"  × 记录 record {finding['seq']} {finding['field']}: {finding['rule']}\n"
        f"      应为 expected: {finding['expected']}\n"
        f"      实为 found: {finding['found']}"
    )
