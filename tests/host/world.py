"""A provider that answers as a test says, audit stores that remember or refuse, and a host over both."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from evidence.host import Composition, Dispatch
from evidence.plugins import Slot
from evidence.provider_calls import AuditEvent, AuditStore
from providers.regulations_contract import (
    RegulationEvidence,
    RegulationEvidenceRequest,
    RegulationHit,
    RegulationsCaller,
    RegulationsHost,
    RegulationsSearchRequest,
    RegulationsSearchResult,
    WebCapture,
    WebCaptureRequest,
    WebClauseCandidate,
    WebSearchHit,
    WebSearchRequest,
    WebSearchResult,
)

REVISION = "kbr1-0001"
HIT = RegulationHit(regulation_id="r", edition_id="e", node_id="n", disclosure="full", excerpt="正文")
SEARCHED = RegulationsSearchResult(corpus_revision=REVISION, state="ok", hits=(HIT, HIT))
EVIDENCE = RegulationEvidence(
    corpus_revision=REVISION, node_id="n", excerpt="正文", disclosure="full", hash_verified=True
)
WEB = WebSearchResult(
    provider="p",
    sent_query="q",
    searched_at="2026-11-30T00:00:00Z",
    state="ok",
    results=(WebSearchHit(rank=1, url="https://example.test/"),),
)
CAPTURED = WebCapture(
    fetched_at="2026-11-30T00:00:00Z",
    state="captured",
    text="第一条 网页文字",
    candidates=(WebClauseCandidate(excerpt="第一条", start=0, end=3),),
)
REQUESTS: dict[str, Any] = {
    "search_regulations": RegulationsSearchRequest(query="安全生产"),
    "resolve_regulation_evidence": RegulationEvidenceRequest(corpus_revision=REVISION, node_id="n"),
    "search_web": WebSearchRequest(query="安全生产"),
    "capture_web": WebCaptureRequest(url="https://example.test/", search_query="安全生产"),
}
ANSWERS: dict[str, Any] = {
    "search_regulations": SEARCHED,
    "resolve_regulation_evidence": EVIDENCE,
    "search_web": WEB,
    "capture_web": CAPTURED,
}
ACTIONS = {
    "search_regulations": "regulations.search",
    "resolve_regulation_evidence": "regulations.evidence",
    "search_web": "web.search",
    "capture_web": "web.capture",
}
METHODS = list(REQUESTS)
DISPATCH = Dispatch(plugin_id="rdm", actor="weichen", owner="team-a")


@dataclass
class Provider:
    """Answers each method with what `answers` holds: a result, an error to raise, or a function."""

    answers: dict[str, Any] = field(default_factory=lambda: dict(ANSWERS))
    asked: list[tuple[str, RegulationsCaller, Any]] = field(default_factory=list)

    def _answer(self, method: str, caller: RegulationsCaller, request: Any) -> Any:
        self.asked.append((method, caller, request))
        answer = self.answers[method]
        if isinstance(answer, BaseException):
            raise answer
        return answer(caller, request) if callable(answer) else answer

    def search_regulations(
        self, caller: RegulationsCaller, request: RegulationsSearchRequest
    ) -> RegulationsSearchResult:
        return self._answer("search_regulations", caller, request)  # type: ignore[no-any-return]

    def resolve_regulation_evidence(
        self, caller: RegulationsCaller, request: RegulationEvidenceRequest
    ) -> RegulationEvidence:
        return self._answer("resolve_regulation_evidence", caller, request)  # type: ignore[no-any-return]

    def search_web(self, caller: RegulationsCaller, request: WebSearchRequest) -> WebSearchResult:
        return self._answer("search_web", caller, request)  # type: ignore[no-any-return]

    def capture_web(self, caller: RegulationsCaller, request: WebCaptureRequest) -> WebCapture:
        return self._answer("capture_web", caller, request)  # type: ignore[no-any-return]


class Kept:
    """An audit store in memory."""

    def __init__(self) -> None:
        self.events: list[AuditEvent] = []

    def write(self, event: AuditEvent) -> None:
        self.events.append(event)

    @property
    def told(self) -> list[dict[str, object]]:
        """The evidence of each event as JSON."""
        return [event.call.evidence.to_wire() for event in self.events]


class Full:
    """An audit store that can write nothing."""

    def __init__(self) -> None:
        self.error = OSError(28, "no space left")

    def write(self, event: AuditEvent) -> None:  # noqa: ARG002
        raise self.error


def in_force(dispatch: Dispatch) -> None:
    """The guard that lets everybody pass."""


class World:
    """One composition with its provider, which gives `answer` to `method`, and its audit store."""

    def __init__(
        self,
        method: str = "",
        answer: Any = None,
        audit: AuditStore | None = None,
        guard: Callable[[Dispatch], None] = in_force,
    ) -> None:
        self.provider = Provider({**ANSWERS, method: answer})
        self.kept = Kept()
        self.composition = Composition.of(guard, self.kept if audit is None else audit, self.provider)

    @property
    def calls(self) -> RegulationsHost:
        """What the plugin rdm may call."""
        return calls(self.composition)

    def call(self, method: str, **changes: Any) -> Any:
        """Call `method` with its request, changed."""
        return call(self.calls, method, **changes)


def calls(composition: Composition, dispatch: Dispatch = DISPATCH) -> RegulationsHost:
    """The capability of one dispatch."""
    found = composition.host(dispatch).capability(RegulationsHost)
    assert found is not None
    return found


def call(host: RegulationsHost, method: str, **changes: Any) -> Any:
    """Call `method` of `host` with its request, changed."""
    return getattr(host, method)(replace(REQUESTS[method], **changes))


def empty(audit: AuditStore | None = None, slot: Slot | None = None) -> Composition:
    """A composition without a provider."""
    return Composition(in_force, audit, slot)
