"""Look a library over for what its maintainer should look at again; nothing here changes an answer.

A fault keeps a library from loading (`library`). A finding does not: it is a question to the maintainer.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from providers.standards.code import Code
from providers.standards.folding import fold
from providers.standards.library import Library, StandardRecord
from providers.standards.rules import Rules
from providers.standards.scan import find_codes, read_record_code

IN_FORCE, UPCOMING, ENDED = "现行", "即将实施", ("废止", "作废", "已废止", "已作废")
_REPLACED = re.compile(r"被 ?[^，,；;。]{1,80}?[替代]代")
_PARTLY = re.compile("部分|条文|强条|局部")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_FARTHEST = timedelta(days=3653)


@dataclass(frozen=True)
class Finding:
    """One thing to look at: its kind, the standard or family it is about, and what was seen."""

    kind: str
    code: str
    seen: str

    def to_wire(self) -> dict[str, str]:
        """The finding as the doors print it."""
        return {"kind": self.kind, "code": self.code, "seen": self.seen}


KINDS = {
    "replaced_but_in_force": "状态为现行，替代情况却说已被替代 in force, but its relation says replaced",
    "ended_before_it_begins": "已废止，实施日期却在今后 ended, but its date is in the future",
    "several_editions_in_force": "同一编号有多个现行版本 several editions of one number in force",
    "one_alias_for_several": "标准化编号相同 the normalised code stands for several records",
    "impossible_date": "实施日期不是真实日期或与编号年份矛盾 no real date, or before the code's own year",
    "upcoming_date_has_passed": "即将实施，实施日期已过 upcoming, but its date has passed",
    "family_with_gaps": "分部分编号有缺号 a family of parts has gaps",
    "only_in_relations": "只在替代情况中出现的编号 a code that only relation texts name",
    "unreadable_code": "编号无法解析，只能整体匹配 the code cannot be taken apart; only the whole matches",
    "no_status": "无状态 no status",
    "unusual_status": "状态不常见 an unusual status",
    "one_status_in_two_words": "同一状态用了两种写法 two words for one status",
}

DOUBTS = (
    "replaced_but_in_force", "ended_before_it_begins", "several_editions_in_force", "one_alias_for_several",
    "impossible_date", "upcoming_date_has_passed",
)  # fmt: skip
"""The kinds in which a library contradicts itself or the day: these fail a strict check, others never do."""


def survey(library: Library, today: date) -> list[Finding]:
    """Everything that was found, kind by kind in the order of `KINDS`, each in the library's order."""
    found = [
        *_each(library.records, today),
        *_editions(library.records),
        *_aliases(library.records),
        *_gaps(library.records),
        *_only_in_relations(library.records),
        *_statuses(library.records),
    ]
    order = {kind: place for place, kind in enumerate(KINDS)}
    return sorted(found, key=lambda finding: order[finding.kind])


def counts(findings: Iterable[Finding]) -> dict[str, int]:
    """How many findings of each kind."""
    found = Counter(finding.kind for finding in findings)
    return {kind: found[kind] for kind in KINDS}


def outline(library: Library) -> dict[str, object]:
    """What a library holds, in numbers."""
    series = Counter(code.org for record in library.records for code in read_record_code(record.code)[:1])
    years = [year for record in library.records if (year := _year(record))]
    return {
        "name": library.name,
        "revision": library.revision,
        "standards": len(library),
        "statuses": dict(Counter(record.status for record in library.records).most_common()),
        "with_date": sum(bool(record.implement_date) for record in library.records),
        "with_relation": sum(bool(record.relation_text) for record in library.records),
        "years": [min(years), max(years)] if years else [],
        "largest_series": dict(series.most_common(12)),
    }


def _each(records: Iterable[StandardRecord], today: date) -> Iterator[Finding]:
    for record in records:
        day = _day(record.implement_date)
        relation = record.relation_text
        if record.status == IN_FORCE and _REPLACED.search(relation) and not _PARTLY.search(relation):
            yield Finding("replaced_but_in_force", record.code, relation)
        if record.status in ENDED and day is not None and day > today:
            yield Finding("ended_before_it_begins", record.code, record.implement_date)
        if record.status == UPCOMING and day is not None and day <= today:
            yield Finding("upcoming_date_has_passed", record.code, record.implement_date)
        if record.implement_date and _impossible(record, day, today):
            yield Finding("impossible_date", record.code, record.implement_date)
        if not read_record_code(record.code):
            yield Finding("unreadable_code", record.code, record.title)
        if not record.status:
            yield Finding("no_status", record.code, record.title)


