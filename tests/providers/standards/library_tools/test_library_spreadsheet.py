"""XLSX from strangers: values within bounds, everything else refused by its place."""

import io
import sys
import zipfile
from contextlib import suppress
from datetime import date, datetime

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.standards import spreadsheet
from providers.standards.spreadsheet import read_sheet, write_sheet
from schemas.errors import InvalidError, NotReadyError
from tests.providers.standards.library_tools.workbooks import (
    member,
    replaced,
    saved,
    sheets,
    stored,
    timeless,
    workbook,
)

SHEET = "xl/worksheets/sheet1.xml"
# A workbook says when it was made; its bytes would differ from run to run, and with them what is drawn.
WHOLE = timeless(workbook(["编号", "名称"], ["GB 1-2000", "甲"]))


def test_values_become_text_and_blank_rows_are_left_out() -> None:
    data = workbook(
        ["编号", "日期", "数"],
        [],
        [" GB 1 ", date(2014, 6, 1), 50330],
        [None, datetime.fromisoformat("2014-06-01T00:00:00"), 1.5],
        ["", 2.0, True],
    )
    assert read_sheet(data, "a.xlsx").rows == [
        (1, ["编号", "日期", "数"]),
        (3, [" GB 1 ", "2014-06-01", "50330"]),
        (4, ["", "2014-06-01", "1.5"]),
        (5, ["", "2", "True"]),
    ]


def test_a_formula_is_the_value_that_was_stored_with_it() -> None:
    data = stored(
        workbook(["序号", "编号"], ["=ROW()-1", '="GB "&1'], ["=A2+1", '=""']), ["1", "GB 1", "2", ""]
    )
    read = read_sheet(data, "a.xlsx")
    assert read.rows == [(1, ["序号", "编号"]), (2, ["1", "GB 1"]), (3, ["2", ""])]
    assert read.faults == {}
    told = "公式取其存储的值 formulas, taken by their stored values"
    assert read.told_formulas([1, 5]) == [f"{told}: 2 (first: sheet 'Sheet' row 2)"]
    assert (read.told_formulas([5]), read.notices) == ([], [])


def test_a_formula_without_a_stored_value_is_a_fault_of_its_cell() -> None:
    read = read_sheet(workbook(["编号", "名称"], ["GB 1", "=HYPERLINK(A1)"]), "a.xlsx")
    assert read.rows == [(1, ["编号", "名称"]), (2, ["GB 1", ""])]
    assert "B2 是没有存值的公式" in read.faults[2, 1]
    assert "paste the column as values" in read.faults[2, 1]


def test_an_error_value_is_a_fault_of_its_cell() -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active["A1"] = "#REF!"
    assert read_sheet(saved(book), "a.xlsx").faults == {(1, 0): "A1 是错误值 holds the error #REF!"}
    errors = stored(workbook(["编号"], ["=NA()"]), ["#N/A"], kind="e")
    assert read_sheet(errors, "a.xlsx").faults == {(2, 0): "A2 是错误值 holds the error #N/A"}


def test_the_headings_choose_the_sheet_and_what_stands_above_is_told() -> None:
    data = sheets(
        {"封面": [["某公司"]], "清单": [["规范清单"], [], ["编号", "名称"], ["GB 1", "甲"]],
         "旧": [["编号", "名称"], ["GB 2", "乙"]]}
    )  # fmt: skip

    def rank(row: list[str]) -> int:
        return 2 if {"编号", "名称"} <= set(row) else 0

    read = read_sheet(data, "a.xlsx", rank=rank)
    assert (read.sheet, read.rows) == ("清单", [(3, ["编号", "名称"]), (4, ["GB 1", "甲"])])
    assert read.at(4) == "sheet '清单' row 4"
    others = "另有表头的表未读 other sheets with the headings, not read: '旧'"
    assert read.notices == [
        f"所读的表 the sheet that was read: '清单'；{others}",
        "表头以上的行未取 '清单' rows above the headings, not taken: 1: '规范清单'",
    ]
    named = read_sheet(data, "a.xlsx", " 旧", rank)
    assert (named.sheet, len(named.rows)) == ("旧", 2)
    assert read_sheet(data, "a.xlsx").sheet == "封面"
    with pytest.raises(InvalidError, match=r"no sheet '无'; the sheets are '封面、清单、旧'"):
        read_sheet(data, "a.xlsx", "无", rank)


