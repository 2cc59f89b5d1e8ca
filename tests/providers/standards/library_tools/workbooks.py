"""Workbooks for the tests, honest ones and hostile ones."""

import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import openpyxl


def workbook(*rows: Sequence[Any]) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(list(row))
    return saved(book)


def sheets(content: Mapping[str, Sequence[Sequence[Any]]], hidden: str = "") -> bytes:
    """A workbook of several sheets, by their names."""
    book = openpyxl.Workbook()
    assert book.active is not None
    book.remove(book.active)
    for name, rows in content.items():
        sheet = book.create_sheet(name)
        sheet.sheet_state = "hidden" if name == hidden else "visible"
        for row in rows:
            sheet.append(list(row))
    return saved(book)


def stored(data: bytes, values: Sequence[str], kind: str = "str") -> bytes:
    """The same workbook as a spreadsheet program saves it: a value for each formula of the first sheet."""
    name = "xl/worksheets/sheet1.xml"
    given = iter(values)

    def with_value(found: re.Match[bytes]) -> bytes:
        return b'<c r="%s" t="%s">%s<v>%s</v></c>' % (found[1], kind.encode(), found[2], next(given).encode())

    pattern = rb'<c r="([A-Z]+[0-9]+)"[^>]*>(<f>.*?</f>)<v ?/>(?:</v>)?</c>'
    content, count = re.subn(pattern, with_value, member(data, name))
    assert count == len(values), (count, content)
    return replaced(data, name, content)


def saved(book: openpyxl.Workbook) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def timeless(data: bytes) -> bytes:
    """The same archive, but for the time at which it was made: equal content is equal bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
        for name in sorted(old.namelist()):
            content = re.sub(rb"[0-9-]{10}T[0-9:]{8}Z", b"2026-03-04T05:06:07Z", old.read(name))
            new.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


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
