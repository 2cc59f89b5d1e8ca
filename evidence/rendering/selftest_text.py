"""The self-test's report for people: Chinese and English side by side."""

from typing import Any

from evidence.rendering.escape import terminal

_MOST_SHOWN = 10


def render(report: dict[str, Any]) -> str:
    """The report of `evidence.selftest.SelfTest.to_wire` as lines of text."""
    word = "全部识破 all caught" if report["all_caught"] else "有未识破的 SOME WERE MISSED"
    lines = [
        f"篡改自测 Self-test by tampering: {word}",
        f"  记录 records: {report['records']}，原样 as it is: {report['clean']}",
        f"  篡改 edits: {report['edits']} / {report['edits_known']}",
        f"  识破 caught: {report['caught']}，未识破 missed: {report['missed']}",
        "",
        "  篡改 edits   识破 caught   结论 word     种类 kind",
    ]
    for row in report["kinds"]:
        words = ", ".join(row["words"])
        mark = "  " if row["caught"] == row["edits"] else "× "
        lines.append(f"{mark}{row['edits']:>10}   {row['caught']:>11}   {words:<13} {row['zh']} {row['en']}")
        lines += [
            f"      {one['where']}: 应为 expected {one['expected']}，实为 found {one['found']}"
            for one in row["missed"][:_MOST_SHOWN]
        ]
        if len(row["missed"]) > _MOST_SHOWN:
            lines.append("      … 全部见 --format json; all of them: --format json")
    lines += [f"  未试 not tried: {one['kind']}: {one['reason']}" for one in report["not_tried"]]
    lines.append(f"  局限 limit: 只说明这些篡改在这本账上会被看出，不说明账本本身无误。{report['limit']}")
    return terminal("\n".join(lines))
