"""What a plan's constraints ask of a run, however people write them, and which of them were applied."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final, Self

from schemas.plan import Plan

DUAL_SOURCE: Final = "dual_source"
CURRENT_ONLY: Final = "current_only"


def _written(name: str) -> re.Pattern[str]:
    """`name` in either case with a hyphen, blanks or nothing for its underscore; no part of another word."""
    first, second = name.split("_")
    return re.compile(rf"(?<![a-z0-9_]){first}[\s_\-‐-―−]*{second}(?![a-z0-9_])")


_NAMES: Final = {name: _written(name) for name in (DUAL_SOURCE, CURRENT_ONLY)}


@dataclass(frozen=True, slots=True)
class Asking:
    """Which constraints a run applies; `others` counts those that say nothing to it."""

    applied: frozenset[str]
    others: int

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """`Dual-Source` is `dual_source`: a demand that is overlooked would look as if it were met."""
        applied: set[str] = set()
        others = 0
        for constraint in plan.request.constraints:
            text = unicodedata.normalize("NFKC", constraint).casefold()
            found = {name for name, written in _NAMES.items() if written.search(text)}
            others += not found
            applied |= found
        return cls(frozenset(applied), others)

    @property
    def dual(self) -> bool:
        """Whether both the corpus and the web have to deliver."""
        return DUAL_SOURCE in self.applied

    @property
    def current(self) -> bool:
        """Whether only what is in force counts."""
        return CURRENT_ONLY in self.applied

    def told(self) -> str:
        """The sentence of a receipt's summary."""
        names = ", ".join(sorted(self.applied)) or "无 none"
        others = f"；另有 {self.others} 条约束未由检索应用 not applied: {self.others}" if self.others else ""
        return f"已应用约束 constraints applied: {names}{others}."
