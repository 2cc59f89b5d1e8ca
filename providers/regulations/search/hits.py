"""A node that was found, as EXT-20's hit: as much of its text as disclosure allows (section 3.3)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from providers.regulations import disclosure
from providers.regulations.node import Node, edition_of
from providers.regulations.search.catalogue import Catalogue
from providers.regulations.search.excerpts import span
from schemas.regulations import RegulationHit


@dataclass(frozen=True, slots=True)
class Found:
    """A node id with how it was found; `score` is of one answer and above 0, at most 1."""

    node_id: str
    kinds: tuple[str, ...]
    score: float
    sha256: str = ""
    weights: Mapping[str, float] = field(default_factory=dict)

    def scored(self, score: float) -> "Found":
        """The same find with another score."""
        return Found(self.node_id, self.kinds, score, self.sha256, self.weights)


def hit(found: Found, node: Node, catalogue: Catalogue, as_of: str) -> RegulationHit:
    """The hit of a node that was read and holds."""
    edition = catalogue.editions[node.edition_id]
    wanted = disclosure.window(edition, span(node.text, found.weights))
    shown = disclosure.disclosed(node, edition, *wanted)
    first, last = node.pages_of(shown.start, shown.end) if shown.excerpt else (node.page_start, node.page_end)
    return RegulationHit(
        regulation_id=node.regulation_id,
        edition_id=node.edition_id,
        node_id=node.node_id,
        doc_no=edition.doc_no,
        title=edition.title,
        edition_label=edition.label,
        legal_status=catalogue.status(node.edition_id, node.node_id.partition("#")[2], as_of),
        clause_no=node.clause_no,
        heading_path=node.heading_path if disclosure.heading_told(shown.disclosure) else (),
        excerpt=shown.excerpt,
        excerpt_start=shown.start,
        excerpt_end=shown.end,
        node_sha256=node.sha256,
        source_asset_sha256=node.source_asset_sha256,
        page_start=first or 0,
        page_end=last or 0,
        disclosure=shown.disclosure,
        withheld_reason=shown.withheld_reason,
        match_kinds=found.kinds,
        score=round(found.score, 6),
    )


def broken(found: Found, catalogue: Catalogue, as_of: str, reason: str) -> RegulationHit:
    """The hit of a node whose text is not what the manifest says: named, and nothing of it shown."""
    edition_id = edition_of(found.node_id)
    edition = catalogue.editions[edition_id]
    shown = disclosure.withheld(reason)
    return RegulationHit(
        regulation_id=edition.regulation_id,
        edition_id=edition_id,
        node_id=found.node_id,
        doc_no=edition.doc_no,
        title=edition.title,
        edition_label=edition.label,
        legal_status=catalogue.status(edition_id, found.node_id.partition("#")[2], as_of),
        disclosure=shown.disclosure,
        withheld_reason=shown.withheld_reason,
        match_kinds=found.kinds,
        score=round(found.score, 6),
    )
