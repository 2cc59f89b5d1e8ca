"""XLSX from strangers and for people: values only, within bounds; needs the extra `xlsx`.

A workbook is a ZIP of XML. Before anything is unpacked its size is added up; a DTD is refused; a formula is
never worked out, and links to other files and macros are never looked at.
"""

import io
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from types import ModuleType
from typing import IO, Any

from providers.standards.extras import reinstall
from providers.standards.headings import HEAD_ROWS, HEADINGS, Rank, Row, Table, best, cut
from schemas.errors import EvidenceError, InvalidError, NotReadyError
from schemas.text import refused_character, shown, trim

LARGEST_FILE = 64 * 1024 * 1024
LARGEST_UNPACKED = 512 * 1024 * 1024
MOST_MEMBERS = 1000
MOST_COLUMNS = 64
MOST_ROWS = 1_048_576
"""What one sheet can hold."""
_BROKEN = (
    zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError, EOFError, OSError,
    ValueError,
)  # fmt: skip
"""What reading a damaged archive raises."""
MAGIC = b"PK\x03\x04"
SAVE_AS = "save it in a spreadsheet program as XLSX, or as CSV UTF-8"
_CELLS_END = re.compile(rb"</(?:\w{1,40}:)?sheetData>")
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell [^<>]*?ref="([A-Z]{1,3})([0-9]{1,7}):[A-Z]{1,3}([0-9]{1,7})"')


@dataclass
class _Sheet:
    """What one pass over a sheet found: its rows, and the cells that have no plain value."""

    rows: list[Row]
    formulas: set[tuple[int, int]]
    faults: dict[tuple[int, int], str]


def read_sheet(data: bytes, name: str, wanted: str | None = None, rank: Rank | None = None) -> Table:
    """The rows of one sheet that are not blank, as text, each with its number.

    The sheet is the one that is `wanted`, or the first visible one with the headings that `rank` looks
    for, or the first. A formula is the value that was stored with it; merged rows all have their value.
    Raises NotReadyError without the extra, InvalidError for a workbook that is broken or too large.
    """
    openpyxl = _openpyxl()
    with _opened(openpyxl, data, name) as book:
        return _table(openpyxl, book, data, name, wanted, rank)


def sheets_with_headings(data: bytes, name: str, rank: Rank) -> tuple[list[str], list[str]]:
    """The visible sheets of a workbook that have the headings, in their order, and the others."""
    with _opened(_openpyxl(), data, name) as book:
        read = [
            sheet.title
            for sheet in book.worksheets
            if sheet.sheet_state == "visible" and _rank_of(sheet, rank) == HEADINGS
        ]
        return read, [sheet.title for sheet in book.worksheets if sheet.title not in read]


@contextmanager
def _opened(openpyxl: ModuleType, data: bytes, name: str) -> Iterator[Any]:
    """The workbook; whatever goes wrong with it while it is open is told as its fault."""
    _check_archive(data, name)
    try:
        with warnings.catch_warnings():
            # What openpyxl warns of, styles and extensions that it does not know, is not read here.
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, keep_links=False)
            try:
                yield book
            finally:
                book.close()
    except EvidenceError:
        raise
    # A broken workbook makes openpyxl raise whatever it meets: KeyError, ValueError, a parser's own errors.
    except Exception as error:
        message = f"{name}: the workbook cannot be read: {type(error).__name__}: {error}"
        raise InvalidError(message, subject=name, hint=SAVE_AS) from error


def _table(
    openpyxl: ModuleType, book: Any, data: bytes, name: str, wanted: str | None, rank: Rank | None
) -> Table:
    sheet, others = _chosen(book, name, wanted, rank)
    read = _read(sheet, name)
    table = Table(name, read.rows, sheet.title, faults=read.faults)
    if len(book.worksheets) > 1:
        rest = f"；另有表头的表未读 other sheets with the headings, not read: {'、'.join(others)}"
        told = f"所读的表 the sheet that was read: {shown(sheet.title)}"
        table.notices.append(told + (rest if others else ""))
    if read.formulas:
        _stored_values(openpyxl, data, table, read.formulas)
    if rank is not None:
        cut(table, best(table.rows[:HEAD_ROWS], rank)[0])
    _fill_merged(book, sheet, table)
    table.rows[:] = [
        (number, row) for number, row in table.rows if any(row) or any(at == number for at, _ in table.faults)
    ]
    return table


