"""The auditor's commands that tell what a ledger says: show, diff, report, export."""

import json
import shutil
from pathlib import Path

import pytest

from ledger.keys import generate, store
from tests.audit.telling import body_of, take_away
from tests.doors.command import run
from tests.doors.forking import Forking

LEDGER = Path(".external-evidence") / "ledger.sqlite3"


@pytest.fixture
def here(lived: Path, tmp_path: Path) -> Path:
    shutil.copytree(lived / ".external-evidence", tmp_path / ".external-evidence")
    return tmp_path


def test_show_gives_the_artifact_of_any_id(lived: Path, quick: Forking) -> None:
    plan = json.loads((lived / "plan.json").read_text(encoding="utf-8"))
    done = quick("audit", "show", plan["plan_id"][:20], cwd=lived)
    assert (done.status, done.answer["artifact"], done.answer["kind"]) == (0, plan, "plan_id")
    record = quick("audit", "show", done.answer["records"][0]["id"], cwd=lived)
    assert record.answer["records"] == done.answer["records"][:1]
    text = quick("audit", "show", plan["plan_id"], "--format", "text", cwd=lived)
    assert "目标 objective: 施工方案引用的规范是否现行？" in text.out.decode()
    assert f"请求编号 request id: {plan['request']['request_id']}" in text.out.decode()


def test_show_says_what_is_wrong_with_the_id_or_the_body(here: Path, quick: Forking) -> None:
    assert (
        quick("audit", "show", "zz", cwd=here).status,
        quick("audit", "show", "999", cwd=here).status,
    ) == (2, 4)
    digest = body_of(here / LEDGER, "plan.created")
    take_away(here / LEDGER, digest)
    done = quick("audit", "show", digest, cwd=here)
    assert (done.status, done.answer["body"], done.answer["artifact"]) == (5, "missing", None)


def test_diff_compares_two_states_of_one_ledger(lived: Path, quick: Forking) -> None:
    last = quick("audit", "verify", cwd=lived).answer["records"] - 1
    done = quick("audit", "diff", "@0", f"@{last}", cwd=lived)
    assert (done.status, done.answer["relation"]) == (0, "extends")
    assert done.answer["only_in_b"]["admitted"]
    text = quick("audit", "diff", f"{LEDGER}@0", str(LEDGER), "--format", "text", cwd=lived)
    assert "B 续写 A" in text.out.decode()
    same = quick("audit", "diff", str(LEDGER), "@2099-01-01T00:00:00Z", cwd=lived)
    assert same.answer["relation"] == "same"
    beyond = quick("audit", "diff", "@99999", "@100000", cwd=lived)
    assert (beyond.status, beyond.error["code"]) == (4, "not_found")


def test_the_user_of_a_url_is_no_state_and_a_state_may_stand_behind_one(lived: Path, quick: Forking) -> None:
    for url in ("postgresql://user@127.0.0.1:1/db", "postgresql://user@12", "postgresql://127.0.0.1:1/db@7"):
        done = quick("audit", "diff", str(LEDGER), url, cwd=lived)
        assert done.status == 75, done.err
        assert b"percent" not in done.err


def test_diff_of_two_histories_is_a_negative_answer(lived: Path, here: Path, quick: Forking) -> None:
    whole = (here / "admission.json", lived / "admission.json")
    shutil.copyfile(whole[1], whole[0])
    odd = here / "an@odd name.sqlite3"
    shutil.copyfile(here / LEDGER, odd)
    for path, order in ((here / LEDGER, ("admit", "reject")), (odd, ("reject", "admit"))):
        for one in order[:1]:
            receipt = str(lived / "receipt.json")
            given = ("--decision", one, "--reason", f"再看 {one}", "--supersede", "--ledger", str(path))
            refs = ("--admit-source", "1") if one == "admit" else ()
            assert quick("admit", receipt, *given, *refs, cwd=here).status == 0
    done = quick("audit", "diff", str(LEDGER), odd.name, cwd=here)
    assert (done.status, done.answer["relation"]) == (1, "forked")
    assert done.answer["only_in_b"]["rejected"]
    assert quick("audit", "diff", "@yesterday", "@1", cwd=here).status == 2
    assert quick("audit", "diff", "nowhere.sqlite3", "@1", cwd=here).status == 4


def test_report_is_written_in_the_form_that_the_name_says(here: Path, quick: Forking) -> None:
    for name, start in (
        ("r.html", "<!DOCTYPE html>"),
        ("r.md", "# 外部证据审计报告"),
        ("r.json", '{"schema_version":"external_evidence_report_v0"'),
    ):
        done = quick("audit", "report", "-o", name, cwd=here)
        assert (done.status, done.out, done.err) == (0, b"", b"")
        assert (here / name).read_text(encoding="utf-8").startswith(start)
    assert sorted(path.name for path in here.glob("*r.*")) == ["r.html", "r.json", "r.md"]


def test_report_goes_to_stdout_and_speaks_english(lived: Path, quick: Forking) -> None:
    assert quick("audit", "report", cwd=lived).answer["replay"]["clean"] is True
    done = quick("audit", "report", "--format", "md", "--lang", "en", cwd=lived)
    assert done.out.decode().startswith("# External evidence audit report\n")
    assert quick("audit", "report", "--format", "pdf", cwd=lived).status == 2
    assert (
        quick("audit", "report", "-o", "r.pdf", cwd=lived).error["message"]
        == "no report is written as '.pdf'"
    )
    assert not (lived / "r.pdf").exists()


