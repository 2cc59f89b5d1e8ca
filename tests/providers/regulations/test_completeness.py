"""The account of lines is made against the source; a line that a reader or a tree loses is named."""

from dataclasses import replace

from providers.regulations import completeness
from providers.regulations.branch import Piece
from providers.regulations.division import divide
from providers.regulations.lines import clean
from providers.regulations.tree import grow
from tests.providers.regulations.law import imported

TEXT = "示例法\n2031年1月1日公布\n第一条 甲。\n乙。<br>丙。\n第二条 丁。\n".encode()


def problems(*, drop: int = 0, twice: int = 0, cut: int = 0, lose: int = 0) -> list[tuple[str, int]]:
    cleaned = clean(TEXT)
    tree = grow(divide(cleaned.lines, "示例法", 0))
    for branch in tree.branches:
        kept = []
        for piece in branch.pieces:
            if piece.line.number == drop or (piece.line.number == lose and piece.line.part == 1):
                continue
            kept.append(replace(piece, text=piece.text[1:]) if piece.line.number == cut else piece)
            kept += [piece] if piece.line.number == twice else []
        branch.pieces = kept
    return [(kind, line) for kind, line, *_ in completeness.problems(cleaned, [], tree)]


def test_a_whole_extraction_has_no_problem() -> None:
    assert problems() == []


def test_a_line_in_no_node_is_named() -> None:
    assert ("line in no node", 5) in problems(drop=5)


def test_a_part_of_a_line_in_no_node_is_named() -> None:
    assert problems(lose=4) == [("line in no node", 4)]


def test_a_line_in_two_nodes_is_named() -> None:
    assert problems(twice=3) == [("line in two nodes", 3)]


def test_a_line_that_lost_a_character_is_named() -> None:
    assert problems(cut=3) == [("text lost", 3)]


def test_a_node_without_lines_of_its_own_is_named_by_those_below_it() -> None:
    tree = grow(divide(clean("示例法\n第一条 甲。\n第一条 乙。\n".encode()).lines, "示例法", 0))
    found = list(completeness.problems(clean("示例法\n第一条 甲。\n第一条 乙。\n".encode()), [], tree))
    assert [(kind, line) for kind, line, *_ in found] == [("number twice", 3)]
    for branch in tree.branches:
        branch.pieces = [Piece(piece.line, "") for piece in branch.pieces]
    assert all(branch.spans() == ("", []) for branch in tree.branches)


def items(*lines: str, accept: tuple[str, ...] = ()) -> list[tuple[str, int, str, bool]]:
    text = "\n".join(("示例法", "第一条 下列各项：", *lines)) + "\n"
    found = imported(text, accept=accept, title="示例法").defects
    return [(one.kind, one.line, one.name, one.blocks) for one in found if "item" in one.kind]


def test_a_missing_item_blocks_unless_it_is_accepted_by_name() -> None:
    missing = ("（一）甲；", "（二）乙；", "（四）丁。")
    assert items(*missing) == [("gap before an item", 5, "gap:art1/p1/i4", True)]
    assert items(*missing, accept=("gap:art1/p1/i4",)) == [("gap before an item", 5, "gap:art1/p1/i4", False)]
    assert items("（二）乙；") == [("gap before an item", 3, "gap:art1/p1/i2", True)]


def test_items_out_of_order_block() -> None:
    assert items("（一）甲；", "（三）丙；", "（二）乙。") == [
        ("item out of order", 5, "gap:art1/p1/i2", True),
        ("gap before an item", 4, "gap:art1/p1/i3", True),
    ] or items("（一）甲；", "（三）丙；", "（二）乙。") == [
        ("gap before an item", 4, "gap:art1/p1/i3", True),
        ("item out of order", 5, "gap:art1/p1/i2", True),
    ]


def test_items_begin_anew_or_run_on_under_the_next_paragraph() -> None:
    assert items("（一）甲；", "（二）乙。", "又有：", "（一）丙。") == []
    assert items("（一）甲；", "（二）乙。", "又有：", "（三）丙。") == []


def test_a_text_of_paragraphs_alone_is_a_note() -> None:
    found = imported("示例法\n甲。\n乙。\n", title="示例法").defects
    assert [(one.kind, one.blocks) for one in found if one.kind == "no articles"] == [("no articles", False)]
