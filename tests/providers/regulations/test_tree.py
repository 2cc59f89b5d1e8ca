"""Which line becomes which node, on made-up texts."""

import pytest

from providers.regulations.node import clause_key
from tests.providers.regulations.law import CHAPTERS, Dress, blocked, imported, kinds, texts


def test_a_law_with_every_level_becomes_its_tree() -> None:
    found = imported(Dress().render(CHAPTERS))
    assert list(texts(found)) == [
        "note1", "ch1", "art1", "art1/p1", "art2", "art2/p1", "art2/p1/i1", "art2/p1/i1/si1",
        "art2/p1/i1/si2", "art2/p1/i2", "art2/p1/i3", "art2/p2", "ch2", "art3", "art3/p1",
        "art3/p2", "art3-1", "art3-1/p1", "art4", "art4/p1", "art4/p1/i1", "art4/p1/i2", "ch3",
        "art5", "art5/p1",
    ]  # fmt: skip
    assert blocked(found) == []
    text = texts(found)
    assert text["art2/p1/i1"] == "岸上的灯塔，包括：\n石砌的；\n铁制的。"
    assert text["art2/p2"] == "前款所称灯塔不含玩具。"
    assert text["art2"] == f"{text['art2/p1']}\n{text['art2/p2']}"
    assert text["ch1"] == "总则"
    names = {node.path: node.clause_no for node in found.entry.nodes}
    assert names["art2/p1/i1/si2"] == "第二条第一款第（一）项第二目"
    assert (names["art3-1/p1"], names["ch2"]) == ("第三条之一第一款", "第二章")
    parents = {node.path: node.parent for node in found.entry.nodes}
    assert (parents["art3"], parents["art3/p1"], parents["ch2"]) == ("ch2", "art3", "")
    assert [node.ordinal for node in found.entry.nodes] == list(range(1, 26))
    assert found.entry.scheme == "article"
    assert found.entry.articles == 6


def test_a_paragraph_after_the_items_is_the_next_paragraph() -> None:
    found = texts(
        imported("示例法\n第一条 有下列情形之一的：\n（一）甲；\n（二）乙。\n前款另有规定的除外。\n")
    )
    assert found["art1/p2"] == "前款另有规定的除外。"
    assert found["art1/p1/i2"] == "乙。"


def test_the_clause_key_comes_from_the_id_and_belongs_to_the_body() -> None:
    assert clause_key("a@2000#art120-1/p2/i3/si1") == "120-1.2.3.1"
    assert clause_key("a@2000#anx1/art3") == ""
    assert clause_key("a@2000#art14~2") == ""


@pytest.mark.parametrize("end", ["第一条 甲。", "这是一段很长的导言，说明条例为何制定。"])
def test_a_table_of_contents_makes_no_nodes(end: str) -> None:
    body = (
        "示例法\n目　录\n第一章　总　则\n第二章　附则\n"
        f"{end}\n第一章 总则\n第一条 甲。\n第二章 附则\n第二条 乙。\n"
    )
    found = imported(
        body.replace("第一条 甲。\n第一章 总则\n", "第一章 总则\n") if end.startswith("第一条") else body
    )
    paths = list(texts(found))
    assert [path for path in paths if path.startswith("ch")] == ["ch1", "ch2"]
    assert "table of contents" in kinds(found)
    assert blocked(found) == []


def test_contents_that_run_into_an_article_or_to_the_end_stop_there() -> None:
    found = imported("示例法\n目录\n第一编 总则\n第一章 甲\n第一条 甲。\n第二条 乙。\n")
    assert list(texts(found)) == ["art1", "art1/p1", "art2", "art2/p1"]
    assert blocked(imported("示例法\n目录\n第一章 总则\n")) == [("no text", 0)]
    assert blocked(imported("示例法\n目录")) == [("no text", 0)]


def test_a_list_of_links_is_contents_too() -> None:
    found = imported("# 示例法\n- [第一章 总则](#第一章-总则)\n## 第一章 总则\n第一条 甲。\n")
    assert list(texts(found)) == ["ch1", "art1", "art1/p1"]