def _chosen(book: Any, name: str, wanted: str | None, rank: Rank | None) -> tuple[Any, list[str]]:
    """The sheet to read, and the names of others that have the headings too."""
    if not book.worksheets:
        raise InvalidError(f"{name} has no sheet", subject=name)
    if wanted is not None:
        found = [sheet for sheet in book.worksheets if trim(sheet.title) == trim(wanted)]
        if not found:
            names = shown("、".join(sheet.title for sheet in book.worksheets), 200)
            message = f"{name}: there is no sheet {shown(wanted)}; the sheets are {names}"
            raise InvalidError(message, subject="--sheet", hint="say --sheet NAME with one of these")
        return found[0], []
    visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"] or book.worksheets
    if rank is None:
        return visible[0], []
    ranks = {sheet.title: _rank_of(sheet, rank) for sheet in book.worksheets}
    chosen = max(visible, key=lambda sheet: ranks[sheet.title])  # the first of the best
    others = [
        shown(sheet.title) + ("" if sheet.sheet_state == "visible" else "（隐藏 hidden）")
        for sheet in book.worksheets
        if sheet is not chosen and ranks[sheet.title] == HEADINGS
    ]
    return chosen, others


def _rank_of(sheet: Any, rank: Rank) -> int:
    return best(list(islice(_peek(sheet), HEAD_ROWS)), rank)[1]


def write_sheet(
    file: IO[bytes],
    header: Sequence[str],
    rows: Iterable[Sequence[str | float]],
    widths: Sequence[int] = (),
) -> None:
    """Write one sheet whose header stays in sight; text stays text, whatever it begins with."""
    openpyxl = _openpyxl()
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.freeze_panes = "A2"
    for place, width in enumerate(widths, 1):
        sheet.column_dimensions[openpyxl.utils.get_column_letter(place)].width = width
    sheet.append([_cell(openpyxl, sheet, value) for value in header])
    for number, row in enumerate(rows, 2):
        if number > MOST_ROWS:
            sheet.close()
            message = f"more than {MOST_ROWS} rows do not fit one sheet"
            raise InvalidError(message, subject="xlsx", hint="choose csv or jsonl")
        sheet.append([_cell(openpyxl, sheet, value) for value in row])
    book.save(file)


def _openpyxl() -> ModuleType:
    try:
        import openpyxl
        import openpyxl.cell
        import openpyxl.utils
    except ModuleNotFoundError as error:
        raise NotReadyError(
            "XLSX needs openpyxl, which is not installed",
            subject="xlsx",
            hint=f"{reinstall('xlsx')}; or save the sheet as CSV (UTF-8)",
        ) from error
    return openpyxl


def _check_archive(data: bytes, name: str) -> None:
    if len(data) > LARGEST_FILE:
        raise InvalidError(f"{name} holds {len(data)} bytes; at most {LARGEST_FILE}", subject=name)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            unpacked = sum(member.file_size for member in members)
            if len(members) > MOST_MEMBERS or unpacked > LARGEST_UNPACKED:
                raise InvalidError(
                    f"{name} unpacks to {len(members)} files of {unpacked} bytes; "
                    f"{MOST_MEMBERS} files of {LARGEST_UNPACKED} bytes in all are read",
                    subject=name,
                )
            for member in members:
                # The format knows no other, and each of the others has errors of its own.
                if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise InvalidError(f"{name}: {member.filename} is no deflated file", subject=name)
                if member.filename.endswith((".xml", ".rels")):
                    with archive.open(member) as file:
                        _check_head(file.read(4096), f"{name}: {member.filename}")
    except _BROKEN as error:
        raise InvalidError(f"{name} is no readable workbook: {error}", subject=name) from error


def _check_head(head: bytes, where: str) -> None:
    """A DTD can only stand at the head of a document; none of the format's own documents has one."""
    if b"<!" in head.replace(b"<!--", b"") or head[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\x00" in head:
        raise InvalidError(f"{where} has a document type or another encoding than UTF-8", subject=where)


def _peek(sheet: Any) -> Iterator[Row]:
    """The rows of a sheet that hold something, whatever it is."""
    # What a sheet says about its own size is not believed.
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(max_col=MOST_COLUMNS, values_only=True), 1):
        values = ["" if value is None else str(value) for value in row]
        if any(map(trim, values)):
            yield number, values


