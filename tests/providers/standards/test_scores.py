"""Code score, name score and final score: matching.md sections 4 to 6."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.standards.folding import fold, han, norm
from providers.standards.rules import Rules
from providers.standards.scan import find_codes
from providers.standards.scores import (
    FULL,
    Pattern,
    best,
    code_score,
    final_score,
    one_edit,
    ratio,
)

ALL = Rules()


def score(query: str, record: str, rules: Rules = ALL) -> tuple[int, bool]:
    [asked] = find_codes(fold(query), rules)
    [held] = find_codes(fold(record), rules)
    return best(code_score(reading, held.readings[0], rules) for reading in asked.readings)


@pytest.mark.parametrize(
    ("query", "record", "expected"),
    [
        ("GB 50330-2013", "GB 50330-2013", 10_000),  # row 1
        ("GB 50330", "GB 50330", 10_000),
        ("CECS 21:2000", "CECS 21-2000", 10_000),
        ("CJJ 69-95", "CJJ 69-1995", 9_800),  # row 2
        ("GBJ 16-1987", "GBJ 16-87", 9_800),
        ("CJJ 69-05", "CJJ 69-1905", 9_800),
        ("GB/T 6441-1986", "GB 6441-1986", 9_300),  # row 3
        ("GB/T 6441-86", "GB 6441-1986", 9_300),
        ("GB/Z 1-2000", "GB/T 1-2000", 9_300),
        ("CECS 1-2020", "T/CECS 1-2020", 9_300),
        ("GB 50330", "GB 50330-2013", 9_000),  # row 4
        ("GB/T 50330", "GB 50330-2013", 8_000),  # row 5
        ("GB 9706-2020", "GB 9706.1-2020", 8_000),  # row 6
        ("GB 9706", "GB 9706.1-2020", 8_000),
        ("GB/T 9706-20", "GB 9706.1-2020", 8_000),
        ("JTG D70/2-2014", "JTG/T D70/2-01-2014", 8_000),
        ("GB 50330-2014", "GB 50330-2013", 7_000),  # row 7
        ("GB/T 50330-2014", "GB 50330-2013", 7_000),
        ("GB 9706-2019", "GB 9706.1-2020", 7_000),
        ("GB 50330-2013", "GB 50330", 7_000),
        ("GB 50204-20021", "GB 50204-2002", 7_000),
        ("TG/T 5440-2018", "JTG/T 5440-2018", 7_500),  # row 8
        ("GB 50331-2013", "GB 50330-2013", 7_500),
        ("GB 5033-13", "GB 50330-2013", 7_500),
        ("JGJ l8-2012", "JGJ 18-2012", 7_500),
        ("GB 50303-2013", "GB 50330-2013", 0),  # a swap is two edits
        ("GB 50331-2014", "GB 50330-2013", 0),
        ("GB 50331", "GB 50330-2013", 0),
        ("JGJ522006", "JGJ 52-2006", 7_500),  # row 9
        ("JGJ522006", "JGJ/T 52-2006", 0),
        ("JGJ522006", "JGJ 52-2007", 0),
        ("GB 4706.1-2005/XG1-2009", "GB 4706.1-2005", 8_000),  # row 10
        ("GB 4706.1-2006/XG1-2009", "GB 4706.1-2005", 7_000),
        ("JTG D70/2-2014", "JTG D70-2004", 0),  # row 11
        ("JTG F80-1-2004", "JTG F80/1-2004", 7_500),  # separators count: one wrong character
        ("GB 50330-2013", "JGJ 18-2012", 0),
    ],
)
def test_the_table_of_code_scores(query: str, record: str, expected: int) -> None:
    assert score(query, record)[0] == expected


def test_only_the_row_of_one_wrong_character_is_a_slip() -> None:
    assert score("GB 50331-2013", "GB 50330-2013") == (7_500, True)
    assert score("JGJ522006", "JGJ 52-2006") == (7_500, False)


def test_a_part_or_a_year_of_two_digits_each_find_their_record() -> None:
    assert score("JTG/T 2231-01", "JTG/T 2231-01-2020")[0] == 9_000
    assert score("JTG/T 2231-01", "JTG/T 2231-2001")[0] == 9_800


def test_without_the_year_mark_rule_a_colon_is_one_wrong_character() -> None:
    literal = Rules(year_mark=False)
    assert score("CECS 21:2000", "CECS 21-2000", literal)[0] == 7_500
    assert score("CECS 21:2000", "CECS 21:2000", literal)[0] == FULL


def name(query: str, title: str, rules: Rules = ALL) -> int:
    official = norm(title)
    return Pattern(norm(query)).score(official, rules)


@pytest.mark.parametrize(
    ("query", "title", "expected"),
    [
        ("《建筑边坡 工程技术规范》", "建筑边坡工程技术规范", 10_000),
        ("建筑边坡工程技术规范释义", "建筑边坡工程技术规范", 9_667),
        ("边坡工程技术规范", "建筑边坡工程技术规范", 8_900),
        ("验收规程", "钢筋焊接及验收规程", 7_833),
        ("绕结多孔砖和多孔砌块", "烧结多孔砖和多孔砌块", 9_000),
        ("绕结多孔砖", "烧结多孔砖和多孔砌块", 0),
        ("公路隧道设计规范", "公路隧道设计规范 第二册 交通工程与附属设施", 7_700),
        ("", "烧结多孔砖", 0),
        ("烧结多孔砖", "", 0),
    ],
)
def test_the_rows_of_name_scores(query: str, title: str, expected: int) -> None:
    assert name(query, title) == expected


def test_a_short_title_in_a_long_query_counts_only_without_the_floor() -> None:
    long = "建筑施工现场所用安全帽的采购与验收办法"
    assert name(long, "安全帽") == ratio(20_000 * 3, 22)
    assert name(long, "安全帽", Rules(contained_floor=False)) == 9_000 + ratio(800 * 3, 19)


@pytest.mark.parametrize(
    ("code", "title", "final"),
    [
        (10_000, None, 10_000),
        (None, 7_833, 7_833),
        (7_000, 10_000, 9_100),
        (0, 10_000, 7_000),
        (9_333, 1, 6_533),
    ],
)
def test_the_final_score_weighs_the_higher_seven_to_three(
    code: int | None, title: int | None, final: int
) -> None:
    assert final_score(code, title) == final


def naive_common(left: str, right: str) -> int:
    row = [0] * (len(right) + 1)
    for one in left:
        last = row
        row = [0]
        for place, other in enumerate(right):
            row.append(last[place] + 1 if one == other else max(row[place], last[place + 1]))
    return row[-1]


def naive_distance(left: str, right: str) -> int:
    row = list(range(len(right) + 1))
    for down, one in enumerate(left, 1):
        last = row
        row = [down]
        for place, other in enumerate(right, 1):
            row.append(min(last[place] + 1, row[-1] + 1, last[place - 1] + (one != other)))
    return row[-1]


FEW = st.text(alphabet="ab建筑c", max_size=24)


@given(FEW, FEW)
def test_the_common_subsequence_is_that_of_the_plain_table(left: str, right: str) -> None:
    assert Pattern(left).common(right) == naive_common(left, right)


@given(FEW, FEW)
def test_one_edit_is_a_levenshtein_distance_of_one(left: str, right: str) -> None:
    assert one_edit(left, right) == (naive_distance(left, right) == 1)


def test_a_very_long_name_is_compared_from_the_other_side() -> None:
    long = "建筑" * 2_000
    assert Pattern(long).common("筑甲建乙筑") == 3


NAMES = st.text(alphabet="建筑边坡工程技术规范ab1", max_size=20)


@given(NAMES, NAMES)
def test_a_name_score_is_within_bounds_and_full_only_for_the_same(left: str, right: str) -> None:
    found = name(left, right)
    assert 0 <= found <= FULL
    assert (found == FULL) == (left == right != "")


@given(NAMES, NAMES)
def test_fuzzy_name_scores_do_not_depend_on_the_order(left: str, right: str) -> None:
    contained = left in right or right in left
    if not contained and han(left) >= 6 and han(right) >= 6:
        assert name(left, right) == name(right, left)


@given(st.integers(0, FULL), st.integers(0, FULL))
def test_the_final_score_lies_between_its_two(code: int, title: int) -> None:
    assert min(code, title) <= final_score(code, title) == final_score(title, code) <= max(code, title)


@given(st.integers(0, 10**9), st.integers(1, 10**9))
def test_a_ratio_is_rounded_half_up(above: int, below: int) -> None:
    assert -below <= 2 * above - 2 * below * ratio(above, below) < below
