"""A `-journal` beside a ledger: of another it is never played in; one of a change of mode is."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from evidence.doctor import look
from evidence.verify import verify
from ledger import standalone
from ledger.sqlite_readonly import open_readonly
from ledger.sqlite_rolled_back import rolled_back
from schemas.errors import IntegrityError, StorageError
from tests.ledger.faults.run import POLICY
from tests.ledger.signing import opened
from tests.ledger.steps import append, begin, edit, made, names, powerless, reachable, step, stored


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A ledger with a key, of six records, that nobody has open."""
    with closing(opened(tmp_path / "mine")) as mine:
        mine.append(*(step(number, "policy.changed") for number in range(5)))
    return tmp_path / "mine" / "l.sqlite3"


def hot(path: Path, change: str, *values: object) -> bytes:
    """The journal that a program leaves which is killed when all its pages are written."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA cache_size = 1")  # so that the pages are written before the end
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(change, values)
        return Path(f"{path}-journal").read_bytes()


def of_another(folder: Path) -> bytes:
    """Of a ledger that was as large as ours, and is not."""
    path = made(folder / "other", 200)
    return hot(path, "UPDATE bodies SET bytes = x'00'")


def of_the_same(folder: Path) -> bytes:
    """Of an older copy of ours, to which a program wrote."""
    path = folder / "older"
    shutil.copyfile(folder / "mine" / "l.sqlite3", path)
    return hot(path, "UPDATE records SET raw = x'00'")


def of_no_journal(_: Path) -> bytes:
    return b"x" * 600


JOURNALS = [of_another, of_the_same, of_no_journal]


def sides(ledger: Path) -> dict[str, bytes]:
    return {name: (ledger.parent / name).read_bytes() for name in names(ledger.parent) if name != "keys"}


@pytest.mark.parametrize("change", ["UPDATE records SET raw = x'00'", "DELETE FROM bodies"])
def test_what_another_program_began_to_write_is_taken_back_to_be_judged(
    ledger: Path, tmp_path: Path, change: str
) -> None:
    policy = tmp_path / "policy"
    policy.write_bytes(POLICY)
    copy = tmp_path / "copy" / "l.sqlite3"
    copy.parent.mkdir()
    with closing(sqlite3.connect(ledger, isolation_level=None)) as connection:
        for sql in ("PRAGMA journal_mode = DELETE", "PRAGMA cache_size = 1", "BEGIN IMMEDIATE", change):
            connection.execute(sql)
        connection.execute("CREATE TABLE more AS SELECT zeroblob(100000)")  # so that all of it is written
        for tail in ("", "-journal"):
            shutil.copyfile(f"{ledger}{tail}", f"{copy}{tail}")
    before = sides(copy)
    told, alone = verify(copy, POLICY), standalone.verify(copy, policy)
    assert (told.verdict, told.facts.records) == (alone["verdict"], alone["records"]) == ("VERIFIED", 6)
    assert "taken back, by l.sqlite3-journal" in told.notes[-1]
    assert sides(copy) == before
    Path(f"{copy}-journal").unlink()
    assert (verify(copy, POLICY).verdict, standalone.verify(copy, policy)["verdict"]) == ("TAMPERED",) * 2


def test_a_change_that_cannot_be_taken_back_is_judged_as_it_stands(ledger: Path) -> None:
    edit(ledger, "UPDATE records SET raw = x'00' WHERE seq = 3")
    beside = Path(f"{ledger}-journal")
    beside.write_bytes(b"x" * 600)
    assert verify(ledger, POLICY).verdict == "TAMPERED"
    with reachable() as folder:
        shutil.copyfile(ledger, folder / "l.sqlite3")
        shutil.copyfile(beside, folder / "l.sqlite3-journal")
        (folder / "l.sqlite3-journal").chmod(0)
        with powerless():
            assert verify(folder / "l.sqlite3", POLICY).verdict == "TAMPERED"


def test_what_cannot_be_copied_or_is_no_database_is_told(ledger: Path, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be copied"), rolled_back(ledger):
        pytest.fail("there is no -journal")
    for tail in ("", "-journal"):
        (tmp_path / f"none{tail}").write_bytes(b"x" * 5000)
    with pytest.raises(IntegrityError), rolled_back(tmp_path / "none"):
        pytest.fail("it is no database")


@pytest.mark.parametrize("make", JOURNALS)
def test_one_of_another_is_refused_to_who_writes_and_left_out_by_who_reads(
    ledger: Path, tmp_path: Path, make: Callable[[Path], bytes]
) -> None:
    beside = Path(f"{ledger}-journal")
    beside.write_bytes(make(tmp_path))
    before = sides(ledger)
    with pytest.raises(IntegrityError, match="-journal is of another database") as refused:
        opened(ledger.parent)
    assert refused.value.subject == str(beside)
    assert "move the -journal away" in (refused.value.hint or "")
    assert (verify(ledger, POLICY).verdict, len(stored(open_readonly(ledger)))) == ("VERIFIED", 6)
    assert [one.code for one in look(ledger).causes] == ["journal"]
    assert sides(ledger) == before
    beside.unlink()
    with closing(opened(ledger.parent)) as again:
        assert again.append(step(9, "policy.changed"))[0].seq == 6


@pytest.mark.parametrize("make", JOURNALS)
@pytest.mark.parametrize("tails", [("-wal",), ("-wal", "-shm")])
def test_beside_a_log_it_is_left_out_too(
    ledger: Path, tmp_path: Path, make: Callable[[Path], bytes], tails: tuple[str, ...]
) -> None:
    living, left = opened(ledger.parent), tmp_path / "left"
    living.append(step(7, "policy.changed"))
    shutil.copytree(ledger.parent, left)
    living.close()
    for tail in {"-wal", "-shm"} - set(tails):
        (left / f"l.sqlite3{tail}").unlink()
    (left / "l.sqlite3-journal").write_bytes(make(tmp_path))
    before = sides(left / "l.sqlite3")
    with pytest.raises(IntegrityError, match="-journal is of another database"):
        opened(left)
    assert verify(left / "l.sqlite3", POLICY).verdict == "VERIFIED"
    assert len(stored(open_readonly(left / "l.sqlite3"))) == 7
    assert sides(left / "l.sqlite3") == before


def test_nothing_or_the_beginning_of_one_is_no_journal(ledger: Path) -> None:
    for content in (b"", bytes(512)):
        Path(f"{ledger}-journal").write_bytes(content)
        with closing(opened(ledger.parent)) as again:
            again.append(step(len(content), "policy.changed"))
        assert verify(ledger, POLICY).verdict == "VERIFIED"


PAGE = 4096


def of_the_mode(file: bytes, number: int = 1, pages: int | None = None) -> bytes:
    """The journal of who changes the mode of that file (sqlite.org/fileformat2.html section 3)."""
    sizes = (1, 7, len(file) // PAGE if pages is None else pages, 512, PAGE)
    header = bytes.fromhex("d9d505f920a163d7") + b"".join(one.to_bytes(4, "big") for one in sizes)
    page = file[:PAGE]
    check = 7 + sum(page[at] for at in range(PAGE - 200, 0, -200))
    return header.ljust(512, b"\0") + number.to_bytes(4, "big") + page + check.to_bytes(4, "big")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy that is not in WAL mode."""
    edit(made(tmp_path / "l.sqlite3", 5), "VACUUM INTO ?", str(tmp_path / "copy.sqlite3"))
    return tmp_path / "copy.sqlite3"


