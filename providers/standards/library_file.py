"""Bring a maintainer's table, CSV or XLSX, into the library's own form, or say everything that is wrong.

Columns may have Chinese names; a missing normalised code is derived. Codes get one writing, and which were
rewritten is told; dates become YYYY-MM-DD; nothing else is changed, and nothing is guessed.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from providers.standards.folding import fold
from providers.standards.headings import HEADINGS, Table, empty, plain
from providers.standards.library import COLUMNS, Library, LibraryError, code_key, field_fault, loads
from providers.standards.library_codes import official
from providers.standards.spreadsheet import MAGIC, sheets_with_headings
from providers.standards.table import UTF_16, read_table
from schemas.errors import InvalidError
from schemas.text import shown, trim

_NAMES = {
    "csres_code": ("规范编号", "标准编号", "编号", "标准号", "规范号", "code"),
    "csres_normalized_code": ("标准化编号", "规范化编号", "归一编号"),
    "csres_title": ("规范名称", "标准名称", "名称", "标题", "title"),
    "status": ("状态", "标准状态", "规范状态"),
    "relation_text": ("替代情况", "替代关系", "代替情况", "代替关系"),
    "implement_date": ("实施日期", "实施时间", "施行日期"),
}
_REQUIRED = ("csres_code", "csres_title")
_DATE = re.compile(r"([0-9]{4})(?:[-/.]|年 ?)([0-9]{1,2})(?:[-/.]|月 ?)([0-9]{1,2})日?(?: 00:00:00)?")
_COMPACT = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")


class Rewritten(NamedTuple):
    """A code that the library writes otherwise than the table."""

    line: int
    was: str
    now: str
    sheet: str | None = None


@dataclass(frozen=True)
class Imported:
    """What a table became, and which of its columns did not come along."""

    written: bytes
    library: Library
    ignored: list[str]
    """Columns that no name is known for, in the table's order; one without a name is told by its number."""
    missing: list[str]
    """Columns of a library that the table has not; the library holds nothing there."""
    sheets: list[str]
    """The sheets of a workbook that were read."""
    rewritten: list[Rewritten]
    notices: list[str]
    """How the table was read, where that is not plain."""


def import_library(data: bytes, name: str) -> tuple[bytes, Library]:
    """The library file, UTF-8 CSV, that the table means, and the library that it loads as.

    Raises LibraryError with every fault: a column that is missing or stands twice, an empty or repeated
    code, an empty title, a date that is none.
    """
    done = import_table(data, name)
    return done.written, done.library


def import_table(
    data: bytes,
    name: str,
    sheets: Sequence[str] = (),
    keep_codes: bool = False,
    *,
    every_sheet: bool = False,
) -> Imported:
    """`import_library`, and how the table was read and what was left behind.

    Of a workbook the `sheets` are joined, or `every_sheet` that has the headings; else one is read.
    `keep_codes` leaves the codes as they are written.
    """
    tables = _read(data, name, sheets, every_sheet)
    problems: list[str] = []
    places = [_places(table, problems) for table in tables]
    if problems:
        raise LibraryError(name, problems, hint=_other_sheet(data, sheets))
    records, reader = [], _Records(problems, keep_codes)
    for table, at in zip(tables, places, strict=True):
        records += [reader.record(table, at, line, row) for line, row in table.rows[1:]]
    if not records:
        where = tables[0].at(tables[0].rows[0][0])
        problems.append(f"{where}: 表头之后没有记录 no record follows the header")
    if problems:
        raise LibraryError(name, problems)
    written = write(records)
    library = loads(written, name)
    return Imported(
        written,
        library,
        list(
            dict.fromkeys(
                told for table, at in zip(tables, places, strict=True) for told in _ignored(table, at)
            )
        ),
        [column for column in COLUMNS if _missing(column, places)],
        [table.sheet for table in tables if table.sheet is not None],
        reader.rewritten,
        _notices(tables, places),
    )


