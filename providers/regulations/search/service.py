"""Search one pinned revision of a corpus: route, look up, search text, and say plainly in which state."""

import threading
from collections.abc import Callable
from datetime import datetime
from typing import Final

from providers.regulations import clause_number
from providers.regulations.clause_number import ClauseNumber, DecimalNumber
from providers.regulations.evidence import MISMATCH
from providers.regulations.search.answer import Answer, Legs
from providers.regulations.search.catalogue import Catalogue
from providers.regulations.search.fulltext import FOREIGN
from providers.regulations.search.grams import fold
from providers.regulations.search.hits import Found, broken, hit
from providers.regulations.search.router import SURELY_A_CLAUSE
from providers.regulations.search.seam import SearchIndex, Shelf
from providers.regulations.search.vectors import VectorIndex
from providers.regulations.status import today
from schemas.errors import IntegrityError, InvalidError, NotFoundError, NotReadyError
from schemas.regulations import (
    STATE_UNAVAILABLE,
    RegulationHit,
    RegulationsSearchRequest,
    RegulationsSearchResult,
)
from schemas.regulations_errors import InvalidRegulationsRequestError

DEFAULT_LIMIT: Final = 10
MOST: Final = 50
_KEPT: Final = 4  # catalogues of revisions


class RegulationsSearch:
    """Searches of one corpus; `clock` says which day it is where a search names none.

    A limit of 0 means 10, and never more than 50 hits are given. A revision that the corpus does not
    know is NotFoundError; with none published the state is `unavailable` (regulations.md section 9).
    Where `vectors` are set up and missing, or their model is, searches by text are `degraded`; without
    them nothing is missing.
    """

    def __init__(
        self,
        corpus: Shelf,
        index: SearchIndex,
        clock: Callable[[], datetime],
        vectors: VectorIndex | None = None,
        *,
        lay: bool = True,
    ) -> None:
        self._corpus = corpus
        self._legs = Legs(index, vectors, lay)
        self._clock = clock
        self._catalogues: dict[str, Catalogue] = {}
        self._lock = threading.Lock()

    def build(self, revision: str = "") -> str:
        """Index a published revision, or the current one, for every leg; its id."""
        pinned = self._corpus.pinned(revision)
        editions = self._corpus.editions(pinned)
        self._legs.index.build(pinned, self._corpus.nodes(pinned), editions)
        if self._legs.vectors is not None:
            self._legs.vectors.build(pinned, self._corpus.nodes(pinned), editions)
        if self._withdrawn(pinned):  # meanwhile, and dropped before there was all of this
            self.drop(pinned)
        return pinned

    def holds(self, revision: str) -> bool:
        """Whether an index of a revision is there."""
        return self._legs.index.has(revision)

    def drop(self, revision: str) -> None:
        """Forget what is derived from a revision, as after its withdrawal."""
        self._legs.index.drop(revision)
        if self._legs.vectors is not None:
            self._legs.vectors.drop(revision)

    def search(self, request: RegulationsSearchRequest, as_of: str = "") -> RegulationsSearchResult:
        """The hits of `request` as the law stands on `as_of`, today when none is named."""
        limit = _limit(request.limit)
        clause = _clause(request.clause_no)
        try:
            pinned = self._corpus.pinned(request.corpus_revision)
        except NotReadyError as error:
            return _unavailable(request.corpus_revision, error.message)
        if self._withdrawn(pinned):
            return _unavailable(pinned, "该语料修订已撤回 the revision was withdrawn")
        day = as_of or today(self._clock())
        catalogue = self._catalogue(pinned)
        answer = Answer(self._corpus, self._legs, pinned, catalogue, day)
        unsure = isinstance(clause, DecimalNumber) and len(clause.parts) < SURELY_A_CLAUSE
        # 12.3 may mean 第十二条第三款: it is taken only where what is named has such a clause.
        if isinstance(clause, DecimalNumber) and unsure and not answer.holds(request, clause):
            raise _no_clause()
        found = answer.find(request, clause, limit)
        made = [self._hit(one, pinned, catalogue, day) for one in found]
        hits = tuple(one for one in made if one is not None)
        if len(hits) < len(made) and FOREIGN not in answer.reasons:
            answer.reasons.append(FOREIGN)
        return RegulationsSearchResult(
            corpus_revision=pinned,
            state=answer.state(hits),
            degraded_reasons=(*answer.reasons, *answer.notes),
            hits=hits,
        )

    def _withdrawn(self, revision: str) -> bool:
        return any(one.revision == revision and one.state == "withdrawn" for one in self._corpus.revisions())

    def _hit(self, found: Found, pinned: str, catalogue: Catalogue, day: str) -> RegulationHit | None:
        """The hit of a node; None for one that an index made up."""
        try:
            node = self._corpus.node(pinned, found.node_id)
        except IntegrityError:
            return broken(found, catalogue, day, MISMATCH)
        except NotFoundError:
            return None
        return hit(found, node, catalogue, day)

    def _catalogue(self, revision: str) -> Catalogue:
        with self._lock:
            known = self._catalogues.get(revision)
        if known is None:
            known = Catalogue(self._corpus.editions(revision))
            with self._lock:
                while len(self._catalogues) >= _KEPT:
                    self._catalogues.pop(next(iter(self._catalogues)))
                self._catalogues[revision] = known
        return known


def _limit(limit: int) -> int:
    if limit < 0:
        raise InvalidRegulationsRequestError("limit is below 0", subject="limit")
    return min(limit or DEFAULT_LIMIT, MOST)


def _clause(written: str) -> ClauseNumber | DecimalNumber | None:
    if not written.strip():
        return None
    try:
        return clause_number.parse(written, "decimal" if "." in fold(written) else "article")
    except InvalidError as error:
        raise _no_clause() from error


def _no_clause() -> InvalidRegulationsRequestError:
    # Never what the request holds (schemas.regulations_errors).
    return InvalidRegulationsRequestError(
        "条款号无法识别 clauseNo"
        " names no clause of a document of articles, nor one of a standard that is named",
        subject="clauseNo",
        hint="such as 第一百二十条之一第二款第（三）项, 120-1 or 3.1.2; a bare 12.3 is ambiguous"
        " unless the query or docNo names the standard",
    )


def _unavailable(revision: str, reason: str) -> RegulationsSearchResult:
    return RegulationsSearchResult(
        corpus_revision=revision, state=STATE_UNAVAILABLE, degraded_reasons=(reason,), hits=()
    )
