"""Libraries from outside: what is read, what is refused, and how every fault is named."""

import csv
import io
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.standards import library as module
from providers.standards.library import (
    COLUMNS,
    LONGEST_FIELD,
    Library,
    LibraryError,
    StandardRecord,
    load,
    loads,
    record_digest,
    starter,
)
from schemas.canonical import digest
from schemas.errors import InvalidError, NotFoundError, StorageError
from schemas.text import trim

HEAD = ",".join(COLUMNS)
ROW = "GB 50330-2013,GB50330-2013,建筑边坡工程技术规范,现行,替代 GB 50330-2002,2014-06-01"
RECORD = StandardRecord(*ROW.split(","))


def problems(data: bytes | str) -> list[str]:
    with pytest.raises(LibraryError) as caught:
        loads(data if isinstance(data, bytes) else data.encode(), "list.csv")
    return caught.value.problems


def test_a_library_holds_its_records_in_file_order() -> None:
    other = "CJJ 69-1995,CJJ69-1995,城市人行天桥与人行地道技术规范,,,"
    read = loads(f"{HEAD}\n{other}\n{ROW}\n".encode(), "list.csv")
    assert (read.name, len(read), read.records[1]) == ("list.csv", 2, RECORD)
    assert read.records[0].status == ""


def test_columns_may_stand_in_any_order_beside_others() -> None:
    columns = ["note", *reversed(COLUMNS), "note"]
    values = ["x", *reversed(ROW.split(",")), "y"]
    assert loads(f"{','.join(columns)}\n{','.join(values)}".encode()).records == (RECORD,)


def test_blanks_around_a_value_and_blank_lines_are_nothing() -> None:
    spaced = ",".join(f" \u3000{value} " for value in ROW.split(","))
    read = loads(f"\n {HEAD}\r\n\r\n,,,,,\r\n{spaced}\r\n \r\n".encode())
    assert read.records == (RECORD,)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_the_revision_does_not_depend_on_how_the_file_is_written(encoding: str, ending: str) -> None:
    data = ending.join([f"{HEAD},source", f"{ROW},somewhere"]).encode(encoding)
    assert loads(data, "another name").revision == loads(f"{HEAD}\n{ROW}".encode()).revision


def test_gb18030_with_its_byte_order_mark_is_read() -> None:
    assert loads(f"\ufeff{HEAD}\n{ROW}".encode("gb18030")).records == (RECORD,)


def test_the_revision_is_the_digest_of_the_records() -> None:
    assert loads(f"{HEAD}\n{ROW}".encode()).revision == digest([asdict(RECORD)])
    assert loads(f"{HEAD}\n{ROW}".encode()).revision.startswith("blake3:")


def test_a_record_has_a_digest_in_either_algorithm() -> None:
    assert record_digest(RECORD) == digest(asdict(RECORD))
    assert record_digest(RECORD, "sha256") == digest(asdict(RECORD), "sha256")


@given(st.integers(0, 5), st.text(alphabet="改x", min_size=1))
def test_any_change_of_a_value_changes_the_revision(place: int, added: str) -> None:
    values = ROW.split(",")
    values[place] += added
    changed = Library("changed", (StandardRecord(*values),))
    assert changed.revision != Library("same", (RECORD,)).revision


def test_every_fault_is_named_with_its_line() -> None:
    rows = [
        HEAD,
        ROW,
        '"CJJ 69-1995",,"two\nlines",,,',
        ",GB1,没有编号,,,",
        "GB 1-2000,too,few",
        "gb　50330—2013,GB50330-2013,建筑边坡工程技术规范,,,",
        f"GB 2-2000,,{'长' * (LONGEST_FIELD + 1)},,,",
        "GB 3-2000,,\x00,,,",
        "GB 4-2000,,a,b,c,d,e",
    ]
    assert problems("\n".join(rows)) == [
        "line 5: 编号为空 csres_code is empty",
        "line 6: 列数不符 3 fields where the header has 6",
        r"line 7: 编号重复 the code 'gb\u300050330—2013' stands already on line 2",
        f"line 8: 过长 csres_title has {LONGEST_FIELD + 1} characters; at most {LONGEST_FIELD}",
        "line 9: csres_title holds a control character, U+0000, at position 0",
        "line 10: 列数不符 7 fields where the header has 6",
    ]


def test_missing_and_repeated_columns_are_named() -> None:
    assert problems("csres_code,status,status,csres_title\nGB 1-2000,a,b,c") == [
        "line 1: 缺列 the column csres_normalized_code is missing",
        "line 1: 缺列 the column relation_text is missing",
        "line 1: 缺列 the column implement_date is missing",
        "line 1: 列重复 the column status stands twice",
    ]