def _notices(tables: Sequence[Table], places: Sequence[dict[str, int]]) -> list[str]:
    told = []
    for table, at in zip(tables, places, strict=True):
        told += [*table.notices, *table.told_formulas(at.values())]
        if len(tables) > 1:
            told.append(f"{shown(str(table.sheet))}: {len(table.rows) - 1} 行 rows")
    return told


def _missing(column: str, places: Sequence[dict[str, int]]) -> bool:
    """Whether no table has it; a normalised code that is missing is derived, and nothing is lost by it."""
    return column != "csres_normalized_code" and not any(column in at for at in places)


def is_list(data: bytes, name: str, of_a_workbook: bool = False) -> bool:
    """Whether a file is a list that `import` would make a library of, and no library itself.

    A library is CSV in UTF-8 or GB18030 whose headings are the library's own. `of_a_workbook`: the caller
    speaks of sheets.
    """
    if of_a_workbook or data.startswith((MAGIC, *UTF_16)):
        return True
    try:
        table = read_table(data, name, rank=_rank)
    except InvalidError:
        return False
    rank = _rank(table.rows[0][1]) if table.rows else 0
    if rank and "csres_code" not in map(trim, table.rows[0][1]):
        return True
    return rank == HEADINGS and bool(table.notices)


def _read(data: bytes, name: str, sheets: Sequence[str], every_sheet: bool) -> list[Table]:
    try:
        return read_lists(data, name, sheets, every_sheet)
    except InvalidError as error:
        raise LibraryError(name, [error.message.removeprefix(f"{name}: ")], hint=error.hint) from error


def read_lists(data: bytes, name: str, sheets: Sequence[str], every_sheet: bool) -> list[Table]:
    """The tables of a list: each of the `sheets` once, or every one with the headings, or the one table."""
    left: list[str] = []
    if every_sheet and data.startswith(MAGIC):
        sheets, left = sheets_with_headings(data, name, _rank)
    wanted: list[str | None] = [*dict.fromkeys(map(trim, sheets))]
    tables = [read_table(data, name, sheet, _rank) for sheet in wanted or [None]]
    if left and sheets:
        told = "没有表头或隐藏、未读的表 sheets without the headings or hidden, not read"
        tables[0].notices.append(f"{told}: {'、'.join(map(shown, left))}")
    if all(map(empty, tables)):
        told = "文件是空的 the file is empty" if len(tables) == 1 else "所读的表都是空的 the sheets are empty"
        raise InvalidError(told, subject=name, hint=_other_sheet(data, sheets))
    return tables


def _rank(row: list[str]) -> int:
    """How much a row looks like the headings of a list of standards."""
    names = {plain(cell) for cell in row}
    known = [column for column, others in _NAMES.items() if names & {column, *others}]
    return HEADINGS if set(_REQUIRED) <= set(known) else int(bool(known))


def _other_sheet(data: bytes, sheets: Sequence[str]) -> str | None:
    told = "say --sheet NAME if the list is on another sheet"
    return told if data.startswith(MAGIC) and not sheets else None


def _ignored(table: Table, places: dict[str, int]) -> list[str]:
    header = [trim(name) for name in table.rows[0][1]]
    taken = set(places.values())
    filled = {place for _, row in table.rows for place, value in enumerate(row) if trim(value)}
    return [
        header[place] if place < len(header) and header[place] else f"column {place + 1}"
        for place in sorted(filled - taken)
    ]


