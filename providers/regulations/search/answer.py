"""One answer in the making: which legs a query needs, what they found, and which of them were missing."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

from providers.regulations.clause_number import ClauseNumber, DecimalNumber
from providers.regulations.disclosure import text_told
from providers.regulations.search.catalogue import Catalogue
from providers.regulations.search.fulltext import Fulltext
from providers.regulations.search.grams import fold
from providers.regulations.search.hits import Found
from providers.regulations.search.lookup import NUMBER, TITLE, Lookup
from providers.regulations.search.router import Route, blank
from providers.regulations.search.seam import SearchIndex, Shelf, Within
from providers.regulations.search.vectors import VectorIndex
from providers.regulations.search.words import question
from schemas.errors import EvidenceError, IntegrityError, NotFoundError, NotReadyError, StorageError
from schemas.regulations import STATE_DEGRADED, STATE_EMPTY, STATE_OK, STATE_UNAVAILABLE, RegulationHit
from schemas.regulations import RegulationsSearchRequest as Request

Clause = ClauseNumber | DecimalNumber
LONGEST_QUERY: Final = 500  # code points that are looked at
# What a hit elsewhere counts, when a query names a regulation and too little is found in it.
ELSEWHERE: Final = 0.5
_TWIN: Final = re.compile("~[0-9]+")  # behind the second number of one kind


@dataclass(frozen=True, slots=True)
class Legs:
    """What a search stands on: words always, vectors where the corpus is set up to have them."""

    index: SearchIndex
    vectors: VectorIndex | None = None
    lay: bool = True


class Answer:
    """The finding of one request in one revision; `reasons` fills with what was missing.

    `notes` say what was not looked at by its nature, and why nothing was found: they change no state.
    """

    def __init__(self, corpus: Shelf, legs: Legs, revision: str, catalogue: Catalogue, day: str) -> None:
        self._corpus = corpus
        self._legs = legs
        self._index = legs.index
        self._revision = revision
        self._catalogue = catalogue
        self._day = day
        self._text_missing = False
        self._unreachable: EvidenceError | None = None
        try:
            self._indexed = legs.index.has(revision)
        except (NotReadyError, StorageError) as error:  # asked once only: each try may wait for a server
            self._indexed, self._unreachable = False, error
        self.reasons: list[str] = []
        self.notes: list[str] = []

    def state(self, hits: Sequence[RegulationHit]) -> str:
        """`unavailable` if the only leg that could answer was missing, `degraded` if another was."""
        if self._text_missing and not hits:
            return STATE_UNAVAILABLE
        if self.reasons:
            return STATE_DEGRADED
        return STATE_OK if hits else STATE_EMPTY

    def find(self, request: Request, clause: Clause | None, limit: int) -> list[Found]:
        """At most `limit` nodes."""
        day = self._day if request.current_only else None
        chosen = self._catalogue.chosen(request.kinds, request.doc_no, day)
        if chosen.undated:
            self.reasons.append(f"edition dates unknown: {chosen.undated}")
        route = self._catalogue.router.route(request.query[:LONGEST_QUERY])
        left = chosen.editions if route.editions is None else chosen.editions & route.editions
        outright = self._outright(request, route, clause, left)
        found = list(islice(self._fitting(outright, clause, request.current_only), limit))
        named = bool(found)
        if not blank(route.rest) and len(found) < limit:
            within = chosen.editions if route.unknown else left
            texts = self._texts(route, clause, within, chosen.editions, limit)
            known = {one.node_id for one in found}
            found += [
                one for one in self._fitting(texts, clause, request.current_only) if one.node_id not in known
            ]
            self._note_untold(within)
        if not named:
            self.notes += self._why(request, route)
        return found[:limit]

    def _note_untold(self, searched: frozenset[str]) -> None:
        """That words were looked for is no word on texts that none may be told of."""
        untold = sum(not text_told(self._catalogue.editions[one].disclosure) for one in searched)
        if untold:
            self.notes.append(
                f"{untold} 个版本不披露正文，未按字词检索"
                f" editions whose texts are not disclosed and were not searched by words: {untold}"
            )

    def _why(self, request: Request, route: Route) -> Iterator[str]:
        """What is known of why nothing that was named was found; never what the request holds."""
        editions = self._catalogue.editions.values()
        unknown = set(request.kinds) - {one.kind for one in editions}
        if unknown:
            many = len(unknown)
            yield f"{many} 个所指类别在语料库中没有 kinds that the corpus does not hold: {many}"
        if request.doc_no.strip() and not self._catalogue.router.editions_numbered(request.doc_no):
            yield "语料库中没有这个文号 the corpus holds no document of this number"
        if route.unknown:
            yield "语料库中没有所指的文件 the document that is named is not in the corpus"
        elif route.clause is not None and route.editions:
            yield (
                "所指的文件没有这一条款，或它不在筛选范围之内"
                " what is named has no such clause, or a filter excludes it"
            )

    def _outright(
        self, request: Request, route: Route, clause: Clause | None, left: frozenset[str]
    ) -> Iterator[Found]:
        """What the query, or else the filters, name."""
        lookup = Lookup(self._catalogue, self._day, self._there, self._leading if self._indexed else None)
        kinds = tuple(
            name for name, fits in ((NUMBER, route.by_number or route.clause), (TITLE, route.by_name)) if fits
        )
        if route.unknown:
            return iter(())
        if route.clause is not None:
            named = chain.from_iterable(
                lookup.clause(one, self._holding(one, left), kinds) for one in (route.clause, *route.others)
            )
            section = _section(route.clause) if route.editions is not None else None
            # 第5条 of a standard is its section 5.
            return (
                named
                if section is None
                else chain(named, lookup.clause(section, self._holding(section, left), kinds))
            )
        if not blank(route.rest):
            return iter(())
        if clause is not None:
            return lookup.clause(clause, self._holding(clause, left), (NUMBER,))
        if route.editions is not None or request.doc_no.strip():
            return lookup.beginnings(left, kinds or (NUMBER,))
        return iter(())

    def _texts(
        self,
        route: Route,
        clause: Clause | None,
        within: frozenset[str],
        everywhere: frozenset[str],
        limit: int,
    ) -> list[Found]:
        path = "" if clause is None else clause.unit_path
        here = Within(None if len(within) == len(self._catalogue.editions) else within, path)
        leg = Fulltext(
            self._index, self._revision, self._catalogue, self._day, self._legs.vectors, self._legs.lay
        )
        try:
            if self._unreachable is not None:
                raise self._unreachable
            units = leg.find(route.rest, here, old_asked=route.old_asked, old_first=route.old_first)
            found = leg.distinct(units, old_first=route.old_first)
            if route.by_name and not route.by_number and len(found) < limit:
                others = leg.distinct(leg.find(route.rest, Within(everywhere - within, path)))
                found += [one.scored(one.score * ELSEWHERE) for one in others]
        except (NotFoundError, NotReadyError, StorageError) as error:
            self._text_missing = True
            self.reasons.append(f"no full text: {error.message}")
            return []
        self.reasons += sorted(set(leg.reasons))
        return self._below(found, clause, route.rest)

    def _below(self, found: list[Found], clause: Clause | None, words: str) -> list[Found]:
        """Articles as the 款 or 项 that a filter asks for, if those have a word of the query themselves."""
        if not isinstance(clause, ClauseNumber) or "/" not in clause.path:
            return found
        needed = question(words).terms.needed
        below = []
        for one in found:
            edition_id = one.node_id.partition("#")[0]
            node_id = f"{edition_id}#{clause.path}"
            told = text_told(self._catalogue.editions[edition_id].disclosure)
            if told and self._there(node_id):
                text = fold(self._corpus.node(self._revision, node_id).text)
                if any(term in text for term in needed):
                    below.append(Found(node_id, one.kinds, one.score, "", one.weights))
        return below

    def _fitting(self, found: Iterable[Found], clause: Clause | None, current_only: bool) -> Iterator[Found]:
        """Those under the clause that a filter names, and in force by themselves where that is asked."""
        for one in found:
            edition_id, _, path = one.node_id.partition("#")
            printed = _TWIN.sub("", path)
            if clause is not None and printed != clause.path and not printed.startswith(f"{clause.path}/"):
                continue
            if isinstance(clause, DecimalNumber) and not self._numbered(edition_id, clause):
                continue
            if not current_only or self._catalogue.in_force(edition_id, path, self._day):
                yield one

    def holds(self, request: Request, clause: DecimalNumber) -> bool:
        """Whether what the query or the document number of a request names has the clause."""
        chosen = self._catalogue.chosen(request.kinds, request.doc_no, None).editions
        named = self._catalogue.router.route(request.query[:LONGEST_QUERY]).editions
        if named is None and not request.doc_no.strip():
            return False
        return bool(self._holding(clause, chosen if named is None else chosen & named))

    def _numbered(self, edition_id: str, clause: DecimalNumber) -> bool:
        """Whether the node at its path bears the decimal number, and not 二、（一）."""
        try:
            node = self._corpus.node(self._revision, f"{edition_id}#{clause.path}")
        except EvidenceError:  # none there, or a text that does not hold, whose number is not believed
            return False
        return node.clause_no == clause.text

    def _holding(self, clause: Clause, left: frozenset[str]) -> frozenset[str]:
        if isinstance(clause, DecimalNumber):
            return frozenset(one for one in left if self._numbered(one, clause))
        if not self._indexed:
            return left
        try:
            return left & frozenset(self._index.holding(self._revision, clause.unit_path))
        except (NotFoundError, NotReadyError, StorageError) as error:
            self._without_index(error)
            return left

    def _leading(self, edition_id: str) -> Sequence[str] | None:
        try:
            return self._index.leading(self._revision, edition_id, LEADING)
        except (NotFoundError, NotReadyError, StorageError) as error:
            self._without_index(error)
            return None

    def _without_index(self, error: EvidenceError) -> None:
        reason = f"no index: {error.message}"
        if reason not in self.reasons:
            self.reasons.append(reason)

    def _there(self, node_id: str) -> bool:
        try:
            self._corpus.node(self._revision, node_id)
        except NotFoundError:
            return False
        except IntegrityError:
            return True
        return True


LEADING: Final = 50


def _section(clause: Clause) -> DecimalNumber | None:
    """A bare article number as the section of a standard."""
    if isinstance(clause, DecimalNumber) or clause.inserted or clause.paragraph:
        return None
    return DecimalNumber((clause.article,))
