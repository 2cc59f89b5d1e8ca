"""The one-file verifier on keys, restorals, erased bodies, tiles folders and old or odd files."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from io import StringIO
from pathlib import Path

import pytest

from ledger import standalone
from ledger.bundle import BundleLog
from ledger.checkpoint import Checkpoint
from ledger.custody import restore, rotate
from ledger.keyring import restoral_text, rotation_text
from ledger.keyring import written as signature_of
from ledger.signature_check import signature_breaks
from schemas.ledger import read_raw
from tests.ledger.carried import (
    Carried,
    Step,
    alone,
    carry,
    filler,
    found,
    items,
    packed,
    put,
    rechained,
    steps,
    verdict,
)  # fmt: skip
from tests.ledger.signing import ORIGIN, opened, signer, signing
from tests.ledger.steps import append, edit
from tests.ledger.test_layouts import __file__ as layouts

ONE, TWO = signer(), signer(salt="2")


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Carried:
    return carry(tmp_path_factory.mktemp("signed"))


@pytest.fixture(scope="module")
def tended(tmp_path_factory: pytest.TempPathFactory) -> Carried:
    """A log whose key was changed and an older copy of which was put back."""
    folder = tmp_path_factory.mktemp("tended")
    ledger = opened(folder)
    append(ledger, filler(1))
    ledger.close()
    shutil.copyfile(folder / "l.sqlite3", folder / "older")
    ledger = opened(folder)
    append(ledger, filler(2))
    ledger.close()
    shutil.copyfile(folder / "older", folder / "l.sqlite3")
    ledger = opened(folder)
    restore(ledger, "me", "lost")
    rotate(ledger, signing(folder / "keys", "2"), "me")
    return packed(folder, ledger)


def of_kind(whole: list[Step], kind: str) -> int:
    return next(seq for seq, one in enumerate(whole) if one.kind == kind)


def test_a_log_with_a_rotation_and_a_restoral_is_clean(tended: Carried) -> None:
    for path in (tended.sqlite, tended.bundle, tended.tiles):
        assert verdict(path, policy=tended.policy) == "VERIFIED"


def test_a_fork_that_no_restoral_gave_up_is_not_excused(tended: Carried, tmp_path: Path) -> None:
    fork = tmp_path / "fork"
    fork.write_bytes(bytes(Checkpoint(ORIGIN, 2, bytes(32)).signed(ONE)))
    report = standalone.verify(tended.bundle, tended.policy, [fork])
    other = "record 3, a signed ledger.restored, gave up a checkpoint of 3 records"
    assert (report["verdict"], report["notes"]) == ("FORKED", [other])


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("key.rotated", "origin", "tests.example/else"),
        ("key.rotated", "old_key", str(TWO.verifier)),
        ("key.rotated", "new_key", "nonsense"),
        ("key.rotated", "new_key", str(signer("tests.example/else").verifier)),
        ("key.rotated", "signature", "AAAA"),
        ("key.rotated", "signature", "A"),
        ("ledger.restored", "origin", "tests.example/else"),
        ("ledger.restored", "key", str(TWO.verifier)),
        ("ledger.restored", "published", "another"),
        ("ledger.restored", "signature", "AAAAAAA="),
        ("ledger.restored", "reason", ""),
    ],
)
def test_custody_that_was_edited_and_hashed_again_is_seen_there_by_both(
    tended: Carried, tmp_path: Path, kind: str, name: str, value: str
) -> None:
    whole = steps(items(tended.bundle))
    seq = of_kind(whole, kind)
    whole[seq] = whole[seq].stating({**json.loads(whole[seq].body), name: value})
    path = put(tmp_path / "x.bundle", rechained(whole))
    told, first, _ = found(path)
    assert (told in ("TAMPERED", "RULE-BROKEN"), first) == (True, seq)
    with BundleLog(path).read() as reader:
        assert list(signature_breaks(reader)) != []


def test_a_rotation_signed_by_another_key_or_in_a_log_without_one_is_seen(
    tended: Carried, tmp_path: Path
) -> None:
    whole = steps(items(tended.bundle))
    seq = of_kind(whole, "key.rotated")
    record = read_raw(whole[seq].raw)
    text = rotation_text(ORIGIN, seq, record.prev, str(TWO.verifier))
    forged = {**json.loads(whole[seq].body), "signature": signature_of(TWO.sign(text))}
    path = put(
        tmp_path / "x.bundle", rechained([*whole[:seq], whole[seq].stating(forged), *whole[seq + 1 :]])
    )
    assert found(path) == ("TAMPERED", seq, "signature")
    keyless = whole[0].stating({**json.loads(whole[0].body), "key": None})
    told, first, field = found(put(path, rechained([keyless, *whole[1:]])))
    assert (told, first, field) == ("TAMPERED", of_kind(whole, "ledger.restored"), "key")
    assert restoral_text(ORIGIN, seq, record.prev, "x") != text


def test_a_log_whose_first_key_is_none_or_anothers_is_seen(signed: Carried, tmp_path: Path) -> None:
    whole = steps(items(signed.bundle))
    for key in ("nonsense", str(signer("tests.example/else").verifier)):
        opening = whole[0].stating({**json.loads(whole[0].body), "key": key})
        told, seq, field = found(put(tmp_path / "x.bundle", rechained([opening, *whole[1:]])))
        assert (told, seq, field) == ("TAMPERED", 0, "key")


def test_a_body_of_another_size_than_its_record_says_or_in_another_form_is_seen(
    signed: Carried, tmp_path: Path
) -> None:
    whole = steps(items(signed.bundle))
    record = read_raw(whole[-1].raw)
    held = items(signed.bundle)
    longer = record.replace(body=record.body.replace(size=7)).canonical()
    assert found(put(tmp_path / "x", [*held[:-2], ("record", longer)]))[2] == "body.size"
    for body in (whole[-1].body + b" ", b"\xff", b"[]", b"1.5", b'{"a":1}'):
        last = whole[-1]._replace(body=body)
        assert found(put(tmp_path / "x", rechained([*whole[:-1], last], ONE)))[1] == len(whole) - 1


def many(folder: Path) -> Carried:
    ledger = opened(folder)
    append(ledger, *(filler(number) for number in range(600)))
    return packed(folder, ledger)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Carried:
    return many(tmp_path_factory.mktemp("large"))


def test_a_folder_of_several_tiles_is_verified(large: Carried) -> None:
    report = standalone.verify(large.tiles, large.policy)
    assert (report["verdict"], report["records"]) == ("VERIFIED", 601)


def longer(name: str, more: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes() + more)


def shorter(name: str, less: int) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:-less])


def gone(*some: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        for name in some:
            (folder / name).unlink()

    return change


def older(folder: Path) -> None:
    shorter("tile/entries/002.p/89", 1)(folder)
    (folder / "tile/entries/002.p/89").rename(folder / "tile/entries/002.p/88")


FOLDERS: dict[str, tuple[Callable[[Path], object], str, int | None]] = {
    "no last entries": (gone("tile/entries/002.p/89"), "TORN", 512),
    "no entries but the first": (gone("tile/entries/001", "tile/entries/002.p/89"), "TORN", 256),
    "no middle entries": (gone("tile/entries/001"), "TAMPERED", 256),
    "no last files": (gone("tile/entries/002.p/89", "tile/0/002.p/89", "tile/1/000.p/2"), "TORN", 512),
    "entries cut in a record": (shorter("tile/entries/002.p/89", 1), "TORN", 600),
    "entries of an older checkpoint": (older, "TORN", 600),
    "more after the entries": (longer("tile/entries/002.p/89", b"x"), "TAMPERED", 601),
    "more after the hashes": (longer("tile/0/000", b"x"), "TAMPERED", 601),
    "no hashes": (gone("tile/0/001"), "TAMPERED", 601),
    "upper hashes cut": (shorter("tile/1/000.p/2", 32), "TAMPERED", 601),
    "no checkpoint": (gone("checkpoint"), "CANNOT-VERIFY", None),
}


@pytest.mark.parametrize("what", FOLDERS)
def test_a_folder_with_something_cut_missing_or_more_has_its_verdict(
    large: Carried, tmp_path: Path, what: str
) -> None:
    change, expected, records = FOLDERS[what]
    folder = tmp_path / "tiles"
    shutil.copytree(large.tiles, folder)
    change(folder)
    report = standalone.verify(folder, large.policy)
    assert (report["verdict"], report.get("records")) == (expected, records)


def test_a_folder_whose_checkpoint_was_converted_or_left_out_says_so(large: Carried, tmp_path: Path) -> None:
    note = (large.tiles / "checkpoint").read_bytes()
    (tmp_path / "checkpoint").write_bytes(note.replace(b"\n", b"\r\n"))
    for why in ("(the file has CRLF line ends; save it with LF)", "it has no file called checkpoint"):
        report = standalone.verify(tmp_path)
        assert report["verdict"] == "CANNOT-VERIFY"
        assert report["reasons"][0].endswith(why)
        (tmp_path / "checkpoint").unlink(missing_ok=True)


def test_a_folder_where_a_file_belongs_is_no_file(large: Carried, tmp_path: Path) -> None:
    folder = tmp_path / "tiles"
    shutil.copytree(large.tiles, folder)
    (folder / "tile/0/001").unlink()
    (folder / "tile/0/001").mkdir()
    assert verdict(folder, policy=large.policy) == "TAMPERED"
    shutil.rmtree(folder / "bodies")
    (folder / "bodies").write_text("a file")
    assert found(folder, policy=large.policy)[2] == "body"


def test_a_ledger_of_before_the_tree_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((Path(layouts).parent / "layout1.sql").read_text(encoding="utf-8"))
    report = standalone.verify(path)
    assert (report["verdict"], report["records"]) == ("RULE-BROKEN", 7)  # its schema was never registered
    assert {one["field"] for one in report["findings"]} == {"body.schema"}


def test_a_left_over_rollback_file_is_read_with_its_ledger_elsewhere(signed: Carried, tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    shutil.copyfile(signed.sqlite, path)
    (tmp_path / "l.sqlite3-journal").write_bytes(b"no journal")
    assert verdict(path, policy=signed.policy) == "VERIFIED"
    assert (tmp_path / "l.sqlite3-journal").read_bytes() == b"no journal"


def test_a_write_ahead_file_that_spoils_what_cannot_be_read_anyway_is_not_blamed(
    signed: Carried, tmp_path: Path
) -> None:
    path = tmp_path / "l.sqlite3"
    shutil.copyfile(signed.sqlite, path)
    edit(path, "UPDATE records SET kind = 'x' WHERE seq = 3")
    (tmp_path / "l.sqlite3-wal").write_bytes(b"no write-ahead file")
    assert verdict(path) == "TAMPERED"


def test_a_temporary_folder_that_is_not_there_is_a_reason(
    signed: Carried, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "l.sqlite3"
    shutil.copyfile(signed.sqlite, path)
    (tmp_path / "l.sqlite3-wal").write_bytes(b"no write-ahead file")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    assert standalone.verify(path)["verdict"] == "CANNOT-VERIFY"


def test_the_command_line_in_this_process_prints_what_it_prints_alone(
    signed: Carried, tmp_path: Path
) -> None:
    for more in ([], ["--json"]):
        out = StringIO()
        arguments = ["verify", str(signed.bundle), "--policy", str(signed.policy), *more]
        assert standalone.main(arguments, out) == 0
        assert alone(tmp_path, *arguments)[1] == out.getvalue()


def test_a_hostile_text_moves_no_cursor(signed: Carried, tmp_path: Path) -> None:
    held = items(signed.bundle)
    put(tmp_path / "x", [("record", b'"\x1b[2J\xe2\x80\xae"'), *held])
    text = standalone.told(standalone.verify(tmp_path / "x"))
    assert "首个问题 first failure" in text
    assert text.replace("\n", "").isprintable()
    report = standalone.verify(put(tmp_path / "y", held, "\x1b[2J"))
    assert "\x1b" not in standalone.told(report)


def test_many_findings_are_cut_off_and_the_report_says_so(tmp_path: Path) -> None:
    report = standalone.verify(put(tmp_path / "x", [("record", b"{}")] * 1200))
    assert (len(report["findings"]), report["findings_truncated"]) == (1000, True)
