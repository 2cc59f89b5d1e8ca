"""A maintainer's table becomes a library, or every fault is told."""

import pytest

from providers.standards.library import COLUMNS, LibraryError, StandardRecord, loads, starter
from providers.standards.library_file import import_library, import_table, normal_date, repeated, write
from tests.providers.standards.library_tools.workbooks import workbook

HEADER = ("规范编号", "规范名称", "状态", "替代情况", "实施日期")
ROW = ("ＧＢ　５０３３０—２０１３", " 建筑边坡工程技术规范 ", "现行", "替代 GB 50330-2002", "2014年6月1日")
RECORD = StandardRecord(
    "GB 50330-2013", "GB50330-2013", "建筑边坡工程技术规范", "现行", "替代 GB 50330-2002", "2014-06-01"
)


def csv_of(*rows: tuple[str, ...], encoding: str = "utf-8") -> bytes:
    return "".join(",".join(row) + "\r\n" for row in rows).encode(encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_a_csv_with_chinese_columns_becomes_a_library(encoding: str) -> None:
    written, library = import_library(csv_of(HEADER, ROW, encoding=encoding), "a.csv")
    assert library.records == (RECORD,)
    assert loads(written).revision == library.revision
    assert written.decode().splitlines()[0] == ",".join(COLUMNS)


def test_a_workbook_becomes_the_same_library() -> None:
    _, from_csv = import_library(csv_of(HEADER, ROW), "a.csv")
    _, library = import_library(workbook(HEADER, [], ROW), "a.xlsx")
    assert library.revision == from_csv.revision


def test_a_library_that_is_in_order_comes_out_as_it_was() -> None:
    records = [list(map(str, record.to_wire().values())) for record in starter().records]
    written, library = import_library(write(records), "starter")
    assert written == write(records)
    assert library.revision == starter().revision


def test_columns_that_do_not_come_along_are_told() -> None:
    rows = [("规范编号", "备注", "规范名称", "", "主编单位", ""), ("GB 1-2000", "", "甲", "乙", "丙", "")]
    done = import_table(csv_of(*rows), "a.csv")
    assert done.ignored == ["备注", "column 4", "主编单位"]
    assert done.missing == ["status", "relation_text", "implement_date"]
    whole = import_table(csv_of(HEADER, ROW), "a.csv")
    assert (whole.ignored, whole.missing) == ([], [])


def test_every_fault_is_told_with_its_line() -> None:
    rows = [
        HEADER,
        ("", "无编号", "", "", ""),
        ("GB 1-2000", "", "", "", ""),
        ("GB 2-2000", "甲", "", "", "2014-02-30"),
        ("ＧＢ 2－2000", "乙", "", "", ""),
        ("GB 3-2000", "丙", "", "", "明年"),
    ]
    with pytest.raises(LibraryError) as raised:
        import_library(csv_of(*rows), "a.csv")
    assert raised.value.problems == [
        "line 2: the code is empty",
        "line 3: the title is empty",
        "line 4: '2014-02-30' is no date",
        "line 5: the code 'GB 2-2000' stands already on line 4",
        "line 6: '明年' is no date",
    ]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([("规范名称", "状态")], "the column csres_code is missing"),
        ([("规范编号", "标准编号", "规范名称")], "the column csres_code stands twice"),
        ([HEADER], "no record follows the header"),
        ([], "the column csres_code is missing"),
    ],
)
def test_a_table_of_another_form_is_refused(rows: list[tuple[str, ...]], problem: str) -> None:
    with pytest.raises(LibraryError, match=problem):
        import_library(csv_of(*rows), "a.csv")


@pytest.mark.parametrize("data", [b"\xff\xfe\x00\x81", b'"open', b"PK\x03\x04broken"])
def test_what_is_no_table_is_refused(data: bytes) -> None:
    with pytest.raises(LibraryError):
        import_library(data, "a.csv")


def test_the_official_name_of_a_column_goes_before_another() -> None:
    rows = [("csres_code", "编号", "csres_title"), ("GB 1-2000", "7", "甲")]
    assert import_library(csv_of(*rows), "a.csv")[1].records[0].code == "GB 1-2000"


def test_a_date_is_read_in_the_ways_people_write_one() -> None:
    written = ["2014-06-01", "2014/6/1", "2014.06.1", "2014年6月1日", "20140601", "2014-06-01 00:00:00"]
    assert {normal_date(text) for text in written} == {"2014-06-01"}
    assert [normal_date(text) for text in ("2014", "2014-13-01", "2023-02-29", "6/1/2014", "")] == [None] * 5


def test_codes_that_stand_twice_are_shown_with_what_they_disagree_on() -> None:
    rows = [
        HEADER,
        ROW,
        ("GB50330-2013", "建筑边坡工程技术规范", "废止", "替代 GB 50330-2002", "2014年6月1日"),
    ]
    assert repeated(csv_of(*rows), "a.csv") == [
        {"code": ROW[0], "lines": [2, 3], "conflicts": {"status": ["现行", "废止"]}}
    ]


def test_a_workbook_that_is_taken_for_a_library_is_told_to_be_imported_first() -> None:
    with pytest.raises(LibraryError, match="is an XLSX, not a CSV; run `standards library import`"):
        loads(workbook(HEADER, ROW), "a.xlsx")
