"""Disks, folders and ledgers that are against the command: told, and nothing is half-written."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.doors.command import QUESTION, SLOPES, clean, run
from tests.doors.forking import Forking

ASK = ("plan", *QUESTION, *SLOPES)
ROOT = Path(__file__).resolve().parents[2]
ADMIT = ("--decision", "admit", "--reason", "对得上", "--all-sources")
# Under this prefix permissions count also for root.
PLAIN = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()


def own_mounts() -> tuple[str, ...]:
    """How to run a program that may mount what only it sees; empty where that is not allowed."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return ()
    way = (unshare, "--mount", "--propagation", "private")
    return way if subprocess.run([*way, "true"], capture_output=True, check=False).returncode == 0 else ()


MOUNTS = own_mounts()


@pytest.fixture
def life(lived: Path, tmp_path: Path) -> Path:
    """A copy of the recorded life that a test may harm."""
    return Path(shutil.copytree(lived, tmp_path / "life"))


@contextmanager
def readonly(*places: Path) -> Iterator[None]:
    """Take the right to write from these files and folders for a while."""
    for place in places:
        place.chmod(0o555 if place.is_dir() else 0o444)
    try:
        yield
    finally:
        for place in places:
            place.chmod(0o755 if place.is_dir() else 0o644)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_in_a_folder_that_cannot_be_written_no_ledger_is_begun(tmp_path: Path) -> None:
    with readonly(tmp_path):
        done = run(*ASK, cwd=tmp_path, prefix=PLAIN)
        assert (done.status, done.error["code"], done.out) == (75, "storage", b"")
        assert run(*ASK, "--no-ledger", cwd=tmp_path, prefix=PLAIN).status == 0
    assert list(tmp_path.iterdir()) == []


def test_a_ledger_that_cannot_be_written_can_be_read(life: Path) -> None:
    ledger = life / ".external-evidence" / "ledger.sqlite3"
    before = snapshot(life)
    with readonly(ledger, ledger.parent):
        assert clean(life)["plans"] == 1
        assert run("audit", "replay", cwd=life, prefix=PLAIN).answer["clean"]
        for arguments in (
            ("execute", "plan.json"),
            (*ASK, "--constraint", "new"),
            ("retire", "admission.json"),
        ):
            done = run(*arguments, cwd=life, prefix=PLAIN)
            assert (done.status, done.error["code"], done.out) == (75, "storage", b""), arguments
    assert snapshot(life) == before
    assert run("retire", "admission.json", cwd=life).status == 0


def test_a_dossier_that_cannot_be_written_is_told_and_can_be_written_later(life: Path) -> None:
    dossiers = life / ".external-evidence" / "dossiers"
    shutil.rmtree(dossiers)
    dossiers.mkdir()
    with readonly(dossiers):
        done = run("readback", "admission.json", "--execute", cwd=life, prefix=PLAIN)
        assert (done.status, done.error["code"]) == (75, "storage")
    dossiers.rmdir()
    dossiers.touch()
    assert run("readback", "admission.json", "--execute", cwd=life).status == 75
    dossiers.unlink()
    assert run("readback", "admission.json", "--execute", cwd=life).status == 0
    clean(life)


def test_an_artifact_that_may_not_be_read_is_told_apart_from_one_that_is_not_there(life: Path) -> None:
    (life / "admission.json").chmod(0)
    done = run("retire", "admission.json", cwd=life, prefix=PLAIN)
    assert (done.status, done.error["code"], done.out) == (75, "storage", b"")
    assert "admission.json" in done.error["message"]


def make_folder(path: Path) -> None:
    path.mkdir()


def make_text(path: Path) -> None:
    path.write_text("a shopping list\n" * 100, encoding="utf-8")


def make_empty(path: Path) -> None:
    path.touch()


def make_foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE records (seq INTEGER PRIMARY KEY)")
        connection.commit()


@pytest.mark.parametrize("make", [make_folder, make_text, make_empty, make_foreign])
def test_what_is_no_ledger_is_refused_and_left_as_it_is(
    lived: Path, tmp_path: Path, quick: Forking, make: object
) -> None:
    assert callable(make)
    place = tmp_path / "ledger.sqlite3"
    make(place)
    before = snapshot(tmp_path)
    for arguments in (ASK, ("execute", "plan.json"), ("retire", "0000")):
        done = quick(*arguments, f"--ledger={place}", cwd=lived)
        assert (done.status, done.error["code"], done.out) == (5, "integrity", b""), arguments
    replayed = quick("audit", "replay", f"--ledger={place}", cwd=lived)
    assert (replayed.status, replayed.answer["verdict"], replayed.err) == (2, "CANNOT-VERIFY", b"")
    assert quick("doctor", f"--ledger={place}", cwd=lived).status == 1
    assert snapshot(tmp_path) == before


def test_a_ledger_in_a_folder_of_folders_is_made_and_in_a_file_is_not(tmp_path: Path) -> None:
    assert run(*ASK, "--ledger", "a/b/c/l.sqlite3", cwd=tmp_path).status == 0
    done = run(*ASK, "--ledger", "a/b/c/l.sqlite3/d", cwd=tmp_path)
    assert (done.status, done.out) == (75, b"")
    assert done.error["code"] == "storage"


def test_readers_do_not_wait_for_a_writer(life: Path) -> None:
    connection = sqlite3.connect(life / ".external-evidence" / "ledger.sqlite3", isolation_level=None)
    with closing(connection):
        connection.execute("BEGIN IMMEDIATE")
        assert clean(life)["plans"] == 1
        assert run("doctor", cwd=life).status == 0


@pytest.mark.soak
def test_a_ledger_that_another_writer_keeps_is_busy(life: Path) -> None:
    connection = sqlite3.connect(life / ".external-evidence" / "ledger.sqlite3", isolation_level=None)
    with closing(connection):
        connection.execute("BEGIN IMMEDIATE")
        done = run("execute", "plan.json", cwd=life)
    assert (done.status, done.error["code"], done.error["retryable"]) == (75, "busy", True)
    assert run("execute", "plan.json", cwd=life).status == 0
    clean(life)


@pytest.mark.parametrize("kilobytes", [4, 40, 60])
def test_a_file_that_may_not_grow_ends_the_command_and_nothing_is_half_written(
    tmp_path: Path, kilobytes: int
) -> None:
    limit = ("bash", "-c", f'ulimit -f {kilobytes}; exec "$@"', "bash")
    done = run(*ASK, cwd=tmp_path, prefix=limit)
    assert (done.status, done.error["code"], done.out) == (75, "storage", b"")
    # Either no ledger was begun, or one that holds its opening and nothing else.
    left = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
    assert left in ([], ["ledger.sqlite3"])
    assert not left or clean(tmp_path)["plans"] == 0
    assert run(*ASK, cwd=tmp_path).status == 0
    assert clean(tmp_path)["plans"] == 1


def test_a_full_disk_is_told_and_the_work_goes_on_when_there_is_room(tmp_path: Path) -> None:
    if not MOUNTS:  # only root has a disk that is small enough; the limits above are for everybody
        return
    command = [*MOUNTS, sys.executable, "-m", "tests.doors.full_disk", str(tmp_path)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
    report = json.loads(ended.stdout)
    tight = report.pop("tight")
    assert "75 storage" in tight
    assert set(tight) <= {"75 storage", "done"}
    assert report == {
        "born": "75 storage",
        "left": [],
        "room": ["done"] * 3,
        "clean": True,
        "after": ["done"] * 3,
    }
