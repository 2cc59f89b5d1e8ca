"""Clause candidates: what is a label, how far its excerpt goes, and offsets that hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.web.extraction import clauses
from schemas.web import WebClauseCandidate


def found(text: str) -> list[tuple[str, str]]:
    return [(one.clause_no, one.excerpt) for one in clauses.candidates(text)]


def numbers(text: str) -> list[str]:
    return [one.clause_no for one in clauses.candidates(text)]


def test_an_article_holds_its_paragraphs_and_every_item_up_to_the_next() -> None:
    text = "第一条　施工单位应当：\n（一）甲；\n（二）乙。\n另有约定的，从其约定。\n\n第二条　丙。\n"
    assert list(clauses.candidates(text)) == [
        WebClauseCandidate(
            clause_no="第一条",
            excerpt="第一条　施工单位应当：\n（一）甲；\n（二）乙。\n另有约定的，从其约定。",
            start=0,
            end=35,
        ),
        WebClauseCandidate(clause_no="第二条", excerpt="第二条　丙。", start=37, end=43),
    ]


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("第一条　甲", "第一条"),
        ("第一条为了甲", "第一条"),
        ("第 十 一 条 甲", "第十一条"),
        ("　　第一百二十条之一　甲", "第一百二十条之一"),
        ("\xa0\xa0\xa0\xa0\xa0\xa0\xa0第八条 甲", "第八条"),
        ("第12条 甲", "第12条"),
        ("第１２条　甲", "第１２条"),
        ("第一一六条 甲", "第一一六条"),
        ("**第三条** 甲", "第三条"),
        ("第六条有关部门应当甲", "第六条"),
        ("第三条 第二产业甲", "第三条"),
        ("第五条（适用范围）甲", "第五条"),
        ("第二款 甲", "第二款"),
        ("第三项：甲", "第三项"),
        ("3.1.2 基坑应当监测", "3.1.2"),
        ("3.1.2基坑应当监测", "3.1.2"),
        ("5.0.3A　基坑应当监测", "5.0.3A"),
        ("３．１．２　基坑应当监测", "３．１．２"),
        ("3. 1. 2 基坑应当监测", "3.1.2"),
        ("4.2 Scope of it", "4.2"),
        ("A.0.1 本附录适用于甲", "A.0.1"),
        ("附录A （规范性）甲", "附录A"),
        ("附 录 B 甲", "附录B"),
    ],
)
def test_a_label_is_kept_as_written_without_blanks(line: str, number: str) -> None:
    assert numbers(line) == [number]


@pytest.mark.parametrize(
    "line",
    [
        "依照本法第三条的规定办理。",
        "第三条的规定适用于甲",
        "第三条规定的甲",
        "第三条、第四条甲",
        "第三条至第五条甲",
        "第三条和第四条甲",
        "第三条或者第四条甲",
        "第三条第二款甲",
        "第三条 第二款甲",
        "第三条所称甲",
        "第三条之规定",
        "第三条以上甲",
        "第二款规定的甲",
        "第二款甲",
        "第一条 总则…………3",
        "第一条 总则......... 3",
        "第条",
        "第 一",
        "3.5 mm 厚",
        "3.5mm厚",
        "12.5 万元",
        "2.0℃",
        "3.1",
        "3.1.2",
        "0.95 系数",
        "2024.01.05 发布",
        "3.1.2 基坑 ........ 12",
        "3.1ABC 甲",
        "附录A.......... 3",
        "1 总则",
        "A 甲",
    ],
)
def test_references_measures_and_entries_of_contents_are_no_labels(line: str) -> None:
    assert numbers(line) == []


def test_a_reference_that_a_line_break_cut_is_no_label() -> None:
    assert numbers("第一条 单位应当依照\n第九条 甲。\n第二条 乙。") == ["第一条", "第二条"]


def test_a_heading_that_ends_like_one_hides_nothing() -> None:
    assert numbers("第二章　处罚的种类和\n第十条　甲。") == ["第十条"]


@pytest.mark.parametrize(
    "line",
    [
        "第二章　总则",
        "第 二 节 甲",
        "第三编 甲",
        "第一部分 甲",
        "附件：",
        "附件1 甲",
        "附表 1",
        "附：甲",
        "附则",
        "附录",
        "上一篇：甲",
        "版权所有 某局",
        "责任编辑：甲",
        "【打印】",
    ],
)
def test_headings_annexes_and_the_furniture_of_a_page_end_an_article(line: str) -> None:
    assert found(f"第一条　甲。\n{line}\n乙") == [("第一条", "第一条　甲。")]


def test_a_long_line_about_a_chapter_is_no_heading() -> None:
    line = f"第二章 {'甲' * 80}"
    assert found(f"第一条　甲。\n{line}") == [("第一条", f"第一条　甲。\n{line}")]


def test_labelled_paragraphs_are_candidates_inside_their_article() -> None:
    text = "第一条 甲。\n第一款 乙：\n第一项 丙；\n第二项 丁。\n第二款 戊。\n第二条 己。"
    assert [(one.clause_no, one.start, one.end) for one in clauses.candidates(text)] == [
        ("第一条", 0, 34),
        ("第一款", 7, 27),
        ("第一项", 14, 20),
        ("第二项", 21, 27),
        ("第二款", 28, 34),
        ("第二条", 35, 41),
    ]


def test_an_excerpt_is_cut_at_its_bound() -> None:
    text = "第一条 " + "甲" * 5000
    (one,) = clauses.candidates(text)
    assert (one.start, one.end, len(one.excerpt)) == (0, 2000, 2000)


def test_decimal_numbers_inside_articles_are_part_of_them() -> None:
    text = "第一条 甲。\n1.1 乙乙\n第二条 丙。\n第三条 丁。\n"
    assert numbers(text) == ["第一条", "第二条", "第三条"]
    assert numbers("第一条 甲。\n1.1 乙乙\n1.2 丙丙") == ["第一条", "1.1", "1.2"]


CONTENTS = """目　次
3 基本规定
3.1 一般规定
3.2 监测要求
附录A 监测表
3 基本规定
3.1 一般规定
3.1.1 基坑应当监测。
3.2 监测要求
3.2.1 监测应当记录。
附录A 监测表
A.0.1 本表用于记录。
"""


def test_the_entries_of_a_table_of_contents_are_left_out() -> None:
    assert numbers(CONTENTS) == ["3.1", "3.1.1", "3.2", "3.2.1", "附录A", "A.0.1"]
    assert next(iter(clauses.candidates(CONTENTS))).start > CONTENTS.index("附录A")


def test_contents_without_clauses_hide_no_article() -> None:
    text = "目录\n第一章 总则\n第二章 附则\n第一章 总则\n第一条 甲。\n第二章 附则\n第二条 乙。\n"
    assert numbers(text) == ["第一条", "第二条"]
    assert numbers("第一条 甲。\n目录\n") == ["第一条"]


def test_numbers_that_start_again_in_an_annex_hide_no_article() -> None:
    text = "目录\n第一条 甲。\n第二条 乙。\n附件1 规则\n第一条 丙。\n第二条 丁。\n"
    assert numbers(text) == ["第一条", "第二条"] * 2


def test_a_clause_may_start_in_a_cell_and_on_a_page_but_a_number_in_a_cell_is_data() -> None:
    assert numbers("序号\t第一条　甲\f第二条　乙\n深度\t3.5 米以上甲\t4.2 某值") == ["第一条", "第二条"]


PIECES = [
    "第",
    "一",
    "十",
    "条",
    "款",
    "项",
    "之",
    "章",
    "附录A",
    "附件",
    "目录",
    "3.1",
    ".2",
    "A.0.1",
    " ",
    "　",
    "\n",
    "\f",
    "\t",
    "甲",
    "的",
    "。",
    "（一）",
    "依照",
    "……3",
    "１",
    "𠅤",
    "*",
]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join), st.integers(1, 40))
def test_every_candidate_is_the_slice_it_names(text: str, most: int) -> None:
    starts = []
    for one in clauses.candidates(text, most=most):
        assert text[one.start : one.end] == one.excerpt
        assert 0 < len(one.excerpt) <= most
        assert one.clause_no
        starts.append(one.start)
    assert starts == sorted(set(starts))


@given(st.text())
def test_any_text_has_candidates_that_are_slices_of_it(text: str) -> None:
    assert all(text[one.start : one.end] == one.excerpt for one in clauses.candidates(text))


def test_only_so_many_labels_of_a_text_are_read() -> None:
    most = clauses.MOST_LABELS
    assert numbers("第一条 甲。\n" * (most + 1)) == ["第一条"] * most
