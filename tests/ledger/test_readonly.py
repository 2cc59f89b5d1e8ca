"""Reading writes nothing in the ledger's folder (ledger.md section 3)."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evidence.verify import verify
from ledger import standalone
from ledger.sqlite import SqliteLedger
from ledger.sqlite_file import NoLedgerError
from ledger.sqlite_readonly import open_readonly
from schemas.canonical import digest_bytes
from schemas.errors import BusyError, IntegrityError, StorageError, UsageError
from tests.ledger.steps import append, begin, edit, made, powerless, reachable, step, stored

COUNT = """
import sys
from ledger.sqlite_readonly import open_readonly
with open_readonly(sys.argv[1]).read() as reader:
    print(len(list(reader.records())))
"""


def state(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Everything that a write in a folder would change."""
    seen = {}
    for file in sorted(folder.iterdir()):
        status = file.stat()
        seen[file.name] = (status.st_size, status.st_mtime_ns, digest_bytes(file.read_bytes()))
    seen["."] = (0, folder.stat().st_mtime_ns, "")
    return seen


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that the powerless can reach."""
    with reachable() as folder:
        yield folder


@pytest.fixture
def living(tmp_path: Path) -> Iterator[SqliteLedger]:
    """A ledger of six records that a writer has open."""
    ledger = begin(tmp_path / "living" / "l.sqlite3")
    append(ledger, *(step(number) for number in range(5)))
    yield ledger
    ledger.close()


def copied(living: SqliteLedger, folder: Path, *tails: str) -> Path:
    """What a killed writer, or who copies its files, leaves: the file and some of its side files."""
    folder.mkdir()
    for tail in ("", *tails):
        shutil.copy(f"{living._path}{tail}", folder)
    return folder / "l.sqlite3"


@pytest.mark.parametrize("tails", [("-wal", "-shm"), ("-wal",), ()], ids=["both", "log", "none"])
def test_through_a_symbolic_link_the_same_records_are_read(
    living: SqliteLedger, tmp_path: Path, tails: tuple[str, ...]
) -> None:
    for name, path in {"l": living._path, "d": copied(living, tmp_path / "dead", *tails)}.items():
        link = tmp_path / "links" / name
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(path)
        assert stored(open_readonly(link)) == stored(open_readonly(path))
    assert len(stored(open_readonly(tmp_path / "links" / "l"))) == 6


@pytest.mark.parametrize("tail", ["-wal", "-shm"])
@pytest.mark.parametrize("how", ["pipe", "folder", "link"])
def test_a_side_file_that_is_no_file_is_refused_and_not_waited_for(
    living: SqliteLedger, tmp_path: Path, tail: str, how: str
) -> None:
    path = copied(living, tmp_path / "dead", "-wal", "-shm")
    side = path.with_name(path.name + tail)
    side.unlink()
    if how == "pipe":
        os.mkfifo(side)
    elif how == "folder":
        side.mkdir()
    else:
        side.symlink_to(tmp_path / "nowhere")
    with pytest.raises(NoLedgerError, match="is not a file"):
        open_readonly(path)
    told, alone = verify(path), standalone.verify(path)
    assert (told.verdict, told.reasons) == (alone["verdict"], alone["reasons"])
    assert (told.verdict, told.reasons) == ("CANNOT-VERIFY", [f"{side} is not a file"])


def test_a_ledger_at_rest_is_read_and_left_alone(tmp_path: Path) -> None:
    path = made(tmp_path / "l.sqlite3", 5)
    before = state(tmp_path)
    assert len(stored(open_readonly(path))) == 6
    assert state(tmp_path) == before


def test_a_ledger_in_use_is_read_to_its_last_commit_and_left_alone(living: SqliteLedger) -> None:
    folder = living._path.parent
    before = state(folder)
    done = subprocess.run(
        [sys.executable, "-c", COUNT, living._path], capture_output=True, text=True, check=True
    )
    assert done.stdout == "6\n"
    assert state(folder) == before
    reading = open_readonly(living._path)
    with reading.read() as reader:
        append(living, step(9))
        assert len(list(reader.records())) == 6
    assert len(stored(reading)) == 7
    reading.close()


@pytest.mark.parametrize("tails", [("-wal", "-shm"), ("-wal",)])
def test_what_a_killed_writer_left_is_read_whole_and_left_alone(
    living: SqliteLedger, tmp_path: Path, tails: tuple[str, ...]
) -> None:
    path = copied(living, tmp_path / "left", *tails)
    before = state(path.parent)
    assert len(stored(open_readonly(path))) == 6
    assert state(path.parent) == before
    edit(path, "CREATE TABLE more (x)")
    with pytest.raises(IntegrityError):
        open_readonly(path)


def test_a_writer_that_died_before_its_first_page_is_not_waited_for(tmp_path: Path) -> None:
    path = made(tmp_path / "l.sqlite3", 5)
    ledger = begin(path)
    with ledger.write() as writer:
        writer.append(step(9))
    left = copied(ledger, tmp_path / "left", "-wal", "-shm")
    ledger.close()
    os.truncate(f"{left}-wal", 32)
    before = state(left.parent)
    assert len(stored(open_readonly(left))) == 6
    assert state(left.parent) == before


@pytest.mark.parametrize("tails", [("-wal", "-shm"), ("-wal",), ("-shm",), ()])
def test_any_left_over_is_read_on_a_read_only_disk(
    living: SqliteLedger, shared_folder: Path, tails: tuple[str, ...]
) -> None:
    path = copied(living, shared_folder / "left", *tails)
    before = state(path.parent)
    # Without its write-ahead file a copy holds what had reached the main file: the opening.
    expected = 6 if "-wal" in tails else 1
    with powerless(path.parent, *path.parent.iterdir()):
        assert len(stored(open_readonly(path))) == expected
    assert state(path.parent) == before


def test_the_copy_that_is_read_goes_away(
    living: SqliteLedger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copied(living, tmp_path / "left", "-wal")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    with open_readonly(path).read():
        assert len(list(scratch.iterdir())) == 1
    assert list(scratch.iterdir()) == []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(StorageError, match="cannot be copied"):
        open_readonly(path)


def test_a_copy_that_fails_half_way_goes_away(
    living: SqliteLedger, shared_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copied(living, shared_folder / "left", "-wal")
    scratch = shared_folder / "scratch"
    scratch.mkdir(mode=0o777)
    scratch.chmod(0o777)
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    (path.parent / "l.sqlite3-wal").chmod(0)
    with powerless(), pytest.raises(StorageError, match="cannot be copied"):
        open_readonly(path)
    assert list(scratch.iterdir()) == []


def test_a_file_at_rest_that_changes_while_it_is_read_is_said_to_be_busy(tmp_path: Path) -> None:
    path = made(tmp_path / "l.sqlite3", 5)
    reading = open_readonly(path)

    def read_over(change: str, failure: IntegrityError | None) -> None:
        with reading.read():
            edit(path, change)
            if failure is not None:
                raise failure

    with pytest.raises(BusyError):
        read_over("DELETE FROM bodies", None)
    with pytest.raises(BusyError) as caught:
        read_over("DELETE FROM subjects", IntegrityError("half of a page"))
    assert isinstance(caught.value.__cause__, IntegrityError)
    with pytest.raises(IntegrityError, match="truly"), reading.read():
        raise IntegrityError("truly broken")


def test_a_file_that_vanishes_while_it_is_read_is_a_storage_error(tmp_path: Path) -> None:
    path = made(tmp_path / "l.sqlite3", 5)
    reading = open_readonly(path)
    with pytest.raises(StorageError), reading.read():
        path.unlink()
    with pytest.raises(StorageError), reading.read():
        pass


def test_a_view_is_refused_after_its_end(tmp_path: Path) -> None:
    with open_readonly(made(tmp_path / "l.sqlite3", 1)).read() as reader:
        pass
    with pytest.raises(UsageError):
        reader.head()


def test_side_files_that_may_not_be_read_are_a_storage_error(
    living: SqliteLedger, shared_folder: Path
) -> None:
    path = copied(living, shared_folder / "left", "-wal", "-shm")
    (path.parent / "l.sqlite3-shm").chmod(0)
    with powerless(), pytest.raises(StorageError):
        open_readonly(path)
