"""From a question to its retirement, by the command line, as a user would go."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.doors.command import NOWHERE, QUESTION, SLOPES, Done, around, clean, run
from tests.doors.forking import Forking

Call = Callable[..., Done]
ROOT = Path(__file__).resolve().parents[2]
ADMIT = ("--decision", "admit", "--reason", "编号与名称都对得上")


def keep(
    folder: Path, name: str, *arguments: str, status: int = 0, stdin: bytes = b"", call: Call = run
) -> Any:
    """Run a command, keep its answer in a file, and give it back."""
    done = call(*arguments, cwd=folder, stdin=stdin)
    assert (done.status, done.err) == (status, b""), done
    (folder / f"{name}.json").write_bytes(done.out)
    return done.answer


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_question_goes_from_plan_to_retirement_and_the_ledger_replays(tmp_path: Path) -> None:
    plan = keep(tmp_path, "plan", "plan", *QUESTION, *SLOPES)
    assert plan["selected_provider"]["provider_id"] == "method:local-standards"
    seen = keep(tmp_path, "receipt", "execute", "plan.json")
    refs = [source["source_ref"] for source in seen["receipt"]["sources"]]
    assert refs == ["urn:cn-standard:GB%2050330-2013", "urn:cn-standard:GB%2050330-2002"]
    admission = keep(tmp_path, "admission", "admit", "receipt.json", *ADMIT, "--admit-source", refs[0])
    early = keep(tmp_path, "early", "retire", "admission.json", status=1)
    assert (early["status"], early["missing_downstream_source_refs"]) == ("retained", refs[:1])
    unwritten = keep(tmp_path, "unwritten", "readback", "admission.json", status=1)
    assert unwritten["downstream_source_refs"] == []
    assert not (tmp_path / ".external-evidence" / "dossiers").exists()
    written = keep(tmp_path, "written", "readback", "--execute", "admission.json")
    assert (written["downstream_source_refs"], written["write_blockers"]) == (refs[:1], [])
    assert keep(tmp_path, "retired", "retire", "admission.json")["status"] == "retire_ready"
    report = clean(tmp_path)
    assert [report[name] for name in ("plans", "receipts", "admissions", "retired")] == [1, 1, 1, 1]
    [document] = (tmp_path / ".external-evidence" / "dossiers").glob("*.md")
    assert "建筑边坡工程技术规范" in document.read_text(encoding="utf-8")
    # The same again: the same answers, no record, and nothing new after retirement.
    again = {
        "plan": ("plan", *QUESTION, *SLOPES),
        "receipt": ("receipt", "plan.json", "receipt.json"),
        "admission": ("admit", "receipt.json", *ADMIT, "--admit-source", refs[0]),
        "written": ("readback", "--execute", "admission.json"),
        "retired": ("retire", "admission.json"),
    }
    for name, arguments in again.items():
        done = run(*arguments, cwd=tmp_path)
        assert (done.status, done.out) == (0, (tmp_path / f"{name}.json").read_bytes()), name
    assert clean(tmp_path) == report
    assert admission["admission_id"] == written["parent_admission"]["admission_id"]
    late = run("execute", "plan.json", cwd=tmp_path)
    assert (late.status, late.error["rule"]) == (3, "nothing-after-retirement")
    assert clean(tmp_path) == report


def test_one_artifact_may_come_from_stdin(tmp_path: Path, quick: Forking) -> None:
    keep_quick = partial(keep, call=quick)
    request = {
        "objective": "o",
        "user_activity": "u",
        "decision": "d",
        "evidence_kinds": ["standard_status"],
        "search_terms": ["GB 50330-2013"],
    }
    raw = json.dumps(request).encode()
    plan = keep_quick(tmp_path, "plan", "plan", "--request", "-", stdin=raw)
    (tmp_path / "request.json").write_bytes(raw)
    assert keep_quick(tmp_path, "plan", "plan", "--request", "request.json") == plan
    options = ("--objective", "o", "--user-activity", "u", "--decision", "d", *SLOPES)
    assert keep_quick(tmp_path, "plan", "plan", *options, "--evidence-kind", "standard_status") == plan
    observed = json.dumps(
        keep_quick(tmp_path, "receipt", "execute", "-", stdin=json.dumps(plan).encode())
    ).encode()
    assert keep_quick(tmp_path, "same", "receipt", "plan.json", "-", stdin=observed)
    decided = keep_quick(
        tmp_path, "admission", "admit", "plan.json", "-", *ADMIT, "--all-sources", stdin=observed
    )
    admission = json.dumps(decided).encode()
    keep_quick(
        tmp_path, "readback", "readback", "plan.json", "receipt.json", "-", "--execute", stdin=admission
    )
    assert keep_quick(tmp_path, "retired", "retire", "-", stdin=admission)["retire_ready"]
    assert clean(tmp_path, call=quick)["retired"] == 1


def test_a_later_decision_withdraws_the_earlier_projection(tmp_path: Path, quick: Forking) -> None:
    keep_quick = partial(keep, call=quick)
    keep_quick(tmp_path, "plan", "plan", *QUESTION, *SLOPES)
    seen = keep_quick(tmp_path, "receipt", "execute", "plan.json")
    first, second = (source["source_ref"] for source in seen["receipt"]["sources"])
    keep_quick(tmp_path, "a", "admit", "receipt.json", *ADMIT, "--admit-source", first)
    keep_quick(tmp_path, "seen", "readback", "a.json", "--execute")
    other = ("admit", "receipt.json", "--decision", "admit", "--reason", "另一版", "--admit-source", second)
    refused = quick(*other, cwd=tmp_path)
    assert (refused.status, refused.error["rule"]) == (3, "one-decision-in-force")
    b = keep_quick(tmp_path, "b", *other, "--supersede")
    keep_quick(tmp_path, "b", *other, "--supersede")
    withdrawn = quick("readback", "a.json", "--execute", cwd=tmp_path)
    assert (withdrawn.status, withdrawn.error["rule"]) == (3, "decision-in-force")
    assert quick("retire", "a.json", cwd=tmp_path).status == 3
    assert keep_quick(tmp_path, "seen", "readback", "b.json", "--execute")["downstream_source_refs"] == [
        second
    ]
    [document] = (tmp_path / ".external-evidence" / "dossiers").glob("*.md")
    text = document.read_text(encoding="utf-8")
    assert "withdrawn" in text
    assert b["admission_id"] in text
    rejected = ("admit", "receipt.json", "--decision", "reject", "--reason", "不用了", "--supersede")
    keep_quick(tmp_path, "c", *rejected)
    nothing = keep_quick(tmp_path, "seen", "readback", "c.json", "--execute")
    assert (nothing["downstream_source_refs"], nothing["retirement"]["reason"]) == ([], "parent_rejected")
    assert keep_quick(tmp_path, "end", "retire", "c.json")["reason"] == "parent_rejected"
    assert clean(tmp_path, call=quick)["admissions"] == 3


def test_a_valid_but_negative_answer_exits_with_1(tmp_path: Path, quick: Forking) -> None:
    keep_quick = partial(keep, call=quick)
    blocked = keep_quick(tmp_path, "blocked", "plan", *QUESTION, "--no-builtin", status=1)
    assert (blocked["status"], blocked["blocker"]) == ("blocked", "no_ready_provider")
    assert quick("execute", "blocked.json", cwd=tmp_path).status == 3
    keep_quick(tmp_path, "plan", "plan", *QUESTION, *NOWHERE)
    nothing = keep_quick(tmp_path, "receipt", "execute", "plan.json", status=1)
    assert nothing["status"] == "no_evidence"
    failed = nothing["receipt"] | {"status": "failed", "limitations": ["ran out of paper"]}
    (tmp_path / "failed.json").write_text(json.dumps(failed), encoding="utf-8")
    assert (
        keep_quick(tmp_path, "failed", "receipt", "plan.json", "failed.json", status=1)["status"] == "failed"
    )
    refused = quick("admit", "failed.json", *ADMIT, "--all-sources", cwd=tmp_path)
    assert refused.status == 3
    assert clean(tmp_path, call=quick)["receipts"] == 2


def test_a_source_that_cannot_be_written_is_a_blocker_and_stops_no_other(
    tmp_path: Path, quick: Forking
) -> None:
    keep_quick = partial(keep, call=quick)
    keep_quick(tmp_path, "plan", "plan", *QUESTION, *SLOPES)
    keep_quick(tmp_path, "receipt", "execute", "plan.json")
    keep_quick(tmp_path, "admission", "admit", "receipt.json", *ADMIT, "--all-sources")
    whole = keep_quick(tmp_path, "readback", "readback", "admission.json", "--execute")
    [store] = (tmp_path / ".external-evidence" / "dossiers").glob("*.sqlite3")
    connection = sqlite3.connect(store)
    connection.execute("UPDATE entry SET body = '{}' WHERE number = 1")
    connection.commit()
    connection.close()
    damaged = keep_quick(tmp_path, "damaged", "readback", "admission.json", status=1)
    assert len(damaged["write_blockers"]) == 1
    assert damaged["downstream_source_refs"] == whole["downstream_source_refs"][1:]
    assert keep_quick(tmp_path, "mended", "readback", "admission.json", "--execute") == whole
    clean(tmp_path, call=quick)


@pytest.mark.parametrize("algorithm", ["sha256", "blake3"])
def test_artifacts_alone_live_without_a_ledger_and_nothing_is_left_behind(
    tmp_path: Path, quick: Forking, algorithm: str
) -> None:
    keep_quick = partial(keep, call=quick)
    alone = ("--no-ledger",)
    plan = keep_quick(tmp_path, "plan", "plan", *QUESTION, *SLOPES, *alone, "--digest", algorithm)
    assert plan["plan_id"].startswith(f"{algorithm}:")
    seen = keep_quick(tmp_path, "receipt", "execute", "plan.json", *alone)
    admission = keep_quick(
        tmp_path, "admission", "admit", "plan.json", "receipt.json", *ADMIT, "--all-sources", *alone
    )
    ids = (seen["receipt_observation_id"], admission["receipt_digest"], admission["admission_id"])
    assert {identity.partition(":")[0] for identity in ids} == {algorithm}
    assert (
        keep_quick(tmp_path, "retained", "retire", "admission.json", *alone, status=1)["status"] == "retained"
    )
    word = [part for ref in admission["admitted_source_refs"] for part in ("--downstream-source", ref)]
    assert keep_quick(tmp_path, "retired", "retire", "admission.json", *alone, *word)["retire_ready"]
    assert not (tmp_path / ".external-evidence").exists()
    three = ("plan.json", "receipt.json", "admission.json")
    keep_quick(tmp_path, "readback", "readback", *three, *alone, "--execute", "--dossier", "kept")
    assert sorted(path.suffix for path in (tmp_path / "kept").iterdir()) == [".md", ".sqlite3"]
    assert not (tmp_path / ".external-evidence").exists()


def test_discovery_writes_nothing_anywhere(tmp_path: Path) -> None:
    keep(tmp_path, "plan", "plan", *QUESTION, *SLOPES)
    (tmp_path / "rows.json").write_text("[]", encoding="utf-8")
    home = tmp_path / "home"
    home.mkdir()
    before = files(tmp_path)
    done = run("discover", "--providers", "rows.json", cwd=tmp_path, environment={"HOME": str(home)})
    assert (done.status, done.answer["status"], done.err) == (0, "ready", b"")
    assert files(tmp_path) == before


@pytest.mark.req("source-checkout")
def test_the_command_line_and_the_typed_methods_work_from_a_source_checkout(tmp_path: Path) -> None:
    assert (ROOT / "pyproject.toml").is_file()

    def call(*arguments: str, stdin: bytes = b"") -> Any:
        command = [sys.executable, "-m", "evidence", *arguments]
        place = {"EXTERNAL_EVIDENCE_LEDGER": str(tmp_path / "ledger.sqlite3")}
        ended = subprocess.run(
            command, cwd=ROOT, env=around(place), input=stdin, capture_output=True, check=False
        )
        assert (ended.returncode, ended.stderr) == (0, b""), ended
        return json.loads(ended.stdout)

    plan = call("plan", *QUESTION, *SLOPES, "--digest", "sha256")
    assert call("execute", plan["plan_id"])["status"] == "succeeded"
    params = {"request": plan["request"], "providers": plan["provider_candidates"]}
    message = {"jsonrpc": "2.0", "id": 1, "method": "external_evidence.plan", "params": params}
    assert call("rpc", "--digest", "sha256", stdin=json.dumps(message).encode() + b"\n")["result"] == plan
    assert call("audit", "replay")["clean"]


def asked(folder: Path, call: Call) -> tuple[Any, str]:
    """A plan and its receipt in files, and the dossier's Markdown after both sources were projected."""
    keep(folder, "plan", "plan", *QUESTION, *SLOPES, call=call)
    seen = keep(folder, "receipt", "execute", "plan.json", call=call)
    keep(folder, "admission", "admit", "receipt.json", *ADMIT, "--all-sources", call=call)
    keep(folder, "written", "readback", "--execute", "admission.json", call=call)
    [document] = (folder / ".external-evidence" / "dossiers").glob("*.md")
    return seen, str(document)


