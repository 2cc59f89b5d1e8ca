"""One run of `connector:regulations`: what the host was asked, what came of it, and what did not."""

import re
from collections.abc import Iterable

from providers.base import Clock
from providers.regulations.corpus import Corpus
from providers.regulations.evidence import MISMATCH
from providers.regulations.node_source import Cited, node_source
from providers.regulations.status import legal_status, today
from providers.regulations.web_leg import WebLeg
from providers.regulations_contract import AuditWriteError, RegulationsHost, RegulationsUnavailableError
from schemas.dates import instant
from schemas.errors import EvidenceError, IntegrityError, NotFoundError
from schemas.plan import Plan
from schemas.receipt import Source
from schemas.regulations import (
    STATE_UNAVAILABLE,
    RegulationEvidenceRequest,
    RegulationHit,
    RegulationsSearchRequest,
)
from schemas.text import legible

HITS = 3
"""How many hits of one query are resolved: with eight queries and eight names a receipt has room for all."""
_REF = re.compile(r"urn:kbreg:(kbr1-[0-9a-f]{32}):([^:]+)")
_WEB = ("http://", "https://")
# Without its audit a call did not happen; that is no matter of one source.
_FATAL = (AuditWriteError, RegulationsUnavailableError)


class Run:
    """The run of one plan; `notes` become its limitations, `undone` says that a step could not be taken."""

    def __init__(self, corpus: Corpus, host: RegulationsHost, clock: Clock, plan: Plan) -> None:
        self.corpus = corpus
        self.queries = tuple(dict.fromkeys(plan.request.search_terms or ()))
        self.notes: list[str] = []
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
            self.notes.append("没有配置网络检索。 No search service is set up.")
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
            self.notes.append(f"{asked}没有完成：{legible(error.message, 600)}。 Not searched.")
            return
        if result.degraded_reasons:
            self.notes.append(
                f"{asked}：{result.state}，{legible('；'.join(result.degraded_reasons), 600)}。"
            )
        for hit in result.hits:
            _add(hit, result.corpus_revision, asked, cited)
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
                why = legible(error.message, 300)
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
            why = f"hashVerified is false: {evidence.withheld_reason or 'no reason is told'}"
            kind = IntegrityError if evidence.withheld_reason == MISMATCH else NotFoundError
            raise kind(why, subject=cited.ref)
        edition = self.corpus.edition(cited.revision, evidence.edition_id)
        day = today(self._clock())
        path = cited.node_id.partition("#")[2]
        status = legal_status(edition, self.corpus.editions(cited.revision), day, path)
        heading = self.corpus.node(cited.revision, cited.node_id).heading_path
        return node_source(cited, evidence, edition, heading, (status, day), instant(self._clock()))


def _add(hit: RegulationHit, revision: str, asked: str, cited: dict[str, Cited]) -> None:
    one = Cited(revision, hit.node_id, hit.excerpt_start, hit.excerpt_end)
    known = cited.setdefault(one.ref, one)
    known.found.append(f"{asked}（{'、'.join(hit.match_kinds)}）")
