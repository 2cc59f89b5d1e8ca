"""Four writers of one ledger with a key, killed: what was acknowledged is there, once, and verifies."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.ledger.faults.killing import assert_kept, ended, kill_often, start
from tests.ledger.signing import signing


def test_four_writers_that_are_killed_lose_nothing_that_they_had_been_told_of(tmp_path: Path) -> None:
    told = kill_often(tmp_path, kills=4)
    assert (told.kills, told.acknowledged >= 16, told.records > told.acknowledged) == (16, True, True)


def write_together(folder: Path, writers: int, steps: int) -> int:
    """So many processes append at once, and begin the ledger at once; how many records it has."""
    signing(folder / "keys")
    running = [start(folder, f"w{number}", 0, steps) for number in range(writers)]
    with ThreadPoolExecutor(writers) as pool:
        acknowledged = [line for lines in pool.map(ended, running) for line in lines]
    assert len(acknowledged) == writers * steps
    return assert_kept(folder, acknowledged)


def test_writers_begin_one_signed_ledger_and_none_of_them_loses_or_doubles_a_step(tmp_path: Path) -> None:
    assert write_together(tmp_path, writers=4, steps=15) == 4 * 15 + 2


@pytest.mark.soak
def test_sixteen_writers_of_two_hundred_steps_each(tmp_path: Path) -> None:
    assert write_together(tmp_path, writers=16, steps=200) == 16 * 200 + 2


@pytest.mark.soak
def test_four_writers_that_are_killed_two_hundred_times(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = kill_often(tmp_path, kills=52)
    with capsys.disabled():
        sys.stdout.write(f"\n{told}\n")
    assert told.kills >= 200
