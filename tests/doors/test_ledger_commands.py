"""`ledger init`, `keys rotate`, `restore` and a signed life through the command line."""

import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ledger.keys import generate
from tests.doors.command import QUESTION, SLOPES, around
from tests.doors.forking import Forking

LEDGER = Path(".external-evidence") / "ledger.sqlite3"
KEY = {"EXTERNAL_EVIDENCE_LEDGER_KEY": "keys/log.key"}


@pytest.fixture
def begun(tmp_path: Path, quick: Forking) -> Path:
    """A folder whose ledger has a key, and the policy that its `init` proposed."""
    arguments = ("--key", "keys/log.key", "--new-key", "--origin", "example.org/plans")
    done = quick("ledger", "init", *arguments, cwd=tmp_path)
    assert (done.status, done.err) == (0, b"")
    (tmp_path / "policy").write_text(done.answer["policy"])
    return tmp_path


def verdict(quick: Forking, folder: Path, *options: str) -> str:
    """The word with the policy, by a command whose exit code agrees with it."""
    done = quick("audit", "verify", "--policy", "policy", *options, cwd=folder)
    assert done.status == done.answer["exit_code"]
    return str(done.answer["verdict"])


def test_a_ledger_is_begun_with_a_key_that_only_its_owner_reads(begun: Path, quick: Forking) -> None:
    assert stat.S_IMODE((begun / "keys" / "log.key").stat().st_mode) == 0o600
    assert (begun / "policy").read_text().startswith("log example.org/plans+")
    assert verdict(quick, begun) == "VERIFIED"
    again = quick("ledger", "init", cwd=begun)
    assert (again.status, again.error["code"]) == (3, "conflict")


def test_the_text_of_init_states_the_policy_on_lines_of_its_own(tmp_path: Path, quick: Forking) -> None:
    new = ("--key", "k", "--new-key", "--origin", "example.org/x", "--format", "text")
    lines = quick("ledger", "init", *new, cwd=tmp_path).out.decode().splitlines()
    label = next(place for place, line in enumerate(lines) if line.startswith("审计方的信任文件 policy"))
    assert "--format json: .policy" in lines[label]
    (tmp_path / "policy").write_text("\n".join(lines[label + 1 :]) + "\n")
    assert verdict(quick, tmp_path) == "VERIFIED"


def test_whose_witness_it_is_must_be_said(begun: Path, quick: Forking) -> None:
    (begun / "witness.json").write_text("{}")
    refused = quick("audit", "witness", "status", "witness.json", cwd=begun)
    assert (refused.status, refused.error["subject"]) == (2, "--witness-key")
    assert "witness NAME KEY" in refused.error["hint"]


def test_a_ledger_without_a_key_has_nothing_to_be_trusted_by(tmp_path: Path, quick: Forking) -> None:
    done = quick("ledger", "init", "--origin", "example.org/x", "--format", "text", cwd=tmp_path)
    assert (done.status, "日志 log: example.org/x" in done.out.decode()) == (0, True)
    assert "key" not in done.out.decode()
    assert quick("audit", "verify", cwd=tmp_path).status == 3
    for arguments in (("keys", "rotate", "--new", "k"), ("restore", "--reason", "x")):
        refused = quick("ledger", *arguments, cwd=tmp_path)
        assert (refused.status, refused.error["subject"]) == (2, "--key")


def test_what_init_cannot_do_is_said(tmp_path: Path, quick: Forking) -> None:
    assert quick("ledger", "init", "--new-key", cwd=tmp_path).error["subject"] == "--key"
    named = quick("ledger", "init", "--new-key", "--key", "a.key", "--ledger", "a", cwd=tmp_path)
    assert named.answer["log"].startswith("external-evidence/")
    again = quick("ledger", "init", "--new-key", "--key", "a.key", "--ledger", "b", cwd=tmp_path)
    assert (again.status, again.error["code"]) == (3, "conflict")
    other = quick("ledger", "init", "--key", "a.key", "--origin", "x.y", "--ledger", "b", cwd=tmp_path)
    assert (other.status, other.error["code"]) == (3, "conflict")
    assert "another ledger needs a key of its own" in other.error["hint"]
    (tmp_path / "a.key.checkpoint").unlink()
    unused = quick("ledger", "init", "--key", "a.key", "--origin", "x.y", "--ledger", "b", cwd=tmp_path)
    assert (unused.status, unused.error["subject"]) == (2, "origin")
    assert "needs a key of its own" in unused.error["hint"]
    assert quick("ledger", "init", "--key", "none", "--ledger", "b", cwd=tmp_path).status == 4
    assert not (tmp_path / "b").exists()


