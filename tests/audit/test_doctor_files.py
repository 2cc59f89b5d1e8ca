"""The doctor looks at what lies beside a ledger's file."""

import os
import shutil
from pathlib import Path

from evidence.doctor import Asked, look
from evidence.doctor_files import drive, held_elsewhere, leftovers, shared_memory
from ledger.sqlite import SqliteLedger
from tests.audit.diagnosing import codes, fine, notes, only, told_of
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
    signing(tmp_path)
    (tmp_path / "log.key.0123456789abcdef.new").touch()
    (tmp_path / ".l.sqlite3.77.new").touch()
    (tmp_path / "l.sqlite3.0123456789abcdef.new-journal").touch()
    (tmp_path / "l.sqlite3.new").touch()
    told = look(path, Asked(tmp_path / "log.key"))
    assert codes(told) == ["leftovers", "key-wrong"]
    assert len(told.causes[0].evidence) == 3


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
