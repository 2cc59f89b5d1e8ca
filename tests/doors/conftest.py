"""What the tests of the doors share: a cheap way to run many commands, and one recorded life."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doors.command import QUESTION, SLOPES, run
from tests.doors.forking import Forking


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forking]:
    """Run a command in a fork of a process that has everything imported."""
    with Forking(tmp_path_factory.mktemp("forking"), measured=True) as forking:
        yield forking


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a ledger and the artifacts of one life up to its readback: plan.json, … readback.json."""
    folder = tmp_path_factory.mktemp("lived")
    steps = {
        "plan": ("plan", *QUESTION, *SLOPES),
        "receipt": ("execute", "plan.json"),
        "admission": ("admit", "receipt.json", "--decision", "admit", "--reason", "对得上", "--all-sources"),
        "readback": ("readback", "admission.json", "--execute"),
    }
    for name, arguments in steps.items():
        done = run(*arguments, cwd=folder)
        assert (done.status, done.err) == (0, b"")
        (folder / f"{name}.json").write_bytes(done.out)
    return folder
