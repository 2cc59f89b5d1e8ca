"""What is opened, begun and refused as a ledger file."""

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ledger.chain import links
from ledger.sqlite import SqliteLedger
from ledger.sqlite_readonly import open_readonly
from schemas.errors import EvidenceError, IntegrityError, InvalidError, NotFoundError, StorageError
from tests.ledger.steps import (
    OPENING,
    Ticking,
    append,
    begin,
    edit,
    made,
    names,
    powerless,
    reachable,
    step,
    stored,
)

ODD = ("with space", "a#b", "a?b=c&d", "100%25", "证据库", "%41", "a'b\"c", "file:x", "-wal", "ünï\n")


@pytest.mark.parametrize("name", ODD)
def test_any_name_is_a_path(tmp_path: Path, name: str) -> None:
    path = tmp_path / name / f"{name}.sqlite3"
    ledger = begin(path)
    append(ledger, step(1))
    assert len(stored(open_readonly(path))) == 2
    ledger.close()
    assert len(stored(open_readonly(path))) == 2
    assert names(path.parent) == [path.name]
    assert names(tmp_path) == [name]


def test_a_relative_path_and_missing_folders_are_fine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    begin(Path("a/b/c/l.sqlite3")).close()
    begin(Path("l.sqlite3")).close()
    assert (tmp_path / "a/b/c/l.sqlite3").is_file()


def test_another_working_directory_makes_no_other_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ledger = begin(Path("l.sqlite3"))
    monkeypatch.chdir("/")
    with ledger.read() as one:  # so that the next one is a connection of its own
        assert len(list(one.records())) == 1
        append(ledger, step(1))
    assert len(stored(ledger)) == 2
    ledger.close()


def test_a_missing_ledger_is_not_made_unless_asked(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "l.sqlite3"
    for look in (lambda: SqliteLedger.open(path, Ticking()), lambda: open_readonly(path)):
        with pytest.raises(NotFoundError) as caught:
            look()
        assert caught.value.subject == str(path)
    assert names(tmp_path) == []


def test_an_opening_that_cannot_be_a_record_makes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    for wrong in (OPENING._replace(origin="https://x"), OPENING._replace(actor="")):
        with pytest.raises(InvalidError):
            SqliteLedger.open(path, Ticking(), create=wrong)
    assert names(tmp_path) == []


def refused(path: Path) -> EvidenceError:
    """The IntegrityError that opening to write and opening to read both raise; nothing is changed."""
    before = path.read_bytes()
    with pytest.raises(IntegrityError) as caught:
        open_readonly(path)
    with pytest.raises(IntegrityError, match=re.escape(caught.value.message)):
        begin(path)
    assert path.read_bytes() == before
    assert names(path.parent) == [path.name]
    return caught.value


@pytest.mark.parametrize("content", [b"", b"x", b"not a database at all\n" * 500, b"SQLite format 3\x00"])
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "l.sqlite3"
    path.write_bytes(content)
    assert str(path) in refused(path).message


def test_a_database_of_somebody_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    edit(path, "CREATE TABLE records (seq INTEGER PRIMARY KEY, raw BLOB)")
    assert "not an evidence ledger" in refused(path).message


@pytest.mark.parametrize(("layout", "hint"), [(3, "use the version that wrote it"), (0, None)])
def test_another_layout_is_refused(tmp_path: Path, layout: int, hint: str | None) -> None:
    path = made(tmp_path / "l.sqlite3", 1)
    edit(path, f"PRAGMA user_version = {layout}")
    assert refused(path).hint == hint


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM bodies; END",
        "CREATE VIEW v AS SELECT * FROM records",
        "CREATE TABLE more (x)",
        "DROP INDEX records_by_kind",
        "ALTER TABLE bodies ADD COLUMN more TEXT",
    ],
)
def test_a_ledger_with_other_tables_indexes_or_triggers_is_refused(tmp_path: Path, change: str) -> None:
    path = made(tmp_path / "l.sqlite3", 1)
    edit(path, change)
    assert "other tables, indexes or triggers" in refused(path).message


def test_analyze_and_vacuum_leave_a_ledger_one(tmp_path: Path) -> None:
    path = made(tmp_path / "l.sqlite3", 300)
    edit(path, "ANALYZE")
    edit(path, "VACUUM")
    copy = tmp_path / "copy.sqlite3"
    edit(path, "VACUUM INTO ?", str(copy))
    for place in (path, copy):
        ledger = begin(place)
        append(ledger, step(999))
        assert (tmp_path / f"{place.name}-wal").exists()
        assert not any(link.breaks for link in links(stored(ledger)))
        ledger.close()


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    for way in (begin, open_readonly):
        with pytest.raises(IntegrityError, match="is not a file"):
            way(tmp_path)
    with pytest.raises(StorageError) as caught:
        begin(made(tmp_path / "l.sqlite3", 0) / "below.sqlite3")
    assert isinstance(caught.value.__cause__, OSError)


def uses(path: Path) -> None:
    """Open a ledger, read all of it, follow every chain and add to it."""
    ledger = begin(path)
    try:
        if any(link.breaks for link in links(stored(ledger))):
            raise IntegrityError("broken chain")
        append(ledger, step(1000))
    finally:
        ledger.close()


@pytest.mark.parametrize("keep", [100, 1024, 4096, 8192, 20_000, 40_960, -4096])
def test_a_truncated_file_is_an_integrity_error(tmp_path: Path, keep: int) -> None:
    path = made(tmp_path / "l.sqlite3", 100)
    whole = path.read_bytes()
    path.write_bytes(whole[:keep])
    with pytest.raises(IntegrityError):
        uses(path)