def test_every_writer_signs_with_the_key_that_is_named(begun: Path, quick: Forking) -> None:
    def step(name: str, *arguments: str) -> None:
        done = quick(*arguments, cwd=begun, environment=KEY)
        assert (done.status, done.err) == (0, b"")
        (begun / f"{name}.json").write_bytes(done.out)

    step("plan", "plan", *QUESTION, *SLOPES)
    step("receipt", "execute", "plan.json")
    step("admission", "admit", "receipt.json", "--decision", "admit", "--reason", "对", "--all-sources")
    kept = quick("audit", "checkpoint", "-o", "kept", cwd=begun)
    assert kept.status == 0
    step("readback", "readback", "admission.json", "--execute")
    step("retired", "retire", "admission.json")
    assert verdict(quick, begun, "--against", "kept") == "VERIFIED"
    assert quick("audit", "replay", cwd=begun).status == 0
    refused = quick("plan", *QUESTION, "--constraint", "x", cwd=begun)
    assert (refused.status, "EXTERNAL_EVIDENCE_LEDGER_KEY" in refused.error["hint"]) == (2, True)
    named = quick("plan", *QUESTION, "--constraint", "x", "--key", "keys/log.key", cwd=begun)
    assert named.status == 0


def test_a_plan_begins_a_signed_ledger_where_a_key_is_named(begun: Path, quick: Forking) -> None:
    published = begun / "keys" / "log.key.checkpoint"
    before = published.read_bytes()
    refused = quick("plan", *QUESTION, "--ledger", "new", "--key", "keys/log.key", cwd=begun)
    assert (refused.status, "a key of its own" in refused.error["hint"]) == (3, True)
    assert (published.read_bytes(), (begun / "new").exists()) == (before, False)
    (begun / "unused.key").write_text(generate("example.org/plans"))
    (begun / "unused.key").chmod(0o600)
    done = quick("plan", *QUESTION, "--ledger", "new", "--key", "unused.key", cwd=begun)
    assert done.status == 0
    assert (
        quick("audit", "verify", "--against", "unused.key.checkpoint", "--ledger", "new", cwd=begun).status
        == 0
    )
    (begun / "unused.key").unlink()
    for again in (("init", "--new-key", "--key", "unused.key", "--ledger", "third"),
                  ("keys", "rotate", "--new", "unused.key", "--key", "keys/log.key")):  # fmt: skip
        refused = quick("ledger", *again, cwd=begun)
        assert (refused.status, "has signed a ledger before" in refused.error["message"]) == (3, True)
    assert not (begun / "unused.key").exists()


def test_a_key_is_changed_and_the_auditors_policy_still_holds(begun: Path, quick: Forking) -> None:
    done = quick("ledger", "keys", "rotate", "--new", "keys/two.key", cwd=begun, environment=KEY)
    assert (done.status, done.answer["seq"]) == (0, 2)
    assert (begun / "keys" / "two.key").exists()
    old = quick("plan", *QUESTION, cwd=begun, environment=KEY)
    assert (old.status, "not the key in force" in old.error["message"]) == (2, True)
    new = quick("plan", *QUESTION, "--key", "keys/two.key", cwd=begun)
    assert new.status == 0
    assert verdict(quick, begun) == "VERIFIED"
    text = quick(
        "ledger",
        "keys",
        "rotate",
        "--new",
        "keys/three.key",
        "--key",
        "keys/two.key",
        "--format",
        "text",
        cwd=begun,
    )
    assert "新公钥 new_key: example.org/plans+" in text.out.decode()
    same = quick("ledger", "keys", "rotate", "--new", "keys/three.key", "--key", "keys/three.key", cwd=begun)
    assert same.status == 2


