"""Interrupted, killed, or at the same time as others: the ledger is whole, and the next command works."""

import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.doors.command import PATIENCE_SECONDS, QUESTION, SLOPES, Done, around, clean, run, start
from tests.doors.forking import Forking

ASK = ("plan", *QUESTION, *SLOPES)
ADMIT = ("--decision", "admit", "--reason", "对得上", "--all-sources")
# Python's own start, before a line of ours is run, is not ours to guard; the mark is written after it.
ENTER = "import os; from evidence.doors.cli import main; os.write(1, b'!'); main()"
SHORTEST = 0.005  # seconds; from the mark to the first line of `main`, on a busy machine too
LONGEST = 0.25  # seconds; about as long as a command takes
ROUNDS = 5


def struck(by: signal.Signals, after: float, *arguments: str, cwd: Path) -> Done:
    """The end of a command that is sent a signal so many seconds after it was entered."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", ENTER, *arguments]
    with subprocess.Popen(command, cwd=cwd, env=around(), stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == b"!"
        with suppress(subprocess.TimeoutExpired):
            process.wait(after)
        process.send_signal(by)
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert b"Traceback" not in err, err.decode(errors="replace")
    return Done(process.returncode, out, err)


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory, quick: Forking) -> Path:
    """A folder with a plan, a receipt and a decision, nothing read back."""
    folder = tmp_path_factory.mktemp("decided")
    for name, arguments in (
        ("plan.json", ASK),
        ("receipt.json", ("execute", "plan.json")),
        ("admission.json", ("admit", "receipt.json", *ADMIT)),
    ):
        (folder / name).write_bytes(quick(*arguments, cwd=folder).out)
    return folder


COMMANDS = {
    "plan": (*ASK, "--constraint", "{}"),
    "execute": ("execute", "plan.json"),
    "readback": ("readback", "admission.json", "--execute", "--dossier", "d{}"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_an_interrupt_at_any_moment_ends_without_a_trace(decided: Path, quick: Forking, name: str) -> None:
    dice = random.Random(name)
    for number in range(ROUNDS):
        words = [word.format(number) for word in COMMANDS[name]]
        done = struck(signal.SIGINT, dice.uniform(SHORTEST, LONGEST), *words, cwd=decided)
        assert done.status in (0, 130, -signal.SIGINT), done
        if done.status == 0:
            assert isinstance(done.answer, dict)
        elif done.status == 130:
            assert (done.error["code"], done.error["retryable"]) == ("interrupted", True)
        clean(decided, call=quick)
        assert quick(*words, cwd=decided).status == 0
    clean(decided, call=quick)


def test_whoever_ignores_interrupts_is_not_interrupted(tmp_path: Path) -> None:
    done = run("rpc", cwd=tmp_path, prefix=("sh", "-c", 'trap "" INT; kill -INT $$; exec "$@"', "sh"))
    assert (done.status, done.out, done.err) == (0, b"", b"")


def test_an_audit_that_is_terminated_leaves_no_copy_of_a_ledger_with_a_write_ahead_file(
    decided: Path, tmp_path: Path
) -> None:
    for folder in ("evidence", "temporary"):
        (tmp_path / folder).mkdir()
    source = decided / ".external-evidence" / "ledger.sqlite3"
    with closing(sqlite3.connect(source, isolation_level=None)) as writer:
        writer.execute("UPDATE head SET seq = seq")  # the -wal is there as long as this one is
        for side in (source, source.with_name(f"{source.name}-wal")):
            shutil.copyfile(side, tmp_path / "evidence" / side.name)
    ends = Counter[int]()
    command = [sys.executable, "-m", "evidence", "audit", "verify"]
    command += ["--ledger", str(tmp_path / "evidence" / source.name)]
    environment = around() | {"TMPDIR": str(tmp_path / "temporary")}
    for number in range(3 * ROUNDS):
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
            with suppress(subprocess.TimeoutExpired):
                process.wait(LONGEST * (number % ROUNDS + 1) / ROUNDS)
            process.terminate()
            process.communicate(timeout=PATIENCE_SECONDS)
        ends[process.returncode] += 1
        assert list((tmp_path / "temporary").iterdir()) == []
    assert set(ends) <= {3, 128 + signal.SIGTERM, -signal.SIGTERM}, ends


CALLED_BACK = """
import sys, time, weakref
from evidence.doors import cli

def called_back(_):
    raise {error}

class Something:
    pass

sys.unraisablehook = cli._again
something = Something()
reference = weakref.ref(something, called_back)
del something
time.sleep(0 if "Value" in sys.argv[1] else 60)
"""


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        ("SystemExit(143)", 143, b""),
        ("KeyboardInterrupt", -signal.SIGINT, b"KeyboardInterrupt"),
        ("ValueError", 0, b"Exception ignored"),
    ],
)
def test_a_signal_that_python_hears_while_it_calls_back_is_not_lost(
    error: str, status: int, told: bytes
) -> None:
    command = [sys.executable, "-c", CALLED_BACK.format(error=error), error]
    done = subprocess.run(command, env=around(), capture_output=True, timeout=PATIENCE_SECONDS, check=False)
    assert done.returncode == status
    assert told in done.stderr
    assert (b"Exception ignored" in done.stderr) == (status == 0)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_is_killed_leaves_a_whole_ledger(decided: Path, quick: Forking, name: str) -> None:
    dice = random.Random(name)
    for number in range(ROUNDS):
        words = [word.format(f"k{number}") for word in COMMANDS[name]]
        done = struck(signal.SIGKILL, dice.uniform(LONGEST / 3, LONGEST), *words, cwd=decided)
        assert done.status in (0, -signal.SIGKILL)
        clean(decided, call=quick)
        assert quick(*words, cwd=decided).status == 0


def test_two_processes_with_the_same_question_get_one_plan_and_one_record(tmp_path: Path) -> None:
    running = [start(*ASK, cwd=tmp_path) for _ in range(3)]
    ended = [process.communicate(timeout=PATIENCE_SECONDS) for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert {err for _, err in ended} == {b""}
    assert len({out for out, _ in ended}) == 1
    report = clean(tmp_path)
    assert report["plans"] == 1
    assert run(*ASK, cwd=tmp_path).out == ended[0][0]
    assert clean(tmp_path) == report


def test_four_processes_with_twelve_questions_each_lose_none(tmp_path: Path) -> None:
    def ask(writer: int) -> set[str]:
        folder = tmp_path / str(writer)
        folder.mkdir()
        with Forking(folder) as call:
            done = [call(*ASK, "--constraint", f"{writer} {number}", cwd=tmp_path) for number in range(12)]
        assert {(one.status, one.err) for one in done} == {(0, b"")}
        return {json.loads(one.out)["plan_id"] for one in done}

    with ThreadPoolExecutor(4) as pool:
        plans = set().union(*pool.map(ask, range(4)))
    assert len(plans) == 48
    assert clean(tmp_path)["plans"] == 48