def test_a_hidden_sheet_is_read_only_by_its_name() -> None:
    data = sheets({"旧": [["编号"], ["GB 2"]], "新": [["编号"], ["GB 1"]]}, hidden="旧")

    def rank(row: list[str]) -> int:
        return 2 * ("编号" in row)

    read = read_sheet(data, "a.xlsx", rank=rank)
    assert (read.sheet, "'旧'（隐藏 hidden）" in read.notices[0]) == ("新", True)
    assert read_sheet(data, "a.xlsx", "旧", rank).sheet == "旧"


def test_every_row_of_a_merged_range_has_its_value() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["清单", ""], ["编号", "状态"], ["GB 1", "现行"], ["GB 2", ""], ["GB 3", ""], ["GB 4", ""]):
        sheet.append(row)
    sheet["B8"] = "废止"
    sheet["A10"] = "GB 5"
    # A blank row inside a range is no record, and an empty range has nothing to give.
    for merged in ("A1:B1", "B3:B5", "D1:D3", "B8:B10"):
        sheet.merge_cells(merged)
    read = read_sheet(saved(book), "a.xlsx")
    assert [row[1] if len(row) > 1 else "" for _, row in read.rows[2:]] == [
        "现行", "现行", "现行", "", "废止", "废止",
    ]  # fmt: skip
    assert read.notices == [
        "合并的单元格按各行都有其值读取 merged cells, each row of them given their value: 3"
    ]


def test_more_merged_cells_than_a_list_has_are_refused() -> None:
    data = workbook(["a"])
    many = b"<mergeCells>" + b'<mergeCell ref="A1:A1048576"/>' * 5 + b"</mergeCells>"
    content = member(data, SHEET).replace(b"</sheetData>", b"</sheetData>" + many)
    with pytest.raises(InvalidError, match="merges more cells"):
        read_sheet(replaced(data, SHEET, content), "a.xlsx")


def test_a_bomb_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheet, "LARGEST_UNPACKED", 5_000_000)
    bomb = replaced(workbook(["a"]), "xl/media/bomb.bin", b"\x00" * 6_000_000)
    assert len(bomb) < 20_000
    with pytest.raises(InvalidError, match="unpacks to"):
        read_sheet(bomb, "a.xlsx")


def test_a_workbook_that_is_too_large_is_told_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheet, "LARGEST_FILE", 100)
    with pytest.raises(InvalidError, match=f"holds {len(WHOLE)} bytes; at most 100"):
        read_sheet(WHOLE, "a.xlsx")


def test_more_rows_than_a_sheet_holds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheet, "MOST_ROWS", 2)
    with pytest.raises(InvalidError, match="more than 2 rows"):
        write_sheet(io.BytesIO(), ["a"], [["b"], ["c"]])


def test_a_lie_about_a_members_size_unpacks_no_more_than_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheet, "LARGEST_UNPACKED", 5_000_000)
    content = member(workbook(["a"]), SHEET).replace(b"<sheetData>", b"<sheetData>" + b" " * 6_000_000)
    data = bytearray(replaced(workbook(["a"]), SHEET, content))
    size = len(content).to_bytes(4, "little")
    while (place := data.find(size)) >= 0:
        data[place : place + 4] = (1000).to_bytes(4, "little")
    with pytest.raises(InvalidError):
        read_sheet(bytes(data), "a.xlsx")


def test_many_members_are_refused() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for number in range(1_001):
            archive.writestr(f"{number}.txt", b"")
    with pytest.raises(InvalidError, match="1001 files"):
        read_sheet(made.getvalue(), "a.xlsx")


