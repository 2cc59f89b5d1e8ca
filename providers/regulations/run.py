"""One run of `connector:regulations`: what the host was asked, what came of it, and what did not."""

import re
from collections.abc import Iterable

from providers.base import Clock
from providers.regulations.corpus import Corpus
from providers.regulations.disclosure import text_told
from providers.regulations.evidence import MISMATCH
from providers.regulations.kinds import MATCHES
from providers.regulations.node_source import Cited, node_source, said
from providers.regulations.search.floor import whole
from providers.regulations.search.grams import fold
from providers.regulations.status import legal_status, today
from providers.regulations.web_leg import WebLeg
from providers.regulations_contract import AuditWriteError, RegulationsHost, RegulationsUnavailableError
from schemas.dates import instant
from schemas.errors import EvidenceError, IntegrityError, NotFoundError, OrderError
from schemas.plan import Plan
from schemas.receipt import Source
from schemas.regulations import (
    STATE_DEGRADED,
    STATE_UNAVAILABLE,
    RegulationEvidenceRequest,
    RegulationHit,
    RegulationsSearchRequest,
)
from schemas.text import legible

NEEDS_WEB = (
    "双源核验需要网络检索：请用 --search-url 或 --web"
    " dual_source needs a web search: name one with --search-url or --web"
)
HITS = 3
"""How many hits of one query are resolved: with eight queries and eight names a receipt has room for all."""
_REF = re.compile(r"urn:kbreg:(kbr1-[0-9a-f]{32}):([^:]+)")
LEAST_PART = 0.12
"""A hit that holds only some of a query's words is no source below this score."""
LEAST_OF_BEST = 0.25
"""A hit by words is no source below this share of the best score of its query."""
_OUTRIGHT = frozenset({"number", "title"})
_STATES = {STATE_DEGRADED: "检索不完整", STATE_UNAVAILABLE: "不可用"}
_WEB = ("http://", "https://")
# Without its audit a call did not happen; that is no matter of one source.
_FATAL = (AuditWriteError, RegulationsUnavailableError)


