"""The second source: the same queries asked of the web through the host, and the pages that they find."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from providers.base import Outgoing, Withheld
from providers.regulations.node_source import said
from providers.regulations_contract import AuditWriteError, RegulationsHost, RegulationsUnavailableError
from providers.web.connector import WebSearch
from providers.web.page_source import AS_SEEN, FAMILY, OFFICIAL_FAMILY
from providers.web.passages import nearest
from providers.web.settings import Settings
from providers.web.words import STATES, told
from schemas.errors import EvidenceError
from schemas.plan import Plan
from schemas.receipt import Source
from schemas.text import legible
from schemas.web import CAPTURED, EMPTY, OK, WebCapture, WebCaptureRequest, WebSearchRequest

NO_PAGE = "不是网页地址 no web address"
_FATAL = (AuditWriteError, RegulationsUnavailableError)


@dataclass
class Found:
    """Pages by their address, what to say beside them, and whether a step could not be taken."""

    sources: dict[str, Source] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    undone: bool = False
    tried: set[str] = field(default_factory=set)

    def failed(self, note: str) -> None:
        """Tell of a step that could not be taken."""
        self.undone = True
        self.notes.append(note)


@dataclass(frozen=True, slots=True)
class WebLeg:
    """How the web is asked; `shown` says what would be sent, since the host asks the same service.

    Nothing is begun later than `seconds` after the start, so that what is there by then is delivered.
    """

    shown: WebSearch
    settings: Settings
    seconds: float
    monotonic: Callable[[], float] = time.monotonic

    def outgoing(self, plan: Plan) -> Sequence[Outgoing]:
        """What the searches and captures would send."""
        return self.shown.outgoing(plan)

    def withheld(self, plan: Plan) -> Sequence[Withheld]:
        """What of it would not be sent; a node of the corpus is no page, and nothing is missing for that."""
        return [one for one in self.shown.withheld(plan) if one.reason != NO_PAGE]

    def asked(self, host: RegulationsHost, queries: Sequence[str], named: Sequence[str]) -> Found:
        """The pages that are `named`, and those that the queries find."""
        found = Found()
        until = self.monotonic() + self.seconds
        for url in named:
            self._capture(host, WebCaptureRequest(url=url), "请求指名", queries, found, until)
        for query in queries:
            if self.monotonic() >= until:
                found.failed(f"没有时间检索网络“{legible(query, 200)}”。 No time was left to search.")
                continue
            self._search(host, query, found, until)
        return found

    def _search(self, host: RegulationsHost, query: str, found: Found, until: float) -> None:
        asked = f"网络检索“{legible(query, 200)}”"
        wanted = self.settings
        request = WebSearchRequest(query=query, prefer_official=wanted.prefer_official, limit=wanted.hits)
        try:
            result = host.search_web(request)
        except _FATAL:
            raise
        except EvidenceError as error:
            found.failed(f"{asked}没有完成：{said(told(error.message), 600)}。 Not searched.")
            return
        if result.state == EMPTY:
            found.notes.append(f"{asked}没有结果。 The web search found nothing.")
        elif result.state != OK:
            found.failed(f"{asked}没有完成：{_why(result.state, result.reason)}。 Not searched.")
        for hit in result.results[: wanted.captures]:
            capture = WebCaptureRequest(
                url=hit.url,
                search_provider=result.provider,
                search_query=result.sent_query,
                search_rank=hit.rank,
            )
            self._capture(host, capture, f"{asked}第 {hit.rank} 位", (query,), found, until)

    def _capture(
        self,
        host: RegulationsHost,
        request: WebCaptureRequest,
        where: str,
        queries: Iterable[str],
        found: Found,
        until: float,
    ) -> None:
        if request.url in found.tried:
            return
        if self.monotonic() >= until:
            found.failed(f"{where}没有抓取：没有时间。 Not captured: no time was left.")
            return
        found.tried.add(request.url)
        try:
            capture = host.capture_web(request)
            if capture.state == CAPTURED:
                official = self.shown.is_official(capture.final_url)
                found.sources.setdefault(capture.final_url, _source(capture, where, queries, official))
                return
            why = _why(capture.state, capture.reason)
        except _FATAL:
            raise
        except EvidenceError as error:
            why = said(told(error.message), 400)
        found.failed(f"{where}没有抓取：{why}。 Not captured.")


def _why(state: str, reason: str) -> str:
    """A state and its reason in both languages."""
    named = f"{STATES.get(state, '')} {legible(state, 40)}".strip()
    return "，".join(filter(None, (named, said(told(reason), 600))))


def _source(capture: WebCapture, where: str, queries: Iterable[str], official: bool) -> Source:
    quoted = " ".join(
        f"摘录（第 {one.start}–{one.end} 字）：“{legible(one.excerpt, 300)}”。"
        for one in nearest(capture.candidates, queries)
    )
    return Source(
        source_ref=capture.final_url,
        source_family=OFFICIAL_FAMILY if official else FAMILY,
        basis="observed",
        finding=(
            f"网页 {legible(capture.content_type, 200) or '未声明类型'}，{capture.byte_size} 字节，"
            f"SHA-256 {capture.sha256}。 得自：{where}。 {quoted}"
        ),
        limitation=legible(f"{AS_SEEN} retention: {capture.retention}. {told(capture.reason)}", 2048),
        accessed_at=capture.fetched_at,
        content_digest=f"sha256:{capture.sha256}",
    )
