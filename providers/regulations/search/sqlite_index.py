"""The embedded engine: SQLite FTS5, one file for each revision, written once, then only read (search.md)."""

import glob
import os
import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import orjson

from providers.regulations.edition import Edition
from providers.regulations.node import Node
from providers.regulations.search.grams import fold, grams
from providers.regulations.search.seam import Candidate, Recalled, Terms, Within
from providers.regulations.search.units import Unit, short_title, units
from schemas.errors import NotFoundError, NotReadyError, StorageError

LAYOUT: Final = 1
# title, heading, text: a word in a heading says more of an article than one in its text (T8).
WEIGHTS: Final = (0.6, 2.0, 1.0)
_TABLES: Final = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE edition (id INTEGER PRIMARY KEY, edition_id TEXT NOT NULL UNIQUE, title TEXT NOT NULL)",
    (
        "CREATE TABLE unit (id INTEGER PRIMARY KEY, edition INTEGER NOT NULL, path TEXT NOT NULL,"
        " heading TEXT NOT NULL, text TEXT NOT NULL, sha256 TEXT NOT NULL)"
    ),
    "CREATE INDEX unit_edition ON unit (edition)",
    "CREATE INDEX unit_path ON unit (path)",
    # unicode61 knows the letters of Unicode 6.1 only; ascii takes every other character as a letter,
    # and our grams are folded and parted by spaces already.
    "CREATE VIRTUAL TABLE grams USING {module} (title, heading, text, content='', tokenize='ascii')",
    "CREATE VIRTUAL TABLE vocabulary USING fts5vocab (grams, row)",
)
# The plus keeps SQLite from matching anew for each allowed row; texts are read after the cut.
_RECALL: Final = (
    "SELECT edition_id, path, title, heading, text, sha256 FROM"
    " (SELECT grams.rowid AS row, bm25(grams, ?4, ?5, ?6) AS worth FROM grams WHERE grams MATCH ?1"
    " AND (?2 IS NULL OR +grams.rowid IN (SELECT unit.id FROM unit WHERE unit.edition IN"
    " (SELECT edition.id FROM edition WHERE edition_id IN (SELECT value FROM json_each(?2)))))"
    " AND (?3 = '' OR +grams.rowid IN (SELECT unit.id FROM unit WHERE unit.path = ?3))"
    " ORDER BY worth, grams.rowid LIMIT ?7)"
    " JOIN unit ON unit.id = row JOIN edition ON edition.id = unit.edition ORDER BY worth, row"
)


