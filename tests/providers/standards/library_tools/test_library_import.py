"""A maintainer's table becomes a library, or every fault is told."""

from datetime import datetime
from importlib import resources

import pytest

from providers.standards.answer import answer
from providers.standards.library import COLUMNS, LibraryError, StandardRecord, loads, starter
from providers.standards.library_file import (
    import_library,
    import_table,
    is_list,
    normal_date,
    repeated,
    write,
)
from tests.providers.standards.library_tools.workbooks import sheets, stored, workbook

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


def test_the_starter_library_is_rewritten_in_nothing() -> None:
    data = (resources.files("providers.standards") / "starter.csv").read_bytes()
    done = import_table(data, "starter.csv")
    records = [list(map(str, record.to_wire().values())) for record in starter().records]
    assert (done.rewritten, done.notices, done.written) == ([], [], write(records))
    assert import_table(data, "starter.csv", keep_codes=True).written == done.written


WRITTEN = [
    ("GB50330-2013", "GB 50330-2013"), ("gb 50330—2013", "GB 50330-2013"),
    ("ＧＢ／Ｔ５０３３０－２０１３", "GB/T 50330-2013"), ("GB／T 5750.1—2006", "GB/T 5750.1-2006"),
    ("GB  50330 - 2013", "GB 50330-2013"), ("GBJ16－87", "GBJ 16-87"), ("JTGD60-2015", "JTG D60-2015"),
    ("DB11/T1234-2015", "DB11/T 1234-2015"), ("T/CECS10-2019", "T/CECS 10-2019"),
    ("Q/CR9230-2016", "Q/CR 9230-2016"), ("ISO9001：2015", "ISO 9001:2015"),
    ("GB50016-2014（2018年版）", "GB 50016-2014(2018年版)"),
    ("GB16895.3-2017/XG1-2019", "GB 16895.3-2017/XG1-2019"),
    ("GBT 50081-2019", "GB/T 50081-2019"), ("jgjt98-2010", "JGJ/T 98-2010"),
    ("JTGTF20-2015", "JTG/T F20-2015"), ("DB11T 489-2016", "DB11/T 489-2016"),
    ("DB11/ 489-2016", "DB11/489-2016"), ("DB 11 / 489-2016", "DB11/489-2016"),
]  # fmt: skip
# More than one way could be meant, or the blanks are the number's own.
KEPT = [
    "TSGT7001-2023",
    "CECST 22-2005",
    "ISOT 9001-2015",
    "DBJT15-31-2003",
    "Q/CSG 2 16 004-2019",
    "GB 1-2000 甲",
    "GB1-2000,GB2-2000",
    "甲乙丙",
]


def test_a_code_has_one_writing_and_the_change_is_told() -> None:
    for was, now in WRITTEN:
        done = import_table(csv_of(("编号", "名称"), (was, "甲")), "a.csv")
        assert done.library.records[0].code == now
        assert done.rewritten == [(2, was, now, None)]
        kept = import_table(csv_of(("编号", "名称"), (was, "甲")), "a.csv", keep_codes=True)
        assert (kept.library.records[0].code, kept.rewritten) == (was, [])
        for library in (done.library, kept.library):
            for query in (was, now):
                best = answer(library, query)["candidates"][0]
                assert (best["code"], best["match_score"]) == (library.records[0].code, 1.0), (query, was)


def test_one_code_in_two_writings_is_one_code() -> None:
    rows = [("编号", "名称"), ("GBT 50081-2019", "甲"), ("GB/T 50081-2019", "乙")]
    with pytest.raises(LibraryError, match=r"line 3: 编号重复 .* stands already on line 2"):
        import_table(csv_of(*rows), "a.csv")


def test_a_code_that_could_be_written_otherwise_is_left() -> None:
    for code in KEPT:
        done = import_table(csv_of(("编号", "名称"), (f'"{code}"', "甲")), "a.csv")
        assert (done.library.records[0].code, done.rewritten) == (code, [])
        assert answer(done.library, code)["candidates"][0]["match_score"] == 1.0


def test_a_list_with_a_title_above_is_read_from_its_headings() -> None:
    rows = [
        ("规范清单（2026年）", "", "", "", ""),
        ("", "", "", "", ""),
        (" 规范 编号", "规范名称 ", *HEADER[2:]),
        ROW,
    ]
    done = import_table(csv_of(*rows), "a.csv")
    assert done.library.records == (RECORD,)
    assert done.notices == ["表头以上的行未取 rows above the headings, not taken: 1: '规范清单（2026年）'"]


@pytest.mark.parametrize("mark", ["\t", ";"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "gb18030"])
def test_a_list_parted_otherwise_is_the_same_list(mark: str, encoding: str) -> None:
    data = csv_of(HEADER, ROW).decode().replace(",", mark).encode(encoding)
    done = import_table(data, "a.txt")
    assert done.library.records == (RECORD,)
    assert len(done.notices) == 1 + (encoding == "utf-16")
    assert is_list(data, "a.txt")


def test_a_list_of_no_kind_that_is_read_is_refused_with_how_to_save_it() -> None:
    utf_16 = csv_of(HEADER, ROW).decode().encode("utf-16-le")
    for data, hint in (
        (utf_16, "CSV UTF-8"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "XLSX"),
        (b"<html><table>", "XLSX"),
        (workbook(["甲"], ["乙"]), "--sheet"),
    ):
        with pytest.raises(LibraryError) as raised:
            import_table(data, "a.csv")
        assert hint in (raised.value.hint or "")


