"""`audit verify` and its neighbours through the command line: word, exit code, what others can check."""

import json
import shutil
from pathlib import Path

import pytest

from ledger.proof import Proof
from ledger.sqlite_readonly import open_readonly
from ledger.tree import verify_consistency
from schemas.ledger import read_raw
from tests.audit.cuts import CUTS
from tests.audit.histories import MATRIX, Change, History, make
from tests.doors.command import Done
from tests.doors.forking import Forking
from tests.ledger.carried import carry
from tests.ledger.signing import ORIGIN, opened, signer
from tests.ledger.steps import made

CODES = {
    "VERIFIED": 0,
    "TAMPERED": 1,
    "FORKED": 1,
    "RULE-BROKEN": 1,
    "CANNOT-VERIFY": 2,
    "UNANCHORED": 3,
    "TORN": 4,
}


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return make(tmp_path_factory.mktemp("history"))


@pytest.mark.parametrize(
    ("change", "bare", "policy", "kept"),
    [*MATRIX, *CUTS],
    ids=[row[0].__name__ for row in (*MATRIX, *CUTS)],
)
def test_each_history_gets_its_word_and_its_exit_code(
    history: History, tmp_path: Path, quick: Forking, change: Change, bare: str, policy: str, kept: str
) -> None:
    copy = tmp_path / "copy.sqlite3"
    change(history, copy)
    trusted, against = ("--policy", history.policy), ("--against", history.checkpoint)
    asked: list[tuple[str, tuple[str | Path, ...]]] = [(bare, ()), (policy, trusted), (kept, against)]
    for word, options in asked:
        done = quick("audit", "verify", "--ledger", copy, *options, cwd=tmp_path)
        told = done.answer
        assert (done.status, told["verdict"], told["exit_code"]) == (CODES[word], word, CODES[word])
        assert (told["first_finding"] is not None) == (done.status == 1)
        assert told["limit"].startswith("A ledger cannot show what was never appended")


def verified(quick: Forking, history: History, *options: str | Path) -> Done:
    return quick(
        "audit", "verify", "--ledger", history.ledger, "--format", "text", *options, cwd=history.policy.parent
    )


def test_the_text_says_word_ground_failure_and_limit_in_both_languages(
    history: History, tmp_path: Path, quick: Forking
) -> None:
    text = verified(quick, history, "--policy", "policy", "--against", "early").out.decode()
    assert text.startswith("账本核实 Ledger verification: 已核实 VERIFIED\n")
    assert "依据 anchored by: 22 条记录的检查点 checkpoint of 22 records" in text
    assert "局限 limit: 账本不能证明从未写入的内容" in text
    for change, word in ((MATRIX[3][0], "被改动 TAMPERED"), (MATRIX[14][0], "尾部不全 TORN")):
        copy = tmp_path / f"{change.__name__}.sqlite3"
        change(history, copy)
        done = quick("audit", "verify", "--ledger", copy, "--format", "text", cwd=tmp_path)
        assert word in done.out.decode()
        assert ("× 记录 record 8" in done.out.decode()) == (change is MATRIX[3][0])


def test_text_of_many_failures_ends_somewhere_and_unknown_records_are_named(
    history: History, tmp_path: Path, quick: Forking
) -> None:
    from tests.ledger.steps import edit

    copy = tmp_path / "copy.sqlite3"
    shutil.copyfile(history.ledger, copy)
    edit(copy, "DELETE FROM bodies")
    text = quick("audit", "verify", "--ledger", copy, "--format", "text", cwd=tmp_path).out.decode()
    assert "all findings: --format json" in text
    assert "CANNOT-INTERPRET: 22" in verified(quick, history).out.decode()


