"""Every flipped byte of a bundle or a SQLite ledger is seen by the one-file verifier, or is of no record."""

from pathlib import Path
from random import Random

import pytest

from ledger.sqlite_readonly import open_readonly
from schemas.ledger import read_raw
from tests.ledger.carried import (
    Carried,
    carry,
    filler,
    flipped,
    packed,
    verdict,
)
from tests.ledger.signing import opened
from tests.ledger.steps import append


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Carried:
    return carry(tmp_path_factory.mktemp("signed"))


def assert_flip_is_seen(raw: bytes, at: int, copy: Path, policy: Path) -> None:
    copy.write_bytes(flipped(raw, at, Random(at)))
    expected = {"TAMPERED", "CANNOT-VERIFY"} if at <= raw.index(b"\n") else {"TAMPERED"}
    expected |= {"TORN"} if at == len(raw) - 1 else set()
    assert verdict(copy, policy=policy) in expected, at
    assert verdict(copy) in expected, at


def places(raw: bytes, chance: Random) -> list[int]:
    """Some bytes of each line, its first and its last ones."""
    chosen, start = [], 0
    for line in raw.splitlines(keepends=True):
        chosen += [start + place for place in (0, len(line) // 2, len(line) - 2, len(line) - 1)]
        start += len(line)
    return sorted(chance.sample(chosen, 30))


def test_bytes_of_a_bundle_flipped_here_and_there_are_each_seen(signed: Carried, tmp_path: Path) -> None:
    raw = signed.bundle.read_bytes()
    for at in [3, 30, len(raw) - 5, len(raw) - 1, *places(raw, Random(5))]:
        assert_flip_is_seen(raw, at, tmp_path / "copy.bundle", signed.policy)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Carried:
    folder = tmp_path_factory.mktemp("small")
    ledger = opened(folder)
    for number in range(6):
        append(ledger, filler(2 * number), filler(2 * number + 1))
    return packed(folder, ledger)


@pytest.mark.soak
def test_every_byte_of_a_bundle_flipped_in_turn_is_seen(small: Carried, tmp_path: Path) -> None:
    raw = small.bundle.read_bytes()
    for at in range(len(raw)):
        assert_flip_is_seen(raw, at, tmp_path / "copy.bundle", small.policy)


def content(path: Path) -> object:
    """All that is the record in a SQLite ledger."""
    with open_readonly(path).read() as reader:
        bodies = [reader.body(read_raw(raw).body.digest) for _, raw in reader.records()]
        return [*reader.records()], bodies, [*reader.checkpoints()]


def assert_flip_is_seen_or_nothing(raw: bytes, at: int, copy: Path, carried: Carried) -> None:
    copy.write_bytes(flipped(raw, at, Random(at)))
    told = verdict(copy, policy=carried.policy)
    if told == "VERIFIED":  # a byte that SQLite does not use, or a counter of its own
        assert content(copy) == content(carried.sqlite), at
    else:
        assert told in ("TAMPERED", "CANNOT-VERIFY", "TORN"), (at, told)


def test_bytes_of_a_sqlite_ledger_flipped_here_and_there_are_seen(signed: Carried, tmp_path: Path) -> None:
    raw, chance = signed.sqlite.read_bytes(), Random(7)
    header = [*range(100)][::6]
    for at in [*header, *(chance.randrange(100, len(raw)) for _ in range(25))]:
        assert_flip_is_seen_or_nothing(raw, at, tmp_path / "copy.sqlite3", signed)


@pytest.mark.soak
def test_every_byte_of_a_sqlite_ledger_flipped_in_turn_is_seen(small: Carried, tmp_path: Path) -> None:
    raw = small.sqlite.read_bytes()
    for at in range(len(raw)):
        assert_flip_is_seen_or_nothing(raw, at, tmp_path / "copy.sqlite3", small)


def test_a_name_in_the_file_that_is_no_utf_8_is_no_crash(signed: Carried, tmp_path: Path) -> None:
    raw, copy = signed.sqlite.read_bytes(), tmp_path / "copy.sqlite3"
    for at in range(raw.index(b"CREATE TABLE records"), raw.index(b"CREATE TABLE records") + 120, 8):
        copy.write_bytes(raw[:at] + bytes([raw[at] | 0x80]) + raw[at + 1 :])
        assert verdict(copy, policy=signed.policy) in ("CANNOT-VERIFY", "TAMPERED")
