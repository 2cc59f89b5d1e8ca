"""The queries of a batch file, in every format that people keep them in."""

import pytest

from providers.standards import bulk_input
from providers.standards.bulk_input import BatchError, format_of, read_batch, read_queries
from tests.providers.standards.library_tools.workbooks import sheets, workbook

QUERIES = ["GB 50330-2013", "建筑边坡工程技术规范"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_text_has_one_citation_a_line(encoding: str) -> None:
    text = " GB 50330-2013 \r\n\r\n\u3000\n建筑边坡工程技术规范"
    assert read_queries(text.encode(encoding), "a.txt", "txt") == QUERIES


def test_jsonl_has_one_object_a_line_and_its_text_is_kept() -> None:
    data = '\ufeff{"query":" GB 50330-2013 "}\r\n\n{"note":1,"query":"建筑\\n边坡"}'.encode()
    assert read_queries(data, "a.jsonl", "jsonl") == [" GB 50330-2013 ", "建筑\n边坡"]


@pytest.mark.parametrize(
    "rows",
    [[["编号", "query"], ["1", QUERIES[0]], ["", ""], ["2", QUERIES[1]]],
     [["查询"], *([one] for one in QUERIES)], [[one] for one in QUERIES]],
)  # fmt: skip
def test_a_table_has_its_column_found(rows: list[list[str]]) -> None:
    text = "".join(",".join(row) + "\n" for row in rows)
    assert read_queries(text.encode("gb18030"), "a.csv", "csv") == QUERIES
    assert read_queries(workbook(*rows), "a.xlsx", "xlsx") == QUERIES


def test_a_column_can_be_named() -> None:
    data = b"a,b\nx,GB 50330-2013\n"
    assert read_queries(data, "a.csv", "csv", "b") == ["GB 50330-2013"]
    with pytest.raises(BatchError, match="there is no column 'c'; the columns are 'a、b'"):
        read_queries(data, "a.csv", "csv", "c")
    with pytest.raises(BatchError, match="there is no column query"):
        read_queries(data, "a.csv", "csv")
    with pytest.raises(BatchError, match="the column 'a' stands twice"):
        read_queries(b"a,a\nx,y\n", "a.csv", "csv", "a")


@pytest.mark.parametrize("name", ["引用规范", "规范编号", "标准编号", "规范名称", "标准名称"])
def test_a_list_as_an_office_keeps_it_has_its_column_found(name: str) -> None:
    batch = read_batch(f"序号,{name},页\n1,GB 1,2\n".encode(), "a.csv", "csv")
    assert (batch.queries, batch.columns, batch.notices) == (["GB 1"], ["序号", "页"], [])
    both = read_batch("规范名称,规范编号\n甲,GB 1\n".encode(), "a.csv", "csv")
    told = "引用取自列 the citations are those of the column: 规范编号 (--column)"
    assert (both.queries, both.notices) == (["GB 1"], [told])


def test_every_fault_is_told_with_its_line() -> None:
    lines = [
        b'{"query":"a"}',
        b"{",
        b'{"query":1}',
        b"[]",
        b'{"query":"a","query":"b"}',
        b'{"query":"\\ud800"}',
    ]
    with pytest.raises(BatchError) as raised:
        read_queries(b"\n".join(lines), "a.jsonl", "jsonl")
    assert [problem[:6] for problem in raised.value.problems] == [f"line {number}" for number in range(2, 7)]
    wire = raised.value.to_wire()
    assert (wire["code"], wire["problems"]) == ("invalid_batch", raised.value.problems)


@pytest.mark.parametrize("kind", ["txt", "csv"])
@pytest.mark.parametrize("text", ["GB 1-2000\n\nGB 2-2000\n{long}\nGB 3-2000\n"])
def test_what_is_beyond_the_bounds_is_told_with_what_was_found(
    kind: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk_input, "MOST_QUERIES", 2)
    with pytest.raises(BatchError) as raised:
        read_queries(text.format(long="长" * 4_001).encode(), "a", kind)
    assert raised.value.problems == ["line 4: 查询过多 more than 2 queries"]
    monkeypatch.undo()
    with pytest.raises(BatchError, match="line 4: 查询过长 a query of 4001 characters; at most 4000"):
        read_queries(text.format(long="长" * 4_001).encode(), "a", kind)
    with pytest.raises(BatchError) as raised:
        read_queries(("长" * 4_001 + "\n").encode() * 150, "a", kind)
    assert len(raised.value.problems) == 100


def test_a_query_has_its_line_and_what_stands_beside_it() -> None:
    rows: list[list[object]] = [
        ["清单"],
        [],
        ["序号", "引用", "备注", ""],
        [1.0, "GB 1", "甲"],
        [2, None, "乙"],
        [3, " GB 2 "],
    ]
    batch = read_batch(workbook(*rows), "a.xlsx", "xlsx")
    assert (batch.queries, batch.lines) == (["GB 1", "GB 2"], [4, 6])
    assert (batch.columns, batch.others) == (["序号", "备注"], [["1", "甲"], ["3", ""]])
    assert batch.notices == [
        "表头以上的行未取 'Sheet' rows above the headings, not taken: 1: '清单'",
        "没有引用、未查的行 rows without a citation, not looked up: 1 (first: 5)",
    ]
    text = read_batch("\ufeffGB 1\n\n引用\n".encode(), "a.txt", "txt")
    assert (text.lines, text.columns, list(text.others)) == ([1, 3], [], [[], []])
    lone = read_batch("GB 1\n引用\nGB 2,乙\n".encode(), "a.csv", "csv")
    assert (lone.queries, lone.columns, lone.others[2]) == (["GB 1", "引用", "GB 2"], ["column 2"], ["乙"])


def test_the_sheet_with_the_column_is_read() -> None:
    data = sheets({"说明": [["a", "b"]], "引用表": [["号", "引用"], [1, "=A1"], [2, "GB 1"]]})
    with pytest.raises(BatchError) as raised:
        read_batch(data, "a.xlsx", "xlsx")
    assert raised.value.problems[0].startswith("sheet '引用表' row 2: B2 是没有存值的公式")
    with pytest.raises(BatchError, match="sheet '说明' row 1: 缺列 there is no column"):
        read_batch(data, "a.xlsx", "xlsx", sheet="说明")
    other = read_batch(data, "a.xlsx", "xlsx", "号")
    assert (other.queries, other.others) == (["1", "2"], [[""], ["GB 1"]])
    unread = "其他列中没有值的格 cells of other columns without a value, left as they are"
    assert other.notices[-1] == f"{unread}: 1 (first: sheet '引用表' row 2)"
    with pytest.raises(BatchError, match="is no workbook"):
        read_batch(b"query\nGB 1\n", "a.csv", "csv", sheet="说明")


@pytest.mark.parametrize(
    ("data", "hint"),
    [("GB 1-2000\n".encode("utf-16-le"), "CSV UTF-8"), (b"\xff\xfe\x00", "CSV UTF-8"),
     (b"\xff\xff", "CSV UTF-8"),
     (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "XLSX")],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_how_to_save_it(data: bytes, hint: str) -> None:
    for kind in ("txt", "csv"):
        with pytest.raises(BatchError) as raised:
            read_queries(data, "a", kind)
        assert hint in (raised.value.hint or "")


@pytest.mark.parametrize("mark", ["\t", ";"])
def test_a_table_parted_otherwise_is_read_and_told(mark: str) -> None:
    text = f"序号{mark}query\n1{mark}GB 1，甲\n"
    for encoding in ("utf-8", "utf-16"):
        batch = read_batch(text.encode(encoding), "a.csv", "csv")
        assert (batch.queries, batch.columns) == (["GB 1，甲"], ["序号"])
        assert batch.notices[0].startswith("分隔符 cells are parted by")
    unknown = f"序号{mark}号\n1{mark}GB 1\n"
    with pytest.raises(BatchError, match=r"line 1: 列像是由 .* cells seem to be parted by .*: 序号、号; say"):
        read_batch(unknown.encode(), "a.csv", "csv")
    assert read_batch(unknown.encode(), "a.csv", "csv", "号").queries == ["GB 1"]
    assert read_batch(f"GB 1{mark}GB 2\nGB 3\n".encode(), "a.csv", "csv").lines == [1, 2]


@pytest.mark.parametrize(
    ("data", "kind"),
    [(b"", "txt"), (b"\n \n", "txt"), (b"", "jsonl"), (b"query\n", "csv"), (b"\xff\xfe\x00", "txt"),
     (b'"open', "csv"), (b"PK\x03\x04", "xlsx"), ("规".encode() * 4_001, "txt")],
)  # fmt: skip
def test_what_holds_no_batch_is_refused(data: bytes, kind: str) -> None:
    with pytest.raises(BatchError):
        read_queries(data, "a", kind)


def test_the_format_is_told_by_bytes_and_name() -> None:
    found = [format_of(name, b"") for name in ("a.CSV", "a.jsonl", "a.txt", "a", "a.md")]
    assert found == ["csv", "jsonl", "txt", "txt", "txt"]
    assert format_of("a.txt", b"PK\x03\x04") == "xlsx"
    assert format_of("a.txt", b'{"query":"a"}') == "txt"
    for data in (b'{"query":"a"}', b'\xef\xbb\xbf\r\n { "query" : "a"}\n', b'{"query":'):
        assert format_of("stdin", data) == "jsonl"
    for data in (b"", b"GB 1-2000", b'GB 1-2000\n{"query":"a"}', b'"query"', b"{}"):
        assert format_of("stdin", data) == "txt"
