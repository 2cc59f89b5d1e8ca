"""`connector:regulations`: evidence of pinned clauses through EXT-20's host, with the web as a second source.

Every call goes through the host, which audits it. With the constraint `dual_source` a run succeeds only if
both the corpus and the web delivered (EXT-20 section 7: no claim of dual verification without both).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from providers.base import Clock, Outgoing
from providers.limitations import limited
from providers.regulations import manifest
from providers.regulations.corpus import Corpus
from providers.regulations.node_source import Cited, node_source
from providers.regulations.status import legal_status, today
from providers.regulations.web_leg import WebLeg
from providers.regulations_contract import RegulationsHost
from schemas.dates import instant
from schemas.errors import EvidenceError, InvalidError, NotReadyError
from schemas.plan import Plan
from schemas.provider import ProviderRow
from schemas.receipt import MOST_SOURCES, Receipt, Source
from schemas.regulations import (
    STATE_DEGRADED,
    STATE_OK,
    RegulationEvidenceRequest,
    RegulationsSearchRequest,
)
from schemas.text import legible

PROVIDER_ID = "connector:regulations"
HITS = 3
"""How many hits of one query are resolved."""
_REF = re.compile(r"urn:kbreg:(kbr1-[0-9a-f]+):(.+)")
_DUAL = re.compile(r"\bdual_source\b")
_CURRENT = re.compile(r"\bcurrent_only\b")


@dataclass(frozen=True, slots=True)
class Opened:
    """A corpus, the host that serves it, and the way to the web if there is one."""

    corpus: Corpus
    host: RegulationsHost
    web: WebLeg | None = None


class Regulations:
    """The corpus behind the host as a connector; `opened` opens both, or says why it cannot."""

    provider_id = PROVIDER_ID
    provider_kind = "connector"

    def __init__(self, opened: Callable[[], Opened], clock: Clock) -> None:
        self._opened = opened
        self._clock = clock

    def readiness(self) -> ProviderRow:
        """Ready when the provider is registered, and the published manifest is what its id says."""
        try:
            corpus = self._opened().corpus
            current = corpus.current()
            if current is None:
                raise NotReadyError("no corpus revision is published", subject="corpus")
            manifest.verify(corpus.manifest(current), current)
        except EvidenceError as error:
            return self._row(error.message)
        return self._row(None)

    def outgoing(self, plan: Plan) -> Sequence[Outgoing]:
        """Nothing leaves for the corpus; with `dual_source` what the web leg sends."""
        web = self._opened().web
        if not _asks(_DUAL, plan) or web is None:
            return []
        return web.outgoing(plan)

    def execute(self, plan: Plan) -> Receipt:
        """Search and resolve; each resolved node becomes a source.

        Raises InvalidError when the request names neither a query nor a node of the corpus.
        """
        opened = self._opened()
        queries = tuple(dict.fromkeys(plan.request.search_terms or ()))
        if not queries and not plan.request.source_refs:
            raise InvalidError("the request has neither search_terms nor source_refs", subject="search_terms")
        notes: list[str] = []
        cited = self._cited(opened, plan, queries, notes)
        sources = self._resolved(opened, cited, notes)
        found = len(sources)
        dual = _asks(_DUAL, plan)
        if dual:
            pages = opened.web.pages(opened.host, plan, notes) if opened.web else []
            if opened.web is None:
                notes.append("没有配置网络检索。 No search service is set up.")
            if not sources or not pages:
                legs = [name for name, leg in (("corpus", sources), ("web", pages)) if not leg]
                notes.insert(
                    0,
                    f"双源核验未完成：{'、'.join(legs)} 没有提供证据。 Dual verification was not completed.",
                )
                sources = []
            else:
                sources = [*sources, *pages][:MOST_SOURCES]
        return Receipt(
            plan_id=plan.plan_id or "",
            request_id=plan.request.request_id or "",
            provider_id=self.provider_id,
            provider_kind=self.provider_kind,
            status="succeeded" if sources else "failed" if dual and found else "no_evidence",
            sources=tuple(sources),
            summary=_summary(opened.corpus.current() or "", len(queries), found, len(sources) - found, dual),
            limitations=limited(notes),
            completed_at=instant(self._clock()),
        )

    def _cited(
        self, opened: Opened, plan: Plan, queries: Sequence[str], notes: list[str]
    ) -> dict[str, Cited]:
        cited: dict[str, Cited] = {}
        for ref in plan.request.source_refs or ():
            named = _REF.fullmatch(ref)
            if named is None:
                notes.append(
                    f"{legible(ref, 200)} 不是语料节点，没有解析。 No node of a corpus; not resolved."
                )
            else:
                cited[ref] = Cited(named[1], named[2], found=["请求指名 named in the request"])
        for query in queries:
            result = opened.host.search_regulations(
                RegulationsSearchRequest(query=query, current_only=_asks(_CURRENT, plan), limit=HITS)
            )
            asked = f"查询“{legible(query, 200)}”"
            if result.degraded_reasons:
                notes.append(f"{asked}：{result.state}，{legible('；'.join(result.degraded_reasons), 600)}。")
            if not result.hits:
                word = "没有命中" if result.state in (STATE_OK, STATE_DEGRADED, "empty") else "没有完成"
                notes.append(f"{asked}{word}（{legible(result.state, 40)}）。 No hit in the corpus.")
            for hit in result.hits:
                one = Cited(result.corpus_revision, hit.node_id, hit.excerpt_start, hit.excerpt_end)
                known = cited.setdefault(one.ref, one)
                known.found.append(f"{asked}（{'、'.join(hit.match_kinds)}）")
        return cited

    def _resolved(self, opened: Opened, cited: dict[str, Cited], notes: list[str]) -> list[Source]:
        sources: list[Source] = []
        for one in cited.values():
            if len(sources) == MOST_SOURCES:
                notes.append(f"{legible(one.ref, 200)} 未列入：至多 {MOST_SOURCES} 条来源。 No room.")
                continue
            try:
                sources.append(self._source(opened, one))
            except EvidenceError as error:
                notes.append(
                    f"{legible(one.ref, 240)} 不能作为来源：{legible(error.message, 300)}。 No source."
                )
        return sources

    def _source(self, opened: Opened, cited: Cited) -> Source:
        evidence = opened.host.resolve_regulation_evidence(
            RegulationEvidenceRequest(
                corpus_revision=cited.revision, node_id=cited.node_id, start=cited.start, end=cited.end
            )
        )
        if not evidence.hash_verified:
            why = evidence.withheld_reason or "the hash was not verified"
            raise NotReadyError(f"hashVerified is false: {why}", subject=cited.ref)
        corpus = opened.corpus
        edition = corpus.edition(cited.revision, evidence.edition_id)
        day = today(self._clock())
        path = cited.node_id.partition("#")[2]
        status = legal_status(edition, corpus.editions(cited.revision), day, path)
        heading = corpus.node(cited.revision, cited.node_id).heading_path
        return node_source(cited, evidence, edition, heading, (status, day), instant(self._clock()))

    def _row(self, why_not: str | None) -> ProviderRow:
        return ProviderRow(
            provider_id=self.provider_id,
            provider_kind=self.provider_kind,
            declared=True,
            installed=True,
            enabled=True,
            ready=why_not is None,
            unavailable_reason=None if why_not is None else legible(why_not, 512),
        )


def _asks(word: re.Pattern[str], plan: Plan) -> bool:
    return any(word.search(one) for one in plan.request.constraints)


def _summary(revision: str, asked: int, nodes: int, pages: int, dual: bool) -> str:
    web = f"，网页 {max(pages, 0)} 个" if dual else ""
    second = f", {max(pages, 0)} pages" if dual else ""
    return (
        f"在法规语料库（修订 {revision}）中查询 {asked} 项，得到条款 {nodes} 条{web}。"
        f" Queries: {asked}; clauses: {nodes}{second}."
    )
