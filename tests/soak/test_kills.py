"""Killed again and again, from four sides at once: what was answered is recorded, once, and replays."""

import json
import random
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from tests.doors.command import PATIENCE_SECONDS, QUESTION, SLOPES, around, clean, run

pytestmark = pytest.mark.soak
WRITERS = 4
ROUNDS = 60  # kills a writer
LONGEST = 0.6  # seconds; four writers share the machine
ADMIT = ("--decision", "admit", "--reason", "对得上", "--all-sources")
ENTER = "from evidence.doors.cli import main; main()"


def killed(after: float, *arguments: str, cwd: Path) -> bytes | None:
    """What a command answered before it was killed so long after its start; None for nothing whole."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", ENTER, *arguments]
    with subprocess.Popen(command, cwd=cwd, env=around(), stdout=pipe, stderr=pipe) as process:
        with suppress(subprocess.TimeoutExpired):
            process.wait(after)
        process.send_signal(signal.SIGKILL)
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert err == b"", err.decode(errors="replace")
    assert process.returncode in (0, -signal.SIGKILL)
    return out if out.endswith(b"}\n") else None


def insisted(dice: random.Random, *arguments: str, cwd: Path, kills: int) -> tuple[bytes, int]:
    """The answer of a command that is killed up to `kills` times, and how often it was killed."""
    answers = {killed(dice.uniform(0.1, LONGEST), *arguments, cwd=cwd) for _ in range(kills)} - {None}
    done = run(*arguments, cwd=cwd)
    assert (done.status, done.err) == (0, b"")
    if arguments[0] != "execute":  # each execution is a receipt of its own
        assert answers <= {done.out}
    return done.out, kills


def campaign(folder: Path, writer: int) -> tuple[int, set[str]]:
    """Whole lives under one name, every command of them killed again and again; the plans that retired."""
    dice = random.Random(writer)
    kills, retired = 0, set[str]()
    while kills < ROUNDS:
        name = f"{writer}-{kills}"
        steps = {
            "plan": ("plan", *QUESTION, *SLOPES, "--constraint", name),
            "receipt": ("execute", f"{name}-plan.json"),
            "admission": ("admit", f"{name}-receipt.json", *ADMIT),
            "readback": ("readback", f"{name}-admission.json", "--execute"),
            "retired": ("retire", f"{name}-admission.json"),
        }
        for step, arguments in steps.items():
            answer, times = insisted(dice, *arguments, cwd=folder, kills=3)
            kills += times
            (folder / f"{name}-{step}.json").write_bytes(answer)
        retired.add(json.loads((folder / f"{name}-retired.json").read_bytes())["plan_id"])
    return kills, retired


def test_whatever_is_killed_nothing_that_was_answered_is_lost(tmp_path: Path) -> None:
    with ThreadPoolExecutor(WRITERS) as pool:
        found = list(pool.map(lambda writer: campaign(tmp_path, writer), range(WRITERS)))
    assert sum(kills for kills, _ in found) >= 200
    retired = set().union(*(plans for _, plans in found))
    report = clean(tmp_path)
    assert (report["plans"], report["retired"]) == (len(retired), len(retired))
    assert report["receipts"] >= len(retired)
    assert not list((tmp_path / ".external-evidence").rglob("*.new"))
