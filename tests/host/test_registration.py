"""Who may register a provider, and how often (host.md A)."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any
from unittest.mock import MagicMock  # noqa: TID251 - the row names it: it has every attribute

import pytest

from evidence.plugins import (
    METHODS,
    Capabilities,
    DeclarativeRegistry,
    PluginRegistry,
    RecordingRegistry,
    Slot,
    capability,
)
from providers.regulations_contract import (
    RegistrationError,
    RegulationsProvider,
    RegulationsRegistrar,
    RegulationsUnavailableError,
)
from tests.host.world import Kept, Provider, World, call, calls, empty


def registered(slot: Slot | None, provider: Any, plugin_id: str = "kbreg") -> str | None:
    """Register through the capability; what the refusal said, None when there was none."""
    registrar = PluginRegistry(plugin_id, slot).capability(RegulationsRegistrar)
    assert registrar is not None
    try:
        registrar.register_regulations_provider(provider)
    except RegistrationError as error:
        return error.message
    return None


@pytest.mark.req("ext20-04")
def test_a1_kbreg_with_all_four_methods_is_registered() -> None:
    slot, provider = Slot(), Provider()
    assert registered(slot, provider) is None
    assert slot.provider is provider


@pytest.mark.parametrize(
    "plugin_id", ["rdm", "KBREG", "kbreg ", " kbreg", "", "kbreg\n", "ｋｂｒｅｇ", "kbreg.x"]
)
def test_a2_any_other_plugin_id_is_refused_and_the_slot_stays_empty(plugin_id: str) -> None:
    slot = Slot()
    assert "only the plugin kbreg" in str(registered(slot, Provider(), plugin_id))
    assert slot.provider is None


@pytest.mark.parametrize("plugin_id", ["kbreg", "rdm"])
def test_a3_no_provider_is_refused(plugin_id: str) -> None:
    slot = Slot()
    assert registered(slot, None, plugin_id) is not None
    assert slot.provider is None


@pytest.mark.req("ext20-04")
def test_a4_a_second_registration_is_refused_and_the_first_provider_stays_the_one_called() -> None:
    world, other = World(), Provider()
    registry = world.composition.registry("kbreg")
    for again in (world.provider, other):
        with pytest.raises(RegistrationError, match="registered already"):
            registry.register(again)
    world.call("search_web")
    assert (len(world.provider.asked), other.asked) == (1, [])


def test_a5_of_sixteen_threads_that_register_at_once_exactly_one_succeeds() -> None:
    slot, start = Slot(), Barrier(16)
    providers = [Provider() for _ in range(16)]

    def register(provider: Provider) -> bool:
        start.wait()
        return registered(slot, provider) is None

    with ThreadPoolExecutor(16) as pool:
        won = list(pool.map(register, providers))
    assert won.count(True) == 1
    assert slot.provider is providers[won.index(True)]


@pytest.mark.req("ext20-05")
@pytest.mark.parametrize("plugin_id", ["kbreg", "rdm"])
def test_a6_a_declarative_registry_refuses_always_and_imports_nothing(
    plugin_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "declared_provider.py").write_text("raise SystemExit('imported')", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    registry = DeclarativeRegistry({"plugin_id": plugin_id, "provider": "declared_provider:provider"})
    registrar = registry.capability(RegulationsRegistrar)
    assert registrar is not None
    for provider in (Provider(), None):
        with pytest.raises(RegistrationError, match="declarative"):
            registrar.register_regulations_provider(provider)
    assert "declared_provider" not in sys.modules
    assert registry.manifest["plugin_id"] == plugin_id


@pytest.mark.req("ext20-03", "ext20-04")
def test_a7_a_host_without_a_slot_says_that_registration_is_unavailable() -> None:
    assert "registration unavailable" in str(registered(None, Provider()))
    with pytest.raises(RegistrationError, match="registration unavailable"):
        empty(Kept()).registry("kbreg").register(Provider())


@pytest.mark.req("ext20-05")
def test_a8_a_recording_wrapper_forwards_and_gives_no_second_chance() -> None:
    slot, provider = Slot(), Provider()
    for plugin_id, accepted in (("rdm", []), ("kbreg", ["regulations_provider"])):
        wrapper = RecordingRegistry(PluginRegistry(plugin_id, slot))
        registrar = capability(wrapper, RegulationsRegistrar)
        assert registrar is not None
        if accepted:
            registrar.register_regulations_provider(provider)
        with pytest.raises(RegistrationError):
            registrar.register_regulations_provider(provider)
        assert wrapper.recorded == accepted
    assert slot.provider is provider
    with pytest.raises(RegistrationError, match="registered already"):
        RecordingRegistry(RecordingRegistry(PluginRegistry("kbreg", slot))).register_regulations_provider(
            provider
        )


@pytest.mark.parametrize("inner", [object(), None, Capabilities(), MagicMock()], ids=type)
def test_a9_a_recording_wrapper_around_nothing_says_that_registration_is_unavailable(inner: object) -> None:
    with pytest.raises(RegistrationError, match="registration unavailable"):
        RecordingRegistry(inner).register_regulations_provider(Provider())


class Anything:
    """Answers to every name."""

    def __getattr__(self, name: str) -> object:
        return lambda *_: None


class Instance:
    """Has the methods on the instance only."""

    def __init__(self) -> None:
        for name in METHODS:
            setattr(self, name, lambda *_: None)


class Metaclass(type):
    """A class whose class answers to every name."""

    def __getattr__(cls, name: str) -> object:
        return lambda *_: None


class Odd(metaclass=Metaclass):
    """Has no method of its own."""


def without(method: str, **attributes: object) -> object:
    """A provider whose class has something else, or nothing, in place of `method`."""
    kept = {name: getattr(Provider, name) for name in METHODS if name != method}
    return type("Partly", (), {**kept, **attributes})()


async def coroutine(self: object, caller: object, request: object) -> None:
    """What would answer with a coroutine."""


@pytest.mark.parametrize(
    "provider",
    [
        *(without(name) for name in METHODS),
        without("search_web", search_web=7),
        without("search_web", search_web=None),
        without("search_web", search_web=property(lambda _: print)),
        without("search_web", search_web=coroutine),
        Anything(),
        Instance(),
        Odd(),
        MagicMock(),
        MagicMock(spec=RegulationsProvider),
        Provider,
        "kbreg",
    ],
    ids=[
        *(f"without {name}" for name in METHODS),
        "number",
        "none",
        "property",
        "coroutine",
        "anything",
        "instance",
        "odd",
        "mock",
        "mock of the protocol",
        "class",
        "text",
    ],
)
def test_a10_what_only_looks_like_a_provider_is_refused(provider: object) -> None:
    slot = Slot()
    assert registered(slot, provider) is not None
    assert slot.provider is None


def test_a10_methods_may_be_inherited_static_or_of_the_class() -> None:
    class Base(Provider):
        @staticmethod
        def capture_web(caller: object, request: object) -> Any:
            return (caller, request)

    class Derived(Base):
        """Inherits."""

    assert registered(Slot(), Derived()) is None


class Claiming(Provider):
    """Says that it is kbreg."""

    plugin_id = "kbreg"
    __module__ = "kbreg"


def test_a12_the_plugin_id_is_the_registrys_and_not_the_providers() -> None:
    slot = Slot()
    assert registered(slot, Claiming(), "impostor") is not None
    assert slot.provider is None
    assert PluginRegistry("impostor", slot).plugin_id == "impostor"


def test_a13_a_refused_registration_leaves_nothing_behind() -> None:
    slot = Slot()
    composition = empty(Kept(), slot)
    for provider, plugin_id in ((Anything(), "kbreg"), (None, "kbreg"), (Provider(), "rdm")):
        assert registered(slot, provider, plugin_id) is not None
        with pytest.raises(RegulationsUnavailableError):
            call(calls(composition), "search_web")
    provider = Provider()
    assert registered(slot, provider) is None
    assert call(calls(composition), "search_web") is provider.answers["search_web"]
