import pytest

from providers.regulations.lines import MOST_BYTES, clean, decode
from schemas.errors import InvalidError


def cleaned(text: str) -> list[str]:
    return [line.text for line in clean(text.encode()).lines]


def reasons(text: str) -> list[tuple[int, str]]:
    return [(aside.number, aside.reason) for aside in clean(text.encode()).asides]


def test_marks_go_and_the_text_stays_as_it_is() -> None:
    assert cleaned("### **第一章 总 则**\r\n> 引文\r　　全角（）ａ，fi\n****四星****\n") == [
        "第一章 总 则", "引文", "全角（）ａ，fi", "四星",
    ]  # fmt: skip


def test_an_odd_bold_mark_stays_for_a_reviewer_to_see() -> None:
    assert cleaned("**甲**乙**丙\n__丁__") == ["甲乙**丙", "丁"]


def test_all_of_unicodes_white_space_is_stripped_and_nothing_else() -> None:
    assert cleaned("\u00a0" * 7 + "第一条\u2003\n\u3000\u0085\u2028\n\x1f甲") == ["第一条", "\x1f甲"]


def test_a_br_ends_a_line_and_both_parts_keep_the_number() -> None:
    lines = clean("甲<br>　　乙<BR/>丙".encode()).lines
    assert [(line.number, line.part, line.text) for line in lines] == [
        (1, 0, "甲"),
        (1, 1, "乙"),
        (1, 2, "丙"),
    ]


def test_lines_without_text_are_set_aside_by_name() -> None:
    text = "---\na: b\n---\n<!-- x\ny -->\n甲<!-- z -->\n----\n\u200b\n**\n---|---\n* * *\n>\n# \n</table>\n"
    assert reasons(text) == [
        (1, "front matter"), (2, "front matter"), (3, "front matter"), (4, "comment"), (5, "comment"),
        (7, "rule"), (8, "invisible"), (9, "rule"), (10, "table rule"), (11, "rule"),
        (12, "markup"), (13, "markup"), (14, "markup"),
    ]  # fmt: skip
    assert cleaned(text) == ["甲"]


@pytest.mark.parametrize("text", ["---\n甲", "\n甲\n---", ""])
def test_front_matter_that_does_not_close_is_none(text: str) -> None:
    assert ("甲" in cleaned(text)) is ("甲" in text)


def test_utf8_with_and_without_its_mark_and_gb18030_give_one_text() -> None:
    text = "第一条 灯塔〇𠀀"
    encoded = (text.encode(), text.encode("utf-8-sig"), text.encode("gb18030"))
    assert {decode(data)[0] for data in encoded} == {text}
    assert decode(encoded[2])[1] == "gb18030"


def test_bytes_that_are_neither_are_refused_and_never_replaced() -> None:
    with pytest.raises(InvalidError, match="neither"):
        decode(b"\xff\xfe\xff")
    with pytest.raises(InvalidError, match="at most"):
        decode(b" " * (MOST_BYTES + 1))