def test_an_empty_file_is_told_as_that() -> None:
    for data in (b"", b"\n \n", b"\xef\xbb\xbf"):
        assert problems(data) == ["文件是空的 the file is empty"]
    assert problems(b'"open') == ["line 1: unexpected end of data"]


def test_a_header_without_a_record_is_no_library() -> None:
    assert problems(HEAD) == ["line 1: 表头之后没有记录 no record follows the header"]


@pytest.mark.parametrize(
    ("data", "line"),
    [(b"\xff\xfe\x00", 1), (HEAD.encode() + b"\nGB 1-2000,\xff\xff,,,,", 2), (HEAD.encode("utf-16"), 1)],
)
def test_bytes_in_no_known_encoding_are_refused(data: bytes, line: int) -> None:
    [problem] = problems(data)
    assert problem.startswith(f"line {line}: byte 0x")
    assert problem.endswith("is neither UTF-8 nor GB18030")


def test_a_field_beyond_what_csv_can_hold_is_a_fault_of_its_line() -> None:
    [problem] = problems(f"{HEAD}\n{ROW}\n{'x' * 200_000},,,,,")
    assert problem.startswith("line 3: field larger than field limit")


def test_a_quotation_mark_that_never_closes_is_a_fault_of_its_line() -> None:
    [problem] = problems(f'{HEAD}\n{ROW}\n"GB 1-2000,,,,,\n{ROW}')
    assert problem.startswith("line 3: ")


def test_not_more_than_a_hundred_faults_are_listed() -> None:
    assert len(problems(HEAD + "\n,x,,,," * 500)) == 100


def test_a_library_beyond_its_bounds_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_RECORDS", 1)
    assert problems(f"{HEAD}\n{ROW}\nGB 1-2000,,,,,\nGB 2-2000,,,,,") == [
        "line 3: 记录过多 more than 1 records"
    ]
    monkeypatch.setattr(module, "LARGEST_BYTES", 10)
    assert problems(HEAD) == [f"文件过大 holds {len(HEAD)} bytes or more; at most 10"]


def test_the_error_is_one_of_the_tree_and_prints_every_fault() -> None:
    with pytest.raises(InvalidError) as caught:
        loads(f"{HEAD}\n,a,,,,\n,b,,,,".encode(), "list.csv")
    assert caught.value.message == "list.csv: line 2: 编号为空 csres_code is empty (and 1 more)"
    assert caught.value.to_wire() == {
        "code": "invalid_library",
        "message": caught.value.message,
        "hint": None,
        "retryable": False,
        "subject": "list.csv",
        "problems": ["line 2: 编号为空 csres_code is empty", "line 3: 编号为空 csres_code is empty"],
    }


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "规范.csv"
    path.write_bytes(f"{HEAD}\n{ROW}".encode())
    assert (load(path).name, load(str(path)).records) == ("规范.csv", (RECORD,))


def test_a_path_that_holds_no_library_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"no library at .*missing\.csv"):
        load(tmp_path / "missing.csv")
    with pytest.raises(LibraryError, match="is a folder"):
        load(tmp_path)
    with pytest.raises(StorageError, match="cannot be read"):
        load(f"{tmp_path}/a\x00b")
    with pytest.raises(StorageError, match="cannot be read"):
        load(tmp_path / ("x" * 5000))


def outcome(data: bytes) -> object:
    try:
        return loads(data).records
    except LibraryError as error:
        return error.problems


@given(st.binary(max_size=300))
def test_any_bytes_are_a_library_or_a_named_fault(data: bytes) -> None:
    for prefix in (b"", HEAD.encode() + b"\n"):
        assert outcome(prefix + data)


FIELD = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cc", "Cf")), max_size=20)


@given(st.lists(st.tuples(FIELD, FIELD, FIELD, FIELD, FIELD), max_size=8))
def test_what_a_csv_writer_wrote_is_read_back_trimmed(rows: list[tuple[str, ...]]) -> None:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(COLUMNS)
    writer.writerow(ROW.split(","))
    writer.writerows((f"GB {place}-2000", *row) for place, row in enumerate(rows, 1))
    read = loads(stream.getvalue().encode())
    assert [record.title for record in read.records[1:]] == [trim(row[1]) for row in rows]


def test_the_starter_library_loads_once_and_is_a_few_hundred_records() -> None:
    assert starter() is starter()
    assert 300 <= len(starter()) <= 600
    assert {record.status for record in starter().records} <= {"现行", "即将实施", "废止", "作废", ""}