def test_an_older_copy_is_refused_until_it_is_said_to_be_meant(begun: Path, quick: Forking) -> None:
    ledger = begun / LEDGER
    shutil.copyfile(ledger, begun / "backup")
    assert quick("plan", *QUESTION, cwd=begun, environment=KEY).status == 0
    nothing = quick("ledger", "restore", "--reason", "disk", cwd=begun, environment=KEY)
    assert (nothing.status, nothing.error["subject"]) == (2, "ledger")
    for tail in ("-wal", "-shm"):
        ledger.with_name(ledger.name + tail).unlink(missing_ok=True)
    quick("audit", "checkpoint", "-o", "kept", cwd=begun)
    shutil.copyfile(begun / "backup", ledger)
    refused = quick("plan", *QUESTION, cwd=begun, environment=KEY)
    assert (refused.status, "ledger restore" in refused.error["hint"]) == (5, True)
    done = quick("ledger", "restore", "--reason", "磁盘损坏", cwd=begun, environment=KEY)
    assert (done.status, done.answer["reason"]) == (0, "磁盘损坏")
    assert quick("plan", *QUESTION, cwd=begun, environment=KEY).status == 0
    assert verdict(quick, begun) == "VERIFIED"
    forked = quick("audit", "verify", "--policy", "policy", "--against", "kept", cwd=begun)
    assert (forked.status, forked.answer["verdict"]) == (1, "FORKED")
    [note] = forked.answer["notes"]
    assert note.startswith(
        "record 2, a signed ledger.restored, gave up a checkpoint of 5 records, which is the one"
    )


def test_a_ledger_without_a_key_imports_nothing_that_signs(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['cryptography'] = None\n"
        "from evidence.doors.cli import main\nmain(sys.argv[1:])"
    )
    for arguments in (("plan", *QUESTION), ("audit", "verify")):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=tmp_path,
            env=around(),
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0 if arguments[0] == "plan" else 3, b"")
    done = subprocess.run(
        [sys.executable, "-c", code, "ledger", "init", "--ledger", "x", "--key", "k", "--new-key"],
        cwd=tmp_path, env=around(), capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, b".[sign]" in done.stderr) == (4, True)


def test_a_key_file_that_was_left_empty_is_filled_and_a_refused_rotation_leaves_no_key(
    begun: Path, quick: Forking
) -> None:
    keys = begun / "keys"
    (keys / "2").touch(mode=0o600)
    first = quick("ledger", "keys", "rotate", "--new", "keys/2", cwd=begun, environment=KEY)
    assert (first.status, first.answer["new_key"][:18]) == (0, "example.org/plans+")
    assert stat.S_IMODE((keys / "2").stat().st_mode) == 0o600
    refused = quick("ledger", "keys", "rotate", "--new", "keys/3", cwd=begun, environment=KEY)
    assert (refused.status, (keys / "3").exists()) == (2, False)
    made = (keys / "2").read_bytes()
    refused = quick("ledger", "keys", "rotate", "--new", "keys/2", cwd=begun, environment=KEY)
    assert (refused.status, (keys / "2").read_bytes()) == (2, made)
    assert [one.name for one in keys.iterdir() if one.name.endswith(".new")] == []


def test_a_key_stays_where_trouble_of_the_disk_left_open_whether_it_is_in_use(
    begun: Path, quick: Forking
) -> None:
    keys = begun / "keys"
    (keys / "log.key.erased.next").mkdir()
    failed = quick("ledger", "keys", "rotate", "--new", "keys/2", cwd=begun, environment=KEY)
    assert (failed.error["code"], failed.error["retryable"]) == ("storage", True)
    made = (keys / "2").read_bytes()
    (keys / "log.key.erased.next").rmdir()
    done = quick("ledger", "keys", "rotate", "--new", "keys/2", cwd=begun, environment=KEY)
    assert (done.status, (keys / "2").read_bytes()) == (0, made)
