"""How hard Hypothesis looks (HYPOTHESIS_PROFILE, or `ci` where CI is set, or `quick`); what runs first."""

import os
import sys
from collections.abc import Iterator
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
