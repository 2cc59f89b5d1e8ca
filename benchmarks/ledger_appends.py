"""What a durable append costs beyond the disk: our store against raw SQLite storing the same bytes.

    python -m benchmarks.ledger_appends [--appends N] [--rounds N] [--folder DIR] [--json]

All sides in one run, taking turns, every commit durable (WAL, synchronous=FULL), 1 and 100 steps a commit:
  ledger   ledger.sqlite without a key: key looked up, head checked, record made, chained, indexed, tree grown
  signed   the same with a key: a checkpoint signed, kept and published at each commit, each step's proof read
  pages    sqlite3 alone: our rows, ready made, into our tables and indexes: the same pages to the disk
  plain    sqlite3 alone: the record and body bytes into two tables without any index
and `threads`: eight threads that append one step a call through one ledger.appender.Appender.
The figures depend on the disk most of all: the dearer one fdatasync is, which is measured between the sides,
the nearer every ratio comes to 1.
"""

import argparse
import json
import os
import platform
import sqlite3
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ledger.appender import Appender
from ledger.keys import generate, store
from ledger.signing import Signing
from ledger.sqlite import SqliteLedger
from ledger.sqlite_file import Row, lay_out
from ledger.store import Draft, Opening
from schemas.canonical import canonical, digest_bytes
from schemas.ledger import Subject

SCHEMA = digest_bytes(b"schema")
BODY_BYTES = 2000  # about a plan with one provider and a Chinese question
MANY = 100
THREADS = 8

BODY, RECORD, SUBJECT = (
    "INSERT INTO bodies VALUES (?, ?)",
    "INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)",
    "INSERT INTO subjects VALUES (?, ?, ?, ?)",
)
HEAD = "UPDATE head SET seq = ?, digest = ?"


def draft(number: int) -> Draft:
    """A step as the engine makes it: one id in the subject, one body of its own."""
    identity = digest_bytes(str(number).encode())
    body = canonical({"plan_id": identity, "text": "x" * (BODY_BYTES - 100)})
    return Draft("plan.created", "bench", "plan", Subject(plan_id=identity), "plan_v0", SCHEMA, body)


class Ours:
    """A ledger that appends so many steps a commit."""

    def __init__(self, path: Path, per_commit: int, signing: Signing | None) -> None:
        opening = Opening("bench", SCHEMA)
        self.ledger = SqliteLedger.open(path, lambda: datetime.now(UTC), create=opening, signing=signing)
        self.per_commit = per_commit

    def seconds(self, first: int, count: int) -> float:
        """How long these steps take; with a key each step's proof is made too."""
        drafts = [draft(number) for number in range(first, first + count)]
        begin = time.perf_counter()
        for place in range(0, count, self.per_commit):
            self.ledger.append(*drafts[place : place + self.per_commit])
        return time.perf_counter() - begin

    def close(self) -> None:
        self.ledger.close()


class Threads(Ours):
    """A ledger that eight threads append to, one step a call."""

    def __init__(self, path: Path, per_commit: int, signing: Signing | None) -> None:
        super().__init__(path, per_commit, signing)
        self.appender = Appender(self.ledger)
        self.pool = ThreadPoolExecutor(THREADS)

    def seconds(self, first: int, count: int) -> float:
        drafts = [draft(number) for number in range(first, first + count)]

        def work(thread: int) -> None:
            for one in drafts[thread::THREADS]:
                self.appender.append(one)

        begin = time.perf_counter()
        list(self.pool.map(work, range(THREADS)))
        return time.perf_counter() - begin

    def close(self) -> None:
        self.pool.shutdown()
        super().close()


class Raw:
    """SQLite alone, given the rows of a ledger of ours: all of them, or two columns without an index."""

    def __init__(self, path: Path, per_commit: int, rows: list[Row], plain: bool) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.per_commit, self.rows, self.plain = per_commit, rows, plain
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = FULL")
        if plain:
            self.connection.execute("CREATE TABLE records (seq INTEGER PRIMARY KEY, raw BLOB)")
            self.connection.execute("CREATE TABLE bodies (id INTEGER PRIMARY KEY, bytes BLOB)")
        else:
            lay_out(self.connection, path)

    def seconds(self, first: int, count: int) -> float:
        rows = self.rows[first : first + count]
        begin = time.perf_counter()
        for place in range(0, count, self.per_commit):
            self.connection.execute("BEGIN IMMEDIATE")
            self._insert(rows[place : place + self.per_commit])
            self.connection.execute("COMMIT")
        return time.perf_counter() - begin

    def _insert(self, rows: list[Row]) -> None:
        put = self.connection.execute
        for body, record, subject, head in rows:
            if self.plain:
                put("INSERT INTO bodies (bytes) VALUES (?)", body[1:])
                put("INSERT INTO records (raw) VALUES (?)", record[1:2])
            else:
                put(BODY, body)
                put(RECORD, record)
                put(SUBJECT, subject)
                put(HEAD, head)

    def close(self) -> None:
        self.connection.close()


