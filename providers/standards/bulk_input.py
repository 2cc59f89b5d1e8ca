"""The queries of a batch file: text, CSV, JSONL or XLSX; every fault told before anything is looked up."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from providers.standards.headings import HEADINGS, Rank, Row, Table, empty
from providers.standards.library import LONGEST_FIELD
from providers.standards.spreadsheet import MAGIC
from providers.standards.table import decode, read_table
from schemas.errors import InvalidError
from schemas.outside import parse
from schemas.text import refused_character, shown, trim

FORMATS = ("txt", "csv", "jsonl", "xlsx")
COLUMN = "query"
MOST_QUERIES = 1_000_000
_MOST_PROBLEMS = 100
_OBJECT = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"query"\s*:')
_NAMES = (
    COLUMN, "keyword", "citation", "查询", "关键词", "引用", "引用规范", "规范",
    "规范编号", "标准编号", "规范名称", "标准名称",
)  # fmt: skip
"""The headings of a column of citations; the first of these that a table has is it."""


class BatchError(InvalidError):
    """A batch file cannot be read as it is; `problems` lists everything seen, with line numbers."""

    code = "invalid_batch"

    def __init__(self, name: str, problems: list[str], *, hint: str | None = None) -> None:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(f"{name}: {problems[0]}{more}", subject=name, hint=hint)
        self.problems = problems

    def to_wire(self) -> dict[str, object]:
        """The error as the doors print it, with every problem."""
        return {**super().to_wire(), "problems": self.problems}


def format_of(name: str, data: bytes) -> str:
    """The format that a file's first bytes or name tell; where they tell nothing, JSONL or text.

    JSONL is what begins with `{"query"`: no citation does.
    """
    if data.startswith(MAGIC):
        return "xlsx"
    ending = name.lower().rpartition(".")[2]
    if ending in FORMATS:
        return ending
    return "jsonl" if _OBJECT.match(data) else "txt"


@dataclass(frozen=True)
class Batch:
    """The queries of a file, in its order, each with where it stood and what stood beside it."""

    queries: list[str]
    lines: list[int]
    """The line, or the row of a sheet, on which each query begins."""
    columns: list[str]
    """The other columns of a table; none of text and JSONL."""
    others: Sequence[list[str]]
    """What stood in those columns, for each query."""
    notices: list[str]


def read_queries(data: bytes, name: str, kind: str, column: str | None = None) -> list[str]:
    """The queries of `read_batch`."""
    return read_batch(data, name, kind, column).queries


def read_batch(
    data: bytes, name: str, kind: str, column: str | None = None, sheet: str | None = None
) -> Batch:
    """The queries in the order of the file; blank lines are none. `column` names one of CSV or XLSX.

    Raises BatchError with every fault: no such column, a line that is no `{"query": …}`, a text that
    nothing can answer with.
    """
    problems: list[str] = []
    reader = {"txt": _lines, "jsonl": _objects}.get(kind)
    try:
        if reader is not None:
            asked = _Asked(problems)
            asked.take(reader(data, name, problems))
            batch = Batch(asked.queries, asked.lines, [], [[]] * len(asked.queries), [])
        else:
            batch = _table_batch(read_table(data, name, sheet, _rank(column)), column, problems)
    except InvalidError as error:
        raise BatchError(name, [error.message.removeprefix(f"{name}: ")], hint=error.hint) from error
    if problems:
        raise BatchError(name, problems[:_MOST_PROBLEMS])
    if not batch.queries:
        raise BatchError(name, ["没有要查的内容 holds no query"])
    return batch


def _lines(data: bytes, name: str, _problems: list[str]) -> Iterator[tuple[int, str]]:
    # Not splitlines: a form feed or U+2028 inside a citation ends no line.
    for number, line in enumerate(decode(data, name).split("\n"), 1):
        if trim(line):
            yield number, trim(line)


def _objects(data: bytes, _name: str, problems: list[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = parse(line.rstrip(b"\r"), f"line {number}")
        except InvalidError as error:
            problems.append(error.message)
            continue
        query = value.get(COLUMN) if isinstance(value, dict) else None
        if isinstance(query, str):
            yield number, query
        else:
            problems.append(f'line {number}: must be {{"query": …}} with a text, found {shown(value)}')


def _rank(column: str | None) -> Rank:
    """What the headings of a table of citations look like: the column is among them."""
    names = {column} if column else set(_NAMES)

    def rank(row: list[str]) -> int:
        # A lone cell is more likely a citation, or a title above the table.
        filled = [cell for cell in row if cell]
        return HEADINGS if names & set(filled) and (len(filled) > 1 or bool(column)) else 0

    return rank


def _table_batch(table: Table, column: str | None, problems: list[str]) -> Batch:
    if empty(table):
        raise InvalidError("文件是空的 the file is empty", subject=table.name)
    header = [trim(cell) for cell in table.rows[0][1]]
    place, first = _place(header, column, problems)
    if mark := _parted(table.rows):
        named = "、".join(header[0].split(mark))
        problems.append(
            f"列像是由 {mark!r} 分隔 cells seem to be parted by {mark!r}: {named}; say --column NAME"
        )
    where = f"{table.at(table.rows[0][0])}: "
    problems[:] = [where + problem for problem in problems]
    body = table.rows[first:]
    filled = sorted({at for _, row in body for at, cell in enumerate(row) if trim(cell) and at != place})
    names = [header[at] if at < len(header) and header[at] and first else f"column {at + 1}" for at in filled]
    asked, others, blank = _Asked(problems, table), [], []
    for line, row in body:
        text = trim(row[place]) if place < len(row) else ""
        if fault := table.faults.get((line, place)):
            problems.append(f"{table.at(line)}: {fault}")
        elif not text:
            blank.append(line)
        elif asked.take([(line, text)]):
            others.append([row[at] if at < len(row) else "" for at in filled])
    notices = [*table.notices, *table.told_formulas([place, *filled])]
    if not column and first and len(set(_NAMES) & set(header)) > 1:
        notices.append(f"引用取自列 the citations are those of the column: {header[place]} (--column)")
    if unread := sorted((line, at) for line, at in table.faults if at != place):
        told = "其他列中没有值的格 cells of other columns without a value, left as they are"
        notices.append(f"{told}: {len(unread)} (first: {table.at(unread[0][0])})")
    if blank:
        told = f"没有引用、未查的行 rows without a citation, not looked up: {len(blank)} (first: {blank[0]})"
        notices.append(told)
    return Batch(asked.queries, asked.lines, names, others, notices)


def _parted(rows: Sequence[Row]) -> str:
    """What seems to part the cells where a comma leaves one in each row: it stands in all alike."""
    if len(rows) < 2 or any(len(row) != 1 for _, row in rows):
        return ""
    for mark in ("\t", ";"):
        if len(counts := {row[0].count(mark) for _, row in rows}) == 1 and counts != {0}:
            return mark
    return ""


def _place(header: list[str], column: str | None, problems: list[str]) -> tuple[int, int]:
    """Which column holds the queries, and which row is the first that does; a single column needs no name."""
    wanted = [column] if column else [name for name in _NAMES if name in header][:1]
    found = [place for place, name in enumerate(header) if name in wanted]
    if len(found) == 1:
        return found[0], 1
    if len(found) > 1:
        problems.append(f"列重复 the column {shown(wanted[0])} stands twice")
    elif column or len(header) != 1:
        named = shown(column) if column else "、".join(_NAMES)
        seen = shown("、".join(header), 200)
        problems.append(f"缺列 there is no column {named}; the columns are {seen}; say --column NAME")
    return 0, 0


class _Asked:
    """The queries that nothing is wrong with; a problem for each other."""

    def __init__(self, problems: list[str], table: Table | None = None) -> None:
        self._problems = problems
        self._table = table
        self.queries: list[str] = []
        self.lines: list[int] = []

    def take(self, rows: Iterable[tuple[int, str]]) -> bool:
        """Whether all of `rows` were taken; none is beyond the bounds."""
        before = len(self._problems)
        for line, query in rows:
            if len(self._problems) >= _MOST_PROBLEMS:
                return False
            where = self._table.at(line) if self._table else f"line {line}"
            if len(self.queries) >= MOST_QUERIES:
                self._problems += [f"{where}: 查询过多 more than {MOST_QUERIES} queries"] * (not before)
                return False
            if len(query) > LONGEST_FIELD:
                told = f"查询过长 a query of {len(query)} characters; at most {LONGEST_FIELD}"
                self._problems.append(f"{where}: {told}")
            elif (refused := refused_character(query)) and "surrogate" in refused:
                self._problems.append(f"{where}: the query {refused}")
            else:
                self.queries.append(query)
                self.lines.append(line)
        return len(self._problems) == before