@pytest.mark.parametrize(
    "head",
    [b'<!DOCTYPE a [<!ENTITY b "c">]>', b'<?xml version="1.0"?>\n<!-- x --><!DOCTYPE a SYSTEM "file:///etc/passwd">',
     '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE a>'.encode("utf-16")],
)  # fmt: skip
def test_a_document_type_is_refused(head: bytes) -> None:
    data = workbook(["a"])
    for name in (SHEET, "xl/workbook.xml", "xl/sharedStrings.xml"):
        with pytest.raises(InvalidError, match="document type"):
            read_sheet(replaced(data, name, head + member(data, SHEET)), "a.xlsx")


def test_links_to_other_files_are_not_followed() -> None:
    data = workbook(["编号"], ["GB 1"])
    link = b'<externalLink xmlns="x"><externalBook r:id="rId1"/></externalLink>'
    linked = replaced(data, "xl/externalLinks/externalLink1.xml", link)
    assert read_sheet(linked, "a.xlsx").rows == [(1, ["编号"]), (2, ["GB 1"])]


def test_a_sheet_that_is_wider_than_any_library_is_refused() -> None:
    assert read_sheet(workbook(["a"] * 64), "a.xlsx").rows == [(1, ["a"] * 64)]
    with pytest.raises(InvalidError, match="more than 64 columns"):
        read_sheet(workbook(["a"] * 65), "a.xlsx")


def test_what_a_sheet_says_about_its_size_is_not_believed() -> None:
    data = workbook(["a", "b"], ["c", "d"])
    lied = member(data, SHEET).replace(b'ref="A1:B2"', b'ref="A1:XFD1048576"')
    assert lied != member(data, SHEET)
    assert read_sheet(replaced(data, SHEET, lied), "a.xlsx").rows == [(1, ["a", "b"]), (2, ["c", "d"])]


def test_a_member_that_does_not_unpack_is_refused() -> None:
    with zipfile.ZipFile(io.BytesIO(WHOLE)) as archive:
        first = archive.infolist()[0]
    begins = first.header_offset + 30 + len(first.filename)
    damaged = WHOLE[:begins] + b"\x00" + WHOLE[begins + 1 :]
    with pytest.raises(InvalidError, match="no readable workbook: Error -3"):
        read_sheet(damaged, "a.xlsx")


def test_another_compression_than_the_formats_own_is_refused() -> None:
    data = replaced(WHOLE, SHEET, member(WHOLE, SHEET), zipfile.ZIP_BZIP2)
    with pytest.raises(InvalidError, match="is no deflated file"):
        read_sheet(data, "a.xlsx")


def test_what_is_damaged_below_is_a_workbook_and_the_same_every_time() -> None:
    now = workbook(["编号", "名称"], ["GB 1-2000", "甲"])
    core = member(now, "docProps/core.xml")
    later = replaced(now, "docProps/core.xml", core.replace(b">20", b">21"))
    assert now != later
    assert timeless(now) == timeless(later) == WHOLE
    assert read_sheet(WHOLE, "a.xlsx").rows == [(1, ["编号", "名称"]), (2, ["GB 1-2000", "甲"])]


@given(st.data())
def test_a_damaged_workbook_is_read_or_refused(data: st.DataObject) -> None:
    whole = bytearray(WHOLE)
    for place in data.draw(st.lists(st.integers(0, len(whole) - 1), max_size=8)):
        whole[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(4, len(whole)))
    with suppress(InvalidError):
        read_sheet(bytes(whole[:cut]), "a.xlsx")


@given(st.lists(st.lists(st.text(max_size=20), min_size=1, max_size=4), max_size=5))
def test_text_stays_text_in_what_is_written(rows: list[list[str]]) -> None:
    made = io.BytesIO()
    write_sheet(made, ["=1+1", "b"], rows)
    book = openpyxl.load_workbook(io.BytesIO(made.getvalue()))
    assert book.active is not None
    for row in book.active.iter_rows():
        assert all(cell.data_type in ("s", "n", "inlineStr") for cell in row)
        assert all(cell.value is None or isinstance(cell.value, str) for cell in row)
    first = next(book.active.iter_rows(max_row=1))
    assert first[0].value == "=1+1"


def test_without_the_extra_its_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    data = workbook(["a"])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(NotReadyError, match="openpyxl") as raised:
        read_sheet(data, "a.xlsx")
    assert "pip install '.[xlsx]'" in (raised.value.hint or "")
