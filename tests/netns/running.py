"""`python -m tests.netns.running FOLDER`, in a namespace of its own: every case by the real command line.

Prints one JSON object: how each command ended, and all that the network saw. Leaves with 77 and the reason
where a namespace cannot be made into a network.
"""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path

from evidence.checkout import ROOT
from tests.netns.case import Case, filled
from tests.netns.network import ask_only_us, rule_everything
from tests.netns.table import CASES

NOT_HERE = 77
AT_ONCE = 8
CONTROLS = (("10.255.0.1", 80), ("127.255.0.1", 25), ("fd00::ffff", 6379), ("169.254.255.1", 9))
"""Connections that this suite itself makes to forbidden addresses, to show that they are seen."""
CONTROL = "GET / HTTP/1.0\r\n\r\n"
TRAP = "http://canary-user:canary-proxy@10.9.9.9:3128"
_LONGEST = 90  # seconds, after which a command that does not end is killed

Running = dict[int, tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Ended:
    """How one command ended: status (a signal as negative), output, peak memory in KiB, seconds of work."""

    status: int
    out: str
    err: str
    peak: int
    work: float
    began: float
    ended: float


def _environment(folder: Path) -> dict[str, str]:
    proxies = [f"{scheme}_proxy" for scheme in ("http", "https", "all", "ftp")]
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "NETRC": str(folder / ".netrc"),
        **dict.fromkeys([*proxies, *(name.upper() for name in proxies)], TRAP),
    }


def _arguments(case: Case, number: int, folder: Path) -> list[str]:
    url = filled(case.url, number)
    trust = ["--ca-file", str(folder / "ca.pem")] if case.trusted else []
    options = [filled(option, number) for option in case.options]
    return ["web", "capture", "--format", "json", "--seconds", str(case.seconds), *trust, *options, "--", url]


def _start(case: Case, number: int, folder: Path) -> int:
    arguments = _arguments(case, number, folder)
    process = os.fork()
    if process:
        return process
    status = 70
    try:
        for descriptor, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(folder / f"{number}.{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
        signal.alarm(_LONGEST)
        environment = _environment(folder)
        if case.fresh:
            os.execve(sys.executable, [sys.executable, "-m", "evidence", *arguments], environment)  # noqa: S606
        os.environ.clear()
        os.environ.update(environment)
        status = _command(arguments)
    finally:
        os._exit(status)


def _command(arguments: list[str]) -> int:
    from evidence.doors.cli import main

    try:
        main(arguments)
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else 70
    return 0


def run(folder: Path) -> Iterator[tuple[int, Ended]]:
    """Run all cases, some at a time."""
    waiting = sorted(range(len(CASES)), key=lambda number: CASES[number].seconds)
    running: Running = {}
    while waiting or running:
        while waiting and len(running) < AT_ONCE:
            number = waiting.pop(0)
            began = time.monotonic()
            running[_start(CASES[number], number, folder)] = (number, began)
        process, status, used = os.wait4(-1, 0)
        ended = time.monotonic()
        if process in running:
            number, began = running.pop(process)
            yield number, _ended(folder, number, status, used, (began, ended))


def _ended(
    folder: Path, number: int, status: int, used: resource.struct_rusage, times: tuple[float, float]
) -> Ended:
    out, err = ((folder / f"{number}.{name}").read_text("utf-8", "replace") for name in ("out", "err"))
    return Ended(
        os.waitstatus_to_exitcode(status), out, err, used.ru_maxrss, used.ru_utime + used.ru_stime, *times
    )


def _prepare(folder: Path) -> None:
    """What every command needs is imported once; only fork multiplies it."""
    netrc = folder / ".netrc"
    netrc.write_text("default login canary-user password canary-netrc\n")
    netrc.chmod(0o600)
    for name in ("evidence.doors.commands", "evidence.doors.web_capture", "providers.web.assembly"):
        import_module(name)


def _connect(address: tuple[str, int]) -> None:
    with suppress(ConnectionRefusedError), socket.create_connection(address) as control:
        control.sendall(CONTROL.encode())
        control.recv(1 << 16)


def main(folder: Path) -> int:
    """Make the network, run all cases in it, print what came of them."""
    try:
        rule_everything()
        ask_only_us(folder)
    except OSError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return NOT_HERE
    command = [sys.executable, "-m", "tests.netns.serving", str(folder)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as serving:
        assert serving.stdin
        assert serving.stdout
        if serving.stdout.readline() != "ready\n":
            return 1
        for address in CONTROLS:
            _connect(address)
        _prepare(folder)
        ended = {str(number): asdict(how) for number, how in run(folder)}
        serving.stdin.close()
        seen = json.loads(serving.stdout.read())
    print(json.dumps({"ended": ended, **seen}))  # noqa: T201
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
