"""Workbooks for the tests, honest ones and hostile ones."""

import io
import zipfile
from collections.abc import Sequence
from typing import Any

import openpyxl


def workbook(*rows: Sequence[Any]) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(list(row))
    return saved(book)


def saved(book: openpyxl.Workbook) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def replaced(data: bytes, member: str, content: bytes, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """The same archive with one member's content replaced, or added."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w", compression) as new:
        for info in old.infolist():
            if info.filename != member:
                new.writestr(info, old.read(info))
        new.writestr(member, content)
    return made.getvalue()


def member(data: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(name)
