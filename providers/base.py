"""What a provider is: something that proves its readiness now, and executes a plan into a receipt."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

from schemas.plan import Plan
from schemas.provider import ProviderRow
from schemas.receipt import Receipt
from schemas.text import legible

Clock = Callable[[], datetime]


@runtime_checkable
class Provider(Protocol):
    """A method or connector; the engine asks `readiness` again right before each `execute`."""

    provider_id: str
    provider_kind: str

    def readiness(self) -> ProviderRow:
        """A live probe: declared, installed, enabled, ready, and why not. Sends nothing that costs."""
        ...

    def execute(self, plan: Plan) -> Receipt:
        """The receipt for `plan`, which the engine has verified and binds again afterwards.

        One bad source becomes a limitation and never loses the good ones. Raises EvidenceError when
        nothing can be said at all.
        """
        ...


@dataclass(frozen=True)
class Outgoing:
    """One message that a connector would send outside: where, and every byte of what."""

    destination: str
    content: str

    def to_wire(self) -> dict[str, str]:
        """The message as a door shows it."""
        return {"destination": self.destination, "content": self.content}


@dataclass(frozen=True)
class Withheld:
    """Something that a plan asks for and that a connector keeps back: what, without its words, and why."""

    kind: Literal["search", "fetch"]
    what: str
    reason: str

    def to_wire(self) -> dict[str, str]:
        """The refusal as a door shows it."""
        return {"kind": self.kind, "what": self.what, "reason": self.reason}


@runtime_checkable
class Withholding(Protocol):
    """A connector that tells beforehand what of a plan it would not send."""

    def withheld(self, plan: Plan) -> Sequence[Withheld]:
        """What `execute` would leave out of `plan`, and why; sends nothing, and shows no excluded term."""
        ...


@runtime_checkable
class Connector(Provider, Protocol):
    """A provider that reaches outside; it says what it would send before it may."""

    def outgoing(self, plan: Plan) -> Sequence[Outgoing]:
        """Exactly what `execute` would send for `plan`, and where; sends nothing."""
        ...


def standing(
    provider_id: str, kind: str, why_not: str | None, *, installed: bool = True, enabled: bool = True
) -> ProviderRow:
    """The row of a provider that comes with the package: ready, or why it is not."""
    return ProviderRow(
        provider_id=provider_id,
        provider_kind=kind,
        declared=True,
        installed=installed,
        enabled=enabled,
        ready=why_not is None,
        unavailable_reason=None if why_not is None else legible(why_not, 512),
    )


def told(error: BaseException) -> str:
    """What an error of foreign code says of itself: its type, and its words if it has any."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception as worse:  # noqa: BLE001 - its __str__ is foreign code too
        return f"{type(error).__name__}: it cannot be told: {type(worse).__name__}"


def is_connector(provider: Provider) -> bool:
    """Whether running this provider sends something outside."""
    return provider.provider_kind == "connector"
