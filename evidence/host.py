"""The host of EXT-20: every call of the trusted provider is guarded, minimised and audited (section 4.2).

In this order: account guard, availability, schema, minimisation, provider, audit. What the provider
answers or raises passes through untouched; without an audit event there is no result.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import NoReturn, Self, TypeVar

from evidence.plugins import Capabilities, PluginRegistry, Slot
from evidence.provider_calls import AuditStore, actor_of, event_of, outcome
from evidence.provider_methods import CAPTURE_WEB, RESOLVE, SEARCH, SEARCH_WEB, Method, said
from providers.base import told
from providers.regulations_contract import (
    AuditWriteError,
    InvalidRegulationsRequestError,
    RegulationEvidence,
    RegulationEvidenceRequest,
    RegulationsCaller,
    RegulationsHost,
    RegulationsProvider,
    RegulationsSearchRequest,
    RegulationsSearchResult,
    RegulationsUnavailableError,
    WebCapture,
    WebCaptureRequest,
    WebSearchRequest,
    WebSearchResult,
)
from schemas.ext20 import WireObject, WireRequest
from schemas.ledger import KBREG, CallOutcome

LOG = logging.getLogger(__name__)
Q = TypeVar("Q", bound=WireRequest)
R = TypeVar("R", bound=WireObject)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """On whose behalf a plugin runs now: what the host knows, not what the plugin says.

    InvalidError: the plugin's id is one that no audit event could name.
    """

    plugin_id: str
    actor: str = ""
    owner: str

    def __post_init__(self) -> None:
        actor_of(self.plugin_id)


Guard = Callable[[Dispatch], None]
"""Raises its own error when the dispatch's account is not in force; asked before every call."""


class Composition:
    """What one process is made of: the account guard, the audit store, the slot of the provider.

    Without a slot, a provider or an audit store every call is unavailable.
    """

    def __init__(self, guard: Guard, audit: AuditStore | None, slot: Slot | None = None) -> None:
        self._guard = guard
        self._audit = audit
        self._slot = slot
        self._lock = Lock()
        self._lost = 0

    @classmethod
    def of(cls, guard: Guard, audit: AuditStore | None, kbreg: RegulationsProvider) -> Self:
        """A composition with the object `kbreg` in its slot, by the rules of every registration."""
        made = cls(guard, audit, Slot())
        made.registry(KBREG).register(kbreg)
        return made

    def registry(self, plugin_id: str) -> PluginRegistry:
        """The registry of one plugin: whatever it registers, it registers as `plugin_id`."""
        return PluginRegistry(plugin_id, self._slot)

    def host(self, dispatch: Dispatch, others: Mapping[object, object] | None = None) -> Capabilities:
        """What the plugin of `dispatch` is handed: the capability RegulationsHost, and any `others`."""
        return Capabilities({**(others or {}), RegulationsHost: _Calls(self, dispatch)})

    @property
    def lost_events(self) -> int:
        """How many audit events of calls that failed anyway could not be written."""
        return self._lost

    def admitted(self, dispatch: Dispatch) -> tuple[RegulationsProvider, AuditStore]:
        """The provider of this moment and the audit store, once the account is in force."""
        self._guard(dispatch)
        provider = None if self._slot is None else self._slot.provider
        if provider is None or self._audit is None:
            raise RegulationsUnavailableError
        return provider, self._audit

    def lose(self, action: str, cause: BaseException | None) -> None:
        """Count and log an event that could not be written, and nothing of what was said."""
        with self._lock:
            self._lost += 1
        LOG.error("the audit event of a failed %s was lost: %s", action, type(cause).__name__)


@dataclass(frozen=True, slots=True)
class _Call:
    """One call on its way to its one audit event."""

    dispatch: Dispatch
    audit: AuditStore
    action: str
    revision: str
    digest: str

    def write(self, told: CallOutcome) -> None:
        """Keep the event; AuditWriteError, because of the store's own error, when that cannot be."""
        try:
            self.audit.write(event_of(self.dispatch.plugin_id, self.dispatch.owner, self.action, told))
        except Exception as error:
            raise AuditWriteError(
                f"the audit event of {self.action} could not be written; a result is withheld",
                subject=self.action,
            ) from error


class _Calls:
    """The capability RegulationsHost of one dispatch."""

    __slots__ = ("_caller", "_composition", "_dispatch")

    def __init__(self, composition: Composition, dispatch: Dispatch) -> None:
        self._composition = composition
        self._dispatch = dispatch
        self._caller = RegulationsCaller(
            plugin_id=dispatch.plugin_id, actor=dispatch.actor, owner=dispatch.owner
        )

    def search_regulations(self, request: RegulationsSearchRequest) -> RegulationsSearchResult:
        return self._call(SEARCH, request)

    def resolve_regulation_evidence(self, request: RegulationEvidenceRequest) -> RegulationEvidence:
        return self._call(RESOLVE, request)

    def search_web(self, request: WebSearchRequest) -> WebSearchResult:
        return self._call(SEARCH_WEB, request)

    def capture_web(self, request: WebCaptureRequest) -> WebCapture:
        return self._call(CAPTURE_WEB, request)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a host is of one dispatch; it is not written anywhere")

    def _call(self, method: Method[Q, R], request: Q) -> R:
        provider, audit = self._composition.admitted(self._dispatch)
        try:
            copy = method.checked(request)
            # Of the copy: what a caller's object says a second time may be something else.
            call = self._begun(method, audit, copy)
            prepared, rejection = method.prepared(copy)
        except BaseException as error:
            # A caller's own object may raise anything when it is read; that is no request either.
            self._failed(self._begun(method, audit, request), "invalid")
            if isinstance(error, InvalidRegulationsRequestError) or not isinstance(error, Exception):
                raise
            raise InvalidRegulationsRequestError(f"the request cannot be read: {told(error)}") from error
        revision, digest = call.revision, call.digest
        try:
            result = method.ask(provider, self._caller, prepared) if rejection is None else rejection
            outcome_told = method.told(result, revision, digest)
        except BaseException:
            self._failed(call, "error")
            raise
        call.write(outcome_told)
        return result

    def _begun(self, method: Method[Q, R], audit: AuditStore, request: object) -> _Call:
        revision, digest = said(request, "corpus_revision"), method.digest(request)
        return _Call(self._dispatch, audit, method.action, revision, digest)

    def _failed(self, call: "_Call", state: str) -> None:
        """Audit a call that ends in an error, which comes first also where the audit fails."""
        try:
            call.write(outcome(state, 0, call.revision, call.digest))
        except AuditWriteError as error:
            self._composition.lose(call.action, error.__cause__)
