"""Choose the starter library from a larger table of standards: `python -m tools.starter standards.csv`.

The table has the columns of `providers.standards.library.COLUMNS` and `source`. What is chosen:
every construction or medical-device number with two or more editions, whole families that citations
name most, and whatever the relation of a chosen record points to. Values are copied as they are.
"""

import csv
import re
import sys
from collections import defaultdict
from pathlib import Path

from providers.standards.code import Code
from providers.standards.folding import fold
from providers.standards.library import COLUMNS, code_key
from providers.standards.rules import Rules
from providers.standards.scan import find_codes

TARGET = Path(__file__).resolve().parents[1] / "providers" / "standards" / "starter.csv"

CONSTRUCTION = frozenset({"JGJ", "CJJ", "JTG", "TB", "CECS", "JTS"})
CONSTRUCTION_NUMBERS = re.compile(r"5[015][0-9]{3}")
MEDICAL_NUMBERS = frozenset(
    {"9706", "14233", "14710", "16886", "18278", "18279", "18280", "19633", "42061", "42062"}
)
# Families kept whole although many of their numbers have one edition.
WHOLE = re.compile(r"JGJ .*|CJJ .*|GB 55[0-9]{3}-.*|JTG D70.*|GB 9706\..*|GB/T 16886\..*")
# Single records that the acceptance cases of the matcher design name.
NAMED = frozenset(
    {"GB 6441-1986", "GB 6441-2025", "JTG/T 5440-2018", "GB 13544-2000", "GB 13544-2011", "GB/T 13544-2026"}
)


def main() -> None:
    """Write the starter library anew and say how many records it holds."""
    (table,) = sys.argv[1:]
    with Path(table).open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    chosen = choose(rows)
    with TARGET.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, (*COLUMNS, "source"), lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(chosen)
    sys.stdout.write(f"{len(chosen)} of {len(rows)} records\n")


def choose(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The rows of the starter library, in the order of the table."""
    families: dict[tuple[str, str, tuple[str, ...]], list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        code = codes_in(row["csres_code"])[0]
        families[code.org, code.num, code.parts].append(row)
    keys = {code_key(code) for code in NAMED}
    for (org, num, _), family in families.items():
        if of_trade(org, num):
            codes = [row["csres_code"] for row in family]
            keys.update(code_key(code) for code in codes if len(family) > 1 or WHOLE.fullmatch(code))
    chosen = [row for row in rows if code_key(row["csres_code"]) in keys]
    keys |= {key for row in chosen for key in related(row["relation_text"])}
    return [row for row in rows if code_key(row["csres_code"]) in keys]


def of_trade(org: str, num: str) -> bool:
    """Whether a number belongs to construction or to medical devices."""
    if org == "GB":
        return bool(CONSTRUCTION_NUMBERS.fullmatch(num)) or num in MEDICAL_NUMBERS
    return org in CONSTRUCTION or org == "YY"


def codes_in(text: str) -> list[Code]:
    """Every number in a text."""
    return [found.readings[0] for found in find_codes(fold(text), Rules())]


def related(text: str) -> set[str]:
    """The codes that a relation text names, as keys."""
    folded = fold(text)
    return {code_key(folded[found.start : found.end]) for found in find_codes(folded, Rules())}


if __name__ == "__main__":
    main()
