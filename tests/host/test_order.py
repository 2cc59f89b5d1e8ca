"""The order of the checks, the same for all four methods (host.md B)."""

import inspect
from dataclasses import fields, replace
from typing import Any

import pytest

from evidence.host import Composition, Dispatch
from evidence.plugins import Slot
from providers.regulations_contract import (
    InvalidRegulationsRequestError,
    RegulationsCaller,
    RegulationsHost,
    RegulationsProvider,
    RegulationsUnavailableError,
)
from schemas.errors import InvalidError
from tests.host.world import (
    ACTIONS,
    ANSWERS,
    DISPATCH,
    METHODS,
    REQUESTS,
    Kept,
    Provider,
    World,
    call,
    calls,
    empty,
    in_force,
)


class AccountError(Exception):
    """The guard's own."""


@pytest.mark.req("ext20-12")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("audited", [True, False])
@pytest.mark.parametrize("version", [1, 2])
def test_b1_the_guards_own_error_comes_before_everything(method: str, audited: bool, version: int) -> None:
    refusal, kept, provider = AccountError("disabled"), Kept(), Provider()

    def guard(dispatch: Dispatch) -> None:
        assert dispatch is DISPATCH
        raise refusal

    composition = Composition.of(guard, kept if audited else None, provider)
    with pytest.raises(AccountError) as caught:
        call(calls(composition), method, schema_version=version)
    assert caught.value is refusal
    assert (provider.asked, kept.events) == ([], [])


@pytest.mark.req("ext20-03")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("lacking", ["slot", "provider", "audit", "slot and audit", "provider and audit"])
def test_b2_without_slot_provider_or_audit_store_nothing_is_asked_or_written(
    method: str, lacking: str
) -> None:
    kept, provider, slot = Kept(), Provider(), Slot()
    if "provider" not in lacking:
        slot.fill(provider)
    composition = empty(None if "audit" in lacking else kept, None if "slot" in lacking else slot)
    with pytest.raises(RegulationsUnavailableError) as caught:
        call(calls(composition), method, schema_version=2)
    assert str(caught.value) == "extension: regulations provider unavailable"
    assert (provider.asked, kept.events) == ([], [])


@pytest.mark.req("ext20-07")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("version", [0, 2, -1, None, "1", 1.0, True], ids=repr)
def test_b3_another_schema_version_is_invalid_and_audited_once(method: str, version: object) -> None:
    world = World()
    with pytest.raises(InvalidRegulationsRequestError, match="schemaVersion"):
        world.call(method, schema_version=version)
    assert world.provider.asked == []
    assert [(event.call.action, told["state"], told["count"]) for event, told in told_by(world)] == [
        (ACTIONS[method], "invalid", 0)
    ]


def told_by(world: World) -> list[tuple[Any, dict[str, object]]]:
    return list(zip(world.kept.events, world.kept.told, strict=True))


@pytest.mark.req("ext20-06")
@pytest.mark.parametrize("method", METHODS)
def test_b4_the_provider_is_called_once_with_the_caller_of_the_dispatch(method: str) -> None:
    world = World()
    assert world.call(method) is ANSWERS[method]
    caller = RegulationsCaller(plugin_id="rdm", actor="weichen", owner="team-a")
    assert world.provider.asked == [(method, caller, REQUESTS[method])]


def test_b5_a_caller_is_written_with_plugin_and_owner_and_never_with_a_project() -> None:
    assert list(RegulationsCaller(plugin_id="", owner="").to_wire()) == ["pluginId", "owner"]
    whole = RegulationsCaller(plugin_id="rdm", actor="w", owner="o").to_wire()
    assert whole == {"pluginId": "rdm", "actor": "w", "owner": "o"}
    assert not any("project" in spec.name.lower() for spec in fields(RegulationsCaller))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("key", ["caller", "project", "projectId", "pluginId", "owner", "schema_version"])
