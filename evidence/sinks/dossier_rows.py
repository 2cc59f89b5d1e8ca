"""The rows of one dossier inside one transaction: written whole, and trusted only after a check."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from evidence.lifecycle.admit import verify_admission
from schemas.admission import Admission
from schemas.canonical import digest_bytes
from schemas.errors import EvidenceError, IntegrityError
from schemas.outside import parse
from schemas.readback import Held
from schemas.record import Record, RuleError
from schemas.request import Request
from schemas.rules import Digest, SourceRef, Text

APPLICATION = 0x45564431  # SQLite's application_id: "EVD1"
VERSION = 1
TABLES = (
    "CREATE TABLE question (number INTEGER PRIMARY KEY, body BLOB NOT NULL, digest TEXT NOT NULL)",
    """CREATE TABLE admission (number INTEGER PRIMARY KEY, admission_id TEXT NOT NULL UNIQUE,
    body BLOB NOT NULL, digest TEXT NOT NULL)""",
    # AUTOINCREMENT: a citation's number is never given again.
    """CREATE TABLE entry (number INTEGER PRIMARY KEY AUTOINCREMENT, plan_id TEXT NOT NULL,
    admission_id TEXT NOT NULL, source_ref TEXT NOT NULL, body BLOB NOT NULL, digest TEXT NOT NULL,
    UNIQUE (admission_id, source_ref))""",
)
_ENTRIES = "SELECT number, plan_id, admission_id, source_ref, body, digest FROM entry"
R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Damage:
    """A row whose bytes do not hold together: what is wrong, and what it still says of itself."""

    reason: str
    plan_id: str | None = None
    source_ref: str | None = None


@dataclass(frozen=True)
class Contents:
    """What a dossier holds: entries by their lasting number, admissions by id, and what is damaged."""

    entries: Sequence[tuple[int, Held]]
    admissions: Mapping[str, Admission]
    damaged: Sequence[Damage]


class Rows:
    """The tables of the dossier of `question`; the caller holds the transaction."""

    def __init__(self, connection: sqlite3.Connection, question: Request, path: Path) -> None:
        self._connection = connection
        self._question = question
        self._path = path

    def present(self) -> bool:
        """Whether a dossier was begun here; IntegrityError if the file is of something else."""
        made_by, version, tables = (
            self._connection.execute(query).fetchone()[0]
            for query in (
                "PRAGMA application_id",
                "PRAGMA user_version",
                "SELECT count(*) FROM sqlite_master",
            )
        )
        if made_by == 0 and tables == 0:
            return False
        if made_by != APPLICATION:
            raise self._refused("was not made by this project and is left alone")
        if version != VERSION:
            raise self._refused(f"has dossier format {version}; this program knows {VERSION}")
        question = self._stored_question()
        if isinstance(question, Request) and question != self._question:
            raise self._refused(f"is the dossier of another question, {question.request_id}")
        return True

    def begin(self) -> None:
        """Make the tables if there are none, and write the question if it is missing or damaged."""
        if not self.present():
            for statement in TABLES:
                self._connection.execute(statement)
            self._connection.execute(f"PRAGMA application_id={APPLICATION}")
            self._connection.execute(f"PRAGMA user_version={VERSION}")
        if isinstance(self._stored_question(), Damage):
            self._connection.execute(
                "INSERT OR REPLACE INTO question VALUES (1, ?, ?)", _stored(self._question)
            )

    def contents(self) -> Contents:
        """Everything, each row checked against its digest, in order of arrival."""
        damaged = [row for row in (self._stored_question(),) if isinstance(row, Damage)]
        admissions: dict[str, Admission] = {}
        query = "SELECT admission_id, body, digest FROM admission ORDER BY number"
        for row in self._connection.execute(query):
            admission = _admission(row)
            if isinstance(admission, Damage):
                damaged.append(admission)
            else:
                admissions[admission.admission_id or ""] = admission
        entries = []
        for number, *row in self._connection.execute(f"{_ENTRIES} ORDER BY number"):
            entry = _entry(row)
            if isinstance(entry, Damage):
                damaged.append(entry)
            else:
                entries.append((number, entry))
        return Contents(entries, admissions, damaged)

    def put_admission(self, admission: Admission) -> None:
        """Store `admission`; an id names one content, so other bytes under it are damage and replaced."""
        self._connection.execute(
            "INSERT INTO admission (admission_id, body, digest) VALUES (?, ?, ?) ON CONFLICT (admission_id)"
            " DO UPDATE SET body = excluded.body, digest = excluded.digest",
            (admission.admission_id, *_stored(admission)),
        )

    def entry(self, admission_id: str, source_ref: str) -> tuple[int, Held | Damage] | None:
        """The number and content of the entry stored under this key."""
        row = self._connection.execute(
            f"{_ENTRIES} WHERE admission_id = ? AND source_ref = ?", (admission_id, source_ref)
        ).fetchone()
        return None if row is None else (row[0], _entry(row[1:]))

    def put(self, held: Held, number: int | None = None) -> None:
        """Store `held` as a new entry, or in place of entry `number`."""
        self._connection.execute(
            "INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?, ?, ?)",
            (number, held.plan_id, held.admission_id, held.source.source_ref, *_stored(held)),
        )

    def _stored_question(self) -> Request | Damage:
        row = self._connection.execute("SELECT body, digest FROM question WHERE number = 1").fetchone()
        try:
            return _checked(Request, row or ("", ""))
        except EvidenceError as error:
            return Damage(f"the stored question is damaged: {error.message}")

    def _refused(self, complaint: str) -> IntegrityError:
        return IntegrityError(f"{self._path} {complaint}", subject=str(self._path))


def _stored(record: Record) -> tuple[bytes, str]:
    body = record.canonical()
    return body, digest_bytes(body)


def _checked(kind: type[R], stored: Sequence[object]) -> R:
    body, digest = stored
    if not isinstance(body, bytes) or digest_bytes(body).encode() != digest:
        raise IntegrityError("its bytes do not hash to its digest")
    record = kind.read(parse(body, "row"))
    if record.canonical() != body:
        raise IntegrityError("its bytes are not canonical")
    return record


def _admission(row: Sequence[object]) -> Admission | Damage:
    try:
        admission = _checked(Admission, row[1:])
        verify_admission(admission)
    except EvidenceError as error:
        return Damage(f"a stored admission is damaged: {error.message}")
    if row[0] != (admission.admission_id or "").encode():
        return Damage(f"the stored admission {admission.admission_id} stands under another id")
    return admission


def _entry(row: Sequence[object]) -> Held | Damage:
    try:
        held = _checked(Held, row[3:])
    except EvidenceError as error:
        plan_id, source_ref = _readable(Digest(), row[0]), _readable(SourceRef(), row[2])
        return Damage(f"the stored row is damaged: {error.message}", plan_id, source_ref)
    key = held.plan_id, held.admission_id, held.source.source_ref
    if tuple(row[:3]) != tuple(part.encode() for part in key):
        return Damage("the stored row stands under another key", held.plan_id, held.source.source_ref)
    return held


def _readable(rule: Text, column: object) -> str | None:
    """What a column of a damaged row says, if it still is what the column holds."""
    try:
        return str(rule.read(column.decode("utf-8", "replace") if isinstance(column, bytes) else None))
    except RuleError:
        return None
