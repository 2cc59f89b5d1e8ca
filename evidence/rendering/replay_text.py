"""A replay's report for people: Chinese and English side by side."""

from typing import Any

from evidence.rendering.escape import terminal
from evidence.rendering.verify_text import WORDS, chinese_note, listed_seqs

_MOST_SHOWN = 20
_CHINESE = (
    ("compared with nothing outside the ledger", "没有与账本以外的任何东西比对 "),
    ("compared with the ", "已与留存的检查点比对，此外没有与账本以外的任何东西比对 "),
    ("no record comes after that checkpoint", "检查点之后没有新的记录，没有要重新推出的步骤 "),
)


def render(report: dict[str, Any]) -> str:
    """The answer of `evidence.replayed.Replayed.to_wire` as lines of text."""
    word = report["verdict"]
    verdict = "完好 clean" if word is None else f"{WORDS[word]} {word}"
    lines = [f"账本重放 Ledger replay: {verdict}"]
    lines += [f"  原因 reason: {reason}" for reason in report["reasons"]]
    if report["records"]:
        lines += _told(report)
    if report["torn"]:
        lines.append(f"  尾部 tail: {report['torn']}")
    lines += _findings(report)
    lines += listed_seqs(report)
    lines += [f"  说明 note: {_chinese(note)}{note}" for note in report["notes"]]
    lines.append(f"  局限 limit: 账本不能证明从未写入的内容，也不能证明末尾没有被截断。{report['limit']}")
    return terminal("\n".join(lines))


def _chinese(note: str) -> str:
    return next((chinese for begins, chinese in _CHINESE if note.startswith(begins)), "") or chinese_note(
        note
    )


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
    findings = report["findings"]
    lines = [_finding(finding) for finding in findings[:_MOST_SHOWN]]
    if len(findings) > _MOST_SHOWN or report["findings_truncated"]:
        lines.append(f"  … {len(findings)} 处问题，全部见 --format json; all findings: --format json")
    if len(findings) > 1:
        lines.append(
            "  以第一处为准，其后可能是它的后果 look at the first: those after it may follow from it"
        )
    return lines


def _finding(finding: dict[str, Any]) -> str:
    return (
        f"  × 记录 record {finding['seq']} {finding['field']}: {finding['rule']}\n"
        f"      应为 expected: {finding['expected']}\n"
        f"      实为 found: {finding['found']}"
    )