def test_books_parts_chapters_and_sections_nest_and_articles_stand_apart_from_them() -> None:
    found = imported(
        "示例法典\n第一编 总则\n第一分编 通则\n第一章 甲\n第一节 子\n第一条 一。\n第二节 丑\n第二条 二。\n"
        "第二编 分则\n第一章 乙\n第三条 三。\n"
    )
    names = [path for path in texts(found) if "p" not in path]
    assert names == [
        "bk1", "bk1/sbk1", "bk1/sbk1/ch1", "bk1/sbk1/ch1/sec1", "art1", "bk1/sbk1/ch1/sec2", "art2",
        "bk2", "bk2/ch1", "art3",
    ]  # fmt: skip
    assert blocked(found) == []


def test_a_chapter_whose_title_stands_on_the_next_line_gets_it() -> None:
    found = texts(imported("示例法\n第一章\n总　则\n第一条 甲。\n"))
    assert found["ch1"] == "总则"


def test_text_under_a_heading_and_before_any_label_is_kept() -> None:
    found = texts(imported("示例法\n第一章 总则\n本章说明总的原则，适用于全部各条。\n第一条 甲。\n"))
    assert found["ch1/p1"] == "本章说明总的原则，适用于全部各条。"


def test_a_paragraph_that_begins_with_a_reference_is_no_article() -> None:
    found = imported(
        "示例法\n第一条 甲。\n第二条 乙。\n第一条第二款的规定不适用。\n第二条规定的期限为十日。\n"
        "第一条所称灯塔，另定之。\n"
        "第一条里的词另有含义。\n"
    )
    assert [path for path in texts(found) if "/" not in path] == ["art1", "art2"]
    assert len([path for path in texts(found) if path.startswith("art2/p")]) == 5
    assert "reference at line start" in kinds(found)


def test_a_glued_label_is_a_label_when_its_number_follows() -> None:
    found = imported("示例法\n第一条为了航行安全，制定本法。\n第二条灯塔长明。\n")
    assert texts(found)["art2"] == "灯塔长明。"
    assert "label glued to the text" in kinds(found)


def test_a_label_alone_on_its_line_takes_the_next_line_as_its_first_paragraph() -> None:
    found = imported("示例法\n第一条\n灯塔长明。\n")
    assert texts(found) == {"art1": "灯塔长明。", "art1/p1": "灯塔长明。"}
    assert blocked(found) == []


def test_an_item_right_behind_the_label_has_a_paragraph_of_its_own() -> None:
    found = texts(imported("示例法\n第一条 （一）甲；\n（二）乙。\n"))
    assert found["art1/p1"] == "甲；\n乙。"
    assert found["art1/p1/i1"] == "甲；"


def test_a_subitem_without_an_item_hangs_from_its_paragraph_and_needs_one() -> None:
    found = texts(imported("示例法\n第一条 如下：\n1.甲；\n2. 乙。\n第二条\n1.丙。\n第三条 1.丁。\n"))
    assert found["art1/p1/si2"] == "乙。"
    assert found["art2/p1"] == "1.丙。"
    assert found["art3/p1"] == "1.丁。"


def test_a_preface_and_a_preamble_stand_before_the_first_article() -> None:
    constitution = imported(
        "# 示例宪章\n>2031年1月1日通过\n## 序　言\n<br>　　航行者众。\n<br>　　灯塔长明。\n"
        "## 第一章 总纲\n第一条 甲。\n"
    )
    assert texts(constitution)["pre1"] == "航行者众。\n灯塔长明。"
    assert texts(constitution)["pre1/p2"] == "灯塔长明。"
    assert blocked(constitution) == []
    interpretation = imported(
        "示例解释（一）\n2031年1月1日公布\n为正确审理灯塔案件，制定本解释。\n第一条 甲。\n"
    )
    assert texts(interpretation)["pre1"] == "为正确审理灯塔案件，制定本解释。"
    assert texts(interpretation)["note1"] == "2031年1月1日公布"


def test_a_header_in_brackets_over_several_lines_is_one_note() -> None:
    found = texts(
        imported("灯塔维护条例\n（2031年1月1日通过\n根据第一次修正\n根据第二次修正）\n第一条 甲。\n")
    )
    assert found["note1"].count("\n") == 2


def test_lines_before_the_title_are_notes_and_the_title_is_known_by_its_mark() -> None:
    found = texts(imported("某网站 >> 条例\n灯塔维护条例\n第一条 甲。\n"))
    assert found["note1"] == "某网站 >> 条例"
    found = texts(imported("某网站\n# 另一个题目\n第一条 甲。\n"))
    assert found["note1"] == "某网站"


