"""Processes that begin ledgers with one key at the same instant: one of the ledgers is begun."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ledger.checkpoint import Checkpoint
from ledger.sqlite_readonly import open_readonly
from tests.ledger.faults.campaign import ROOT
from tests.ledger.signing import signing
from tests.ledger.steps import names
from tests.postgres import Server


@contextmanager
def beginners(folder: Path, places: list[str]) -> Iterator[list["subprocess.Popen[str]"]]:
    """Processes that each begin a ledger of that name, and have everything imported."""
    command = [sys.executable, "-m", "tests.ledger.beginner", str(folder)]
    pipe = subprocess.PIPE
    running = [
        subprocess.Popen([*command, place], cwd=ROOT, stdin=pipe, stdout=pipe, text=True) for place in places
    ]
    try:
        assert [said(one) for one in running] == ["ready"] * len(places)
        yield running
    finally:
        for one in running:
            one.communicate()
    assert [one.returncode for one in running] == [0] * len(places)


def said(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def at_once(running: list["subprocess.Popen[str]"], folder: str) -> list[str]:
    """What each of them said that was told to begin its ledger there."""
    for one in running:
        assert one.stdin is not None
        one.stdin.write(f"{folder}\n")
        one.stdin.flush()
    return [said(one) for one in running]


def compete(folder: Path, rounds: int) -> None:
    with beginners(folder, ["one", "two"]) as running:
        for turn in range(rounds):
            here = folder / str(turn)
            signing(here / "keys")
            told = at_once(running, str(turn))
            begun = [one for one, word in zip(("one", "two"), told, strict=True) if word == "begun"]
            refused = [word for word in told if word != "begun"]
            assert len(begun) == len(refused) == 1, told
            beside = here / "keys" / "log.key.checkpoint"
            wanted = f"the key has signed a ledger before, and that one is not here; {beside} is of it"
            assert refused == [f"conflict {wanted}: 1 records of tests.example/log"]
            assert names(here) == ["keys", f"{begun[0]}.sqlite3"]
            assert names(here / "keys") == ["log.key", "log.key.checkpoint"]
            with open_readonly(here / f"{begun[0]}.sqlite3").read() as reader:
                assert reader.last_checkpoint() == beside.read_bytes()
            # Later it is the same word.
            assert sorted(at_once(running, str(turn))) == sorted(["begun", *refused])


def test_of_two_that_begin_two_ledgers_with_one_key_one_does(tmp_path: Path) -> None:
    compete(tmp_path, 20)


@pytest.mark.soak
def test_it_is_so_in_a_thousand_rounds(tmp_path: Path) -> None:
    compete(tmp_path, 1000)


def test_of_two_databases_and_a_file_one_gets_the_log_of_a_key(tmp_path: Path, postgres: Server) -> None:
    places = ["file", *(postgres.url(f"at_once_{name}_") for name in ("one", "two"))]
    with beginners(tmp_path, places) as running:
        for turn in range(6):
            for name in ("one", "two"):
                postgres.create(f"at_once_{name}_{turn}")
            beside = signing(tmp_path / str(turn) / "keys").published
            assert beside is not None
            told = at_once(running, str(turn))
            refused = [word for word in told if word != "begun"]
            wanted = f"the key has signed a ledger before, and that one is not here; {beside} is of it"
            assert refused == [f"conflict {wanted}: 1 records of tests.example/log"] * 2, told
            # Later it is the same word.
            assert at_once(running, str(turn)) == told


def test_of_four_that_begin_one_ledger_with_one_key_all_have_it(tmp_path: Path) -> None:
    with beginners(tmp_path, ["l"] * 4) as running:
        for turn in range(10):
            here = tmp_path / str(turn)
            signing(here / "keys")
            assert at_once(running, str(turn)) == ["begun"] * 4
            # Of several who close it at once none may find itself the last, who takes these two away.
            assert set(names(here)) - {"l.sqlite3-wal", "l.sqlite3-shm"} == {"keys", "l.sqlite3"}
            with open_readonly(here / "l.sqlite3").read() as reader:
                _, checkpoint = Checkpoint.of(reader.last_checkpoint() or b"")
                assert checkpoint.size == 1
                assert reader.last_checkpoint() == (here / "keys" / "log.key.checkpoint").read_bytes()
