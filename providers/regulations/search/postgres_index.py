"""The engine for many machines: PostgreSQL's full text over our own terms, with no extension.

A unit is a tsvector of its terms, each with the step of what it earns (postings.py), under a GIN index. A
query adds up what the units of its lexemes are worth, so that the server recalls the same units in the same
order as the embedded engine; the last word has ranking.py. Texts and hashes of evidence stay in the corpus.
"""

import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, LiteralString, TypeVar, cast

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from providers.regulations.edition import Edition
from providers.regulations.node import Node
from providers.regulations.search.postgres_build import LAYOUT, Connection, Names, begin, build, forget
from providers.regulations.search.postgres_place import Place
from providers.regulations.search.postings import weigh
from providers.regulations.search.seam import Candidate, Recalled, Terms, Within
from schemas.errors import EvidenceError, NotFoundError, NotReadyError, StorageError, UsageError

PREFIX: Final = "kbreg_"
TRIES: Final = 5
# What the URL says goes before these.
_DEFAULTS: Final = {
    "connect_timeout": "5",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
    "application_name": "external-evidence",
}
# Many short index scans and one sum: what is tuned for long scans only costs.
_READING: Final = (
    "-c statement_timeout=30s -c lock_timeout=10s -c work_mem=64MB -c jit=off -c enable_seqscan=off"
    " -c max_parallel_workers_per_gather=0 -c default_transaction_read_only=on"
)
_WRITING: Final = "-c lock_timeout=10min"
_RECALL: Final[LiteralString] = (
    "SELECT edition_id, path, title, heading, text, sha256 FROM"
    " (SELECT words.unit, sum(asked.worth) AS worth"
    " FROM unnest(%(lexemes)s::text[], %(worths)s::bigint[]) AS asked (lexeme, worth)"
    " JOIN {words} AS words ON words.words @@ asked.lexeme::tsquery"
)
_IN_EDITIONS: Final[LiteralString] = (
    " words.edition IN (SELECT id FROM {edition} WHERE edition_id = ANY (%(editions)s))"
)
_AT_PATH: Final[LiteralString] = " words.unit IN (SELECT id FROM {unit} WHERE path = %(path)s)"
_BEST: Final[LiteralString] = (
    " GROUP BY words.unit ORDER BY worth DESC, words.unit LIMIT %(most)s) AS best"
    " JOIN {unit} AS unit ON unit.id = best.unit JOIN {edition} AS edition ON edition.id = unit.edition"
    " ORDER BY best.worth DESC, unit.id"
)
_LEADING: Final[LiteralString] = (
    "SELECT path FROM {unit} AS unit JOIN {edition} AS edition ON edition.id = unit.edition"
    " WHERE edition_id = %s ORDER BY unit.id LIMIT %s"
)
_HOLDING: Final[LiteralString] = (
    "SELECT edition_id FROM {unit} AS unit JOIN {edition} AS edition ON edition.id = unit.edition"
    " WHERE path = %s"
)
# Authorisation, an unknown database, no right. Whoever is not let in is told no SQLSTATE.
_REFUSED: Final = frozenset({"28", "3D", "42"})
_UNDEFINED_TABLE: Final = "42P01"  # another publisher has just replaced it
_REFUSAL: Final = re.compile(
    "password authentication failed|no pg_hba.conf entry|permission denied"
    "|(?:database|role) .* does not exist"
)
GRANTS: Final = (
    "用户、口令、数据库或权利不对，重试无用，见 docs/regulations.md"
    " user, password, database or rights are wrong, and trying again will not help: see docs/regulations.md"
)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Built:
    number: int
    units: int
    mean_length: float


