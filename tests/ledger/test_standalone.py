"""The one-file verifier by itself, as an auditor runs it (ledger.md section 5, issue of standalone.py)."""

import ast
import json
import os
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path, PosixPath
from typing import Any

import pytest

from evidence.audit import replay
from ledger import standalone
from ledger.bundle import BundleLog
from ledger.checkpoint import Checkpoint
from ledger.custody import restore, rotate
from ledger.proof import prove
from ledger.sqlite_readonly import open_readonly
from ledger.witness import Witness
from tests.ledger.carried import (
    Carried,
    alone,
    carry,
    everything,
    filler,
    live,
    packed,
    put,
    reported,
    verdict,
)
from tests.ledger.signing import ORIGIN, cosigner, opened, signer, signing
from tests.ledger.steps import Ticking, append, begin, powerless, reachable


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Carried:
    return carry(tmp_path_factory.mktemp("signed"))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Carried:
    return carry(tmp_path_factory.mktemp("plain"), signed=False)


def test_the_file_imports_the_standard_library_and_blake3_and_nothing_of_this_project() -> None:
    tree = ast.parse(Path(standalone.__file__).read_text(encoding="utf-8"))
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    outside = {name.partition(".")[0] for name in modules} - set(sys.stdlib_module_names)
    assert outside == {"blake3"}


@pytest.mark.parametrize("form", ["sqlite", "bundle", "tiles"])
def test_alone_with_a_policy_it_verifies_each_form_and_writes_nothing_there(
    signed: Carried, tmp_path: Path, form: str
) -> None:
    path = getattr(signed, form)
    before = everything(signed.folder)
    code, report = reported(tmp_path, path, "--policy", signed.policy)
    assert (code, report["verdict"], report["form"]) == (0, "VERIFIED", form)
    assert (report["findings"], report["cannot_interpret"], report["torn"]) == ([], [], None)
    assert (report["plans"], report["receipts"], report["admissions"], report["retired"]) == (2, 1, 2, 1)
    assert report["keys"] == [str(signer().verifier)]
    assert "never appended" in report["limit"]
    assert everything(signed.folder) == before
    code, report = reported(tmp_path, path)
    assert (code, report["verdict"]) == (3, "UNANCHORED")


def test_the_text_says_the_verdict_in_both_languages_and_the_limit(signed: Carried, tmp_path: Path) -> None:
    code, out, err = alone(tmp_path, "verify", signed.bundle, "--against", signed.checkpoint)
    assert (code, err) == (0, "")
    assert out.startswith("结论 verdict: 已核实 VERIFIED\n")
    assert "依据 anchored by: checkpoint of" in out
    assert out.splitlines()[-1].startswith("局限 limit: 账本不能证明从未写入的内容")


def test_it_explains_itself_and_a_wrong_call_is_told_apart(tmp_path: Path) -> None:
    code, out, _ = alone(tmp_path, "verify", "--help")
    assert (code, "--against FILE" in out) == (0, True)
    code, _, err = alone(tmp_path)
    assert (code, "usage:" in err) == (2, True)


def test_a_log_without_a_key_is_unanchored_and_cannot_meet_a_policy(plain: Carried) -> None:
    for path in (plain.sqlite, plain.bundle):
        assert verdict(path) == "UNANCHORED"
        assert verdict(path, policy=plain.policy) == "CANNOT-VERIFY"


def test_it_agrees_with_the_replay_of_the_project_on_clean_ledgers(signed: Carried, plain: Carried) -> None:
    for carried in (signed, plain):
        with BundleLog(carried.bundle).read() as reader, open_readonly(carried.sqlite).read() as stored:
            bundled, told = replay(reader).to_wire(), replay(stored).to_wire()
        assert bundled == told
        assert told["clean"]
        for path in (carried.sqlite, carried.bundle):
            report = standalone.verify(path)
            names = (
                "log",
                "records",
                "head",
                "plans",
                "receipts",
                "admissions",
                "retired",
                "cannot_interpret",
            )
            assert {name: report[name] for name in names} == {name: told[name] for name in names}


