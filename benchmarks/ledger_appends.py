"""What a durable append costs beyond the disk: our store against raw SQLite storing the same bytes.

    python -m benchmarks.ledger_appends [--appends N] [--rounds N] [--folder DIR] [--json]

Two sides in one run, taking turns, each commit durable (WAL, synchronous=FULL), one step a commit:
  ledger  ledger.sqlite: key looked up, head read and checked, record made, chained, indexed, stored
  raw     sqlite3 alone: the same record and body bytes into two plain tables
The figures depend on the folder's disk most of all; only the ratio says something about us.
"""

import argparse
import json
import platform
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from ledger.sqlite import SqliteLedger
from ledger.store import Draft, Opening
from schemas.canonical import digest_bytes
from schemas.ledger import Subject

SCHEMA = digest_bytes(b"schema")
BODY_BYTES = 2000  # about a plan with one provider and a Chinese question


def draft(number: int) -> Draft:
    """A step as the engine makes it: one id in the subject, one body of its own."""
    identity = digest_bytes(str(number).encode())
    body = json.dumps({"plan_id": identity, "text": "x" * (BODY_BYTES - 100)}).encode()
    return Draft("plan.created", "bench", "plan", Subject(plan_id=identity), "plan_v0", SCHEMA, body)


def append(ledger: SqliteLedger, drafts: Iterable[Draft]) -> float:
    """Seconds for our side."""
    begin = time.perf_counter()
    for one in drafts:
        with ledger.write() as writer:
            writer.append(one)
    return time.perf_counter() - begin


def insert(connection: sqlite3.Connection, rows: Iterable[tuple[bytes, bytes]]) -> float:
    """Seconds for the raw side."""
    begin = time.perf_counter()
    for raw, body in rows:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO bodies (bytes) VALUES (?)", (body,))
        connection.execute("INSERT INTO records (raw) VALUES (?)", (raw,))
        connection.execute("COMMIT")
    return time.perf_counter() - begin


def plain(path: Path) -> sqlite3.Connection:
    """The raw side's file."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE records (seq INTEGER PRIMARY KEY, raw BLOB)")
    connection.execute("CREATE TABLE bodies (id INTEGER PRIMARY KEY, bytes BLOB)")
    return connection


def measure(folder: Path, appends: int, rounds: int) -> tuple[list[float], list[float]]:
    """Appends per second of both sides, round by round."""
    opening = Opening("bench", SCHEMA)
    ledger = SqliteLedger.open(folder / "ledger.sqlite3", lambda: datetime.now(UTC), create=opening)
    ours, raws = [], []
    with closing(ledger), closing(plain(folder / "plain.sqlite3")) as connection:
        for turn in range(rounds):
            drafts = [draft(turn * appends + number) for number in range(appends)]
            ours.append(appends / append(ledger, drafts))
            with ledger.read() as reader:
                stored = [raw for _, raw in reader.records(after=turn * appends)]
            rows = list(zip(stored, (one.body for one in drafts), strict=True))
            raws.append(appends / insert(connection, rows))
    return ours, raws


def main() -> None:
    """Measure and print both sides."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--appends", type=int, default=100, help="per round and side")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--folder", type=Path, help="on the disk to be measured; else the temporary folder")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        ours, raws = measure(Path(folder), chosen.appends, chosen.rounds)
    figures = {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "appends_per_side": chosen.appends * chosen.rounds,
        "ledger_per_second": round(statistics.median(ours)),
        "raw_per_second": round(statistics.median(raws)),
        "ledger_share_of_raw": round(
            statistics.median(our / raw for our, raw in zip(ours, raws, strict=True)), 2
        ),
    }
    if chosen.json:
        print(json.dumps(figures, indent=2))
        return
    print(f"Python {figures['python']}, SQLite {figures['sqlite']}; durable appends, one a commit, medians")
    print(f"ledger {figures['ledger_per_second']:>8,} per second")
    print(f"raw    {figures['raw_per_second']:>8,} per second")
    print(f"ledger / raw {figures['ledger_share_of_raw']}")


if __name__ == "__main__":
    main()
