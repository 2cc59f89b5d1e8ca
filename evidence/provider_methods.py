"""The four methods of EXT-20's provider: how each is minimised, asked, and told to the audit."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Generic, TypeVar

from evidence.provider_calls import outcome
from providers.regulations_contract import (
    NO_TIME,
    SCHEMA_VERSION,
    STATE_OK,
    WEB_REJECTED,
    InvalidRegulationsRequestError,
    ProviderContractError,
    RegulationEvidence,
    RegulationEvidenceRequest,
    RegulationsCaller,
    RegulationsProvider,
    RegulationsSearchRequest,
    RegulationsSearchResult,
    WebCapture,
    WebCaptureRequest,
    WebSearchRequest,
    WebSearchResult,
)
from providers.web.exclusions import Exclusions, trim
from providers.web.minimise import without_excluded
from schemas.errors import InvalidError
from schemas.ext20 import WireObject, WireRequest
from schemas.ledger import RESOLVED, SEARCHED, WEB_CAPTURED, WEB_SEARCHED, CallOutcome

Q = TypeVar("Q", bound=WireRequest)
R = TypeVar("R", bound=WireObject)


@dataclass(frozen=True, slots=True)
class Method(Generic[Q, R]):
    """One method; the audit hashes the text of the field `query`, trimmed or as it was given."""

    action: str
    request: type[Q]
    result: type[R]
    ask: Callable[[RegulationsProvider, RegulationsCaller, Q], R]
    tell: Callable[[R, str, str], CallOutcome]  # the result, the revision asked for, the query's hash
    query: str = ""
    trimmed: bool = True
    minimise: Callable[[Q], tuple[Q, R | None]] | None = None

    def checked(self, request: object) -> Q:
        """A copy of `request`; InvalidRegulationsRequestError for what is none of this method."""
        return self.request.checked(request)

    def prepared(self, copy: Q) -> tuple[Q, R | None]:
        """The request for the provider, and the host's own answer where it must not be asked.

        Raises InvalidRegulationsRequestError for a version that the contract does not know.
        """
        version = getattr(copy, "schema_version", None)
        if version != SCHEMA_VERSION:
            raise InvalidRegulationsRequestError(
                f"schemaVersion must be {SCHEMA_VERSION}, found {version}", subject="schemaVersion"
            )
        return (copy, None) if self.minimise is None else self.minimise(copy)

    def told(self, result: object, revision: str, digest: str) -> CallOutcome:
        """What the audit tells of `result`; ProviderContractError when the contract knows no such result."""
        try:
            return self.tell(self.result.checked(result), revision, digest)
        except InvalidError as error:
            raise ProviderContractError(
                f"the provider's answer to {self.action} is none: {error.message}", subject=error.subject
            ) from error

    def digest(self, request: object) -> str:
        """The SHA-256 of the query, empty for an empty one (host.md G.13)."""
        text = said(request, self.query)
        text = trim(text) if self.trimmed else text
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest() if text else ""


def said(request: object, name: str) -> str:
    """The text in a field of whatever was handed in as a request; empty when there is none."""
    try:
        value = getattr(request, name, "") if name else ""
    except Exception:  # noqa: BLE001 - a caller's object may raise anything; the audit must be written
        return ""
    return str.__str__(value) if isinstance(value, str) else ""


def _minimised(request: WebSearchRequest) -> tuple[WebSearchRequest, WebSearchResult | None]:
    """The request with its trimmed query, and the rejection if it holds an excluded term."""
    verdict = without_excluded(request.query, Exclusions(request.exclusions))
    if verdict.state == "invalid":
        raise InvalidRegulationsRequestError(verdict.reason, subject="query")
    if verdict.state == "rejected":
        return request, WebSearchResult(searched_at=NO_TIME, state=WEB_REJECTED, reason=verdict.reason)
    return replace(request, query=verdict.sent_query), None


SEARCH = Method(
    SEARCHED,
    RegulationsSearchRequest,
    RegulationsSearchResult,
    lambda provider, caller, request: provider.search_regulations(caller, request),
    lambda result, _, digest: outcome(result.state, len(result.hits), result.corpus_revision, digest),
    query="query",
    trimmed=False,
)
RESOLVE = Method(
    RESOLVED,
    RegulationEvidenceRequest,
    RegulationEvidence,
    lambda provider, caller, request: provider.resolve_regulation_evidence(caller, request),
    lambda result, revision, _: outcome(STATE_OK, 1, result.corpus_revision or revision),
)
SEARCH_WEB = Method(
    WEB_SEARCHED,
    WebSearchRequest,
    WebSearchResult,
    lambda provider, caller, request: provider.search_web(caller, request),
    lambda result, _, digest: outcome(result.state, len(result.results), query_sha256=digest),
    query="query",
    minimise=_minimised,
)
CAPTURE_WEB = Method(
    WEB_CAPTURED,
    WebCaptureRequest,
    WebCapture,
    lambda provider, caller, request: provider.capture_web(caller, request),
    lambda result, _, digest: outcome(result.state, len(result.candidates), query_sha256=digest),
    query="search_query",
)
