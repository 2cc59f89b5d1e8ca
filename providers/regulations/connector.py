"""`connector:regulations`: evidence of pinned clauses through EXT-20's host, with the web as a second source.

Every call goes through the host, which audits it. With the constraint `dual_source` a run succeeds only if
both the corpus and the web delivered (EXT-20 section 7: no claim of dual verification without both).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from providers.base import Clock, Outgoing, Withheld, standing
from providers.limitations import limited
from providers.regulations import manifest
from providers.regulations.asking import DUAL_SOURCE, Asking
from providers.regulations.corpus import Corpus
from providers.regulations.run import NEEDS_WEB, Run
from providers.regulations.web_leg import WebLeg
from providers.regulations_contract import RegulationsHost, RegulationsUnavailableError
from schemas.dates import instant
from schemas.errors import EvidenceError, IntegrityError, InvalidError, NotReadyError
from schemas.plan import Plan
from schemas.provider import ProviderRow
from schemas.receipt import MOST_SOURCES, Receipt, Source

PROVIDER_ID = "connector:regulations"
INCOMPLETE = "Dual verification was not completed."
UNAUDITED = (
    "no call of the regulations host is made without its audit in a ledger; run it with one (no --no-ledger)"
)


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
        why_not = None
        try:
            corpus = self._opened().corpus
            current = corpus.current()
            if current is None:
                raise NotReadyError(
                    "没有已发布的语料修订 no corpus revision is published",
                    subject="corpus",
                    hint="用 regulations publish 发布 publish one with regulations publish",
                )
            manifest.verify(corpus.manifest(current), current)
        except IntegrityError as error:
            why_not = (
                f"语料库损坏，请换上完好的副本 the corpus is damaged: {error.message};"
                " put an undamaged copy in its place"
            )
        except EvidenceError as error:
            why_not = "; ".join(filter(None, (error.message, error.hint)))
        return standing(self.provider_id, self.provider_kind, why_not)

    def outgoing(self, plan: Plan) -> Sequence[Outgoing]:
        """Nothing leaves for the corpus; with `dual_source` what the web leg sends."""
        web = self._opened().web
        return web.outgoing(plan) if web is not None and Asking.of(plan).dual else []

    def withheld(self, plan: Plan) -> Sequence[Withheld]:
        """What `dual_source` asks for and the web leg would not send: all of it where no web is set up."""
        if not Asking.of(plan).dual:
            return []
        web = self._opened().web
        return web.withheld(plan) if web is not None else [Withheld("search", DUAL_SOURCE, NEEDS_WEB)]

    def execute(self, plan: Plan) -> Receipt:
        """Search and resolve; each resolved node becomes a source.

        Raises InvalidError when the request names neither a query nor a node of the corpus, and
        NotReadyError when there is nowhere to audit the calls of the host.
        """
        opened = self._opened()
        if not plan.request.search_terms and not plan.request.source_refs:
            raise InvalidError(
                "计划没有检索词也没有指名的来源 the request has neither search_terms nor source_refs",
                subject="search_terms",
                hint="法规检索不用目标作检索词：给 plan 写 --search-term 或 --source"
                " the objective is not searched for here: plan again with --search-term or --source",
            )
        run = Run(opened.corpus, opened.host, self._clock, plan)
        asking = Asking.of(plan)
        dual = asking.dual
        try:
            nodes = run.nodes(asking.current, dual)
            pages = run.pages(opened.web) if dual else []
        except RegulationsUnavailableError as error:
            raise NotReadyError(UNAUDITED, subject="kbreg") from error
        # First of all: a demand that was overlooked looks as if it were met.
        run.notes[:0] = asking.unapplied()
        sources = self._joined(nodes, pages, run, dual)
        broken = run.undone or (dual and (nodes or pages))
        return Receipt(
            plan_id=plan.plan_id or "",
            request_id=plan.request.request_id or "",
            provider_id=self.provider_id,
            provider_kind=self.provider_kind,
            status="succeeded" if sources else "failed" if broken else "no_evidence",
            sources=tuple(sources),
            summary=_summary(run, asking, nodes, pages, bool(sources)),
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


def _summary(
    run: Run, asking: Asking, nodes: Sequence[Source], pages: Sequence[Source], delivered: bool
) -> str:
    asked, clauses = len(run.queries), len(nodes)
    revisions = "、".join(run.searched) or run.corpus.current() or ""
    said = f"在法规语料库（语料修订 {revisions}）中查询 {asked} 项，"
    if not asking.dual:
        told = f"得到条款 {clauses} 条。 Queries: {asked}; clauses: {clauses}."
    elif delivered:
        told = (
            f"得到条款 {clauses} 条，网页 {len(pages)} 个。"
            f" Queries: {asked}; clauses: {clauses}; pages: {len(pages)}."
        )
    else:
        undelivered = "（未交付）"
        told = (
            f"双源核验未完成，没有交付来源：语料库侧得到 {clauses} 条{undelivered if nodes else ''}，"
            f"网络侧 {len(pages)} 个{undelivered if pages else ''}。"
            f" {INCOMPLETE} Nothing was delivered; found in the corpus: {clauses}, on the web: {len(pages)}."
        )
    return f"{said}{told} {asking.told()}"
