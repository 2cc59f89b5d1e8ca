"""The acceptance cases of the matcher design (section 13) that concern matching; scores of matching.md."""

import pytest

from providers.standards.library import COLUMNS, Library, StandardRecord, loads, starter
from providers.standards.matching import search
from providers.standards.rules import Rules

BOTH = pytest.mark.parametrize("rules", [Rules(), Rules.literal()], ids=["refined", "literal"])


def library(*rows: tuple[str, str]) -> Library:
    return Library(
        "made", tuple(StandardRecord(code, code.replace(" ", ""), title, "", "", "") for code, title in rows)
    )


def found(query: str, rules: Rules, held: Library | None = None) -> list[tuple[str, int]]:
    return [(one.record.code, one.score) for one in search(held or starter(), query, rules=rules)]


@pytest.mark.req("matcher-01")
@BOTH
def test_a_full_code_with_its_title_comes_first_with_a_full_score(rules: Rules) -> None:
    assert found("GB 50330-2013 建筑边坡工程技术规范", rules)[0] == ("GB 50330-2013", 10_000)


@pytest.mark.req("matcher-02")
@BOTH
@pytest.mark.parametrize(
    "query",
    ["GB 50330—2013", "ＧＢ　５０３３０－２０１３", "GB  50330 — 2013", "GB50330–2013", "G B 50330-2013"],
)
def test_full_width_marks_and_spare_blanks_do_not_hide_a_code(query: str, rules: Rules) -> None:
    assert found(query, rules)[0] == ("GB 50330-2013", 10_000)


@pytest.mark.req("matcher-03")
@BOTH
def test_a_two_digit_year_finds_the_four_digit_one(rules: Rules) -> None:
    assert found("CJJ 69-95", rules) == [("CJJ 69-1995", 9_800)]


@pytest.mark.req("matcher-04")
@BOTH
def test_another_attribute_still_finds_the_standard_below_the_exact_code(rules: Rules) -> None:
    [exact, *_] = found("GB 6441-1986", rules)
    [other, *_] = found("GB/T 6441-1986", rules)
    assert (exact, other) == (("GB 6441-1986", 10_000), ("GB 6441-1986", 9_300))


@pytest.mark.req("matcher-05")
@BOTH
def test_a_code_without_a_year_finds_every_edition(rules: Rules) -> None:
    assert found("GB 50330", rules) == [("GB 50330-2013", 9_000), ("GB 50330-2002", 9_000)]


@pytest.mark.req("matcher-06")
@BOTH
def test_a_title_finds_every_edition_that_has_it(rules: Rules) -> None:
    assert found("建筑边坡工程技术规范", rules) == [("GB 50330-2013", 10_000), ("GB 50330-2002", 10_000)]


@pytest.mark.req("matcher-07")
@BOTH
def test_a_title_with_one_wrong_character_is_found(rules: Rules) -> None:
    assert ("GB 13544-2011", 9_000) in found("绕结多孔砖和多孔砌块", rules)


@pytest.mark.req("matcher-08")
@BOTH
def test_one_wrong_character_in_the_code_beside_the_right_title_is_found(rules: Rules) -> None:
    assert found("TG/T 5440-2018 公路隧道加固技术规范", rules)[0] == ("JTG/T 5440-2018", 9_250)


@pytest.mark.req("matcher-09")
@BOTH
def test_a_title_is_found_although_the_code_disagrees_and_the_score_shows_it(rules: Rules) -> None:
    query = "JTG D70/2-2014 公路隧道设计规范"
    assert found(query, rules)[:2] == [("JTG D70/2-2014", 9_310), ("JTG D70-2004", 7_000)]
    alone = library(("JTG D70-2004", "公路隧道设计规范"))
    assert found(query, rules, alone) == [("JTG D70-2004", 7_000)]


@pytest.mark.req("matcher-10")
@BOTH
def test_a_code_that_only_a_relation_names_finds_nothing(rules: Rules) -> None:
    assert any("YY 91087-1999" in record.relation_text for record in starter().records)
    assert found("YY 91087-1999", rules) == []


@pytest.mark.req("matcher-11")
@BOTH
def test_of_four_editions_the_three_newest_come_back(rules: Rules) -> None:
    title = "钢筋焊接及验收规程"
    held = library(*((f"JGJ 18-{year}", title) for year in (1984, 1996, 2012, 2003)))
    newest = ["JGJ 18-2012", "JGJ 18-2003", "JGJ 18-1996"]
    assert found("JGJ 18", rules, held) == [(code, 9_000) for code in newest]
    assert found(title, rules, held) == [(code, 10_000) for code in newest]
    four = ["YY/T 0316-2003", "YY/T 0316-2008", "YY/T 0316-2015", "YY/T 0316-2016"]
    assert [code for code, _ in found("YY/T 0316", rules)] == four[:0:-1]


@pytest.mark.req("matcher-12")
@BOTH
def test_what_nothing_resembles_finds_nothing(rules: Rules) -> None:
    assert found("本地规范库中不存在的规范", rules) == []


@pytest.mark.req("matcher-15")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_a_library_reads_the_same_in_every_encoding(encoding: str) -> None:
    text = (
        ",".join(COLUMNS)
        + "\nGB 50330-2013,GB50330-2013,建筑边坡工程技术规范,现行,替代 GB 50330-2002,2014-06-01\n"
    )
    read = loads(text.encode(encoding))
    assert read.records == (
        StandardRecord(
            "GB 50330-2013",
            "GB50330-2013",
            "建筑边坡工程技术规范",
            "现行",
            "替代 GB 50330-2002",
            "2014-06-01",
        ),
    )
    assert read.revision == loads(text.encode()).revision


@pytest.mark.req("matcher-16")
@BOTH
def test_the_right_title_with_another_year_comes_back_with_0_91(rules: Rules) -> None:
    assert found("钢筋焊接及验收规程JGJ 18-2022", rules) == [("JGJ 18-2012", 9_100)]


@pytest.mark.req("matcher-17")
@BOTH
def test_blanks_around_the_separators_of_a_code_do_not_matter(rules: Rules) -> None:
    assert found("GB / T 6441 - 1986", rules)[0] == ("GB 6441-1986", 9_300)


@pytest.mark.req("matcher-18")
@BOTH
def test_a_short_general_title_never_scores_near_0_90(rules: Rules) -> None:
    assert found("验收规程", rules) == [("JGJ 18-2012", 7_833)]
    # The shortest titles that can hold it: four characters of five are the most it can cover.
    held = library(("GB 1-2000", "验收规程甲"), ("GB 2-2000", "甲验收规程"))
    assert {score for _, score in found("验收规程", rules, held)} == {8_900}
