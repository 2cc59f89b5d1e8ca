"""A table as it was read, and the row of it that holds the headings."""

import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from schemas.text import shown, trim

HEAD_ROWS = 30
"""How many rows that are not blank are looked through for the headings."""

HEADINGS = 2
"""The rank of a row that is the headings."""

Row = tuple[int, list[str]]
"""The line or row that it begins on, and its cells as text."""

Rank = Callable[[list[str]], int]
"""How much a row looks like the headings that are wanted: 2 it is them, 1 it has some, 0 it has none."""


@dataclass
class Table:
    """The rows of a file from its headings on."""

    name: str
    rows: list[Row]
    sheet: str | None = None
    """The sheet of a workbook that was read."""
    notices: list[str] = field(default_factory=list)
    """What a reader should know about how it was read; each in Chinese and English."""
    faults: dict[tuple[int, int], str] = field(default_factory=dict)
    """Cells without a plain value, by row and column from 0, each with why. Bad only where it is needed."""

    formulas: set[tuple[int, int]] = field(default_factory=set)
    """Cells that are worked out; their text is the value that was stored with them."""

    def told_formulas(self, places: Collection[int]) -> list[str]:
        """In words, how many cells of these columns were formulas; nothing where none was."""
        found = sorted((row, place) for row, place in self.formulas if place in places)
        if not found:
            return []
        told = "公式取其存储的值 formulas, taken by their stored values"
        return [f"{told}: {len(found)} (first: {self.at(found[0][0])})"]

    def at(self, row: int) -> str:
        """Where a row is, in words: its line, or its sheet and row."""
        return f"line {row}" if self.sheet is None else f"sheet {shown(self.sheet)} row {row}"


def plain(heading: str) -> str:
    """A heading as it is compared: one width, no blanks or line breaks, lower case."""
    return "".join(unicodedata.normalize("NFKC", heading).split()).lower()


def empty(table: Table) -> bool:
    """Whether nothing stands in the table at all."""
    return not any(trim(cell) for _, row in table.rows for cell in row) and not table.faults


def best(rows: Sequence[Row], rank: Rank) -> tuple[int, int]:
    """The place of the row that looks most like headings, the first of those, and how much it does."""
    ranks = [rank([trim(cell) for cell in row]) for _, row in rows]
    most = max(ranks, default=0)
    return (ranks.index(most) if most else 0), most


def cut(table: Table, place: int) -> None:
    """Let `table` begin with the row at `place`, and tell what stood above."""
    above = table.rows[:place]
    if not above:
        return
    told = "；".join(
        f"{number}: {shown(' '.join(filter(None, map(trim, row))), 60)}" for number, row in above
    )
    where = "" if table.sheet is None else f"{shown(table.sheet)} "
    table.notices.append(f"表头以上的行未取 {where}rows above the headings, not taken: {told}")
    del table.rows[:place]
