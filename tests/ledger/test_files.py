"""A small file is replaced or written over whole, and read when it stands still."""

import os
from pathlib import Path

import pytest

from ledger.files import overwrite, read_settled, replace
from ledger.signing import Signing
from schemas.errors import NotFoundError, StorageError
from tests.ledger.steps import names


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    for content in (b"one", b"two"):
        replace(tmp_path / "f", content, synchronised=True)
        assert (tmp_path / "f").read_bytes() == content
    with pytest.raises(StorageError):
        replace(tmp_path / "none" / "f", b"", synchronised=False)
    assert names(tmp_path) == ["f"]


def test_a_file_of_the_same_length_is_written_over_and_any_other_replaced(tmp_path: Path) -> None:
    path, other = tmp_path / "f", tmp_path / "g"
    overwrite(path, b"one")
    kept = path.stat().st_ino
    overwrite(path, b"two")
    assert (path.stat().st_ino, path.read_bytes()) == (kept, b"two")
    long = b"x" * 513
    for content, length in ((b"three", 5), (long, 513), (b"y" * 513, 513)):
        before = os.open(path, os.O_RDONLY)
        overwrite(path, content)
        assert path.stat().st_ino != os.fstat(before).st_ino
        assert (path.read_bytes(), path.stat().st_size) == (content, length)
        os.close(before)
    overwrite(path, b"four")
    other.hardlink_to(path)
    overwrite(path, b"five")
    assert (path.read_bytes(), other.read_bytes()) == (b"five", b"four")
    other.unlink()
    other.symlink_to(path)
    overwrite(other, b"last")
    assert (path.read_bytes(), other.read_bytes(), other.is_symlink()) == (b"five", b"last", False)
    with pytest.raises(StorageError):
        overwrite(tmp_path, b"")
    assert names(tmp_path) == ["f", "g"]


def test_a_file_that_changes_under_the_reader_is_read_until_it_stays(tmp_path: Path) -> None:
    class Changing(type(tmp_path)):  # type: ignore[misc]
        found = [b"old", b"mix", b"new", b"new"]  # noqa: RUF012 - one object of it

        def read_bytes(self) -> bytes:
            return self.found.pop(0)

    assert read_settled(Changing("changing")) == b"new"
    assert Changing.found == []
    assert read_settled(tmp_path / "none") is None


def test_a_key_file_that_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        Signing.load(tmp_path / "none")
