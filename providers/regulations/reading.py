"""Nodes of a revision, each step checked in the call: manifest, entry, text (regulations.md section 6)."""

import hashlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Final

import orjson

from providers.regulations import manifest
from providers.regulations.edition import Edition
from providers.regulations.labels import DEPTH
from providers.regulations.manifest import Entry, NodeRecord
from providers.regulations.node import Node, edition_of
from providers.regulations.store import Store, holds, unpacked
from schemas.errors import IntegrityError, NotFoundError
from schemas.text import shown

_LISTED: Final = 5
_KEPT: Final = 64  # parsed entries; the editions that calls are about


@dataclass(frozen=True, slots=True)
class Parsed:
    """An entry with its nodes by path."""

    entry: Entry
    by_path: dict[str, NodeRecord]


class Reading:
    """Reads of one corpus; use each inside `store.reading()`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        # By connection: the last revision whose manifest was recomputed, and in which state of the file.
        self._verified: dict[int, tuple[tuple[int, ...], str, dict[str, str]]] = {}
        self._kept: dict[str, Parsed] = {}

    def members(self, revision: str) -> dict[str, str]:
        """The entry hash of each edition of `revision`, whose manifest recomputes to its id.

        Computed anew whenever the file has changed since; IntegrityError when it does not recompute.
        """
        state = self._store.state()
        known = self._verified.get(state[0])
        if known is not None and known[:2] == (state, revision):
            return known[2]
        found = self._recompute(revision)
        self._verified[state[0]] = (state, revision, found)
        return found

    def _recompute(self, revision: str) -> dict[str, str]:
        tombstones = self.tombstones(revision)
        hashes: dict[str, str] = {}
        digest = hashlib.sha256()
        for piece in manifest.parts(self._entries(revision, hashes), tombstones):
            digest.update(piece)
        found = manifest.PREFIX + digest.hexdigest()[:32]
        if found != revision:
            raise IntegrityError(f"the manifest of {revision} hashes to {found}", subject=revision)
        return hashes

    def tombstones(self, revision: str) -> list[dict[str, str]]:
        """The editions that `revision` drops on purpose; NotFoundError when there is no such revision."""
        rows = self._store.run("SELECT tombstones FROM revisions WHERE id = ?", revision)
        if not rows:
            raise NotFoundError(
                f"没有这个语料修订 unknown corpus revision {shown(revision)}", subject=revision
            )
        tombstones: list[dict[str, str]] = unpacked(rows[0][0], f"the tombstones of {revision}")
        return tombstones

    def _entries(self, revision: str, hashes: dict[str, str]) -> Iterator[bytes]:
        found = self._store.stream(
            "SELECT members.edition, members.entry, entries.data FROM members"
            " LEFT JOIN entries ON entries.sha256 = members.entry"
            " WHERE members.revision = ? ORDER BY members.edition",
            revision,
        )
        with closing(found) as rows:
            for edition, entry, data in rows:
                if data is None:
                    raise IntegrityError(f"the entry of {edition} is gone", subject=revision)
                hashes[edition] = entry
                if not holds(data, entry, bytes):
                    raise IntegrityError(
                        f"the entry of {edition} is not what its hash says", subject=revision
                    )
                yield data

    def manifest_bytes(self, revision: str) -> bytes:
        """The canonical bytes of the manifest, with which another machine verifies the revision."""
        return b"".join(manifest.parts(self._entries(revision, {}), self.tombstones(revision)))

    def parsed(self, revision: str, edition_id: str) -> Parsed:
        """The entry of one edition in a verified manifest; NotFoundError when it has none."""
        digest = self.members(revision).get(edition_id)
        if digest is None:
            others = [
                one for one in self.members(revision) if one.startswith(f"{edition_id.partition('@')[0]}@")
            ]
            raise NotFoundError(
                f"{shown(edition_id)} 不在该语料修订中 is not in {revision}",
                subject=edition_id,
                hint=f"该法规有 it has: {'，'.join(others[:_LISTED])}" if others else None,
            )
        rows = self._store.run("SELECT data FROM entries WHERE sha256 = ?", digest)
        if not rows or not holds(rows[0][0], digest, bytes):
            raise IntegrityError(f"the entry of {edition_id} is not what its hash says", subject=edition_id)
        found = self._kept.get(digest)
        if found is None:
            entry = manifest.read_entry(rows[0][0])
            found = Parsed(entry, {node.path: node for node in entry.nodes})
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            self._kept[digest] = found
        return found

    def record(self, revision: str, node_id: str) -> tuple[Parsed, NodeRecord]:
        """The manifest's word on a node; NotFoundError when the revision has none of that id."""
        parsed = self.parsed(revision, edition_of(node_id))
        record = parsed.by_path.get(node_id.partition("#")[2])
        if record is None:
            raise NotFoundError(
                f"{shown(node_id)} 不在该语料修订中 is not in {revision}",
                subject=node_id,
                hint=f"节点写作 art4/p1/i2；该版本有 {_extent(parsed)}。"
                f" A node is written {edition_of(node_id)}#art4/p1/i2; the edition has {_extent(parsed)}",
            )
        return parsed, record

    def node(self, parsed: Parsed, record: NodeRecord) -> Node:
        """The node of `record`, its text read now and held against the manifest's hash."""
        return _made(parsed.entry, record, self._text(record), self._headings(parsed.by_path, record))

    def nodes(self, parsed: Parsed) -> Iterator[Node]:
        """All nodes of an entry in document order."""
        texts = self._texts(parsed.entry)
        headings: dict[str, tuple[str, ...]] = {"": ()}
        for record in parsed.entry.nodes:
            text = texts.get(record.sha256)
            if text is None:
                raise _gone(record)
            above = headings[record.parent]
            headings[record.path] = above + _heading(record, text, parsed.by_path.get(record.parent))
            yield _made(parsed.entry, record, text, above)

    def _texts(self, entry: Entry) -> dict[str, str]:
        wanted = orjson.dumps([record.sha256 for record in entry.nodes]).decode()
        rows = self._store.run(
            "SELECT sha256, text FROM texts WHERE sha256 IN (SELECT value FROM json_each(?))", wanted
        )
        for digest, text in rows:
            if not holds(text, digest, str):
                raise IntegrityError("a node's text is not what its hash says", subject=digest)
        return dict(rows)

    def _text(self, record: NodeRecord) -> str:
        rows = self._store.run("SELECT text FROM texts WHERE sha256 = ?", record.sha256)
        if not rows:
            raise _gone(record)
        text = rows[0][0]
        if not holds(text, record.sha256, str):
            raise IntegrityError(f"the text of {record.path} is not what its hash says", subject=record.path)
        return str(text)

    def _headings(self, by_path: dict[str, NodeRecord], record: NodeRecord) -> tuple[str, ...]:
        path: list[str] = []
        above = by_path.get(record.parent)
        while above is not None:
            over = by_path.get(above.parent)
            path[:0] = _heading(above, self._text(above) if _is_heading(above) else "", over)
            above = over
        return tuple(path)


