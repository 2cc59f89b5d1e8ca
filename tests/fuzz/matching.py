"""Fuzz target: any bytes are a library, rules and queries on which both engines must agree.

`python -m tests.fuzz.matching` feeds it random bytes and needs nothing; with Atheris installed,
`python -m tests.fuzz.matching --atheris [FILES AND OPTIONS OF LIBFUZZER]` is guided by coverage.
"""

import argparse
import importlib
import random
import sys

from providers.standards import exhaustive
from providers.standards.matching import search
from tests.providers.standards.cases import RULES, FromBytes, make_library, make_query, one_of


def one_input(data: bytes) -> None:
    """Raise AssertionError where the index answers another thing than the definition."""
    choices = FromBytes(data)
    rules = one_of(choices, RULES)
    library = make_library(choices, 30)
    for query in (make_query(choices, library), data.decode("utf-8", "replace")[:200]):
        found, defined = (engine(library, query, rules=rules) for engine in (search, exhaustive.search))
        assert found == defined, (library.records, query, rules, found, defined)


def run(count: int, seed: int) -> None:
    """`count` random inputs, each made from `seed` and its number alone."""
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        one_input(rng.randbytes(rng.randrange(400)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Look for inputs on which the index and the definition differ."
    )
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--atheris", action="store_true", help="all further arguments are libFuzzer's")
    options, further = parser.parse_known_args()
    if options.atheris:
        atheris = importlib.import_module("atheris")
        atheris.instrument_all()
        atheris.Setup([sys.argv[0], *further], one_input)
        atheris.Fuzz()
    else:
        run(options.runs, options.seed)


if __name__ == "__main__":
    main()
