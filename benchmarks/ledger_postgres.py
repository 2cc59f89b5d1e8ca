"""What an append to PostgreSQL costs beyond the server: our store against the same rows from psycopg alone.

    python -m benchmarks.ledger_postgres [--appends N] [--rounds N] [--json]

All sides in one run, taking turns, in databases of one server, every commit durable, one step a commit, by 1
and by 8 writers, each a process with a connection of its own:
  ledger    ledger.postgres without a key: head locked and checked, key looked up, record made and stored
  signed    the same with a key: a checkpoint signed, kept and published at each commit, and the step's proof
  bare      psycopg alone: our rows, ready made, into our tables: BEGIN, head row locked, 3 inserts, head row
            updated, COMMIT; prepared, one statement after the other
  piped     the same in two pipelines, as our store sends them: up to the lock, and from there to the commit
  appender  eight threads of one process, one step a call, through one ledger.appender.Appender
A server is started for it (tests/postgres.py), whose fsync is on. Client and server share the cores,
and the disk counts most: the figures of one machine say little of another.
"""

import argparse
import json
import multiprocessing
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg

from benchmarks.ledger_appends import draft, share
from ledger.appender import Appender
from ledger.keys import generate, store
from ledger.postgres import PostgresLedger
from ledger.postgres_url import PostgresUrl
from ledger.signing import Signing
from ledger.sql_view import Row, key_of
from ledger.store import Opening
from schemas.canonical import digest_bytes
from tests.postgres import Server, cluster

SCHEMA = digest_bytes(b"schema")
WRITERS = (1, 8)
ORIGIN = "bench.example/log"
PUT = (
    "INSERT INTO bodies VALUES (1, %s, %s)",
    "INSERT INTO records VALUES (1, %s, %s, %s, %s, %s, %s)",
    "INSERT INTO subjects VALUES (1, %s, %s, %s, %s)",
    "UPDATE head SET seq = %s, digest = %s WHERE log = 1",
)
LOCK = "SELECT seq, digest FROM head WHERE log = 1 FOR UPDATE"


def opened(url: str, signing: Signing | None = None) -> PostgresLedger:
    """The log of that database, begun if need be."""
    opening = Opening("bench", SCHEMA, origin=ORIGIN)
    place = PostgresUrl.of(url)
    return PostgresLedger.open(place, lambda: datetime.now(UTC), create=opening, signing=signing)


class Ours:
    """One writer of a ledger."""

    def __init__(self, url: str, key: Path | None) -> None:
        self.ledger = opened(url, None if key is None else Signing.load(key))

    def work(self, first: int, count: int) -> None:
        for number in range(first, first + count):
            self.ledger.append(draft(number))


class Bare:
    """psycopg alone, given the rows of a ledger of ours, in the order of the lock on the head row."""

    def __init__(self, url: str, rows: list[Row], piped: bool) -> None:
        self.rows = rows
        self.step = self._piped if piped else self._plain
        self.connection = psycopg.connect(url, autocommit=True)
        self.connection.execute("SET search_path = external_evidence")
        self.connection.prepare_threshold = 0

    def work(self, _first: int, count: int) -> None:
        for _ in range(count):
            self.step()

    def _plain(self) -> None:
        run = self.connection.execute
        run("BEGIN")
        [(seq, _)] = run(LOCK).fetchall()
        for sql, values in zip(PUT, self.rows[seq], strict=True):
            run(sql, values)
        run("COMMIT")

    def _piped(self) -> None:
        with self.connection.pipeline():
            self._plain()


class Processes:
    """So many writers of one database, each in a process of its own."""

    def __init__(self, writers: int, make: Callable[..., Ours | Bare], *arguments: object) -> None:
        context = multiprocessing.get_context("spawn")
        self.writers = writers
        self.pool = ProcessPoolExecutor(writers, context, partial(_begin, make, *arguments))
        list(self.pool.map(_work, [0] * 4 * writers, [0] * 4 * writers))  # so that all of them are there

    def work(self, first: int, count: int) -> None:
        share = count // self.writers
        firsts = range(first, first + share * self.writers, share)
        list(self.pool.map(_work, firsts, [share] * self.writers))

    def close(self) -> None:
        self.pool.shutdown()


class Together:
    """Eight threads that append through one Appender."""

    def __init__(self, url: str) -> None:
        self.ledger = opened(url)
        self.appender = Appender(self.ledger)
        self.pool = ThreadPoolExecutor(8)

    def work(self, first: int, count: int) -> None:
        list(self.pool.map(self.appender.append, map(draft, range(first, first + count))))

    def close(self) -> None:
        self.pool.shutdown()
        self.ledger.close()


