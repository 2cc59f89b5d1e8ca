"""Records, bodies, checkpoints and tails of a signed ledger of fifty dropped, doubled, swapped, rewritten."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.audit import fifty, flips
from tests.audit.fifty import Fifty
from tests.audit.judging import FORMS, alone, misjudged, ours
from tests.audit.rewrites import EVERY, Rewrite, bundle, entries, every, kind
from tests.doors.forking import Forking
from tests.doors.test_audit_verify import CODES
from tests.ledger.carried import reported


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Fifty:
    flips.signatures_once()
    return fifty.make(tmp_path_factory.mktemp("fifty"))


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forking]:
    with Forking(tmp_path_factory.mktemp("forking"), measured=True) as forking:
        yield forking


def one_of_each(whole: Fifty, seed: int) -> list[Rewrite]:
    """A history of every kind."""
    found: dict[str, list[Rewrite]] = {}
    for one in every(whole):
        found.setdefault(kind(one), []).append(one)
    chance = Random(seed)
    return [chance.choice(alike) for alike in found.values()]


def test_a_history_that_is_put_together_again_unchanged_is_the_same_one(whole: Fifty, tmp_path: Path) -> None:
    same = Rewrite("same", entries(whole.bundle), ("UNANCHORED", "VERIFIED", "VERIFIED"))
    assert misjudged(same, whole, tmp_path) == []
    assert bundle(tmp_path / "again.bundle", same.entries).read_bytes() == whole.bundle.read_bytes()


def test_a_history_of_every_kind_gets_its_word_by_both_verifiers(whole: Fifty, tmp_path: Path) -> None:
    told = one_of_each(whole, seed=1)
    for number, one in enumerate(told):
        assert misjudged(one, whole, tmp_path, FORMS[number % 2]) == []
    assert {one.words for one in told} >= {
        ("UNANCHORED", "VERIFIED", word) for word in ("TAMPERED", "FORKED")
    }
    assert len(told) > len(EVERY)


def test_an_old_backup_is_whole_and_is_noticed_by_who_kept_something_later(
    whole: Fifty, tmp_path: Path
) -> None:
    expected = ("UNANCHORED", "VERIFIED", "TAMPERED")
    for path in (whole.backup, fifty.pack(whole.backup, tmp_path / "backup.bundle")):
        assert ours(path, whole) == alone(path, whole) == expected
    early = tmp_path / "early"
    early.mkdir()
    shutil.copyfile(whole.policy, early / "policy")
    shutil.copyfile(whole.early, early / "checkpoint")
    for path in (whole.backup, whole.sqlite, whole.bundle):
        assert ours(path, Fifty(early)) == alone(path, Fifty(early)) == ("UNANCHORED", "VERIFIED", "VERIFIED")


def test_each_word_has_its_exit_code_at_the_command_line_and_where_this_project_is_not(
    whole: Fifty, tmp_path: Path, commands: Forking
) -> None:
    chosen = [one for one in one_of_each(whole, seed=2) if "edited" not in one.what]
    for number, one in enumerate(chosen[::2]):
        form, write = FORMS[number % 2]
        path = write(tmp_path / f"{number}.{form}", one.entries)
        options = ((), ("--policy", whole.policy), ("--against", whole.checkpoint))
        for word, asked in zip(one.words, options, strict=True):
            done = commands("audit", "verify", "--ledger", path, *asked, cwd=tmp_path)
            assert (done.answer["verdict"], done.status) == (word, CODES[word]), (one.what, asked)
        if number % 3 == 0:
            code, report = reported(tmp_path, path, "--against", whole.checkpoint)
            assert (report["verdict"], code) == (one.words[2], CODES[one.words[2]]), one.what