def test_an_observation_that_somebody_changed_is_refused(tmp_path: Path, quick: Forking) -> None:
    seen, _ = asked(tmp_path, quick)
    seen["receipt"]["sources"][0]["finding"] += "。"
    (tmp_path / "changed.json").write_text(json.dumps(seen), encoding="utf-8")
    for words in (("receipt", "plan.json"), ("admit", "--decision", "reject", "--reason", "x")):
        done = quick(*words, "changed.json", cwd=tmp_path)
        assert (done.status, done.error["code"]) == (3, "identity_mismatch")
        assert done.error["subject"] == "receipt_observation.receipt_observation_id"


def test_a_rejection_withdraws_at_once_what_was_projected(tmp_path: Path, quick: Forking) -> None:
    _, document = asked(tmp_path, quick)
    keep(
        tmp_path,
        "no",
        "admit",
        "receipt.json",
        "--decision",
        "reject",
        "--reason",
        "不用",
        "--supersede",
        call=quick,
    )
    current, _, withdrawn = Path(document).read_text(encoding="utf-8").partition("## 已撤回")
    assert "urn:cn-standard" not in current
    assert withdrawn.count("### 已撤回") == 2
    assert keep(tmp_path, "end", "retire", "no.json", call=quick)["reason"] == "parent_rejected"
    clean(tmp_path, call=quick)


