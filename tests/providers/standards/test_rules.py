"""The eight departures from the design's letter: each is a switch of its own (matching.md, R1-R8)."""

from dataclasses import fields, replace

import pytest

from providers.standards.library import Library, StandardRecord
from providers.standards.matching import search
from providers.standards.rules import Rules


def test_all_eight_are_on_by_default_and_off_in_the_literal_matcher() -> None:
    names = [field.name for field in fields(Rules)]
    assert len(names) == 8
    assert Rules() == Rules(*[True] * 8)
    assert Rules.literal() == Rules(*[False] * 8)


# For each rule a query and a library in which it alone changes the answer.
CHANGES = {
    "quoted_name": ("依据《钢结构设计规范》施工", [("GB 1-2000", "钢结构设计规范")]),
    "edition_notes": ("建筑设计防火规范.pdf", [("GB 1-2000", "建筑设计防火规范")]),
    "noise_words": ("GB 1-2000 现行国家标准", [("GB 1-2000", "建筑设计防火规范")]),
    "quiet_typo": ("GB 1001-2000", [("GB 1001-2001", "甲"), ("GB 1002-2000", "乙")]),
    "glued_attribute": ("GBT 1001-2000", [("GB/T 1001-2000", "甲")]),
    "year_mark": ("CECS 21:2000", [("CECS 21-2000", "甲")]),
    "contained_floor": ("建筑施工现场所用安全帽的采购", [("GB 1-2000", "安全帽")]),
    "group_mark": ("CECS 21-2000", [("T/CECS 21-2000", "甲")]),
}


@pytest.mark.parametrize(
    ("rule", "query", "rows"), [(rule, *case) for rule, case in CHANGES.items()], ids=CHANGES
)
def test_each_rule_changes_an_answer_by_itself(rule: str, query: str, rows: list[tuple[str, str]]) -> None:
    held = Library("made", tuple(StandardRecord(code, "", title, "", "", "") for code, title in rows))
    assert search(held, query) != search(held, query, rules=replace(Rules(), **{rule: False}))
