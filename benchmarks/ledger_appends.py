"""What a durable append costs beyond the disk: our store against raw SQLite storing the same bytes.

    python -m benchmarks.ledger_appends [--appends N] [--rounds N] [--folder DIR] [--json]

Three sides in one run, taking turns, each commit durable (WAL, synchronous=FULL), one step a commit:
  ledger  ledger.sqlite: key looked up, head read and checked, record made, chained, indexed, stored, the
          Merkle tree grown
  signed  the same with a key: a checkpoint signed, kept and published at each commit, and the proof read
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

from ledger.keys import generate, store
from ledger.signing import Signing
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
    """Seconds for one of our sides; with a key each step's proof is made too."""
    begin = time.perf_counter()
    for one in drafts:
        ledger.append(one)
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


def measure(folder: Path, appends: int, rounds: int) -> dict[str, list[float]]:
    """Appends per second of each side, round by round."""
    opening = Opening("bench", SCHEMA)
    store(folder / "log.key", generate("bench.example/log"))
    with (
        closing(begin(folder / "l.sqlite3", opening)) as ledger,
        closing(begin(folder / "s.sqlite3", opening, Signing.load(folder / "log.key"))) as signed,
        closing(plain(folder / "plain.sqlite3")) as connection,
    ):
        found: dict[str, list[float]] = {"ledger": [], "signed": [], "raw": []}
        for turn in range(rounds):
            drafts = [draft(turn * appends + number) for number in range(appends)]
            found["ledger"].append(appends / append(ledger, drafts))
            found["signed"].append(appends / append(signed, drafts))
            with ledger.read() as reader:
                stored = [raw for _, raw in reader.records(after=turn * appends)]
            rows = list(zip(stored, (one.body for one in drafts), strict=True))
            found["raw"].append(appends / insert(connection, rows))
        return found


def begin(path: Path, opening: Opening, signing: Signing | None = None) -> SqliteLedger:
    """A new ledger."""
    return SqliteLedger.open(path, lambda: datetime.now(UTC), create=opening, signing=signing)


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
        found = measure(Path(folder), chosen.appends, chosen.rounds)
    figures = {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "appends_per_side": chosen.appends * chosen.rounds,
        **{f"{side}_per_second": round(statistics.median(rates)) for side, rates in found.items()},
        **{f"{side}_share_of_raw": share(found[side], found["raw"]) for side in ("ledger", "signed")},
    }
    if chosen.json:
        print(json.dumps(figures, indent=2))
        return
    print(f"Python {figures['python']}, SQLite {figures['sqlite']}; durable appends, one a commit, medians")
    for side, rates in found.items():
        print(f"{side:7}{round(statistics.median(rates)):>8,} per second")
    print(f"ledger / raw {figures['ledger_share_of_raw']}, signed / raw {figures['signed_share_of_raw']}")


def share(ours: list[float], raws: list[float]) -> float:
    """The median of our rate by the raw one, round by round."""
    return round(statistics.median(our / raw for our, raw in zip(ours, raws, strict=True)), 2)


if __name__ == "__main__":
    main()
