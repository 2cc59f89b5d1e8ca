"""How lines of a body, a preamble or an annex become branches (regulations.md section 2)."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from providers.regulations import labels
from providers.regulations.branch import Branch, Piece, Tree
from providers.regulations.clause_number import ClauseNumber, Scheme
from providers.regulations.labels import DEPTH, Label
from providers.regulations.lines import Line

_SHORT: Final = 60
_DEEPEST: Final = 4
_SENTENCE_ENDS: Final = ("。", "；", ";", "：", ":", "，", ",")
_UNNUMBERED: Final = frozenset({"总则", "分则", "附则"})
_CAPTION: Final = re.compile(r"图\s*[0-9]")


class Grower:
    """Reads the lines of one part of a document into `tree`, under `base`."""

    def __init__(self, tree: Tree, base: Branch, scheme: Scheme) -> None:
        self._tree = tree
        self._base = base
        self._scheme = scheme
        self._headings: list[Branch] = []
        self._sections: list[Branch] = []  # open outline levels, outermost first
        self._unit = base  # the article, section or heading that lines go to
        self._article = (0, 0)
        self._paragraph: Branch | None = None
        self._item: Branch | None = None
        self._table: Branch | None = None
        self._figure: Branch | None = None
        self._listed = 0  # the last number of a list in the unit
        self._tops: set[int] = set()  # the first parts of the decimal clauses that were opened

    def read(self, lines: Iterable[Line]) -> None:
        """Take `lines` in reading order."""
        for line in lines:
            if line.continues and self._tree.branches:
                self._tree.branches[-1].pieces.append(Piece(line, line.text))
                continue
            figure, self._figure = self._figure, None
            if line.table:
                self._row(line)
                continue
            self._table = None
            if figure is not None and _CAPTION.match(line.text):
                figure.pieces.append(Piece(line, line.text))
            elif not (self._heading(line) or self._clause(line)):
                self._text(line, "")

    def _heading(self, line: Line) -> bool:
        found = labels.heading(line)
        if found is None:
            return False
        while self._headings and DEPTH[self._headings[-1].kind] >= DEPTH[found.kind]:
            self._headings.pop()
        above = self._headings[-1] if self._headings else self._base
        branch = self._tree.open(above, found.kind, found.step, found.printed, number=found.number, line=line)
        branch.title = found.rest
        branch.pieces.append(Piece(line, found.rest, found.taken))
        self._headings.append(branch)
        self._enter(branch)
        self._sections = []
        return True

    def _enter(self, unit: Branch) -> None:
        self._unit, self._paragraph, self._item, self._listed = unit, None, None, 0

    def _clause(self, line: Line) -> bool:
        if self._scheme == "article":
            return self._open_article(line)
        if self._scheme == "outline":
            found = labels.outline(line)
            return found is not None and self._open_section(line, found)
        return self._open_decimal(line)

    def _open_article(self, line: Line) -> bool:
        found = labels.article(line)
        if found is None:
            return False
        place = (found.number, found.inserted)
        if not found.spaced and place <= self._article:
            self._tree.remark(
                "reference at line start", line, f"{found.printed} 在此不是条的标签 opens no article here"
            )
            return False
        self._article = place
        above = self._headings[-1] if self._headings else self._base
        prefix = f"{self._base.clause_no} " if self._base.kind == "anx" and self._base.clause_no else ""
        name = prefix + ClauseNumber(*place).text
        article = self._tree.open(
            above, "art", found.step, name, number=found.number, line=line, base=self._base
        )
        self._enter(article)
        if found.inserted:
            self._tree.remark("inserted article", line, found.printed)
        self._remainder(line, found.rest, found.taken)
        return True

    def _open_section(self, line: Line, found: Label) -> bool:
        level = int(found.kind[1:])
        while self._sections and _level(self._sections[-1]) >= level:
            self._sections.pop()
        self._section(line, found.kind, found.step, found.printed, found)
        return True

    def _open_decimal(self, line: Line) -> bool:
        found = labels.decimal(line)
        if found is None:
            return False
        parts, printed, rest = found
        if len(parts) == 1 and not self._opens_top(line, parts[0], rest):
            return False
        if len(parts) > _DEEPEST:
            self._tree.remark("clause deeper than four levels", line, printed)
            return False
        self._tops.add(parts[0])  # one that does not continue the count is told, never text of the one before
        while self._sections and not _leads(self._sections[-1].clause_no, printed):
            self._sections.pop()
        have = _level(self._sections[-1]) if self._sections else 0
        step = "/".join(f"x{level}{parts[level - 1]}" for level in range(have + 1, len(parts) + 1))
        self._section(
            line,
            f"x{len(parts)}",
            step,
            printed,
            Label("", parts[-1], 0, printed, line.text.removesuffix(rest), rest),
        )
        return True

    def _opens_top(self, line: Line, number: int, rest: str) -> bool:
        """Whether a single number heads a clause: not when it counts a list, or begins a sentence."""
        if line.heading_marks or number == max(self._tops, default=0) + 1:
            return _headline(line, rest)
        if labels.subitem(line) is None:  # `3 Terms`, without the dot of a list
            return _headline(line, rest)
        listed = number in (1, self._listed + 1)
        return number not in self._tops and not listed and _headline(line, rest)

    def _section(self, line: Line, kind: str, step: str, printed: str, found: Label) -> None:
        above = self._sections[-1] if self._sections else self._unit_above()
        base = above if self._sections else self._base
        joined = above.clause_no + printed if self._sections and self._scheme == "outline" else printed
        section = self._tree.open(above, kind, step, joined, number=found.number, line=line, base=base)
        self._sections.append(section)
        self._enter(section)
        if _headline(line, found.rest):
            section.title = found.rest
            section.pieces.append(Piece(line, found.rest, found.taken))
        else:
            self._remainder(line, found.rest, found.taken)

    def _unit_above(self) -> Branch:
        return self._headings[-1] if self._headings else self._base

    def _remainder(self, line: Line, rest: str, taken: str) -> None:
        """The text behind a label is the first paragraph; a label alone stays with its node."""
        if rest:
            self._text(replace(line, text=rest, heading_marks=0), taken)
        else:
            self._unit.pieces.append(Piece(line, "", taken))

    def _text(self, line: Line, label: str) -> None:
        if line.text.startswith("!["):
            self._figure = self._counted("fig")
            self._figure.pieces.append(Piece(line, line.text, label))
        elif not label and self._titles(line):
            return
        elif self._scheme == "outline" or not (
            self._open_item(line, label) or self._open_subitem(line, label)
        ):
            self._item = None
            self._paragraph = self._open_paragraph()
            self._paragraph.pieces.append(Piece(line, line.text, label))

    def _titles(self, line: Line) -> bool:
        """Whether `line` is a heading: the text of a bare 第N章 above it, or one without a number."""
        unit = self._unit
        short = len(line.text) <= _SHORT and not line.text.endswith(_SENTENCE_ENDS)
        if unit.kind in DEPTH and not unit.title and short and not unit.children:
            unit.title = "".join(line.text.split())
            unit.pieces.append(Piece(line, unit.title))
            return True
        bare = "".join(line.text.split()) in _UNNUMBERED and self._scheme == "article"
        if (line.heading_marks and short) or bare:
            self._tree.remark("heading without a number", line, "不成节点 makes no node")
            self._tree.unnumbered.append(line)
            self._headings = []  # what follows does not stand under the chapter before
            return True
        return False

    def _open_paragraph(self) -> Branch:
        return self._counted("p")

    def _counted(self, kind: str) -> Branch:
        """The next child of the unit that is counted, not numbered (S4)."""
        unit = self._unit
        number = unit.counted[kind] + 1
        name = unit.clause_no
        if kind == "p" and unit.kind == "art":
            name = f"{unit.clause_no}{ClauseNumber(1, 0, number).text.removeprefix('第一条')}"
        return self._tree.open(unit, kind, f"{kind}{number}", name, number=number)

    def _open_item(self, line: Line, label: str) -> bool:
        found = labels.item(line)
        if found is None:
            return False
        if self._paragraph is None:
            self._paragraph = self._open_paragraph()
        name = self._paragraph.clause_no
        if self._unit.kind == "art":
            name += ClauseNumber(1, 0, 1, found.number).text.removeprefix("第一条第一款")
        self._item = self._tree.open(self._paragraph, "i", found.step, name, number=found.number, line=line)
        self._item.pieces.append(Piece(line, found.rest, label + found.taken))
        return True

    def _open_subitem(self, line: Line, label: str) -> bool:
        found = labels.subitem(line)
        if found is None or label:
            return False
        above = self._item or self._paragraph
        if above is None:
            return False
        name = above.clause_no
        if self._unit.kind == "art" and self._item is not None:
            name += ClauseNumber(1, 0, 1, 1, found.number).text.removeprefix("第一条第一款第（一）项")
        branch = self._tree.open(above, "si", found.step, name, number=found.number, line=line)
        branch.pieces.append(Piece(line, found.rest, found.taken))
        self._listed = found.number
        return True

    def _row(self, line: Line) -> None:
        if self._table is None:
            self._table = self._counted("tbl")
        number = len(self._table.children) + 1
        row = self._tree.open(self._table, "row", f"row{number}", self._table.clause_no, number=number)
        row.pieces.append(Piece(line, line.text))


def _level(section: Branch) -> int:
    return int(section.kind[1:])


def _leads(printed: str, longer: str) -> bool:
    return longer.startswith(f"{printed}.")


def _headline(line: Line, rest: str) -> bool:
    marked = line.heading_marks > 0 or line.bold
    return bool(rest) and (marked or (len(rest) <= _SHORT and not rest.endswith(_SENTENCE_ENDS)))
