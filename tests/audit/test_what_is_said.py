"""What verify, replay and doctor say beside the word: restorals, cuts, converted files, keys of later on."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from evidence.doctor import Asked, look
from evidence.rendering.doctor_text import render as doctor_text
from evidence.rendering.replay_text import render as replay_text
from evidence.rendering.verify_text import render as verify_text
from evidence.replayed import replay_log
from evidence.verify import verify
from ledger import standalone
from ledger.bundle import write_bundle
from ledger.custody import restore, rotate
from ledger.forms import open_log
from ledger.keyring import restoral_text, written
from ledger.signing import Signing
from schemas.errors import UsageError
from tests.audit.histories import History, last_note, make
from tests.ledger.carried import filler
from tests.ledger.signing import ORIGIN, opened, secret, signer, signing
from tests.ledger.steps import append
from tests.ledger.test_custody import custom, restoral

POLICY = f"log {signer().verifier}\nquorum none\n".encode()
GAVE_UP = "a signed ledger.restored, gave up a checkpoint of 4 records"


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return make(tmp_path_factory.mktemp("history"))


@pytest.fixture(scope="module")
def restored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose ledger gave up a checkpoint of four records, which `kept` is."""
    folder = tmp_path_factory.mktemp("restored")
    ledger = opened(folder)
    append(ledger, filler(1))
    ledger.close()
    shutil.copyfile(folder / "l.sqlite3", folder / "older")
    ledger = opened(folder)
    append(ledger, filler(2), filler(3))
    ledger.close()
    (folder / "kept").write_bytes(last_note(folder / "l.sqlite3"))
    shutil.copyfile(folder / "older", folder / "l.sqlite3")
    ledger = opened(folder)
    restore(ledger, "me", "the disk was lost")
    append(ledger, filler(4), filler(5))
    ledger.close()
    return folder


def apart(path: Path, folder: Path, policy: bytes | None = None, *kept: bytes) -> dict[str, Any]:
    """What the verifier in one file says of the same."""
    files = []
    for number, content in enumerate([policy or b"", *kept]):
        (folder / f"apart{number}").write_bytes(content)
        files.append(folder / f"apart{number}")
    return standalone.verify(path, files[0] if policy else None, files[1:])


def test_a_signed_restoral_is_told_to_who_has_a_policy_only(restored: Path, tmp_path: Path) -> None:
    path = restored / "l.sqlite3"
    told = verify(path, POLICY)
    assert str(told.verdict) == "VERIFIED"
    [note] = told.notes
    assert note == f"record 3, {GAVE_UP}"
    chinese = "有签名的恢复记录放弃了一个见过的检查点（第 3 号记录，4 条记录的检查点）"
    assert f"  说明 note: {chinese} record 3, a signed" in verify_text(told.to_wire())
    report = apart(path, tmp_path, POLICY)
    assert (report["verdict"], report["notes"]) == ("VERIFIED", [note])
    answer = replay_log(path).to_wire()
    assert (answer["verdict"], note in answer["notes"]) == (None, True)  # type: ignore[operator]
    assert "有签名的恢复记录" in replay_text(answer)
    assert note not in replay_log(path, at="2").to_wire()["notes"]  # type: ignore[operator]


def test_who_kept_the_checkpoint_that_was_given_up_is_told_that_it_is_that_one(
    restored: Path, tmp_path: Path
) -> None:
    path, kept = restored / "l.sqlite3", (restored / "kept").read_bytes()
    told = verify(path, POLICY, [kept])
    assert (str(told.verdict), told.notes) == (
        "FORKED",
        [f"record 3, {GAVE_UP}, which is the one that was kept"],
    )
    assert "正是您留存的这一个" in verify_text(told.to_wire())
    assert apart(path, tmp_path, POLICY, kept)["notes"] == told.notes
    [cause] = look(path, Asked(None, None, (restored / "kept",))).causes
    assert (cause.code, cause.evidence[2:]) == ("other-history", tuple(told.notes))


