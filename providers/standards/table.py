"""A table as people keep it: CSV in UTF-8, GB18030 or UTF-16, or a sheet of an XLSX workbook."""

import csv
import io
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from providers.standards.headings import HEAD_ROWS, HEADINGS, Rank, Row, Table, best, cut
from providers.standards.spreadsheet import MAGIC, SAVE_AS, read_sheet
from schemas.errors import InvalidError, NotFoundError, StorageError
from schemas.text import shown, trim

LARGEST_BYTES = 256 * 1024 * 1024
SAVE_AS_CSV = "save it as CSV UTF-8 (另存为 CSV UTF-8)"
_HEAD_BYTES = 65_536
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_SEPARATORS = {",": "逗号 comma", "\t": "制表符 tab", ";": "分号 semicolon"}


def read_file(path: str) -> bytes:
    """The bytes of a file. Raises NotFoundError, StorageError, or InvalidError beyond 256 MiB."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no file {shown(path, 240)}", subject=shown(path, 240)) from error
    except IsADirectoryError as error:
        raise InvalidError(f"{shown(path, 240)} is a folder, not a file", subject="file") from error
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        message = f"{shown(path, 240)} cannot be read: {why}"
        raise StorageError(message, subject=shown(path, 240)) from error
    if len(data) > LARGEST_BYTES:
        raise InvalidError(f"{shown(path, 240)} holds more than {LARGEST_BYTES} bytes", subject="file")
    return data


def decode(data: bytes, name: str) -> str:
    """UTF-8 with or without BOM, GB18030, or UTF-16 with BOM."""
    if data.startswith(_OLD_OFFICE):
        message = f"{name} is an .xls of before 2007, or a workbook with a password"
        raise InvalidError(message, subject=name, hint=f"{SAVE_AS}, without a password")
    if data.startswith(UTF_16):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError as error:
            message = f"{name}: begins as UTF-16, and byte {error.start} is none"
            raise InvalidError(message, subject=name, hint=SAVE_AS_CSV) from error
    head = data[:_HEAD_BYTES]
    if 20 * head.count(0) > len(head):
        message = f"{name}: byte {head.index(0)} is 0, as in UTF-16 without a mark at its head"
        raise InvalidError(message, subject=name, hint=SAVE_AS_CSV)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        try:
            return data.decode("gb18030")
        except UnicodeDecodeError:
            message = f"{name}: byte {error.start} is neither UTF-8 nor GB18030"
            raise InvalidError(message, subject=name, hint=SAVE_AS_CSV) from error


def read_table(data: bytes, name: str, sheet: str | None = None, rank: Rank | None = None) -> Table:
    """Every row that is not blank, with the line or row it begins on, from the headings on.

    A workbook is told by its first bytes. `rank` knows the headings: it chooses the sheet, or whether
    comma, tab or semicolon parts the cells. Without it the first row is the first that is not blank.
    """
    if data.startswith(MAGIC):
        return read_sheet(data, name, sheet, rank)
    if sheet is not None:
        message = f"{name} is no workbook; it has no sheet {shown(sheet)}"
        raise InvalidError(message, subject="--sheet", hint="leave --sheet out, or name an XLSX")
    text = decode(data, name)
    if text.lstrip()[:200].lower().startswith(("<html", "<!doctype", "<table", "<?xml")):
        raise InvalidError(f"{name} is a web page or XML, no table", subject=name, hint=SAVE_AS)
    mark = "," if rank is None else _separator(text, rank)
    table = Table(name, list(_csv_rows(text, name, mark)))
    if mark != ",":
        table.notices.append(f"分隔符 cells are parted by: {_SEPARATORS[mark]}")
    if data.startswith(UTF_16):
        table.notices.append("编码 encoding: UTF-16")
    if rank is not None:
        cut(table, best(table.rows[:HEAD_ROWS], rank)[0])
    return table


def _separator(text: str, rank: Rank) -> str:
    """What parts the cells: with it the headings are found; a comma where nothing is better."""
    head = text[:_HEAD_BYTES]
    ranks = {}
    for mark in _SEPARATORS:
        rows = ((1, row) for row in csv.reader(io.StringIO(head, newline=""), delimiter=mark) if any(row))
        ranks[mark] = best(list(islice(rows, HEAD_ROWS)), rank)[1]
        if ranks[mark] == HEADINGS:
            return mark
    return max(ranks, key=lambda mark: ranks[mark])


def _csv_rows(text: str, name: str, mark: str) -> Iterator[Row]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=mark)
    begins = 1
    try:
        for row in reader:
            if any(map(trim, row)):
                yield begins, row
            begins = reader.line_num + 1
    except csv.Error as error:
        raise InvalidError(f"{name}: line {begins}: {error}", subject=name) from error
