"""The queries of a batch file, in every format that people keep them in."""

import pytest

from providers.standards.bulk_input import BatchError, format_of, read_queries
from tests.providers.standards.library_tools.workbooks import workbook

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