def test_one_of_who_was_killed_while_he_changed_the_mode_is_played_in(copy: Path) -> None:
    before = copy.read_bytes()
    for file in (before, before[:18] + b"\2\2" + before[20:24] + b"\0\0\0\2" + before[28:]):
        copy.write_bytes(file)
        Path(f"{copy}-journal").write_bytes(of_the_mode(before))
        assert len(stored(open_readonly(copy))) == 6
        assert copy.read_bytes() == file
        with closing(begin(copy)) as ledger:
            assert append(ledger, step(7))[0].seq == 6
        assert "copy.sqlite3-journal" not in names(copy.parent)


@pytest.mark.parametrize("how", ["page", "pages", "longer", "first page", "no database"])
def test_one_that_would_change_more_than_the_mode_is_refused(copy: Path, how: str) -> None:
    file = copy.read_bytes()
    journal = {
        "page": of_the_mode(file, number=2),
        "pages": of_the_mode(file, pages=3),
        "longer": of_the_mode(file) + b"\0",
        "first page": of_the_mode(file[:40] + b"\1" + file[41:]),
        "no database": of_the_mode(file),
    }[how]
    if how == "no database":
        copy.write_bytes(b"x" * len(file))
    Path(f"{copy}-journal").write_bytes(journal)
    before = sides(copy)
    with pytest.raises(IntegrityError):
        begin(copy)
    assert sides(copy) == before


def test_what_is_a_folder_is_told(copy: Path) -> None:
    beside = Path(f"{copy}-journal")
    beside.mkdir()
    with pytest.raises(IntegrityError, match="-journal is not a file"):
        begin(copy)


def test_one_that_may_not_be_read_is_a_storage_error() -> None:
    with reachable() as folder:
        path = made(folder / "l.sqlite3", 1)
        beside = Path(f"{path}-journal")
        beside.write_bytes(b"x")
        beside.chmod(0)
        with powerless(), pytest.raises(StorageError, match="-journal cannot be read"):
            begin(path)


def test_sqlite_itself_would_write_it_over_the_ledger(ledger: Path, tmp_path: Path) -> None:
    Path(f"{ledger}-journal").write_bytes(of_another(tmp_path))
    before = ledger.read_bytes()
    with closing(sqlite3.connect(ledger)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    assert ledger.read_bytes() != before
