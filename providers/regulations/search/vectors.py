"""The vector leg: what a query means, beside the words it uses; an extra, stored for each revision.

A vector finds something near for every query, sense or nonsense. So it only ranks and widens what words
have found: a query of which no word is in the corpus stays empty.
"""

import os
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from providers.regulations.disclosure import text_told
from providers.regulations.edition import Edition
from providers.regulations.node import Node, edition_of
from providers.regulations.search.seam import Within
from providers.regulations.search.units import FOUND, short_title
from schemas.canonical import digest_bytes
from schemas.errors import NotFoundError, StorageError

LAYOUT: Final = 1
PASSAGE: Final = 240  # code points of a text that its vector speaks for
BATCH: Final = 16


class Embedder(Protocol):
    """A model that puts texts into a space; raises NotReadyError where it is not installed."""

    name: str

    def passages(self, texts: Sequence[str]) -> Sequence[bytes]:
        """The vector of each text, as the embedder itself will read it again."""
        ...

    def nearness(self, query: str, vectors: Sequence[bytes]) -> Sequence[float]:
        """How near each vector is to a query, from -1 to 1."""
        ...


@dataclass(frozen=True, slots=True)
class Near:
    """A unit near a query."""

    node_id: str
    sha256: str
    nearness: float


@dataclass(frozen=True, slots=True)
class _Row:
    node_id: str
    sha256: str


class VectorIndex:
    """Vectors of revisions in a folder; a text that another revision has is not embedded again."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._folder = folder
        self._embedder = embedder
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[list[_Row], list[bytes]]] = {}

    def path(self, revision: str) -> Path:
        """Where the vectors of a revision lie."""
        return self._folder / f"{revision}.vec{LAYOUT}"

    def has(self, revision: str) -> bool:
        """Whether the revision has vectors."""
        return self.path(revision).is_file()

    def drop(self, revision: str) -> None:
        """Forget a revision; one that is not there is no error."""
        self.path(revision).unlink(missing_ok=True)
        with self._lock:
            self._kept.pop(revision, None)

    def build(self, revision: str, nodes: Iterable[Node], editions: Sequence[Edition]) -> int:
        """Store the vectors of a revision, in one step or not at all; how many texts had to be embedded."""
        self._folder.mkdir(parents=True, exist_ok=True)
        wanted = list(_passages(nodes, {one.edition_id: one for one in editions}))
        known = self._known()
        new = sorted({text for _, text in wanted if _digest(text) not in known})
        for at in range(0, len(new), BATCH):
            batch = new[at : at + BATCH]
            known.update(zip(map(_digest, batch), self._embedder.passages(batch), strict=True))
        part = self._folder / f"{revision}.{os.getpid()}.{threading.get_ident()}.part"
        try:
            part.unlink(missing_ok=True)
            _write(
                part,
                self._embedder.name,
                [(row, _digest(text), known[_digest(text)]) for row, text in wanted],
            )
            part.replace(self.path(revision))
        except (sqlite3.Error, OSError) as error:
            raise StorageError(
                f"the vectors of {revision} cannot be written: {error}", subject=revision
            ) from error
        finally:
            part.unlink(missing_ok=True)
        with self._lock:
            self._kept.pop(revision, None)
        return len(new)

    def nearest(self, revision: str, query: str, within: Within, most: int) -> list[Near]:
        """At most `most` units, nearest first, ties by node id."""
        rows, vectors = self._rows(revision)
        chosen = [at for at, row in enumerate(rows) if _fits(row, within)]
        found = self._embedder.nearness(query, [vectors[at] for at in chosen])
        near = [
            Near(rows[at].node_id, rows[at].sha256, float(value))
            for at, value in zip(chosen, found, strict=True)
        ]
        return sorted(near, key=lambda one: (-one.nearness, one.node_id))[:most]

    def _rows(self, revision: str) -> tuple[list[_Row], list[bytes]]:
        with self._lock:
            kept = self._kept.get(revision)
        if kept is None:
            if not self.has(revision):
                raise NotFoundError(f"{revision} has no vectors", subject=revision)
            found = _read(self.path(revision), self._embedder.name)
            kept = [_Row(node_id, sha256) for node_id, sha256, _, _ in found], [one[3] for one in found]
            with self._lock:
                self._kept = {revision: kept}
        return kept

    def _known(self) -> dict[str, bytes]:
        """Vectors that this embedder has made before, by the digest of the text that they stand for."""
        known: dict[str, bytes] = {}
        for path in sorted(self._folder.glob(f"*.vec{LAYOUT}")):
            # What was made before only saves work: a file that is broken saves none.
            with suppress(StorageError):
                known.update((digest, vector) for _, _, digest, vector in _read(path, self._embedder.name))
        return known


def _passages(nodes: Iterable[Node], editions: dict[str, Edition]) -> Iterable[tuple[_Row, str]]:
    for node in nodes:
        edition = editions[node.edition_id]
        if node.kind in FOUND and node.text and text_told(edition.disclosure):
            heading = node.heading_path[-1] if node.heading_path else ""
            yield (
                _Row(node.node_id, node.sha256),
                f"{short_title(edition.title)} {heading} {node.text[:PASSAGE]}",
            )


def _fits(row: _Row, within: Within) -> bool:
    if within.path and row.node_id.partition("#")[2] != within.path:
        return False
    return within.editions is None or edition_of(row.node_id) in within.editions


def _digest(text: str) -> str:
    return digest_bytes(text.encode(), "blake3")


def _write(path: Path, embedder: str, rows: Iterable[tuple[_Row, str, bytes]]) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("CREATE TABLE meta (embedder TEXT NOT NULL)")
        db.execute("CREATE TABLE vector (node_id TEXT, sha256 TEXT, passage TEXT, data BLOB)")
        db.execute("BEGIN")
        db.execute("INSERT INTO meta VALUES (?)", (embedder,))
        db.executemany(
            "INSERT INTO vector VALUES (?, ?, ?, ?)",
            ((row.node_id, row.sha256, digest, data) for row, digest, data in rows),
        )
        db.execute("COMMIT")


def _read(path: Path, embedder: str) -> list[tuple[str, str, str, bytes]]:
    """The rows of a file; none when another embedder made it, whose space is another."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            if db.execute("SELECT embedder FROM meta").fetchone() != (embedder,):
                return []
            return db.execute("SELECT node_id, sha256, passage, data FROM vector ORDER BY rowid").fetchall()
    except (sqlite3.Error, UnicodeError) as error:
        raise StorageError(f"{path} cannot be read: {error}", subject=str(path)) from error
