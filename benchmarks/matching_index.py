"""The index against RapidFuzz over the same invented library: `python -m benchmarks.matching_index`.

For each size one process reads the library file and builds the index, and another opens what the first kept
and answers, so that memory and load time are those of a server that starts again. RapidFuzz then answers the
same title queries over the same normalised titles in the same process. A query is timed as a whole: parsed,
searched, its records read. Each is asked `--rounds` times and its best time counts; *first* is the 99th
percentile of the very first pass, when the bits of most characters are read for the first time.
"""

import argparse
import csv
import json
import math
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.synthetic_library import records
from providers.standards.index import index
from providers.standards.library import COLUMNS, Library, StandardRecord, load
from providers.standards.matching import search
from providers.standards.names import title_name
from providers.standards.query import parse
from providers.standards.rules import Rules

SIZES = (10_000, 100_000, 500_000)
KINDS = ("code", "code+title", "title", "fuzzy title")
_SLIPS = "的工程设计规范标准材料"
Row = dict[str, Any]


def queries(library: Library, count: int, seed: int) -> dict[str, list[str]]:
    """Queries of each kind about records chosen by `seed`."""
    rng = random.Random(seed)
    places = rng.sample(range(len(library)), min(count, len(library)))
    chosen = [(library.records[place].code, library.records[place].title) for place in places]
    return {
        "code": [code for code, _ in chosen],
        "code+title": [f"{code} {title}" for code, title in chosen],
        "title": [title for _, title in chosen],
        "fuzzy title": [_spoilt(title, rng) for _, title in chosen],
    }


def _spoilt(title: str, rng: random.Random) -> str:
    """One character another, and in half of them one missing."""
    text = list(title)
    text[rng.randrange(len(text))] = rng.choice(_SLIPS)
    if rng.random() < 0.5:
        del text[rng.randrange(len(text))]
    return "".join(text)


def build(path: Path) -> Row:
    """Read a library file for the first time and build its index."""
    started = time.perf_counter()
    library = load(path)
    read = time.perf_counter()
    index(library, Rules())
    return {
        "read_s": read - started,
        "build_s": time.perf_counter() - read,
        "build_peak_mb": _memory("VmHWM"),
    }


def serve(path: Path, count: int, rounds: int, no_rapidfuzz: bool) -> Row:
    """Open what is kept, answer, and let RapidFuzz answer."""
    started = time.perf_counter()
    library = load(path)
    # The first answer opens every part of what is kept.
    search(library, "GB 50330-2013 建筑边坡工程技术规范")
    row: Row = {"load_s": time.perf_counter() - started}
    asked = queries(library, count, seed=5)
    first = [_timed(partial(search, library, text)) for texts in asked.values() for text in texts]
    row["first_p99_ms"] = _percentile(first, 99)
    # What is measured was not asked before.
    asked = queries(library, count, seed=6)
    for kind, texts in asked.items():
        row[kind] = _summary([_best(partial(search, library, text), rounds) for text in texts])
        parsed = [_best(partial(parse, text, Rules()), rounds) for text in texts]
        row[kind]["parse_mean"] = statistics.mean(parsed)
    row["memory_mb"] = _memory("VmRSS")
    if not no_rapidfuzz:
        row["rapidfuzz"] = rapidfuzz(library, asked["title"], rounds)
        for name, milliseconds in row["rapidfuzz"].items():
            row[f"times {name}"] = milliseconds / row["title"]["mean"]
    return row


