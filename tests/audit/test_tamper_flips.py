"""A signed ledger of fifty records with one byte flipped: seen, or of no meaning to whoever reads it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.audit import fifty, flips
from tests.audit.fifty import Fifty
from tests.audit.flips import UNSEEN, Flip
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


def test_the_ledger_of_fifty_is_clean_in_both_forms_to_both_verifiers(whole: Fifty) -> None:
    assert fifty.count(whole.sqlite) == fifty.RECORDS
    assert {flips.judged(path, whole) for path in (whole.sqlite, whole.bundle)} == {UNSEEN}


def test_bytes_of_every_part_of_a_sqlite_ledger_flipped_are_each_seen(whole: Fifty, tmp_path: Path) -> None:
    sizes = [16, 17, 31]  # of a page, and of the file: damage there is no cut, or looks like one
    endless = [8151, 22731]  # of tables whose rows then come again and again
    named = [3002, 3735, 3780]  # the names of tables and indexes, and that they are text
    places = [*sizes, *endless, *named, *flips.some_of_each(whole.sqlite, 4, seed=1)]
    told = list(flips.flip(whole, whole.sqlite, tmp_path / "copy.sqlite3", places))
    assert [one for one in told if not one.right] == []
    assert len(told) > 60


def test_bytes_of_every_kind_of_line_of_a_bundle_flipped_are_each_seen(whole: Fifty, tmp_path: Path) -> None:
    places = flips.some_of_each(whole.bundle, 8, seed=2)
    told = list(flips.flip(whole, whole.bundle, tmp_path / "copy.bundle", places))
    assert [one for one in told if not one.right or one.unseen] == []
    assert len(told) == 40


def test_the_commands_end_with_the_code_of_the_word(whole: Fifty, tmp_path: Path, commands: Forking) -> None:
    for original in (whole.sqlite, whole.bundle):
        copy = tmp_path / f"copy{original.suffix}"
        for place in flips.flip(whole, original, copy, flips.some_of_each(original, 1, seed=3)[::3]):
            damaged = bytearray(original.read_bytes())
            damaged[place.at] ^= flips.mask(place.at)
            other = tmp_path / f"other{original.suffix}"
            other.write_bytes(damaged)
            assert commanded(commands, other, whole) == place.words[:2], place


def commanded(commands: Forking, path: Path, whole: Fifty) -> tuple[str, str]:
    anchors = ("--policy", whole.policy, "--against", whole.checkpoint)
    words = []
    for options in ((), anchors):
        done = commands("audit", "verify", "--ledger", path, *options, cwd=path.parent)
        words.append(done.answer["verdict"])
        assert done.status == CODES[words[-1]]
    return words[0], words[1]


def test_the_one_file_verifier_on_a_machine_without_this_project_ends_so_too(
    whole: Fifty, tmp_path: Path
) -> None:
    for original in (whole.sqlite, whole.bundle):
        raw = original.read_bytes()
        path = tmp_path / f"carried{original.suffix}"
        for at in flips.some_of_each(original, 1, seed=4)[::4]:
            path.write_bytes(raw[:at] + bytes([raw[at] ^ flips.mask(at)]) + raw[at + 1 :])
            words = flips.judged(path, whole)
            code, report = reported(tmp_path, path, "--policy", whole.policy, "--against", whole.checkpoint)
            assert (code, report["verdict"]) == (CODES[words[1]], words[1]), at


def test_a_table_of_counts_names_parts_and_words() -> None:
    told = [Flip(1, "record", ("TAMPERED",) * 3, False)] * 2
    assert flips.table(told).split() == ["2", "record", "TAMPERED", "/", "TAMPERED", "/", "TAMPERED"]
