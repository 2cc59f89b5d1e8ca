"""A whole life over the command line with its ledger in PostgreSQL, and what its auditor sees."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.postgres import PASSWORD, Server

ROOT = Path(__file__).resolve().parents[2]
QUESTION = (
    "--objective", "引用的规范是否现行", "--user-activity", "审查施工方案", "--decision", "是否退回修改",
    "--evidence-kind", "standard_status", "--search-term", "JGJ 18-2003",
)  # fmt: skip


class Shell:
    """A folder in which commands are run, and everything that they printed."""

    def __init__(self, folder: Path, ledger: str, **more: str) -> None:
        self.folder = folder
        kept = {name: value for name, value in os.environ.items() if not name.startswith("EXTERNAL_EVIDENCE")}
        self.environment = {**kept, "PYTHONPATH": str(ROOT), "EXTERNAL_EVIDENCE_LEDGER": ledger, **more}
        self.said = b""

    def run(self, *arguments: str, exits: int = 0) -> Any:
        """What the command printed, as JSON; its error where it ends otherwise than well."""
        done = subprocess.run(
            [sys.executable, "-m", "evidence", *arguments],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            check=False,
        )
        self.said += done.stdout + done.stderr
        assert done.returncode == exits, done.stderr.decode()
        return json.loads(done.stdout or done.stderr or b"null")

    def keep(self, name: str, answer: object) -> str:
        """Write an answer to a file."""
        (self.folder / name).write_text(json.dumps(answer), encoding="utf-8")
        return name


@pytest.mark.parametrize("signed", [False, True])
def test_a_whole_life_in_a_database(tmp_path: Path, postgres: Server, database: str, signed: bool) -> None:
    shell = Shell(tmp_path, database)
    missing = shell.run("plan", *QUESTION, exits=4)
    assert (missing["code"], missing["hint"]) == ("not_found", "`ledger init` begins one")
    key = ["--key", "log.key"] if signed else []
    begun = shell.run("ledger", "init", "--origin", "example.org/plans", *key, *(["--new-key"] * signed))
    name = database.rpartition("/")[2]
    shown = f"postgresql://owner@127.0.0.1:{postgres.port}/{name}"
    assert (begun["ledger"], begun["log"]) == (f"{shown}#example.org/plans", "example.org/plans")
    assert shell.run("ledger", "init", "--origin", "example.org/plans", exits=3)["code"] == "conflict"
    if signed:
        shell.environment["EXTERNAL_EVIDENCE_LEDGER_KEY"] = "log.key"
    plan = shell.keep("plan.json", shell.run("plan", *QUESTION))
    receipt = shell.keep("receipt.json", shell.run("execute", plan))
    how = ("--decision", "admit", "--reason", "据库中所载", "--all-sources")
    admission = shell.keep("admission.json", shell.run("admit", receipt, *how))
    assert shell.run("retire", admission, exits=1)["retire_ready"] is False
    assert (tmp_path / ".external-evidence" / "dossiers").exists() is False
    shell.run("readback", admission, "--execute")
    assert list((tmp_path / ".external-evidence" / "dossiers").iterdir())
    assert shell.run("retire", admission)["retire_ready"] is True
    audit(shell, tmp_path, shown)
    assert PASSWORD.encode() not in shell.said
    assert b"geheim" not in shell.said


def audit(shell: Shell, folder: Path, shown: str) -> None:
    """What the auditor's commands say of it."""
    told = shell.run("audit", "verify", exits=3)
    assert (told["verdict"], told["findings"], told["log"]) == ("UNANCHORED", [], "example.org/plans")
    assert shell.run("audit", "replay")["head"] == told["head"]
    retired = shell.run("audit", "show", str(told["head"]).partition(":")[2][:12])
    assert retired["artifact"]["status"] == "retire_ready"
    shell.run("audit", "export", "bundle", "-o", "bundle.jsonl")
    assert shell.run("audit", "verify", "--ledger", "bundle.jsonl", exits=3)["head"] == told["head"]
    checks = {one["name"]: one for one in shell.run("doctor")["checks"]}
    assert checks["ledger"]["state"] == "ok"
    assert checks["ledger"]["seen"].startswith(f"{shown}: {told['records']} records, log example.org/plans")
    assert shell.run("audit", "doctor")["causes"] == []
    assert not list(folder.glob("postgres*"))


def test_a_ledger_without_a_key_may_be_one_of_several(tmp_path: Path, database: str) -> None:
    shell = Shell(tmp_path, database)
    for log in ("one/log", "two/log"):
        assert shell.run("ledger", "init", "--ledger", f"{database}#{log}")["log"] == log
    several = shell.run("plan", *QUESTION, exits=2)
    assert several["hint"] == "name one after a #: one/log, two/log"
    two_names = shell.run("ledger", "init", "--ledger", f"{database}#one/log", "--origin", "a/b", exits=2)
    assert "two names" in two_names["message"]
    shell.environment["EXTERNAL_EVIDENCE_LEDGER"] = f"{database}#two/log"
    shell.run("plan", *QUESTION)
    assert shell.run("audit", "verify", exits=3)["log"] == "two/log"


def test_a_server_that_forgets_in_a_crash_is_told_by_doctor(tmp_path: Path) -> None:
    from tests.postgres import cluster

    with cluster(fsync="off") as server:
        shell = Shell(tmp_path, server.url())
        shell.run("ledger", "init")
        checks = {one["name"]: one for one in shell.run("doctor", exits=1)["checks"]}
        assert "fsync is off" in checks["ledger"]["seen"]


def test_without_the_extra_the_way_to_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "psycopg.py").write_text("raise ImportError('no libpq here')\n", encoding="utf-8")
    shell = Shell(tmp_path, "postgresql://nobody@127.0.0.1:1/none")
    shell.environment["PYTHONPATH"] = f"{tmp_path}{os.pathsep}{ROOT}"
    for command in (("plan", *QUESTION), ("audit", "replay"), ("ledger", "init")):
        told = shell.run(*command, exits=2)
        if "hint" in told:
            assert told["hint"] == "pip install '.[postgres]' in a checkout of the project"
        else:
            assert ".[postgres]" in str(told["reasons"])


def test_a_server_that_is_not_there_is_told_and_nothing_is_written(tmp_path: Path) -> None:
    shell = Shell(tmp_path, "postgresql://nobody:geheim@127.0.0.1:1/none")
    for command in (("plan", *QUESTION), ("ledger", "init")):
        told = shell.run(*command, exits=75)
        assert (told["code"], told["retryable"]) == ("storage", True)
    assert shell.run("audit", "verify", exits=2)["verdict"] == "CANNOT-VERIFY"
    assert b"geheim" not in shell.said
    assert list(tmp_path.iterdir()) == []


def test_a_key_made_by_init_is_called_as_the_log(tmp_path: Path, database: str) -> None:
    shell = Shell(tmp_path, f"{database}#example.org/other")
    begun = shell.run("ledger", "init", "--key", "log.key", "--new-key")
    assert begun["key"].startswith("example.org/other+")
    with psycopg.connect(database) as other:
        found = other.execute("SELECT name, seq FROM external_evidence.head").fetchall()
    assert found == [("example.org/other", 0)]
    rotated = shell.run("ledger", "keys", "rotate", "--key", "log.key", "--new", "next.key")
    assert rotated["log"] == "example.org/other"
