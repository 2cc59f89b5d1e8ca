"""Write an index file: units as they come, their postings in parts, so that memory stays small."""

import sqlite3
import sys
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

import orjson

from providers.regulations.edition import Edition
from providers.regulations.node import Node
from providers.regulations.search.postings import Writer
from providers.regulations.search.units import Unit, units

_TABLES: Final = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE edition (id INTEGER PRIMARY KEY, edition_id TEXT NOT NULL UNIQUE, title TEXT NOT NULL)",
    # Rows of an edition follow each other; a filter on editions is one on spans.
    "CREATE TABLE span (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, edition INTEGER NOT NULL)",
    (
        "CREATE TABLE unit (id INTEGER PRIMARY KEY, edition INTEGER NOT NULL, path TEXT NOT NULL,"
        " heading TEXT NOT NULL, text TEXT NOT NULL, sha256 TEXT NOT NULL)"
    ),
    "CREATE TABLE term (term TEXT PRIMARY KEY, counts TEXT NOT NULL) WITHOUT ROWID",
    (
        "CREATE TABLE posting (lexeme TEXT, part INTEGER, units BLOB NOT NULL,"
        " PRIMARY KEY (lexeme, part)) WITHOUT ROWID"
    ),
)
PART: Final = 8_000_000  # postings that are held in memory


def fill(
    db: sqlite3.Connection,
    revision: str,
    nodes: Iterable[Node],
    editions: Sequence[Edition],
    part: int = PART,
) -> None:
    """Everything of a revision's index, into an empty database."""
    for table in _TABLES:
        db.execute(table)
    db.execute("BEGIN")
    _Filling(db, editions, part).fill(revision, nodes)
    db.execute("CREATE INDEX unit_path ON unit (path)")
    db.execute("COMMIT")


class _Filling:
    def __init__(self, db: sqlite3.Connection, editions: Sequence[Edition], part: int) -> None:
        self._db = db
        self._known = {edition.edition_id: edition for edition in editions}
        self._numbers = {edition_id: at for at, edition_id in enumerate(sorted(self._known), 1)}
        self._writer = Writer(self._known)
        self._most = part
        self._held = 0
        self._parts = 0
        self._postings = _postings()
        self._spans: list[list[int]] = []

    def fill(self, revision: str, nodes: Iterable[Node]) -> None:
        titles = self._writer.titles
        self._db.executemany(
            "INSERT INTO edition VALUES (?, ?, ?)",
            ((at, one, titles[one]) for one, at in self._numbers.items()),
        )
        for unit in units(nodes, self._known):
            self._add(unit)
        self._flush()
        self._db.executemany("INSERT INTO span VALUES (?, ?, ?)", self._spans)
        self._db.executemany(
            "INSERT INTO term VALUES (?, ?)",
            ((term, orjson.dumps(counts).decode()) for term, counts in self._writer.terms()),
        )
        self._db.execute(
            "INSERT INTO meta VALUES ('revision', ?), ('byte_order', ?), ('units', ?), ('mean_length', ?)",
            (revision, sys.byteorder, self._writer.units, self._writer.mean_length),
        )

    def _add(self, unit: Unit) -> None:
        lexemes, edition = self._writer.lexemes(unit), self._numbers[unit.edition_id]
        row = self._writer.units
        self._db.execute(
            "INSERT INTO unit VALUES (?, ?, ?, ?, ?, ?)",
            (row, edition, unit.path, unit.heading, unit.text, unit.sha256),
        )
        if self._spans and self._spans[-1][2] == edition:
            self._spans[-1][1] = row
        else:
            self._spans.append([row, row, edition])
        postings = self._postings
        for lexeme in lexemes:
            postings[lexeme].append(row)
        self._held += len(lexemes)
        if self._held >= self._most:
            self._flush()

    def _flush(self) -> None:
        self._parts += 1
        self._db.executemany(
            "INSERT INTO posting VALUES (?, ?, ?)",
            ((lexeme, self._parts, rows.tobytes()) for lexeme, rows in sorted(self._postings.items())),
        )
        self._postings = _postings()
        self._held = 0


def _postings() -> defaultdict[str, "array[int]"]:
    return defaultdict(lambda: array("I"))
