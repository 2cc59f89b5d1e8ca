"""The doctor's report for people: Chinese and English side by side."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from evidence.rendering.chinese import both
from evidence.rendering.escape import terminal

_HARM = {
    True: "无害 harmless",
    False: "不可当作无害 not to be taken for harmless",
    None: "看不出是否有害，要看原文件 nothing tells: see the original",
}
_OF_NO_RECORDS = ("key-missing", "key-unusable")  # nothing in the ledger is harmed or not by them


def render(report: dict[str, Any]) -> str:
    """The report of `evidence.doctor.Diagnosis.to_wire` as lines of text."""
    causes = report["causes"]
    if causes:
        word = f"发现 {len(causes)} 项 found {len(causes)}"
    else:
        word = "无法查看 cannot look" if report["cannot_look"] else "没有发现 found nothing"
    lines = [f"账本诊断 Ledger doctor: {word}", f"  账本 ledger: {report['ledger']}"]
    if report["cannot_look"]:
        lines.append(f"  原因 reason: {both(report['cannot_look'])}")
    for _, same in groupby(causes, itemgetter("code")):
        lines += _cause(list(same))
    for note in report["notes"]:
        lines.append(f"  · {note['zh']}{note['en']} [{note['code']}]")
        lines += [f"      所见 seen: {both(fact)}" for fact in note["evidence"]]
    lines.append(f"  局限 limit: 只认得已知的原因；没有发现不等于账本无误。{report['limit']}")
    return terminal("\n".join(lines))


def _cause(same: list[dict[str, Any]]) -> Iterator[str]:
    """What is the matter, once; and all that it was seen by."""
    cause = same[0]
    harm = "" if cause["code"] in _OF_NO_RECORDS else f"，{_HARM[cause['benign']]}"
    yield f"  ! {cause['zh']}"
    yield f"    {cause['en']} [{cause['code']}{harm}]"
    yield from (f"      所见 seen: {both(fact)}" for one in same for fact in one["evidence"])
    yield f"      怎么办: {cause['do_zh']}"
    yield f"      what to do: {cause['do_en']}"