def test_annexes_follow_the_last_article_with_their_tables() -> None:
    found = imported(
        "灯塔维护条例\n第一条 见附件。\n第二条 自公布之日起施行。\n附：1.油量表\n2.罚则\n附件1：油量表\n\n"
        "灯塔|油量\n---|---\n甲|一\n乙|二\n\n表注。\n附件2 罚则\n"
        "第一条 不擦灯罩的，罚。\n（一）一次；\n第二条 累犯加倍。\n"
    )
    text = texts(found)
    assert text["anx1"] == "油量表\n灯塔|油量\n甲|一\n乙|二\n表注。"
    assert text["anx1/tbl1/row3"] == "乙|二"
    assert text["anx2/art1/p1/i1"] == "一次；"
    assert text["anx2/art2"] == "累犯加倍。"
    names = {node.path: node.clause_no for node in found.entry.nodes}
    assert names["anx2/art2"] == "附件2 第二条"
    assert "anx0" in text
    assert text["art2"] == "自公布之日起施行。"
    assert "annex table" in kinds(found)
    assert blocked(found) == []


def test_a_table_after_the_last_article_is_an_annex_even_unannounced() -> None:
    found = imported(
        "示例法\n第一条 甲。\n第二条 乙。\n\n税目|税额\n---|---\n烟|十\n\n附录A 说明\n文字。\n附表\n"
    )
    assert texts(found)["art2"] == "乙。"
    assert texts(found)["anx1/tbl1"] == "税目|税额\n烟|十"
    assert "annex without a label" in kinds(found)
    assert "anx1~2" in texts(found)  # 附录A prints the number that the table was counted to
    assert "anx2" in texts(found)


def test_a_table_inside_an_article_stays_in_it() -> None:
    found = texts(imported("示例法\n第一条 如表：\n\n甲|乙\n---|---\n1|2\n\n表后一款。\n第二条 丙。\n"))
    assert found["art1/tbl1"] == "甲|乙\n1|2"
    assert found["art1/p2"] == "表后一款。"


def test_a_table_in_tags_keeps_its_rows_and_drops_what_is_only_a_tag() -> None:
    found = imported("示例法\n第一条 如表：\n<table>\n<tr><td>甲</td></tr>\n</table>\n第二条 乙。\n")
    assert texts(found)["art1/tbl1/row1"] == "<tr><td>甲</td></tr>"
    assert "HTML left in the text" in kinds(found)
    assert blocked(found) == []


def test_supplementary_provisions_are_no_annex() -> None:
    found = imported("示例法\n第一条 甲。\n附　则\n第二条 乙。\n附　则\n尾。\n")
    assert not [path for path in texts(found) if path.startswith("anx")]


OUTLINE = (
    "# 灯塔指导原则\n本原则供守塔人参考，不作强制要求。\n## **一、范围**\n"
    "适用于全部灯塔。\n### （一）岸上\n1\\. 石塔\n"
    "（1）应当刷白。\n（2）应当编号；编号刷在门上，高度不低于一米，字高不低于二十厘米，"
    "颜色为黑色，每年重刷一次，并拍照存档备查，照片保存三年。\n![](/塔.png)\n图1 塔\n![](/灯.png)\n2. 铁塔\n"
    "## 二、附带要求\n（一）守塔人应当每日擦灯，擦灯时应当戴手套，手套由港口发给，每月两副，"
    "遗失的自行购买，不得使用他人的手套擦拭灯罩及透镜。\n"
    "另有要求的从其要求。\n## 参考书目\n### 附录：记录表样式\n"
    "**1. 塔名**\n1.1 写全称\n1.2 不写别名\n**附录**\n1.塔图\n"
)  # fmt: skip


def test_a_document_without_articles_has_outline_levels() -> None:
    found = imported(OUTLINE, title="灯塔指导原则", disclosure="excerpt")
    text = texts(found)
    assert found.entry.scheme == "outline"
    assert text["pre1"] == "本原则供守塔人参考，不作强制要求。"
    assert text["x11"] == "范围\n适用于全部灯塔。"
    assert text["x11/x21/x31/x41"] == "应当刷白。"
    assert text["x11/x21/x31/x42/fig1"] == "![](/塔.png)\n图1 塔"
    assert text["x12/x21/p2"] == "另有要求的从其要求。"
    assert text["anx1"] == "记录表样式"
    assert text["anx1/x11/x22"] == "不写别名"
    assert text["anx2/x31"] == "塔图"
    names = {node.path: node.clause_no for node in found.entry.nodes}
    assert names["x11/x21/x31/x41"] == "一、（一）1.（1）"
    assert "heading without a number" in kinds(found)
    assert blocked(found) == []


