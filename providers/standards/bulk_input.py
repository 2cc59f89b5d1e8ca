"""The queries of a batch file: text, CSV, JSONL or XLSX; every fault told before anything is looked up."""

import re
from collections.abc import Iterator

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
_NAMES = (COLUMN, "keyword", "citation", "查询", "关键词", "引用", "规范")


class BatchError(InvalidError):
    """A batch file cannot be read as it is; `problems` lists everything seen, with line numbers."""

    code = "invalid_batch"

    def __init__(self, name: str, problems: list[str]) -> None:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(f"{name}: {problems[0]}{more}", subject=name)
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


def read_queries(data: bytes, name: str, kind: str, column: str | None = None) -> list[str]:
    """The queries in the order of the file; blank lines are none. `column` names one of CSV or XLSX.

    Raises BatchError with every fault: no such column, a line that is no `{"query": …}`, a text that
    nothing can answer with.
    """
    problems: list[str] = []
    reader = {"txt": _lines, "jsonl": _objects}.get(kind)
    try:
        rows = reader(data, name, problems) if reader else _cells(data, name, column, problems)
        queries = list(_checked(rows, problems))
    except BatchError:
        raise
    except InvalidError as error:
        raise BatchError(name, [error.message.removeprefix(f"{name}: ")]) from error
    if problems:
        raise BatchError(name, problems[:_MOST_PROBLEMS])
    if not queries:
        raise BatchError(name, ["holds no query"])
    return queries


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


def _cells(data: bytes, name: str, column: str | None, problems: list[str]) -> Iterator[tuple[int, str]]:
    rows = read_table(data, name)
    place, first = _place([trim(cell) for cell in rows[0][1]] if rows else [], column, problems)
    for line, row in rows[first:]:
        text = trim(row[place]) if place < len(row) else ""
        if text:
            yield line, text


def _place(header: list[str], column: str | None, problems: list[str]) -> tuple[int, int]:
    """Which column holds the queries, and which row is the first that does; a single column needs no name."""
    wanted = [column] if column else [name for name in _NAMES if name in header][:1]
    found = [place for place, name in enumerate(header) if name in wanted]
    if len(found) == 1:
        return found[0], 1
    if len(found) > 1:
        problems.append(f"the column {shown(wanted[0])} stands twice")
    elif column or len(header) != 1:
        named = shown(column) if column else "、".join(_NAMES)
        problems.append(f"there is no column {named}; the columns are {shown('、'.join(header), 200)}")
    return 0, 0


def _checked(rows: Iterator[tuple[int, str]], problems: list[str]) -> Iterator[str]:
    for count, (line, query) in enumerate(rows, 1):
        if count > MOST_QUERIES:
            problems.append(f"line {line}: more than {MOST_QUERIES} queries")
            return
        if len(query) > LONGEST_FIELD:
            problems.append(f"line {line}: a query of {len(query)} characters; at most {LONGEST_FIELD}")
        elif (refused := refused_character(query)) and "surrogate" in refused:
            problems.append(f"line {line}: the query {refused}")
        else:
            yield query
        if len(problems) >= _MOST_PROBLEMS:
            return
