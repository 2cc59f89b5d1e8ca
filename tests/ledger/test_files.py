"""A small file is replaced or written over whole, and read when it stands still."""

import errno
import fcntl
import os
import resource
from contextlib import closing
from pathlib import Path

import pytest

from ledger.files import claim, disclaim, fresh, overwrite, read_settled, replace, sweep
from ledger.keys import load, store
from ledger.signing import Signing
from schemas.errors import NotFoundError, StorageError
from tests.ledger.signing import opened, secret
from tests.ledger.steps import append, first, names, step


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


LEFT = "0123456789abcdef.new"


def test_what_killed_writers_left_is_swept_and_what_is_being_written_is_not(tmp_path: Path) -> None:
    path = tmp_path / "f"
    others = ["f.new", "f.0123456789abcde.new", f"g.{LEFT}", f"f.{LEFT}.more", f"ff.{LEFT}"]
    for name in (f"f.{LEFT}", *others):
        (tmp_path / name).touch()
    os.mkfifo(tmp_path / "f.0000000000000000.new")
    new, descriptor = fresh(path)
    sweep(path)
    assert names(tmp_path) == sorted([*others, Path(new).name])
    os.close(descriptor)
    replace(path, b"one", synchronised=False)
    assert names(tmp_path) == sorted([*others, "f"])
    sweep(tmp_path / "none" / "f")


@pytest.mark.parametrize("call", ["replace", "link"])
def test_who_is_swept_before_it_has_its_name_does_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "f"
    first(monkeypatch, os, call, lambda: sweep(path))
    if call == "replace":
        replace(path, b"one", synchronised=True)
    else:
        store(path, secret())
    assert path.stat().st_size > 0
    assert names(tmp_path) == ["f"]


def test_a_key_whose_first_name_was_left_has_one_name_once_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "f"
    (tmp_path / f"f.{LEFT}").touch()
    store(path, secret())
    os.link(path, tmp_path / f"f.{LEFT}")
    assert names(tmp_path) == ["f", f"f.{LEFT}"]
    load(path)
    assert names(tmp_path) == ["f"]


def test_of_several_who_claim_a_place_the_first_has_it(tmp_path: Path) -> None:
    path = tmp_path / "f"
    assert claim(path, b"one")
    assert not claim(path, b"two")
    disclaim(path, b"two")
    assert path.read_bytes() == b"one"
    disclaim(path, b"one")
    assert path.read_bytes() == b""
    assert claim(path, b"three")
    assert path.read_bytes() == b"three"
    with pytest.raises(StorageError):
        claim(tmp_path, b"four")
    disclaim(tmp_path, b"four")


@pytest.mark.parametrize("removed", [True, False])
def test_a_place_that_changes_hands_before_it_is_locked_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, removed: bool
) -> None:
    path = tmp_path / "f"
    path.touch()
    first(monkeypatch, fcntl, "flock", path.unlink if removed else lambda: overwrite(path, b"other"))
    assert claim(path, b"mine") is removed
    assert path.read_bytes() == (b"mine" if removed else b"other")


def test_half_a_claim_is_none(tmp_path: Path) -> None:
    path, limits = tmp_path / "f", resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2, limits[1]))
    try:
        with pytest.raises(StorageError) as caught:
            claim(path, b"three")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert isinstance(caught.value.__cause__, OSError)
    assert caught.value.__cause__.errno == errno.EFBIG
    assert path.read_bytes() == b""


def test_a_writer_takes_away_what_others_left_beside_its_key_at_its_first_step(tmp_path: Path) -> None:
    opened(tmp_path).close()
    with closing(opened(tmp_path)) as ledger:
        for number in range(2):
            (tmp_path / "keys" / f"log.key.checkpoint.{LEFT}").touch()
            append(ledger, step(number, "policy.changed"))  # as long as the one before: written over
            wanted = ["log.key", "log.key.checkpoint", f"log.key.checkpoint.{LEFT}"]
            assert names(tmp_path / "keys") == wanted[: 2 + number]
