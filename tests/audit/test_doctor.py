"""The doctor names what happened to a ledger's files, never accuses a clean one and never excuses damage."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from evidence.doctor import Asked, look
from evidence.doctor_files import copies
from evidence.doctor_words import CAUSES, NOTES
from evidence.rendering.doctor_text import render
from ledger.bundle import write_bundle
from ledger.checkpoint import Checkpoint
from ledger.custody import rotate
from ledger.erasure import erase
from ledger.forms import open_log
from ledger.places import open_ledger, place
from ledger.signing import Signing
from ledger.sqlite import SqliteLedger
from ledger.tiles import export_tiles
from tests.audit.cuts import CUTS, body_under_its_new_digest_and_half_cut, other_key_and_cut
from tests.audit.diagnosing import codes, fine, notes, only, put, told_of
from tests.audit.edits import edit as one_byte
from tests.audit.histories import MATRIX, Change, History, commit, make
from tests.audit.lives import make as make_lives
from tests.ledger.carried import filler
from tests.ledger.signing import opened, secret, signing
from tests.ledger.steps import OPENING, Ticking, append, begin, edit
from tests.postgres import PASSWORD


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    history = make(tmp_path_factory.mktemp("history"))
    with open_log(history.ledger).read() as reader:
        with (history.ledger.parent / "l.bundle").open("wb") as out:
            write_bundle(reader, out)
        export_tiles(reader, history.ledger.parent / "tiles")
    return history


def bundle_of(history: History) -> Path:
    return history.ledger.parent / "l.bundle"


# clean


@pytest.mark.parametrize("seed", range(4))
def test_a_clean_ledger_of_random_lives_is_never_accused(tmp_path: Path, seed: int) -> None:
    path = make_lives(tmp_path / "l.sqlite3", 1 + seed, seed=seed)
    fine(look(path))
    with open_log(path).read() as reader, (tmp_path / "l.bundle").open("wb") as out:
        write_bundle(reader, out)
    fine(look(tmp_path / "l.bundle"))


def test_a_clean_ledger_with_a_key_is_not_accused_in_any_form_and_with_all_that_was_kept(
    history: History,
) -> None:
    asked = Asked(history.ledger.parent / "keys/log.key", history.policy, (history.checkpoint, history.early))
    for path in (history.ledger, bundle_of(history), history.ledger.parent / "tiles"):
        fine(look(path, asked))
        fine(look(path))


def test_a_ledger_in_use_or_left_by_a_writer_that_died_is_not_accused(tmp_path: Path) -> None:
    ledger = begin(tmp_path / "l.sqlite3")
    append(ledger, filler(1), filler(2))
    told = look(tmp_path / "l.sqlite3")
    fine(told)
    assert notes(told) == ["wal-in-use"]
    left = tmp_path / "left"
    left.mkdir()
    for name in ("l.sqlite3", "l.sqlite3-wal", "l.sqlite3-shm"):
        shutil.copyfile(tmp_path / name, left / name)
    ledger.close()
    fine(look(left / "l.sqlite3"))
    (left / "l.sqlite3-shm").unlink()
    fine(look(left / "l.sqlite3"))
    fine(look(tmp_path / "l.sqlite3"))


def test_a_rotated_key_and_an_older_layout_are_not_accused(tmp_path: Path) -> None:
    old = signing(tmp_path / "keys")
    ledger = opened(tmp_path, old)
    new = signing(tmp_path / "keys", "new")
    rotate(ledger, new, "me")
    ledger.close()
    fine(look(tmp_path / "l.sqlite3", Asked(tmp_path / "keys/lognew.key")))
    only(look(tmp_path / "l.sqlite3", Asked(tmp_path / "keys/log.key")), "key-old", "is in force")


def test_an_older_layout_is_a_note(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite3"
    dump = Path(__file__).resolve().parents[1] / "ledger" / "layout1.sql"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(dump.read_text(encoding="utf-8"))
    told = look(path)
    assert "older-layout" in notes(told)


# what is no excuse


@pytest.mark.parametrize("row", [*MATRIX, *CUTS], ids=[row[0].__name__ for row in (*MATRIX, *CUTS)])
def test_what_verify_finds_is_never_called_harmless(
    history: History, tmp_path: Path, row: tuple[Change, str, str, str]
) -> None:
    change, _, _, word = row
    copy = tmp_path / "copy.sqlite3"
    change(history, copy)
    told = look(copy, Asked(None, history.policy, (history.checkpoint,)))
    if word in ("TAMPERED", "FORKED", "RULE-BROKEN", "TORN"):
        assert told.causes
        assert [one for one in codes(told) if CAUSES[one].benign] == []
    elif word == "VERIFIED":
        fine(told)
    else:
        assert told.exit_code in (1, 2)


@pytest.mark.parametrize("change", [body_under_its_new_digest_and_half_cut, other_key_and_cut])
def test_a_cut_does_not_explain_what_was_changed_before_it(
    history: History, tmp_path: Path, change: Change
) -> None:
    copy = tmp_path / "copy.sqlite3"
    change(history, copy)
    assert codes(look(copy, Asked(None, history.policy))) == ["torn", "unexplained"]


def test_a_changed_byte_is_unexplained_also_where_something_harmless_happened_too(
    history: History, tmp_path: Path
) -> None:
    copy, chance = tmp_path / "copy.sqlite3", Random(3)
    for _ in range(6):
        one_byte(history.ledger, copy, chance)
        only(look(copy), "unexplained", "record ")
    raw = bundle_of(history).read_bytes().splitlines()
    del raw[8]
    converted = tmp_path / "x.bundle"
    converted.write_bytes(b"\r\n".join(raw) + b"\r\n")
    told = look(converted)
    assert "crlf" not in codes(told)
    assert told.exit_code in (1, 2)
    (tmp_path / "copy.sqlite3.0123456789abcdef.new").touch()
    assert codes(look(copy)) == ["leftovers", "unexplained"]


# files that are not what they were


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty"),
        (bytes(5000), "zeros"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git-pointer"),
        (b"/annex/objects/SHA256E-s1--0\n", "git-pointer"),
        (b"\n<!DOCTYPE html><title>Sign in</title>", "web-page"),
        (b"PK\x03\x04rest", "archive"),
        (b"\x1f\x8b\x08rest", "archive"),
        (b"PRIVATE+KEY+x+0+0", "other-file"),
        (b'{"body":null,"id":"x"}\n', "other-file"),
        (b'{\n  "prefix": {\n    "ee": "urn:x"', "other-file"),
        (b"hello", "unknown-form"),
        (b"\xef\xbb\xbfhello", "unknown-form"),
        (b"\xff\xfeh\x00", "unknown-form"),
    ],
    ids=range(13),
)
def test_what_lies_in_a_ledgers_place_is_told_by_its_beginning(
    tmp_path: Path, content: bytes, code: str
) -> None:
    only(look(put(tmp_path, content)), code, "it begins with" if content else "0 bytes")


def test_a_ledger_that_was_sent_as_text_is_told_and_one_that_was_cut(
    history: History, tmp_path: Path
) -> None:
    raw = history.ledger.read_bytes()
    only(look(put(tmp_path, raw.replace(b"\n", b"\r\n"))), "crlf", "all 23 records hold")
    only(look(put(tmp_path, raw[:-100])), "torn", f"{len(raw) - 100} of its {len(raw)} bytes")
    lines = bundle_of(history).read_bytes().splitlines(keepends=True)
    only(look(put(tmp_path, b"".join(lines[:9]))), "torn", "line 10 is missing")


def test_another_database_and_a_newer_layout_are_told(tmp_path: Path) -> None:
    path = told_of(tmp_path / "l.sqlite3")
    edit(path, "PRAGMA user_version = 9")
    only(look(path), "newer-layout", "layout 9")
    edit(path, "PRAGMA application_id = 7")
    only(look(path), "other-database", "0x00000007")


# what lies beside it


# the key and what was kept


def test_the_checkpoint_beside_the_key_tells_an_older_copy_and_another_history(
    history: History, tmp_path: Path
) -> None:
    key = history.ledger.parent / "keys/log.key"
    path = put(tmp_path, history.backup.read_bytes())
    only(look(path, Asked(key)), "older-than-seen", "23 records", "the ledger: 22 records")
    folder = tmp_path / "w"
    folder.mkdir()
    shutil.copyfile(history.backup, folder / "l.sqlite3")
    commit(opened(folder), 2)
    only(look(folder / "l.sqlite3", Asked(key)), "other-history", "23 other records")
    only(look(path, Asked(None, None, (history.checkpoint,))), "older-than-seen", "expected 23 records")


def test_bodies_that_were_erased_and_came_back_are_told_by_the_list_beside_the_key(tmp_path: Path) -> None:
    key = tmp_path / "keys/log.key"
    ledger = opened(tmp_path)
    done = append(ledger, filler(1))
    ledger.close()
    shutil.copyfile(tmp_path / "l.sqlite3", tmp_path / "older")
    ledger = opened(tmp_path)
    erase(ledger, done[0].record.subject.plan_id or "", "asked for", "me")
    ledger.close()
    fine(look(tmp_path / "l.sqlite3", Asked(key)))
    told = look(tmp_path / "older", Asked(key))
    assert codes(told) == ["erased-returned", "older-than-seen"]
    assert told.causes[0].evidence[0] == "1 of 1 bodies"
    key.with_name("log.key.erased").write_text("not as written\n")
    only(look(tmp_path / "l.sqlite3", Asked(key)), "kept-unreadable", "log.key.erased, line 1")


KEYS: list[tuple[Callable[[Path], object], str, str]] = [
    (lambda key: key.unlink(), "key-missing", "no key file"),
    (lambda key: key.chmod(0o644), "key-unusable", "chmod 600"),
    (lambda key: key.write_bytes(b"\xef\xbb\xbf" + key.read_bytes()), "key-unusable", "bom: "),
    (lambda key: key.write_bytes(key.read_text().encode("utf-16")), "key-unusable", "utf16: "),
    (lambda key: key.write_text(secret("else.example/log")), "key-wrong", "it is else.example/log+"),
]


@pytest.mark.parametrize(("harm", "code", "word"), KEYS, ids=range(len(KEYS)))
def test_a_key_that_is_not_the_one_says_why(
    history: History, tmp_path: Path, harm: Callable[[Path], object], code: str, word: str
) -> None:
    key = tmp_path / "log.key"
    shutil.copyfile(history.ledger.parent / "keys/log.key", key)
    key.chmod(0o600)
    fine(look(history.ledger, Asked(key)))
    harm(key)
    only(look(history.ledger, Asked(key)), code, word)


def test_what_was_kept_and_the_published_checkpoint_are_told_when_they_were_converted(
    history: History, tmp_path: Path
) -> None:
    kept = put(tmp_path, history.checkpoint.read_bytes().replace(b"\n", b"\r\n"), "kept")
    only(look(history.ledger, Asked(None, None, (kept,))), "kept-unreadable", "kept: ", "crlf: ")
    policy = put(tmp_path, b"\xff\xfe" + history.policy.read_text().encode("utf-16-le"), "policy")
    only(look(history.ledger, Asked(None, policy)), "kept-unreadable", "utf16: ")
    shutil.copytree(history.ledger.parent / "keys", tmp_path / "keys")
    key, published = tmp_path / "keys/log.key", tmp_path / "keys/log.key.checkpoint"
    for content, word in (
        (kept.read_bytes(), "crlf: "),
        (published.read_bytes()[:-20] + b"A" * 15 + b"AAA=\n", "log.key"),
    ):
        published.write_bytes(content)
        only(look(history.ledger, Asked(key)), "kept-unreadable", word)
    other = Signing.load(put_key(tmp_path))
    _, stated = Checkpoint.of(history.checkpoint.read_bytes())
    published.write_bytes(bytes(stated.signed(other.signer)))
    only(look(history.ledger, Asked(key)), "kept-unreadable", "signed by no key")
    published.write_bytes(b"")
    fine(look(history.ledger, Asked(key)))


def put_key(folder: Path) -> Path:
    path = folder / "other.key"
    path.write_text(secret(salt="other"))
    path.chmod(0o600)
    return path


def test_what_cannot_be_looked_at_ends_with_two(history: History, tmp_path: Path) -> None:
    for told in (
        look(tmp_path / "none"),
        look(tmp_path),
        look(history.ledger, Asked(None, tmp_path / "none")),
        look(tmp_path / ("x" * 300)),
    ):
        assert (told.exit_code, codes(told)) == (2, [])
        assert "无法查看 cannot look" in render(told.to_wire())


class Stepping(Ticking):
    """A clock that goes back once."""

    def __call__(self) -> datetime:
        now = super().__call__()
        if now.second == 10:
            self.now -= timedelta(hours=1)
        return now


def test_a_clock_that_went_back_is_told_and_the_ledger_holds(tmp_path: Path) -> None:
    ledger = SqliteLedger.open(tmp_path / "l.sqlite3", Stepping(), create=OPENING)
    append(ledger, *(filler(number) for number in range(6)))
    ledger.close()
    told = look(tmp_path / "l.sqlite3")
    fine(told)
    assert notes(told) == ["clock-back"]
    assert len(told.notes[0].evidence) == 1
    assert NOTES["clock-back"][1] in render(told.to_wire())


def test_every_word_is_in_both_languages() -> None:
    for words in CAUSES.values():
        assert all((words.zh, words.en, words.do_zh, words.do_en))
        assert not words.zh.isascii()
    assert all(en and not zh.isascii() for zh, en in NOTES.values())


def test_of_a_ledger_in_a_database_the_log_is_looked_at(database: str, tmp_path: Path) -> None:
    where = place(database)
    key = signing(tmp_path)
    ledger = open_ledger(where, Stepping(), create=OPENING._replace(origin=None), signing=key)
    for number in range(6):
        ledger.run(lambda writer, number=number: writer.append(filler(number)))  # type: ignore[misc]
    ledger.close()
    told = look(where, Asked(tmp_path / "log.key"))
    fine(told)
    assert notes(told) == ["clock-back"]
    assert PASSWORD not in told.place
    put_key(tmp_path)
    only(look(where, Asked(tmp_path / "other.key")), "key-wrong")


def test_what_was_changed_and_then_converted_is_not_passed_over(history: History, tmp_path: Path) -> None:
    lines = bundle_of(history).read_bytes().splitlines(keepends=True)
    changed = b"".join([*lines[:5], *lines[6:]])
    only(look(put(tmp_path, changed.replace(b"\n", b"\r\n"))), "unexplained", "with crlf undone")
    told = look(put(tmp_path, changed.replace(b"\n", b"\r\n")))
    assert told.exit_code == 1


NAMES = ("l (1).sqlite3", "l.sync-conflict-20260304-050607-ABC.sqlite3", "l (Wang's conflicted copy).sqlite3",
         "l - Copy.sqlite3", "l - 副本 (2).sqlite3", "l.sqlite3.orig", "l (冲突副本).sqlite3")  # fmt: skip


def test_a_conflicting_copy_is_a_cause_only_when_it_holds_something_else(
    history: History, tmp_path: Path
) -> None:
    path = put(tmp_path, history.ledger.read_bytes())
    for name in NAMES:
        put(tmp_path, history.backup.read_bytes(), name)
    put(tmp_path, b"", "ledger (1).sqlite3")
    assert sorted(one.name for one in copies(path)) == sorted(NAMES)
    told = look(path)
    fine(told)
    assert notes(told) == ["clock-back"] + ["copy-behind"] * len(NAMES)
    assert "22 of 23 records" in told.notes[1].evidence[0]
    for name in NAMES[1:]:
        (tmp_path / name).unlink()
    shutil.copyfile(history.backup, path)
    shutil.copyfile(history.ledger, tmp_path / NAMES[0])
    only(look(path), "copies", "23 records, goes on after record 22")
    path.unlink()
    only(look(path), "copies", "is not")
    put(tmp_path, history.ledger.read_bytes())
    put(tmp_path, make_lives(tmp_path / "other", 1).read_bytes(), NAMES[0])
    only(look(path), "copies", "differs at record 0")
    put(tmp_path, b"no ledger", NAMES[0])
    fine(look(path))
