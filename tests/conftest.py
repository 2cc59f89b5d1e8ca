"""How hard Hypothesis looks (HYPOTHESIS_PROFILE, or `ci`, or `quick`); what runs first; what is measured."""

import os
import sys
from collections.abc import Generator, Iterator
from itertools import count

import pytest
from hypothesis import settings

from tests.postgres import Server, cluster

settings.register_profile("quick", max_examples=25, deadline=None)
# Derandomised: a run that passed passes again on the same commit; the blob replays one that failed.
settings.register_profile("ci", max_examples=30, deadline=None, derandomize=True, print_blob=True)
settings.register_profile("nightly", max_examples=5000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "quick"))


# Files that take longest begin first, so that no core waits for the last of them at the end.
_LONGEST = (
    "tests/netns/", "tests/ledger/test_standalone", "tests/doors/test_standards.py", "tests/shared/",
    "tests/providers/standards/service/", "tests/providers/web/capture/", "tests/doors/", "tests/journeys/",
    "tests/rendering/test_report_in_chromium.py", "tests/providers/web/search/", "tests/audit/",
)  # fmt: skip


# Coverage doubles the time of a short process. So the processes are measured of those tests that ask what a
# command or the service does, not of those that ask the same of a hundred inputs.
_MEASURED = ("tests/doors/", "tests/providers/standards/service/")
_OFTEN = ("test_hostile_", "test_streams.py", "test_moments.py", "test_audit_verify.py")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Take from most tests what makes coverage start in their processes."""
    held = {}
    if not item.nodeid.startswith(_MEASURED) or item.path.name.startswith(_OFTEN):
        names = [name for name in os.environ if name.startswith("COVERAGE_PROCESS_")]
        held = {name: os.environ.pop(name) for name in names}
    try:
        return (yield)
    finally:
        os.environ.update(held)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first; the order is otherwise as it was collected."""

    def place(item: pytest.Item) -> int:
        return next((at for at, start in enumerate(_LONGEST) if item.nodeid.startswith(start)), len(_LONGEST))

    items.sort(key=place)


@pytest.fixture(autouse=True)
def _no_ledger_stays_open() -> Iterator[None]:
    """Python 3.13 warns of a connection that nobody closed."""
    yield
    world = sys.modules.get("tests.world")
    while world is not None and world.LEFT_OPEN:
        world.LEFT_OPEN.pop().close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """One PostgreSQL for all tests of a process; who stops or breaks one begins a `cluster` of their own."""
    with cluster() as server:
        yield server


_databases = count(1)


@pytest.fixture
def database(postgres: Server) -> str:
    """The URL of an empty database of that server."""
    name = f"test_{next(_databases)}"
    postgres.create(name)
    return postgres.url(name)