class Run:
    """The run of one plan; `notes` become its limitations, `undone` says that a step could not be taken."""

    def __init__(self, corpus: Corpus, host: RegulationsHost, clock: Clock, plan: Plan) -> None:
        self.corpus = corpus
        self.queries = tuple(dict.fromkeys(plan.request.search_terms or ()))
        self.notes: list[str] = []
        self.searched: dict[str, None] = {}  # the revisions that answered: one, unless it was republished
        self.undone = False
        self._named = plan.request.source_refs or ()
        self._host = host
        self._clock = clock

    def nodes(self, current_only: bool, web: bool) -> list[Source]:
        """The nodes that the request names or its queries find; what is no source becomes a note."""
        cited: dict[str, Cited] = {}
        for ref in self._named:
            self._name(ref, cited, web)
        for query in self.queries:
            self._find(query, current_only, cited)
        return self._resolved(cited.values())

    def pages(self, web: WebLeg | None) -> list[Source]:
        """The pages of the web leg; without one nothing, and a note."""
        if web is None:
            self.undone = True
            self.notes.append(f"没有配置网络检索。 No search service is set up. {NEEDS_WEB}.")
            return []
        named = tuple(ref for ref in self._named if ref.startswith(_WEB))
        leg = web.asked(self._host, self.queries, named)
        self.notes += leg.notes
        self.undone |= leg.undone
        return list(leg.sources.values())

    def _name(self, ref: str, cited: dict[str, Cited], web: bool) -> None:
        named = _REF.fullmatch(ref)
        if named is not None:
            cited[ref] = Cited(named[1], named[2], found=["请求指名 named in the request"])
        elif not (web and ref.startswith(_WEB)):
            self.notes.append(
                f"{legible(ref, 200)} 不是语料节点，没有解析。 No node of a corpus; not resolved."
            )

    def _find(self, query: str, current_only: bool, cited: dict[str, Cited]) -> None:
        asked = f"查询“{legible(query, 200)}”"
        request = RegulationsSearchRequest(query=query, current_only=current_only, limit=HITS)
        try:
            result = self._host.search_regulations(request)
        except _FATAL:
            raise
        except EvidenceError as error:
            self.undone = True
            self.notes.append(f"{asked}没有完成：{said(error.message, 600)}。 Not searched.")
            return
        if result.degraded_reasons:
            state = f"{_STATES[result.state]} {result.state}，" if result.state in _STATES else ""
            self.notes.append(f"{asked}：{state}{said('；'.join(result.degraded_reasons), 600)}。")
        if result.corpus_revision:
            self.searched[result.corpus_revision] = None
        best = max((hit.score for hit in result.hits), default=0.0)
        weak = [hit for hit in result.hits if self._add(hit, result.corpus_revision, query, best, cited)]
        if weak:
            self.notes.append(
                f"{asked}另有 {len(weak)} 个命中分数过低（部分字词相符且低于 {LEAST_PART}，"
                f"或低于最高分的 {LEAST_OF_BEST:.0%}），未列为来源。 Hits with too low a score: {len(weak)}."
            )
        if not result.hits:
            done = result.state != STATE_UNAVAILABLE
            self.undone |= not done
            word, english = ("没有命中", "No hit") if done else ("没有完成", "Not searched")
            self.notes.append(f"{asked}在语料库中{word}（{legible(result.state, 40)}）。 {english}.")

    def _resolved(self, cited: Iterable[Cited]) -> list[Source]:
        sources: list[Source] = []
        for one in cited:
            try:
                sources.append(self._source(one))
            except _FATAL:
                raise
            except EvidenceError as error:
                self.undone |= not isinstance(error, NotFoundError)
                why = said(error.message, 300)
                self.notes.append(f"{legible(one.ref, 240)} 不能作为来源：{why}。 No source.")
        return sources

    def _source(self, cited: Cited) -> Source:
        """Raises EvidenceError for a node that is not there, and for one whose hash was not verified."""
        evidence = self._host.resolve_regulation_evidence(
            RegulationEvidenceRequest(
                corpus_revision=cited.revision, node_id=cited.node_id, start=cited.start, end=cited.end
            )
        )
        if not evidence.hash_verified:
            self._refuse_withdrawn(cited)
            told = evidence.withheld_reason or "no reason is told"
            kind = IntegrityError if evidence.withheld_reason == MISMATCH else NotFoundError
            raise kind(f"哈希未核验 hashVerified is false: {told}", subject=cited.ref)
        edition = self.corpus.edition(cited.revision, evidence.edition_id)
        day = today(self._clock())
        path = cited.node_id.partition("#")[2]
        status = legal_status(edition, self.corpus.editions(cited.revision), day, path)
        node = self.corpus.node(cited.revision, cited.node_id)
        cited.length = len(node.text) if text_told(evidence.disclosure) else 0
        return node_source(cited, evidence, edition, node.heading_path, (status, day), instant(self._clock()))

    def _refuse_withdrawn(self, cited: Cited) -> None:
        for one in self.corpus.revisions():
            if one.revision == cited.revision and one.state == "withdrawn":
                raise OrderError(
                    f"该语料修订已撤回（原因：{said(one.reason, 200)}） the revision was withdrawn",
                    rule="withdrawn",
                )

    def _add(
        self, hit: RegulationHit, revision: str, query: str, best: float, cited: dict[str, Cited]
    ) -> bool:
        """Cite a hit, and how it was found; True when its score is too low for that."""
        outright = not _OUTRIGHT.isdisjoint(hit.match_kinds)
        part = not outright and self._in_part(hit, revision, query)
        if not outright and (hit.score < LEAST_OF_BEST * best or (part and hit.score < LEAST_PART)):
            return True
        one = Cited(revision, hit.node_id, hit.excerpt_start, hit.excerpt_end)
        known = cited.setdefault(one.ref, one)
        kinds = "、".join(MATCHES.get(kind, legible(kind, 40)) for kind in hit.match_kinds)
        partly = "，仅部分字词相符 only some of its words" if part else ""
        known.found.append(f"查询“{legible(query, 200)}”（{kinds}，分数 score {hit.score:.2f}{partly}）")
        return False

    def _in_part(self, hit: RegulationHit, revision: str, query: str) -> bool:
        """Whether words of the query are not in the node; never told of a text that is not."""
        if not text_told(hit.disclosure):
            return False
        text = self.corpus.node(revision, hit.node_id).text
        return not whole(query, fold("\n".join((hit.title, *hit.heading_path, text))))