def test_a_fault_of_a_workbook_names_sheet_and_row_and_only_columns_that_are_taken_have_one() -> None:
    table: list[list[object]] = [
        ["清单"],
        [],
        ["序号", *HEADER],
        ["=ROW()", *ROW[:4], 41791],
        ["=1", "GB 1-2000", "=A1", "", "", ""],
    ]
    with pytest.raises(LibraryError) as raised:
        import_table(sheets({"封面": [["甲"]], "清单": table}), "a.xlsx")
    first, second = raised.value.problems
    assert first.startswith("sheet '清单' row 4: 实施日期不是日期 '41791' is no date；要设成日期格式")
    assert second.startswith("sheet '清单' row 5: C5 是没有存值的公式 is a formula without a stored value")
    table[3][-1] = datetime.fromisoformat("2014-06-01T00:00:00")
    done = import_table(sheets({"清单": table[:4]}), "a.xlsx")
    assert (done.sheets, done.library.records, len(done.notices)) == (["清单"], (RECORD,), 1)
    named = stored(workbook(["编号", "名称"], ["GB 1-2000", '="甲"']), ["甲"])
    told = "公式取其存储的值 formulas, taken by their stored values: 1 (first: sheet 'Sheet' row 2)"
    assert import_table(named, "a.xlsx").notices == [told]


NEW = [HEADER, ["GB 1-2000", "甲", "现行", "", ""], ["GBT2-2000", "乙", "现行", "", ""]]
OLD = [["旧规范"], ["编号", "名称", "备注"], ["GB3-2000", "丙", "丁"]]


def test_sheets_that_are_named_are_joined_in_their_order() -> None:
    data = sheets({"封面": [["甲"]], "现行": NEW, "废止": OLD})
    done = import_table(data, "a.xlsx", ["废止", "现行", "废止 "])
    assert [record.code for record in done.library.records] == ["GB 3-2000", "GB 1-2000", "GB/T 2-2000"]
    assert (done.sheets, done.ignored, done.missing) == (["废止", "现行"], ["备注"], [])
    assert done.rewritten == [(3, "GB3-2000", "GB 3-2000", "废止"), (3, "GBT2-2000", "GB/T 2-2000", "现行")]
    assert [notice for notice in done.notices if "rows" in notice and "above" not in notice] == [
        "'废止': 1 行 rows", "'现行': 2 行 rows",
    ]  # fmt: skip
    every = import_table(data, "a.xlsx", every_sheet=True)
    assert every.sheets == ["现行", "废止"]
    assert "sheets without the headings or hidden, not read: '封面'" in " ".join(every.notices)
    assert sorted(map(str, every.library.records)) == sorted(map(str, done.library.records))


def test_one_code_on_two_sheets_is_a_fault_that_names_both() -> None:
    data = sheets({"现行": NEW, "废止": [*OLD, ["GB 1—2000", "甲", ""]]})
    with pytest.raises(LibraryError) as raised:
        import_table(data, "a.xlsx", ["现行", "废止"])
    told = "sheet '废止' row 4: 编号重复 the code 'GB 1-2000' stands already on sheet '现行' row 2"
    assert raised.value.problems == [told]
    assert repeated(data, "a.xlsx", ["现行", "废止"]) == [
        {
            "code": "GB 1-2000",
            "lines": ["sheet '现行' row 2", "sheet '废止' row 4"],
            "conflicts": {"status": ["现行", ""]},
        }
    ]


@pytest.mark.parametrize("every", [True, False])
def test_sheets_without_a_list_are_refused(every: bool) -> None:
    with pytest.raises(LibraryError, match="the column csres_code is missing"):
        import_table(sheets({"甲": [["a"]], "乙": [["b"]]}), "a.xlsx", every_sheet=every)
    with pytest.raises(LibraryError, match="no record follows"):
        import_table(sheets({"甲": [HEADER], "乙": [HEADER]}), "a.xlsx", every_sheet=every)
    with pytest.raises(LibraryError, match="the sheets are empty"):
        import_table(sheets({"甲": [], "乙": []}), "a.xlsx", ["甲", "乙"])
    with pytest.raises(LibraryError) as raised:
        import_table(workbook(), "a.xlsx", every_sheet=every)
    assert raised.value.problems == ["文件是空的 the file is empty"]


def test_a_library_is_no_list() -> None:
    library = write([["GB 1-2000", "", "甲", "", "", ""]])
    for data in (library, library.replace(b"status", b"state"), b"", b"\xff\xff", b"a,b\n1,2\n"):
        assert not is_list(data, "a.csv")
    for data in (csv_of(HEADER, ROW), csv_of(("编号",), ("GB 1",)), b"title\n\n" + library, workbook(HEADER)):
        assert is_list(data, "a.csv")


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
        ("GB 4-2000", "丁", "", "", "41791"),
        ("GB 5-2000", "\x00", "", "被" * 4001, ""),
    ]
    with pytest.raises(LibraryError) as raised:
        import_library(csv_of(*rows), "a.csv")
    assert raised.value.problems == [
        "line 2: 编号为空 the code is empty",
        "line 3: 名称为空 the title is empty",
        "line 4: 实施日期不是日期 '2014-02-30' is no date",
        "line 5: 编号重复 the code 'GB 2-2000' stands already on line 4",
        "line 6: 实施日期不是日期 '明年' is no date",
        "line 7: 实施日期不是日期 '41791' is no date；要设成日期格式 a number; format its cell as a date",
        "line 8: csres_title holds a control character, U+0000, at position 0",
        "line 8: 过长 relation_text has 4001 characters; at most 4000",
    ]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([("规范名称", "状态")], "the column csres_code is missing"),
        ([("规范编号", "标准编号", "规范名称")], "the column csres_code stands twice"),
        ([HEADER], "no record follows the header"),
        ([], "the file is empty"),
        ([("", "")], "the file is empty"),
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
