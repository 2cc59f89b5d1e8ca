"""How often a citation finds its standard: `python benchmarks/citations.py --library CSV --citations JSONL`.

Each line of the citations is an object with `query` and with `gold_code`, `gold_any` or both.

- The right answers of a row are `gold_any` and `gold_code`: any of them counts, since a citation
  without a year means every edition.
- A row is *present* when the library holds one of its right answers. Top-1 and top-3 are the shares
  of present rows whose right answer comes first, or among the three.
- A row is *exact* when `gold_code` itself is in the library; its figures are given beside the others.
- Any other row is *absent*: no answer of the library is the right one. A candidate is then wrong
  unless it is another edition of a right number, which a currency check wants to see.
"""

import argparse
import json
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from providers.standards.library import Library, code_key, load
from providers.standards.matching import Candidate, search
from providers.standards.scan import read_record_code

CONFIDENT = 9_000


@dataclass
class Figures:
    """What was counted; the lists hold one line per miss."""

    rows: int = 0
    present: int = 0
    top_1: int = 0
    top_3: int = 0
    exact: int = 0
    exact_top_1: int = 0
    exact_top_3: int = 0
    absent: int = 0
    absent_answered: int = 0
    absent_other_standard: int = 0
    absent_confident: int = 0
    absent_confident_edition: int = 0
    seconds: float = 0.0
    misses: list[str] = field(default_factory=list)
    confident: list[str] = field(default_factory=list)


def measure(library: Library, rows: list[dict[str, object]]) -> Figures:
    """Every row looked up once."""
    held = {code_key(record.code) for record in library.records}
    figures = Figures(rows=len(rows))
    search(library, "GB 1")  # the index is made on first use
    started = time.perf_counter()
    for row in rows:
        query, single, right = str(row["query"]), row.get("gold_code"), gold(row)
        candidates = search(library, query)
        if right & held:
            _present(figures, query, right, candidates)
            if single and code_key(str(single)) in held:
                _exact(figures, code_key(str(single)), candidates)
        else:
            _absent(figures, query, right, candidates)
    figures.seconds = round(time.perf_counter() - started, 3)
    return figures


def gold(row: dict[str, object]) -> set[str]:
    """The right answers of a row, as keys."""
    several = row.get("gold_any") or []
    assert isinstance(several, list)
    return {code_key(str(code)) for code in (*several, row.get("gold_code")) if code}


def _present(figures: Figures, query: str, right: set[str], candidates: list[Candidate]) -> None:
    keys = [code_key(candidate.record.code) for candidate in candidates]
    figures.present += 1
    figures.top_1 += bool(right.intersection(keys[:1]))
    figures.top_3 += bool(right.intersection(keys))
    if not right.intersection(keys[:1]):
        figures.misses.append(f"{query} -> {_shown(candidates)}; right: {', '.join(sorted(right))}")


def _exact(figures: Figures, right: str, candidates: list[Candidate]) -> None:
    keys = [code_key(candidate.record.code) for candidate in candidates]
    figures.exact += 1
    figures.exact_top_1 += right in keys[:1]
    figures.exact_top_3 += right in keys


def _absent(figures: Figures, query: str, right: set[str], candidates: list[Candidate]) -> None:
    numbers = {_number(code) for code in right}
    wrong = [found for found in candidates if _number(found.record.code) not in numbers]
    sure = [found for found in candidates if found.score >= CONFIDENT]
    figures.absent += 1
    figures.absent_answered += bool(candidates)
    figures.absent_other_standard += bool(wrong)
    figures.absent_confident += any(found in wrong for found in sure)
    figures.absent_confident_edition += any(found not in wrong for found in sure)
    if sure:
        figures.confident.append(
            f"{query} -> {_shown(sure)}; right: {', '.join(sorted(right)) or 'not known'}"
        )


def _number(code: str) -> object:
    """The number without attribute and year: what all its editions share."""
    found = read_record_code(code)
    return (found[0].org, found[0].num, found[0].parts) if found else code


def _shown(candidates: list[Candidate]) -> str:
    return ", ".join(f"{found.record.code} {found.score / 10_000:.4f}" for found in candidates) or "nothing"


def report(figures: Figures) -> str:
    """The figures for a reader."""
    f = figures
    lines = [
        f"{f.rows} citations, {1000 * f.seconds / max(f.rows, 1):.1f} ms each",
        f"present {f.present}: top-1 {_share(f.top_1, f.present)}, top-3 {_share(f.top_3, f.present)}",
        f"exact {f.exact}: top-1 {_share(f.exact_top_1, f.exact)}, top-3 {_share(f.exact_top_3, f.exact)}",
        f"absent {f.absent}: answered at all {_share(f.absent_answered, f.absent)}",
        f"  with another standard: {_share(f.absent_other_standard, f.absent)}",
        f"  with another standard at 0.90 or more: {f.absent_confident}",
        f"  with another edition at 0.90 or more: {f.absent_confident_edition}",
        *(f"missed: {line}" for line in f.misses),
        *(f"confident: {line}" for line in f.confident),
    ]
    return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.4f})" if whole else "0"


def read_citations(path: Path) -> list[dict[str, object]]:
    """The rows of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def main() -> None:
    parser = argparse.ArgumentParser(description="Score the matcher on citations with known answers.")
    parser.add_argument("--library", required=True, type=Path, help="CSV of standards")
    parser.add_argument("--citations", required=True, type=Path, help="JSONL of citations")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    figures = measure(load(options.library), read_citations(options.citations))
    print(json.dumps(asdict(figures), ensure_ascii=False) if options.json else report(figures))


if __name__ == "__main__":
    main()
