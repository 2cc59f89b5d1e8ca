"""What a query log tells a library's maintainer: what is missing, what is doubtful, what is asked most."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from providers.standards.answer import CandidateWire
from providers.standards.code import Code
from providers.standards.folding import fold
from providers.standards.library import StandardRecord
from providers.standards.log_reading import Asked, Log
from providers.standards.rescoring import rescored
from providers.standards.rules import Rules
from providers.standards.scan import find_codes, read_record_code
from providers.standards.scores import FULL

LOW = 0.9
CLOSE = 0.02
SUGGESTIONS = {
    "add_standard": "库中没有这个编号 the library lacks this number",
    "add_edition": "库中只有其他年份的版本 the library has other editions only",
    "check_code": "名称在库中，编号不同 the title is there under another code",
    "check_attribute": "编号只差属性（T/、/T） only the attribute differs",
    "check_title": "编号在库中，引用的名称不同 the code is there, cited with another title",
    "add_title": "库中没有这个名称 the library lacks this title",
}


@dataclass
class Suggestion:
    """Something to look at in the library: what was cited, how often, and what the library has instead."""

    kind: str
    cited: str
    count: int = 0
    held: list[str] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)

    def to_wire(self) -> dict[str, object]:
        """The suggestion as the doors print it."""
        held, queries = self.held[:3], self.queries[:3]
        return {"kind": self.kind, "cited": self.cited, "count": self.count, "held": held, "queries": queries}


def report(log: Log, low: float = LOW, close: float = CLOSE, most: int = 50) -> dict[str, object]:
    """The report, at most `most` rows of each kind, the most frequent first.

    Low: the best score is under `low`. Ambiguous: the second is within `close` of the best.
    """
    asked = sorted(log.asked.values(), key=lambda one: (-one.count, one.query))
    unmatched = [one for one in asked if not one.candidates]
    poor = [one for one in asked if one.candidates and one.candidates[0]["match_score"] < low]
    unsure = [one for one in asked if _ambiguous(one, close)]
    return {
        "files": log.files,
        "lines": log.lines,
        "queries": len(asked),
        "damaged": log.damaged[:most],
        "unfinished": log.unfinished,
        "first": log.first,
        "last": log.last,
        "revisions": log.revisions,
        "elapsed_ms": _quantiles(log.elapsed_ms),
        "counts": {
            "unmatched": _asked(unmatched),
            "low": _asked(poor),
            "ambiguous": _asked(unsure),
        },
        "unmatched": [_row(one) for one in unmatched[:most]],
        "low": [_row(one) for one in poor[:most]],
        "ambiguous": [_row(one) for one in unsure[:most]],
        "frequent": [_row(one) for one in asked[:most]],
        "suggestions": [one.to_wire() for one in suggestions(asked)[:most]],
    }


def suggestions(asked: Iterable[Asked]) -> list[Suggestion]:
    """What the library may lack or call otherwise, the most cited first."""
    found: dict[tuple[str, str], Suggestion] = {}
    rules = Rules()
    for one in asked:
        folded = fold(one.query)
        codes = find_codes(folded, rules)
        cited = [(folded[code.start : code.end].strip(), code.readings[0]) for code in codes]
        for kind, text, held in _of(one, cited):
            suggestion = found.setdefault((kind, text), Suggestion(kind, text))
            suggestion.count += one.count
            suggestion.queries.append(one.query)
            suggestion.held += [code for code in held if code not in suggestion.held]
    return sorted(found.values(), key=lambda one: (-one.count, one.kind, one.cited))


def _of(one: Asked, cited: list[tuple[str, Code]]) -> Iterable[tuple[str, str, list[str]]]:
    held = [(found["code"], read_record_code(found["code"])) for found in one.candidates]
    for text, code in cited:
        if not code.year:
            continue
        if any(_same(code, other) for _, codes in held for other in codes):
            best = one.candidates[0]
            kind = _doubt(one.query, code, best) if _same_any(code, held[0][1]) else None
            if kind is not None:
                yield kind, text, [f"{best['code']} {best['title']}"]
            continue
        editions = [name for name, codes in held if any(_same_number(code, other) for other in codes)]
        sheets = [name for name, codes in held if any(_same_year(code, other) for other in codes)]
        if sheets:  # only an amendment, or only what it amends
            yield "add_standard", text, sheets
        elif editions:
            yield "add_edition", text, editions
        elif one.candidates and one.candidates[0]["match_score"] >= 0.7:
            yield "check_code", text, [f"{one.candidates[0]['code']} {one.candidates[0]['title']}"]
        else:
            yield "add_standard", text, []
    if not cited and not one.candidates and one.query.strip():
        yield "add_title", one.query.strip(), []


def _doubt(query: str, code: Code, best: CandidateWire) -> str | None:
    """What differs where the best candidate has the cited number and year: its attribute, or its title."""
    if best["match_score"] == 1:
        return None
    same = [other for other in read_record_code(best["code"]) if _same(code, other)]
    if all(other.attr != code.attr for other in same):
        return "check_attribute"
    record = StandardRecord(best["code"], "", best["title"], "", "", "")
    match = rescored(query, record)
    # A citation without a name, as one with a year of two digits, names no other title.
    named = match is not None and match.score != match.code_score and match.name_score < FULL
    return "check_title" if named else None


def _same_number(one: Code, other: Code) -> bool:
    return (one.org, one.num, one.parts) == (other.org, other.num, other.parts)


def _same_year(one: Code, other: Code) -> bool:
    return _same_number(one, other) and one.order_year == other.order_year


def _same(one: Code, other: Code) -> bool:
    return _same_year(one, other) and one.amend == other.amend


def _same_any(one: Code, others: Iterable[Code]) -> bool:
    return any(_same(one, other) for other in others)


def _ambiguous(one: Asked, close: float) -> bool:
    scores = [found["match_score"] for found in one.candidates[:2]]
    return len(scores) > 1 and scores[0] - scores[1] <= close + 1e-9


def _asked(rows: list[Asked]) -> dict[str, int]:
    return {"queries": len(rows), "times": sum(one.count for one in rows)}


def _row(one: Asked) -> dict[str, object]:
    best = [
        {"code": found["code"], "title": found["title"], "match_score": found["match_score"]}
        for found in one.candidates
    ]
    return {"query": one.query, "count": one.count, "last": one.time, "candidates": best}


def _quantiles(values: list[float]) -> dict[str, float]:
    ranked = sorted(values)
    if not ranked:
        return {}
    places = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return {name: ranked[min(len(ranked) - 1, int(share * len(ranked)))] for name, share in places.items()}
