"""A node while the tree grows: its place, its own lines, and the text that its lines and leaves make."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from providers.regulations.clause_number import Scheme
from providers.regulations.lines import Line

# Below a node these belong to its text; a chapter's articles and a section's subsections do not.
LEAVES: Final = frozenset({"p", "i", "si", "tbl", "row", "fig"})


@dataclass(frozen=True, slots=True)
class Piece:
    """The part of a line that is text of a node; `label` is what stands before it in the line."""

    line: Line
    text: str
    label: str = ""


@dataclass(slots=True)
class Branch:
    """A node under construction; `path` is its part of the node id, `above` where the reader finds it."""

    kind: str
    path: str
    clause_no: str
    above: "Branch | None"
    number: int = 0
    pieces: list[Piece] = field(default_factory=list)
    children: list["Branch"] = field(default_factory=list)
    title: str = ""
    counted: Counter[str] = field(default_factory=Counter)

    def leaves(self) -> Iterator["Branch"]:
        """The nodes below whose text is part of this node's text, in reading order."""
        for child in self.children:
            if child.kind in LEAVES:
                yield child
                yield from child.leaves()

    def spans(self) -> tuple[str, list[tuple[Line, int, int]]]:
        """The node's text, and where each line of it stands in code points."""
        pieces = [piece for piece in self.pieces if piece.text]
        for leaf in self.leaves():
            pieces += [piece for piece in leaf.pieces if piece.text]
        text: list[str] = []
        spans: list[tuple[Line, int, int]] = []
        at = 0
        for piece in pieces:
            text.append(piece.text)
            spans.append((piece.line, at, at + len(piece.text)))
            at += len(piece.text) + 1  # one LF between two lines
        return "\n".join(text), spans


@dataclass(frozen=True, slots=True)
class Remark:
    """Something about one line that a reviewer should see."""

    kind: str
    line: int
    detail: str


@dataclass(slots=True)
class Tree:
    """The branches of one document in reading order, its headings without a node, remarks on lines."""

    scheme: Scheme
    branches: list[Branch] = field(default_factory=list)
    title: list[Line] = field(default_factory=list)
    unnumbered: list[Line] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    used: dict[str, int] = field(default_factory=dict)

    def remark(self, kind: str, line: Line, detail: str) -> None:
        """Note something about `line`."""
        self.remarks.append(Remark(kind, line.number, detail))

    def open(
        self,
        above: Branch,
        kind: str,
        step: str,
        clause_no: str = "",
        *,
        number: int = 0,
        line: Line | None = None,
        base: Branch | None = None,
    ) -> Branch:
        """A new node that the reader finds under `above`; its path hangs from `base`, else from `above`.

        A step that is taken already gets an explicit mark, never another number (S5).
        """
        owner = above if base is None else base
        path = f"{owner.path}/{step}" if owner.path else step
        times = self.used[path] = self.used.get(path, 0) + 1
        if times > 1:
            if line is not None:
                self.remark("number twice", line, f"{step} 第 {times} 次出现 occurs {times} times so far")
            path = f"{path}~{times}"
        branch = Branch(kind, path, clause_no, above, number)
        above.children.append(branch)
        above.counted[kind] += 1
        self.branches.append(branch)
        return branch
