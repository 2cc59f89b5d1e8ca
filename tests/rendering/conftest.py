"""Where Chromium is missing, a user's run leaves its tests out and says so; CI never does."""

import os

import pytest

from tests.rendering.browser import chromium

LEFT_OUT = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "chromium: opens a page in Chromium; left out only where it is missing and CI unset"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get("CI") or chromium() is not None:
        return
    left_out = [item for item in items if item.get_closest_marker("chromium")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    config.stash[LEFT_OUT] = len(left_out)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if count := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(
            f"{count} tests left out: Chromium is missing (apt-get install chromium)", yellow=True
        )