def _read(sheet: Any, name: str) -> _Sheet:
    found = _Sheet([], set(), {})
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(max_col=MOST_COLUMNS + 1), 1):
        values = [_text(cell) for cell in row]
        if len(values) > MOST_COLUMNS and values[MOST_COLUMNS]:
            message = f"{name}: sheet {shown(sheet.title)} row {number} has more than {MOST_COLUMNS} columns"
            raise InvalidError(message, subject=name)
        for place, cell in enumerate(row):
            if cell.data_type == "f":
                found.formulas.add((number, place))
            elif cell.data_type == "e":
                found.faults[number, place] = f"{cell.coordinate} 是错误值 holds the error {cell.value}"
        while values and not values[-1]:
            values.pop()
        if values:
            found.rows.append((number, values))
    return found


def _text(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == value.time().min else value.isoformat(" ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _stored_values(openpyxl: ModuleType, data: bytes, table: Table, formulas: set[tuple[int, int]]) -> None:
    """Put the values that were stored with formulas in place of these."""
    rows = dict(table.rows)
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, keep_links=False, data_only=True)
    try:
        sheet = book[table.sheet]
        sheet.reset_dimensions()
        for number, row in enumerate(sheet.iter_rows(max_col=MOST_COLUMNS), 1):
            for place, cell in enumerate(row):
                if (number, place) in formulas:
                    rows[number][place] = _text(cell)
                    if fault := _unstored(cell):
                        table.faults[number, place] = fault
    finally:
        book.close()
    table.formulas = formulas


def _unstored(cell: Any) -> str | None:
    """Why a formula has no value: none was stored, or an error. A stored empty text is a value."""
    if cell.data_type == "e":
        return f"{cell.coordinate} 是错误值 holds the error {cell.value}"
    if cell.value is None and cell.data_type != "str":
        return (
            f"{cell.coordinate} 是没有存值的公式 is a formula without a stored value; "
            "open and save the workbook in a spreadsheet program, or paste the column as values"
        )
    return None


def _fill_merged(book: Any, sheet: Any, table: Table) -> None:
    """Give every row of a range that is merged over rows the value that stands in its first."""
    rows = dict(table.rows)
    work, filled = 0, 0
    for column, first, last in _merged(book, sheet):
        value = rows[first][column] if first in rows and column < len(rows[first]) else ""
        work += last - first
        if work > 4 * MOST_ROWS:
            message = f"{table.name}: sheet {shown(sheet.title)} merges more cells than a list would"
            raise InvalidError(message, subject=table.name, hint="take the merging of cells back")
        for number in range(first + 1, last + 1) if value else ():
            row = rows.get(number)
            if row is None:
                continue
            row += [""] * (column + 1 - len(row))
            if not row[column]:
                row[column] = value
                filled += 1
    if filled:
        told = f"合并的单元格按各行都有其值读取 merged cells, each row of them given their value: {filled}"
        table.notices.append(told)


def _merged(book: Any, sheet: Any) -> Iterator[tuple[int, int, int]]:
    """The ranges that are merged over several rows: first column from 0, first and last row."""
    for found in _MERGED.finditer(_after_cells(book, sheet)):
        first, last = int(found[2]), int(found[3])
        column = 0
        for letter in found[1]:
            column = column * 26 + letter - 64
        if first < last <= MOST_ROWS and column <= MOST_COLUMNS:
            yield column - 1, first, last


def _after_cells(book: Any, sheet: Any) -> bytes:
    """What follows the cells in a sheet's own document: the merged ranges stand there."""
    # openpyxl does not read them without reading everything else at once.
    kept = b""
    with book._archive.open(sheet._worksheet_path) as file:  # noqa: SLF001 - nothing public names the part
        after = False
        while piece := file.read(1 << 20):
            kept += piece
            if not after:
                ends = _CELLS_END.search(kept)
                after = ends is not None
                kept = kept[ends.end() if ends else -64 :]
    return kept if after else b""


def _cell(openpyxl: ModuleType, sheet: Any, value: str | float) -> Any:
    if not isinstance(value, str):
        return value
    cell = openpyxl.cell.WriteOnlyCell(sheet, value=_writable(value))
    cell.data_type = "s"  # else a text that begins with = would become a formula
    return cell


def _writable(text: str) -> str:
    """`text` as a sheet can hold it: what XML has no sign for is replaced."""
    kept = "".join("\ufffd" if _unwritable(character) else character for character in text)
    return kept[:32_767]


def _unwritable(character: str) -> bool:
    return character in "\ufffe\uffff" or (
        character not in "\t\n\r" and refused_character(character) is not None and ord(character) < 0xE000
    )
