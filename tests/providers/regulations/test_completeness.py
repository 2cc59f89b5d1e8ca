"""The account of lines is made against the source; a line that a reader or a tree loses is named."""

from dataclasses import replace

from providers.regulations import completeness
from providers.regulations.branch import Piece
from providers.regulations.division import divide
from providers.regulations.lines import clean
from providers.regulations.tree import grow

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
