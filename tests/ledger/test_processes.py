"""Many processes, killed ones and full disks: what was acknowledged is there, once, in order."""

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from ledger.chain import links
from tests.ledger.steps import append, begin, step, stored

ROOT = Path(__file__).resolve().parents[2]
Acknowledged = dict[tuple[str, int], tuple[int, str]]


def appender(path: Path, actor: str, first: int, last: int) -> "subprocess.Popen[str]":
    """A process that appends these steps under this name."""
    command = [sys.executable, "-m", "tests.ledger.appender", str(path), actor, str(first), str(last)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def lines(actor: str, output: list[str]) -> Iterator[tuple[tuple[str, int], tuple[int, str]]]:
    for line in output:
        number, seq, identity = line.split()
        yield (actor, int(number)), (int(seq), identity)


def check(path: Path, acknowledged: Acknowledged, steps: int) -> None:
    """The ledger holds exactly `steps` steps after its opening, unbroken, and all that was acknowledged."""
    ledger = begin(path)
    walked = list(links(stored(ledger)))
    assert [found for link in walked for found in link.breaks] == []
    assert [link.seq for link in walked] == list(range(steps + 1))
    held = {link.seq: link.id for link in walked}
    assert {seq: held[seq] for seq, _ in acknowledged.values()} == dict(acknowledged.values())
    assert len({seq for seq, _ in acknowledged.values()}) == len(acknowledged)
    assert append(ledger, step(1, actor="next"))[0].seq == steps + 1
    ledger.close()


def test_four_processes_begin_one_ledger_and_append_to_it_without_gap_or_repeat(tmp_path: Path) -> None:
    path = tmp_path / "new" / "l.sqlite3"
    actors = ("a", "b", "c", "d")
    running = [appender(path, actor, 0, 50) for actor in actors]
    acknowledged: Acknowledged = {}
    for actor, process in zip(actors, running, strict=True):
        output, complaints = process.communicate()
        assert (process.returncode, complaints) == (0, "")
        acknowledged.update(lines(actor, output.splitlines()))
    assert len(acknowledged) == 200
    check(path, acknowledged, 200)
    assert [place.name for place in path.parent.iterdir()] == ["l.sqlite3"]


def killed(path: Path, actor: str, first: int, last: int, dice: random.Random) -> list[str]:
    """What a process had acknowledged when it was killed at a random moment of its work."""
    process = appender(path, actor, first, last)
    output, complaints = process.stdout, process.stderr
    assert output is not None
    assert complaints is not None
    seen = [output.readline() for _ in range(dice.randint(0, 25))]
    # The moment is spread over the whole of an append by waiting up to a few of them.
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=dice.uniform(0, 0.02))
    process.kill()
    seen += output.readlines()
    assert complaints.read() == ""
    process.wait()
    output.close()
    complaints.close()
    return [line for line in seen if line]


def campaign(path: Path, actor: str, steps: int, kills: int, seed: int) -> Acknowledged:
    """Append all steps under one name although the process is killed again and again."""
    dice = random.Random(f"{seed} {actor}")
    acknowledged: Acknowledged = {}
    for _ in range(kills):
        # The last acknowledged step is done again, and must be the same record.
        first = max(len(acknowledged) - 1, 0)
        for key, place in lines(actor, killed(path, actor, first, steps, dice)):
            assert acknowledged.setdefault(key, place) == place
    process = appender(path, actor, 0, steps)
    output, complaints = process.communicate()
    assert (process.returncode, complaints) == (0, "")
    for key, place in lines(actor, output.splitlines()):
        assert acknowledged.setdefault(key, place) == place
    return acknowledged


def kill_often(path: Path, kills: int, seed: int) -> None:
    actors = ("a", "b", "c", "d")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda actor: campaign(path, actor, 200, kills, seed), actors))
    acknowledged = {key: place for part in found for key, place in part.items()}
    assert len(acknowledged) == 800
    check(path, acknowledged, 800)


def test_no_acknowledged_record_is_lost_when_four_writers_are_killed(tmp_path: Path) -> None:
    kill_often(tmp_path / "l.sqlite3", kills=5, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_no_acknowledged_record_is_lost_however_often_writers_are_killed(tmp_path: Path, seed: int) -> None:
    kill_often(tmp_path / "l.sqlite3", kills=40, seed=seed)


def own_mounts() -> list[str]:
    """How to run a program that may mount a small disk that only it sees; empty where that is not allowed."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return []
    way = [unshare, "--mount", "--propagation", "private"]
    return way if subprocess.run([*way, "true"], capture_output=True, check=False).returncode == 0 else []


@pytest.mark.parametrize("way", ["limit", "mount"] if own_mounts() else ["limit"])
def test_a_full_disk_refuses_and_loses_nothing(tmp_path: Path, way: str) -> None:
    prefix = own_mounts() if way == "mount" else []
    command = [
        *prefix,
        sys.executable,
        "-m",
        "tests.ledger.filler",
        str(tmp_path / "l.sqlite3"),
        way,
        "400000",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    count = report.pop("acknowledged")
    assert count > 5
    [at_birth, later] = report.pop("errors")
    assert ("the disk is full" if way == "mount" else "the disk reports an error") in later
    assert str(tmp_path) in at_birth
    assert report == {"left": [], "during": True, "kept": True, "breaks": 0, "next": count + 1}
