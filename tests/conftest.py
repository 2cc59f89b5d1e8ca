"""How hard Hypothesis looks: HYPOTHESIS_PROFILE, else `ci` where CI is set, else `quick`; what is closed."""

import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("quick", max_examples=25, deadline=None)
# Derandomised: a run that passed passes again on the same commit; the blob replays one that failed.
settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True, print_blob=True)
settings.register_profile("nightly", max_examples=5000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "quick"))


@pytest.fixture(autouse=True)
def _no_ledger_stays_open() -> Iterator[None]:
    """Python 3.13 warns of a connection that nobody closed."""
    yield
    world = sys.modules.get("tests.world")
    while world is not None and world.LEFT_OPEN:
        world.LEFT_OPEN.pop().close()
