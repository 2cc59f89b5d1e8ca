"""Write a revision's index into PostgreSQL: tables of its own, filled and indexed in one transaction."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, LiteralString, cast

import psycopg
from psycopg import sql

from providers.regulations.edition import Edition
from providers.regulations.node import Node
from providers.regulations.search.postings import Writer
from providers.regulations.search.units import units

LAYOUT: Final = 1
PARTS: Final = ("words", "unit", "edition", "term")
_BATCH: Final = 2000  # units
# A tsvector holds at most a megabyte; a unit of more terms has several rows.
_WIDE: Final = 100_000
_REVISIONS: Final[LiteralString] = (
    'CREATE TABLE IF NOT EXISTS {revisions} (revision text COLLATE "C" PRIMARY KEY,'
    " number integer NOT NULL UNIQUE, layout integer NOT NULL, units integer NOT NULL,"
    " mean_length double precision NOT NULL);"
    "CREATE SEQUENCE IF NOT EXISTS {numbers} OWNED BY {revisions}.number"
)
_TABLES: Final[LiteralString] = (
    'CREATE TABLE {edition} (id integer PRIMARY KEY, edition_id text COLLATE "C" NOT NULL UNIQUE,'
    " title text NOT NULL);"
    'CREATE TABLE {unit} (id integer PRIMARY KEY, edition integer NOT NULL, path text COLLATE "C" NOT NULL,'
    " heading text NOT NULL, text text NOT NULL, sha256 text NOT NULL);"
    'CREATE TABLE {term} (term text COLLATE "C" PRIMARY KEY, counts integer[] NOT NULL);'
    # Words are looked at by way of their index; out of line they leave room for many rows on a page.
    "CREATE TABLE {words} (unit integer NOT NULL, edition integer NOT NULL, words tsvector NOT NULL)"
    " WITH (toast_tuple_target = 128);"
    # Nobody asks how common a word is, and counting them takes long.
    "ALTER TABLE {words} ALTER words SET STATISTICS 0"
)
_INDEXES: Final[LiteralString] = (
    "SET LOCAL maintenance_work_mem = '256MB';"
    "CREATE INDEX ON {words} USING gin (words) WITH (fastupdate = off);"
    "CREATE INDEX ON {unit} (path);"
    "CREATE INDEX ON {unit} (edition, id);"
    "ANALYZE {words}, {unit}, {edition}, {term}"
)
Connection = psycopg.Connection[tuple[object, ...]]


class Names:
    """The names of all tables, which begin with `prefix`."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        numbers = f"{prefix}numbers"
        self._always = {
            "revisions": sql.Identifier(f"{prefix}revisions"),
            "numbers": sql.Identifier(numbers),
            "counter": sql.Literal(f'"{numbers}"'),
        }

    def of(self, number: int) -> dict[str, sql.Identifier]:
        """The tables of one build."""
        return {part: sql.Identifier(f"{self.prefix}{number}_{part}") for part in PARTS}

    def query(self, template: LiteralString, number: int | None = None) -> sql.Composed:
        """A statement on the tables of a build, or on the list of revisions."""
        tables = {} if number is None else self.of(number)
        return sql.SQL(template).format(**self._always, **tables)


def build(
    db: Connection, names: Names, revision: str, nodes: Iterable[Node], editions: Sequence[Edition]
) -> None:
    """Everything of a revision's index, in the transaction that `db` is in."""
    begin(db, names)
    counted = db.execute(names.query("SELECT nextval({counter})"))
    [(number,)] = cast(list[tuple[int]], counted.fetchall())
    db.execute(names.query(_TABLES, number))
    writer = _fill(db, names.of(number), nodes, editions)
    db.execute(names.query(_INDEXES, number))
    forget(db, names, revision)  # at last, since who reads those tables waits from here to the commit
    db.execute(
        names.query("INSERT INTO {revisions} VALUES (%s, %s, %s, %s, %s)"),
        (revision, number, LAYOUT, writer.units, writer.mean_length),
    )


def begin(db: Connection, names: Names) -> None:
    """Wait for whoever writes, and make the list of revisions where there is none."""
    db.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (names.prefix,))
    db.execute(names.query(_REVISIONS))


def forget(db: Connection, names: Names, revision: str) -> None:
    """Drop the tables of a revision, where there are any."""
    deleted = db.execute(
        names.query("DELETE FROM {revisions} WHERE revision = %s RETURNING number"), (revision,)
    )
    for (number,) in cast(list[tuple[int]], deleted.fetchall()):
        tables = sql.SQL(", ").join(names.of(number).values())
        db.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(tables))


def _fill(
    db: Connection, tables: dict[str, sql.Identifier], nodes: Iterable[Node], editions: Sequence[Edition]
) -> Writer:
    known = {edition.edition_id: edition for edition in editions}
    numbers = {edition_id: at for at, edition_id in enumerate(sorted(known), 1)}
    writer = Writer(known)
    _copy(db, tables["edition"], ((at, one, _plain(writer.titles[one])) for one, at in numbers.items()))
    row, rest = 0, units(nodes, known)
    while batch := list(islice(rest, _BATCH)):
        rows, words = [], []
        for unit in batch:
            row += 1
            edition = numbers[unit.edition_id]
            texts = map(_plain, (unit.path, unit.heading, unit.text, unit.sha256))
            rows.append((row, edition, *texts))
            words += [(row, edition, part) for part in _tsvectors(writer.lexemes(unit))]
        _copy(db, tables["unit"], rows)
        _copy(db, tables["words"], words)
    _copy(db, tables["term"], writer.terms())
    return writer


def _copy(db: Connection, table: sql.Identifier, rows: Iterable[Sequence[object]]) -> None:
    with db.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(table)) as copy:
        for row in rows:
            copy.write_row(row)


def _tsvectors(lexemes: Iterable[str]) -> Iterator[str]:
    """The lexemes as PostgreSQL reads them; they are letters and digits, so a quotation mark is none."""
    part: list[str] = []
    wide = 0
    for lexeme in lexemes:
        part.append(f"'{lexeme}'")
        wide += len(lexeme.encode())
        if wide >= _WIDE:
            yield " ".join(part)
            part, wide = [], 0
    if part:
        yield " ".join(part)


def _plain(text: str) -> str:
    """`text` without the one character that PostgreSQL cannot hold."""
    return text.replace("\0", "\ufffd")