def test_a_file_that_is_not_there_is_a_wrong_call(history: History, tmp_path: Path, quick: Forking) -> None:
    big = tmp_path / "big"
    with big.open("wb") as file:
        file.truncate(64 << 20)
    for option, name in (
        ("--policy", "nowhere"),
        ("--against", "nowhere"),
        ("--against", big),
        ("--against", tmp_path),
    ):
        done = quick("audit", "verify", "--ledger", history.ledger, option, name, cwd=tmp_path)
        assert (done.status, done.error["code"], done.error["subject"]) == (2, "usage", option)


def test_a_bundle_is_verified_too(tmp_path: Path, quick: Forking) -> None:
    carried = carry(tmp_path)
    done = quick("audit", "verify", "--ledger", carried.bundle, "--policy", carried.policy, cwd=tmp_path)
    assert (done.status, done.answer["verdict"]) == (0, "VERIFIED")


def test_a_checkpoint_is_printed_and_kept(history: History, tmp_path: Path, quick: Forking) -> None:
    done = quick("audit", "checkpoint", "--ledger", history.ledger, cwd=tmp_path)
    assert (done.status, done.out) == (0, history.checkpoint.read_bytes())
    early = quick(
        "audit", "checkpoint", "--size", "22", "--ledger", history.ledger, "-o", "kept", cwd=tmp_path
    )
    assert (early.status, early.out) == (0, b"")
    assert (tmp_path / "kept").read_bytes() == history.early.read_bytes()
    far = quick("audit", "checkpoint", "--size", "99", "--ledger", history.ledger, cwd=tmp_path)
    assert (far.status, far.error["code"]) == (4, "not_found")
    made(tmp_path / "plain", 1)
    for command in (("checkpoint",), ("prove", "0")):
        plain = quick("audit", *command, "--ledger", "plain", cwd=tmp_path)
        assert (plain.status, plain.error["subject"]) == (4, "checkpoint")


def test_a_proof_is_found_by_number_and_by_id(history: History, tmp_path: Path, quick: Forking) -> None:
    def proved(named: str) -> Done:
        return quick("audit", "prove", named, "--ledger", history.ledger, cwd=tmp_path)

    with open_readonly(history.ledger).read() as reader:
        raw = reader.raw(7)
        plan = read_raw(reader.of_kind("plan.created")[-1][1]).subject.plan_id or ""
        first, _ = reader.of_subject(plan)[0]
    assert raw is not None
    proof = Proof.read(proved("7").out)
    assert proof.check(raw).origin == ORIGIN
    record = quick("audit", "show", "7", "--ledger", history.ledger, cwd=tmp_path).answer["records"][0]
    assert Proof.read(proved(record["id"]).out) == proof == Proof.read(proved("seq:7").out)
    assert Proof.read(proved(plan).out).seq == first
    for wrong in ("99", "9" * 20, "seq:" + "9" * 20, "blake3:" + "0" * 64):
        assert proved(wrong).status == 4, wrong


