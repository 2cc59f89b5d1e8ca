"""Regulations in EXT-20's words (section 3.3): a search, its hits, and evidence of one pinned node.

Offsets are code points of the node's text, half open; hashes are lower-case hex; pages count from 1.
"""

from dataclasses import dataclass
from typing import Final

from schemas.ext20 import SCHEMA_VERSION, WireObject, WireRequest, always

STATE_OK: Final = "ok"
STATE_EMPTY: Final = "empty"
STATE_DEGRADED: Final = "degraded"
STATE_UNAVAILABLE: Final = "unavailable"

DISCLOSURE_FULL: Final = "full"
DISCLOSURE_EXCERPT: Final = "excerpt"
DISCLOSURE_METADATA_ONLY: Final = "metadata_only"
DISCLOSURE_WITHHELD: Final = "withheld"


@dataclass(frozen=True, slots=True, kw_only=True)
class RegulationsCaller(WireObject):
    """Who asks, as the host knows it from the dispatch; there is no project in it on purpose."""

    plugin_id: str = always()
    actor: str = ""
    owner: str = always()


@dataclass(frozen=True, slots=True, kw_only=True)
class RegulationsSearchRequest(WireRequest):
    """A search of the corpus; without `corpus_revision` of the published one."""

    schema_version: int = always(default=SCHEMA_VERSION)
    query: str = always(repr=False)
    corpus_revision: str = ""
    kinds: tuple[str, ...] = ()
    current_only: bool = False
    doc_no: str = ""
    clause_no: str = ""
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RegulationHit(WireObject):
    """One node that fits, as much of its text as its edition's disclosure allows."""

    regulation_id: str = always()
    edition_id: str = always()
    node_id: str = always()
    doc_no: str = ""
    title: str = ""
    edition_label: str = ""
    legal_status: str = ""
    clause_no: str = ""
    heading_path: tuple[str, ...] = ()
    excerpt: str = ""
    excerpt_start: int = 0
    excerpt_end: int = 0
    node_sha256: str = ""
    source_asset_sha256: str = ""
    page_start: int = 0
    page_end: int = 0
    disclosure: str = always()
    withheld_reason: str = ""
    is_summary: bool = False
    match_kinds: tuple[str, ...] = ()
    score: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RegulationsSearchResult(WireObject):
    """What one search gave, and the revision that was really searched."""

    corpus_revision: str = always()
    state: str = always()
    degraded_reasons: tuple[str, ...] = ()
    hits: tuple[RegulationHit, ...] = always(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class RegulationEvidenceRequest(WireRequest):
    """One node of one pinned revision, and which part of its text."""

    schema_version: int = always(default=SCHEMA_VERSION)
    corpus_revision: str = always()
    node_id: str = always()
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RegulationEvidence(WireObject):
    """The node as the revision holds it; `hash_verified` is the provider's word, not the host's."""

    corpus_revision: str = always()
    regulation_id: str = ""
    edition_id: str = ""
    node_id: str = always()
    clause_no: str = ""
    excerpt: str = ""
    start: int = 0
    end: int = 0
    node_sha256: str = ""
    source_asset_sha256: str = ""
    page_start: int = 0
    page_end: int = 0
    disclosure: str = always()
    withheld_reason: str = ""
    hash_verified: bool = always()
