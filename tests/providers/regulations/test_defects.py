import pytest

from tests.providers.regulations.law import imported

HEAD = "灯塔维护条例\n2031年3月4日公布\n"


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        (HEAD + "\u00a0\u00a0第一条 甲。\n", "U+00A0 indent", 3),
        (HEAD + "第一条 甲\u00a0乙。\n", "U+00A0 inside", 3),
        (HEAD + "第一条 甲\u200b乙。\n", "invisible character", 3),
        (HEAD + "\u200b\n第一条 甲。\n", "invisible line", 3),
        (HEAD + "**\n第一条 甲。\n", "rule line", 3),
        (HEAD + "第一条 甲：\n(一)乙。\n", "half-width item", 4),
        (HEAD + "第一条 甲~~~~。\n", "markup left in the text", 3),
        (HEAD + "第一条 <b>甲</b>。\n", "HTML left in the text", 3),
        (HEAD + "第一章 总　则\n第一条 甲。\n", "spaces inside a heading", 3),
        ("灯塔维护条例\n2031年3月4日修订）\n第一条 甲。\n", "unbalanced bracket in the header", 2),
        (HEAD + "第一条 甲。\n\n率|值\n---|---\n甲|0. 95\n", "decimal broken by a space", 7),
        (HEAD + "第一条 本条例自2030年1月1日起施行。\n", "commencement in the text differs", 3),
        ("---\ndate: 2029-01-01\n---\n" + HEAD + "第一条 甲。\n", "front matter names another date", 2),
        (HEAD + "第一条 甲。\n", "document number not in the file", 0),
    ],
)
def test_a_defect_is_told_with_its_line_and_blocks_nothing(text: str, kind: str, line: int) -> None:
    found = [(one.kind, one.line, one.blocks) for one in imported(text).defects]
    if kind == "rule line":
        assert not [one for one in found if one[2]]
    else:
        assert (kind, line, False) in found


def test_a_control_character_blocks() -> None:
    found = imported(HEAD + "第一条 甲\u202e乙。\n").defects
    assert [(one.kind, one.where) for one in found if one.blocks] == [("control character", "law.md:3")]


def test_the_charset_is_told_when_it_is_not_utf8_and_a_defect_of_the_file_names_no_line() -> None:
    found = imported((HEAD + "第一条 甲。\n").encode("gb18030")).defects
    assert [one.where for one in found if one.kind == "charset"] == ["law.md"]


def test_what_bears_a_claim_out_is_no_defect() -> None:
    text = (
        "灯塔维护条例\n2031年3月4日灯塔委员会令第七号公布\n"
        "第一条 本条例自2031年6月1日起施行。原条例自2001年1月1日起施行。\n"
    )
    assert imported(text).defects == ()