def _extent(parsed: Parsed) -> str:
    """The first and the last article of an edition, or what else stands at its top."""
    top = [path for path in parsed.by_path if "/" not in path]
    named = [path for path in top if path.startswith("art")] or top
    return named[0] if len(named) == 1 else f"{named[0]}–{named[-1]}"


def _made(entry: Entry, record: NodeRecord, text: str, headings: tuple[str, ...]) -> Node:
    edition: Edition = entry.edition
    return Node(
        regulation_id=edition.regulation_id,
        edition_id=edition.edition_id,
        node_id=f"{edition.edition_id}#{record.path}",
        kind=record.kind,
        clause_no=record.clause_no,
        heading_path=headings,
        parent=f"{edition.edition_id}#{record.parent}" if record.parent else "",
        ordinal=record.ordinal,
        text=text,
        sha256=record.sha256,
        source_asset_sha256=entry.primary.sha256,
        pages=record.pages,
    )


def _is_heading(record: NodeRecord) -> bool:
    return record.kind in DEPTH or record.titled


def _heading(record: NodeRecord, text: str, above: NodeRecord | None) -> tuple[str, ...]:
    """What a node adds to the heading path of the nodes below it."""
    if not _is_heading(record):
        return (record.clause_no,) if record.kind == "anx" and record.clause_no else ()
    own = record.clause_no
    if above is not None and above.clause_no and record.kind[0] == "x" and above.kind[0] == "x":
        rest = own.removeprefix(above.clause_no)
        own = own if rest.startswith(".") else rest  # 2.1 under 2 is printed whole, （一） under 一、 is not
    return (f"{own} {text.partition(chr(10))[0]}".strip(),)


def _gone(record: NodeRecord) -> IntegrityError:
    return IntegrityError(f"the text of {record.path} is gone", subject=record.path)
