"""What a plan's constraints ask of a run, however people write them, and which of them were applied."""

import re
import unicodedata
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, Self

from schemas.plan import Plan
from schemas.text import legible

DUAL_SOURCE: Final = "dual_source"
CURRENT_ONLY: Final = "current_only"

LONGEST: Final = 60  # characters of a constraint that a receipt repeats
ALIKE: Final = 0.7  # dual_sorce, curent-only, current, duel_source


def _written(name: str) -> re.Pattern[str]:
    """`name` in either case with a hyphen, blanks or nothing for its underscore; no part of another word."""
    first, second = name.split("_")
    return re.compile(rf"(?<![a-z0-9_]){first}[\s_\-‐-―−]*{second}(?![a-z0-9_])")


_NAMES: Final = {name: _written(name) for name in (DUAL_SOURCE, CURRENT_ONLY)}


@dataclass(frozen=True, slots=True)
class Asking:
    """Which constraints a run applies; `others` are those that say nothing to it, as they are written."""

    applied: frozenset[str]
    others: tuple[str, ...] = ()

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """`Dual-Source` is `dual_source`: a demand that is overlooked would look as if it were met."""
        applied: set[str] = set()
        others = []
        for constraint in plan.request.constraints:
            text = unicodedata.normalize("NFKC", constraint).casefold()
            found = {name for name, written in _NAMES.items() if written.search(text)}
            if not found:
                others.append(constraint)
            applied |= found
        return cls(frozenset(applied), tuple(others))

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
        listed = "、".join(f"“{legible(one, LONGEST)}”" for one in self.others)
        others = f"；未由检索应用 not applied: {listed}" if self.others else ""
        return f"已应用约束 constraints applied: {names}{others}."

    def misspelt(self) -> list[str]:
        """A sentence for each constraint that was not applied and looks like one that would have been."""
        return [
            f"约束“{legible(one, LONGEST)}”未应用；是否指 {meant[0]}？"
            f" The constraint was not applied; was {meant[0]} meant?"
            for one in self.others
            if (meant := get_close_matches(_plain(one), _NAMES, 1, ALIKE))
        ]


def _plain(constraint: str) -> str:
    return re.sub(r"[\s\-‐-―−]+", "_", unicodedata.normalize("NFKC", constraint).casefold().strip())