def test_a_document_of_decimal_clauses_nests_by_its_numbers() -> None:
    found = imported(
        "灯塔技术标准\n前言\n本标准规定灯塔。\n1 范围\n本标准适用于灯塔，不适用于路灯。\n"
        "2 要求\n2.1 灯罩\n2.1.1 灯罩应当透明。\n"
        "2.1.2 灯罩应当可拆：\n（一）顶拆；\n（二）侧拆。\n"
        "2.2 灯座\n2.2.1 座面\n2.2.2 座脚\n2.2.3 座孔\n"
        "2.2.3.1 孔径\n2.2.3.1.1 孔径不小于二毫米。\n12 个月检查一次。\n3 附带\n",
        title="灯塔技术标准",
    )  # fmt: skip
    text = texts(found)
    assert found.entry.scheme == "decimal"
    assert text["x12/x21/x31"] == "灯罩应当透明。"
    assert text["x12/x21/x32/p1/i2"] == "侧拆。"
    assert text["x12/x22/x33/x41/p2"] == "12 个月检查一次。"
    assert text["x13"] == "附带"
    assert "clause deeper than four levels" in kinds(found)
    assert blocked(found) == []


def test_a_decision_is_an_outline_though_it_quotes_articles() -> None:
    found = imported(
        "关于修改条例的决定\n一、修改如下：\n第二条 灯塔应当长明。\n二、施行。\n", title="关于修改条例的决定"
    )
    assert found.entry.scheme == "outline"
    assert "x12" in texts(found)


def test_a_bare_heading_without_a_number_is_no_text_of_the_article_before() -> None:
    found = imported("示例法\n第一章 甲\n第一条 乙。\n附　则\n第二条 丙。\n")
    assert texts(found)["art1"] == "乙。"
    assert {node.path: node.parent for node in found.entry.nodes}["art2"] == ""
    assert blocked(found) == []


def test_chapters_may_run_on_through_the_books() -> None:
    found = imported(
        "示例法\n第一编 甲\n第一章 子\n第一条 一。\n第二编 乙\n第二章 丑\n第二条 二。\n"
        "第四章 寅\n第三条 三。\n"
    )
    assert blocked(found) == [("gap before a heading", 8)]


def test_what_only_looks_like_a_label_is_text() -> None:
    found = texts(imported("示例法\n第一条 甲。\n第十百章 乙\n第零条 丙。\n（十百）丁。\n附零\n戊。\n"))
    assert list(found) == ["art1", "art1/p1", "art1/p2", "art1/p3", "art1/p4", "anx1", "anx1/p1"]


def test_a_document_of_one_line_and_an_id_beyond_every_bound() -> None:
    assert blocked(imported("示例法")) == [("no text", 0)]
    assert blocked(imported("")) == [("no text", 0)]
    deep = "示例法\n一、" + "甲\n"
    found = imported(deep, regulation_id="a" * 120)
    assert "x11" in texts(found)


def test_a_title_that_is_not_the_manifests_is_told() -> None:
    assert "title differs" in kinds(imported("另一条例\n第一条 甲。\n"))


def test_a_notice_that_publishes_a_regulation_holds_it_as_its_annex() -> None:
    found = imported(
        "关于发布灯塔办法的公告\n（2031年第1号）\n现发布灯塔办法，自2031年5月1日起施行。\n特此公告。\n"
        "附件：灯塔办法\n第一章 总则\n第一条 甲。\n第二条 乙。\n",
        title="关于发布灯塔办法的公告",
    )
    text = texts(found)
    assert text["pre1/p2"] == "特此公告。"
    assert text["anx1/art2/p1"] == "乙。"
    assert {node.path: node.parent for node in found.entry.nodes}["anx1/art1"] == "anx1/ch1"
    assert blocked(found) == []


