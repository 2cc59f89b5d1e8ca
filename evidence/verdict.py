"""The one word on a ledger, and the exit code that it has (ledger.md section 5)."""

from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from ledger.chain import Break
from ledger.places import Place

LIMIT = (
    "A ledger cannot show what was never appended, nor that its tail was cut off behind the newest"
    " checkpoint that you kept."
)


class Verdict(StrEnum):
    """What an auditor may say of a ledger."""

    VERIFIED = "VERIFIED"
    TAMPERED = "TAMPERED"
    FORKED = "FORKED"
    RULE_BROKEN = "RULE-BROKEN"
    CANNOT_VERIFY = "CANNOT-VERIFY"
    UNANCHORED = "UNANCHORED"
    TORN = "TORN"

    @property
    def exit_code(self) -> int:
        """The exit status of a command that gives this verdict."""
        return _EXITS[self]


_EXITS = {
    Verdict.VERIFIED: 0,
    Verdict.TAMPERED: 1,
    Verdict.FORKED: 1,
    Verdict.RULE_BROKEN: 1,
    Verdict.CANNOT_VERIFY: 2,
    Verdict.UNANCHORED: 3,
    Verdict.TORN: 4,
}


class Facts(NamedTuple):
    """All that a verdict depends on: what does not hold, what nobody can say, what it was compared with."""

    records: int = 0
    tampered: bool = False
    forked: bool = False
    rule_broken: bool = False
    torn: bool = False
    doubted: bool = False
    anchored: bool = False


def judge(facts: Facts) -> Verdict:
    """The worst word that the facts allow; nothing is VERIFIED that was compared with nothing.

    Bytes come before rules: what changed bytes mean is not worth asking.
    """
    if facts.tampered:
        return Verdict.TAMPERED
    if facts.forked:
        return Verdict.FORKED
    if facts.rule_broken:
        return Verdict.RULE_BROKEN
    if facts.torn:
        return Verdict.TORN
    if facts.doubted or not (facts.records or facts.anchored):
        return Verdict.CANNOT_VERIFY
    return Verdict.VERIFIED if facts.anchored else Verdict.UNANCHORED


def no_ledger(place: Place, why: str) -> Break:
    """The finding on what is at a ledger's place and cannot be opened as one."""
    if isinstance(place, Path):
        return Break(0, "file", "the file is a ledger", "a ledger", why)
    return Break(0, "database", "the database holds a ledger", "a ledger", why)
