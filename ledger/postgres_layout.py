"""The tables of ledgers in PostgreSQL: a schema of their own, several logs in it (ledger.md section 3).

Plain SQL: no sequence, trigger, rule, stored procedure, jsonb or advisory lock. What a column is for stands
in ledger/sqlite_file.py; here each table has the number of its log first.
"""

from ledger.postgres_session import BEGIN, RIGHTS, SCHEMA, NoPostgresLedgerError, NoRightError, Session
from ledger.postgres_url import PostgresUrl
from ledger.sqlite_file import NoLedgerError
from schemas.errors import IntegrityError

LAYOUT = 2  # the same number as the layout of a SQLite file that holds the same
# COLLATE "C": texts are compared by their bytes, whatever language the database speaks.
_TABLES = {
    "layout": "version INTEGER NOT NULL, PRIMARY KEY (version)",
    "head": "log INTEGER NOT NULL, seq BIGINT NOT NULL, digest BYTEA NOT NULL, name {text}"
    ", PRIMARY KEY (log), UNIQUE (name)",
    "records": "log INTEGER NOT NULL, seq BIGINT NOT NULL, raw BYTEA NOT NULL, prev BYTEA NOT NULL"
    ", idem BYTEA NOT NULL, kind {text}, tree BYTEA NOT NULL"
    ", PRIMARY KEY (log, seq), UNIQUE (log, prev), UNIQUE (log, idem), UNIQUE (log, kind, seq)"
    ", CHECK (seq >= 0)",
    "bodies": "log INTEGER NOT NULL, digest BYTEA NOT NULL, bytes BYTEA NOT NULL, PRIMARY KEY (log, digest)",
    "subjects": "log INTEGER NOT NULL, hex {text}, algorithm {text}, field {text}, seq BIGINT NOT NULL"
    ", PRIMARY KEY (log, hex, algorithm, field, seq)",
    "schemas": "log INTEGER NOT NULL, name {text}, digest BYTEA NOT NULL, PRIMARY KEY (log, name, digest)",
    "checkpoints": "log INTEGER NOT NULL, size BIGINT NOT NULL, note BYTEA NOT NULL, PRIMARY KEY (log, size)"
    ", CHECK (size > 0)",
}
TABLES = {name: columns.format(text='TEXT COLLATE "C" NOT NULL') for name, columns in _TABLES.items()}

# One line each column, unique key, and thing that changes what is stored or seen behind a statement's back.
_FOUND = b"""
WITH ours AS (
    SELECT c.oid, c.relname, c.relkind, c.relrowsecurity FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relkind <> 'i'
)
SELECT o.relname || ' ' || a.attname || ' ' || pg_catalog.format_type(a.atttypid, a.atttypmod)
    || CASE WHEN l.collname IS NULL THEN '' ELSE ' ' || l.collname END
    || CASE WHEN a.attnotnull THEN '' ELSE ' or null' END
    || CASE WHEN a.atthasdef THEN ' or a default' ELSE '' END
FROM ours o JOIN pg_catalog.pg_attribute a ON a.attrelid = o.oid
LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation
WHERE a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT o.relname || CASE WHEN i.indisunique THEN ' unique' ELSE ' index' END
    || CASE WHEN i.indisvalid AND i.indimmediate THEN '' ELSE ' not in force' END
    || CASE WHEN i.indpred IS NULL AND i.indexprs IS NULL THEN '' ELSE ' of some' END
    || (SELECT string_agg(' ' || a.attname, '' ORDER BY k.place)
        FROM unnest(i.indkey) WITH ORDINALITY AS k (number, place)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = o.oid AND a.attnum = k.number)
FROM ours o JOIN pg_catalog.pg_index i ON i.indrelid = o.oid
UNION ALL
SELECT o.relname || ' trigger ' || t.tgname
FROM ours o JOIN pg_catalog.pg_trigger t ON t.tgrelid = o.oid
UNION ALL
SELECT o.relname || ' rule ' || r.rulename
FROM ours o JOIN pg_catalog.pg_rewrite r ON r.ev_class = o.oid
UNION ALL
SELECT o.relname || ' ' || pg_catalog.pg_get_constraintdef(c.oid)
FROM ours o JOIN pg_catalog.pg_constraint c ON c.conrelid = o.oid WHERE c.contype NOT IN ('p', 'u', 'n')
UNION ALL
SELECT o.relname || ' has rows of another table' FROM ours o
WHERE EXISTS (SELECT 1 FROM pg_catalog.pg_inherits i WHERE o.oid IN (i.inhparent, i.inhrelid))
UNION ALL
SELECT o.relname || ' is no plain table' FROM ours o WHERE o.relkind <> 'r' OR o.relrowsecurity
"""


def _expected() -> list[str]:
    """What `_FOUND` gives for `TABLES`."""
    lines = []
    for table, definition in TABLES.items():
        columns, *keys = (
            definition.replace(", PRIMARY KEY", "; PRIMARY KEY")
            .replace(", UNIQUE", "; UNIQUE")
            .replace(", CHECK", "; CHECK")
            .split("; ")
        )
        for column in columns.split(", "):
            name, kind, *rest = column.split()
            lines.append(f"{table} {name} {kind.lower()}{' C' if 'COLLATE' in rest else ''}")
        for key in keys:
            if key.startswith("CHECK"):
                lines.append(f"{table} {key.replace('(', '((').replace(')', '))')}")
                continue
            inside = key.partition("(")[2].rstrip(")").replace(",", "")
            lines.append(f"{table} unique {inside}")
    return sorted(lines)


def check_layout(session: Session, place: PostgresUrl) -> None:
    """Raise unless the database holds exactly our tables.

    NoPostgresLedgerError: it holds none. NoLedgerError: they are of another layout. IntegrityError: they are
    not as we made them.
    """
    found = sorted(line for (line,) in session.rows(_FOUND, SCHEMA))
    if not found:
        raise NoPostgresLedgerError(
            f"there is no ledger at {place}: the database has no tables of ours",
            subject=str(place),
            hint=BEGIN,
        )
    if any(line.startswith("layout ") for line in found):
        try:
            stated = session.rows(b"SELECT version FROM layout")
        except NoPostgresLedgerError as error:  # the catalogue shows it, and its name is not found
            raise NoRightError(
                f"{place}: this user has no right to the schema {SCHEMA}, where the ledger is",
                subject=str(place),
                hint=RIGHTS,
            ) from error
        if stated != [(LAYOUT,)]:
            raise NoLedgerError(
                f"{place} has layout {', '.join(str(row[0]) for row in stated)}; this version reads {LAYOUT}",
                subject=str(place),
                hint="use the version that wrote it",
            )
    if found != _expected():
        raise IntegrityError(
            f"{place} has other tables, keys, triggers or rules than a ledger", subject=str(place)
        )


def is_laid_out(session: Session) -> bool:
    """Whether there is any table of that schema."""
    return bool(session.rows(_FOUND, SCHEMA))


def lay_out(session: Session) -> None:
    """Make the tables in the transaction that is open, and their schema where nobody has made it."""
    if not session.rows(b"SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1", SCHEMA):
        session.put(f"CREATE SCHEMA {SCHEMA}".encode())
    for table, columns in TABLES.items():
        session.put(f"CREATE TABLE {SCHEMA}.{table} ({columns})".encode())
    session.put(b"INSERT INTO layout VALUES (%d)" % LAYOUT)
