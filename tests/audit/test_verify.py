"""Every word of `audit verify`, with an anchor and without one; the one-file verifier says the same."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from evidence.verify import DOCTOR, verify
from ledger import standalone
from ledger.anchor import Anchor
from ledger.checkpoint import Checkpoint
from ledger.keys import Signer
from ledger.proof import prove
from ledger.sqlite_readonly import open_readonly
from ledger.tree import EMPTY_ROOT
from ledger.witness import Witness
from schemas.errors import NotFoundError
from tests.audit.cuts import CUTS
from tests.audit.histories import MATRIX, OTHER, Change, History, erased, make, no_records, torn
from tests.ledger.carried import carry, filler, put
from tests.ledger.signing import ORIGIN, cosigner, opened, secret, signer
from tests.ledger.steps import Ticking, edit, made, reachable

ROOT = Path(__file__).resolve().parents[2]
SIGN_IS_MISSING = "signatures need the extra [sign] (pip install '.[sign]' in a checkout of the project)"


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return make(tmp_path_factory.mktemp("history"))


def words(path: Path, history: History) -> tuple[str, str, str]:
    policy, kept = history.policy.read_bytes(), history.checkpoint.read_bytes()
    told = (verify(path), verify(path, policy), verify(path, None, [kept]))
    return str(told[0].verdict), str(told[1].verdict), str(told[2].verdict)


@pytest.mark.parametrize(
    ("change", "bare", "policy", "kept"),
    [*MATRIX, *CUTS],
    ids=[row[0].__name__ for row in (*MATRIX, *CUTS)],
)
def test_each_history_gets_its_word_and_the_one_file_verifier_agrees(
    history: History, tmp_path: Path, change: Change, bare: str, policy: str, kept: str
) -> None:
    copy = tmp_path / "copy.sqlite3"
    change(history, copy)
    assert words(copy, history) == (bare, policy, kept)
    alone = [
        standalone.verify(copy),
        standalone.verify(copy, history.policy),
        standalone.verify(copy, None, [history.checkpoint]),
    ]
    assert [report["verdict"] for report in alone] == [bare, policy, kept]


def test_nothing_is_written_where_the_ledger_lies(history: History) -> None:
    before = {one: one.stat().st_mtime_ns for one in history.ledger.parent.rglob("*")}
    words(history.ledger, history)
    assert {one: one.stat().st_mtime_ns for one in history.ledger.parent.rglob("*")} == before


def test_an_older_checkpoint_a_proof_and_a_witness_each_hold(history: History, tmp_path: Path) -> None:
    file = tmp_path / "witness.json"
    who = cosigner("witness.example/w1")
    with open_readonly(history.ledger).read() as reader:
        proof = prove(reader, 3)
        note = reader.last_checkpoint()
        assert note is not None
        cosigned = Witness(file, who, Ticking()).update(note, [signer().verifier], lambda _old, _new: ())
    assert proof is not None
    against = [history.early.read_bytes(), bytes(proof), file.read_bytes()]
    report = verify(history.ledger, None, against).to_wire()
    assert (report["verdict"], [str(one).split(" ")[0] for one in list(report["anchored_by"])]) == (  # type: ignore[call-overload]
        "VERIFIED",
        ["checkpoint", "proof", "witness"],
    )
    quorum = f"log {signer().verifier}\nwitness w1 {who.verifier}\nquorum w1\n".encode()
    assert verify(history.ledger, quorum).verdict == "CANNOT-VERIFY"
    assert verify(history.ledger, quorum, [cosigned]).verdict == "VERIFIED"
    assert verify(history.ledger, quorum, [file.read_bytes()]).anchored_by[-1].startswith("policy")


def test_a_proof_of_another_record_is_doubted(history: History) -> None:
    with open_readonly(history.ledger).read() as reader:
        proof = prove(reader, 3, 20)
    assert proof is not None
    moved = bytes(proof._replace(seq=4))
    report = verify(history.ledger, None, [moved])
    assert report.verdict == "CANNOT-VERIFY"
    assert "record 4 is not in the tree" in report.reasons[0]


def test_what_is_of_another_log_or_of_nobody_known_is_doubted(history: History) -> None:
    policy = history.policy.read_bytes()
    _, stated = Checkpoint.of(history.checkpoint.read_bytes())
    elsewhere = stated._replace(origin="tests.example/else").signed(signer())
    by_other = stated.signed(OTHER)
    forged = bytes(stated.signed(signer())).replace(
        stated.text.encode(), stated.text.replace("23", "22").encode()
    )
    for kept in (elsewhere, by_other):
        assert verify(history.ledger, policy, [bytes(kept)]).verdict == "CANNOT-VERIFY"
    assert str(stated.size) == "23"
    assert "does not hold" in verify(history.ledger, None, [forged]).reasons[0]
    stranger = f"log {Signer.read(secret('tests.example/else')).verifier}\nquorum none\n".encode()
    assert "names no key" in verify(history.ledger, stranger).reasons[0]


@pytest.mark.parametrize(
    "kept", [b"", b"nothing", b"{}", b'{"schema_version":"external_evidence_witness_v0","logs":{}}']
)
def test_what_is_no_anchor_is_a_reason_and_no_failure_of_the_ledger(history: History, kept: bytes) -> None:
    report = verify(history.ledger, None, [kept])
    assert (report.verdict, report.findings, len(report.reasons)) == ("CANNOT-VERIFY", [], 1)


def test_a_policy_that_breaks_a_rule_verifies_nothing(history: History) -> None:
    assert "policy line 1" in verify(history.ledger, b"log nothing\n").reasons[0]


def test_no_records_are_verified_by_a_checkpoint_of_none_alone(history: History, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite3"
    no_records(history, copy)
    none = bytes(Checkpoint(ORIGIN, 0, EMPTY_ROOT).signed(signer()))
    assert verify(copy, None, [none]).verdict == "VERIFIED"
    assert verify(copy, history.policy.read_bytes(), [none]).verdict == "VERIFIED"
    report = verify(history.ledger, None, [none])
    assert (report.verdict, len(report.notes)) == ("UNANCHORED", 1)


@pytest.mark.parametrize(("log", "word"), [(ORIGIN, "VERIFIED"), ("tests.example/x", "CANNOT-VERIFY")])
def test_a_bundle_without_records_is_of_the_log_that_it_names(tmp_path: Path, log: str, word: str) -> None:
    bundle, kept = put(tmp_path / "l.bundle", [], log), tmp_path / "kept"
    kept.write_bytes(bytes(Checkpoint(ORIGIN, 0, EMPTY_ROOT).signed(signer())))
    assert verify(bundle, None, [kept.read_bytes()]).verdict == word
    assert standalone.verify(bundle, None, [kept])["verdict"] == word


def test_a_ledger_without_a_key_is_unanchored_and_no_policy_can_change_that(
    history: History, tmp_path: Path
) -> None:
    plain = carry(tmp_path, signed=False)
    assert verify(plain.sqlite).verdict == "UNANCHORED"
    assert verify(plain.sqlite, history.policy.read_bytes()).verdict == "CANNOT-VERIFY"
    assert verify(made(tmp_path / "bare", 0), history.policy.read_bytes()).findings[0].field == "key"


def test_what_stands_before_a_cut_is_still_judged(history: History, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite3"
    torn(history, copy)
    report = verify(copy, None, [history.checkpoint.read_bytes()])
    assert report.facts.records > 5
    assert (report.torn, report.log) == (
        f"the file has {copy.stat().st_size} of its {history.ledger.stat().st_size} bytes",
        ORIGIN,
    )
    raw = bytearray(copy.read_bytes())
    at = raw.index(b'"actor":"')
    raw[at + 9] ^= 1
    copy.write_bytes(raw)
    assert verify(copy).verdict == "TAMPERED"
    copy.write_bytes(history.ledger.read_bytes()[:200])
    assert (verify(copy).verdict, verify(copy).facts.records) == ("TORN", 0)


def test_without_its_last_byte_a_file_is_torn_and_has_all_records(history: History, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite3"
    copy.write_bytes(history.ledger.read_bytes()[:-1])
    report = verify(copy, None, [history.checkpoint.read_bytes()])
    assert (report.verdict, report.facts.records, len(report.anchored_by)) == ("TORN", 23, 1)


@pytest.mark.parametrize(
    ("sql", "word"),
    [
        ("CREATE TABLE more (x)", "TAMPERED"),
        ("UPDATE checkpoints SET note = x'00' WHERE size = 23", "TAMPERED"),
        ("UPDATE records SET raw = x'00' WHERE seq = 0", "TAMPERED"),
        ("PRAGMA user_version = 9", "CANNOT-VERIFY"),
        ("PRAGMA application_id = 9", "CANNOT-VERIFY"),
    ],
)
def test_what_makes_a_file_another_thing_than_a_ledger_is_told_apart(
    history: History, tmp_path: Path, sql: str, word: str
) -> None:
    copy = tmp_path / "copy.sqlite3"
    shutil.copyfile(history.ledger, copy)
    edit(copy, sql)
    assert words(copy, history) == (word, word, word)


def test_a_folder_or_a_name_that_no_file_can_have_cannot_be_verified(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "a\0b", tmp_path / ("x" * 300)):
        report = verify(path)
        assert (report.verdict, len(report.reasons)) == ("CANNOT-VERIFY", 1)


def test_a_ledger_that_is_in_use_is_verified_as_it_stands(tmp_path: Path) -> None:
    held = opened(tmp_path)
    held.append(filler(1))
    policy = f"log {signer().verifier}\nquorum none\n".encode()
    assert (tmp_path / "l.sqlite3-wal").stat().st_size
    report = verify(tmp_path / "l.sqlite3", policy)
    held.close()
    assert (report.verdict, report.facts.records) == ("VERIFIED", 2)


def test_a_file_that_may_not_be_read_cannot_be_verified(history: History) -> None:
    with reachable() as folder:
        copy = folder / "copy.sqlite3"
        shutil.copyfile(history.ledger, copy)
        copy.chmod(0)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        try:
            report = verify(copy)
        finally:
            if root:
                os.seteuid(0)
    assert (report.verdict, "cannot be read" in report.reasons[0]) == ("CANNOT-VERIFY", True)


def test_a_ledger_with_a_key_needs_what_verifies_signatures(history: History) -> None:
    script = (
        "import sys; sys.modules['cryptography'] = None\n"
        "from pathlib import Path\n"
        "from evidence.verify import verify\n"
        "told = verify(Path(sys.argv[1]))\n"
        "print(told.verdict, *told.reasons, *told.findings, sep='|', end='')"
    )
    command = [sys.executable, "-c", script, str(history.ledger)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout == f"CANNOT-VERIFY|{SIGN_IS_MISSING}"


def test_a_bundle_is_verified_as_its_ledger_is(tmp_path: Path) -> None:
    carried = carry(tmp_path)
    policy = carried.policy.read_bytes()
    assert verify(carried.bundle).verdict == "UNANCHORED"
    assert verify(carried.bundle, policy, [carried.checkpoint.read_bytes()]).verdict == "VERIFIED"


def test_a_witness_is_asked_for_the_log_that_is_read() -> None:
    with pytest.raises(NotFoundError):
        Anchor.read(b'{"schema_version":"external_evidence_witness_v0","logs":{}}', ORIGIN)


def test_wherever_an_honest_ledger_is_cut_both_verifiers_read_as_much_of_it(
    history: History, tmp_path: Path
) -> None:
    whole, copy = tmp_path / "whole", tmp_path / "copy.sqlite3"
    erased(history, whole)
    raw, policy = whole.read_bytes(), history.policy.read_bytes()
    told = verify(whole, policy)
    for size in (*range(4096, len(raw), 4096), len(raw) - 1):
        copy.write_bytes(raw[:size])
        told, alone = verify(copy, policy), standalone.verify(copy, history.policy)
        assert (told.verdict, told.findings) == (alone["verdict"], alone["findings"]) == ("TORN", [])
        assert (told.facts.records, told.head) == (alone["records"], alone["head"])
        assert set(told.notes) - {DOCTOR} <= set(alone["notes"])
    assert told.facts.records == 25
    assert "may have told that it was erased" in " ".join(told.notes)


def test_of_a_cut_ledger_with_small_pages_or_of_before_the_tree_nothing_is_held_against_what_is_left(
    history: History, tmp_path: Path
) -> None:
    small, older, copy = tmp_path / "small", tmp_path / "older", tmp_path / "copy.sqlite3"
    shutil.copyfile(history.ledger, small)
    with closing(sqlite3.connect(small, isolation_level=None)) as connection:
        for sql in ("PRAGMA journal_mode = DELETE", "PRAGMA page_size = 512", "VACUUM"):
            connection.execute(sql)
    dump = Path(__file__).resolve().parents[1] / "ledger" / "layout1.sql"
    with closing(sqlite3.connect(older)) as connection:
        connection.executescript(dump.read_text(encoding="utf-8"))
    for ledger in (small, older):
        raw, broken = ledger.read_bytes(), set(verify(ledger).findings)  # the older one is of no schemas
        for size in (
            512,
            1024,
            20480,
            24576,
            27648,
            *range(1536, len(raw), max(4096, len(raw) // 24)),
            len(raw) - 1,
        ):
            copy.write_bytes(raw[:size])
            told, alone = verify(copy), standalone.verify(copy)
            assert set(told.findings) <= broken
            word = "RULE-BROKEN" if told.findings else "TORN"
            assert (str(told.verdict), alone["verdict"]) == (word, word)
            assert told.facts.records == alone["records"]
