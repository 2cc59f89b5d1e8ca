"""A ledger that several begin, or that was left half begun: there is one in the end, whole."""

import os
import shutil
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from ledger import sqlite_begin
from ledger.checkpoint import Checkpoint
from ledger.sqlite import SqliteLedger
from ledger.sqlite_readonly import open_readonly
from ledger.store import opened_key
from schemas.errors import ConflictError, StorageError
from tests.ledger.signing import opened, signing
from tests.ledger.steps import OPENING, Ticking, append, begin, first, made, names, step

LEFT = "l.sqlite3.0123456789abcdef.new"


def beside(folder: Path) -> bytes:
    return (folder / "keys" / "log.key.checkpoint").read_bytes()


def has_key(path: Path) -> bool:
    with open_readonly(path).read() as reader:
        return opened_key(reader) is not None


def taken(folder: Path) -> None:
    """Somebody without the key begins it, and takes away what others are making."""
    begin(folder / "l.sqlite3").close()


def copied(folder: Path) -> None:
    """Somebody puts a ledger there."""
    shutil.copyfile(made(folder.parent / "other", 1), folder / "l.sqlite3")


@pytest.mark.parametrize("another", [taken, copied])
def test_a_place_that_another_takes_leaves_the_key_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, another: Callable[[Path], None]
) -> None:
    here = tmp_path / "here"
    key = signing(here / "keys")
    first(monkeypatch, os, "link", lambda: another(here))
    opened(here, key).close()
    assert not has_key(here / "l.sqlite3")
    assert beside(here) == b""
    assert names(here) == ["keys", "l.sqlite3"]
    (here / "l.sqlite3").unlink()
    opened(here, key).close()
    assert has_key(here / "l.sqlite3")


def test_it_is_so_too_while_the_first_record_is_written(tmp_path: Path) -> None:
    here = tmp_path / "here"
    looks: list[Path] = []

    def clock() -> datetime:
        if not looks:
            looks.append(here)
            taken(here)
        return Ticking()()

    key, opening = signing(here / "keys"), OPENING._replace(origin=None)
    SqliteLedger.open(here / "l.sqlite3", clock, create=opening, signing=key).close()
    assert not has_key(here / "l.sqlite3")
    assert (names(here), names(here / "keys")) == (["keys", "l.sqlite3"], ["log.key"])


def test_whoever_comes_second_names_what_the_first_is_about_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = signing(tmp_path / "keys")
    first(monkeypatch, os, "link", lambda: opened(tmp_path).close())
    with closing(opened(tmp_path, key)) as ledger:
        assert append(ledger, step(1))[0].seq == 1
    assert names(tmp_path) == ["keys", "l.sqlite3"]


def test_whose_key_was_taken_meanwhile_begins_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, there = signing(tmp_path / "keys"), tmp_path / "there" / "l.sqlite3"

    def other() -> None:
        opening = OPENING._replace(origin=None)
        SqliteLedger.open(there, Ticking(), create=opening, signing=signing(tmp_path / "keys")).close()

    first(monkeypatch, sqlite_begin, "claim", other)
    with pytest.raises(ConflictError, match="1 records of"):
        opened(tmp_path, key)
    assert names(tmp_path) == ["keys", "there"]
    with open_readonly(there).read() as reader:
        assert reader.last_checkpoint() == beside(tmp_path)


def test_a_name_that_the_disk_refuses_leaves_the_key_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise OSError(5, "Input/output error")

    key = signing(tmp_path / "keys")
    first(monkeypatch, os, "link", refuse)
    with pytest.raises(StorageError, match="cannot be made"):
        opened(tmp_path, key)
    assert (names(tmp_path), beside(tmp_path)) == (["keys"], b"")
    opened(tmp_path, key).close()
    assert beside(tmp_path) != b""


def left(folder: Path) -> Path:
    """What somebody left who was killed when the key had published and the ledger had no name yet."""
    opened(folder).close()
    return (folder / "l.sqlite3").rename(folder / LEFT)


def test_a_ledger_that_lacks_its_name_gets_it_at_the_next_beginning_there(tmp_path: Path) -> None:
    file = left(tmp_path)
    file.with_name("l.sqlite3.0000000000000000.new").write_bytes(b"half")
    (tmp_path / "l.sqlite3.0000000000000000.new-journal").touch()
    shutil.copyfile(made(tmp_path / "other", 1), tmp_path / "l.sqlite3.ffffffffffffffff.new")
    before, inode = beside(tmp_path), file.stat().st_ino
    with closing(opened(tmp_path)) as ledger:
        assert append(ledger, step(1))[0].seq == 1
    assert (tmp_path / "l.sqlite3").stat().st_ino == inode
    assert names(tmp_path) == ["keys", "l.sqlite3", "other"]
    assert [Checkpoint.of(one)[1].size for one in (before, beside(tmp_path))] == [1, 2]


@pytest.mark.parametrize("folder", ["elsewhere", "."])
def test_at_another_place_the_key_is_used(tmp_path: Path, folder: str) -> None:
    left(tmp_path)
    opening, place = OPENING._replace(origin=None), tmp_path / folder / "second.sqlite3"
    with pytest.raises(ConflictError, match="1 records of"):
        SqliteLedger.open(place, Ticking(), create=opening, signing=signing(tmp_path / "keys"))
    assert names(tmp_path) == ["keys", LEFT]


def test_a_second_name_that_was_left_goes_at_the_next_opening(tmp_path: Path) -> None:
    opened(tmp_path).close()
    os.link(tmp_path / "l.sqlite3", tmp_path / LEFT)
    (tmp_path / f"{LEFT}-shm").touch()
    opened(tmp_path).close()
    assert names(tmp_path) == ["keys", "l.sqlite3"]