def test_every_proof_that_an_append_gave_anchors_the_log_that_grew_on(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    proofs = [done.proof or b"" for number in range(6) for done in ledger.append(filler(number))]
    carried = packed(tmp_path, ledger)
    for number, proof in enumerate(proofs):
        (tmp_path / "proof").write_bytes(proof)
        report = standalone.verify(carried.bundle, against=[tmp_path / "proof"])
        assert report["anchored_by"] == [f"proof of {number + 2} records"]


def test_a_witness_file_anchors_the_log_and_its_quorum_is_asked_for(signed: Carried, tmp_path: Path) -> None:
    key = cosigner("witness.example/w")
    witness = Witness(tmp_path / "witness.json", key, Ticking())
    with open_readonly(signed.sqlite).read() as reader:
        cosigned = witness.update(reader.last_checkpoint() or b"", [signer().verifier], lambda *_: ())
    policy = tmp_path / "policy"
    policy.write_text(f"log {signer().verifier}\nwitness w {key.verifier}\nquorum w\n")
    assert verdict(signed.bundle, policy=policy) == "CANNOT-VERIFY"
    assert verdict(signed.bundle, tmp_path / "witness.json", policy=policy) == "VERIFIED"
    assert verdict(signed.bundle, tmp_path / "witness.json") == "VERIFIED"
    (tmp_path / "cosigned").write_bytes(cosigned)
    assert verdict(signed.tiles, tmp_path / "cosigned", policy=policy) == "VERIFIED"
    (tmp_path / "other.json").write_text('{"schema_version":"external_evidence_witness_v0","logs":{}}')
    assert verdict(signed.bundle, tmp_path / "other.json") == "CANNOT-VERIFY"


def test_a_key_that_the_policy_names_vouches_for_the_keys_after_it(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    append(ledger, filler(1))
    rotate(ledger, signing(tmp_path / "keys", "2"), "me")
    append(ledger, filler(2))
    carried = packed(tmp_path, ledger)
    newer = tmp_path / "newer"
    newer.write_text(f"log {signer(salt='2').verifier}\nquorum none\n")
    third = tmp_path / "third"
    third.write_text(f"log {signer(salt='3').verifier}\nquorum none\n")
    for path in (carried.sqlite, carried.bundle, carried.tiles):
        assert verdict(path, policy=carried.policy) == verdict(path, policy=newer) == "VERIFIED"
        report = standalone.verify(path, third)
        assert report["keys"] == [str(signer().verifier), str(signer(salt="2").verifier)]
        assert report["first_finding"]["rule"].startswith("the log is signed by a key that the policy names")


def test_an_older_copy_that_went_on_is_forked_also_when_a_signed_record_says_so(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    append(ledger, filler(1))
    ledger.close()
    shutil.copyfile(tmp_path / "l.sqlite3", tmp_path / "older")
    ledger = opened(tmp_path)
    append(ledger, filler(2), filler(3))
    ledger.close()
    kept = tmp_path / "kept"
    shutil.copyfile(tmp_path / "keys" / "log.key.checkpoint", kept)
    shutil.copyfile(tmp_path / "older", tmp_path / "l.sqlite3")
    report = standalone.verify(tmp_path / "l.sqlite3", against=[kept])
    assert (report["verdict"], report["first_finding"]["field"]) == ("TAMPERED", "record")
    ledger = opened(tmp_path)
    restore(ledger, "me", "the disk was lost")
    append(ledger, *(filler(number) for number in range(4, 9)))
    carried = packed(tmp_path, ledger)
    for policy in (None, carried.policy):
        report = standalone.verify(carried.bundle, policy, [kept])
        assert (report["verdict"], report["exit_code"]) == ("FORKED", 1)
        [note] = report["notes"]
        assert note.endswith("gave up a checkpoint of 4 records, which is the one that was kept"), note
    assert verdict(carried.bundle, policy=carried.policy) == "VERIFIED"


def test_of_no_records_nothing_is_verified_but_by_an_anchor_of_no_records(
    signed: Carried, tmp_path: Path
) -> None:
    empty, none = put(tmp_path / "empty.bundle", []), tmp_path / "none"
    root = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    none.write_bytes(f"{ORIGIN}\n0\n{root}\n\n— {ORIGIN} AAAAAAA=\n".encode())
    assert verdict(empty) == "CANNOT-VERIFY"
    assert verdict(empty, none) == "VERIFIED"
    assert verdict(signed.bundle, none) == "UNANCHORED"  # it says nothing of any record
    assert verdict(empty, none, policy=policy_of(tmp_path)) == "CANNOT-VERIFY"


def policy_of(folder: Path) -> Path:
    (folder / "own").write_text(f"log {signer().verifier}\nquorum none\n")
    return folder / "own"


@pytest.mark.parametrize("name", ["a b", "100%25?x=1#y", "规范 账本", "sp\tace"])
def test_any_path_is_read(signed: Carried, tmp_path: Path, name: str) -> None:
    for source in (signed.sqlite, signed.bundle):
        shutil.copyfile(source, tmp_path / f"{name}{source.suffix}")
        assert verdict(tmp_path / f"{name}{source.suffix}", policy=signed.policy) == "VERIFIED"
    assert reported(tmp_path, tmp_path / f"{name}.sqlite3")[0] == 3


def test_what_is_not_there_or_none_of_the_forms_cannot_be_verified(signed: Carried, tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "text").write_text("hello")
    (tmp_path / "json").write_text('{"format":"other","log":"x"}\n')
    (tmp_path / "cut").write_bytes(signed.sqlite.read_bytes()[:50])
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("missing", "empty", "text", "json", "cut", "folder", "pipe", "text/x", "nul\0"):
        report = standalone.verify(tmp_path / name)
        assert (report["verdict"], report["exit_code"]) == ("CANNOT-VERIFY", 2), name
        assert len(report["reasons"]) == 1
    assert "CANNOT-VERIFY" in standalone.told(standalone.verify(tmp_path / "missing"))


@pytest.mark.parametrize("what", ["policy", "against"])
@pytest.mark.parametrize("content", [None, b"", b"nonsense", b"{}", b"[]", b"log x\n", b"\xff\n\n"])
def test_what_the_auditor_names_and_cannot_be_used_is_never_passed_over(
    signed: Carried, tmp_path: Path, what: str, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / "x").write_bytes(content)
    given = {"policy": tmp_path / "x"} if what == "policy" else {"against": [tmp_path / "x"]}
    report = standalone.verify(signed.bundle, **given)
    assert (report["verdict"], report["exit_code"]) == ("CANNOT-VERIFY", 2)


def test_an_anchor_of_another_log_or_by_another_key_is_no_anchor(signed: Carried, tmp_path: Path) -> None:
    _, last = Checkpoint.of(signed.checkpoint.read_bytes())
    other = tmp_path / "other"
    other.write_bytes(bytes(last._replace(origin="tests.example/else").signed(signer("tests.example/else"))))
    assert verdict(signed.bundle, other) == "CANNOT-VERIFY"
    strange = tmp_path / "strange"
    strange.write_bytes(bytes(last.signed(signer(salt="9"))))
    assert verdict(signed.bundle, strange) == "VERIFIED"  # the auditor kept it, whoever signed it
    assert verdict(signed.bundle, strange, policy=signed.policy) == "CANNOT-VERIFY"
    forged = tmp_path / "forged"
    forged.write_bytes(bytes(last._replace(size=last.size - 1).signed(signer())).replace(b"A", b"B"))
    assert verdict(signed.bundle, forged) == "CANNOT-VERIFY"


def test_a_proof_whose_path_leads_nowhere_is_no_anchor(signed: Carried, tmp_path: Path) -> None:
    with open_readonly(signed.sqlite).read() as reader:
        proof = prove(reader, 3)
    assert proof is not None
    (tmp_path / "proof").write_bytes(bytes(proof))
    assert verdict(signed.bundle, tmp_path / "proof", policy=signed.policy) == "VERIFIED"
    (tmp_path / "proof").write_bytes(bytes(proof._replace(seq=2)))
    assert verdict(signed.bundle, tmp_path / "proof") == "CANNOT-VERIFY"
    (tmp_path / "proof").write_bytes(bytes(proof._replace(path=proof.path * 9)))
    assert verdict(signed.bundle, tmp_path / "proof") == "CANNOT-VERIFY"
    (tmp_path / "proof").write_bytes(bytes(proof._replace(extra=b"more")))
    assert verdict(signed.bundle, tmp_path / "proof") == "VERIFIED"
    (tmp_path / "proof").write_bytes(bytes(proof._replace(path=proof.path * 40)))
    assert verdict(signed.bundle, tmp_path / "proof") == "CANNOT-VERIFY"
    (tmp_path / "proof").write_bytes(bytes(proof).replace(b"index", b"index "))
    assert verdict(signed.bundle, tmp_path / "proof") == "CANNOT-VERIFY"


def test_a_living_writers_records_are_read_and_nothing_is_written_beside_them(tmp_path: Path) -> None:
    with closing(begin(tmp_path / "living" / "l.sqlite3")) as ledger:
        append(ledger, *(filler(number) for number in range(5)))
        before = everything(tmp_path / "living")
        assert str(tmp_path / "living" / "l.sqlite3-wal") in before
        report = standalone.verify(tmp_path / "living" / "l.sqlite3")
        assert report["records"] == 6
        assert everything(tmp_path / "living") == before
        for tail in ("", "-wal"):
            shutil.copyfile(tmp_path / "living" / f"l.sqlite3{tail}", tmp_path / f"dead.sqlite3{tail}")
    assert standalone.verify(tmp_path / "dead.sqlite3")["records"] == 6
    (tmp_path / "dead.sqlite3-wal").unlink()
    assert standalone.verify(tmp_path / "dead.sqlite3")["records"] < 6


def test_a_foreign_write_ahead_file_is_left_out_and_the_tail_called_torn(
    signed: Carried, tmp_path: Path
) -> None:
    path = tmp_path / "l.sqlite3"
    shutil.copyfile(signed.sqlite, path)
    with closing(begin(tmp_path / "other.sqlite3")) as other:
        append(other, *(filler(number) for number in range(5)))
        shutil.copyfile(tmp_path / "other.sqlite3-wal", tmp_path / "l.sqlite3-wal")
    report = standalone.verify(path, signed.policy)
    assert (report["verdict"], report["exit_code"]) == ("TORN", 4)
    assert "l.sqlite3-wal does not fit and was left out" in report["torn"]
    assert report["records"] == standalone.verify(signed.bundle)["records"]
    assert "尾部 tail: l.sqlite3-wal" in standalone.told(report)
    with closing(sqlite3.connect(tmp_path / "strange")) as strange:
        strange.execute("PRAGMA journal_mode = WAL")
        strange.execute("CREATE TABLE x (y)")
        shutil.copyfile(tmp_path / "strange-wal", tmp_path / "l.sqlite3-wal")
    assert verdict(path, policy=signed.policy) == "TORN"
    (tmp_path / "l.sqlite3-wal").write_bytes(b"no write-ahead file")  # SQLite takes nothing from that
    assert verdict(path, policy=signed.policy) == "VERIFIED"


def test_on_a_read_only_disk_and_without_rights_it_reads_or_says_why_not(signed: Carried) -> None:
    with reachable() as folder:
        shutil.copyfile(signed.sqlite, folder / "l.sqlite3")
        shutil.copyfile(signed.bundle, folder / "l.bundle")
        with powerless(folder, folder / "l.sqlite3", folder / "l.bundle"):
            assert verdict(folder / "l.sqlite3") == verdict(folder / "l.bundle") == "UNANCHORED"
        (folder / "l.sqlite3-wal").write_bytes(b"not to be read")
        for name in ("l.sqlite3-wal", "l.sqlite3"):
            (folder / name).chmod(0)
            with powerless(folder):
                assert verdict(folder / "l.sqlite3") == "CANNOT-VERIFY"


def test_a_record_that_nobody_can_interpret_is_named_and_no_failure(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    live(ledger)
    append(ledger, filler(99))
    carried = packed(tmp_path, ledger)
    report = standalone.verify(carried.bundle, carried.policy)
    assert (report["verdict"], report["cannot_interpret"]) == ("VERIFIED", [report["records"] - 1])
    assert f"CANNOT-INTERPRET: 记录 record {report['records'] - 1}" in standalone.told(report)


def test_json_is_one_ascii_object(signed: Carried, tmp_path: Path) -> None:
    _, out, _ = alone(tmp_path, "verify", signed.bundle, "--json")
    assert out.isascii()
    assert json.loads(out)["schema_version"] == "external_evidence_verification_v0"


class Growing(PosixPath):
    """A file that is longer each time that somebody opens it."""

    def open(self, *given: Any, **named: Any) -> Any:
        with super().open("ab") as file:
            file.write(b"x")
        return super().open(*given, **named)


def test_a_file_that_changes_or_goes_each_time_it_is_copied_is_not_judged(tmp_path: Path) -> None:
    (tmp_path / "l").write_bytes(b"x")
    (tmp_path / "copy").mkdir()
    for path in (Growing(tmp_path / "l"), tmp_path / "absent"):
        with pytest.raises(standalone.CannotVerifyError, match="it changes while it is read"):
            standalone._copy(path, tmp_path / "copy", "l")
        assert list((tmp_path / "copy").iterdir()) == []


def test_its_command_ends_with_the_verdicts_code_also_where_nobody_can_be_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["standalone.py", "verify", str(tmp_path / "absent")])
    with (tmp_path / "told").open("w+", encoding="ascii") as told:
        monkeypatch.setattr(sys, "stdout", told)
        assert standalone.command() == 2
        told.seek(0)
        assert "CANNOT-VERIFY" in told.read()
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert standalone.command() == 2
    assert "the report cannot be written" in capfd.readouterr().err
    monkeypatch.setattr(sys, "stdout", None)
    assert standalone.command() == 2


class Restless(PosixPath):
    """A file that was written to each time that somebody looks."""

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        seen = super().stat(follow_symlinks=follow_symlinks)
        os.utime(self, ns=(seen.st_atime_ns, seen.st_mtime_ns + 1000))
        return super().stat(follow_symlinks=follow_symlinks)


def test_a_lone_file_that_is_written_to_while_it_is_read_is_not_judged(tmp_path: Path) -> None:
    begin(tmp_path / "l.sqlite3").close()
    report = standalone.verify(Restless(tmp_path / "l.sqlite3"))
    assert (report["verdict"], "it changes while it is read" in report["reasons"][0]) == (
        "CANNOT-VERIFY",
        True,
    )