def test_two_sizes_or_kept_checkpoints_are_proved_consistent(
    history: History, tmp_path: Path, quick: Forking
) -> None:
    def asked(a: str | Path, b: str | Path, *options: str) -> Done:
        return quick("audit", "consistency", a, b, "--ledger", history.ledger, *options, cwd=tmp_path)

    from base64 import b64decode

    told = asked("5", "23").answer
    path = [b64decode(one) for one in told["proof"]]
    old, new = (b64decode(told[name]["root"]) for name in ("old", "new"))
    assert verify_consistency(5, old, 23, new, path)
    assert asked(history.early, "23").status == asked(history.early, history.checkpoint).status == 0
    text = asked("5", "23", "--format", "text").out.decode()
    assert text.startswith("一致 consistent: 5 → 23")
    assert (asked("23", "5").status, asked("5", "99").status, asked("5", "9" * 30).status) == (2, 4, 4)
    forked = tmp_path / "forked"
    MATRIX[5][0](history, forked)
    other = quick("audit", "checkpoint", "--ledger", forked, "-o", "other", cwd=tmp_path)
    assert other.status == 0
    assert (asked(history.early, "other").status, asked("5", "other").answer["consistent"]) == (1, False)
    assert "not consistent" in asked("5", "other", "--format", "text").out.decode()
    text, _, signatures = history.early.read_text().rpartition("\n\n")
    begins, root = text[:-44], text[-44:]
    changed = {"damaged": f"{begins}{'B' if root[0] == 'A' else 'A'}{root[1:]}", "foreign": text}
    for name, body in changed.items():  # no word against the ledger
        signed = f"\n\n{signatures}" if name == "damaged" else f"\n\n— other.example/l {'A' * 92}\n"
        (tmp_path / name).write_text(body + signed)
        done = asked(name, "23")
        assert (done.status, done.error["code"], done.out) == (5, "integrity", b"")
    later = quick("audit", "checkpoint", "--size", "2", "--ledger", history.ledger, cwd=tmp_path)
    exact = later.out.decode().splitlines()[1]
    assert (later.status, exact != "2") == (0, b"none was signed of 2 records" in later.err)
    again = quick("audit", "checkpoint", "--size", exact, "--ledger", history.ledger, cwd=tmp_path)
    assert (again.out, again.err) == (later.out, b"")
    short = quick("audit", "consistency", "5", history.checkpoint, "--ledger", history.backup, cwd=tmp_path)
    assert short.status == 4
    carry(tmp_path / "else", signed=False)
    alien = quick("audit", "consistency", history.early, "5", "--ledger", "else/l.sqlite3", cwd=tmp_path)
    assert (alien.status, alien.error["code"]) == (5, "integrity")
    MATRIX[17][0](history, tmp_path / "none")
    assert quick("audit", "consistency", "0", "0", "--ledger", "none", cwd=tmp_path).status == 4


def test_a_witness_signs_what_grows_and_refuses_what_does_not(
    history: History, tmp_path: Path, quick: Forking
) -> None:
    key = ("--witness-key", "w.key")

    def update(ledger: Path, *options: str | Path) -> Done:
        arguments = ("w.json", *key, "--ledger", ledger, *options)
        return quick("audit", "witness", "update", *arguments, cwd=tmp_path)

    def status(ledger: Path, *options: str | Path) -> Done:
        return quick("audit", "witness", "status", "w.json", *options, "--ledger", ledger, cwd=tmp_path)

    policy = ("--policy", history.policy)
    assert (status(history.ledger, *key).status, update(history.ledger).status) == (4, 2)
    first = update(history.backup, "--new-key", "witness.example/w1", *policy)
    assert (first.status, b"witness.example/w1" in first.out) == (0, True)
    told = status(history.backup, *key).answer
    assert told["logs"][0]["ledger"] == "same"
    asked = f"witness witness.example/w1 {told['key']}\nquorum witness.example/w1\n"
    assert told["policy"] == asked
    assert first.err.decode().endswith(f":\n{asked}")  # said when it is made, and by `status` again
    assert status(history.backup, *key, "--format", "text").out.decode().endswith(f":\n{asked}")
    lines = history.policy.read_text().replace("quorum none\n", asked)
    (tmp_path / "quorum").write_text(lines)
    asks = ("audit", "verify", "--policy", "quorum", "--ledger", history.backup)
    assert quick(*asks, cwd=tmp_path).answer["verdict"] == "CANNOT-VERIFY"
    assert quick(*asks, "--against", "w.json", cwd=tmp_path).answer["verdict"] == "VERIFIED"
    grown = status(history.ledger, *key, "--format", "text")
    assert (grown.status, "the ledger has grown" in grown.out.decode()) == (0, True)
    assert update(history.ledger, *policy, "-o", "cosigned").status == 0
    late = status(history.backup, *key)
    assert (late.status, late.answer["logs"][0]["ledger"]) == (1, "shorter")
    forked = tmp_path / "forked"
    MATRIX[5][0](history, forked)
    assert (status(forked, *key).status, status(forked, *key).answer["logs"][0]["ledger"]) == (1, "forked")
    for refused in (history.backup, forked):
        done = update(refused, *policy)
        assert (done.status, done.error["code"]) == (5, "integrity")
    plain = made(tmp_path / "plain", 1)
    assert update(plain, *policy).status == 4
    carry(tmp_path / "else", signed=False)
    assert status(tmp_path / "else" / "l.sqlite3", *key).answer["logs"][0]["ledger"] == "another log"
    against = quick(
        "audit",
        "verify",
        "--ledger",
        history.ledger,
        "--against",
        "w.json",
        "--against",
        "cosigned",
        cwd=tmp_path,
    )
    assert (against.status, len(against.answer["anchored_by"])) == (0, 2)