class PostgresIndex:
    """Indexes of revisions at a place, in tables whose names begin with `prefix`; a connection a thread.

    StorageError when the server cannot be reached or does not answer in time, NotReadyError when it lets
    the user not in or not do it.
    """

    def __init__(self, place: Place, prefix: str = PREFIX) -> None:
        self._place = place
        self._names = Names(prefix)
        self._local = threading.local()
        self._opened: list[Connection] = []
        self._lock = threading.Lock()

    def has(self, revision: str) -> bool:
        """Whether the revision is indexed."""
        return self._ask(lambda db: self._registered(db, revision)) is not None

    def build(self, revision: str, nodes: Iterable[Node], editions: Sequence[Edition]) -> None:
        """Index a revision in one transaction; readers have the former index until it is committed."""
        with self._writing() as db:
            build(db, self._names, revision, nodes, editions)

    def drop(self, revision: str) -> None:
        """Drop the revision's tables."""
        with self._writing() as db:
            begin(db, self._names)
            forget(db, self._names, revision)

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

        def question(db: Connection) -> Recalled:
            built = self._built(db, revision)
            rows = db.execute(
                self._names.query("SELECT term, counts FROM {term} WHERE term = ANY (%s)", built.number),
                ([*terms.needed, *terms.single],),
            )
            counts = {cast(str, term): cast(list[int], numbers) for term, numbers in rows}
            weighed = weigh(terms, counts, built.units)
            found = self._best(db, built, weighed.worths, within, most)
            return Recalled(found, weighed.frequencies, built.units, built.mean_length)

        return self._ask(question)

    def leading(self, revision: str, edition_id: str, most: int) -> Sequence[str]:
        """See SearchIndex."""

        def question(db: Connection) -> Sequence[str]:
            query = self._names.query(_LEADING, self._built(db, revision).number)
            return [cast(str, path) for (path,) in db.execute(query, (edition_id, most))]

        return self._ask(question)

    def holding(self, revision: str, path: str) -> Collection[str]:
        """See SearchIndex."""

        def question(db: Connection) -> Collection[str]:
            query = self._names.query(_HOLDING, self._built(db, revision).number)
            return {cast(str, edition_id) for (edition_id,) in db.execute(query, (path,))}

        return self._ask(question)

    def _best(
        self, db: Connection, built: _Built, worths: Mapping[str, int], within: Within, most: int
    ) -> tuple[Candidate, ...]:
        query, joined = _RECALL, " WHERE"
        for asked, condition in ((within.editions is not None, _IN_EDITIONS), (within.path, _AT_PATH)):
            if asked:
                query, joined = query + joined + condition, " AND"
        values = {
            "lexemes": [f"'{lexeme}'" for lexeme in worths],
            "worths": list(worths.values()),
            "editions": list(within.editions or ()),
            "path": within.path,
            "most": most,
        }
        rows = db.execute(self._names.query(query + _BEST, built.number), values)
        return tuple(Candidate(*cast(tuple[str, str, str, str, str, str], row)) for row in rows)

    def _built(self, db: Connection, revision: str) -> _Built:
        found = self._registered(db, revision)
        if found is None:
            raise NotFoundError(
                f"{revision} 没有索引 is not indexed at {self._place.shown}", subject=revision
            )
        return found

    def _registered(self, db: Connection, revision: str) -> _Built | None:
        query = "SELECT number, units, mean_length FROM {revisions} WHERE revision = %s AND layout = %s"
        try:
            row = db.execute(self._names.query(query), (revision, LAYOUT)).fetchone()
        except psycopg.errors.UndefinedTable:  # nothing was ever indexed there
            return None
        return None if row is None else _Built(*cast(tuple[int, int, float], row))

    def _ask(self, question: Callable[[Connection], T], tries: int = TRIES) -> T:
        """The answer of a few short statements, asked anew where a build or a restart came in between."""
        db = self._reading()
        try:
            return question(db)
        except psycopg.Error as error:
            built = isinstance(error, psycopg.errors.UndefinedTable | psycopg.errors.DeadlockDetected)
            if tries == 1 or not (built or db.closed):
                raise self._trouble(error) from error
        if db.closed:
            self._local.db = None
        return self._ask(question, tries - 1)

    def _reading(self) -> Connection:
        db: Connection | None = getattr(self._local, "db", None)
        if db is None:
            db = self._local.db = self._connect(_READING)
            with self._lock:
                self._opened = [one for one in self._opened if not one.closed]
                self._opened.append(db)
        return db

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        db = self._connect(_WRITING)
        try:
            with db.transaction():
                yield db
        except psycopg.Error as error:
            raise self._trouble(error) from error
        finally:
            db.close()

    def _connect(self, options: str) -> Connection:
        try:
            named = {name: str(value) for name, value in conninfo_to_dict(self._place.url).items()}
        except psycopg.Error:
            # Its own words repeat parts of the URL, of which a password may be one.
            raise UsageError(
                f"{self._place.shown} is no URL that PostgreSQL knows", subject="--index"
            ) from None
        ours = {"client_encoding": "utf8", "options": f"{options} {named.get('options', '')}"}
        try:
            return psycopg.connect(
                make_conninfo(**{**_DEFAULTS, **named, **ours}), autocommit=True, prepare_threshold=None
            )
        except psycopg.Error as error:
            raise self._trouble(error, " 连不上 cannot be reached") from error

    def _trouble(self, error: psycopg.Error, what: str = "") -> EvidenceError:
        """What trying again may mend is StorageError; that somebody must grant something is NotReadyError."""
        said = error.diag.message_primary or " ".join(str(error).split())
        message = f"{self._place.shown}{what}: {said}"
        state = error.sqlstate or ""
        if (state[:2] in _REFUSED and state != _UNDEFINED_TABLE) or (not state and _REFUSAL.search(said)):
            return NotReadyError(message, subject=self._place.shown, hint=GRANTS)
        return StorageError(message, subject=self._place.shown)
