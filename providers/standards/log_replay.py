"""Ask a log's queries again, of another library or under other rules, and tell what would change."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from providers.standards.answer import CandidateWire, answer
from providers.standards.library import Library
from providers.standards.log_reading import Asked
from providers.standards.rules import Rules
from schemas.errors import UsageError

RULE_NAMES = {f"R{number}": name for number, name in enumerate(Rules.__dataclass_fields__, 1)}


@dataclass(frozen=True)
class Changed:
    """One query whose answer would change, and how: the strongest word that is true."""

    asked: Asked
    now: list[CandidateWire]
    kind: str

    def to_wire(self) -> dict[str, object]:
        """The change as the doors print it: code, status and score, before and now."""
        return {
            "query": self.asked.query,
            "count": self.asked.count,
            "change": self.kind,
            "before": _brief(self.asked.candidates),
            "now": _brief(self.now),
        }


KINDS = {
    "newly_matched": "由未命中变为命中 newly matched",
    "newly_unmatched": "由命中变为未命中 newly unmatched",
    "other_first": "首选变了 another first",
    "other_list": "其余候选变了 another list",
    "other_scores": "分数变了 other scores",
    "other_facts": "状态等内容变了 other facts",
}
"""How an answer changes, and its words; the most telling first."""


def rules_without(names: Iterable[str]) -> Rules:
    """All rules but those named, R1 to R8 (matching specification). Raises UsageError for another name."""
    off = {}
    for name in names:
        if name.upper() not in RULE_NAMES:
            raise UsageError(
                f"there is no rule {name!r}; known: {', '.join(RULE_NAMES)}", subject="--rule-off"
            )
        off[RULE_NAMES[name.upper()]] = False
    return Rules(**off)


def replay(asked: Iterable[Asked], library: Library, rules: Rules) -> dict[str, object]:
    """What would change: how many queries in each way, counted once and as often as asked, and which."""
    changes = []
    queries = times = 0
    for one in asked:
        queries += 1
        times += one.count
        now = answer(library, one.query, rules)["candidates"]
        kind = change(one.candidates, now)
        if kind is not None:
            changes.append(Changed(one, now, kind))
    order = {kind: place for place, kind in enumerate(KINDS)}
    changes.sort(key=lambda found: (order[found.kind], -found.asked.count, found.asked.query))
    once = Counter(found.kind for found in changes)
    often: Counter[str] = Counter()
    for found in changes:
        often[found.kind] += found.asked.count
    return {
        "library": {"name": library.name, "standards": len(library), "revision": library.revision},
        "rules_off": [number for number, name in RULE_NAMES.items() if not getattr(rules, name)],
        "queries": queries,
        "times": times,
        "unchanged": queries - len(changes),
        "changed": {kind: {"queries": once[kind], "times": often[kind]} for kind in KINDS},
        "changes": [found.to_wire() for found in changes],
    }


def change(before: list[CandidateWire], now: list[CandidateWire]) -> str | None:
    """How an answer changed; None when every field of it is the same."""
    codes, codes_now = ([found["code"] for found in one] for one in (before, now))
    scores, scores_now = ([found["match_score"] for found in one] for one in (before, now))
    if codes == codes_now:
        if scores != scores_now:
            return "other_scores"
        return None if before == now else "other_facts"
    if not codes:
        return "newly_matched"
    if not codes_now:
        return "newly_unmatched"
    return "other_first" if codes[0] != codes_now[0] else "other_list"


def _brief(candidates: list[CandidateWire]) -> list[dict[str, object]]:
    names = ("code", "status", "match_score")
    return [{name: dict(found).get(name, "") for name in names} for found in candidates]
