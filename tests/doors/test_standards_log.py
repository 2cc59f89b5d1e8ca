"""The commands on the query log, on a log that a real service wrote."""

from collections.abc import Callable
from pathlib import Path

import pytest

from providers.standards.library import starter
from tests.doors.command import Done, run
from tests.providers.standards.service.running import running

Quick = Callable[..., Done]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    with running(folder) as service:
        service.search("GB 50330-2013", "GB 50330", "没有这样的名称", "GB 99999-2020")
        service.search("GB 50330-2013")
    return folder


def test_report_tells_what_was_asked(quick: Quick, written: Path) -> None:
    found = quick("standards", "log", "report", "log", cwd=written).answer
    assert (found["lines"], found["queries"]) == (5, 4)
    assert found["frequent"][0]["query"] == "GB 50330-2013"
    assert [row["query"] for row in found["unmatched"]] == ["GB 99999-2020", "没有这样的名称"]
    assert {one["kind"] for one in found["suggestions"]} == {"add_standard", "add_title"}
    text = quick("standards", "log", "report", "log", "--format", "text", cwd=written).out.decode()
    assert text.startswith("5 次查询 look-ups，4 种 different\n时段 period: ")
    assert "未命中 unmatched: 2 种 queries，2 次 times" in text
    assert "    2 次 × 'GB 50330-2013'" in text
    later = quick("standards", "log", "report", "log", "--since", "9999-12-31", cwd=written)
    assert later.answer["lines"] == 0
    none = quick(
        "standards", "log", "report", "log", "--since", "9999-12-31", "--format", "text", cwd=written
    )
    assert none.out.decode().splitlines()[:2] == [
        "0 次查询 look-ups，0 种 different", "未命中 unmatched: 0 种 queries，0 次 times",
    ]  # fmt: skip
    assert quick("standards", "log", "report", "nowhere", cwd=written).error["code"] == "not_found"


@pytest.mark.parametrize("command", ["report", "replay"])
@pytest.mark.parametrize("option", ["--since", "--until"])
def test_a_period_that_is_none_is_a_wrong_call(
    quick: Quick, written: Path, command: str, option: str
) -> None:
    done = quick("standards", "log", command, "log", option, "last week", cwd=written)
    assert (done.status, done.error["code"], done.error["subject"]) == (2, "usage", option)
    assert "2026-03-04T05:06" in done.error["hint"]


def test_a_line_that_is_none_is_told_by_its_place(quick: Quick, written: Path) -> None:
    (written / "bad").mkdir()
    whole = next((written / "log").glob("*.jsonl"))
    empty = quick("standards", "log", "report", "bad", "--format", "text", cwd=written).out.decode()
    assert "没有读到日志文件 no log file was read" in empty
    (written / "bad" / whole.name).write_bytes(b"{}\n" + whole.read_bytes() + b'{"time"')
    text = quick("standards", "log", "report", "bad", "--format", "text", cwd=written).out.decode()
    assert f"坏行 damaged: 1 行；未写完 unfinished: 1 行\n  {whole.name}:1\n" in text


def test_the_log_is_found_where_serve_writes_it(written: Path) -> None:
    environment = {"EXTERNAL_EVIDENCE_STANDARDS_LOG": "log"}
    assert run("standards", "log", "report", cwd=written, environment=environment).answer["lines"] == 5


def test_replay_against_the_same_library_changes_nothing(quick: Quick, written: Path) -> None:
    found = quick("standards", "log", "replay", "log", cwd=written).answer
    assert (found["queries"], found["unchanged"]) == (4, 4)
    assert found["library"]["revision"] == starter().revision


def test_replay_shows_what_another_library_or_rule_changes(quick: Quick, written: Path) -> None:
    (written / "small.csv").write_text(
        "csres_code,csres_normalized_code,csres_title,status,relation_text,implement_date\n"
        "GB 99999-2020,,没有这样的名称,现行,,\n",
        encoding="utf-8",
    )
    found = quick("standards", "log", "replay", "log", "--library", "small.csv", cwd=written).answer
    assert found["changed"]["newly_matched"] == {"queries": 2, "times": 2}
    assert found["changed"]["newly_unmatched"] == {"queries": 2, "times": 3}
    told = quick(
        "standards", "log", "replay", "log", "--library", "small.csv", "--format", "text", cwd=written
    ).out.decode()
    assert "small.csv: 1 条 standard, 修订 revision blake3:" in told
    assert "由未命中变为命中 newly matched: 2 种 queries，2 次 times" in told
    assert "1 次 × 'GB 99999-2020'  由未命中变为命中 newly matched" in told
    text = quick(
        "standards", "log", "replay", "log", "--rule-off", "R4", "--format", "text", cwd=written
    ).out.decode()
    assert "停用规则 rules off: R4" in text
    assert "GB 50330-2013" in text
    assert (
        quick("standards", "log", "replay", "log", "--rule-off", "R9", cwd=written).error["code"] == "usage"
    )
