"""What a run of all cases came to, sorted by case."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evidence.checkout import ROOT
from tests.netns.case import filled, number_by, strangers
from tests.netns.names import Question, number_of
from tests.netns.network import NAMESERVER
from tests.netns.running import CONTROLS, NOT_HERE, Ended
from tests.netns.servers import Heard
from tests.netns.table import CASES
from tests.netns.witness import Attempt

_WAYS = (("--net", "--mount"), ("--user", "--map-root-user", "--net", "--mount"))
_LONGEST = 400


class NoNamespaceError(Exception):
    """This system gives us no network namespace; the message says why."""


@dataclass(slots=True)
class Seen:
    """Everything that was seen."""

    ended: dict[int, Ended]
    heard: list[Heard]
    questions: list[Question]
    attempts: list[Attempt]
    missed: int
    strangers: dict[str, int] = field(default_factory=lambda: strangers(CASES))

    def reached(self, number: int) -> set[str]:
        """The addresses that were connected to for a case."""
        begun = {one.address for one in self.attempts if one.kind == "tcp" and self.of(one.address) == number}
        return begun | {plain(one.address) for one in self.heard if one.case == number}

    def asked(self, number: int) -> set[str]:
        """The names that were looked up for a case."""
        names = {question.name for question in self.questions}
        return {name for name in names if self.strangers.get(name, number_of(name)) == number}

    def of(self, address: str) -> int:
        """The case to which an address belongs; -1 where it is nobody's."""
        return self.strangers.get(address, number_by(address))

    def at(self, moment: float) -> list[str]:
        """The cases that ran at a moment."""
        return [CASES[number].name for number, one in self.ended.items() if one.began <= moment <= one.ended]

    def first(self, number: int) -> float:
        """When anything of a case was first seen on the network; its end where nothing was."""
        wanted = {filled(one, number) for one in (*CASES[number].asked, *CASES[number].reached)}
        moments = [one.at for one in self.attempts if one.address in wanted]
        moments += [one.at for one in self.questions if one.name in wanted]
        return min(moments, default=self.ended[number].ended)

    def took(self, number: int) -> float:
        """Seconds from the first thing seen of a case to the end of its command."""
        return self.ended[number].ended - self.first(number)

    def beyond(self) -> list[str]:
        """What was sent to anybody but the name service and the addresses of the cases."""
        known = {filled(one, number) for number, case in enumerate(CASES) for one in case.reached}
        return [
            f"{one.kind} {one.address}:{one.port} while {self.at(one.at)} ran"
            for one in self.attempts
            if not (one.kind == "tcp" and one.address in known)
            and (one.address, one.port) not in ((NAMESERVER, 53), *CONTROLS)
        ]

    def times(self) -> Counter[tuple[str, str]]:
        """How often each name was asked for each kind of address."""
        return Counter((one.name, one.kind) for one in self.questions)


def plain(address: str) -> str:
    """An address without the prefix under which IPv6 sockets show IPv4."""
    return address.removeprefix("::ffff:") if "." in address else address


def see(folder: Path) -> Seen:
    """Run all cases. Raises NoNamespaceError where that is impossible."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        raise NoNamespaceError("network namespaces are Linux's, made by unshare of util-linux")
    told = []
    for way in _WAYS:
        ended = _run(("unshare", *way), folder)
        if ended.returncode == 0:
            return _read(ended.stdout)
        # unshare itself leaves with 1; whatever else comes is a fault of the suite, and is shown.
        if ended.returncode != NOT_HERE and not ended.stderr.startswith("unshare:"):
            raise AssertionError(f"exit {ended.returncode}: {ended.stderr[-4000:]}")
        told.append(f"unshare {' '.join(way)}: {ended.stderr.strip()}")
    raise NoNamespaceError("; ".join(told))


def _run(unshare: Sequence[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    program = [sys.executable, "-m", "tests.netns.running", str(folder)]
    # Neither coverage nor any setting of the caller reaches the commands whose memory is measured.
    environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return subprocess.run(
        [*unshare, *program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=_LONGEST,
        check=False,
    )


def _read(text: str) -> Seen:
    seen = json.loads(text)
    return Seen(
        ended={int(number): Ended(**how) for number, how in seen["ended"].items()},
        heard=[Heard(**one) for one in seen["heard"]],
        questions=[Question(**one) for one in seen["questions"]],
        attempts=[Attempt(**one) for one in seen["attempts"]],
        missed=seen["missed"],
    )
