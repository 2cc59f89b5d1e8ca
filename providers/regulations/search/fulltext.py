"""The text leg: recall by an engine, ranking, one hit for a text that several editions share."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from providers.regulations.node import edition_of
from providers.regulations.search.catalogue import Catalogue
from providers.regulations.search.hits import Found
from providers.regulations.search.ranking import rank
from providers.regulations.search.seam import SearchIndex, Within
from providers.regulations.search.words import question

FULLTEXT: Final = "fulltext"
RECALLED: Final = 200
# What a text that is not in force counts, when nobody asked for an old edition.
NOT_IN_FORCE: Final = 0.85


@dataclass(frozen=True, slots=True)
class Fulltext:
    """Text searches in one revision."""

    index: SearchIndex
    revision: str
    catalogue: Catalogue
    as_of: str
    lay: bool = True

    def find(self, words: str, within: Within, *, old_asked: bool = False) -> list[Found]:
        """Units that hold words of `words`, best first; scores are below 1."""
        asked = question(words, lay=self.lay)
        recalled = self.index.recall(self.revision, asked.terms, within, RECALLED)
        found = []
        for one in rank(recalled, asked.weighted):
            current = self.catalogue.in_force(one.candidate.edition_id, one.candidate.path, self.as_of)
            score = one.score if current or old_asked else one.score * NOT_IN_FORCE
            found.append(
                Found(
                    one.candidate.node_id,
                    (FULLTEXT,),
                    score / (score + 1),
                    one.candidate.sha256,
                    asked.weighted.weights,
                )
            )
        return sorted(found, key=lambda one: (-one.score, one.node_id))

    def distinct(self, found: Iterable[Found]) -> list[Found]:
        """`found` with one hit for each text of a regulation: in the edition in force, else the latest."""
        groups: dict[tuple[str, str], list[Found]] = {}
        for one in found:
            groups.setdefault((one.node_id.partition("@")[0], one.sha256 or one.node_id), []).append(one)
        chosen = []
        for same in groups.values():
            best = max(same, key=lambda one: self.catalogue.preference(edition_of(one.node_id), self.as_of))
            score = max(one.score for one in same)
            kinds = tuple(sorted({kind for one in same for kind in one.kinds}))
            chosen.append(Found(best.node_id, kinds, score, best.sha256, best.weights))
        return sorted(chosen, key=lambda one: (-one.score, one.node_id))
