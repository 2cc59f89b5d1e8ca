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
# As the documents and reviewers say it.
_SAID: Final = {
    DUAL_SOURCE: re.compile("双源|双来源|两源核验|两个来源核验"),
    CURRENT_ONLY: re.compile(
        r"现行有效|[只仅限][^，,。；;]{0,4}现行|^现行(?:的|版本?)?$|(?<![a-z0-9_])only[\s_\-‐-―−]*current(?![a-z0-9_])"
    ),
}
# 不要求现行有效 is no such demand; what it asks is told as not applied.
_DENIED: Final = re.compile("[不无非未免勿]")


def _meant(text: str) -> set[str]:
    """The constraints that folded `text` demands."""
    found = {name for name, written in _NAMES.items() if written.search(text)}
    if not _DENIED.search(text):
        found |= {name for name, written in _SAID.items() if written.search(text)}
    return found


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
            found = _meant(text.strip())
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

    def unapplied(self) -> list[str]:
        """A sentence for each constraint that was not applied, and what one that looks misspelt may mean."""
        return [
            f"约束“{legible(one, LONGEST)}”未应用；{chinese} The constraint was not applied; {english}"
            for one in self.others
            for chinese, english in [_advice(one)]
        ]


def _advice(constraint: str) -> tuple[str, str]:
    meant = get_close_matches(_plain(constraint), _NAMES, 1, ALIKE)
    if meant:
        return f"是否指 {meant[0]}？", f"was {meant[0]} meant?"
    return "请自行核对。", "see to it yourself."


def _plain(constraint: str) -> str:
    return re.sub(r"[\s\-‐-―−]+", "_", unicodedata.normalize("NFKC", constraint).casefold().strip())
