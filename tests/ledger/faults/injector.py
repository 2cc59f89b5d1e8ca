"""Let the kernel refuse a call of a writer: `python -m tests.ledger.faults.injector`.

Each line of stdin is a job: {"folder", "what", "refused"}. A fork of this process, which has everything
imported, does that (tests/ledger/faults/works.py) in that folder under strace, which refuses those of its
calls, or kills it at them. Each answer is a line: what it told, how it ended, its stderr, whether a call was
refused. A job with "after" is done without strace and killed so many seconds after its start.
"""

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any

from tests.ledger.faults.run import Tell, run, settled, to_stdout
from tests.ledger.faults.works import WORKS

_PR_SET_PTRACER, _ANYBODY = 0x59616D61, ctypes.c_ulong(-1 & (1 << 64) - 1)
_CRASHED = 99


def main() -> None:
    """Answer every job."""
    with TemporaryDirectory() as folder:  # what is imported later would be a call that can fail
        told: list[dict[str, object]] = []
        run(Path(folder), told.append)
        assert settled(Path(folder), told) is None
    for line in sys.stdin:
        with TemporaryFile() as out, TemporaryFile() as err:
            answer = inject(json.loads(line), out, err)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def inject(job: dict[str, Any], out: IO[bytes], err: IO[bytes]) -> dict[str, object]:
    """Do one job; its streams are these files."""
    child = os.fork()
    if child == 0:
        _be(WORKS[job["what"]], Path(job["folder"]), out, err)
    os.waitpid(child, os.WUNTRACED)  # it has stopped itself
    if "after" in job:
        return killed(child, job["after"])
    log = Path(job["folder"]) / "strace"
    faults = [fault for one in job["refused"] for fault in ("-e", f"inject={one}")]
    tracer = subprocess.Popen(
        ["strace", "-f", "-o", log, *faults, "-p", str(child)], stderr=subprocess.PIPE, text=True
    )
    assert tracer.stderr is not None
    assert "attached" in (first := tracer.stderr.readline()), first
    os.kill(child, signal.SIGCONT)
    _, status = os.waitpid(child, 0)
    tracer.communicate()
    out.seek(0)
    err.seek(0)
    return {
        "status": os.waitstatus_to_exitcode(status),
        "told": [json.loads(line) for line in out.read().splitlines()],
        "err": err.read().decode(errors="replace"),
        "injected": "(INJECTED)" in log.read_text(errors="replace"),
    }


def killed(child: int, after: float) -> dict[str, object]:
    """Let it run and kill it after so many seconds; how it ended."""
    descriptor = os.pidfd_open(child)
    os.kill(child, signal.SIGCONT)
    select.select([descriptor], [], [], after)
    os.kill(child, signal.SIGKILL)
    os.close(descriptor)
    _, status = os.waitpid(child, 0)
    return {"status": os.waitstatus_to_exitcode(status)}


def _be(work: Callable[[Path, Tell], None], folder: Path, out: IO[bytes], err: IO[bytes]) -> None:
    status = _CRASHED
    try:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        # Where only a parent may trace its child, this one may be traced by anybody.
        ctypes.CDLL(None).prctl(_PR_SET_PTRACER, _ANYBODY, 0, 0, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        work(folder, to_stdout)
        status = 0
    except BaseException:  # noqa: BLE001 - whatever it is, the test has to see it
        traceback.print_exc()
        sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