def test_of_a_file_that_was_cut_it_is_said_how_far_it_could_be_judged(
    history: History, tmp_path: Path
) -> None:
    raw = history.ledger.read_bytes()
    none = "no record before the cut could be read"
    lost = "the body of record 20 was lost with the tail"
    chain = f"{lost}; from there on only the chain of the records was checked"
    cut = tmp_path / "cut"
    for size, note, chinese in (
        (4096, none, "截断处之前没有读得出的记录"),
        (len(raw) - 4096, chain, "第 20 号记录的正文随尾部丢失；从这里起只核对了记录的哈希链"),
    ):
        cut.write_bytes(raw[:size])
        told, answer = verify(cut), replay_log(cut)
        assert (str(told.verdict), str(answer.verdict)) == ("TORN", "TORN")
        assert (told.facts.records == 0, answer.told.records == 0) == (size == 4096, size == 4096)
        assert all(note in notes for notes in (told.notes, answer.notes, standalone.verify(cut)["notes"]))
        assert f"{chinese} {note}" in verify_text(told.to_wire())
    assert verify(cut).not_derived == standalone.verify(cut)["not_derived"] == [20, 21, 22]


def test_a_replay_says_what_it_was_compared_with(history: History) -> None:
    early, last = history.early.read_bytes(), history.checkpoint.read_bytes()
    wire = replay_log(history.ledger, believed=early, policy=POLICY).to_wire()
    notes = [str(one) for one in wire["notes"]]  # type: ignore[attr-defined]
    assert notes[0] == "compared with the checkpoint of 22 records, and with nothing else outside the ledger"
    assert not [one for one in notes if "nothing outside" in one]
    assert "已与留存的 22 条记录的检查点比对" in replay_text(wire)
    assert "计划 plans" in replay_text(wire)
    wire = replay_log(history.ledger, believed=last).to_wire()
    assert "no record comes after that checkpoint: there was no step to derive again" in str(wire["notes"])
    text = replay_text(wire)
    assert "检查点之后没有新的记录" in text
    assert "计划 plans" not in text
    assert "也不能证明末尾没有被截断" in text


CONVERTED = [
    (lambda raw: raw.replace(b"\n", b"\r\n"), "the file has CRLF line ends; save it with LF"),
    (lambda raw: b"\xef\xbb\xbf" + raw, "the file begins with a byte order mark"),
    (
        lambda raw: b"\xef\xbb\xbf" + raw.replace(b"\n", b"\r\n"),
        "byte order mark and has CRLF line ends; save",
    ),
    (lambda raw: raw.decode().encode("utf-16"), "the file is in UTF-16; save it as UTF-8"),
]


@pytest.mark.parametrize(("convert", "cause"), CONVERTED, ids=range(len(CONVERTED)))
def test_a_converted_policy_or_checkpoint_or_proof_says_what_was_done_to_it(
    history: History, tmp_path: Path, convert: Any, cause: str
) -> None:
    from ledger.proof import prove

    with open_log(history.ledger).read() as reader:
        proof = prove(reader, 3)
    for policy, kept in (
        (convert(POLICY), b""),
        (None, convert(history.checkpoint.read_bytes())),
        (None, convert(bytes(proof or b""))),
    ):
        told = verify(history.ledger, policy, [kept] if kept else [])
        assert str(told.verdict) == "CANNOT-VERIFY"
        assert cause in told.reasons[0]
        assert told.reasons[0].count(cause) == 1
        report = apart(history.ledger, tmp_path, policy, *([kept] if kept else []))
        assert (report["verdict"], cause in report["reasons"][0]) == ("CANNOT-VERIFY", True), report[
            "reasons"
        ]


def test_a_whole_log_is_no_checkpoint(history: History, tmp_path: Path) -> None:
    with open_log(history.ledger).read() as reader, (tmp_path / "b").open("wb") as out:
        write_bundle(reader, out)
    for whole in ((tmp_path / "b").read_bytes(), history.ledger.read_bytes()):
        told = verify(history.ledger, None, [whole])
        assert str(told.verdict) == "CANNOT-VERIFY"
        assert "this is a whole log" in told.reasons[0]
        assert "--ledger" in told.reasons[0]


