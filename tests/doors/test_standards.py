"""The commands on the standards library, as processes: answers, exit statuses, errors."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import openpyxl
import pytest

from evidence.doors.standards import standards
from providers.standards.bulk import answers
from providers.standards.library import COLUMNS, starter
from tests.doors.command import Done, run, start
from tests.providers.standards.library_tools.workbooks import sheets, workbook

Quick = Callable[..., Done]
HEADER = ",".join(COLUMNS)
GOOD = f"{HEADER}\nGB 50330-2013,GB50330-2013,建筑边坡工程技术规范,现行,替代 GB 50330-2002,2014-06-01\n"
OLD = f"{HEADER}\nGB 50330-2002,GB50330-2002,建筑边坡工程技术规范,现行,,\nGB 50330-2013,,建筑边坡,现行,,\n"
TWICE = f"{GOOD}GB50330-2013,,建筑边坡工程技术规范,废止,,\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in {"good.csv": GOOD, "old.csv": OLD, "twice.csv": TWICE}.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


def test_check_tells_faults_and_findings(quick: Quick, folder: Path) -> None:
    good = quick("standards", "library", "check", "good.csv", "--today", "2026-03-04", cwd=folder)
    assert (good.status, good.answer["loads"], good.answer["counts"]["only_in_relations"]) == (0, True, 1)
    strict = quick("standards", "library", "check", "good.csv", "--strict", cwd=folder)
    assert (strict.status, strict.answer["doubts"], strict.answer["form"]) == (0, 0, "library")
    twice = quick("standards", "library", "check", "twice.csv", cwd=folder)
    assert (twice.status, twice.answer["loads"], twice.answer["revision"]) == (1, False, None)
    assert twice.answer["faults"] == ["line 3: 编号重复 the code 'GB50330-2013' stands already on line 2"]
    assert twice.answer["repeated"][0]["conflicts"]["status"] == ["现行", "废止"]
    text = quick("standards", "library", "check", "twice.csv", "--format", "text", cwd=folder)
    assert "不能加载 does not load" in text.out.decode()
    assert "status: 现行 | 废止" in text.out.decode()
    assert quick("standards", "library", "check", "none.csv", cwd=folder).error["code"] == "not_found"


def test_check_and_info_take_the_library_from_everywhere(quick: Quick, folder: Path) -> None:
    for command in ("check", "info"):
        call = ("standards", "library", command)
        assert quick(*call, cwd=folder).answer["revision"] == starter().revision
        named = quick(*call, "good.csv", cwd=folder).answer["revision"]
        assert quick(*call, "--library", "good.csv", cwd=folder).answer["revision"] == named
        environment = {"EXTERNAL_EVIDENCE_LIBRARY": "good.csv"}
        assert run(*call, cwd=folder, environment=environment).answer["revision"] == named
        text = quick(*call, "--format", "text", "--today", "2026-11-30", cwd=folder).out.decode()
        assert ("4 条 × 疑点 doubt: 即将实施" if command == "check" else "has passed: 4 条") in text
        assert starter().revision in text


def test_a_check_of_a_workbook_reads_its_values(quick: Quick, folder: Path) -> None:
    (folder / "a.xlsx").write_bytes(workbook(["规范编号", "规范名称"], ["GB 1-2000", "甲"]))
    (folder / "b.xlsx").write_bytes(workbook(["规范编号", "规范名称"], ["GB 1-2000", "=A1"]))
    assert quick("standards", "library", "check", "a.xlsx", cwd=folder).answer["standards"] == 1
    refused = quick("standards", "library", "check", "b.xlsx", cwd=folder)
    (fault,) = refused.answer["faults"]
    assert refused.status == 1
    assert fault.startswith("sheet 'Sheet' row 2: B2 是没有存值的公式")


def test_a_strict_check_fails_on_a_doubt_that_is_not_accepted(quick: Quick, folder: Path) -> None:
    both = f"{GOOD}GB 50330-2023,,建筑边坡工程技术规范,即将实施,,2024-01-01\n"
    (folder / "doubt.csv").write_text(both, encoding="utf-8")
    call = ("standards", "library", "check", "doubt.csv", "--today", "2026-03-04")
    assert (quick(*call, cwd=folder).status, quick(*call, "--strict", cwd=folder).status) == (0, 1)
    kind = "upcoming_date_has_passed"
    accepted = quick(*call, "--strict", "--accept", kind, cwd=folder)
    assert (accepted.status, accepted.answer["doubts"], accepted.answer["counts"][kind]) == (0, 0, 1)
    text = quick(*call, "--format", "text", cwd=folder).out.decode()
    assert f"1 条 × 疑点 doubt: 即将实施，实施日期已过 upcoming, but its date has passed ({kind})" in text
    assert "1 条 × 提示 note: 只在替代情况中出现" in text
    assert text.endswith("计入 --strict 的疑点 doubts that --strict counts: 1 条\n")
    wrong = quick(*call, "--accept", "no_status", cwd=folder)
    assert (wrong.status, wrong.error["subject"]) == (2, "--accept")
    assert kind in wrong.error["hint"]


def test_check_judges_a_list_as_import_does(quick: Quick, folder: Path) -> None:
    rows = "清单,,\n标准编号,标准名称,备注\nGB50330-2013,建筑边坡工程技术规范,乙\n"
    (folder / "list.csv").write_text(rows, encoding="utf-8")
    (folder / "bad.csv").write_text(f"{rows}GB 50330-2013,甲,\n", encoding="utf-8")
    call = ("standards", "library", "check")
    found = quick(*call, "list.csv", cwd=folder)
    assert (found.status, found.answer["form"], found.answer["standards"]) == (0, "list", 1)
    imported = quick("standards", "library", "import", "list.csv", "-o", "out.csv", cwd=folder).answer
    assert found.answer["revision"] == imported["revision"]
    text = quick(*call, "list.csv", "--format", "text", cwd=folder).out.decode()
    assert "是清单，按 import 的规则检查" in text
    assert "columns not taken: 备注" in text
    bad = quick(*call, "bad.csv", cwd=folder)
    assert (bad.status, bad.answer["repeated"][0]["lines"]) == (1, [3, 4])
    told = quick(*call, "bad.csv", "--format", "text", cwd=folder).out.decode()
    assert "line 4: 编号重复 the code 'GB 50330-2013' stands already on line 3" in told
    refused = quick("standards", "library", "info", "list.csv", cwd=folder)
    assert (refused.status, "standards library import" in refused.error["hint"]) == (3, True)
    (folder / "wide.csv").write_bytes(GOOD.encode("utf-16"))
    wide = quick("standards", "library", "info", "wide.csv", cwd=folder)
    assert "UTF-16" in wide.error["hint"]
    assert quick(*call, "wide.csv", cwd=folder).answer["form"] == "list"


def test_a_sheet_can_be_named(quick: Quick, folder: Path) -> None:
    rows = [["编号", "名称"], ["GB 1-2000", "甲"]]
    (folder / "a.xlsx").write_bytes(sheets({"新": rows, "旧": [*rows, ["GB 2-2000", "乙"]]}))
    for call in (("check", "a.xlsx"), ("import", "a.xlsx", "-o", "out.csv", "--force")):
        sizes = [
            quick("standards", "library", *call, *named, cwd=folder).answer["standards"]
            for named in ((), ("--sheet", "新"), ("--sheet", "旧"))
        ]
        assert sizes == [1, 1, 2]
    told = quick("standards", "library", "import", "a.xlsx", "-o", "no.csv", "--sheet", "无", cwd=folder)
    assert (told.status, told.error["hint"]) == (3, "say --sheet NAME with one of these")
    (folder / "c.xlsx").write_bytes(sheets({"新": rows, "旧": [["编号", "名称"], ["GB2-2000", "乙"]]}))
    both = ("--sheet", "新", "--sheet", "旧")
    joining = ("standards", "library", "import", "c.xlsx", "-o", "both.csv", "--verbose", "--force")
    for named in (both, ("--all-sheets",)):
        joined = quick(*joining, *named, cwd=folder)
        assert (joined.answer["standards"], joined.answer["sheets"]) == (2, ["新", "旧"])
    told = quick(*joining, *both, "--format", "text", cwd=folder)
    assert "'旧': 1 行 rows" in told.err.decode().splitlines()
    assert "  '旧' 2: 'GB2-2000' → GB 2-2000" in told.err.decode().splitlines()
    wrong = quick(*joining, *both, "--all-sheets", cwd=folder)
    assert (wrong.status, wrong.error["code"]) == (2, "usage")
    twice = quick("standards", "library", "check", "a.xlsx", *both, "--format", "text", cwd=folder)
    assert twice.status == 1
    assert "'GB 1-2000' stands already on sheet '新' row 2" in twice.out.decode()
    assert "不能加载 does not load，错误 fault 1 处" in twice.out.decode()
    two = quick("standards", "match", "--input", "a.xlsx", *both, cwd=folder)
    assert (two.status, two.error["subject"]) == (2, "--sheet")
    batch = quick("standards", "match", "--input", "a.xlsx", "--column", "名称", "--sheet", "旧", cwd=folder)
    assert batch.out.count(b"\n") == 2
    assert batch.err.decode() == "所读的表 the sheet that was read: '旧'\n"


def test_import_to_stdout_has_its_report_on_stderr(quick: Quick, folder: Path) -> None:
    (folder / "list.csv").write_text("编号,名称\nGB／T1-2000,甲\nGB 2-2000,乙\n", encoding="utf-8")
    call = ("standards", "library", "import", "list.csv", "-o", "-")
    done = quick(*call, "--verbose", "--library", "good.csv", cwd=folder)
    assert done.out.decode() == f"{HEADER}\nGB/T 1-2000,GB/T1-2000,甲,,,\nGB 2-2000,GB2-2000,乙,,,\n"
    lines = done.err.decode().splitlines()
    assert lines[1:3] == ["改写的编号 codes written otherwise: 1 个", "  2: 'GB／T1-2000' → GB/T 1-2000"]
    assert lines[3].startswith("-: 2 条 standards, 修订 revision blake3:")
    assert lines[4:] == ["新增 added 2 条", "删除 removed 1 条", "修改 changed 0 条"]
    report = quick(*call, "--format", "json", cwd=folder)
    assert report.out == done.out
    assert json.loads(report.err)["codes_rewritten"] == [
        {"line": 2, "was": "GB／T1-2000", "now": "GB/T 1-2000", "sheet": None}
    ]
    kept = quick(*call, "--keep-codes", cwd=folder)
    assert "GB／T1-2000,GB/T1-2000,甲" in kept.out.decode()
    assert "codes written otherwise" not in kept.err.decode()
    for bad in ("twice.csv", "none.csv"):
        assert quick("standards", "library", "import", bad, "-o", "-", cwd=folder).out == b""


@pytest.mark.parametrize(
    "call",
    [("library", "import", "good.csv", "-o", "-"), ("match", "--input", "good.csv", "--column", "status")],
)
def test_a_stdout_that_cannot_be_written_is_told(folder: Path, call: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = run("standards", *call, cwd=folder, stdout=full)
    assert done.status == 75
    assert "stdout cannot be written" in done.err.decode()


def test_faults_are_each_told_once_and_an_empty_file_is_told_as_that(quick: Quick, folder: Path) -> None:
    (folder / "bad.csv").write_text("编号,名称\nGB 1-2000,\n,甲\n", encoding="utf-8")
    call = ("standards", "library", "import")
    told = quick(*call, "bad.csv", "-o", "no.csv", "--format", "text", cwd=folder).err.decode()
    assert told == (
        "error: bad.csv: line 2: 名称为空 the title is empty (and 1 more)\n"
        "  line 3: 编号为空 the code is empty\n"
    )
    (folder / "e.xlsx").write_bytes(workbook())
    (folder / "e.csv").write_bytes(b"\n")
    for name in ("e.xlsx", "e.csv"):
        for refused in (
            quick(*call, name, "-o", "no.csv", cwd=folder),
            quick("standards", "match", "--input", name, cwd=folder),
        ):
            assert refused.error["message"] == f"{name}: 文件是空的 the file is empty"
            assert refused.error["problems"] == ["文件是空的 the file is empty"]
        checked = quick("standards", "library", "check", name, cwd=folder)
        assert checked.answer["faults"] == ["文件是空的 the file is empty"]


def test_import_writes_a_library_or_nothing(quick: Quick, folder: Path) -> None:
    (folder / "list.xlsx").write_bytes(workbook(["规范编号", "规范名称"], ["ＧＢ 1—2000", "甲"]))
    call = ("standards", "library", "import", "list.xlsx", "-o", "out.csv")
    done = quick(*call, cwd=folder)
    assert (done.status, done.answer["standards"]) == (0, 1)
    assert (folder / "out.csv").read_bytes() == f"{HEADER}\nGB 1-2000,GB1-2000,甲,,,\n".encode()
    again = quick(*call, cwd=folder)
    assert (again.status, again.error["code"]) == (3, "conflict")
    forced = quick(*call, "--force", "--library", "good.csv", cwd=folder).answer
    assert forced == {**done.answer, "added": 1, "removed": 1, "changed": 0}
    text = quick(*call, "--force", "--library", "good.csv", "--format", "text", cwd=folder).out.decode()
    assert "新增 added 1 条\n删除 removed 1 条\n修改 changed 0 条\n" in text
    refused = quick("standards", "library", "import", "twice.csv", "-o", "no.csv", cwd=folder)
    assert (refused.status, refused.error["code"]) == (3, "invalid_library")
    nowhere = quick("standards", "library", "import", "good.csv", "-o", "no/no.csv", cwd=folder)
    assert (nowhere.status, nowhere.error["code"]) == (4, "not_found")
    assert sorted(path.name for path in folder.iterdir()) == [
        "good.csv", "list.xlsx", "old.csv", "out.csv", "twice.csv",
    ]  # fmt: skip


def test_import_tells_the_columns_it_leaves_behind(quick: Quick, folder: Path) -> None:
    (folder / "list.csv").write_text("编号,名称,备注\nGB 1-2000,甲,乙\n", encoding="utf-8")
    call = ("standards", "library", "import", "list.csv", "-o", "out.csv", "--force")
    found = quick(*call, cwd=folder)
    assert found.answer["ignored_columns"] == ["备注"]
    assert found.answer["missing_columns"] == ["status", "relation_text", "implement_date"]
    assert found.err == b""
    told = quick(*call, "--format", "text", cwd=folder).err.decode().splitlines()
    assert told == [
        "未取用的列 columns not taken: 备注",
        "表中没有的列，留空 columns that the table lacks, left empty: status、relation_text、implement_date",
    ]


def test_a_workbook_in_place_of_a_library_is_told_to_be_imported_first(quick: Quick, folder: Path) -> None:
    (folder / "list.xlsx").write_bytes(workbook(["规范编号", "规范名称"], ["GB 1-2000", "甲"]))
    (folder / "log").mkdir()
    for call in (
        ("library", "info", "list.xlsx"),
        ("library", "diff", "good.csv", "list.xlsx"),
        ("serve", "--library", "list.xlsx", "--port", "0"),
        ("log", "replay", "log", "--library", "list.xlsx"),
    ):
        refused = quick("standards", *call, cwd=folder)
        assert (refused.status, refused.error["code"]) == (3, "invalid_library"), call
        assert "standards library import" in refused.error["message"]


def test_a_file_that_cannot_be_read_is_told_as_what_it_is(quick: Quick, folder: Path) -> None:
    for call in (("match", "--input"), ("library", "check"), ("library", "import", "-o", "x.csv")):
        missing, a_folder = (quick("standards", *call, name, cwd=folder) for name in ("none", "."))
        assert (missing.status, missing.error["code"]) == (4, "not_found")
        assert a_folder.status == 3
        assert "is a folder" in a_folder.error["message"]
        strange = quick("standards", *call, "a\udcff.csv", cwd=folder)
        assert strange.error["code"] == "not_found"


def test_diff_tells_field_by_field(quick: Quick, folder: Path) -> None:
    found = quick("standards", "library", "diff", "old.csv", "good.csv", cwd=folder).answer
    assert [record["code"] for record in found["removed"]] == ["GB 50330-2002"]
    assert found["added"] == []
    assert found["changed"][0]["fields"]["title"] == {"old": "建筑边坡", "new": "建筑边坡工程技术规范"}
    text = quick("standards", "library", "diff", "old.csv", "good.csv", "--format", "text", cwd=folder)
    assert "名称 title: 建筑边坡 → 建筑边坡工程技术规范" in text.out.decode()
    named = quick("standards", "library", "diff", "good.csv", "--library", "old.csv", cwd=folder)
    assert named.answer == found
    against_starter = quick("standards", "library", "diff", "good.csv", cwd=folder).answer
    assert against_starter["old"]["revision"] == starter().revision
    three = quick("standards", "library", "diff", "old.csv", "old.csv", "old.csv", cwd=folder)
    assert (three.status, three.error["code"]) == (2, "usage")


def test_match_answers_lines_in_order(quick: Quick, folder: Path) -> None:
    (folder / "in.jsonl").write_text('{"query":"GB 50330-2013"}\n{"query":"没有"}\n', encoding="utf-8")
    call = ("standards", "match", "--input", "in.jsonl", "--library", "good.csv")
    done = quick(*call, "--format", "jsonl", cwd=folder)
    assert (done.status, done.err) == (0, b"")
    lines: list[Any] = [json.loads(line) for line in done.out.splitlines()]
    assert [line["query"] for line in lines] == ["GB 50330-2013", "没有"]
    assert lines[0]["candidates"] == [
        {
            "code": "GB 50330-2013", "title": "建筑边坡工程技术规范", "status": "现行",
            "relation_text": "替代 GB 50330-2002", "implement_date": "2014-06-01", "match_score": 1.0,
        }
    ]  # fmt: skip
    assert lines[1]["candidates"] == []
    piped = quick(
        "standards", "match", "--input", "-", "--format", "csv", cwd=folder, stdin="验收规程\n".encode()
    )
    assert piped.out.decode().splitlines()[1].startswith("1,验收规程,1,JGJ 18-2012,")
    objects = quick(*call[:3], "-", *call[4:], cwd=folder, stdin=(folder / "in.jsonl").read_bytes())
    assert (objects.status, objects.out) == (0, done.out)


def test_match_writes_each_format_by_its_name(quick: Quick, folder: Path) -> None:
    (folder / "in.txt").write_text("GB 50330-2013\n", encoding="gb18030")
    for name in ("out.jsonl", "out.csv", "out.xlsx"):
        done = quick("standards", "match", "--input", "in.txt", "--output", name, cwd=folder)
        counted = "1 条引用，1 条有候选，0 条未命中 (citations: 1, with candidates: 1, without: 0)"
        assert (done.status, done.err.decode()) == (0, f"{name}: {counted}\n")
        again = quick("standards", "match", "--input", "in.txt", "--output", name, cwd=folder)
        assert again.error["code"] == "conflict"
    assert json.loads((folder / "out.jsonl").read_bytes().splitlines()[0])["query"] == "GB 50330-2013"
    sheet = openpyxl.load_workbook(folder / "out.xlsx").active
    assert sheet is not None
    assert (sheet["A2"].value, sheet["B2"].value) == (1, "GB 50330-2013")
    assert not list(folder.glob("*.partial"))
    (folder / "bad.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    bad = quick("standards", "match", "--input", "bad.csv", cwd=folder)
    assert (bad.status, bad.error["code"]) == (3, "invalid_batch")


def test_match_has_chinese_headings_where_they_are_asked_for(quick: Quick, folder: Path) -> None:
    rows = "序号,引用规范,页\n1,GB 50330-2013,3\n2,没有这个名称,4\n"
    (folder / "in.csv").write_text(rows, encoding="utf-8")
    call = ("standards", "match", "--input", "in.csv", "--library", "good.csv", "--headings", "zh")
    done = quick(*call, "--output", "o.xlsx", cwd=folder)
    assert done.err.decode().startswith("o.xlsx: 2 条引用，1 条有候选，1 条未命中 (")
    table = quick(*call, "--format", "csv", cwd=folder).out.decode().splitlines()
    assert table == [
        "行号,序号,页,引用,序,规范编号,规范名称,状态,替代情况,实施日期,匹配度",
        "2,1,3,GB 50330-2013,1,GB 50330-2013,建筑边坡工程技术规范,现行,替代 GB 50330-2002,2014-06-01,1.0",
        "3,2,4,没有这个名称,,,,,,,",
    ]
    sheet = openpyxl.load_workbook(folder / "o.xlsx").active
    assert sheet is not None
    assert [cell.value for cell in sheet[1]] == table[0].split(",")
    assert (sheet["G3"].value, sheet["F3"].value, sheet.freeze_panes) == ("库中没有", None, "A2")
    assert [sheet.column_dimensions[letter].width for letter in "ABCDG"] == [6, 14, 14, 40, 36]
    for form in (("--format", "jsonl"), ()):
        refused = quick(*call, *form, cwd=folder)
        assert (refused.status, refused.error["subject"]) == (2, "--headings")


def test_an_interrupted_match_goes_on_where_it_stopped(folder: Path, quick: Quick) -> None:
    queries = [f"第{number}号建筑边坡工程技术规范 GB {50000 + number}-2013" for number in range(6_000)]
    (folder / "in.txt").write_text("\n".join(queries), encoding="utf-8")
    call = ("standards", "match", "--input", "in.txt", "--output", "out.jsonl")
    running = start(*call, "--format", "jsonl", cwd=folder)
    partial = folder / "out.jsonl.partial"
    while not (partial.exists() and partial.stat().st_size > 10_000):
        assert running.poll() is None
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert (running.returncode, json.loads(err)["code"]) == (130, "interrupted")
    done = partial.read_bytes().count(b"\n") - 1
    assert 0 < done < len(queries)
    other = quick(*call[:4], "--output", "out.jsonl", "--library", "good.csv", cwd=folder)
    assert other.error["code"] == "conflict"
    short = folder / "short.txt"
    short.write_text("\n".join(queries[:10]), encoding="utf-8")
    assert (
        quick("standards", "match", "--input", "short.txt", *call[4:], cwd=folder).error["code"] == "conflict"
    )
    head, *lines = partial.read_bytes().splitlines(keepends=True)
    # What the first run had left to do is done here, but for the end.
    partial.write_bytes(head + b"".join(lines[:50]) + b"".join(answers(starter(), queries[50:-5], 1)))
    finished = quick(*call, cwd=folder)
    assert finished.status == 0
    assert "已答 answered already: 5995 / 6000 条" in finished.err.decode()
    answered = (folder / "out.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["query"] for line in answered] == queries


@pytest.mark.parametrize("extra", ["starlette", "openpyxl"])
def test_a_command_whose_extra_is_missing_names_it(extra: str, folder: Path) -> None:
    code = (
        f"import sys; sys.modules[{extra!r}] = None\nfrom evidence.doors.cli import main\nmain(sys.argv[1:])"
    )
    command = ["standards", "serve"] if extra == "starlette" else ["standards", "library", "check", "a.xlsx"]
    (folder / "a.xlsx").write_bytes(workbook(["规范编号", "规范名称"], ["GB 1-2000", "甲"]))
    done = subprocess.run(
        [sys.executable, "-c", code, *command], cwd=folder, capture_output=True, check=False
    )
    error = json.loads(done.stderr)
    assert (done.returncode, error["code"]) == (4, "provider_not_ready")
    brought = "server" if extra == "starlette" else "xlsx"
    assert f"reinstall from the checkout: pip install '.[{brought}]'" in error["hint"]
    assert "pipx install --force '.[server,xlsx]'" in error["hint"]


def commands(
    group: click.Group, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


def test_every_command_takes_a_library() -> None:
    found = dict(commands(standards))
    assert len(found) == 9
    options = {
        path: {option for one in command.params for option in one.opts} for path, command in found.items()
    }
    assert [path for path, known in options.items() if "--library" not in known] == []
