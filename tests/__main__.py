"""`python3 -m tests [step…]`: format, lint, types, imports, unit, coverage; from a bare checkout too.

Steps of their own: `soak` runs the long tests, `lock` writes tests/locked.txt anew from pyproject.toml.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from evidence.checkout import ROOT, enter, uv_settings

SHARED = ROOT.parent / "shared"
DEFAULT = ("format", "lint", "types", "imports", "unit", "coverage")
TRUSTED = ("schemas/*", "ledger/*", "evidence/lifecycle/*")  # every branch of these must have run
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
CLOSING = re.compile(r"(=+ )?(\d+ \w+, )*(\d+ \w+|no tests ran) in [\d.]+s.*")


class Run:
    """One run of the steps named in `wanted`, and pytest's closing line, to be repeated at its end."""

    def __init__(self, wanted: Sequence[str]) -> None:
        self.wanted = wanted
        self.closing = ""

    def format(self) -> bool:
        """The layout of the code is ruff's."""
        return tool("ruff", "format", "--check", ".")

    def lint(self) -> bool:
        """The rules of pyproject.toml hold."""
        return tool("ruff", "check", ".")

    def types(self) -> bool:
        """mypy, strict, over packages, tests and benchmarks."""
        return tool("mypy")

    def imports(self) -> bool:
        """The arrows of ARCHITECTURE.md hold."""
        return tool("lint-imports", "--no-logo")

    def unit(self) -> bool:
        """Every test; those that read ../shared only where it is, and CI=true says that it must be."""
        measured = ["--cov", "--cov-report=", "--cov-fail-under=0"] if "coverage" in self.wanted else []
        if SHARED.is_dir():
            return self._pytest(*measured)
        if os.environ.get("CI"):
            print(f"{SHARED} is missing, and CI requires the tests that read it")
            return False
        print("../shared is not there: the tests that read it are left out")
        return self._pytest(*measured, "--ignore=tests/shared")

    def coverage(self) -> bool:
        """Branches that ran in the last measured `unit`: 95 % of all, 100 % of what the rest trusts."""
        overall = tool("coverage", "report")
        trusted = tool("coverage", "report", f"--include={','.join(TRUSTED)}", "--fail-under=100")
        return overall and trusted

    def soak(self) -> bool:
        """The long tests."""
        return self._pytest("-m", "soak")

    def lock(self) -> bool:
        """Resolve the dependencies for every platform, with hashes and without the name of any host."""
        os.environ.update(uv_settings(Path(sys.executable)))
        hidden = ("--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links")
        exact = ("--universal", "--generate-hashes", "--python-version", "3.11", "--extra", "dev")
        files = ("--output-file", "tests/locked.txt", "pyproject.toml")
        return tool("uv", "pip", "compile", "--quiet", *hidden, *exact, *files)

    def _pytest(self, *arguments: str) -> bool:
        # One process a core; a file's tests stay together, since they share what its fixtures made.
        spread = ("--dist", "loadfile", "--no-loadscope-reorder")
        command = [program("pytest"), "--numprocesses", str(CORES), *spread, *arguments]
        with (
            bytecode() as around,
            subprocess.Popen(
                command, cwd=ROOT, env=around, stdout=subprocess.PIPE, encoding="utf-8"
            ) as running,
        ):
            for line in running.stdout or ():
                print(line, end="", flush=True)
                if CLOSING.fullmatch(line.rstrip("\n")):
                    self.closing = line.rstrip("\n")
        return running.returncode == 0


ALL: dict[str, Callable[[Run], bool]] = {
    name: getattr(Run, name) for name in (*DEFAULT, "soak", "lock")
}  # in the order in which they run


@contextmanager
def bytecode() -> Iterator[dict[str, str]]:
    """The environment of the tests, which start a thousand processes: what one compiles, the others load.

    Who wants no bytecode beside the sources has it in a folder that goes when the tests have ended.
    """
    with tempfile.TemporaryDirectory(prefix="external-evidence-bytecode-") as folder:
        around = dict(os.environ)
        if around.pop("PYTHONDONTWRITEBYTECODE", ""):
            around.setdefault("PYTHONPYCACHEPREFIX", folder)
        yield around


def program(name: str) -> str:
    """The path of a tool of this environment, whatever PATH says."""
    found = shutil.which(name, path=sysconfig.get_path("scripts"))
    if found is None:
        raise SystemExit(
            f"{name} is not installed in {sys.prefix}; pip install --editable '.[dev]' brings it"
        )
    return found


def tool(name: str, *arguments: str) -> bool:
    """Run a tool of this environment; whether it ended well."""
    return subprocess.run([program(name), *arguments], cwd=ROOT, check=False).returncode == 0


def main(asked: Sequence[str]) -> int:
    """Run every step, whatever the one before it said: 1 when any failed, 2 for a step that is not known."""
    if unknown := [name for name in asked if name not in ALL]:
        print(f"unknown step: {', '.join(unknown)}; known: {', '.join(ALL)}", file=sys.stderr)
        return 2
    run, told, failed = Run(asked or DEFAULT), list[str](), False
    for name in run.wanted:
        print(f"── {name}", flush=True)
        start = time.monotonic()
        passed = ALL[name](run)
        told.append(f"{'ok    ' if passed else 'FAILED'} {name} {time.monotonic() - start:.1f} s")
        failed |= not passed
    print("── in short", *told, run.closing, sep="\n", flush=True)
    return int(failed)


if __name__ == "__main__":
    enter()
    raise SystemExit(main(sys.argv[1:]))
