"""`kbreg`: EXT-20's provider over a corpus of regulations, and over the web where that is set up."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from providers.regulations.corpus import Corpus
from providers.regulations.search.service import RegulationsSearch
from providers.web.capturing import Capturer
from providers.web.exclusions import Exclusions
from providers.web.minimise import Policy, check_query
from providers.web.screening import screened
from providers.web.search.service import SearchService
from schemas.dates import instant
from schemas.regulations import (
    RegulationEvidence,
    RegulationEvidenceRequest,
    RegulationsCaller,
    RegulationsSearchRequest,
    RegulationsSearchResult,
)
from schemas.web import (
    FAILED,
    REJECTED,
    UNAVAILABLE,
    WebCapture,
    WebCaptureRequest,
    WebSearchRequest,
    WebSearchResult,
)

NO_SEARCH = "no search service is set up"
NO_CAPTURE = "no capture of pages is set up"


class Kbreg:
    """The four methods of EXT-20 over `corpus`; the host guards, minimises and audits every call of them."""

    def __init__(
        self,
        corpus: Corpus,
        search: RegulationsSearch,
        clock: Callable[[], datetime],
        *,
        web: SearchService | None = None,
        capturer: Capturer | None = None,
        exclusions: Exclusions | None = None,
        detectors: Policy = "refuse",
    ) -> None:
        self.corpus = corpus
        self._search = search
        self._clock = clock
        self._web = web
        self._capturer = capturer
        self._exclusions = exclusions or Exclusions()
        self._detectors = detectors

    def search_regulations(
        self,
        caller: RegulationsCaller,  # noqa: ARG002 - a shared corpus answers everybody alike
        request: RegulationsSearchRequest,
    ) -> RegulationsSearchResult:
        """Hits of the revision that is asked for; who asks changes nothing in a shared corpus."""
        return self._search.search(request)

    def resolve_regulation_evidence(
        self,
        caller: RegulationsCaller,  # noqa: ARG002 - a shared corpus answers everybody alike
        request: RegulationEvidenceRequest,
    ) -> RegulationEvidence:
        """One node of one revision, hashed anew in this call (regulations.md section 6)."""
        found = self.corpus.resolve(request.corpus_revision, request.node_id, request.start, request.end)
        return RegulationEvidence(
            corpus_revision=found.corpus_revision,
            regulation_id=found.edition.regulation_id if found.edition else "",
            edition_id=found.edition.edition_id if found.edition else "",
            node_id=found.node_id,
            clause_no=found.clause_no,
            excerpt=found.shown.excerpt,
            start=found.shown.start,
            end=found.shown.end,
            node_sha256=found.node_sha256,
            source_asset_sha256=found.source_asset_sha256,
            page_start=found.page_start or 0,
            page_end=found.page_end or 0,
            disclosure=found.shown.disclosure,
            withheld_reason=found.shown.withheld_reason,
            hash_verified=found.hash_verified,
        )

    def search_web(
        self,
        caller: RegulationsCaller,  # noqa: ARG002 - a shared corpus answers everybody alike
        request: WebSearchRequest,
    ) -> WebSearchResult:
        """Ask the search service, after every rule on what may leave."""
        if self._web is None:
            return self._unasked(UNAVAILABLE, NO_SEARCH)
        excluded = Exclusions(request.exclusions).joined(self._exclusions)
        verdict = check_query(request.query, excluded, self._detectors)
        if verdict.state != "ok":
            return self._unasked(REJECTED, verdict.reason)
        return screened(self._web.search(replace(request, query=verdict.sent_query)).result, excluded)

    def capture_web(
        self,
        caller: RegulationsCaller,  # noqa: ARG002 - a shared corpus answers everybody alike
        request: WebCaptureRequest,
    ) -> WebCapture:
        """Capture one page; its address is judged by the capturer."""
        if self._capturer is None:
            return WebCapture(fetched_at=instant(self._clock()), state=FAILED, reason=NO_CAPTURE)
        return self._capturer.capture(request).capture

    def _unasked(self, state: str, reason: str) -> WebSearchResult:
        return WebSearchResult(searched_at=instant(self._clock()), state=state, reason=reason)
