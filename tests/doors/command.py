"""Call the command line as a process of its own, and read what it said."""

import json
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

QUESTION = (
    *("--objective", "施工方案引用的规范是否现行？", "--user-activity", "审查施工方案"),
    *("--decision", "通过或退回", "--evidence-kind", "standard_status"),
)
SLOPES = ("--search-term", "GB 50330-2013")
NOWHERE = ("--search-term", "ZZ 00000-1900")
PATIENCE_SECONDS = 120


class Done(NamedTuple):
    """How a command ended."""

    status: int
    out: bytes
    err: bytes

    @property
    def answer(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The one JSON error on the one line of stderr, after a look at its form."""
        assert self.err.endswith(b"\n")
        assert self.err.count(b"\n") == 1, self.err
        error: dict[str, Any] = json.loads(self.err)
        assert list(error)[:4] == ["code", "message", "hint", "retryable"]
        assert isinstance(error["message"], str)
        assert error["message"]
        return error


def script() -> str:
    """The console script of the environment that runs the tests."""
    found = shutil.which("external-evidence", path=sysconfig.get_path("scripts"))
    assert found is not None, "external-evidence is not installed here"
    return found


def around(environment: Mapping[str, str] | None = None, *, measured: bool = False) -> dict[str, str]:
    """The environment of a command: this one without the variables that the command reads.

    Measuring the coverage of a process makes it three times slower, and one that is killed or has no
    disk leaves a broken measurement; what forks is measured, other commands only where a test asks.
    """
    left_out = ("EXTERNAL_EVIDENCE_",) if measured else ("EXTERNAL_EVIDENCE_", "COVERAGE_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    return {**kept, **(environment or {})}


def run(
    *arguments: str | bytes | Path,
    cwd: Path,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
    stdout: IO[bytes] | int = subprocess.PIPE,
    prefix: Sequence[str] = (),
    measured: bool = False,
) -> Done:
    """Run the command to its end, piped."""
    ended = subprocess.run(
        [*prefix, script(), *arguments],
        cwd=cwd,
        env=around(environment, measured=measured),
        input=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert b"Traceback" not in ended.stderr, ended.stderr.decode(errors="replace")
    return Done(ended.returncode, ended.stdout, ended.stderr)


def start(
    *arguments: str | Path, cwd: Path, environment: Mapping[str, str] | None = None
) -> "subprocess.Popen[bytes]":
    """Start the command, its three streams piped."""
    pipe = subprocess.PIPE
    command = [script(), *arguments]
    return subprocess.Popen(command, cwd=cwd, env=around(environment), stdin=pipe, stdout=pipe, stderr=pipe)


def clean(cwd: Path, *arguments: str | Path, call: Callable[..., Done] = run) -> Any:
    """The report of `audit replay`, which must find nothing."""
    done: Done = call("audit", "replay", *arguments, cwd=cwd)
    assert (done.status, done.err) == (0, b""), done
    return done.answer
