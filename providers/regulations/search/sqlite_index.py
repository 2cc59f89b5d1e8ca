"""The embedded engine: an inverted index in SQLite, one file for each revision, written once, then only read.

Not FTS5: its bm25() costs two microseconds for each unit that has any of the terms of a question. Adding up
shares that were worked out when the index was written costs a fifth of that (benchmarks/README.md).
"""

import glob
import heapq
import os
import sqlite3
import struct
import sys
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from operator import mul
from pathlib import Path
from typing import Final

import orjson

from providers.regulations.edition import Edition
from providers.regulations.node import Node
from providers.regulations.search.postings import weigh
from providers.regulations.search.seam import Candidate, Recalled, Terms, Within
from providers.regulations.search.sqlite_build import fill
from schemas.errors import NotFoundError, StorageError

LAYOUT: Final = 2
_WIDTH: Final = 4  # bytes of a unit's number
_COUNTS: Final = "SELECT term, counts FROM term WHERE term IN (SELECT value FROM json_each(?))"
_POSTINGS: Final = "SELECT lexeme, units FROM posting WHERE lexeme IN (SELECT value FROM json_each(?))"
_UNITS: Final = (
    "SELECT unit.id, edition_id, path, title, heading, text, sha256 FROM unit"
    " JOIN edition ON edition.id = unit.edition WHERE unit.id IN (SELECT value FROM json_each(?))"
)


