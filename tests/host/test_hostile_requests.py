"""A caller's own object as a request: one event each, and the event tells what the provider was asked."""

from hashlib import sha256
from typing import Any

import pytest

from providers.regulations_contract import InvalidRegulationsRequestError, RegulationsSearchRequest
from tests.host.world import SEARCHED, World


class Raising(RegulationsSearchRequest):
    """A request whose query cannot be read."""

    def __getattribute__(self, name: str) -> Any:
        if name in ("query", "corpus_revision"):
            raise OSError("no query")
        return super().__getattribute__(name)


class Changing(RegulationsSearchRequest):
    """A request that says another query each time it is read."""

    said = iter("一二三四五六七八")

    def __getattribute__(self, name: str) -> Any:
        if name == "query":
            return next(Changing.said)
        return super().__getattribute__(name)


def test_a_request_that_cannot_be_read_is_invalid_and_audited() -> None:
    world = World("search_regulations", SEARCHED)
    with pytest.raises(InvalidRegulationsRequestError, match="OSError: no query"):
        world.calls.search_regulations(Raising(query="秘密"))
    assert world.kept.told == [{"count": 0, "state": "invalid"}]
    assert world.provider.asked == []


def test_the_event_bears_the_query_that_the_provider_was_asked() -> None:
    world = World("search_regulations", SEARCHED)
    world.calls.search_regulations(Changing(query="零"))
    [(_, _, asked)] = world.provider.asked
    assert type(asked) is RegulationsSearchRequest
    assert world.kept.told[0]["querySha256"] == sha256(asked.query.encode()).hexdigest()


class Interrupted(RegulationsSearchRequest):
    """A request that ends the process when it is read."""

    def __getattribute__(self, name: str) -> Any:
        if name == "limit":
            raise KeyboardInterrupt
        return super().__getattribute__(name)


def test_an_interrupt_while_a_request_is_read_is_audited_and_goes_on() -> None:
    world = World("search_regulations", SEARCHED)
    with pytest.raises(KeyboardInterrupt):
        world.calls.search_regulations(Interrupted(query="甲"))
    assert [one["state"] for one in world.kept.told] == ["invalid"]
