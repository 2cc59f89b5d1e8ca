"""Audit events (host.md E): one a call, four fields, nothing that was said."""

import pytest

from tests.host.world import METHODS, World


@pytest.mark.parametrize("method", METHODS)
def test_thin(method: str) -> None:
    world = World()
    assert world.call(method) is world.provider.answers[method]
    assert len(world.kept.events) == 1
