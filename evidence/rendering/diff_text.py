"""What two ledgers say differently, for people: Chinese and English side by side."""

from collections.abc import Iterator
from typing import Any

from evidence.rendering.escape import terminal
from evidence.rendering.labels import NONE
from schemas.text import shown as quoted

SHOWN = 50
_RELATIONS = {
    "same": "两者记录相同 the same records",
    "extends": "B 续写 A B has all records of A, and more",
    "behind": "B 只有 A 的前一部分 B has only the first records of A",
    "forked": "分叉 forked: they share records, then differ",
    "other_log": "不是同一本账 no record in common",
}
_STATES = {
    "planned": "计划 planned",
    "started": "开始执行 execution started",
    "executed": "执行结束 execution finished",
    "received": "回执 receipt observed",
    "admitted": "采纳 admitted",
    "rejected": "拒绝 rejected",
    "unknown": "决定的正文不在 decided, body not held",
    "superseded": "被取代 superseded",
    "uncovered": "下游尚未核到 not read back downstream",
    "retired": "已退休 retired",
    "erased": "正文已删除 body erased",
}


def render(difference: dict[str, Any]) -> str:
    """The wire form of `evidence.diff.Difference` as lines of text."""
    lines = [f"对比 Diff: {_RELATIONS[difference['relation']]}"]
    for side in ("a", "b"):
        told = difference[side]
        lines.append(f"  {side.upper()}: {told['records']} 条记录 records，末条 head {told['head'] or NONE}")
    fork = difference["first_difference"]
    if fork is not None:
        lines.append(f"  自第 {fork['seq']} 条起不同 first difference at record {fork['seq']}")
        lines += [f"      {side.upper()}: {fork[side] or NONE}" for side in ("a", "b")]
    for side in ("a", "b"):
        lines += _side(side.upper(), difference[f"only_in_{side}"])
    lines.append(f"  局限 limit: 只比较所存内容，是否成立见 audit replay。{difference['limit']}")
    return terminal("\n".join(lines))


def _side(name: str, facts: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    if not any(facts.values()):
        yield f"只见于 {name} only in {name}: {NONE}"
        return
    yield f"只见于 {name} only in {name}:"
    for state, rows in facts.items():
        if not rows:
            continue
        yield f"  {_STATES[state]}: {len(rows)}"
        yield from (f"    {_row(row)}" for row in rows[:SHOWN])
        if len(rows) > SHOWN:
            yield f"    … --format json ({len(rows) - SHOWN})"


def _row(row: dict[str, Any]) -> str:
    parts = [f"#{row['seq']}", row["source_ref"] or row["id"]]
    if row["objective"] is not None:
        parts.append(quoted(row["objective"], 80))
    if row["reason"] is not None:
        parts.append(f"理由 reason: {quoted(row['reason'], 80)}")
    return "  ".join([*parts, row["actor"], row["at"]])
