"""What is done in a folder again and again until it is killed no more."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ledger.erasure import erase
from tests.ledger.faults.run import Tell, run, told_by_verify
from tests.ledger.signing import opened
from tests.ledger.steps import append, begin, name_of, step

OLD = (Path(__file__).parents[1] / "layout1.sql").read_text(encoding="ascii")
MANY = 12  # records: the checkpoint beside the key grows at the tenth, and is replaced


def begun(folder: Path, _: Tell) -> None:
    """A key and a ledger with it."""
    opened(folder).close()


def published(folder: Path, _: Tell) -> None:
    """Many steps, each in a transaction."""
    with closing(opened(folder)) as ledger:
        for number in range(MANY):
            ledger.append(step(number, "policy.changed"))


def erased(folder: Path, _: Tell) -> None:
    """Two erasures, each listed beside the key, and the file written anew."""
    with closing(opened(folder)) as ledger:
        for number in range(2):
            assert erase(ledger, name_of(number), "asked for", "keeper").left is None


def scrubbed(folder: Path, _: Tell) -> None:
    """The file written anew, and the write-ahead file emptied."""
    with closing(opened(folder)) as ledger:
        for number in range(MANY):
            ledger.append(step(number, "policy.changed"))
            if number % 6 == 5:
                assert ledger.scrub() is None


def make_two(folder: Path) -> None:
    """Two plans that can be erased."""
    with closing(opened(folder)) as ledger:
        ledger.append(step(0, "policy.changed"), step(1, "policy.changed"))


def make_old(folder: Path) -> None:
    """A ledger of before the tree, as a dump brings it back: not in WAL mode."""
    with closing(sqlite3.connect(folder / "old.sqlite3")) as connection:
        connection.executescript(OLD)


def brought_up(folder: Path, _: Tell) -> None:
    """Another mode, another layout, and a step."""
    with closing(begin(folder / "old.sqlite3")) as ledger:
        append(ledger, step(100))


WORKS: dict[str, Callable[[Path, Tell], None]] = {
    "append": run,
    "verify": told_by_verify,
    "begin": begun,
    "publish": published,
    "erase": erased,
    "scrub": scrubbed,
    "bring up": brought_up,
}
