"""Evidence of a node in a pinned revision, and `hashVerified` (regulations.md section 6)."""

from dataclasses import dataclass

from providers.regulations.disclosure import Disclosed, disclosed, withheld
from providers.regulations.edition import Edition
from providers.regulations.manifest import Entry, NodeRecord
from providers.regulations.node import Node
from providers.regulations.reading import Reading
from providers.regulations.store import Store, holds
from schemas.errors import IntegrityError

MISMATCH = "hash mismatch"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """What a resolve answers; `node` and `edition` are None when the manifest itself does not hold."""

    corpus_revision: str
    node_id: str
    shown: Disclosed
    hash_verified: bool
    clause_no: str = ""
    node_sha256: str = ""
    source_asset_sha256: str = ""
    page_start: int | None = None
    page_end: int | None = None
    node: Node | None = None
    edition: Edition | None = None


def resolve(
    store: Store, reading: Reading, revision: str, node_id: str, span: tuple[object, object], withdrawn: bool
) -> Resolved:
    """Verified only if in this call the manifest recomputes, the text hashes to it, and the asset is in it.

    A mismatch is told as withheld, and no excerpt is returned as if it were good.
    """
    try:
        parsed, record = reading.record(revision, node_id)
    except IntegrityError:
        return Resolved(
            corpus_revision=revision, node_id=node_id, shown=withheld(MISMATCH), hash_verified=False
        )
    entry = parsed.entry
    if withdrawn:
        return _told(revision, node_id, entry, record, withheld("the revision was withdrawn"))
    try:
        node = reading.node(parsed, record)
        _check_asset(store, entry)
    except IntegrityError:
        return _told(revision, node_id, entry, record, withheld(MISMATCH))
    shown = disclosed(node, entry.edition, *span)
    first, last = node.pages_of(shown.start, shown.end) if shown.excerpt else (node.page_start, node.page_end)
    return Resolved(
        corpus_revision=revision,
        node_id=node_id,
        shown=shown,
        hash_verified=True,
        clause_no=node.clause_no,
        node_sha256=node.sha256,
        source_asset_sha256=node.source_asset_sha256,
        page_start=first,
        page_end=last,
        node=node,
        edition=entry.edition,
    )


def _told(revision: str, node_id: str, entry: Entry, record: NodeRecord, shown: Disclosed) -> Resolved:
    return Resolved(
        corpus_revision=revision,
        node_id=node_id,
        shown=shown,
        hash_verified=False,
        clause_no=record.clause_no,
        node_sha256=record.sha256,
        source_asset_sha256=entry.primary.sha256,
        edition=entry.edition,
    )


def _check_asset(store: Store, entry: Entry) -> None:
    """The asset that the corpus records is the one in the manifest; its bytes are hashed by `audit`."""
    if not store.run("SELECT 1 FROM assets WHERE sha256 = ?", entry.primary.sha256):
        raise IntegrityError("the corpus does not record the asset", subject=entry.edition.edition_id)


def audit(store: Store, reading: Reading, revision: str) -> int:
    """Hash the manifest, every text and every asset of `revision` again; the number of nodes."""
    nodes = 0
    for edition_id in sorted(reading.members(revision)):
        parsed = reading.parsed(revision, edition_id)
        nodes += sum(1 for _ in reading.nodes(parsed))
        for asset in parsed.entry.assets:
            rows = store.run("SELECT data FROM assets WHERE sha256 = ?", asset.sha256)
            if not rows or not holds(rows[0][0], asset.sha256, bytes):
                raise IntegrityError(
                    f"an asset of {edition_id} is not what its hash says", subject=edition_id
                )
    return nodes
