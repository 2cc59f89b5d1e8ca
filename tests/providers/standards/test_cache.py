"""Kept files: the same answers with and without them, and none that is damaged or foreign is believed."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.synthetic_library import synthetic
from providers.standards import cache, exhaustive
from providers.standards import index as index_module
from providers.standards import library as library_module
from providers.standards.index import Index
from providers.standards.library import COLUMNS, Library, StandardRecord, load, loads
from providers.standards.matching import search
from providers.standards.rules import Rules
from providers.standards.stored import StoredRecords
from schemas.errors import InvalidError, StorageError

MADE = synthetic(2_500, seed=3)
QUERIES = [text for record in MADE.records[::250] for text in (record.code, record.title, record.title[1:])]


@pytest.fixture(autouse=True)
def kept_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(library_module, "FEWEST_BYTES", 1)
    return tmp_path / "cache" / "external-evidence"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "list.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(COLUMNS)
        writer.writerows([list(record.to_wire().values()) for record in MADE.records])
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.suffix for path in folder.iterdir())


def answers(library: Library) -> list[object]:
    return [search(library, query) for query in QUERIES]


def test_an_unchanged_file_is_not_read_as_csv_again(
    file: Path, kept_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load(file)
    assert names(kept_files) == [".records"]
    monkeypatch.setattr(library_module, "loads", None)
    second = load(file)
    assert (len(second), second.revision, second.name) == (2_500, MADE.revision, "list.csv")
    assert second.records == first.records == MADE.records
    assert second.records[-2:] == MADE.records[-2:]


def test_an_index_that_was_kept_answers_as_one_that_was_made(
    file: Path, kept_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [exhaustive.search(MADE, query) for query in QUERIES]
    assert answers(load(file)) == expected
    assert names(kept_files) == [".index", ".records"]
    monkeypatch.setattr(index_module, "write", None)
    assert answers(load(file)) == expected


def test_other_rules_have_an_index_of_their_own(file: Path, kept_files: Path) -> None:
    held = load(file)
    search(held, "GB 1")
    search(held, "GB 1", rules=Rules.literal())
    assert names(kept_files) == [".index", ".index", ".records"]


def test_a_changed_file_is_another_library(file: Path) -> None:
    before = load(file)
    file.write_bytes(file.read_bytes().replace(MADE.records[0].title.encode(), "另一个名称".encode()))
    after = load(file)
    assert after.revision != before.revision
    assert after.records[0].title == "另一个名称"
    with pytest.raises(IndexError):
        after.records[2_500]


def spoil(path: Path, at: float) -> None:
    data = bytearray(path.read_bytes())
    data[int((len(data) - 1) * at)] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("at", [0.0, 0.00001, 0.0001, 0.3, 0.6, 0.95])
def test_a_damaged_file_is_as_good_as_none(file: Path, kept_files: Path, at: float) -> None:
    expected = answers(load(file))
    for path in kept_files.iterdir():
        spoil(path, at)
    held = load(file)
    assert (held.revision, answers(held)) == (MADE.revision, expected)
    assert held.records == MADE.records


@pytest.mark.parametrize("length", [0, 10, 45, 3_000])
def test_a_file_that_was_cut_off_is_as_good_as_none(file: Path, kept_files: Path, length: int) -> None:
    expected = answers(load(file))
    for path in kept_files.iterdir():
        path.write_bytes(path.read_bytes()[:length])
    assert answers(load(file)) == expected


def test_the_file_of_another_library_under_this_name_is_as_good_as_none(file: Path, kept_files: Path) -> None:
    answers(load(file))
    [mine] = kept_files.glob("*.records")
    other = file.with_name("other.csv")
    other.write_bytes(b"\n".join(file.read_bytes().split(b"\n")[:2_100]))
    assert len(load(other)) < 2_500
    [others] = set(kept_files.glob("*.records")) - {mine}
    mine.write_bytes(others.read_bytes())
    assert load(file).revision == MADE.revision


def test_a_file_that_others_can_write_is_as_good_as_none(file: Path, kept_files: Path) -> None:
    load(file)
    [path] = kept_files.glob("*.records")
    path.chmod(0o666)
    assert cache.find(path.name, {}) is None
    assert load(file).revision == MADE.revision
    # It was written anew.
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_kept_file_that_goes_while_it_is_in_use_is_made_good_from_the_library_file(
    file: Path, kept_files: Path
) -> None:
    load(file)
    held = load(file)
    for path in kept_files.iterdir():
        path.unlink()
    assert held.records[7] == MADE.records[7]
    assert isinstance(held.records, StoredRecords)


def test_a_library_file_that_changed_as_well_is_named(file: Path, kept_files: Path) -> None:
    load(file)
    held = load(file)
    for path in kept_files.iterdir():
        path.unlink()
    file.write_bytes(b"other")
    with pytest.raises(StorageError, match="changed while it was in use"):
        held.records[0]


def test_a_folder_that_cannot_be_made_stops_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(file))
    held = load(file)
    assert (held.revision, held.records) == (MADE.revision, MADE.records)
    assert answers(held) == [exhaustive.search(MADE, query) for query in QUERIES]


def test_no_half_written_file_stays_behind(
    file: Path, kept_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> Iterator[bytes]:
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert load(file).revision == MADE.revision
    assert list(kept_files.iterdir()) == []


def test_files_are_kept_where_the_user_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    for base in ("", "relative/folder"):
        monkeypatch.setenv(cache.FOLDER_VARIABLE, base)
        assert cache.folder() == Path("/home/someone/.cache/external-evidence")
    monkeypatch.setenv(cache.FOLDER_VARIABLE, "/elsewhere")
    assert cache.folder() == Path("/elsewhere/external-evidence")


def test_only_the_newest_files_are_kept(kept_files: Path) -> None:
    for number in range(20):
        cache.keep(f"{number}.records", {"number": number}, {}, {"a": b"abc", "b": b""})
    assert len(list(kept_files.iterdir())) == 16
    kept = cache.find("19.records", {"number": 19})
    assert kept is not None
    sections = kept.sections()
    assert sections is not None
    assert {name: bytes(section) for name, section in sections.items()} == {"a": b"abc", "b": b""}


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cache, "folder", lambda: Path("relative"))
    cache.keep("1.records", {}, {}, {})
    assert cache.find("1.records", {}) is None
    assert list(tmp_path.iterdir()) == []


def test_a_small_library_keeps_nothing(kept_files: Path) -> None:
    held = Library("small", MADE.records[:50])
    assert search(held, MADE.records[0].code)
    assert not kept_files.exists()


def test_stored_records_are_a_sequence_like_any_other(file: Path) -> None:
    load(file)
    stored = load(file).records
    assert list(stored) == list(MADE.records)
    assert hash(stored) == hash(load(file).records)
    assert stored.index(MADE.records[9]) == 9
    assert loads(file.read_bytes()).records == stored


def test_sections_without_a_record_are_an_index_too() -> None:
    assert Index(index_module.write(Library("none", ()), Rules())).named("甲") == ()


def test_a_record_that_no_file_could_hold_is_refused_by_name() -> None:
    with pytest.raises(InvalidError, match="cannot be written as canonical JSON"):
        Library("made", (StandardRecord("GB 1-2000", "", "\ud800", "", "", ""),))