def test_a_report_is_not_written_over_a_file_without_force(here: Path, quick: Forking) -> None:
    (here / "r.md").write_text("mine", encoding="utf-8")
    assert quick("audit", "report", "-o", "r.md", cwd=here).error["code"] == "conflict"
    assert (here / "r.md").read_text(encoding="utf-8") == "mine"
    assert quick("audit", "report", "-o", "r.md", "--force", cwd=here).status == 0
    assert (here / "r.md").read_text(encoding="utf-8").startswith("# ")
    assert quick("audit", "report", "-o", "no/r.md", cwd=here).status == 4
    (here / "folder.md").mkdir()
    assert quick("audit", "report", "-o", "folder.md", "--force", cwd=here).error["code"] == "storage"
    assert not list(here.glob(".*.new"))


def test_a_report_of_a_ledger_that_does_not_hold_is_written_and_says_so(here: Path, quick: Forking) -> None:
    take_away(here / LEDGER, body_of(here / LEDGER, "receipt.observed"), b"{}")
    done = quick("audit", "report", "--format", "md", cwd=here)
    assert done.status == 1
    assert "被改动：" in done.out.decode()
    assert "the ledger does not pass: TAMPERED; " in done.err.decode()
    assert "record 9 body: " in done.err.decode()
    page = quick("audit", "report", "--format", "html", cwd=here)
    assert 'data-verdict="TAMPERED"' in page.out.decode()


def test_a_report_gives_the_verdict_of_verify_against_what_is_trusted(tmp_path: Path, quick: Forking) -> None:
    named = ("--new-key", "--origin", "tests.example/l", "--ledger")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        begun = quick("ledger", "init", "--key", f"{name}/k.key", *named, f"{name}/l", cwd=tmp_path)
        (tmp_path / name / "policy").write_text(begun.answer["policy"], encoding="utf-8")
    for policy, status, word in (("a/policy", 0, "VERIFIED"), ("b/policy", 1, "TAMPERED")):
        done = quick("audit", "report", "--ledger", "a/l", "--policy", policy, cwd=tmp_path)
        assert (done.status, done.answer["verification"]["verdict"]) == (status, word)
        verified = quick("audit", "verify", "--ledger", "a/l", "--policy", policy, cwd=tmp_path)
        assert verified.answer == done.answer["verification"]
    alone = quick("audit", "report", "--ledger", "a/l", cwd=tmp_path)
    assert (alone.status, alone.answer["verification"]["verdict"]) == (0, "UNANCHORED")
    (tmp_path / "empty").write_bytes(b"")
    no_policy = quick("audit", "report", "--policy", "empty", "--ledger", "a/l", cwd=tmp_path)
    assert (no_policy.status, no_policy.answer["verification"]["verdict"]) == (2, "CANNOT-VERIFY")
    assert b"the file is empty" in no_policy.err
    assert quick("audit", "report", "--policy", "none", "--ledger", "a/l", cwd=tmp_path).status == 2


def test_of_a_ledger_that_was_cut_a_report_is_written_and_the_rest_points_to_verify(
    here: Path, quick: Forking
) -> None:
    whole = (here / LEDGER).read_bytes()
    (here / LEDGER).write_bytes(whole[: len(whole) // 2])
    done = quick("audit", "report", cwd=here)
    assert (done.status, done.answer["verification"]["verdict"]) == (4, "TORN")
    assert f"{len(whole) // 2} of its {len(whole)} bytes" in done.err.decode()
    shown = quick("audit", "show", "0", cwd=here)
    assert (shown.status, shown.out) == (5, b"")
    assert "audit verify" in shown.error["hint"]


def test_export_writes_prov_and_in_toto(lived: Path, here: Path, quick: Forking) -> None:
    plan = json.loads((lived / "plan.json").read_text(encoding="utf-8"))["plan_id"]
    document = quick("audit", "export", "prov", "--plan", plan[:16], cwd=here).answer
    assert plan in document["entity"]
    assert quick("audit", "export", "prov", cwd=here).answer["entity"].keys() == document["entity"].keys()
    stated = quick("audit", "export", "in-toto", cwd=here).answer
    assert stated["_type"] == "https://in-toto.io/Statement/v1"
    store(here / "my.key", generate("tests.example/auditor"))
    signed = quick("audit", "export", "in-toto", "--key", "my.key", "--plan", plan, "-o", "e.json", cwd=here)
    assert (signed.status, signed.out) == (0, b"")
    envelope = json.loads((here / "e.json").read_text(encoding="utf-8"))
    assert envelope["payloadType"] == "application/vnd.in-toto+json"
    assert quick("audit", "export", "prov", "--plan", "ffffffffffff", cwd=here).status == 4


def test_nothing_is_exported_or_signed_of_a_ledger_that_does_not_hold(here: Path, quick: Forking) -> None:
    take_away(here / LEDGER, body_of(here / LEDGER, "receipt.observed"))
    store(here / "my.key", generate("tests.example/auditor"))
    for kind in (("prov",), ("in-toto",), ("in-toto", "--key", "my.key")):
        done = quick("audit", "export", *kind, "-o", "out", cwd=here)
        assert (done.status, done.error["code"]) == (5, "integrity")
        assert "does not hold: record" in done.error["message"]
        assert not (here / "out").exists()


def test_a_beginning_that_two_plans_share_is_ambiguous(here: Path, quick: Forking) -> None:
    question = ("--objective", "另一问", "--user-activity", "审查", "--decision", "d", "--evidence-kind", "k")
    assert quick("plan", *question, cwd=here).status in (0, 1)
    done = quick("audit", "export", "prov", "--plan", "blake3:", cwd=here)
    assert done.error["code"] == "ambiguous"


def test_the_commands_of_the_auditor_write_nothing_beside_the_ledger(here: Path) -> None:
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    for command in (
        ("show", "0"),
        ("diff", "@1", "@2"),
        ("report",),
        ("export", "prov"),
        ("export", "in-toto"),
    ):
        assert run("audit", *command, cwd=here).status == 0
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == before
