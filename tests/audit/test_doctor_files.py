"""The doctor looks at what lies beside a ledger's file."""

import os
import shutil
from pathlib import Path

from evidence.doctor import Asked, look
from evidence.doctor_files import copies, drive, held_elsewhere, leftovers, shared_memory
from ledger.sqlite import SqliteLedger
from tests.audit.diagnosing import codes, fine, notes, only, put, told_of
from tests.audit.histories import History
from tests.audit.lives import make as make_lives
from tests.ledger.carried import filler
from tests.ledger.signing import signing
from tests.ledger.steps import OPENING, Ticking, append


def in_use(folder: Path, number: int = 1) -> Path:
    """A copy of a ledger whose writer had it open: the file, -wal, -shm."""
    folder.mkdir()
    opening = OPENING._replace(origin=f"tests.example/log{number}")
    ledger = SqliteLedger.open(folder / "l.sqlite3", Ticking(), create=opening)
    append(ledger, filler(number))
    left = folder / "left"
    left.mkdir()
    for name in ("l.sqlite3", "l.sqlite3-wal", "l.sqlite3-shm"):
        shutil.copyfile(folder / name, left / name)
    ledger.close()
    return left / "l.sqlite3"


def test_a_wal_that_is_gone_alone_or_of_another_ledger_is_told(tmp_path: Path) -> None:
    path, other = in_use(tmp_path / "a"), in_use(tmp_path / "b", 2)
    wal = path.with_name("l.sqlite3-wal")
    held = wal.read_bytes()
    wal.unlink()
    only(look(path), "wal-missing", "frames, ")
    path.with_name("l.sqlite3-shm").unlink()
    fine(look(path))  # nothing tells any more
    shutil.copyfile(other.with_name("l.sqlite3-wal"), wal)
    only(look(path), "wal-foreign", "frames of 4096 bytes")
    wal.write_bytes(held)
    path.unlink()
    only(look(path), "missing-ledger", f"l.sqlite3-wal: {len(held)} bytes")


def test_side_files_that_do_no_harm_are_notes(tmp_path: Path) -> None:
    path = in_use(tmp_path / "a")
    memory = path.with_name("l.sqlite3-shm")
    raw = bytearray(memory.read_bytes())
    raw[32] ^= 1
    raw[80] ^= 1
    memory.write_bytes(raw)
    assert "shm-stale" in notes(look(path))
    memory.unlink()
    path.with_name("l.sqlite3-wal").write_bytes(b"half")
    told = look(path)
    assert (codes(told), notes(told)) == ([], ["wal-unused"])


def test_a_journal_leftovers_and_hard_links_are_told(tmp_path: Path) -> None:
    path = told_of(tmp_path / "l.sqlite3")
    path.with_name("l.sqlite3-journal").write_bytes(b"x" * 600)
    assert codes(look(path))[0] == "journal"
    path.with_name("l.sqlite3-journal").unlink()
    os.link(path, tmp_path / "alias")
    assert notes(look(path)) == ["other-names"]
    (tmp_path / "log.key.0123456789abcdef.new").touch()
    (tmp_path / ".l.sqlite3.77.new").touch()
    (tmp_path / "l.sqlite3.0123456789abcdef.new-journal").touch()
    (tmp_path / "l.sqlite3.new").touch()
    signing(tmp_path)
    told = look(path, Asked(tmp_path / "log.key"))
    assert codes(told) == ["leftovers", "key-wrong"]
    assert len(told.causes[0].evidence) == 3


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


def test_a_process_that_holds_the_replaced_file_is_found(tmp_path: Path) -> None:
    path = told_of(tmp_path / "l.sqlite3")
    raw = path.read_bytes()
    with path.open("rb"):
        path.unlink()
        path.write_bytes(raw)
        only(look(path), "replaced", f"process {os.getpid()}")
    assert held_elsewhere(path, tmp_path / "no-proc") == []
    fine(look(path))


def test_a_network_drive_is_told_by_the_list_of_mounts(tmp_path: Path) -> None:
    share = tmp_path / "a b"
    escaped = str(share).replace(" ", "\\040")
    (tmp_path / "mounts").write_text(f"/dev/sda / ext4 rw 0 0\nhost:/x {escaped} nfs4 rw 0 0\nodd\n")
    assert drive(share / "l.sqlite3", tmp_path / "mounts") == "nfs4"
    assert drive(tmp_path / "l.sqlite3", tmp_path / "mounts") is None
    assert drive(tmp_path, tmp_path / "none") is None


def test_a_shared_memory_of_nothing_tells_nothing(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    assert shared_memory(path) is None
    (tmp_path / "l.sqlite3-shm").write_bytes(bytes(200))
    assert shared_memory(path) is None
    assert leftovers(tmp_path / "none" / "l.sqlite3") == []