def test_a_checkpoint_by_a_key_of_later_on_says_that_the_log_may_be_the_older_one(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    append(ledger, filler(1))
    ledger.close()
    shutil.copyfile(tmp_path / "l.sqlite3", tmp_path / "older")
    ledger = opened(tmp_path)
    rotate(ledger, signing(tmp_path / "keys", "2"), "me")
    ledger.append(filler(2))
    ledger.close()
    kept = last_note(tmp_path / "l.sqlite3")
    assert str(verify(tmp_path / "l.sqlite3", POLICY, [kept]).verdict) == "VERIFIED"
    told = verify(tmp_path / "older", POLICY, [kept])
    assert str(told.verdict) == "CANNOT-VERIFY"  # nobody can say whose signature that is
    assert "the log has 2 records and may be from before the key was changed" in told.reasons[0]
    report = apart(tmp_path / "older", tmp_path, POLICY, kept)
    assert (report["verdict"], "may be from before the key was changed" in report["reasons"][0]) == (
        "CANNOT-VERIFY",
        True,
    )
    assert str(verify(tmp_path / "older", None, [kept]).verdict) == "TAMPERED"  # the auditor's own file


def test_a_key_that_only_has_the_name_is_never_harmless(history: History, tmp_path: Path) -> None:
    for text, said in ((secret(salt="forged"), True), (secret("else.example/log"), False)):
        key = tmp_path / "k"
        key.write_text(text)
        key.chmod(0o600)
        told = look(history.ledger, Asked(key))
        [cause] = told.causes
        assert (cause.code, any("written the ledger anew" in one for one in cause.evidence)) == (
            "key-wrong",
            said,
        )
        assert "不可当作无害" in doctor_text(told.to_wire())


def test_only_what_was_verified_on_a_copy_is_called_harmless(history: History, tmp_path: Path) -> None:
    for content in (b"PK\x03\x04rest", b"<!doctype html>", b"version https://git-lfs.github.com/spec/v1\n"):
        (tmp_path / "l").write_bytes(content)
        told = look(tmp_path / "l").to_wire()
        assert [one["benign"] for one in told["causes"]] == [None]  # type: ignore[attr-defined]
        assert "看不出是否有害，要看原文件" in doctor_text(told)
        assert "无害 harmless" not in doctor_text(told)
    (tmp_path / "l").write_bytes(history.ledger.read_bytes().replace(b"\n", b"\r\n"))
    told = look(tmp_path / "l").to_wire()
    assert [one["benign"] for one in told["causes"]] == [True]  # type: ignore[attr-defined]


def test_who_appends_with_the_key_of_before_is_told_which_file_to_name(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    rotate(ledger, signing(tmp_path / "keys", "2"), "me")
    ledger.close()
    for key, hint in (
        (signing(tmp_path / "keys"), "the key was changed; name the file of the new one, with --key"),
        (Signing(signer(salt="3")), "name the key file of this ledger"),
    ):
        ledger = opened(tmp_path, key)
        with pytest.raises(UsageError, match="is not the key in force") as caught:
            append(ledger, filler(9))
        assert hint in str(caught.value.hint)
        ledger.close()


def test_a_signed_restoral_of_what_is_no_checkpoint_is_not_told_as_one(tmp_path: Path) -> None:
    def given_up(seq: int, prev: str) -> dict[str, object]:
        text = restoral_text(ORIGIN, seq, prev, "nothing\n")
        signature = written(signer().sign(text))
        return restoral(seq, prev, published="nothing\n", signature=signature)

    ledger = opened(tmp_path)
    custom(ledger, "ledger.restored", given_up)
    ledger.close()
    path = tmp_path / "l.sqlite3"
    told = verify(path, POLICY)
    report = apart(path, tmp_path, POLICY)
    assert [one for one in (*told.notes, *report["notes"]) if "gave up" in one] == []
    assert [one.field for one in told.findings if one.field == "signature"] == []