def test_an_edited_document_is_told_until_it_is_written_anew(tmp_path: Path, quick: Forking) -> None:
    _, document = asked(tmp_path, quick)
    text = Path(document).read_text(encoding="utf-8")
    Path(document).write_text(text.replace("废止", "现行"), encoding="utf-8")
    [blocker] = keep(tmp_path, "seen", "readback", "admission.json", status=1, call=quick)["write_blockers"]
    assert (blocker["code"], blocker["source_ref"]) == ("damaged", None)
    keep(tmp_path, "mended", "readback", "--execute", "admission.json", call=quick)
    assert Path(document).read_text(encoding="utf-8") == text


def test_sources_may_be_named_by_number_and_their_order_is_no_other_decision(
    tmp_path: Path, quick: Forking
) -> None:
    seen, _ = asked(tmp_path, quick)
    refs = [source["source_ref"] for source in seen["receipt"]["sources"]]
    chosen = ("--admit-source", "2", "--admit-source", refs[0])
    again = keep(tmp_path, "again", "admit", "receipt.json", *ADMIT, *chosen, call=quick)
    assert again == json.loads((tmp_path / "admission.json").read_bytes())


def test_without_a_ledger_its_dossiers_are_left_alone(tmp_path: Path, quick: Forking) -> None:
    asked(tmp_path, quick)
    words = ("readback", "--no-ledger", "--execute", "plan.json", "receipt.json", "admission.json")
    refused = quick(*words, cwd=tmp_path)
    assert (refused.status, refused.error["subject"]) == (2, "--dossier")
    assert quick(*words, "--dossier", "own", cwd=tmp_path).status == 0
