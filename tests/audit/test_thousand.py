"""The acceptance at full size: a thousand random lives in one ledger, and two hundred edits of it."""

from pathlib import Path
from random import Random

import pytest

from tests.audit.edits import assert_seen, edit
from tests.audit.lives import make, replayed

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("thousand") / "l.sqlite3", 1000)


def test_a_thousand_random_lives_replay_clean(thousand: Path) -> None:
    report = replayed(thousand)
    assert report.findings == []
    assert (report.clean, report.plans) == (True, 1000)


def test_two_hundred_edits_of_a_thousand_lives_are_all_seen(thousand: Path, tmp_path: Path) -> None:
    chance = Random(200)
    for _ in range(200):
        copy = tmp_path / "copy.sqlite3"
        assert_seen(edit(thousand, copy, chance), replayed(copy))
