"""XLSX from strangers and for people: values only, within bounds; needs the extra `xlsx`.

A workbook is a ZIP of XML. Before anything is unpacked its size is added up; a formula, an error value or
a DTD is refused by its place; links to other files and macros are never looked at.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from types import ModuleType
from typing import IO, Any

from schemas.errors import EvidenceError, InvalidError, NotReadyError
from schemas.text import refused_character

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

Row = tuple[int, list[str]]


def read_sheet(data: bytes, name: str) -> list[Row]:
    """The rows of the first sheet that are not blank, as text, each with its number.

    Raises NotReadyError without the extra, InvalidError for a workbook that is broken, too large, or holds
    what is no plain value.
    """
    openpyxl = _openpyxl()
    _check_archive(data, name)
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, keep_links=False)
        try:
            return list(_rows(book, name))
        finally:
            book.close()
    except EvidenceError:
        raise
    # A broken workbook makes openpyxl raise whatever it meets: KeyError, ValueError, a parser's own errors.
    except Exception as error:
        message = f"{name}: the workbook cannot be read: {type(error).__name__}: {error}"
        raise InvalidError(message, subject=name) from error


def write_sheet(file: IO[bytes], header: Sequence[str], rows: Iterable[Sequence[str | float]]) -> None:
    """Write one sheet; text stays text, whatever it begins with."""
    openpyxl = _openpyxl()
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append([_cell(openpyxl, sheet, value) for value in header])
    for number, row in enumerate(rows, 2):
        if number > MOST_ROWS:
            message = f"more than {MOST_ROWS} rows do not fit one sheet"
            raise InvalidError(message, subject="xlsx", hint="choose csv or jsonl")
        sheet.append([_cell(openpyxl, sheet, value) for value in row])
    book.save(file)


def _openpyxl() -> ModuleType:
    try:
        import openpyxl
        import openpyxl.cell
    except ModuleNotFoundError as error:
        raise NotReadyError(
            "XLSX needs openpyxl, which is not installed",
            subject="xlsx",
            hint="pip install 'external-evidence[xlsx]', or save the sheet as CSV (UTF-8)",
        ) from error
    return openpyxl


def _check_archive(data: bytes, name: str) -> None:
    if len(data) > LARGEST_FILE:
        raise InvalidError(f"{name} is larger than {LARGEST_FILE} bytes", subject=name)
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


def _rows(book: Any, name: str) -> Iterator[Row]:
    if not book.worksheets:
        raise InvalidError(f"{name} has no sheet", subject=name)
    sheet = book.worksheets[0]
    # What a sheet says about its own size is not believed.
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(max_col=MOST_COLUMNS + 1), 1):
        values = [_text(cell, name) for cell in row]
        if len(values) > MOST_COLUMNS and values[MOST_COLUMNS]:
            raise InvalidError(f"{name}: row {number} has more than {MOST_COLUMNS} columns", subject=name)
        while values and not values[-1]:
            values.pop()
        if values:
            yield number, values


def _text(cell: Any, name: str) -> str:
    value = cell.value
    if value is None:
        return ""
    if cell.data_type == "f":
        hint = "copy the column and paste it as values"
        raise InvalidError(f"{name}: {cell.coordinate} is a formula", subject=name, hint=hint)
    if cell.data_type == "e":
        raise InvalidError(f"{name}: {cell.coordinate} holds the error {value}", subject=name)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == value.time().min else value.isoformat(" ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


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
