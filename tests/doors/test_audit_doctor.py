"""`audit doctor` through the command line: nothing found, something found, cannot look; it only reads."""

import shutil
from pathlib import Path

import pytest

from tests.audit.histories import History, make
from tests.doors.forking import Forking
from tests.ledger.carried import everything


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return make(tmp_path_factory.mktemp("history"))


def test_a_clean_ledger_ends_with_nothing_found_and_is_only_read(
    history: History, tmp_path: Path, quick: Forking
) -> None:
    before = everything(history.ledger.parent)
    done = quick(
        *("audit", "doctor", "--ledger", history.ledger, "--policy", history.policy),
        *("--against", history.checkpoint),
        cwd=tmp_path,
        environment={"EXTERNAL_EVIDENCE_LEDGER_KEY": str(history.ledger.parent / "keys/log.key")},
    )
    told = done.answer
    assert (done.status, told["causes"], told["cannot_look"]) == (0, [], None)
    assert [one["code"] for one in told["notes"]] == ["clock-back"]  # the history was made twice by one clock
    assert b"VERIFIED" not in done.out
    assert everything(history.ledger.parent) == before


def test_a_restored_backup_is_told_by_what_lies_beside_the_key(
    history: History, tmp_path: Path, quick: Forking
) -> None:
    shutil.copyfile(history.backup, tmp_path / "l.sqlite3")
    asked = ("audit", "doctor", "--ledger", "l.sqlite3", "--key", history.ledger.parent / "keys/log.key")
    told = quick(*asked, cwd=tmp_path)
    (cause,) = told.answer["causes"]
    assert (told.status, cause["code"], cause["benign"]) == (1, "older-than-seen", False)
    text = quick(*asked, "--format", "text", cwd=tmp_path).out.decode()
    assert "账本诊断 Ledger doctor: 发现 1 项 found 1" in text
    assert "what to do: Find the newer copy" in text


def test_the_key_of_the_environment_is_no_word_on_a_copy_that_ledger_names(
    history: History, tmp_path: Path, quick: Forking
) -> None:
    shutil.copyfile(history.backup, tmp_path / "l.sqlite3")
    key = {"EXTERNAL_EVIDENCE_LEDGER_KEY": str(history.ledger.parent / "keys/log.key")}
    own = {**key, "EXTERNAL_EVIDENCE_LEDGER": "l.sqlite3"}
    url = {**key, "EXTERNAL_EVIDENCE_LEDGER": "postgresql://nobody@127.0.0.1:1/none"}
    named = ("--ledger", tmp_path / "l.sqlite3")
    for environment, options, codes in (
        (key, named, []),
        (url, named, []),
        (own, (), ["older-than-seen"]),
        (own, named, ["older-than-seen"]),
        (key, (*named, "--key", key["EXTERNAL_EVIDENCE_LEDGER_KEY"]), ["older-than-seen"]),
    ):
        done = quick("audit", "doctor", *options, cwd=tmp_path, environment=environment)
        assert [one["code"] for one in done.answer["causes"]] == codes
        assert done.status == bool(codes)


def test_what_is_not_there_cannot_be_looked_at(tmp_path: Path, quick: Forking) -> None:
    done = quick("audit", "doctor", cwd=tmp_path)
    assert (done.status, done.answer["exit_code"], done.err) == (2, 2, b"")
    assert "there is nothing at" in done.answer["cannot_look"]
    done = quick("audit", "doctor", "--policy", "none", cwd=tmp_path)
    assert (done.status, done.answer["causes"]) == (2, [])
