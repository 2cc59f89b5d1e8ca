"""The second source: the same queries asked of the web through the host, and the pages that they find."""

from collections.abc import Sequence
from dataclasses import dataclass

from providers.base import Outgoing
from providers.regulations_contract import RegulationsHost
from providers.web.connector import WebSearch
from providers.web.page_source import AS_SEEN, FAMILY, OFFICIAL_FAMILY
from providers.web.passages import nearest
from schemas.errors import InvalidError
from schemas.plan import Plan
from schemas.receipt import Source
from schemas.text import legible
from schemas.web import CAPTURED, OK, WebCapture, WebCaptureRequest, WebSearchHit, WebSearchRequest


@dataclass(frozen=True, slots=True)
class WebLeg:
    """How much of the web is asked; `shown` says what would be sent, since the host asks the same service."""

    shown: WebSearch
    hits: int
    captures: int

    def outgoing(self, plan: Plan) -> Sequence[Outgoing]:
        """What the searches and captures would send."""
        return self.shown.outgoing(plan)

    def pages(self, host: RegulationsHost, plan: Plan, notes: list[str]) -> list[Source]:
        """Captured pages as sources; what could not be had becomes a note."""
        sources: dict[str, Source] = {}
        for query in dict.fromkeys(plan.request.search_terms or ()):
            request = WebSearchRequest(query=query, prefer_official=True, limit=self.hits)
            result = host.search_web(request)
            if result.state != OK:
                notes.append(
                    f"网络检索没有完成：{result.state}，{legible(result.reason, 600)}。 Not searched."
                )
                continue
            for hit in result.results[: self.captures]:
                capture = host.capture_web(
                    WebCaptureRequest(
                        url=hit.url,
                        search_provider=result.provider,
                        search_query=result.sent_query,
                        search_rank=hit.rank,
                    )
                )
                self._take(capture, hit, query, sources, notes)
        return list(sources.values())

    def _take(
        self, capture: WebCapture, hit: WebSearchHit, query: str, sources: dict[str, Source], notes: list[str]
    ) -> None:
        if capture.state != CAPTURED:
            why = f"{capture.state}，{legible(capture.reason, 400)}"
            notes.append(f"第 {hit.rank} 位结果没有抓取：{why}。 Not captured.")
            return
        try:
            official = self.shown.is_official(capture.final_url)
            sources.setdefault(capture.final_url, _source(capture, hit, query, official))
        except InvalidError as error:
            notes.append(f"第 {hit.rank} 位结果不能作为来源：{legible(error.message, 300)}。 No source.")


def _source(capture: WebCapture, hit: WebSearchHit, query: str, official: bool) -> Source:
    passages = nearest(capture.candidates, (query,))
    quoted = " ".join(
        f"摘录（第 {one.start}–{one.end} 字）：“{legible(one.excerpt, 300)}”。" for one in passages
    )
    return Source(
        source_ref=capture.final_url,
        source_family=OFFICIAL_FAMILY if official else FAMILY,
        basis="observed",
        finding=(
            f"网页 {capture.content_type or '未声明类型'}，{capture.byte_size} 字节，"
            f"SHA-256 {capture.sha256}。 得自：检索“{legible(query, 200)}”第 {hit.rank} 位。 {quoted}"
        ),
        limitation=legible(f"{AS_SEEN} retention: {capture.retention}. {capture.reason}", 2048),
        accessed_at=capture.fetched_at,
        content_digest=f"sha256:{capture.sha256}",
    )