class SqliteIndex:
    """Index files of a corpus in a folder of their own; `module` is SQLite's full-text module."""

    def __init__(self, folder: Path, module: str = "fts5") -> None:
        self._folder = folder
        self._module = module
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
                self._lay_out(db)
                _fill(db, revision, nodes, editions)
            part.replace(self.path(revision))
        except (sqlite3.Error, OSError) as error:
            raise StorageError(
                f"the index of {revision} cannot be written: {error}", subject=revision
            ) from error
        finally:
            part.unlink(missing_ok=True)

    def _lay_out(self, db: sqlite3.Connection) -> None:
        self._check_module(db)
        db.execute("PRAGMA journal_mode = OFF")
        db.execute("PRAGMA synchronous = OFF")
        for table in _TABLES:
            db.execute(table.format(module=self._module))

    def _check_module(self, db: sqlite3.Connection) -> None:
        known = db.execute("SELECT 1 FROM pragma_module_list WHERE name = ?", (self._module,)).fetchone()
        if known is None:
            raise NotReadyError(f"this SQLite has no {self._module}", subject="fulltext")

    def drop(self, revision: str) -> None:
        """Delete the file; connections that read it keep what they have until they close."""
        self.path(revision).unlink(missing_ok=True)
        if self._folder.is_dir():
            for part in self._folder.glob(f"{glob.escape(revision)}.*.part"):  # of a build that was killed
                part.unlink(missing_ok=True)

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
        # Characters alone recall nothing (search.md: 绕行), and their long lists would be what costs most.
        wanted = " OR ".join(f'"{term}"' for term in terms.needed)
        chosen = None if within.editions is None else orjson.dumps(sorted(within.editions)).decode()
        with self._read(revision) as db:
            self._check_module(db)
            rows = db.execute(_RECALL, (wanted, chosen, within.path, *WEIGHTS, most)).fetchall()
            meta = dict(db.execute("SELECT name, value FROM meta"))
            frequencies = _frequencies(db, (*terms.needed, *terms.single))
            found = tuple(Candidate(*map(_text, row)) for row in rows)
            return Recalled(found, frequencies, int(meta["units"]), float(meta["mean_length"]))

    def leading(self, revision: str, edition_id: str, most: int) -> Sequence[str]:
        """See SearchIndex."""
        with self._read(revision) as db:
            rows = db.execute(
                "SELECT path FROM unit JOIN edition ON edition.id = unit.edition WHERE edition_id = ?"
                " ORDER BY unit.id LIMIT ?",
                (edition_id, most),
            )
            return [_text(path) for (path,) in rows]

    def holding(self, revision: str, path: str) -> Collection[str]:
        """See SearchIndex."""
        with self._read(revision) as db:
            rows = db.execute(
                "SELECT edition_id FROM unit JOIN edition ON edition.id = unit.edition WHERE path = ?",
                (path,),
            )
            return {_text(edition_id) for (edition_id,) in rows}

    @contextmanager
    def _read(self, revision: str) -> Iterator[sqlite3.Connection]:
        """The index of `revision`; StorageError when the file is damaged, or the index of another one."""
        try:
            yield self._reading(revision)
        # What a damaged file gives is any of these: bytes that are no UTF-8, also in SQLite's own messages,
        # a row that is gone, a cell of another type.
        except (sqlite3.Error, ValueError, KeyError, TypeError) as error:
            raise StorageError(
                f"the index of {revision} cannot be read: {error}", subject=revision
            ) from error

    def _reading(self, revision: str) -> sqlite3.Connection:
        held: dict[str, sqlite3.Connection] | None = getattr(self._local, "held", None)
        if held is None:
            held = self._local.held = {}
        path = self.path(revision)
        if not path.is_file():
            raise NotFoundError(f"{revision} is not indexed", subject=revision)
        if revision not in held:
            db = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
            )
            try:
                found = dict(db.execute("SELECT name, value FROM meta")).get("revision")
                if found != revision:
                    raise ValueError(f"it is that of {found}")
            except (sqlite3.Error, ValueError):
                db.close()
                raise
            held[revision] = db
            with self._lock:
                self._opened.append(db)
        return held[revision]


def _fill(db: sqlite3.Connection, revision: str, nodes: Iterable[Node], editions: Sequence[Edition]) -> None:
    known = {edition.edition_id: edition for edition in editions}
    numbers = {edition_id: at for at, edition_id in enumerate(sorted(known), 1)}
    titles = {one: fold(short_title(edition.title)) for one, edition in known.items()}
    title_grams = {one: grams(title).joined() for one, title in titles.items()}
    db.execute("BEGIN")
    db.executemany(
        "INSERT INTO edition VALUES (?, ?, ?)", ((numbers[one], one, titles[one]) for one in sorted(known))
    )
    count, length = 0, 0
    for unit in units(nodes, known):
        count += 1
        length += len(unit.text)
        _insert(db, count, numbers[unit.edition_id], unit, title_grams[unit.edition_id])
    db.execute(
        "INSERT INTO meta VALUES ('revision', ?), ('units', ?), ('mean_length', ?)",
        (revision, count, length / max(count, 1)),
    )
    db.execute("COMMIT")
    db.execute("INSERT INTO grams (grams) VALUES ('optimize')")


def _insert(db: sqlite3.Connection, row: int, edition: int, unit: Unit, title: str) -> None:
    db.execute(
        "INSERT INTO unit VALUES (?, ?, ?, ?, ?, ?)",
        (row, edition, unit.path, unit.heading, unit.text, unit.sha256),
    )
    db.execute(
        "INSERT INTO grams (rowid, title, heading, text) VALUES (?, ?, ?, ?)",
        (row, title, grams(unit.heading).joined(), grams(unit.text).joined()),
    )


def _text(cell: object) -> str:
    if not isinstance(cell, str):
        raise TypeError(f"a {type(cell).__name__} stands where text should")
    return cell


def _frequencies(db: sqlite3.Connection, terms: Sequence[str]) -> Mapping[str, int]:
    found = {}
    for term in terms:
        row = db.execute("SELECT doc FROM vocabulary WHERE term = ?", (term,)).fetchone()
        found[term] = 0 if row is None else int(row[0])
    return found