def _impossible(record: StandardRecord, day: date | None, today: date) -> bool:
    return day is None or day.year < _year(record) or day > today + _FARTHEST


def _statuses(records: Iterable[StandardRecord]) -> Iterator[Finding]:
    holders: dict[str, list[str]] = defaultdict(list)
    for record in records:
        if record.status:
            holders[record.status].append(record.code)
    for status, codes in holders.items():
        if status not in (IN_FORCE, UPCOMING, *ENDED):
            yield Finding("unusual_status", codes[0], f"{status}（{len(codes)} 条）")
    ended = [status for status in ENDED if status in holders]
    if len(ended) > 1:
        rarest = min(ended, key=lambda status: len(holders[status]))
        counted = "、".join(f"{status}（{len(holders[status])} 条）" for status in ended)
        yield Finding("one_status_in_two_words", holders[rarest][0], counted)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None


def _year(record: StandardRecord) -> int:
    codes = read_record_code(record.code)
    return codes[0].order_year if codes else 0


def _editions(records: Iterable[StandardRecord]) -> Iterator[Finding]:
    editions: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for record in records:
        for code in read_record_code(record.code)[:1]:
            if record.status == IN_FORCE and not code.amend:
                editions[code.org, code.num, code.parts, code.attr].append(record.code)
    for codes in editions.values():
        if len(codes) > 1:
            yield Finding("several_editions_in_force", codes[-1], "、".join(codes))


def _aliases(records: Iterable[StandardRecord]) -> Iterator[Finding]:
    owners: dict[str, list[str]] = defaultdict(list)
    for record in records:
        key = fold(record.normalized_code).replace(" ", "").upper()
        if key:
            owners[key].append(record.code)
    for alias, codes in owners.items():
        if len(codes) > 1:
            yield Finding("one_alias_for_several", codes[0], f"{alias}: {'、'.join(codes)}")


def _gaps(records: Iterable[StandardRecord]) -> Iterator[Finding]:
    families: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for record in records:
        for code in read_record_code(record.code)[:1]:
            if len(code.parts) == 1 and code.parts[0][1:].isdecimal() and code.parts[0][0] == ".":
                families[code.org, code.attr, code.num].add(int(code.parts[0][1:]))
    for (org, attr, num), parts in families.items():
        held = sorted({0, *parts})
        missing = [(before + 1, after - 1) for before, after in pairwise(held) if after - before > 1]
        if missing and len(parts) > 1:
            seen = f"有 held {_ranges(_runs(sorted(parts)))}；缺 missing {_ranges(missing)}"
            yield Finding("family_with_gaps", _family(org, attr, num), seen)


def _family(org: str, attr: str, num: str) -> str:
    if attr == "G":
        return f"T/{org} {num}"
    return f"{org}/{attr} {num}" if attr else f"{org} {num}"


def _runs(parts: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for part in parts:
        if runs and runs[-1][1] == part - 1:
            runs[-1] = (runs[-1][0], part)
        else:
            runs.append((part, part))
    return runs


def _ranges(pairs: Iterable[tuple[int, int]]) -> str:
    return "、".join(f".{first}" if first == last else f".{first}–.{last}" for first, last in pairs)


def _only_in_relations(records: Sequence[StandardRecord]) -> Iterator[Finding]:
    held = {_identity(code) for record in records for code in read_record_code(record.code)}
    told: dict[tuple[object, ...], tuple[str, list[str]]] = {}
    rules = Rules()
    for record in records:
        folded = fold(record.relation_text)
        for found in find_codes(folded, rules):
            code = found.readings[0]
            if code.year and _identity(code) not in held:
                text = folded[found.start : found.end].strip()
                told.setdefault(_identity(code), (text, []))[1].append(record.code)
    for text, namers in told.values():
        yield Finding("only_in_relations", text, f"见于 named by {'、'.join(namers)}")


def _identity(code: Code) -> tuple[object, ...]:
    return code.org, code.attr, code.num, code.parts, code.order_year, code.amend
