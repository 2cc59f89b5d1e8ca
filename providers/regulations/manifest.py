"""The immutable manifest of a corpus revision: its bytes are its identity (regulations.md section 9).

The bytes of the manifest are those of its entries, joined; so a corpus keeps each entry once and
every revision that holds it can be hashed again from the parts.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import orjson

from providers.regulations.clause_number import Scheme
from providers.regulations.edition import Edition
from providers.regulations.node import PageSpan
from schemas.canonical import canonical
from schemas.errors import IntegrityError

SCHEMA: Final = "kbreg-manifest/1"
PREFIX: Final = "kbr1-"


@dataclass(frozen=True, slots=True)
class AssetRecord:
    """A source asset as the manifest names it; exactly one of an edition is primary."""

    sha256: str
    size: int
    primary: bool


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """A node as the manifest names it; `path` and `parent` are what stands behind the `#` of their ids."""

    path: str
    sha256: str
    parent: str
    ordinal: int
    clause_no: str
    pages: tuple[PageSpan, ...] = ()
    titled: bool = False

    @property
    def kind(self) -> str:
        """The kind of node, read from its path."""
        step = self.path.rpartition("/")[2]
        return step[:2] if step[0] == "x" else step.rstrip("0123456789-~")


@dataclass(frozen=True, slots=True)
class Entry:
    """One edition in a manifest."""

    edition: Edition
    extractor: str
    scheme: Scheme
    assets: tuple[AssetRecord, ...]
    articles: int
    gaps: tuple[str, ...]
    nodes: tuple[NodeRecord, ...]

    @property
    def primary(self) -> AssetRecord:
        """The asset whose text the nodes hold."""
        return self.assets[0]

    def to_bytes(self) -> bytes:
        """The canonical bytes of the entry."""
        edition_id = self.edition.edition_id
        nodes = [_node_wire(edition_id, node) for node in self.nodes]
        return canonical(
            {
                "assets": [
                    {"bytes": one.size, "primary": one.primary, "sha256": one.sha256} for one in self.assets
                ],
                "completeness": {"articles": self.articles, "gaps": list(self.gaps)},
                "editionId": edition_id,
                "extractor": self.extractor,
                "metadata": self.edition.to_wire(),
                "nodes": nodes,
                "scheme": self.scheme,
            }
        )


def _node_wire(edition_id: str, node: NodeRecord) -> dict[str, object]:
    wire: dict[str, object] = {
        "nodeId": f"{edition_id}#{node.path}",
        "nodeSha256": node.sha256,
        "ordinal": node.ordinal,
    }
    if node.parent:
        wire["parent"] = f"{edition_id}#{node.parent}"
    if node.clause_no:
        wire["clauseNo"] = node.clause_no
    if node.titled:
        wire["titled"] = True
    if node.pages:
        wire["pages"] = [[span.page, span.start, span.end] for span in node.pages]
    return wire


def read_entry(data: bytes) -> Entry:
    """The entry of bytes that `to_bytes` wrote; the caller has checked their hash."""
    wire = cast(dict[str, Any], orjson.loads(data))
    head = len(wire["editionId"]) + 1
    nodes = tuple(
        NodeRecord(
            path=node["nodeId"][head:],
            sha256=node["nodeSha256"],
            parent=node.get("parent", "")[head:],
            ordinal=node["ordinal"],
            clause_no=node.get("clauseNo", ""),
            pages=tuple(PageSpan(*span) for span in node.get("pages", ())),
            titled=node.get("titled", False),
        )
        for node in wire["nodes"]
    )
    assets = tuple(AssetRecord(one["sha256"], one["bytes"], one["primary"]) for one in wire["assets"])
    return Entry(
        Edition.from_wire(wire["metadata"]),
        wire["extractor"],
        wire["scheme"],
        assets,
        wire["completeness"]["articles"],
        tuple(wire["completeness"]["gaps"]),
        nodes,
    )


def parts(entries: Iterable[bytes], tombstones: Sequence[Mapping[str, str]]) -> Iterable[bytes]:
    """The canonical bytes of a manifest, piece by piece; `entries` are sorted by edition id."""
    yield b'{"editions":['
    for at, entry in enumerate(entries):
        if at:
            yield b","
        yield entry
    yield b'],"schema":' + canonical(SCHEMA)
    if tombstones:
        yield b',"tombstones":' + canonical([dict(one) for one in tombstones])
    yield b"}"


def revision_id(entries: Iterable[bytes], tombstones: Sequence[Mapping[str, str]] = ()) -> str:
    """`kbr1-` and the first 32 hex digits of the SHA-256 of the manifest's canonical bytes."""
    digest = hashlib.sha256()
    for piece in parts(entries, tombstones):
        digest.update(piece)
    return PREFIX + digest.hexdigest()[:32]


def verify(data: bytes, revision: str) -> None:
    """IntegrityError unless `data` are the canonical bytes of the manifest of `revision`."""
    found = PREFIX + hashlib.sha256(data).hexdigest()[:32]
    if found != revision:
        raise IntegrityError(f"the manifest is that of {found}, not of {revision}", subject=revision)
