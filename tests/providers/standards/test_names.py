"""The name in a query: matching.md section 5."""

import pytest

from providers.standards.folding import fold
from providers.standards.names import codes_outside_titles, edition_year, query_names, title_name, whole_name
from providers.standards.rules import Rules
from providers.standards.scan import find_codes

ALL = Rules()


def names(query: str, rules: Rules = ALL) -> tuple[str, ...]:
    folded = fold(query)
    return query_names(folded, codes_outside_titles(folded, find_codes(folded, rules)), rules)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("《建筑边坡工程技术规范》GB 50330-2013", ("建筑边坡工程技术规范",)),
        ("GB 50330-2013建筑边坡工程技术规范", ("建筑边坡工程技术规范",)),
        ("依据《钢结构设计规范》和《混凝土结构设计规范》施工", ("钢结构设计规范", "混凝土结构设计规范")),
        ("《》建筑边坡", ("建筑边坡",)),
        ("1、建筑边坡工程技术规范", ("建筑边坡工程技术规范",)),
        ("(3) 建筑边坡工程技术规范", ("建筑边坡工程技术规范",)),
        ("（三）建筑边坡工程技术规范", ("建筑边坡工程技术规范",)),
        ("2.建筑边坡工程技术规范", ("建筑边坡工程技术规范",)),
        ("3.5米以下边坡", ("35米以下边坡",)),
        ("建筑边坡工程技术规范.pdf", ("建筑边坡工程技术规范",)),
        ("建筑设计防火规范（2018年版）", ("建筑设计防火规范",)),
        ("建筑设计防火规范2018修订版", ("建筑设计防火规范",)),
        ("混凝土结构设计规范（2021年局部修订）", ("混凝土结构设计规范",)),
        ("建筑基坑支护技术规程（附条文说明）", ("建筑基坑支护技术规程",)),
        ("建筑基坑支护技术规程[含条文说明]", ("建筑基坑支护技术规程",)),
        ("公路工程预算定额（共2册）", ("公路工程预算定额",)),
        ("2018年版", ("2018年版",)),
        ("GB 50016-2014（2018年版）", ()),
        ("JGJ130-2011 第6.3.2条", ()),
        ("GB 50330 现行国家标准", ()),
        ("现行国家标准", ("现行国家标准",)),
        ("GB 50330-2013 坡", ()),
        ("GB 50330-2013", ()),
        ("", ()),
        ("《》、。", ()),
    ],
)
def test_a_query_has_these_names(query: str, expected: tuple[str, ...]) -> None:
    assert names(query) == expected


def test_each_rule_of_the_name_can_be_switched_off() -> None:
    assert names("依据《钢结构设计规范》", Rules(quoted_name=False)) == ("依据钢结构设计规范",)
    assert names("建筑设计防火规范（2018年版）", Rules(edition_notes=False)) == ("建筑设计防火规范2018年版",)
    assert names("GB 50330 现行国家标准", Rules(noise_words=False)) == ("现行国家标准",)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("《软件工程 GB/T 19001-2000应用于计算机软件的指南》", 0),
        ("《GB 50330-2013 建筑边坡工程技术规范》", 1),
        ("《建筑抗震设计规范GB50011-2010（2016年版）》", 1),
        ("《建筑抗震设计规范》GB50011-2010《释义》", 1),
        ("《甲》GB 1-2000《乙 GB/T 2-2000 丙》GB 3-2000", 2),
    ],
)
def test_a_number_within_the_words_of_a_title_belongs_to_the_title(query: str, count: int) -> None:
    folded = fold(query)
    assert len(codes_outside_titles(folded, find_codes(folded, ALL))) == count


def test_a_title_and_a_whole_query_lose_the_same_remarks() -> None:
    assert title_name("建筑设计防火规范（2018年版）", ALL) == whole_name(fold("建筑设计防火规范.pdf"), ALL)


@pytest.mark.parametrize(
    ("text", "year"),
    [("建筑设计防火规范（2018年版）", "2018"), ("2023修订版", "2023"), ("GB 50016-2014", None), ("", None)],
)
def test_the_edition_that_a_text_names(text: str, year: str | None) -> None:
    assert edition_year(fold(text)) == year
