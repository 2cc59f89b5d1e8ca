"""Where node is missing, a user's run leaves its tests out and says so; continuous integration never does."""

import os
import shutil

import pytest

from tests.doors.conftest import lived, quick
from tests.journeys.web_world import relay, web_world

__all__ = ["lived", "quick", "relay", "web_world"]
LEFT_OUT = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "node: drives a door from Node.js; left out only where node is missing and CI unset"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get("CI") or shutil.which("node"):
        return
    left_out = [item for item in items if item.get_closest_marker("node")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    config.stash[LEFT_OUT] = len(left_out)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if count := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(
            f"{count} tests left out: node is not on PATH (apt-get install nodejs)", yellow=True
        )
