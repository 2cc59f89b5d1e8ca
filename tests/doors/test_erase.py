"""`ledger erase` through the command line: what it says, what it leaves, and what follows."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.doors.command import QUESTION, SLOPES
from tests.doors.forking import Forking

LEDGER = Path(".external-evidence") / "ledger.sqlite3"
KEY = {"EXTERNAL_EVIDENCE_LEDGER_KEY": "keys/log.key"}
WHY = ("--reason", "委托方要求")


@pytest.fixture
def lived(tmp_path: Path, quick: Forking) -> Path:
    """A folder whose signed ledger holds a plan, a receipt and a decision, and the artifacts beside it."""
    quick("ledger", "init", "--key", "keys/log.key", "--new-key", "--origin", "example.org/x", cwd=tmp_path)
    admit = ("--decision", "admit", "--reason", "查到了", "--all-sources")
    for name, command in {
        "plan": ("plan", *QUESTION, *SLOPES),
        "receipt": ("execute", "plan.json"),
        "admission": ("admit", "receipt.json", *admit),
    }.items():
        done = quick(*command, cwd=tmp_path, environment=KEY)
        assert done.status == 0, done.err
        (tmp_path / f"{name}.json").write_bytes(done.out)
    return tmp_path


def named(folder: Path, field: str) -> str:
    """An id that the decision names."""
    return str(json.loads((folder / "admission.json").read_bytes())[field])


def test_an_erasure_is_one_json_answer_and_what_was_erased_is_nowhere(lived: Path, quick: Forking) -> None:
    objective = QUESTION[1].encode()
    assert objective in (lived / LEDGER).read_bytes()
    asked = named(lived, "request_id")
    done = quick("ledger", "erase", "--subject", asked[:20], *WHY, cwd=lived, environment=KEY)
    assert (done.status, done.err) == (0, b"")
    answer = done.answer
    assert (answer["field"], answer["erased"], answer["bodies"]) == ("request_id", asked, 5)
    assert (answer["left"], answer["note"], answer["again"]) == (None, None, None)
    assert answer["reason"] == WHY[1]
    files = [one for one in (lived / LEDGER).parent.rglob("*") if one.is_file()]
    assert [one for one in files if objective in one.read_bytes()] == []
    again = quick("ledger", "erase", "--subject", asked, *WHY, cwd=lived, environment=KEY)
    assert (again.status, again.answer["seq"], again.answer["bodies"]) == (0, None, 0)
    assert "erased before" in again.answer["note"]
    shown = quick("audit", "show", f"seq:{answer['seq']}", cwd=lived)
    assert shown.answer["artifact"]["reason"] == WHY[1]
    replayed = quick("audit", "replay", cwd=lived)
    assert (replayed.status, len(replayed.answer["erased"])) == (0, 5)
    shown = quick("audit", "show", asked, cwd=lived)
    assert (shown.answer["body"], shown.answer["artifact"]) == ("erased", None)


def test_the_text_tells_the_same(lived: Path, quick: Forking) -> None:
    command = ("ledger", "erase", "--subject", named(lived, "receipt_digest"), *WHY, "--format", "text")
    text = quick(*command, cwd=lived, environment=KEY).out.decode()
    for line in ("按 field: receipt_digest", "正文数 bodies: 3", "原因 reason: 委托方要求"):
        assert line in text
    text = quick(*command, cwd=lived, environment=KEY).out.decode()
    assert "说明 note: 它此前已被删除" in text
    assert "原因" not in text


def test_commands_about_what_was_erased_say_so(lived: Path, quick: Forking) -> None:
    quick("ledger", "erase", "--subject", named(lived, "receipt_digest"), *WHY, cwd=lived, environment=KEY)
    plan, receipt = named(lived, "plan_id"), named(lived, "receipt_digest")
    decide = ("--decision", "reject", "--reason", "不看了")
    for command in (
        ("admit", "receipt.json", *decide),
        ("admit", receipt, *decide),
        ("retire", named(lived, "admission_id")),
        ("readback", "admission.json"),
    ):
        refused = quick(*command, cwd=lived, environment=KEY)
        assert (refused.status, refused.error["code"]) == (4, "erased"), command
    more = quick("execute", plan, cwd=lived, environment=KEY)
    observation = more.answer["receipt_observation_id"]
    assert quick("admit", observation, *decide, cwd=lived, environment=KEY).status == 0
    quick("ledger", "erase", "--subject", named(lived, "request_id"), *WHY, cwd=lived, environment=KEY)
    for again in (["plan", *QUESTION, *SLOPES], ["execute", plan], ["execute", "plan.json"]):
        refused = quick(*again, cwd=lived, environment=KEY)
        assert (refused.status, refused.error["code"]) == (4, "erased"), again


def test_what_is_missing_without_a_word_is_not_called_erased(lived: Path, quick: Forking) -> None:
    with closing(sqlite3.connect(lived / LEDGER, isolation_level=None)) as connection:
        connection.execute("DELETE FROM bodies")
    refused = quick("execute", named(lived, "plan_id"), cwd=lived, environment=KEY)
    assert (refused.status, refused.error["code"]) == (4, "not_found")


def test_an_older_copy_goes_on_only_when_what_was_erased_is_erased_again(lived: Path, quick: Forking) -> None:
    backup = lived / "backup"
    shutil.copyfile(lived / LEDGER, backup)
    quick("ledger", "erase", "--subject", named(lived, "request_id"), *WHY, cwd=lived, environment=KEY)
    shutil.copyfile(backup, lived / LEDGER)
    refused = quick("ledger", "erase", "--subject", named(lived, "plan_id"), *WHY, cwd=lived, environment=KEY)
    assert (refused.status, "ledger restore" in refused.error["hint"]) == (5, True)
    done = quick("ledger", "restore", "--reason", "昨晚的备份", cwd=lived, environment=KEY)
    assert (done.status, done.answer["again_bodies"], len(done.answer["again"])) == (0, 5, 1)
    assert done.answer["left"] is None
    (lived / "keys" / "log.key.checkpoint").unlink()
    shutil.copyfile(backup, lived / LEDGER)
    refused = quick("retire", "admission.json", cwd=lived, environment=KEY)
    assert (refused.status, "was erased" in refused.error["message"]) == (5, True)
    done = quick("ledger", "restore", "--reason", "昨晚的备份", cwd=lived, environment=KEY)
    assert (done.answer["seq"], done.answer["again_bodies"]) == (None, 5)
    assert quick("audit", "replay", cwd=lived).status == 0


def test_what_cannot_be_erased_is_said(lived: Path, quick: Forking) -> None:
    asked = ("--subject", named(lived, "plan_id"))
    for options, status, code in (
        ((), 2, "usage"),
        (asked, 2, "usage"),
        ((*asked, "--reason", " "), 3, "invalid"),
        (("--subject", "blake3:" + "0" * 64, *WHY), 4, "not_found"),
        (("--subject", "", *WHY), 4, "not_found"),
        ((*asked, *WHY, "--ledger", "nowhere"), 4, "not_found"),
    ):
        refused = quick("ledger", "erase", *options, cwd=lived, environment=KEY)
        assert (refused.status, refused.error["code"]) == (status, code), options
    keyless = quick("ledger", "erase", *asked, *WHY, cwd=lived)
    assert (keyless.status, "signed by" in keyless.error["message"]) == (2, True)


def test_a_ledger_without_a_key_erases_too(tmp_path: Path, quick: Forking) -> None:
    plan = quick("plan", *QUESTION, *SLOPES, cwd=tmp_path).answer
    done = quick("ledger", "erase", "--subject", plan["plan_id"], *WHY, cwd=tmp_path)
    assert (done.status, done.answer["bodies"]) == (0, 1)
    assert sorted(one.name for one in (tmp_path / LEDGER).parent.iterdir()) == ["ledger.sqlite3"]
