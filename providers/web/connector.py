"""`connector:web-search`: real searches, and the pages they found, captured and hashed.

A source is a page whose whole body was read; a hit that was not captured is a limitation, never evidence.
What `outgoing` shows is what leaves, and nothing leaves that the rules of `minimise` refuse.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from providers.base import Clock, Outgoing, Withheld, standing
from providers.web.capturing import Capturer
from providers.web.crew import each
from providers.web.exclusions import Exclusions
from providers.web.extraction.page import DEFAULT
from providers.web.minimise import Verdict, check_query
from providers.web.page_source import NAMED, Wanted, page_source
from providers.web.quoting import quoted
from providers.web.run_notes import RunNotes
from providers.web.screening import unspoken
from providers.web.search.official import OfficialDomains
from providers.web.search.service import Searched, SearchService
from providers.web.settings import Settings
from providers.web.words import told
from schemas.canonical import Algorithm, algorithm_of
from schemas.dates import instant
from schemas.errors import InvalidError
from schemas.plan import Plan
from schemas.provider import ProviderRow
from schemas.receipt import MOST_SOURCES, Receipt, Source
from schemas.text import legible
from schemas.web import CAPTURED, WebCaptureRequest, WebSearchHit, WebSearchRequest

PROVIDER_ID = "connector:web-search"
USUAL_SECONDS = 300.0
"""How long a caller waits for a run unless it says otherwise."""
NEITHER = (
    "请求既没有检索词，也没有网页地址；目标从不发送。请用 --search-term 或 --source 另作计划。"
    " The request has neither search terms nor sources, and its objective is never sent: plan anew with one."
)
_SHARE = 0.95


@dataclass(frozen=True, slots=True)
class _Taken:
    """What taking one page came to: a source, or the state and reason for none. Nothing of its bytes."""

    state: str
    reason: str = ""
    source: Source | None = None
    moved: bool = False
    """Whether the request names it and it lies elsewhere."""


_NOT_BEGUN = _Taken("not begun", "no time was left")


class WebSearch:
    """A search service and a fetcher as a connector of the lifecycle.

    Nothing is begun that could end after the `seconds` that a caller waits, so that what is there by then
    is delivered.
    """

    provider_id = PROVIDER_ID
    provider_kind = "connector"

    def __init__(
        self,
        service: SearchService,
        capturer: Capturer,
        clock: Clock,
        settings: Settings,
        exclusions: Exclusions,
        official: OfficialDomains,
        seconds: float = USUAL_SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._service = service
        self._capturer = capturer
        self._clock = clock
        self._settings = settings
        self._exclusions = exclusions
        self._official = official
        longest = settings.policy.seconds + settings.patience + reading_seconds(seconds)
        self._budget = seconds * _SHARE - longest
        self._monotonic = monotonic

    def readiness(self) -> ProviderRow:
        """What the search service says of itself, without a query."""
        found = self._service.readiness()
        why_not = None if found.ready else told(found.reason)
        return standing(
            self.provider_id,
            self.provider_kind,
            why_not,
            installed=found.installed,
            enabled=found.enabled,
        )

    def outgoing(self, plan: Plan) -> Sequence[Outgoing]:
        """The look at the service, every query that may go, and the pages that are named or will be found."""
        messages = list(self._service.probes())
        searches = [self._service.prepare(_asked(self._settings, said)) for _, said in self._sent(plan)]
        messages += searches
        for url in self._pages(plan):
            messages += self._capturer.outgoing(url)
        if searches and self._settings.captures:
            most = len(searches) * self._settings.captures
            first = ("，先取该主机的 /robots.txt", ", after GET /robots.txt of its host")
            rule, robots = first if self._settings.policy.robots else ("", "")
            messages.append(
                Outgoing(
                    "检索找到的网页 pages that the searches find",
                    f"至多 {most} 次 GET，只含网址{rule}"
                    f" GET of at most {most}, nothing but each address{robots}",
                )
            )
        return messages

    def withheld(self, plan: Plan) -> Sequence[Withheld]:
        """Every term and page of the plan that would not be asked for, without what must not be shown."""
        if not (plan.request.search_terms or plan.request.source_refs):
            return [Withheld("search", "目标 objective", NEITHER)]
        found = []
        for place, (_, verdict) in enumerate(self._judged(plan), 1):
            if why := verdict.reason or self._service.refusal(verdict.sent_query):
                found.append(Withheld("search", f"第 {place} 个检索词 search term {place}", told(why)))
        for place, ref in enumerate(plan.request.source_refs or (), 1):
            named = f"第 {place} 个来源 source {place}"
            if not _is_web(ref):
                found.append(Withheld("fetch", named, "不是网页地址 no web address"))
            elif judged := self._capturer.refusal(ref):
                found.append(Withheld("fetch", named, told(judged)))
            elif rejected := self._capturer.rejection(ref):
                found.append(Withheld("fetch", legible(ref, 400), told(rejected)))
        return found

    def is_official(self, url: str) -> bool:
        """Whether the host of `url` is on the list of official ones, or on the user's."""
        return self._official.holds(url)

    def execute(self, plan: Plan) -> Receipt:
        """Search, capture, and bind each captured page as a source.

        A request that names neither a query nor a page fails: its objective is not sent.
        """
        until = self._monotonic() + self._budget
        notes = RunNotes()
        if not (plan.request.search_terms or plan.request.source_refs):
            notes.note(NEITHER)
        wanted = self._named(plan, notes)
        for query, verdict in self._judged(plan):
            if verdict.state != "ok":
                notes.refused(verdict)
                continue
            if self._monotonic() >= until:
                notes.late(query)
                continue
            searched = self._searched(_asked(self._settings, verdict.sent_query))
            notes.warned(query, verdict)
            notes.searched(query, searched)
            self._choose(query, searched, wanted, notes)
        sources = self._sources(self._taken(plan, wanted, until), notes)
        return Receipt(
            plan_id=plan.plan_id or "",
            request_id=plan.request.request_id or "",
            provider_id=self.provider_id,
            provider_kind=self.provider_kind,
            status=notes.status(bool(sources)),
            sources=sources,
            summary=notes.summary(self._service.adapter.title, self._service.address.url(), len(sources)),
            limitations=notes.limitations(),
            # A clock that was set back must not put the end before a page.
            completed_at=max([instant(self._clock()), *(source.accessed_at for source in sources)]),
        )

    def _searched(self, request: WebSearchRequest) -> Searched:
        """The search; what the service says of it without excluded terms. Its hits are judged one by one."""
        searched = self._service.search(request)
        reason = unspoken(searched.result.reason, self._exclusions)
        return replace(searched, result=replace(searched.result, reason=reason))

    def _judged(self, plan: Plan) -> list[tuple[str, Verdict]]:
        terms = dict.fromkeys(plan.request.search_terms or ())
        return [(term, check_query(term, self._exclusions, self._settings.detectors)) for term in terms]

    def _sent(self, plan: Plan) -> list[tuple[str, str]]:
        """Each term that goes out, as it goes out: refused neither by our rules nor by the service's."""
        judged = [(term, verdict) for term, verdict in self._judged(plan) if verdict.state == "ok"]
        return [(term, ok.sent_query) for term, ok in judged if not self._service.refusal(ok.sent_query)]

    def _pages(self, plan: Plan) -> list[str]:
        """The web addresses that the request names and that may be asked for."""
        named = plan.request.source_refs or ()
        return [ref for ref in named if _is_web(ref) and self._capturer.refusal(ref) is None]

    def _named(self, plan: Plan, notes: RunNotes) -> dict[str, Wanted]:
        wanted: dict[str, Wanted] = {}
        for ref in plan.request.source_refs or ():
            if not _is_web(ref):
                named = legible(unspoken(ref, self._exclusions), 200)
                notes.note(f"{named} 不是网页地址，没有抓取。 No web address; not captured.")
                continue
            if self._capturer.refusal(ref) is not None:
                notes.hidden += 1
                continue
            wanted[ref] = Wanted(WebCaptureRequest(url=ref), list(plan.request.search_terms or ()), [NAMED])
        return wanted

    def _choose(self, query: str, searched: Searched, wanted: dict[str, Wanted], notes: RunNotes) -> None:
        """Take the first hits of one search, official ones first where that is wanted; list the others."""
        left: list[WebSearchHit] = []
        taken = 0
        for hit in searched.result.results:
            said = f"{searched.result.provider} 检索{quoted(query, 120)}第 {hit.rank} 位"
            if self._capturer.refusal(hit.url) is not None:
                notes.hidden += 1
                continue
            known = wanted.get(hit.url)
            if known is None and taken >= self._settings.captures:
                left.append(hit)
                continue
            if known is None:
                request = WebCaptureRequest(
                    url=hit.url,
                    search_provider=searched.result.provider,
                    search_query=searched.result.sent_query,
                    search_rank=hit.rank,
                )
                known = wanted[hit.url] = Wanted(request)
            taken += 1
            known.queries.append(query)
            known.found.append(said)
        notes.left(query, left)

    def _taken(self, plan: Plan, wanted: dict[str, Wanted], until: float) -> list[tuple[str, _Taken]]:
        """Each address with what taking its page came to, in order; none is begun after `until`."""
        algorithm = algorithm_of(plan.plan_id or "blake3:")

        def work(one: Wanted) -> tuple[str, _Taken]:
            late = self._monotonic() >= until
            return one.request.url, _NOT_BEGUN if late else self._take(one, algorithm)

        return each(work, wanted.values(), self._settings.at_once)

    def _take(self, wanted: Wanted, algorithm: Algorithm) -> _Taken:
        """One page as a source. It is made here, so that only pages at work are held in memory."""
        found = self._capturer.capture(wanted.request)
        if found.capture.state != CAPTURED:
            return _Taken(found.capture.state, found.capture.reason)
        try:
            source = page_source(wanted, found, self.is_official(found.capture.final_url), algorithm)
        except InvalidError as error:
            return _Taken("no source", error.message)
        return _Taken(CAPTURED, source=source, moved=bool(found.moved) and NAMED in wanted.found)

    def _sources(self, taken: list[tuple[str, _Taken]], notes: RunNotes) -> tuple[Source, ...]:
        sources: dict[str, Source] = {}
        for url, one in taken:
            if one.source is not None and one.moved:
                notes.moved(url, one.source.source_ref)
            if one.source is None:
                notes.uncaptured(url, one.state, one.reason)
            elif one.source.source_ref in sources:
                notes.note(f"{legible(url, 200)} 与另一来源同址。 It ends at the address of another source.")
            elif len(sources) == MOST_SOURCES:
                notes.uncaptured(url, "left out", f"a receipt holds {MOST_SOURCES} sources")
            else:
                sources[one.source.source_ref] = one.source
        return tuple(sources.values())


def reading_seconds(seconds: float) -> float:
    """How long the reading of one PDF may take in a run of `seconds`."""
    return min(DEFAULT.for_pdf.seconds, seconds / 4)


def _asked(settings: Settings, query: str) -> WebSearchRequest:
    return WebSearchRequest(query=query, prefer_official=settings.prefer_official, limit=settings.hits)


def _is_web(ref: str) -> bool:
    return ref.startswith(("http://", "https://"))
