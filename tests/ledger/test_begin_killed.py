"""Killed while it begins, publishes, erases, writes the file anew or brings it up: no trace, no refusal.

What is done once more is done then, whatever the killed one left, and nothing of that is left after a step.
"""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from evidence.verify import verify
from ledger import standalone
from ledger.sqlite_readonly import open_readonly
from schemas.errors import NotFoundError
from tests.ledger.faults.campaign import Injector, Moment
from tests.ledger.faults.run import POLICY
from tests.ledger.faults.works import MANY, WORKS, make_old, make_two
from tests.ledger.signing import opened
from tests.ledger.steps import names, step, stored

RECORDS = {"begin": 1, "publish": 1 + MANY, "scrub": 1 + MANY, "erase": 1 + 2 + 1 + 2, "bring up": 7 + 1}
LONGEST = {"begin": 0.015, "publish": 0.06, "scrub": 0.06, "erase": 0.05, "bring up": 0.03}  # seconds
CALLS = (
    "openat",
    "pwrite64",
    "write",
    "fsync",
    "fdatasync",
    "link",
    "rename",
    "unlink",
    "ftruncate",
    "close",
)
KEPT = {"log.key", "log.key.checkpoint", "log.key.erased"}


@pytest.fixture(scope="module")
def injector() -> Iterator[Injector]:
    with Injector() as ready:
        yield ready


def prepared(folder: Path, what: str) -> Path:
    """A new folder for that work; the ledger that it makes or changes."""
    folder.mkdir()
    for tail in ("", "-journal"):  # of one that was killed before
        (folder / f"l.sqlite3.0123456789abcdef.new{tail}").touch()
    if what == "erase":
        make_two(folder)
    if what != "bring up":
        return folder / "l.sqlite3"
    for one in folder.iterdir():
        one.unlink()
    make_old(folder)
    return folder / "old.sqlite3"


def look(ledger: Path) -> None:
    """Who audits what a killed one left is never told of damage."""
    try:
        open_readonly(ledger)
    except NotFoundError:
        return
    word = verify(ledger, POLICY if ledger.name == "l.sqlite3" else None)
    assert word.verdict in ("VERIFIED", "UNANCHORED", "RULE-BROKEN"), word.to_wire()
    assert standalone.verify(ledger)["verdict"] in ("UNANCHORED", "RULE-BROKEN")
    with open_readonly(ledger).read() as reader:
        assert list(reader.index_breaks()) == []


def settle(ledger: Path, what: str) -> None:
    """It is done once more, and everything is as if nobody had been killed."""
    folder = ledger.parent
    look(ledger)
    WORKS[what](folder, lambda _: None)
    assert len(stored(open_readonly(ledger))) == RECORDS[what]
    look(ledger)
    assert set(names(folder)) - {"keys", "strace"} == {ledger.name}
    with closing(sqlite3.connect(ledger)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    if what != "bring up":
        with closing(opened(folder)) as again:  # nothing new was published if all had been appended
            again.append(step(MANY, "policy.changed"))
        assert set(names(folder / "keys")) <= KEPT
        with open_readonly(ledger).read() as reader:
            assert reader.last_checkpoint() == (folder / "keys" / "log.key.checkpoint").read_bytes()


def by_chance(injector: Injector, folder: Path, what: str, rounds: int, dice: Random) -> int:
    """Killed up to three times, then done; how many were killed."""
    count = 0
    for turn in range(rounds):
        ledger = prepared(folder / f"{what} {turn}", what)
        for _ in range(dice.randint(1, 3)):
            count += injector.killed(ledger.parent, what, dice.uniform(0.0005, LONGEST[what]))
            look(ledger)
        settle(ledger, what)
    return count


@pytest.mark.parametrize("what", RECORDS)
def test_whenever_it_is_killed_it_can_be_done_again_and_leaves_nothing(
    injector: Injector, tmp_path: Path, what: str
) -> None:
    assert by_chance(injector, tmp_path, what, 4, Random(31)) > 0


# Where a file has its new name and not yet lost the old one, or was about to.
@pytest.mark.strace
@pytest.mark.parametrize(
    ("what", "call", "when"),
    [
        ("begin", "link", 1),
        ("begin", "link", 2),
        ("begin", "unlink", 1),
        ("begin", "unlink", 3),
        ("begin", "unlink", 4),
        ("begin", "unlink", 5),
        ("begin", "unlink", 6),
        ("publish", "rename", 1),
        ("erase", "rename", 1),
        ("erase", "rename", 2),
        ("bring up", "unlink", 1),
        ("bring up", "fdatasync", 4),
        ("scrub", "ftruncate", 3),
    ],
)
def test_killed_at_that_call_it_leaves_nothing_once_it_was_done_again(
    injector: Injector, tmp_path: Path, what: str, call: str, when: int
) -> None:
    ledger = prepared(tmp_path / "x", what)
    assert injector.killed(ledger.parent, what, Moment(call, when))
    settle(ledger, what)


@pytest.mark.soak
@pytest.mark.strace
@pytest.mark.parametrize("what", RECORDS)
def test_killed_at_every_single_call(
    injector: Injector, tmp_path: Path, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = dict.fromkeys(CALLS, 0)
    for call in CALLS:
        while True:
            ledger = prepared(tmp_path / f"{call} {counts[call]}", what)
            if not injector.killed(ledger.parent, what, Moment(call, counts[call] + 1)):
                break
            settle(ledger, what)
            counts[call] += 1
    with capsys.disabled():
        sys.stdout.write(f"\n{what}: killed at {sum(counts.values())} calls, {counts}\n")
    assert sum(counts.values()) > 20


@pytest.mark.soak
@pytest.mark.parametrize("what", RECORDS)
def test_killed_by_chance_two_hundred_times(
    injector: Injector, tmp_path: Path, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    count = by_chance(injector, tmp_path, what, 100, Random(what))
    with capsys.disabled():
        sys.stdout.write(f"\n{what}: killed {count} times\n")
    assert count > 50
