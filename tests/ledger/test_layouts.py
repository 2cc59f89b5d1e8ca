"""A ledger of before the tree is read as it is, and has its tree after the next opening for writing."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ledger.proof import prove
from ledger.sqlite_file import check_layout, layout_of
from ledger.sqlite_readonly import open_readonly
from ledger.tree import frontier_at, frontier_of, leaf_hash
from schemas.errors import IntegrityError
from tests.ledger.steps import append, begin, edit, step, stored

DUMP = (Path(__file__).parent / "layout1.sql").read_text(encoding="ascii")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A ledger of seven records in layout 1."""
    path = tmp_path / "l.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(DUMP)
    return path


def layout(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return layout_of(connection, path)


def test_an_old_ledger_is_read_and_verified_without_being_changed(old: Path) -> None:
    before = old.read_bytes()
    with open_readonly(old).read() as reader:
        assert len(list(reader.records())) == 7
        assert list(reader.index_breaks()) == []
        assert list(reader.checkpoints()) == []
        assert (prove(reader, 0), reader.last_checkpoint()) == (None, None)
        with pytest.raises(IntegrityError, match="damaged"):
            reader.subtree(0, 0)
    assert old.read_bytes() == before
    assert layout(old) == 1


def test_an_old_ledger_has_its_tree_once_it_was_opened_for_writing(old: Path) -> None:
    records = stored(open_readonly(old))
    ledger = begin(old)
    assert stored(ledger) == records
    append(ledger, step(100))
    with ledger.read() as reader:
        raws = [raw for _, raw in reader.records()]
        assert frontier_at(reader.subtree, 8) == frontier_of(map(leaf_hash, raws))
        assert list(reader.index_breaks()) == []
    ledger.close()
    assert layout(old) == 2


def test_a_look_while_another_brings_the_ledger_up_looks_again(old: Path) -> None:
    class Slow(sqlite3.Connection):
        """Somebody else brings the ledger up right after this one read its layout."""

        def execute(self, sql: str, /, *values: Any) -> sqlite3.Cursor:
            if sql == "PRAGMA user_version" and layout(old) == 1:
                begin(old).close()
                return super().execute("SELECT 1")
            return super().execute(sql, *values)

    with closing(sqlite3.connect(old, factory=Slow)) as connection:
        assert check_layout(connection, old) == 2


def test_openings_at_once_bring_an_old_ledger_up_once(old: Path) -> None:
    def work(number: int) -> int:
        ledger = begin(old)
        [done] = append(ledger, step(200 + number))
        ledger.close()
        return done.seq

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(work, range(4))) == [7, 8, 9, 10]
    with open_readonly(old).read() as reader:
        assert list(reader.index_breaks()) == []


@pytest.mark.parametrize(
    "change", ["DELETE FROM records WHERE seq = 3", "UPDATE records SET raw = 'text' WHERE seq = 3"]
)
def test_a_broken_old_ledger_is_left_as_it_is(old: Path, change: str) -> None:
    edit(old, change)
    with pytest.raises(IntegrityError, match="record 3 is missing or no record"):
        begin(old)
    assert layout(old) == 1
    edit(old, "DELETE FROM records WHERE seq > 2")
    begin(old).close()
    assert layout(old) == 2
