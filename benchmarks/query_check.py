"""What it costs to check a query before it is sent.

    python -m benchmarks.query_check [--terms N] [--rounds N] [--json]

The queries are code and title of every standard in the starter library. Sides, taking turns in one run:
  floor    query.strip().lower() and one `in` a term: what a caller would write by hand, and no hash
  ext20    EXT-20's own rule, with its hash
  folded   and the same on folded text
  all      and characters, operators and detectors: what goes before every real search
"""

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable

from providers.standards.library import starter
from providers.web.exclusions import Exclusions
from providers.web.minimise import check_query, ext20, without_excluded


def terms(number: int) -> list[str]:
    """`number` terms as a caller has them: names of projects, firms and people, none in a query."""
    kinds = ("机密项目{}号地块", "Project Falcon {}", "金茂{}建设有限公司", "KX-{:04d}-2026")
    return [kinds[place % len(kinds)].format(place) for place in range(number)]


def sides(number: int) -> dict[str, Callable[[str], object]]:
    """The ways to check one query."""
    lowered = [term.lower() for term in terms(number)]
    held = Exclusions(terms(number))

    def floor(query: str) -> bool:
        text = query.strip().lower()
        return any(term in text for term in lowered)

    return {
        "floor": floor,
        "ext20": lambda query: ext20(query, held),
        "folded": lambda query: without_excluded(query, held),
        "all": lambda query: check_query(query, held),
    }


def measure(number: int, rounds: int) -> dict[str, float]:
    """Microseconds a query, the median of the rounds, for each side."""
    queries = [f"《{record.title}》{record.code} 现行" for record in starter().records]
    compared = sides(number)
    assert all(check_query(query, Exclusions(terms(number))).state == "ok" for query in queries)
    taken: dict[str, list[float]] = {name: [] for name in compared}
    for turn in range(rounds):
        names = list(compared)
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            check = compared[name]
            started = time.process_time_ns()
            for query in queries:
                check(query)
            taken[name].append((time.process_time_ns() - started) / len(queries) / 1000)
    return {name: statistics.median(samples) for name, samples in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="What it costs to check a query before it is sent.")
    parser.add_argument("--terms", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = measure(given.terms, given.rounds)
    if given.json:
        print(json.dumps({"terms": given.terms, "python": platform.python_version(), "us_per_query": found}))
        return
    print(f"{given.terms} terms, {given.rounds} rounds, CPU time, Python {platform.python_version()}")
    for name, cost in found.items():
        print(f"{name:8}{cost:9.1f} us a query {cost / found['floor']:7.1f} x floor")


if __name__ == "__main__":
    main()
