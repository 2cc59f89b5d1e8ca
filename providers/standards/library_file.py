"""Bring a maintainer's table, CSV or XLSX, into the library's own form, or say everything that is wrong.

Columns may have Chinese names; a missing normalised code is derived. Codes get one width and one dash,
dates become YYYY-MM-DD; nothing else is changed, and nothing is guessed.
"""

import csv
import io
import re
from dataclasses import dataclass
from datetime import date

from providers.standards.folding import fold
from providers.standards.library import COLUMNS, Library, LibraryError, code_key, loads
from providers.standards.spreadsheet import Row
from providers.standards.table import read_table
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


@dataclass(frozen=True)
class Imported:
    """What a table became, and which of its columns did not come along."""

    written: bytes
    library: Library
    ignored: list[str]
    """Columns that no name is known for, in the table's order; one without a name is told by its number."""
    missing: list[str]
    """Columns of a library that the table has not; the library holds nothing there."""


def import_library(data: bytes, name: str) -> tuple[bytes, Library]:
    """The library file, UTF-8 CSV, that the table means, and the library that it loads as.

    Raises LibraryError with every fault: a column that is missing or stands twice, an empty or repeated
    code, an empty title, a date that is none.
    """
    done = import_table(data, name)
    return done.written, done.library


def import_table(data: bytes, name: str) -> Imported:
    """`import_library`, and what was left behind."""
    try:
        rows = read_table(data, name)
    except InvalidError as error:
        raise LibraryError(name, [error.message.removeprefix(f"{name}: ")]) from error
    problems: list[str] = []
    places = _places(rows, problems)
    if problems:
        raise LibraryError(name, problems)
    lines: dict[str, int] = {}
    records = [_record(line, row, places, problems, lines) for line, row in rows[1:]]
    if not records:
        problems.append("no record follows the header")
    if problems:
        raise LibraryError(name, problems)
    written = write(records)
    # A normalised code that is missing is derived, and nothing is lost by it.
    missing = [column for column in COLUMNS if column not in places and column != "csres_normalized_code"]
    return Imported(written, loads(written, name), _ignored(rows, set(places.values())), missing)


def _ignored(rows: list[Row], taken: set[int]) -> list[str]:
    header = [trim(name) for name in rows[0][1]]
    filled = {place for _, row in rows for place, value in enumerate(row) if trim(value)}
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


def _places(rows: list[Row], problems: list[str]) -> dict[str, int]:
    """Which column holds what; the official name of a column goes before any other."""
    header = [trim(name) for name in rows[0][1]] if rows else []
    places = {}
    for column, others in _NAMES.items():
        found = [place for place, name in enumerate(header) if name == column]
        found = found or [place for place, name in enumerate(header) if name.lower() in others]
        if len(found) > 1:
            problems.append(f"line {rows[0][0]}: the column {column} stands twice")
        elif found:
            places[column] = found[0]
        elif column in _REQUIRED:
            accepted = "、".join((column, *others))
            problems.append(f"line 1: the column {column} is missing; any of these names it: {accepted}")
    return places


def _record(
    line: int, row: list[str], places: dict[str, int], problems: list[str], lines: dict[str, int]
) -> list[str]:
    given = {column: trim(row[place]) if place < len(row) else "" for column, place in places.items()}
    code = fold(given["csres_code"]).strip()
    key = code_key(code)
    if not key:
        problems.append(f"line {line}: the code is empty")
    elif lines.setdefault(key, line) != line:
        problems.append(f"line {line}: the code {shown(code)} stands already on line {lines[key]}")
    if not given["csres_title"]:
        problems.append(f"line {line}: the title is empty")
    stated = given.get("implement_date", "")
    day = normal_date(stated) if stated else ""
    if day is None:
        problems.append(f"line {line}: {shown(stated)} is no date")
    alias = fold(given.get("csres_normalized_code", "")).strip() or code.replace(" ", "")
    title, status, relation = (given.get(name, "") for name in ("csres_title", "status", "relation_text"))
    return [code, alias, title, status, relation, day or ""]


def normal_date(text: str) -> str | None:
    """A date in one of the ways that people write one, as YYYY-MM-DD; None for what is no day."""
    found = _DATE.fullmatch(text) or _COMPACT.fullmatch(text)
    if found is None:
        return None
    try:
        return date(*map(int, found.groups())).isoformat()
    except ValueError:
        return None


def repeated(data: bytes, name: str) -> list[dict[str, object]]:
    """Codes that stand on several lines of a table, with the fields in which those lines disagree."""
    rows = read_table(data, name)
    places = _places(rows, [])
    if "csres_code" not in places:
        return []
    groups: dict[str, list[tuple[int, dict[str, str]]]] = {}
    for line, row in rows[1:]:
        given = {column: trim(row[place]) if place < len(row) else "" for column, place in places.items()}
        groups.setdefault(code_key(given["csres_code"]), []).append((line, given))
    return [
        {
            "code": lines[0][1]["csres_code"],
            "lines": [line for line, _ in lines],
            "conflicts": {
                column: values
                for column in places
                if column != "csres_code" and len(set(values := [given[column] for _, given in lines])) > 1
            },
        }
        for key, lines in groups.items()
        if key and len(lines) > 1
    ]
