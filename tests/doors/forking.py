"""Many commands at the cost of one start: a process that has imported everything forks for each of them.

`python -m tests.doors.forking FOLDER` reads one JSON job a line, and answers each with its exit status.
What the command wrote lies in FOLDER: `out`, `err`; what it shall read is in `in`.
"""

import importlib
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from evidence.doors.audit import COMMANDS as AUDIT
from evidence.doors.commands import COMMANDS
from tests.doors.command import Done, around

ROOT = Path(__file__).resolve().parents[2]
CRASHED = 99
EVERYTHING = [  # what commands import when they need it; a fork has it at once
    *("evidence.audit", "evidence.rendering.readback_markdown", "evidence.rendering.text", "getpass"),
    *(place.partition(":")[0] for places in (COMMANDS, AUDIT) for place in places.values()),
    *("evidence.sinks.dossier", "ledger.sqlite", "ledger.sqlite_readonly", "providers.standards.provider"),
    *("providers.standards.matching", "providers.web.assembly", "providers.web.screening"),
    *("schemas.published", "tomllib"),
]


class Forking:
    """The process that forks; `with` starts and ends it."""

    def __init__(self, folder: Path, *, measured: bool = False) -> None:
        self._folder = folder
        self._measured = measured

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "tests.doors.forking", str(self._folder)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=around(measured=self._measured), stdin=pipe, stdout=pipe
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def __call__(
        self,
        *arguments: str | Path,
        cwd: Path,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> Done:
        """Run one command to its end, its streams files, with this environment added to that of the tests."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        (self._folder / "in").write_bytes(stdin)
        words = [str(argument) for argument in arguments]
        job = {"arguments": words, "cwd": str(cwd), "environment": dict(environment or {})}
        self._process.stdin.write(json.dumps(job).encode() + b"\n")
        self._process.stdin.flush()
        status = int(self._process.stdout.readline())
        done = Done(status, (self._folder / "out").read_bytes(), (self._folder / "err").read_bytes())
        assert status != CRASHED, done.err.decode(errors="replace")
        assert b"Traceback" not in done.err, done.err.decode(errors="replace")
        return done


def serve(folder: Path) -> None:
    """Do every job of stdin in a fork."""
    for module in EVERYTHING:
        importlib.import_module(module)
    keep_measurement(os.getpid(), again=True)
    with os.fdopen(os.dup(0), "rb") as jobs:
        for line in jobs:
            job = json.loads(line)
            child = os.fork()
            if child == 0:
                os.environ.update(job["environment"])
                work(folder, job["cwd"], job["arguments"])
            _, status = os.waitpid(child, 0)
            os.write(1, b"%d\n" % os.waitstatus_to_exitcode(status))


def work(folder: Path, cwd: str, arguments: list[str]) -> None:
    """Be the command; never returns."""
    from evidence.doors.cli import main

    for number, name, flags in ((0, "in", os.O_RDONLY), (1, "out", os.O_WRONLY), (2, "err", os.O_WRONLY)):
        opened = os.open(folder / name, flags | os.O_CREAT | (os.O_TRUNC if number else 0))
        os.dup2(opened, number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - a descriptor, for good
    os.chdir(cwd)
    status: object = CRASHED
    try:
        main(arguments)
    except SystemExit as end:
        status = end.code
    except BaseException:  # noqa: BLE001 - whatever it is, the test has to see it
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    keep_measurement(os.getppid())
    os._exit(status if isinstance(status, int) else CRASHED)


def keep_measurement(server: int, *, again: bool = False) -> None:
    """Add the coverage of a fork to that of the forks before it; `os._exit` would lose it.

    `again` forgets it then, and measures on: what all forks have in common is added once.
    """
    running = sys.modules["coverage"].Coverage.current() if "coverage" in sys.modules else None
    if running is None:
        return
    from coverage import CoverageData

    running.stop()
    kept = CoverageData(basename=f"{running.get_option('run:data_file')}.forks.{server}")
    kept.read()
    kept.update(running.get_data())
    kept.write()
    running.erase()  # its own file; there would be one for every fork
    if again:
        running.start()


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
