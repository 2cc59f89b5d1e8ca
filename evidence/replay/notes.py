"""What a replay must remember of all records, on disk: no ledger is too long for memory.

Nothing here comes from the ledger's own indexes, so that a broken index hides nothing. SQLite sorts, and
keeps what is small in memory by itself.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from schemas.ledger import LedgerRecord

_MOST_WAITING = 1000
_SAID = "kind TEXT, request TEXT, receipt TEXT, admission TEXT, body TEXT, size INTEGER"
_TABLES = (
    f"CREATE TABLE steps (plan TEXT, seq INTEGER, id BLOB, {_SAID})",
    "CREATE TABLE keys (idem BLOB, seq INTEGER)",
    "CREATE TABLE observed (seq INTEGER PRIMARY KEY, body TEXT)",
)
# A life is told by its first record, so that lives come in the order in which the ledger holds them.
_SORTED = (
    "CREATE TABLE lives AS SELECT step FROM"
    " (SELECT rowid AS step, plan, seq, min(seq) OVER (PARTITION BY plan) AS first FROM steps)"
    " ORDER BY first, plan, seq"
)
_STEPS = (
    "SELECT plan, lives.rowid, seq, id, kind, request, receipt, admission, body, size"
    " FROM lives CROSS JOIN steps ON steps.rowid = lives.step WHERE lives.rowid > ? ORDER BY lives.rowid"
)
_PLAN = "SELECT plan FROM lives CROSS JOIN steps ON steps.rowid = lives.step WHERE lives.rowid = ?"
_REPEATED = (
    "SELECT keys.seq, twice.first FROM keys JOIN"
    " (SELECT idem, min(seq) AS first FROM keys GROUP BY idem HAVING count(*) > 1) AS twice"
    " ON keys.idem = twice.idem WHERE keys.seq > twice.first ORDER BY keys.seq"
)


class Known(NamedTuple):
    """One record of a life: where it stands, its bytes by their digest, and what it says.

    `kind` is None where there is more to say of the record than its step of the life.
    """

    seq: int
    id: bytes
    kind: str | None
    request_id: str | None
    receipt_digest: str | None
    admission_id: str | None
    body: str
    size: int


class Life(NamedTuple):
    """The records of one plan, in order."""

    plan_id: str
    steps: list[Known]


class Notes:
    """A database of its own, to be filled, finished and then read."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._steps: list[tuple[object, ...]] = []
        self._keys: list[tuple[bytes, int]] = []

    @classmethod
    def begin(cls, path: Path | None = None) -> "Notes":
        """Empty ones; without `path` nobody else can read them and they go away by themselves."""
        notes = cls(sqlite3.connect("" if path is None else path, isolation_level=None))
        notes._lay_out()
        return notes

    @classmethod
    def finished(cls, path: Path) -> "Notes":
        """The notes that another process wrote and finished."""
        return cls(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True))

    def _lay_out(self) -> None:
        for setting in ("journal_mode = OFF", "synchronous = OFF", "temp_store = FILE", "cache_size = -2000"):
            self._connection.execute(f"PRAGMA {setting}")
        for table in _TABLES:
            self._connection.execute(table)
        self._connection.execute("BEGIN")

    def step(self, plan_id: str, seq: int, identity: str, record: LedgerRecord, *, usual: bool) -> None:
        """Record `seq` is a step of that plan; a usual one names it, and need not be looked up again."""
        about, body = record.subject, record.body
        said = (about.request_id, about.receipt_digest, about.admission_id, body.digest, body.size)
        self._steps.append((plan_id, seq, raw_id(identity), record.kind if usual else None, *said))
        if len(self._steps) > _MOST_WAITING:
            self._flush()

    def first_use(self, idem: str, seq: int) -> int:
        """Record `seq` has that key; whether it was the first is known at the end."""
        self._keys.append((raw_id(idem), seq))
        return seq

    def observed(self, seq: int, body: str) -> None:
        """Record `seq` observed the providers; its artifact is sound."""
        self._connection.execute("INSERT OR REPLACE INTO observed VALUES (?, ?)", (seq, body))

    def finish(self) -> int:
        """Sort all; nothing is added afterwards. How many steps there are."""
        self._flush()
        self._connection.execute(_SORTED)
        self._connection.execute("COMMIT")
        [(steps,)] = self._connection.execute("SELECT count(*) FROM steps")
        return int(steps)

    def repeated(self) -> Iterator[tuple[int, int]]:
        """Every record whose key another one had, and the first that had it."""
        [(keys, different)] = self._connection.execute("SELECT count(*), count(DISTINCT idem) FROM keys")
        yield from self._connection.execute(_REPEATED) if keys != different else ()

    def observed_before(self, seq: int) -> str | None:
        """The body of the observation that was in force when record `seq` was appended."""
        query = "SELECT body FROM observed WHERE seq < ? ORDER BY seq DESC LIMIT 1"
        found = self._connection.execute(query, (seq,)).fetchone()
        return None if found is None else str(found[0])

    def lives(self, begin: int = 0, end: int | None = None) -> Iterator[Life]:
        """The lives whose first step is one of the steps from `begin` to before `end` in their order."""
        before = self._connection.execute(_PLAN, (begin,)).fetchone()
        rows = self._connection.execute(_STEPS, (begin,))
        for plan_id, steps in groupby(rows, itemgetter(0)):
            taken = list(steps)
            if end is not None and taken[0][1] > end:
                rows.close()
                return
            if before is None or plan_id != before[0]:
                yield Life(plan_id, [Known(*step[2:]) for step in taken])

    def close(self) -> None:
        """Give the database back."""
        with suppress(sqlite3.Error):
            self._connection.close()

    def _flush(self) -> None:
        self._connection.executemany("INSERT INTO steps VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", self._steps)
        self._connection.executemany("INSERT INTO keys VALUES (?, ?)", self._keys)
        self._steps.clear()
        self._keys.clear()


def raw_id(identity: str) -> bytes:
    """The bytes of a blake3 digest."""
    return bytes.fromhex(identity[-64:])
