"""A replay's report for people: Chinese and English side by side."""

from typing import Any

from evidence.rendering.chinese import both
from evidence.rendering.escape import terminal
from evidence.rendering.verify_text import WORDS, listed_findings, listed_reasons, listed_seqs


def render(report: dict[str, Any]) -> str:
    """The answer of `evidence.replayed.Replayed.to_wire` as lines of text."""
    word = report["verdict"]
    verdict = "完好 clean" if word is None else f"{WORDS[word]} {word}"
    lines = [f"账本重放 Ledger replay: {verdict}"]
    lines += listed_reasons(report)
    if report["records"]:
        lines += _told(report)
    if report["torn"]:
        lines.append(f"  尾部 tail: {both(report['torn'])}")
    lines += _findings(report)
    lines += listed_seqs(report)
    lines += [f"  说明 note: {both(note)}" for note in report["notes"]]
    lines.append(f"  局限 limit: 账本不能证明从未写入的内容，也不能证明末尾没有被截断。{report['limit']}")
    return terminal("\n".join(lines))


def _told(report: dict[str, Any]) -> list[str]:
    lines = [
        f"  日志 log: {report['log']}",
        f"  记录 records: {report['records']}，末条 head: {report['head']}",
    ]
    if report["believed_up_to"] == report["records"]:
        return lines  # a note says that nothing was derived
    if report["believed_up_to"] is not None:
        lines.append(
            f"  只重新推出其后有新步骤的计划 derived again: the plans with a step after record"
            f" {report['believed_up_to'] - 1}"
        )
    if report["left_out"] is not None:
        lines.append(f"  未查 left out: 各计划的结尾、索引、签名；{report['left_out']}")
    lines += [
        f"  计划 plans: {report['plans']}，回执 receipts: {report['receipts']}",
        f"  决定 decisions: {report['admissions']}，已退休 retired: {report['retired']}",
    ]
    return lines + [
        f"  提供方调用 provider calls: {row['actor']} {row['action']} {row['state']} × {row['calls']}"
        for row in report["provider_calls"]
    ]


def _findings(report: dict[str, Any]) -> list[str]:
    lines = list(listed_findings(report))
    if len(report["findings"]) > 1:
        lines.append(
            "  以第一处为准，其后可能是它的后果 look at the first: those after it may follow from it"
        )
    return lines
