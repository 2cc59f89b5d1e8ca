"""`audit export bundle | tiles | jsonl`: whole or nothing, and read as a ledger again."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger import standalone
from tests.audit.histories import Change, History, body_edited, make, no_records
from tests.doors.command import Done
from tests.doors.forking import Forking
from tests.ledger.steps import edit, made, names


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return make(tmp_path_factory.mktemp("history"))


Call = Callable[..., Done]


@pytest.fixture
def export(history: History, tmp_path: Path, quick: Forking) -> Call:
    def call(*arguments: str, ledger: Path = history.ledger) -> Done:
        return quick("audit", "export", *arguments, "--ledger", ledger, cwd=tmp_path)

    return call


def test_a_bundle_goes_to_a_file_or_to_stdout_and_is_verified_by_both(
    history: History, tmp_path: Path, export: Call, quick: Forking
) -> None:
    assert export("bundle", "-o", "x.bundle") == Done(0, b"", b"")
    printed = export("bundle")
    assert printed.out == (tmp_path / "x.bundle").read_bytes()
    done = quick("audit", "verify", "--ledger", "x.bundle", "--policy", history.policy, cwd=tmp_path)
    assert (done.status, done.answer["verdict"]) == (0, "VERIFIED")
    assert standalone.verify(tmp_path / "x.bundle", history.policy)["verdict"] == "VERIFIED"
    assert names(tmp_path) == ["x.bundle"]


def test_tiles_go_into_a_new_or_empty_folder_and_take_the_place_of_older_tiles_by_force_only(
    history: History, tmp_path: Path, export: Call
) -> None:
    (tmp_path / "tiles").mkdir()
    done = export("tiles", "-o", "tiles")
    assert done.answer == {"folder": "tiles", "log": "tests.example/log", "records": 23}
    assert standalone.verify(tmp_path / "tiles", history.policy)["verdict"] == "VERIFIED"
    assert (
        export("tiles", "-o", "tiles", ledger=history.backup).error["hint"] == "say --force to replace them"
    )
    again = export("tiles", "-o", "tiles", "--force", "--format", "text", ledger=history.backup)
    assert again.out.decode() == "瓦片目录 tiles: tiles，22 条记录 records\n"
    assert standalone.verify(tmp_path / "tiles")["records"] == 22
    assert names(tmp_path) == ["tiles"]


def test_nothing_but_tiles_of_the_same_log_is_ever_replaced(tmp_path: Path, export: Call) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "text").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "other" / "tile").mkdir(parents=True)
    (tmp_path / "other" / "checkpoint").write_text("elsewhere.example/log\n")
    for name in ("mine", "file", "other"):
        done = export("tiles", "-o", name, "--force")
        assert (done.status, done.error["code"]) == (3, "conflict")
    for form in ("bundle", "jsonl"):
        done = export(form, "-o", "file")
        assert (done.status, done.error["hint"]) == (3, "say --force to replace it")
        assert export(form, "-o", "nowhere/x").status == 4
    assert (tmp_path / "file").read_text() == "mine"
    assert export("jsonl", "-o", "file", "--force").status == 0
    lines = (tmp_path / "file").read_bytes().splitlines()
    assert [json.loads(line)["record"]["seq"] for line in lines] == list(range(23))
    assert names(tmp_path) == ["file", "mine", "other"]


def test_what_was_carried_away_is_exported_and_asked_like_a_ledger(
    history: History, tmp_path: Path, export: Call, quick: Forking
) -> None:
    export("bundle", "-o", "x.bundle")
    export("tiles", "-o", "tiles", ledger=tmp_path / "x.bundle")
    again = export("jsonl", ledger=tmp_path / "tiles")
    assert again.out == export("jsonl").out
    for command in (
        ("show", "4"),
        ("prove", "4"),
        ("checkpoint",),
        ("report", "--format", "md"),
        ("consistency", "3", "20"),
    ):
        told = [
            quick("audit", *command, "--ledger", one, cwd=tmp_path) for one in (history.ledger, "x.bundle")
        ]
        assert told[0].status == told[1].status == 0
        if command[0] != "report":  # which says when it was made
            assert told[0] == told[1]
    same = quick("audit", "diff", history.ledger, "x.bundle", cwd=tmp_path)
    assert (same.status, same.answer["relation"]) == (0, "same")


@pytest.mark.parametrize(
    ("change", "status", "rule", "why"),
    [
        (
            body_edited,
            1,
            "正文就是记录所载正文摘要的那一份",
            "body: the body is the one that the record names",
        ),
        (no_records, 2, "账本里没有记录", "the ledger has no record"),
    ],
)
def test_a_report_on_what_does_not_hold_says_why_on_stderr_and_in_its_language(
    history: History, tmp_path: Path, quick: Forking, change: Change, status: int, rule: str, why: str
) -> None:
    change(history, tmp_path / "copy")
    for language in ("zh", "en"):
        options = ("--ledger", "copy", "--lang", language, "--format", "md")
        done = quick("audit", "report", *options, cwd=tmp_path)
        assert done.status == status
        told = done.err.decode()
        assert told.startswith("账本未通过核实 the ledger does not pass: ")
        assert (rule in told, why in told) == (True, True)
        assert (rule in done.out.decode()) == (language == "zh" and change is body_edited)


def test_a_damaged_ledger_and_one_without_a_key_leave_nothing_behind(
    history: History, tmp_path: Path, export: Call
) -> None:
    copy = tmp_path / "copy.sqlite3"
    copy.write_bytes(history.ledger.read_bytes())
    edit(copy, "UPDATE bodies SET bytes = x'7b7d' WHERE rowid = 9")
    for form in ("bundle", "jsonl", "tiles"):
        done = export(form, "-o", "out", ledger=copy)
        assert (done.status, done.error["code"]) == (5, "integrity")
    plain = export("tiles", "-o", "out", ledger=made(tmp_path / "plain.sqlite3", 2))
    assert (plain.status, plain.error["hint"]) == (2, "export a bundle")
    assert names(tmp_path) == ["copy.sqlite3", "plain.sqlite3"]


def test_a_bundle_that_was_cut_is_refused_by_all_but_verify(
    history: History, tmp_path: Path, export: Call, quick: Forking
) -> None:
    cut = tmp_path / "cut.bundle"
    cut.write_bytes(export("bundle").out[:-20])
    done = quick("audit", "show", "4", "--ledger", cut, cwd=tmp_path)
    assert (done.status, done.error["hint"]) == (5, "`audit verify` judges what stands before the cut")
    told = quick("audit", "verify", "--ledger", cut, "--against", history.checkpoint, cwd=tmp_path)
    assert (told.status, told.answer["verdict"], told.answer["records"]) == (4, "TORN", 23)
    assert told.answer["anchored_by"] == ["checkpoint of 23 records"]
