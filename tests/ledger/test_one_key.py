"""One key, one log: it begins no second ledger, and its checkpoint gives way to no other history."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ledger.custody import restore, rotate
from ledger.places import is_begun, open_ledger, place
from ledger.signing import Signing
from ledger.sqlite import SqliteLedger
from schemas.errors import ConflictError, IntegrityError
from tests.ledger.signing import opened, signing
from tests.ledger.steps import OPENING, Ticking, append, step


def published(folder: Path, name: str = "log.key") -> bytes:
    return (folder / "keys" / f"{name}.checkpoint").read_bytes()


def second(folder: Path, key: Signing | None = None) -> SqliteLedger:
    """Another ledger with the same key."""
    opening = OPENING._replace(origin=None)
    return SqliteLedger.open(
        folder / "second.sqlite3", Ticking(), create=opening, signing=key or signing(folder / "keys")
    )


def test_a_key_begins_no_second_ledger_and_keeps_its_checkpoint(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    append(ledger, step(1))
    before = published(tmp_path)
    with pytest.raises(ConflictError, match=r"2 records of tests.example/log") as caught:
        second(tmp_path)
    assert "a key of its own" in str(caught.value.hint)
    assert caught.value.exit_status == 3
    assert published(tmp_path) == before
    assert not (tmp_path / "second.sqlite3").exists()
    append(ledger, step(2))  # the ledger that is the key's own goes on
    ledger.close()


@pytest.mark.parametrize("content", [b"garbage", None])
def test_what_stands_beside_a_key_is_not_written_over_though_nobody_can_read_it(
    tmp_path: Path, content: bytes | None
) -> None:
    key = signing(tmp_path / "keys")
    (tmp_path / "keys" / "log.key.checkpoint").write_bytes(content or b"")
    if content is None:  # as a fall of power leaves it
        second(tmp_path, key).close()
        return
    with pytest.raises(ConflictError, match=r"log\.key\.checkpoint is of it$"):
        second(tmp_path, key)
    assert published(tmp_path) == content


def test_a_lost_ledger_is_put_back_and_not_begun_anew(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    append(ledger, step(1))
    ledger.close()
    shutil.copyfile(tmp_path / "l.sqlite3", tmp_path / "backup")
    ledger = opened(tmp_path)
    append(ledger, step(2))
    ledger.close()
    (tmp_path / "l.sqlite3").unlink()
    with pytest.raises(ConflictError, match="3 records"):
        opened(tmp_path)
    shutil.copyfile(tmp_path / "backup", tmp_path / "l.sqlite3")
    ledger = opened(tmp_path)
    assert restore(ledger, "me", "the disk failed").record is not None
    ledger.close()


def test_the_hint_tells_an_older_copy_from_another_history(tmp_path: Path) -> None:
    beside = tmp_path / "keys" / "log.key.checkpoint"
    second(tmp_path).close()
    beside.unlink()  # or no other ledger could be begun with that key at all
    ledger = opened(tmp_path)
    append(ledger, step(1))
    mine = published(tmp_path)
    shorter = second(tmp_path)
    with pytest.raises(IntegrityError, match="the store has 1 records; 2 were published") as behind:
        append(shorter, step(2))
    assert "`ledger restore --reason …`; if it is another ledger" in str(behind.value.hint)
    beside.unlink()
    append(shorter, step(2))
    shorter.close()
    beside.write_bytes(mine)
    longer = second(tmp_path)
    with pytest.raises(IntegrityError, match="are not those that were published") as other:
        append(longer, step(3))
    assert "ledger restore" not in str(other.value.hint)
    assert "another ledger needs a key of its own" in str(other.value.hint)
    assert published(tmp_path) == mine
    longer.close()
    ledger.close()


def test_a_writer_at_work_notices_that_an_older_copy_was_put_into_its_file(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    append(ledger, step(1))
    ledger.close()
    shutil.copyfile(tmp_path / "l.sqlite3", tmp_path / "backup")
    ledger = opened(tmp_path)
    append(ledger, step(2))
    ahead = published(tmp_path)
    with (
        closing(sqlite3.connect(tmp_path / "backup")) as old,
        closing(sqlite3.connect(tmp_path / "l.sqlite3")) as now,
    ):
        old.backup(now)
    with pytest.raises(IntegrityError, match="the store has 2 records; 3 were published"):
        append(ledger, step(3))
    assert published(tmp_path) == ahead
    assert restore(ledger, "me", "the backup of yesterday").record is not None
    append(ledger, step(3))
    ledger.close()


def test_a_key_that_signed_another_ledger_takes_no_log_over(tmp_path: Path) -> None:
    other = signing(tmp_path / "keys", "2")
    second(tmp_path, other).close()
    before = published(tmp_path, "log2.key")
    ledger = opened(tmp_path)
    append(ledger, step(1))
    with pytest.raises(IntegrityError, match="are not those that were published"):
        rotate(ledger, signing(tmp_path / "keys", "2"), "me")
    append(ledger, step(2))
    assert published(tmp_path, "log2.key") == before
    # A key that this very log was signed with before may be taken again.
    rotate(ledger, signing(tmp_path / "keys", "3"), "me")
    rotate(ledger, signing(tmp_path / "keys"), "me")
    append(ledger, step(3))
    ledger.close()


def test_a_key_begins_no_second_log_in_a_database(database: str, tmp_path: Path) -> None:
    opened(tmp_path).close()
    before = published(tmp_path)
    with pytest.raises(ConflictError, match="1 records of"):
        open_ledger(
            place(database),
            Ticking(),
            create=OPENING._replace(origin=None),
            signing=signing(tmp_path / "keys"),
        )
    assert not is_begun(place(database))
    assert published(tmp_path) == before
