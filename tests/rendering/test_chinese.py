"""What an audit says in English it says in Chinese too: no rule and no sentence is left out or left over."""

import re

import pytest

from evidence.rendering.chinese import both, chinese, with_english
from evidence.rendering.chinese_rules import RULES
from evidence.rendering.chinese_words import SAID
from tests.rendering.english import HOLE, order_rules, rules, sentences, written

# What holds sentences, and says nothing by itself.
FRAMES = ("{said} ({said_more})", "{said} ({more})", "{what}: {said}", "the {said_anchor}: {why}")
SQLITE = ("file is not a database", "database disk image is malformed")
_HOLE = re.compile(r"\{(\w+)\}")


def test_each_rule_that_the_source_can_make_has_its_chinese_and_no_other_has() -> None:
    found = rules()
    assert found == set(RULES)
    assert {"no gap", "plan-first", "invalid", "one log, one name"} <= found
    assert len(order_rules()) == 16


def test_each_sentence_that_the_source_can_say_has_its_chinese() -> None:
    found = sentences() - {_HOLE.sub(HOLE, one) for one in FRAMES}
    assert len(found) > 150
    assert "the policy names no key of {}" in found
    assert [one for one in sorted(found) if chinese(one.replace(HOLE, "7")) is None] == []


def test_each_sentence_in_the_table_is_one_of_the_source() -> None:
    said = [re.compile(".+?".join(map(re.escape, one.split(HOLE))), re.DOTALL) for one in written()]
    filled = {english: _HOLE.sub("7", english) for english in SAID if english not in (*FRAMES, *SQLITE)}
    assert [
        english
        for english, text in filled.items()
        # Some are said of a place or a file that the sentence before them names.
        if not any(one.fullmatch(form) for form in (text, f"7: {text}", text[2:]) for one in said)
    ] == []


def test_both_sides_of_a_sentence_hold_the_same_values_or_the_english_after_it_tells() -> None:
    held = {english: (set(_HOLE.findall(english)), set(_HOLE.findall(SAID[english]))) for english in SAID}
    assert [english for english, (one, other) in held.items() if one != other] == ["it begins with {text}"]


def test_the_chinese_is_chinese_and_ends_without_a_full_stop() -> None:
    told = [*RULES.values(), *(SAID[one] for one in SAID if one not in FRAMES)]
    plain = [_HOLE.sub("", one) for one in told]
    assert [one for one in plain if not re.search(r"[\u4e00-\u9fff]", one)] == []
    assert [one for one in told if one.endswith(("。", "."))] == []


@pytest.mark.parametrize(
    ("english", "told"),
    [
        ("no gap", "序号连续，没有缺口"),
        ("12 records", "12 条记录"),
        (
            "what was kept cannot be compared: policy: the file is empty (try again)",
            "您留存的文件无法比对：信任文件：文件是空的（请再试一次）",
        ),
        ("the checkpoint of 9 records is of another log, e.org/x", "9 条记录的检查点属于另一个日志 e.org/x"),
        (
            "signatures need the extra [sign] (pip install '.[sign]' in a checkout of the project)",
            "核对签名需要安装 [sign]（请在项目的检出目录里运行 pip install '.[sign]'）",
        ),
        ("/a (b)/账本 is empty", "/a (b)/账本 是空文件"),
        ("blake3:00: the plan is blocked", "blake3:00：计划的状态是 blocked"),
        ("x is empty (somebody else's words)", "x 是空文件（somebody else's words）"),
    ],
)
def test_a_sentence_is_told_with_its_values(english: str, told: str) -> None:
    assert chinese(english) == told
    assert both(english) == f"{told} {english}"
    assert with_english(english) == f"{told}（{english}）"


@pytest.mark.parametrize("text", ["blake3:00", "record.actor must be text, found 5", "a: b", "x records", ""])
def test_words_of_others_stay_as_they_are(text: str) -> None:
    assert chinese(text) is None
    assert both(text) == with_english(text) == text
