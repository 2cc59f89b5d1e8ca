"""The text legs: recall by words, ranking, nearness of vectors, one hit for a text that editions share."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from providers.regulations.disclosure import text_told
from providers.regulations.node import edition_of
from providers.regulations.search.catalogue import Catalogue
from providers.regulations.search.floor import Floor
from providers.regulations.search.hits import Found
from providers.regulations.search.ranking import Ranked, Weighted, rank, said
from providers.regulations.search.seam import Candidate, Recalled, SearchIndex, Within
from providers.regulations.search.vectors import Near, VectorIndex
from providers.regulations.search.words import question
from schemas.errors import NotFoundError, NotReadyError, StorageError

FULLTEXT: Final = "fulltext"
HEADING: Final = "heading"
SYNONYM: Final = "synonym"
VECTOR: Final = "vector"
FOREIGN: Final = "the index names what the revision does not hold; publish it again"
RECALLED: Final = 100
NEAREST: Final = 100
CLOSE: Final = 10  # of the nearest: a rare pair in one of them is no chance
# What the nearest vector counts beside the best words: less where the words of the query are found, more
# where the law says it otherwise. Chosen on questions with and without the everyday words.
# Scores are mixed and not ranks: RRF(60) of the same two lists found 0.855 of 152 questions among three,
# this 0.901, since with ranks the weaker leg pulls down what the stronger one is sure of.
NEARNESS_SAID: Final = 0.5
NEARNESS_UNSAID: Final = 0.8
# What a text that is not in force counts, when nobody asked for an old edition.
NOT_IN_FORCE: Final = 0.85


@dataclass(slots=True)
class Fulltext:
    """Text searches in one revision; `reasons` fills with what was missing."""

    index: SearchIndex
    revision: str
    catalogue: Catalogue
    as_of: str
    vectors: VectorIndex | None = None
    lay: bool = True
    reasons: list[str] = field(default_factory=list)

    def find(
        self, words: str, within: Within, *, old_asked: bool = False, old_first: bool = False
    ) -> list[Found]:
        """Units that hold words of `words` or, if any does, are near to it; best first, scores below 1.

        With `old_asked` what is not in force counts as much, with `old_first` more.
        """
        asked = question(words, lay=self.lay)
        recalled = self.index.recall(self.revision, asked.terms, within, RECALLED)
        near = self._near(words, within) if recalled.candidates else []
        ranked = self._reaching(words, recalled, rank(recalled, asked.weighted), near)
        near = near if ranked else []
        terms = asked.weighted.terms
        best = max((one.score for one in ranked), default=0.0) or 1.0
        found = {
            one.candidate.node_id: Found(
                one.candidate.node_id,
                (_how(one.candidate, asked.weighted),),
                one.score / best,
                one.candidate.sha256,
                terms,
            )
            for one in ranked
        }
        weight = NEARNESS_UNSAID + (NEARNESS_SAID - NEARNESS_UNSAID) * said(ranked, asked.weighted)
        for one, worth in _worths(near, weight):
            known = found.get(one.node_id, Found(one.node_id, (), 0.0, one.sha256, terms))
            found[one.node_id] = Found(
                one.node_id, (*known.kinds, VECTOR), known.score + worth, one.sha256, known.weights
            )
        scale = best / (best + 1) / (1 + weight if near else 1)
        aged = (self._aged(one, scale, old_asked, old_first) for one in found.values() if one.score > 0)
        return sorted(aged, key=lambda one: (-one.score, one.node_id))

    def _reaching(
        self, words: str, recalled: Recalled, ranked: list[Ranked], near: list[Near]
    ) -> list[Ranked]:
        """Those of the revision that hold enough of the query; less will do for what is nearest to it."""
        floor = Floor(words, recalled.frequencies, recalled.units, lay=self.lay)
        close = {one.node_id for one in near[:CLOSE]}

        def enough(one: Candidate) -> bool:
            text = f"{one.title}\n{one.heading}\n{one.text}"
            return floor.reached(text) or (one.node_id in close and floor.by_chance(text))

        return [one for one in ranked if self._known(one.candidate.edition_id) and enough(one.candidate)]

    def _aged(self, one: Found, scale: float, old_asked: bool, old_first: bool) -> Found:
        edition_id, _, path = one.node_id.partition("#")
        wanted = old_asked or self.catalogue.in_force(edition_id, path, self.as_of) != old_first
        return one.scored(one.score * scale * (1.0 if wanted else NOT_IN_FORCE))

    def _near(self, words: str, within: Within) -> list[Near]:
        if self.vectors is None:
            return []
        try:
            near = self.vectors.nearest(self.revision, words, within, NEAREST)
            return [one for one in near if self._told(edition_of(one.node_id))]
        except (NotFoundError, NotReadyError, StorageError) as error:
            self.reasons.append(f"no vectors: {error.message}")
            return []

    def _told(self, edition_id: str) -> bool:
        """Whether nearness to a text may be told; vectors may be older than the rule."""
        return self._known(edition_id) and text_told(self.catalogue.editions[edition_id].disclosure)

    def _known(self, edition_id: str) -> bool:
        """Whether an index names an edition that there is; a file beside the corpus may say anything."""
        if edition_id in self.catalogue.editions:
            return True
        self.reasons.append(FOREIGN)
        return False

    def distinct(self, found: Iterable[Found], *, old_first: bool = False) -> list[Found]:
        """`found` with one hit for each text of a regulation: in the edition in force, else the latest.

        With `old_first` in the oldest that is not in force.
        """
        best = min if old_first else max
        groups: dict[tuple[str, str], list[Found]] = {}
        for one in found:
            groups.setdefault((one.node_id.partition("@")[0], one.sha256), []).append(one)
        chosen = []
        for same in groups.values():
            shown = best(same, key=lambda one: self.catalogue.preference(edition_of(one.node_id), self.as_of))
            kinds = tuple(sorted({kind for one in same for kind in one.kinds}))
            score = max(one.score for one in same)
            chosen.append(Found(shown.node_id, kinds, score, shown.sha256, shown.weights))
        return sorted(chosen, key=lambda one: (-one.score, one.node_id))


def _how(one: Candidate, wanted: Weighted) -> str:
    """Whether a text holds words of the query itself, or only its heading does, or neither."""
    own = [term for term in wanted.own if len(term) > 1] or list(wanted.own)
    if any(term in one.text for term in own):
        return FULLTEXT
    return HEADING if any(term in f"{one.title}\n{one.heading}" for term in own) else SYNONYM


def _worths(near: list[Near], weight: float) -> Iterable[tuple[Near, float]]:
    """Each with what its nearness counts: the nearest all of `weight`, the last nothing."""
    if not near:
        return []
    first, last = near[0].nearness, near[-1].nearness
    spread = first - last
    return [(one, weight * ((one.nearness - last) / spread if spread > 0 else 1.0)) for one in near]