def test_a_witness_is_known_by_the_policy_too(history: History, tmp_path: Path, quick: Forking) -> None:
    words = ("witness", "update", "w.json", "--witness-key", "w.key", "--new-key", "witness.example/w1")
    note = quick("audit", *words, "--policy", history.policy, "--ledger", history.ledger, cwd=tmp_path)
    assert note.status == 0
    from ledger.keys import load
    from tests.ledger.signing import cosigner

    log = f"log {signer().verifier}\n"
    other, own = cosigner("witness.example/w2").verifier, load(tmp_path / "w.key").verifier
    (tmp_path / "both").write_text(f"{log}witness a {other}\nwitness b {own}\nquorum b\n")
    (tmp_path / "none").write_text(f"{log}quorum none\n")
    (tmp_path / "wrong").write_text(f"{log}witness a {other}\nquorum none\n")

    def status(policy: str) -> int:
        arguments = ("w.json", "--policy", policy, "--ledger", history.ledger)
        return quick("audit", "witness", "status", *arguments, cwd=tmp_path).status

    assert (status("both"), status("none"), status("wrong")) == (0, 2, 5)


def test_a_ledger_whose_key_changed_is_still_witnessed_and_verified_by_who_knew_the_first(
    tmp_path: Path, quick: Forking
) -> None:
    from ledger.custody import rotate
    from tests.ledger.signing import signing

    held = opened(tmp_path)
    rotate(held, signing(tmp_path / "keys", "2"), "tester")
    held.close()
    (tmp_path / "policy").write_text(f"log {signer().verifier}\nquorum none\n")
    ledger = ("--ledger", "l.sqlite3")
    words = (
        "witness",
        "update",
        "w.json",
        "--witness-key",
        "w.key",
        "--new-key",
        "w.example/w",
        "--policy",
        "policy",
    )
    assert quick("audit", *words, *ledger, cwd=tmp_path).status == 0
    done = quick("audit", "verify", "--policy", "policy", "--against", "w.json", *ledger, cwd=tmp_path)
    assert (done.status, len(done.answer["keys"])) == (0, 2)
    assert json.loads((tmp_path / "w.json").read_bytes())["logs"].keys() == {ORIGIN}


@pytest.mark.parametrize("row", CUTS, ids=[row[0].__name__ for row in CUTS])
def test_a_report_of_what_is_left_has_the_word_of_verify(
    history: History, tmp_path: Path, quick: Forking, row: tuple[Change, str, str, str]
) -> None:
    change, _, word, _ = row
    copy = tmp_path / "copy.sqlite3"
    change(history, copy)
    asked = ("audit", "report", "--ledger", copy, "--policy", history.policy)
    if word == "CANNOT-VERIFY" or change.__name__.startswith("other_tables"):  # nothing of it can be read
        assert quick(*asked, cwd=tmp_path).status == 5
        return
    done = quick(*asked, cwd=tmp_path)
    assert (done.status, done.answer["verification"]["verdict"]) == (CODES[word], word)
    page = quick(*asked, "--format", "md", "--lang", "en", cwd=tmp_path)
    assert (page.status, ("Torn: the end is cut off" in page.out.decode())) == (CODES[word], word == "TORN")
    assert f"the ledger does not pass: {word}; " in page.err.decode()
