"""The node tree of a document: what each line is, under which path (regulations.md sections 2, 3)."""

from providers.regulations import labels
from providers.regulations.branch import Branch, Piece, Tree
from providers.regulations.division import Annexed, Parts, scheme_of
from providers.regulations.growing import Grower


def grow(parts: Parts) -> Tree:
    """The tree of a divided document."""
    tree = Tree(parts.scheme, title=list(parts.title))
    root = Branch("doc", "", "", None)
    if parts.notes:
        note = tree.open(root, "note", "note1")
        note.pieces = [Piece(line, line.text) for line in parts.notes]
    if parts.preface is not None or parts.preamble:
        _preamble(tree, root, parts)
    Grower(tree, root, parts.scheme).read(parts.body)
    numbered = any(map(_number, parts.annexes))
    for annexed in parts.annexes:
        _annex(tree, root, annexed, numbered)
    return tree


def _preamble(tree: Tree, root: Branch, parts: Parts) -> None:
    pre = tree.open(root, "pre", "pre1")
    if parts.preface is not None:
        pre.clause_no = "".join(parts.preface.text.split())
        pre.pieces.append(Piece(parts.preface, "", parts.preface.text))
    Grower(tree, pre, "article").read(parts.preamble)


def _annex(tree: Tree, root: Branch, annexed: Annexed, numbered: bool) -> None:
    found = labels.annex(annexed.label) if annexed.label is not None else None
    nth = max((child.number for child in root.children if child.kind == "anx"), default=0) + 1
    if annexed.label is None or found is None:
        tree.remark("annex without a label", annexed.lines[0], "a table after the last article")
        branch = tree.open(root, "anx", f"anx{nth}", number=nth)
    else:
        # A list of annexes stands before annex 1 and bears no number of its own.
        number = found.number or (0 if numbered and nth == 1 and found.rest else nth)
        branch = tree.open(root, "anx", f"anx{number}", found.printed, number=number, line=annexed.label)
        branch.title = found.rest
        branch.pieces.append(Piece(annexed.label, found.rest, found.taken))
    Grower(tree, branch, scheme_of(annexed.lines)).read(annexed.lines)


def _number(annexed: Annexed) -> int:
    found = labels.annex(annexed.label) if annexed.label is not None else None
    return found.number if found is not None else 0