def test_a_decimal_number_that_is_out_of_place_is_a_clause_and_blocks_and_a_reference_is_text() -> None:
    found = imported(
        "灯塔标准\n1 范围\n1.1 灯塔\n5.2.1条规定的方法适用。\n7.1 兆帕以下的除外。\n"
        "1.2 灯船\n1.2 灯船\n2 要求\n1.3 又见。\n",
        title="灯塔标准",
    )
    assert [path for path in texts(found) if path.startswith("x")] == [
        "x11", "x11/x21", "x11/x21/p1", "x17/x21", "x17/x21/p1", "x11/x22", "x11/x22~2", "x12",
        "x11/x23", "x11/x23/p1",
    ]  # fmt: skip
    assert blocked(found) == [
        ("gap before a clause", 5),
        ("clause out of order", 6),
        ("number twice", 7),
        ("clause out of order", 9),
    ]
    assert texts(found)["x11/x21/p1"] == "5.2.1条规定的方法适用。"


def named(data: str, *, accept: tuple[str, ...] = ()) -> list[tuple[str, int, str]]:
    found = imported("灯塔标准\n" + data, title="灯塔标准", accept=accept)
    assert found.entry.scheme == "decimal"
    return [(one.kind, one.line, one.name) for one in found.defects if one.blocks]


@pytest.mark.parametrize(
    ("data", "blocking"),
    [
        ("## 1 总则\n### 1.1 目的\n甲。\n## 3 要求\n### 3.1 目标\n乙。\n", [(5, "x13")]),
        ("1 总则\n1.1 目的\n甲。\n3 要求\n3.1 目标\n乙。\n", [(5, "x13")]),
        ("1. 总则\n1.1 目的\n甲。\n3. 要求\n3.1 目标\n乙。\n", [(5, "x13")]),
        ("1 总则\n1.1 目的\n3.1 目标\n乙。\n", [(4, "x13/x21")]),
        ("2 总则\n2.1 目的\n2.2 目标\n", [(2, "x12")]),
        ("1 总则\n1.1 甲\n1.1.1 子。\n1.1.3 寅。\n1.1.4 卯。\n", [(5, "x11/x21/x33")]),
        ("1 总则\n1.1 甲\n1.3应当丙。\n", [(4, "x11/x23")]),
        ("## 1 总则\n### 1.1 目的\n## 4 末\n", [(4, "x14")]),
        ("## 1 总则\n甲。\n## 3 末\n", [(4, "x13")]),
        ("1.1 甲\n1.2 乙\n2.1 丙\n", []),
        ("0 引言\n0.1 甲\n1 总则\n1.1 乙\n", []),
        ("5 总\n5.1 甲\n列明：\n6. 子\n", [(2, "x15")]),
        ("1 总则\n1.1 甲\n列明：\n1. 子；\n2. 丑；\n3. 寅\n4. 卯\n1.2 乙\n2 末\n", []),
        ("1 总则\n1.1 甲\n列明：\n1. 子；\n2. 丑；\n3. 寅\n1.2 乙\n2 末\n", []),
    ],
)
def test_a_decimal_clause_that_does_not_continue_the_count_blocks_by_name(
    data: str, blocking: list[tuple[int, str]]
) -> None:
    assert named(data) == [("gap before a clause", line, f"gap:{path}") for line, path in blocking]
    assert named(data, accept=tuple(f"gap:{path}" for _, path in blocking)) == []


def test_what_follows_a_missing_chapter_is_no_text_of_the_clause_before() -> None:
    text = texts(imported("灯塔标准\n1 总则\n1.1 甲\n子。\n3 要求\n丑。\n3.1 乙\n寅。\n", title="灯塔标准"))
    assert (text["x11/x21"], text["x13"], text["x13/x21"]) == ("甲\n子。", "要求\n丑。", "乙\n寅。")


def test_a_clause_out_of_place_gets_an_id_of_its_own() -> None:
    found = imported("灯塔标准\n1 甲\n1.1 子\n2 乙\n1.1 丑\n2.1 寅\n", title="灯塔标准")
    assert list(texts(found)) == ["x11", "x11/x21", "x12", "x11/x21~2", "x12/x21"]


def test_an_outline_that_skips_a_number_blocks() -> None:
    assert blocked(imported("灯塔意见\n一、甲\n（一）子\n（三）寅\n三、丙\n", title="灯塔意见")) == [
        ("gap before a heading", 4),
        ("gap before a heading", 5),
    ]
