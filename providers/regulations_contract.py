"""EXT-20's public contract: all that a provider, or a plugin that asks one, has to import.

The version goes up with every addition; tests/host/surface.txt holds the names and signatures.
"""

from typing import Protocol

from schemas.ext20 import NO_TIME, SCHEMA_VERSION
from schemas.regulations import (
    DISCLOSURE_EXCERPT,
    DISCLOSURE_FULL,
    DISCLOSURE_METADATA_ONLY,
    DISCLOSURE_WITHHELD,
    STATE_DEGRADED,
    STATE_EMPTY,
    STATE_OK,
    STATE_UNAVAILABLE,
    RegulationEvidence,
    RegulationEvidenceRequest,
    RegulationHit,
    RegulationsCaller,
    RegulationsSearchRequest,
    RegulationsSearchResult,
)
from schemas.regulations_errors import (
    AuditWriteError,
    InvalidRegulationsRequestError,
    ProviderContractError,
    RegistrationError,
    RegulationsUnavailableError,
)
from schemas.web import CAPTURED as CAPTURE_CAPTURED
from schemas.web import EMPTY as WEB_EMPTY
from schemas.web import ERROR as WEB_ERROR
from schemas.web import EXCERPT as RETENTION_EXCERPT
from schemas.web import FAILED as CAPTURE_FAILED
from schemas.web import FULL as RETENTION_FULL
from schemas.web import METADATA_ONLY as RETENTION_METADATA_ONLY
from schemas.web import OK as WEB_OK
from schemas.web import RATE_LIMITED as WEB_RATE_LIMITED
from schemas.web import REJECTED as CAPTURE_REJECTED
from schemas.web import REJECTED as WEB_REJECTED
from schemas.web import UNAVAILABLE as WEB_UNAVAILABLE
from schemas.web import (
    WebCapture,
    WebCaptureRequest,
    WebClauseCandidate,
    WebSearchHit,
    WebSearchRequest,
    WebSearchResult,
)

__all__ = [
    "CAPTURE_CAPTURED",
    "CAPTURE_FAILED",
    "CAPTURE_REJECTED",
    "DISCLOSURE_EXCERPT",
    "DISCLOSURE_FULL",
    "DISCLOSURE_METADATA_ONLY",
    "DISCLOSURE_WITHHELD",
    "NO_TIME",
    "RETENTION_EXCERPT",
    "RETENTION_FULL",
    "RETENTION_METADATA_ONLY",
    "SCHEMA_VERSION",
    "STATE_DEGRADED",
    "STATE_EMPTY",
    "STATE_OK",
    "STATE_UNAVAILABLE",
    "SURFACE_VERSION",
    "WEB_EMPTY",
    "WEB_ERROR",
    "WEB_OK",
    "WEB_RATE_LIMITED",
    "WEB_REJECTED",
    "WEB_UNAVAILABLE",
    "AuditWriteError",
    "InvalidRegulationsRequestError",
    "ProviderContractError",
    "RegistrationError",
    "RegulationEvidence",
    "RegulationEvidenceRequest",
    "RegulationHit",
    "RegulationsCaller",
    "RegulationsHost",
    "RegulationsProvider",
    "RegulationsRegistrar",
    "RegulationsSearchRequest",
    "RegulationsSearchResult",
    "RegulationsUnavailableError",
    "WebCapture",
    "WebCaptureRequest",
    "WebClauseCandidate",
    "WebSearchHit",
    "WebSearchRequest",
    "WebSearchResult",
]

SURFACE_VERSION = "1.0.0"


class RegulationsProvider(Protocol):
    """What the one trusted provider can do; the host says who asks, and audits every call.

    States, disclosures and reasons reach the caller as they are answered, and so does what is raised.
    Calls come from many threads at once.
    """

    def search_regulations(
        self, caller: RegulationsCaller, request: RegulationsSearchRequest
    ) -> RegulationsSearchResult:
        """Search the corpus revision that is asked for, or else the published one."""
        ...

    def resolve_regulation_evidence(
        self, caller: RegulationsCaller, request: RegulationEvidenceRequest
    ) -> RegulationEvidence:
        """The text of one node of one pinned revision, as far as it may be disclosed."""
        ...

    def search_web(self, caller: RegulationsCaller, request: WebSearchRequest) -> WebSearchResult:
        """Really search the web; the query is trimmed and holds no excluded term."""
        ...

    def capture_web(self, caller: RegulationsCaller, request: WebCaptureRequest) -> WebCapture:
        """Capture one page; whether its address may be fetched is the provider's to judge."""
        ...


class RegulationsRegistrar(Protocol):
    """What a registry may be able to do: take the provider of the plugin it was made for, once."""

    def register_regulations_provider(self, provider: RegulationsProvider | None) -> None:
        """Put `provider` into the one slot; RegistrationError leaves it as it was."""
        ...


class RegulationsHost(Protocol):
    """What a plugin's host may be able to do; where it is missing nothing else takes its place.

    Each raises the account guard's own error, then RegulationsUnavailableError, then
    InvalidRegulationsRequestError, then whatever the provider raised, then AuditWriteError.
    """

    def search_regulations(self, request: RegulationsSearchRequest) -> RegulationsSearchResult:
        """Search the shared corpus."""
        ...

    def resolve_regulation_evidence(self, request: RegulationEvidenceRequest) -> RegulationEvidence:
        """Get the evidence of one pinned node."""
        ...

    def search_web(self, request: WebSearchRequest) -> WebSearchResult:
        """Search the web, if the query holds no excluded term; else the state is `rejected`."""
        ...

    def capture_web(self, request: WebCaptureRequest) -> WebCapture:
        """Capture a page that a search found."""
        ...
