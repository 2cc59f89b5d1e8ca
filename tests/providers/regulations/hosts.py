"""A host that answers as it is told to, over a real corpus; the connector cannot tell it from ours."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evidence.engine import Engine
from providers.registry import Registry
from providers.regulations.connector import Opened, Regulations
from providers.regulations.corpus import Corpus
from providers.regulations.kbreg import Kbreg
from providers.regulations.search.service import RegulationsSearch
from providers.regulations.search.sqlite_index import SqliteIndex
from providers.regulations.web_leg import WebLeg
from providers.web.assembly import connector
from providers.web.exclusions import Exclusions
from providers.web.search.adapter import Options
from providers.web.settings import Settings
from schemas.plan import Plan
from schemas.regulations import (
    RegulationEvidence,
    RegulationEvidenceRequest,
    RegulationsCaller,
    RegulationsSearchRequest,
    RegulationsSearchResult,
)
from schemas.request import Request
from schemas.web import WebCapture, WebCaptureRequest, WebSearchHit, WebSearchRequest, WebSearchResult
from tests.providers.regulations.corpora import OLD, clock, opened, source

CALLER = RegulationsCaller(plugin_id="tester", owner="o")
AT = "2031-07-01T00:00:00Z"
SHA = "ab" * 32


def published(folder: Path) -> Corpus:
    """A corpus of two editions, the newer one current."""
    corpus = opened(folder, source(), OLD)
    corpus.publish("tester")
    return corpus


def provider(corpus: Corpus, **parts: object) -> Kbreg:
    """The provider over it, indexed."""
    search = RegulationsSearch(corpus, SqliteIndex(Path(f"{corpus.path}.index")), clock)
    search.build()
    return Kbreg(corpus, search, clock, **parts)  # type: ignore[arg-type]  # each test names real parts


@dataclass
class Host:
    """`raises` says which method ends in which error; the web finds `urls` and captures each of them."""

    provider: Kbreg
    urls: Sequence[str] = ()
    raises: dict[str, BaseException] = field(default_factory=dict)
    searched: list[str] = field(default_factory=list)
    captured: list[str] = field(default_factory=list)
    kind: str = "text/html"

    def search_regulations(self, request: RegulationsSearchRequest) -> RegulationsSearchResult:
        self._end(f"search {request.query}")
        return self.provider.search_regulations(CALLER, request)

    def resolve_regulation_evidence(self, request: RegulationEvidenceRequest) -> RegulationEvidence:
        self._end("resolve")
        return self.provider.resolve_regulation_evidence(CALLER, request)

    def search_web(self, request: WebSearchRequest) -> WebSearchResult:
        self.searched.append(request.query)
        self._end("web")
        hits = tuple(WebSearchHit(rank=rank, url=url) for rank, url in enumerate(self.urls, 1))
        return WebSearchResult(searched_at=AT, state="ok" if hits else "empty", results=hits)

    def capture_web(self, request: WebCaptureRequest) -> WebCapture:
        self.captured.append(request.url)
        self._end("capture")
        return WebCapture(
            final_url=request.url, fetched_at=AT, sha256=SHA, state="captured", content_type=self.kind
        )

    def _end(self, method: str) -> None:
        if method in self.raises:
            raise self.raises[method]


def leg(captures: int = 2, times: Sequence[float] = ()) -> WebLeg:
    """A web leg for which the clock shows these times, the last one for good."""
    settings = Settings(url="http://127.0.0.1:1", options=Options(), captures=captures)
    shown = connector(settings, clock, Exclusions(), {}, lambda _: None)
    shows = iter(times)
    last = times[-1] if times else 0.0
    return WebLeg(shown, settings, 10.0, lambda: next(shows, last))


def asked(host: Host, web: WebLeg | None = None) -> Regulations:
    """The connector before this host."""
    return Regulations(lambda: Opened(host.provider.corpus, host, web), clock)


def plan(made: Regulations, *terms: str, refs: Sequence[str] = (), constraints: Sequence[str] = ()) -> Plan:
    """A ready plan for it."""
    request = Request(
        objective="o",
        user_activity="a",
        decision="d",
        evidence_kinds=("regulation_text",),
        constraints=tuple(constraints),
        search_terms=terms or None,
        source_refs=tuple(refs) or None,
    )
    found = Engine(registry=Registry((made,)), clock=clock).plan(request)
    assert found.status == "ready", found
    return found
