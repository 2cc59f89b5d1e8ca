"""Registries that the host makes for plugins, and the one slot that the trusted provider goes into.

Who registers is what the host made the registry for, never what a provider says of itself. Python has
no sandbox: this stops accidents and borrowed names, not hostile code that already runs in the process.
"""

import inspect
from collections.abc import Callable, Mapping
from threading import Lock
from typing import TypeVar, cast

from providers.regulations_contract import RegistrationError, RegulationsProvider, RegulationsRegistrar
from schemas.ledger import KBREG
from schemas.text import shown

T = TypeVar("T")
METHODS = ("search_regulations", "resolve_regulation_evidence", "search_web", "capture_web")
UNAVAILABLE = "registration unavailable"


class Capabilities:
    """What a host or registry can do beyond its plain self: a table that its maker filled."""

    __slots__ = ("_table",)

    def __init__(self, table: Mapping[object, object] | None = None) -> None:
        self._table = dict(table or {})

    def capability(self, kind: Callable[..., T]) -> T | None:
        """What serves `kind`; None when nothing does. Never raises."""
        return cast("T | None", self._table.get(kind))


def capability(of: object, kind: Callable[..., T]) -> T | None:
    """The capability `kind` of any object, also of one whose class knows nothing of capabilities."""
    look = getattr(type(of), "capability", None)
    return cast("T | None", look(of, kind)) if callable(look) else None


class Slot:
    """The place of one provider, filled once; threads may try at once."""

    __slots__ = ("_lock", "_provider")

    def __init__(self) -> None:
        self._lock = Lock()
        self._provider: RegulationsProvider | None = None

    @property
    def provider(self) -> RegulationsProvider | None:
        """Who was registered, None before that."""
        return self._provider

    def fill(self, provider: RegulationsProvider) -> None:
        """Take `provider` for good; RegistrationError when there is one."""
        with self._lock:
            if self._provider is not None:
                raise RegistrationError(
                    f"a regulations provider is registered already, as {KBREG}", subject=KBREG
                )
            self._provider = provider


class _Registrar:
    """Registration for one plugin id into one slot."""

    __slots__ = ("_plugin_id", "_slot")

    def __init__(self, plugin_id: str, slot: Slot | None) -> None:
        self._plugin_id = plugin_id
        self._slot = slot

    def register_regulations_provider(self, provider: RegulationsProvider | None) -> None:
        if self._plugin_id != KBREG:
            raise RegistrationError(
                f"only the plugin {KBREG} may register a regulations provider, not {shown(self._plugin_id)}",
                subject=self._plugin_id,
            )
        if provider is None:
            raise RegistrationError("there is no provider to register", subject=KBREG)
        _check(provider)
        if self._slot is None:
            raise RegistrationError(f"{UNAVAILABLE}: this host has no place for a provider", subject=KBREG)
        self._slot.fill(provider)


def _check(provider: object) -> None:
    """The class must have the four methods: an attribute made up when it is asked for is none."""
    kind = type(provider)
    for name in METHODS:
        method = None if inspect.getattr_static(kind, name, None) is None else getattr(kind, name)
        if not callable(method):
            raise RegistrationError(f"a {kind.__name__} has no method {name}", subject=KBREG)
        if inspect.iscoroutinefunction(method):
            raise RegistrationError(f"{kind.__name__}.{name} is a coroutine function", subject=KBREG)


class PluginRegistry(Capabilities):
    """What the host hands to the in-process plugin `plugin_id` to register with."""

    __slots__ = ("_plugin_id", "_registrar")

    def __init__(self, plugin_id: str, slot: Slot | None) -> None:
        self._registrar = _Registrar(plugin_id, slot)
        super().__init__({RegulationsRegistrar: self._registrar})
        self._plugin_id = plugin_id

    @property
    def plugin_id(self) -> str:
        """The plugin that this registry was made for."""
        return self._plugin_id

    def register(self, provider: RegulationsProvider | None) -> None:
        """Register a regulations provider; RegistrationError leaves the slot as it was."""
        self._registrar.register_regulations_provider(provider)


class _Declared:
    """Refuses: a manifest declares, it cannot bring an object."""

    def register_regulations_provider(self, provider: RegulationsProvider | None) -> None:  # noqa: ARG002
        raise RegistrationError("a declarative registry registers no provider", subject=KBREG)


class DeclarativeRegistry(Capabilities):
    """A registry read from a manifest; nothing that the manifest names is imported."""

    __slots__ = ("manifest",)

    def __init__(self, manifest: Mapping[str, object]) -> None:
        super().__init__({RegulationsRegistrar: _Declared()})
        self.manifest = dict(manifest)


class RecordingRegistry(Capabilities):
    """A registry that passes registrations on to `inner` and remembers those that it accepted."""

    __slots__ = ("_inner", "recorded")

    def __init__(self, inner: object) -> None:
        super().__init__({RegulationsRegistrar: self})
        self._inner = inner
        self.recorded: list[str] = []

    def register_regulations_provider(self, provider: RegulationsProvider | None) -> None:
        """Forward; the inner registry's rule decides."""
        inner = capability(self._inner, RegulationsRegistrar)
        if inner is None:
            raise RegistrationError(f"{UNAVAILABLE}: the registry within has no such capability")
        inner.register_regulations_provider(provider)
        self.recorded.append("regulations_provider")