def rapidfuzz(library: Library, asked: list[str], rounds: int) -> Row:
    """Mean milliseconds of `process.extract` over the normalised titles, three ways of calling it."""
    from rapidfuzz import fuzz, process

    rules = Rules()
    titles = [title_name(record.title, rules) for record in library.records]
    few = [title_name(text, rules) for text in asked[: max(5, 400_000 // len(titles))]]

    def mean(texts: list[str], **options: Any) -> float:
        calls = (partial(process.extract, text, titles, limit=3, **options) for text in texts)
        return statistics.mean(_best(call, rounds) for call in calls)

    return {
        "ratio": mean(few, scorer=fuzz.ratio),
        "ratio, cutoff 75": mean(few, scorer=fuzz.ratio, score_cutoff=75),
        "default scorer": mean(few[:3]),
    }


def _timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - started)


def _best(call: Callable[[], object], rounds: int) -> float:
    return min(_timed(call) for _ in range(rounds))


def _summary(times: list[float]) -> Row:
    return {"mean": statistics.mean(times), **{f"p{at}": _percentile(times, at) for at in (50, 95, 99)}}


def _percentile(times: list[float], at: int) -> float:
    return sorted(times)[min(len(times) - 1, len(times) * at // 100)]


def _memory(name: str) -> float | None:
    """Megabytes of this process, where the system says them."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) / 1024


def measure(size: int, seed: int, options: list[str]) -> Row:
    """Both steps for one size, each in its own process, over a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"synthetic-{size}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            fields = StandardRecord.__slots__
            writer.writerows([getattr(one, field) for field in fields] for one in records(size, seed))
        row: Row = {"size": size}
        for step in ("build", "serve"):
            command = [sys.executable, "-m", "benchmarks.matching_index", "--step", step, "--file", str(path)]
            environment = {**os.environ, "XDG_CACHE_HOME": folder}
            done = subprocess.run([*command, *options], env=environment, check=True, capture_output=True)
            row.update(json.loads(done.stdout))
        row["kept_mb"] = sum(file.stat().st_size for file in Path(folder).glob("*/*")) / 2**20
    return row


def report(rows: list[Row]) -> str:
    """The figures for a reader."""
    lines = [f"{'milliseconds':14}" + "".join(f"{row['size']:>40,}" for row in rows)]
    for kind in KINDS:
        cells = (
            f"p50 {row[kind]['p50']:.3f} p95 {row[kind]['p95']:.3f} p99 {row[kind]['p99']:.3f}"
            for row in rows
        )
        lines.append(f"{kind:14}" + "".join(f"{cell:>40}" for cell in cells))
    lines.extend(_line(f"parse {kind}", [row[kind]["parse_mean"] for row in rows]) for kind in KINDS)
    figures = ("first_p99_ms", "read_s", "build_s", "load_s", "memory_mb", "build_peak_mb", "kept_mb")
    lines.extend(_line(name, [row[name] for row in rows]) for name in figures)
    for name in rows[0].get("rapidfuzz", ()):
        lines.append(_line(f"RapidFuzz {name}", [row["rapidfuzz"][name] for row in rows]))
        lines.append(_line("  times the index", [row[f"times {name}"] for row in rows]))
    for before, after in pairwise(rows):
        exponent = growth(before, after)
        lines.append(f"title queries grow with n^{exponent:.2f} from {before['size']:,} to {after['size']:,}")
    return "\n".join(lines)


def _line(name: str, values: list[float | None]) -> str:
    texts = ["-" if value is None else f"{value:.3f}" for value in values]
    return f"{name:28}{texts[0]:>26}" + "".join(f"{text:>40}" for text in texts[1:])


def growth(before: Row, after: Row) -> float:
    """The exponent with which the mean time of a title query grows; 0.5 is the square root."""
    times = after["title"]["mean"] / before["title"]["mean"]
    return math.log(times) / math.log(after["size"] / before["size"])


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the matcher's index beside RapidFuzz.")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--queries", type=int, default=300, help="of each kind")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-rapidfuzz", action="store_true")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--step", choices=("build", "serve"), help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step == "build":
        print(json.dumps(build(options.file)))
    elif options.step == "serve":
        print(json.dumps(serve(options.file, options.queries, options.rounds, options.no_rapidfuzz)))
    else:
        passed = [f"--queries={options.queries}", f"--rounds={options.rounds}"]
        passed += ["--no-rapidfuzz"] if options.no_rapidfuzz else []
        rows = [measure(size, options.seed, passed) for size in options.sizes]
        about = {"python": platform.python_version(), "rapidfuzz": _rapidfuzz_version()}
        print(json.dumps({**about, "rows": rows}) if options.json else f"{about}\n{report(rows)}")


def _rapidfuzz_version() -> str | None:
    try:
        return version("rapidfuzz")
    except PackageNotFoundError:
        return None


if __name__ == "__main__":
    main()
