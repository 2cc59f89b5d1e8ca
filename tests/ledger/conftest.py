"""Where Debian's Go or strace is missing, a user's run leaves its tests out and says so; CI never does."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ledger.steps import Begin, begin_in
from tests.ledger.steps import begin as begin_file

PACKAGE = Path("/usr/share/gocode/src/golang.org/x/mod/sumdb/tlog")
LEFT_OUT = pytest.StashKey[dict[str, int]]()


def has_go() -> bool:
    return shutil.which("go") is not None and PACKAGE.is_dir()


def has_strace() -> bool:
    """Whether it is there and may trace: a container can forbid that."""
    if shutil.which("strace") is None:
        return False
    return (
        subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, check=False).returncode == 0
    )


NEEDS: dict[str, tuple[str, Callable[[], bool], str]] = {
    "go": ("asks Go's sumdb", has_go, "Go is missing (apt-get install golang-go golang-golang-x-mod-dev)"),
    "strace": (
        "lets system calls fail",
        has_strace,
        "strace is missing or forbidden (apt-get install strace)",
    ),
}


def pytest_configure(config: pytest.Config) -> None:
    for name, (what, _, _) in NEEDS.items():
        config.addinivalue_line("markers", f"{name}: {what}; left out only where it is missing and CI unset")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[LEFT_OUT] = {}
    if os.environ.get("CI"):
        return
    for name, (_, there, _) in NEEDS.items():
        asking = [item for item in items if item.get_closest_marker(name)]
        if asking and not there():
            config.hook.pytest_deselected(items=asking)
            items[:] = [item for item in items if item not in asking]
            config.stash[LEFT_OUT][name] = len(asking)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for name, count in config.stash.get(LEFT_OUT, {}).items():
        terminalreporter.write_line(f"{count} tests left out: {NEEDS[name][2]}", yellow=True)


@pytest.fixture(params=["sqlite", "postgres"])
def begin(request: pytest.FixtureRequest) -> Begin:
    """What begins a ledger, or opens it again, in each of the stores."""
    if request.param == "sqlite":
        return begin_file
    url = request.getfixturevalue("database")
    return lambda _path, timeout_seconds=10.0: begin_in(url, timeout_seconds)
