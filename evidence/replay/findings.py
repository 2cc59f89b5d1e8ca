"""What a replay found, from several places, in the order in which one look at all records finds it."""

from collections.abc import Iterable
from typing import NamedTuple

from ledger.chain import Break

MOST_FINDINGS = 1000
_MOST_HELD = 4 * MOST_FINDINGS

# The stages of a replay: records in order, what should have followed, indexes, signatures, the end.
RECORDS, FOLLOWING, INDEX, SIGNATURES, END = range(5)


class RuleBreak(Break):
    """A Break of the rules of a life by bytes that are as they were stored."""

    __slots__ = ()


class Place(NamedTuple):
    """Where a finding comes among the others: by stage, then by the record, then by what looked at it."""

    stage: int
    seq: int
    turn: int = 0


class Findings:
    """The first MOST_FINDINGS by their place, and whether there were more; memory holds a few times that."""

    def __init__(self) -> None:
        self._held: list[tuple[Place, int, Break]] = []
        self._count = 0
        self.truncated = False
        self.tampered = False
        self.rule_broken = False

    @property
    def none(self) -> bool:
        """Whether nothing was found."""
        return not (self.tampered or self.rule_broken)

    def add(self, place: Place, findings: Iterable[Break]) -> None:
        """Take what was found at one place, in order."""
        for finding in findings:
            if isinstance(finding, RuleBreak):
                self.rule_broken = True
            else:
                self.tampered = True
            self._held.append((place, self._count, finding))
            self._count += 1
            if len(self._held) > _MOST_HELD:
                self._cut()

    def merge(self, other: "Findings") -> None:
        """Take all that others found."""
        for place, finding in other.placed():
            self.add(place, (finding,))
        # What others found and did not list is found all the same.
        self.truncated |= other.truncated
        self.tampered |= other.tampered
        self.rule_broken |= other.rule_broken

    def listed(self) -> list[Break]:
        """The first ones in the order of their records, whatever looked at them."""
        return sorted((finding for _, finding in self.placed()), key=lambda finding: finding.seq)

    def placed(self) -> list[tuple[Place, Break]]:
        """The first ones in order, each with its place."""
        self._cut()
        return [(place, finding) for place, _, finding in self._held]

    def _cut(self) -> None:
        self._held.sort(key=lambda held: held[:2])
        self.truncated |= len(self._held) > MOST_FINDINGS
        del self._held[MOST_FINDINGS:]