class SqliteIndex:
    """Index files of a corpus in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._local = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._lock = threading.Lock()

    def path(self, revision: str) -> Path:
        """Where the index of a revision lies."""
        return self._folder / f"{revision}.fts{LAYOUT}"

    def has(self, revision: str) -> bool:
        """Whether the revision is indexed."""
        return self.path(revision).is_file()

    def build(self, revision: str, nodes: Iterable[Node], editions: Sequence[Edition]) -> None:
        """Write the index beside its place and move it there."""
        self._folder.mkdir(parents=True, exist_ok=True)
        part = self._folder / f"{revision}.{os.getpid()}.{threading.get_ident()}.part"
        part.unlink(missing_ok=True)
        try:
            with closing(sqlite3.connect(part, isolation_level=None)) as db:
                db.execute("PRAGMA journal_mode = OFF")
                db.execute("PRAGMA synchronous = OFF")
                fill(db, revision, nodes, editions)
            part.replace(self.path(revision))
            self._drop(f"{glob.escape(revision)}.fts[!{LAYOUT}]")  # of an earlier version of this program
        except (sqlite3.Error, OSError) as error:
            raise StorageError(
                f"the index of {revision} cannot be written: {error}", subject=revision
            ) from error
        finally:
            part.unlink(missing_ok=True)

    def drop(self, revision: str) -> None:
        """Delete the file; connections that read it keep what they have until they close."""
        self._drop(f"{glob.escape(revision)}.fts?")
        self._drop(f"{glob.escape(revision)}.*.part")  # of a build that was killed

    def _drop(self, pattern: str) -> None:
        if self._folder.is_dir():
            for path in self._folder.glob(pattern):
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            for db in self._opened:
                db.close()
            self._opened.clear()
        self._local = threading.local()

    def recall(self, revision: str, terms: Terms, within: Within, most: int) -> Recalled:
        """See SearchIndex."""
        if not terms.needed or (within.editions is not None and not within.editions):
            return Recalled()
        with self._read(revision) as held:
            # Characters alone recall nothing (search.md: 绕行); of those only the number is asked.
            weighed = weigh(terms, held.counts((*terms.needed, *terms.single)), held.units)
            best = held.best(weighed.worths, within, most)
            return Recalled(held.candidates(best), weighed.frequencies, held.units, held.mean_length)

    def leading(self, revision: str, edition_id: str, most: int) -> Sequence[str]:
        """See SearchIndex."""
        with self._read(revision) as held:
            found: list[str] = []
            for first, last in held.spans.get(edition_id, ()):
                rows = held.db.execute(
                    "SELECT path FROM unit WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?",
                    (first, last, most - len(found)),
                )
                found += [_text(path) for (path,) in rows]
            return found

    def holding(self, revision: str, path: str) -> Collection[str]:
        """See SearchIndex."""
        with self._read(revision) as held:
            rows = held.db.execute(
                "SELECT edition_id FROM unit JOIN edition ON edition.id = unit.edition WHERE path = ?",
                (path,),
            )
            return {_text(edition_id) for (edition_id,) in rows}

    @contextmanager
    def _read(self, revision: str) -> Iterator["_Held"]:
        """The index of `revision`; StorageError when the file is damaged, or the index of another one."""
        try:
            yield self._reading(revision)
        # What a damaged file gives is any of these: bytes that are no UTF-8, also in SQLite's own messages,
        # a row that is gone, a cell of another type, a unit that is none.
        except (sqlite3.Error, ValueError, LookupError, TypeError, struct.error) as error:
            raise StorageError(
                f"the index of {revision} cannot be read: {error}", subject=revision
            ) from error

    def _reading(self, revision: str) -> "_Held":
        kept: dict[str, _Held] | None = getattr(self._local, "kept", None)
        if kept is None:
            kept = self._local.kept = {}
        path = self.path(revision)
        if not path.is_file():
            raise NotFoundError(f"{revision} 没有索引 is not indexed", subject=revision)
        if revision not in kept:
            db = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
            )
            try:
                kept[revision] = _Held.of(db, revision, path.stat().st_size)
            except (sqlite3.Error, ValueError, LookupError, TypeError):
                db.close()
                raise
            with self._lock:
                self._opened.append(db)
        return kept[revision]


@dataclass(frozen=True, slots=True)
class _Held:
    """An open index, and what every search needs of it."""

    db: sqlite3.Connection
    units: int
    mean_length: float
    spans: Mapping[str, Sequence[tuple[int, int]]]

    @classmethod
    def of(cls, db: sqlite3.Connection, revision: str, size: int) -> "_Held":
        """ValueError when the index is another revision's, or cannot have so many units as it says."""
        meta = dict(db.execute("SELECT name, value FROM meta"))
        if meta.get("revision") != revision:
            raise ValueError(f"it is that of {meta.get('revision')}")
        if meta["byte_order"] != sys.byteorder:
            raise ValueError("it was written by a machine of another byte order")
        units = int(meta["units"])
        spans: dict[str, list[tuple[int, int]]] = {}
        for edition_id, first, last in db.execute(
            "SELECT edition_id, first, last FROM span JOIN edition ON edition.id = edition ORDER BY first"
        ):
            spans.setdefault(_text(edition_id), []).append((int(first), int(last)))
        if not 0 <= units <= size or any(
            not 0 < first <= last <= units for some in spans.values() for first, last in some
        ):
            raise ValueError("its units are not so many as it says")
        return cls(db, units, float(meta["mean_length"]), spans)

    def counts(self, terms: Sequence[str]) -> Mapping[str, Sequence[int]]:
        """In how many units of each level the terms stand."""
        rows = self.db.execute(_COUNTS, (_listed(terms),))
        return {term: orjson.loads(counts) for term, counts in rows}

    def best(self, worths: Mapping[str, int], within: Within, most: int) -> list[int]:
        """The units that are worth most, ties in reading order."""
        total = [0] * (self.units + 1)
        for lexeme, units in self.db.execute(_POSTINGS, (_listed(list(worths)),)):
            worth = worths[lexeme]
            for unit in struct.unpack(f"={len(units) // _WIDTH}I", units):
                total[unit] += worth
        allowed = self._allowed(within)
        if allowed is not None:
            total = list(map(mul, total, allowed))
        least = max(1, heapq.nlargest(most, total)[-1])
        found = sorted((-worth, unit) for unit, worth in enumerate(total) if worth >= least)
        return [unit for _, unit in found[:most]]

    def _allowed(self, within: Within) -> bytearray | None:
        """1 for each unit that may be found; None when all may."""
        if within.editions is None and not within.path:
            return None
        allowed = bytearray(self.units + 1)
        for edition_id in self.spans.keys() if within.editions is None else within.editions:
            for first, last in self.spans.get(edition_id, ()):
                allowed[first : last + 1] = b"\1" * (last + 1 - first)
        if within.path:
            at_path = bytearray(self.units + 1)
            for (unit,) in self.db.execute("SELECT id FROM unit WHERE path = ?", (within.path,)):
                at_path[unit] = allowed[unit]
            return at_path
        return allowed

    def candidates(self, units: Sequence[int]) -> tuple[Candidate, ...]:
        """The units themselves, in their order."""
        rows = self.db.execute(_UNITS, (_listed(units),))
        found = {unit: Candidate(*map(_text, cells)) for unit, *cells in rows}
        return tuple(found[unit] for unit in units)


def _listed(values: Sequence[object]) -> str:
    return orjson.dumps(values).decode()


def _text(cell: object) -> str:
    if not isinstance(cell, str):
        raise TypeError(f"a {type(cell).__name__} stands where text should")
    return cell
