"""Let one call after the other of a writer fail, and look at what is left each time."""

import json
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from tests.ledger.faults.run import settled

ROOT = Path(__file__).resolve().parents[3]
WRITES = ("fsync", "fdatasync", "pwrite64", "ftruncate", "openat", "unlink", "rename", "link")
ERRORS = ("EIO", "ENOSPC")


class Fault(NamedTuple):
    """The n-th such call fails with that error; `when` may also be "3+" for that and all after it."""

    call: str
    error: str
    when: int | str

    def __str__(self) -> str:
        return f"{self.call}:error={self.error}:when={self.when}"


class Moment(NamedTuple):
    """A process is killed at its n-th such call, before the kernel does it."""

    call: str
    when: int

    def __str__(self) -> str:
        return f"{self.call}:error=EINTR:signal=KILL:when={self.when}"


class Seen(NamedTuple):
    """What a run with faults told, and whether any call failed at all."""

    told: list[dict[str, Any]]
    injected: bool

    def errors(self) -> Iterator[str]:
        """The code of every error that it met."""
        return (one["code"] for one in self.told if "code" in one)


class Injector:
    """The process that forks writers under strace; `with` starts and ends it."""

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "tests.ledger.faults.injector"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def __call__(self, folder: Path, *faults: Fault, what: str = "append") -> Seen:
        """Append or verify once in that folder; a crash or a word on stderr is a failure."""
        answer = self._ask({"folder": str(folder), "what": what, "refused": list(map(str, faults))})
        assert (answer["status"], answer["err"]) == (0, ""), (faults, answer["err"])
        return Seen(answer["told"], answer["injected"])

    def _ask(self, job: dict[str, object]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def killed(self, folder: Path, what: str, when: "float | Moment") -> bool:
        """Whether it was killed at that moment; else it had ended by then, and well."""
        refused = [] if isinstance(when, float) else [str(when)]
        job: dict[str, object] = {"folder": str(folder), "what": what, "refused": refused}
        answer = self._ask({**job, "after": when} if isinstance(when, float) else job)
        assert answer["status"] in (0, -signal.SIGKILL), answer
        return bool(answer["status"])


def appended(injector: Injector, folder: Path, fault: Fault) -> Seen:
    """One run of the writer in a new folder, which goes away; what was acknowledged must be kept, once."""
    folder.mkdir()
    seen = injector(folder, fault)
    assert settled(folder, seen.told) is None, (fault, settled(folder, seen.told))
    assert set(seen.errors()) <= {"storage", "integrity"}, seen
    for one in seen.told:
        # An error says which file it is about, and never less than a sentence.
        assert "code" not in one or str(folder) in one["message"], one
    shutil.rmtree(folder)
    return seen


def every(injector: Injector, folder: Path, calls: Iterable[str], errors: Iterable[str]) -> Counter[str]:
    """Each of these calls fails once with each error, until there are no more of them; how many did."""
    counts = Counter[str]()
    for call in calls:
        for error in errors:
            when = 1
            while appended(injector, folder / f"{call}-{error}-{when}", Fault(call, error, when)).injected:
                counts[f"{call} {error}"] += 1
                when += 1
    return counts
