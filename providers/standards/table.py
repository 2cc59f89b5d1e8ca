"""A table as people keep it: CSV in UTF-8 or GB18030, or the first sheet of an XLSX workbook."""

import csv
import io
from pathlib import Path

from providers.standards.spreadsheet import MAGIC, Row, read_sheet
from schemas.errors import InvalidError, NotFoundError, StorageError
from schemas.text import shown, trim

LARGEST_BYTES = 256 * 1024 * 1024


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
        raise InvalidError(f"{shown(path, 240)} is larger than {LARGEST_BYTES} bytes", subject="file")
    return data


def decode(data: bytes, name: str) -> str:
    """UTF-8, with or without BOM, or GB18030."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        try:
            return data.decode("gb18030")
        except UnicodeDecodeError:
            message = f"{name}: byte {error.start} is neither UTF-8 nor GB18030"
            raise InvalidError(message, subject=name) from error


def read_table(data: bytes, name: str) -> list[Row]:
    """Every row that is not blank, with the line or row it begins on; told apart by the first bytes."""
    if data.startswith(MAGIC):
        return read_sheet(data, name)
    reader = csv.reader(io.StringIO(decode(data, name), newline=""), strict=True)
    rows: list[Row] = []
    begins = 1
    try:
        for row in reader:
            if any(map(trim, row)):
                rows.append((begins, row))
            begins = reader.line_num + 1
    except csv.Error as error:
        raise InvalidError(f"{name}: line {begins}: {error}", subject=name) from error
    return rows