def test_b6_nobody_can_bring_a_caller_in(method: str, key: str) -> None:
    request = REQUESTS[method]
    with pytest.raises(InvalidRegulationsRequestError, match="unknown key"):
        type(request).read({**request.to_wire(), key: "x"})
    with pytest.raises(TypeError):
        type(request)(**{key: "x"})
    with pytest.raises((AttributeError, TypeError)):
        request.caller = "x"
    host = calls(World().composition)
    assert list(inspect.signature(getattr(host, method)).parameters) == ["request"]
    with pytest.raises(TypeError):
        getattr(host, method)(request, RegulationsCaller(plugin_id="p", owner="o"))


@pytest.mark.parametrize("method", METHODS)
def test_b6_an_attribute_of_a_request_of_another_class_does_not_arrive(method: str) -> None:
    request = REQUESTS[method]
    other = type("Other", (type(request),), {"caller": "admin", "project": "p"})(
        **{spec.name: getattr(request, spec.name) for spec in fields(request)}
    )
    world = World()
    getattr(world.calls, method)(other)
    [(_, _, arrived)] = world.provider.asked
    assert type(arrived) is type(request)
    assert arrived == request
    assert not hasattr(arrived, "caller")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("request_", [None, {"schemaVersion": 1, "query": "q"}, "q", object()], ids=type)
def test_b6_what_is_no_request_is_invalid_and_audited(method: str, request_: object) -> None:
    world = World()
    with pytest.raises(InvalidRegulationsRequestError):
        getattr(world.calls, method)(request_)
    assert world.provider.asked == []
    assert world.kept.told == [{"count": 0, "state": "invalid"}]


def test_b7_the_guard_is_asked_on_every_call() -> None:
    disabled: list[AccountError] = []

    def guard(_: Dispatch) -> None:
        if disabled:
            raise disabled[0]

    world = World(guard=guard)
    host = world.calls
    call(host, "search_web")
    disabled.append(AccountError())
    with pytest.raises(AccountError):
        call(host, "search_web")
    assert len(world.kept.events) == 1


def test_b8_the_schema_comes_before_the_query_and_its_exclusions() -> None:
    world = World()
    for query in ("", "acme", "法" * 257):
        with pytest.raises(InvalidRegulationsRequestError, match="schemaVersion"):
            world.call("search_web", schema_version=2, query=query, exclusions=("acme",))
    assert [told["state"] for told in world.kept.told] == ["invalid"] * 3


def test_b9_the_bounds_of_a_query_come_before_its_exclusions() -> None:
    world = World()
    with pytest.raises(InvalidRegulationsRequestError, match="longer than 256"):
        world.call("search_web", query="acme" + "法" * 256, exclusions=("acme",))
    assert [told["state"] for told in world.kept.told] == ["invalid"]


@pytest.mark.parametrize("method", METHODS)
def test_b10_a_handle_made_before_the_registration_works_after_it(method: str) -> None:
    slot = Slot()
    composition = Composition(in_force, Kept(), slot)
    host = calls(composition)
    with pytest.raises(RegulationsUnavailableError):
        call(host, method)
    composition.registry("kbreg").register(Provider())
    assert call(host, method) is ANSWERS[method]


@pytest.mark.parametrize("plugin_id", ["", "a b", "插件", "x" * 122, "a\n"])
def test_a_dispatch_of_a_plugin_that_no_audit_event_could_name_cannot_be_made(plugin_id: str) -> None:
    with pytest.raises(InvalidError, match="plugin_id"):
        Dispatch(plugin_id=plugin_id, owner="o")
    assert replace(DISPATCH, plugin_id="x" * 121).plugin_id


def test_host_and_provider_have_the_same_methods_but_for_the_caller() -> None:
    for method in METHODS:
        host = inspect.signature(getattr(RegulationsHost, method))
        provider = inspect.signature(getattr(RegulationsProvider, method))
        assert [*host.parameters] == [name for name in provider.parameters if name != "caller"]
        assert host.return_annotation == provider.return_annotation
