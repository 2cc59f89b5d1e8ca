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
from providers.regulations.run import Run
from providers.regulations.web_leg import WebLeg
from providers.regulations_contract import RegulationsHost, RegulationsUnavailableError
from schemas.dates import instant
from schemas.errors import EvidenceError, IntegrityError, InvalidError, NotReadyError
from schemas.plan import Plan
from schemas.provider import ProviderRow
from schemas.receipt import MOST_SOURCES, Receipt, Source
from schemas.text import legible

PROVIDER_ID = "connector:regulations"
INCOMPLETE = "Dual verification was not completed."
UNAUDITED = (
    "no call of the regulations host is made without its audit in a ledger; run it with one (no --no-ledger)"
)
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
                raise NotReadyError(
                    "no corpus revision is published", subject="corpus", hint="see regulations publish"
                )
            manifest.verify(corpus.manifest(current), current)
        except IntegrityError as error:
            return self._row(f"the corpus is damaged: {error.message}; put an undamaged copy in its place")
        except EvidenceError as error:
            return self._row("; ".join(filter(None, (error.message, error.hint))))
        return self._row(None)

    def outgoing(self, plan: Plan) -> Sequence[Outgoing]:
        """Nothing leaves for the corpus; with `dual_source` what the web leg sends."""
        web = self._opened().web
        return web.outgoing(plan) if web is not None and _asks(_DUAL, plan) else []

    def execute(self, plan: Plan) -> Receipt:
        """Search and resolve; each resolved node becomes a source.

        Raises InvalidError when the request names neither a query nor a node of the corpus, and
        NotReadyError when there is nowhere to audit the calls of the host.
        """
        opened = self._opened()
        if not plan.request.search_terms and not plan.request.source_refs:
            raise InvalidError("the request has neither search_terms nor source_refs", subject="search_terms")
        run = Run(opened.corpus, opened.host, self._clock, plan)
        dual = _asks(_DUAL, plan)
        try:
            nodes = run.nodes(_asks(_CURRENT, plan), dual)
            pages = run.pages(opened.web) if dual else []
        except RegulationsUnavailableError as error:
            raise NotReadyError(UNAUDITED, subject="kbreg") from error
        sources = self._joined(nodes, pages, run, dual)
        broken = run.undone or (dual and (nodes or pages))
        return Receipt(
            plan_id=plan.plan_id or "",
            request_id=plan.request.request_id or "",
            provider_id=self.provider_id,
            provider_kind=self.provider_kind,
            status="succeeded" if sources else "failed" if broken else "no_evidence",
            sources=tuple(sources),
            summary=_summary(run, len(nodes), len(pages) if dual else None),
            limitations=limited(run.notes),
            # A clock that was set back must not put the end before a source.
            completed_at=max([instant(self._clock()), *(source.accessed_at for source in sources)]),
        )

    @staticmethod
    def _joined(nodes: list[Source], pages: list[Source], run: Run, dual: bool) -> list[Source]:
        """What may be claimed: with `dual_source` nothing at all unless both legs delivered."""
        if not dual:
            return nodes
        missing = [name for name, leg in (("语料库 corpus", nodes), ("网络 web", pages)) if not leg]
        if missing:
            run.notes.insert(0, f"双源核验未完成：{'、'.join(missing)} 没有提供证据。 {INCOMPLETE}")
            return []
        room = MOST_SOURCES - len(nodes)
        if len(pages) > room:
            run.notes.append(f"{len(pages) - room} 个网页未列入：至多 {MOST_SOURCES} 条来源。 No room.")
        return [*nodes, *pages[:room]]

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


def _summary(run: Run, nodes: int, pages: int | None) -> str:
    """`pages` is None where the web was not asked for."""
    asked = len(run.queries)
    web = "" if pages is None else f"，网页 {pages} 个"
    second = "" if pages is None else f"; pages: {pages}"
    return (
        f"在法规语料库（修订 {run.corpus.current() or ''}）中查询 {asked} 项，得到条款 {nodes} 条{web}。"
        f" Queries: {asked}; clauses: {nodes}{second}."
    )
