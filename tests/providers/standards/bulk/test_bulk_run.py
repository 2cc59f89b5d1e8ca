"""Many look-ups: the same answers on every number of cores, in order, and an interrupted run goes on."""

import csv
import io
import os
import signal
from pathlib import Path

import openpyxl
import orjson
import pytest

from providers.standards import bulk
from providers.standards.answer import answer
from providers.standards.bulk import Partial, answers, head_of
from providers.standards.bulk_input import read_batch
from providers.standards.bulk_output import HEADER, Tally, header, write
from providers.standards.library import starter
from schemas.errors import ConflictError, ProviderError

QUERIES = [f"GB {50300 + number}-2013 建筑边坡工程技术规范第{number}号" for number in range(600)]


def test_answers_are_the_same_on_one_core_and_on_many() -> None:
    alone = list(answers(starter(), QUERIES, 1))
    assert [orjson.loads(line) for line in alone] == [answer(starter(), query) for query in QUERIES]
    assert list(answers(starter(), QUERIES, 3)) == alone


def test_the_death_of_a_process_is_told_and_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    parent = os.getpid()

    def dying(query: str) -> bytes:
        if query == QUERIES[130] and os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return b"x\n"

    monkeypatch.setattr(bulk, "_line", dying)
    with pytest.raises(ProviderError, match="was ended") as raised:
        list(answers(starter(), QUERIES, 2))
    assert "again" in (raised.value.hint or "")


def partial(path: Path, queries: list[str]) -> Partial:
    return Partial(path, head_of(queries, starter()))


@pytest.mark.parametrize("torn", [0, 1, 30])
def test_a_run_goes_on_after_the_last_whole_answer(tmp_path: Path, torn: int) -> None:
    queries = QUERIES[:10]
    path = tmp_path / "out.partial"
    first = partial(path, queries)
    assert first.resume() == 0
    lines = list(answers(starter(), queries, 1))
    first.extend(lines[:4], lambda _: None)
    with path.open("ab") as file:
        file.write(lines[4][:torn])
    again = partial(path, queries)
    assert again.resume() == 4
    told: list[int] = []
    again.extend(lines[4:], told.append)
    assert list(again.lines()) == lines
    assert sum(told) == 6


def test_a_head_that_was_cut_off_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "out.partial"
    partial(path, QUERIES).resume()
    path.write_bytes(path.read_bytes()[:20])
    assert partial(path, QUERIES).resume() == 0
    assert path.read_bytes().endswith(b"}\n")


def test_what_another_run_left_is_not_mixed_in(tmp_path: Path) -> None:
    path = tmp_path / "out.partial"
    partial(path, QUERIES[:10]).resume()
    before = path.read_bytes()
    with pytest.raises(ConflictError, match="other queries or another library"):
        partial(path, QUERIES[:11]).resume()
    assert path.read_bytes() == before


def test_tables_have_a_row_for_each_candidate_and_one_for_none() -> None:
    asked = "序号,query,line,status\n1,GB 50330,甲,\n\n2,没有这个,=2+2,新\n,=1+1,,\n"
    batch = read_batch(asked.encode(), "a.csv", "csv")
    others = {
        "GB 50330": ["2", "1", "甲", ""],
        "没有这个": ["4", "2", "=2+2", "新"],
        "=1+1": ["5", "", "", ""],
    }
    lines = list(answers(starter(), batch.queries, 1))
    expected = [["line", "序号", "line (input)", "status (input)", *HEADER]]
    for line in lines:
        told = orjson.loads(line)
        before = [*others[told["query"]], told["query"]]
        for rank, found in enumerate(told["candidates"], 1):
            expected.append([*before, str(rank), *(str(value) for value in found.values())])
        if not told["candidates"]:
            expected.append([*before, *[""] * 7])
    text, book, plain = io.BytesIO(), io.BytesIO(), io.BytesIO()
    assert write(text, "csv", lines, batch) == Tally(3, 1)
    write(book, "xlsx", lines, batch)
    write(plain, "jsonl", lines, batch)
    assert list(csv.reader(io.StringIO(text.getvalue().decode(), newline=""))) == expected
    sheet = openpyxl.load_workbook(io.BytesIO(book.getvalue())).active
    assert sheet is not None
    found = [["" if cell is None else str(cell) for cell in row] for row in sheet.iter_rows(values_only=True)]
    title = expected[0].index("title")
    assert [row[title] for row in found if not row[title - 1]] == ["库中没有"] * 2
    assert [["" if cell == "库中没有" else cell for cell in row] for row in found] == expected
    assert plain.getvalue() == b"".join(lines)
    assert all(list(orjson.loads(line)) == ["query", "candidates"] for line in lines)


def test_chinese_headings_mark_the_columns_that_are_named_as_they_are() -> None:
    batch = read_batch("引用,状态,status\nGB 1,甲,乙\n".encode(), "a.csv", "csv")
    own = ["引用", "序", "规范编号", "规范名称", "状态", "替代情况", "实施日期", "匹配度"]
    assert header(batch, "zh") == ["行号", "状态（原表）", "status", *own]
    assert header(batch) == ["line", "状态", "status (input)", *HEADER]