def write(records: list[list[str]]) -> bytes:
    """Records, fields in the order of the library's columns, as a library file."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(records)
    return text.getvalue().encode()


def _places(table: Table, problems: list[str]) -> dict[str, int]:
    """Which column holds what; the official name of a column goes before any other."""
    header = [plain(name) for name in table.rows[0][1]] if table.rows else []
    where = table.at(table.rows[0][0] if table.rows else 1)
    places = {}
    for column, others in _NAMES.items():
        found = [place for place, name in enumerate(header) if name == column]
        found = found or [place for place, name in enumerate(header) if name in others]
        if len(found) > 1:
            problems.append(f"{where}: 列重复 the column {column} stands twice")
        elif found:
            places[column] = found[0]
        elif column in _REQUIRED:
            accepted = "、".join((column, *others))
            told = f"缺列 the column {column} is missing; any of these names it: {accepted}"
            seen = shown("、".join(filter(None, map(trim, table.rows[0][1]))) if table.rows else "", 120)
            problems.append(f"{where}: {told}; found {seen}")
    return places


class _Records:
    """One pass over the rows of all tables that keeps going after a problem."""

    def __init__(self, problems: list[str], keep_codes: bool) -> None:
        self._problems = problems
        self._keep_codes = keep_codes
        self._where: dict[str, str] = {}
        self.rewritten: list[Rewritten] = []

    def record(self, table: Table, places: dict[str, int], line: int, row: list[str]) -> list[str]:
        """The fields of a library's record, in its order."""
        problems = [fault for place in places.values() if (fault := table.faults.get((line, place)))]
        given = {name: trim(row[place]) if place < len(row) else "" for name, place in places.items()}
        code = given["csres_code"] if self._keep_codes else official(given["csres_code"])
        if not problems:
            problems = [*self._code_faults(table.at(line), code), *self._value_faults(given)]
        self._problems += [f"{table.at(line)}: {problem}" for problem in problems]
        if code != given["csres_code"]:
            self.rewritten.append(Rewritten(line, given["csres_code"], code, table.sheet))
        alias = fold(given.get("csres_normalized_code", "")).strip() or fold(code).replace(" ", "")
        title, status, relation = (given.get(name, "") for name in ("csres_title", "status", "relation_text"))
        return [code, alias, title, status, relation, normal_date(given.get("implement_date", "")) or ""]

    def _code_faults(self, where: str, code: str) -> Iterator[str]:
        key = code_key(code)
        if not key:
            yield "编号为空 the code is empty"
        elif (earlier := self._where.setdefault(key, where)) != where:
            yield f"编号重复 the code {shown(code)} stands already on {earlier}"

    @staticmethod
    def _value_faults(given: dict[str, str]) -> Iterator[str]:
        if not given["csres_title"]:
            yield "名称为空 the title is empty"
        day = given.get("implement_date", "")
        if day and normal_date(day) is None:
            number = "；要设成日期格式 a number; format its cell as a date" if day.isdecimal() else ""
            yield f"实施日期不是日期 {shown(day)} is no date{number}"
        yield from (fault for pair in given.items() if (fault := field_fault(*pair)))


def normal_date(text: str) -> str | None:
    """A date in one of the ways that people write one, as YYYY-MM-DD; None for what is no day."""
    found = _DATE.fullmatch(text) or _COMPACT.fullmatch(text)
    if found is None:
        return None
    try:
        return date(*map(int, found.groups())).isoformat()
    except ValueError:
        return None


def repeated(
    data: bytes, name: str, sheets: Sequence[str] = (), *, every_sheet: bool = False
) -> list[dict[str, object]]:
    """Codes that stand on several lines, with the fields in which those lines disagree.

    Of several sheets each line is told with its sheet.
    """
    tables = read_lists(data, name, sheets, every_sheet)
    groups: dict[str, list[tuple[int | str, dict[str, str]]]] = {}
    for table in tables:
        places = _places(table, [])
        for line, row in table.rows[1:] if "csres_code" in places else ():
            given = {column: trim(row[place]) if place < len(row) else "" for column, place in places.items()}
            where = line if len(tables) == 1 else table.at(line)
            groups.setdefault(code_key(given["csres_code"]), []).append((where, given))
    return [
        {
            "code": lines[0][1]["csres_code"],
            "lines": [line for line, _ in lines],
            "conflicts": _conflicts([given for _, given in lines]),
        }
        for key, lines in groups.items()
        if key and len(lines) > 1
    ]


def _conflicts(rows: list[dict[str, str]]) -> dict[str, list[str]]:
    columns = [column for column in _NAMES if column != "csres_code" and any(column in row for row in rows)]
    stated = {column: [row.get(column, "") for row in rows] for column in columns}
    return {column: values for column, values in stated.items() if len(set(values)) > 1}
