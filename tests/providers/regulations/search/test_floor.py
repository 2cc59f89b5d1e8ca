"""What is no hit: a text with one common pair of a word that it does not hold."""

import pytest

from providers.regulations.search.floor import Floor, whole
from tests.providers.regulations.search.town import Found

TEXT = "特种设备的安全由使用单位负责，安全附件定期检验，消防器材不得挪用，罚款20元，盗窃的移送公安机关"
FREQUENCIES = {"安全": 600, "检验": 90, "负责": 300, "消防": 80, "附件": 2, "单位": 900}


def reached(query: str, *, lay: bool = True, text: str = TEXT) -> bool:
    return Floor(query, FREQUENCIES, 3000, lay=lay).reached(text)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("安全", True),
        ("安全附件", True),
        ("安全阀", False),
        ("安全阀怎么用", False),
        ("安全阀用什么", False),
        ("安全阀 20", False),
        ("消防车道宽度", False),
        ("安全阀 检验", True),
        ("安全阀校准规程 检验", False),
        ("安全附件周期", True),
        ("安全附件校准周期", False),
        ("20", True),
        ("21", False),
        ("阀", False),
        ("用", True),
        ("小偷", True),
        ("二手车", False),
        # A question is asked for less: two pairs, or an everyday word that is printed otherwise.
        ("附件上面画着图吗", False),
        ("负责保管钥匙安全吗", True),
        ("安全阀由谁来用", False),
        ("我家进了小偷会怎么样", True),
        ("那只老旧生锈掉漆安全阀门", False),
        ("那只老旧生锈掉漆消防单位", True),
        ("", False),
    ],
)
def test_a_unit_is_a_hit_only_with_a_word_nearly_whole_or_enough_of_a_question(
    query: str, expected: bool
) -> None:
    assert reached(query) is expected


def test_how_long_is_in_every_question_and_says_nothing_beside_no_other_word() -> None:
    text = f"{TEXT}，应当在三日内完成"
    assert reached("附件上面要画几天图", text=text)
    assert not reached("窗帘上面要画几天图", text=text)
    assert not reached("单位上面要画几天图", text=text)


@pytest.mark.parametrize(
    "nonsense", ["怎样用毛线织一条围巾", "红烧肉要炖多久才烂", "明天北京会下雨吗", "月球背面有水吗"]
)
def test_a_question_about_something_else_is_empty(found: Found, nonsense: str) -> None:
    result = found.result(nonsense)
    assert (result.state, result.hits) == ("empty", ())


def test_without_the_everyday_words_only_its_own_words_count() -> None:
    assert not reached("小偷", lay=False)


@pytest.mark.parametrize(
    ("query", "expected"),
    [("安全附件 检验", True), ("安全阀 检验", False), ("谁负责检验吗", False), ("20 罚款", True)],
)
def test_whether_all_words_stand_in_a_text(query: str, expected: bool) -> None:
    assert whole(query, TEXT) is expected


def test_a_word_that_no_text_holds_is_empty_though_a_pair_of_it_stands_somewhere(found: Found) -> None:
    assert found.ids("灯罩")
    for query in ("灯罩机", "停车费", "打碎机", "公安局长任免"):
        result = found.result(query)
        assert (result.state, result.hits) == ("empty", ()), query
    assert found.ids("打碎 灯罩机")


@pytest.mark.parametrize(
    ("query", "expected"), [("附件上面画着图吗", True), ("窗帘上面画着图吗", False), ("附件", False)]
)
def test_a_rare_pair_of_a_question_is_something_where_it_is_near_in_meaning_too(
    query: str, expected: bool
) -> None:
    assert Floor(query, FREQUENCIES, 3000, lay=True).by_chance(TEXT) is expected
