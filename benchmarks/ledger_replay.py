"""How much slower than reading a replay is: every rule of every life, against read, parse, canonical, hash.

    python -m benchmarks.ledger_replay [--records N]… [--jobs N] [--rounds N] [--folder DIR] [--json]

Sides, over the same file of honest lives (benchmarks/honest_lives.py), each in its own process, in turns:
  read     one process reads every record and body through the store, parses both as everywhere, writes
           both in their canonical form and compares, and hashes both; nothing is understood
  bare     the same with sqlite3, orjson and blake3 in one loop and nothing of ours: no view, no type checks,
           no float, number or duplicate key refused
  replay   `evidence.audit.replay` over all cores: chain, tree, indexes, schemas, each artifact by its verb,
           each step by the order of its life; signatures are left out, none of the sides has any
  alone    the same in one process
Seconds are by the wall clock, CPU seconds and the peak of memory include all processes of a side. Memory
must not grow with the ledger: `peak` is that of the largest process.
"""

import argparse
import json
import os
import platform
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
from blake3 import blake3

from benchmarks.honest_lives import make
from evidence.audit import replay
from ledger.sqlite_readonly import open_readonly
from schemas.canonical import canonical
from schemas.ledger import read_raw, record_id
from schemas.outside import parse

REGISTERED = "schema.registered"
Figures = dict[str, float]


def read(path: Path, _jobs: int) -> int:
    """Everything through the store, nothing understood."""
    seen = 0
    with open_readonly(path).read() as reader:
        for _, raw in reader.records():
            record = read_raw(raw)  # parses, writes again, compares
            record_id(raw)
            body = reader.body(record.body.digest)  # hashes
            if body is None or (record.kind != REGISTERED and canonical(parse(body)) != body):
                raise AssertionError(record.seq)
            seen += 1
    return seen


def bare(path: Path, _jobs: int) -> int:
    """The least that anybody can do with each byte."""
    seen = 0
    connection = sqlite3.connect(path)
    for (raw,) in connection.execute("SELECT raw FROM records ORDER BY seq"):
        record = orjson.loads(raw)
        digest = bytes.fromhex(record["body"]["digest"][7:])
        [(body,)] = connection.execute("SELECT bytes FROM bodies WHERE digest = ?", (digest,)).fetchall()
        blake3(raw).digest()
        same = orjson.dumps(record, option=orjson.OPT_SORT_KEYS) == raw and blake3(body).digest() == digest
        if record["kind"] != REGISTERED:
            same &= orjson.dumps(orjson.loads(body), option=orjson.OPT_SORT_KEYS) == body
        if not same:
            raise AssertionError(record["seq"])
        seen += 1
    connection.close()
    return seen


def over_cores(path: Path, jobs: int) -> int:
    """Our side."""
    log = open_readonly(path)
    with log.read() as reader:
        told = replay(reader, log=log, jobs=jobs, few=0 if jobs > 1 else sys.maxsize)
    if not told.clean:
        raise AssertionError(told.findings[0])
    return told.records


SIDES: dict[str, Callable[[Path, int], int]] = {
    "read": read,
    "bare": bare,
    "replay": over_cores,
    "alone": lambda path, _jobs: over_cores(path, 1),
}


def one(side: str, path: Path, jobs: int) -> Figures:
    """What one side needs; asked in a process of its own."""
    begin = time.perf_counter()
    records = SIDES[side](path, jobs)
    seconds = time.perf_counter() - begin
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return {
        "per_second": records / seconds,
        "cpu_per_record": sum(use.ru_utime + use.ru_stime for use in (own, others)) / records,
        "peak_mb": max(own.ru_maxrss, others.ru_maxrss) / 1024,
    }


def tell(side: str, path: str, jobs: str) -> None:
    """Print what one side needs."""
    print(json.dumps(one(side, Path(path), int(jobs))))


def apart(side: str, path: Path, jobs: int) -> Figures:
    """`one` in a process of its own."""
    # Not as a module, which each further process of a replay would import again; the command is a light one.
    begin = "import sys; from benchmarks.ledger_replay import tell; tell(*sys.argv[1:])"
    command = [sys.executable, "-c", begin, side, str(path), str(jobs)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    figures: Figures = json.loads(done.stdout)
    return figures


def measure(path: Path, jobs: int, rounds: int) -> dict[str, Figures]:
    """The medians of each side, the sides taking turns."""
    found: dict[str, list[Figures]] = {side: [] for side in SIDES}
    for _ in range(rounds):
        for side, figures in found.items():
            figures.append(apart(side, path, jobs))
    return {
        side: {name: statistics.median(each[name] for each in figures) for name in figures[0]}
        for side, figures in found.items()
    }


def table(size: int, found: dict[str, Figures]) -> str:
    """The figures of one size as lines of text."""
    lines = [f"{size:,} records"]
    for side, figures in found.items():
        ratios = ", ".join(
            f"{figures['per_second'] / found[floor]['per_second']:.2f} of {floor}"
            for floor in ("read", "bare")
        )
        lines.append(
            f"  {side:7}{figures['per_second']:>9,.0f} records/s"
            f"{figures['cpu_per_record'] * 1e6:>8.0f} µs CPU"
            f"{figures['peak_mb']:>7.0f} MB peak   {ratios}"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure and print all sides."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, action="append", help="else 10,000 and 100,000")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="for the ledgers; else the temporary folder")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    all_found: dict[str, Any] = {"python": platform.python_version(), "jobs": chosen.jobs, "sizes": {}}
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        for size in chosen.records or [10_000, 100_000]:
            path = Path(folder) / f"{size}.sqlite3"
            made = make(path, size)
            all_found["sizes"][made] = found = measure(path, chosen.jobs, chosen.rounds)
            if not chosen.json:
                print(table(made, found), flush=True)
    if chosen.json:
        print(json.dumps(all_found, indent=2))


if __name__ == "__main__":
    main()