def test_a_page_of_garbage_is_an_integrity_error_or_harmless(tmp_path: Path) -> None:
    path = made(tmp_path / "l.sqlite3", 100)
    whole = path.read_bytes()
    caught = 0
    for page in range(1, len(whole) // 4096):
        path.write_bytes(whole[: page * 4096] + b"\xa5" * 4096 + whole[(page + 1) * 4096 :])
        try:
            uses(path)
        except IntegrityError:
            caught += 1
    assert caught > len(whole) // 4096 // 2


@pytest.mark.parametrize("tail", ["-wal", "-journal"])
def test_a_left_over_side_file_is_never_played_into_a_new_ledger(tmp_path: Path, tail: str) -> None:
    path = tmp_path / "l.sqlite3"
    (tmp_path / f"l.sqlite3{tail}").write_bytes(b"\x37\x7f\x06\x82")
    with pytest.raises(IntegrityError, match="without its ledger"):
        begin(path)
    assert names(tmp_path) == [f"l.sqlite3{tail}"]


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_a_name_that_no_file_can_have_is_a_storage_error(tmp_path: Path, name: str) -> None:
    for way in (begin, open_readonly):
        with pytest.raises(StorageError):
            way(tmp_path / name)
    assert names(tmp_path) == []


@pytest.mark.parametrize("how", ["deleted", "moved", "replaced by a copy", "replaced by another"])
def test_nothing_is_appended_to_a_file_that_is_no_longer_there(tmp_path: Path, how: str) -> None:
    path = tmp_path / "l.sqlite3"
    ledger = begin(path)
    append(ledger, step(1))
    if how == "replaced by a copy":
        shutil.copy(path, tmp_path / "copy")
        (tmp_path / "copy").replace(path)
    elif how == "replaced by another":
        made(tmp_path / "other", 3).replace(path)
    elif how == "moved":
        path.rename(tmp_path / "moved")
    else:
        path.unlink()
    with pytest.raises(IntegrityError, match="moved, replaced or deleted"):
        append(ledger, step(2))
    with pytest.raises(EvidenceError):
        stored(ledger)
    ledger.close()


def test_a_link_to_nowhere_is_not_followed_into_a_new_ledger(tmp_path: Path) -> None:
    (tmp_path / "l.sqlite3").symlink_to(tmp_path / "nowhere")
    with pytest.raises(StorageError):
        begin(tmp_path / "l.sqlite3")
    assert names(tmp_path) == ["l.sqlite3"]


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that the powerless can reach."""
    with reachable() as folder:
        yield folder


def test_a_read_only_file_can_be_read_and_not_written(shared_folder: Path) -> None:
    path = made(shared_folder / "l.sqlite3", 3)
    with powerless(path, shared_folder):
        assert len(stored(open_readonly(path))) == 4
        with pytest.raises(StorageError, match="read-only"):
            begin(path)
    assert names(shared_folder) == ["l.sqlite3"]
    uses(path)


def test_a_ledger_cannot_be_begun_in_a_read_only_folder(shared_folder: Path) -> None:
    with powerless(shared_folder), pytest.raises(StorageError):
        begin(shared_folder / "l.sqlite3")
    with powerless(shared_folder), pytest.raises(StorageError):
        begin(shared_folder / "deep" / "l.sqlite3")
    assert names(shared_folder) == []


def test_a_file_that_may_not_be_read_is_a_storage_error(shared_folder: Path) -> None:
    path = made(shared_folder / "l.sqlite3", 3)
    path.chmod(0o200)
    with powerless():
        for way in (begin, open_readonly):
            with pytest.raises(StorageError):
                way(path)


def test_a_full_file_takes_nothing_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    ledger = begin(path)
    append(ledger, step(1))

    def overfill() -> None:
        with ledger.write() as writer:
            writer._connection.execute("PRAGMA max_page_count = 1")
            writer.append(step(2, body=b'"%s"' % (b"x" * 100_000)))

    with pytest.raises(StorageError, match="disk is full") as caught:
        overfill()
    assert isinstance(caught.value.__cause__, sqlite3.OperationalError)
    assert [done.seq for done in append(ledger, step(2))] == [2]
    assert not any(link.breaks for link in links(stored(ledger)))
    ledger.close()


def test_an_empty_transaction_leaves_no_trace(tmp_path: Path) -> None:
    path = made(tmp_path / "l.sqlite3", 1)
    before = path.read_bytes()
    ledger = begin(path)
    with ledger.write():
        pass
    ledger.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert path.read_bytes() == before


def test_a_ledger_whose_folder_became_a_file_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    path = folder / "l.sqlite3"
    ledger = begin(path)
    folder.rename(tmp_path / "elsewhere")
    folder.write_bytes(b"")
    with pytest.raises(StorageError, match="cannot be looked at"):
        append(ledger, step(1))
    ledger.close()


def test_a_name_that_leaves_no_room_for_side_files_is_refused_when_read(tmp_path: Path) -> None:
    path = tmp_path / "short.sqlite3"
    begin(path).close()
    long = tmp_path / ("l" * 253)
    path.rename(long)
    with pytest.raises(StorageError, match="cannot be looked at"):
        open_readonly(long)


def test_damage_in_the_names_of_the_tables_is_told_although_sqlite_repeats_it(tmp_path: Path) -> None:
    path = made(tmp_path / "l.sqlite3", 1)
    data = bytearray(path.read_bytes())
    data[data.index(b"tablecheckpoints") + len("table")] ^= 0x80
    path.write_bytes(data)
    with (
        pytest.raises(IntegrityError, match="is damaged, and its error is no text"),
        open_readonly(path).read(),
    ):
        pass
    with pytest.raises(IntegrityError, match="is damaged, and its error is no text"):
        SqliteLedger.open(path, Ticking())