def rows_of(path: Path, count: int) -> list[Row]:
    """The rows of a ledger with `count` steps, each step's together."""
    with closing(Ours(path, MANY, None)) as made:
        made.seconds(0, count)
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute(
            "SELECT b.digest, b.bytes, r.seq, r.raw, r.prev, r.idem, r.kind, r.tree,"
            " s.hex, s.algorithm, s.field FROM records r"
            " JOIN bodies b ON b.rowid = r.seq + 1 JOIN subjects s ON s.seq = r.seq ORDER BY r.seq"
        ).fetchall()
    assert len(found) == count
    return [(row[:2], row[2:8], (*row[8:], row[2]), (row[2], row[0])) for row in found]


def sides(folder: Path, count: int) -> dict[str, Ours | Raw]:
    """Every side by its name, each with a file of its own."""
    rows = rows_of(folder / "rows.sqlite3", count)
    made: dict[str, Ours | Raw] = {}

    def key(name: str) -> Signing:
        store(folder / f"{name}.key", generate("bench.example/log"))
        return Signing.load(folder / f"{name}.key")

    for steps in (1, MANY):
        made[f"ledger {steps}"] = Ours(folder / f"l{steps}", steps, None)
        made[f"signed {steps}"] = Ours(folder / f"s{steps}", steps, key(f"s{steps}"))
        made[f"pages {steps}"] = Raw(folder / f"f{steps}", steps, rows, plain=False)
        made[f"plain {steps}"] = Raw(folder / f"p{steps}", steps, rows, plain=True)
    made["ledger threads"] = Threads(folder / "lt", 1, None)
    made["signed threads"] = Threads(folder / "st", 1, key("st"))
    return made


def synchronise(folder: Path) -> float:
    """Seconds that one fdatasync takes after 4 KiB were appended to a file."""
    path = folder / "sync"
    with path.open("ab", buffering=0) as file:
        file.write(os.urandom(4096))
        begin = time.perf_counter()
        os.fdatasync(file.fileno())
        return time.perf_counter() - begin


def measure(folder: Path, appends: int, rounds: int) -> tuple[dict[str, list[float]], list[float]]:
    """Steps per second of each side, round by round, and the seconds of synchronisations between them."""
    count = rounds * max(appends, MANY)
    with ExitStack() as stack:
        made = sides(folder, count)
        for side in made.values():
            stack.enter_context(closing(side))
        found: dict[str, list[float]] = {name: [] for name in made}
        waits: list[float] = []
        names = list(made)
        for turn in range(rounds):
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                steps = max(appends, MANY) if name.endswith(str(MANY)) else appends
                found[name].append(steps / made[name].seconds(turn * steps, steps))
                waits += [synchronise(folder) for _ in range(5)]
        return found, waits


def main() -> None:
    """Measure and print all sides."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--appends", type=int, default=100, help="per round and side")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--folder", type=Path, help="on the disk to be measured; else the temporary folder")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        found, waits = measure(Path(folder), chosen.appends, chosen.rounds)
    figures = report(found, waits)
    if chosen.json:
        print(json.dumps(figures, indent=2))
    else:
        show(figures)


def report(found: dict[str, list[float]], waits: list[float]) -> dict[str, Any]:
    """Medians, and the medians of each round's ratios to the raw sides at as many steps a commit."""
    ratios: dict[str, dict[str, float]] = {}
    for name, rates in found.items():
        side, _, steps = name.partition(" ")
        if side in ("ledger", "signed"):
            # Threads do one step a call, as who commits each step alone does.
            per = "1" if steps == "threads" else steps
            ratios[name] = {raw: share(rates, found[f"{raw} {per}"]) for raw in ("pages", "plain")}
    return {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "sync_us": round(statistics.median(waits) * 1e6),
        "per_second": {name: round(statistics.median(rates)) for name, rates in found.items()},
        "ratios": ratios,
    }


def share(ours: list[float], raws: list[float]) -> float:
    """The median of our rate by the raw one, round by round."""
    return round(statistics.median(our / raw for our, raw in zip(ours, raws, strict=True)), 2)


def show(figures: dict[str, Any]) -> None:
    """Print the report as a table."""
    print(f"Python {figures['python']}, SQLite {figures['sqlite']}; durable steps per second, medians")
    print(f"one fdatasync takes {figures['sync_us']} µs here")
    print(f"{'side, steps a commit':22} {'per second':>10} {'/ pages':>8} {'/ plain':>8}")
    for name, rate in figures["per_second"].items():
        ratios = figures["ratios"].get(name, {}).values()
        print(f"{name:22} {rate:>10,}" + "".join(f" {ratio:>8}" for ratio in ratios))


if __name__ == "__main__":
    main()