_writer: list[Ours | Bare] = []


def _begin(make: Callable[..., Ours | Bare], *arguments: object) -> None:
    _writer.append(make(*arguments))


def _work(first: int, count: int) -> None:
    _writer[0].work(first, count)


def rows_of(url: str, count: int) -> list[Row]:
    """The rows of a ledger with `count` steps, each step's together, in the order of its insertion."""
    with closing(opened(url)) as ledger:
        for first in range(0, count, 100):
            ledger.append(*map(draft, range(first, min(count, first + 100))))
    with psycopg.connect(url) as connection:
        connection.execute("SET search_path = external_evidence")
        found = connection.execute(
            "SELECT r.seq, r.raw, r.prev, r.idem, r.kind, r.tree, s.hex, s.algorithm, s.field"
            " FROM records r JOIN subjects s ON s.seq = r.seq ORDER BY r.seq"
        ).fetchall()
    bodies = [draft(number).body for number in range(count)]
    return [
        (
            (key_of(digest_bytes(body)), body),
            row[:6],
            (*row[6:], row[0]),
            (row[0], key_of(digest_bytes(row[1]))),
        )
        for body, row in zip(bodies, found, strict=True)
    ]


@contextmanager
def sides(server: Server, folder: Path, count: int) -> Iterator[dict[str, Processes | Together]]:
    """Every side by its name, each with a database of its own."""

    def database(name: str) -> str:
        server.create(name)
        return server.url(name)

    def key(name: str) -> Path:
        store(folder / f"{name}.key", generate(ORIGIN))
        return folder / f"{name}.key"

    rows = rows_of(database("rows"), count)
    with ExitStack() as stack:
        made: dict[str, Processes | Together] = {}
        for n in WRITERS:
            for name, make, arguments in (
                ("ledger", Ours, (None,)),
                ("signed", Ours, (key(f"signed{n}"),)),
                ("bare", Bare, (rows, False)),
                ("piped", Bare, (rows, True)),
            ):
                url = database(f"{name}{n}")
                opened(url, Signing.load(folder / f"signed{n}.key") if name == "signed" else None).close()
                made[f"{name} {n}"] = Processes(n, make, url, *arguments)
        made["appender 8"] = Together(database("appender"))
        for side in made.values():
            stack.enter_context(closing(side))
        yield made


def measure(server: Server, folder: Path, appends: int, rounds: int) -> dict[str, list[float]]:
    """Steps per second of each side, round by round."""
    with sides(server, folder, appends * rounds) as made:
        found: dict[str, list[float]] = {name: [] for name in made}
        names = list(made)
        for turn in range(rounds):
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                begin = time.perf_counter()
                made[name].work(turn * appends, appends)
                found[name].append(appends / (time.perf_counter() - begin))
        return found


def main() -> None:
    """Measure and print all sides."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--appends", type=int, default=200, help="per round and side")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    with TemporaryDirectory() as folder, cluster() as server:
        found = measure(server, Path(folder), chosen.appends, chosen.rounds)
        with psycopg.connect(server.url()) as connection:
            version = connection.info.server_version
    figures = report(found, version)
    if chosen.json:
        print(json.dumps(figures, indent=2))
    else:
        show(figures)


def report(found: dict[str, list[float]], version: int) -> dict[str, Any]:
    """Medians, and the medians of each round's ratios to the bare sides with as many writers."""
    return {
        "python": platform.python_version(),
        "psycopg": psycopg.__version__,
        "postgresql": version // 10000,
        "per_second": {name: round(statistics.median(rates)) for name, rates in found.items()},
        "ratios": {
            name: {raw: share(rates, found[f"{raw} {name.rpartition(' ')[2]}"]) for raw in ("bare", "piped")}
            for name, rates in found.items()
            if not name.startswith(("bare", "piped"))
        },
    }


def show(figures: dict[str, Any]) -> None:
    """Print the report as a table."""
    print(f"Python {figures['python']}, psycopg {figures['psycopg']}, PostgreSQL {figures['postgresql']}")
    print("durable steps per second, one a commit, medians")
    print(f"{'side, writers':16} {'per second':>10} {'/ bare':>7} {'/ piped':>8}")
    for name, rate in figures["per_second"].items():
        ratios = figures["ratios"].get(name, {})
        print(f"{name:16} {rate:>10,}" + "".join(f" {ratios[raw]:>7}" for raw in ratios))


if __name__ == "__main__":
    main()
