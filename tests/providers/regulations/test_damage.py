"""A corpus or an index that somebody damaged, exchanged or only began: every call tells it, none lies."""

import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from providers.regulations.corpus import Corpus
from providers.regulations.search.fulltext import FOREIGN
from providers.regulations.search.service import RegulationsSearch
from providers.regulations.search.sqlite_index import SqliteIndex
from providers.regulations.store import Store
from schemas.errors import EvidenceError, IntegrityError, InvalidError, NotFoundError, StorageError
from schemas.regulations import RegulationsSearchRequest, RegulationsSearchResult
from tests.providers.regulations.corpora import NODE, clock, opened, source

QUERIES = ("灯塔", "灯塔维护条例第二条", "灯塔维护条例", "灯塔委员会令第7号")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, dict[str, str]]:
    """A published and indexed corpus with a tombstone, its revision, its texts by node id."""
    folder = tmp_path_factory.mktemp("kept")
    with opened(folder, source(), source("2032-01-01", effective_from="2032-02-01")) as corpus:
        corpus.remove("lighthouse-rules@2032-01-01", "没有这一版")
        revision = corpus.publish()
        RegulationsSearch(corpus, SqliteIndex(folder / "index"), clock).build()
        texts = {node.node_id: node.text for node in corpus.nodes()}
    return folder, revision, texts


def searched(folder: Path, corpus: Corpus, query: str, revision: str) -> RegulationsSearchResult:
    index = SqliteIndex(folder / "index")
    try:
        search = RegulationsSearch(corpus, index, clock)
        return search.search(RegulationsSearchRequest(query=query, corpus_revision=revision))
    finally:
        index.close()


def test_whatever_bytes_are_changed_no_call_lies_or_fails_by_accident(
    tmp_path: Path, kept: tuple[Path, str, dict[str, str]]
) -> None:
    origin, revision, texts = kept
    whole = (origin / "corpus.sqlite3").read_bytes()
    chance = random.Random(20310701)
    told = 0
    for _ in range(120):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 2, 8, 60))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        folder = tmp_path / "one"
        shutil.copytree(origin, folder)
        (folder / "corpus.sqlite3").write_bytes(data[: chance.choice((len(data), len(data), len(data) // 2))])
        told += _calls(folder, revision, texts)
        shutil.rmtree(folder)
    assert told > 100


def _calls(folder: Path, revision: str, texts: dict[str, str]) -> int:
    """How many calls told of damage; anything but an EvidenceError or the right text fails the test."""
    told = 0
    try:
        corpus = Corpus.open(folder / "corpus.sqlite3", clock)
    except EvidenceError:
        return 1
    calls: list[Callable[[], object]] = [
        corpus.current, corpus.revisions, corpus.check, corpus.defects,
        lambda: corpus.manifest(revision), lambda: corpus.verify(revision),
        *(lambda query=query: searched(folder, corpus, query, revision) for query in QUERIES),
        corpus.publish, lambda: corpus.withdraw(revision, "损坏"),
    ]  # fmt: skip
    with corpus:
        for node_id, text in texts.items():
            try:
                found = corpus.resolve(revision, node_id)
            except EvidenceError:
                told += 1
                continue
            assert not found.hash_verified or found.shown.excerpt == text
            told += not found.hash_verified
        for call in calls:
            try:
                call()
            except EvidenceError:
                told += 1
    return told


@pytest.mark.parametrize("bad", [b"", b"junk" * 2000, None], ids=["empty", "junk", "changed"])
def test_a_damaged_index_is_told_and_numbers_are_still_found(
    tmp_path: Path, kept: tuple[Path, str, dict[str, str]], bad: bytes | None
) -> None:
    origin, revision, _ = kept
    shutil.copytree(origin, tmp_path / "one")
    path = SqliteIndex(tmp_path / "one" / "index").path(revision)
    if bad is None:
        bad = path.read_bytes().replace(b"CREATE TABLE unit", b"CREATE \xff\xfeBLE unit")
    path.write_bytes(bad)
    with Corpus.open(tmp_path / "one" / "corpus.sqlite3", clock) as corpus:
        words, clause, name = (searched(tmp_path / "one", corpus, query, revision) for query in QUERIES[:3])
    assert (words.state, words.hits) == ("unavailable", ())
    assert (clause.state, [hit.clause_no for hit in clause.hits]) == ("degraded", ["第二条"])
    assert name.state == "degraded"
    assert name.hits
    assert all("cannot be read" in found.degraded_reasons[0] for found in (words, clause, name))


def test_the_index_of_another_revision_is_none(
    tmp_path: Path, kept: tuple[Path, str, dict[str, str]]
) -> None:
    origin, revision, _ = kept
    folder = tmp_path / "one"
    shutil.copytree(origin, folder)
    index = SqliteIndex(folder / "index")
    other = "kbr1-" + "0" * 32
    index.path(revision).rename(index.path(other))
    with pytest.raises(StorageError, match=f"it is that of {revision}"):
        index.holding(other, "art1")
    with Corpus.open(folder / "corpus.sqlite3", clock) as corpus:
        assert searched(folder, corpus, "灯塔", revision).state == "unavailable"


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE edition SET edition_id = 'strangers@2001-01-01'",
        "UPDATE unit SET path = 'art99' WHERE path = 'art2'",
    ],
)
def test_what_an_index_makes_up_is_no_hit(
    tmp_path: Path, kept: tuple[Path, str, dict[str, str]], change: str
) -> None:
    origin, revision, texts = kept
    folder = tmp_path / "one"
    shutil.copytree(origin, folder)
    with closing(sqlite3.connect(SqliteIndex(folder / "index").path(revision))) as db:
        db.execute(change)
        db.commit()
    with Corpus.open(folder / "corpus.sqlite3", clock) as corpus:
        found = searched(folder, corpus, "灯塔", revision)
    assert (found.state, found.degraded_reasons) == ("degraded" if found.hits else found.state, (FOREIGN,))
    assert {hit.node_id for hit in found.hits} <= texts.keys()


def test_a_cell_of_another_type_in_an_index_is_told(
    tmp_path: Path, kept: tuple[Path, str, dict[str, str]]
) -> None:
    origin, revision, _ = kept
    folder = tmp_path / "one"
    shutil.copytree(origin, folder)
    index = SqliteIndex(folder / "index")
    with closing(sqlite3.connect(index.path(revision))) as db:
        db.execute("UPDATE unit SET path = CAST(path AS BLOB)")
        db.commit()
    with pytest.raises(StorageError, match="a bytes stands where text should"):
        index.leading(revision, "lighthouse-rules@2031-03-04", 3)
    index.close()


def test_a_withdrawal_takes_what_a_killed_build_left_and_what_a_running_one_makes(tmp_path: Path) -> None:
    with opened(tmp_path, source()) as corpus:
        revision = corpus.publish()
        index = SqliteIndex(tmp_path / "index")
        search = RegulationsSearch(corpus, index, clock)
        search.build()
        left = tmp_path / "index" / f"{revision}.1.1.part"
        left.write_bytes(b"a text")
        corpus.withdraw(revision, "权利")
        search.drop(revision)
        assert list((tmp_path / "index").iterdir()) == []

        class Late(SqliteIndex):
            def build(self, *given: object) -> None:
                super().build(*given)  # type: ignore[arg-type]
                corpus.withdraw(second, "权利")

        corpus.import_sources([source(label="又一次")])
        second = corpus.publish()
        RegulationsSearch(corpus, Late(tmp_path / "index"), clock).build()
        assert list((tmp_path / "index").iterdir()) == []
        search.drop(second)  # also where there is no folder any more
        (tmp_path / "index").rmdir()
        search.drop(second)


def test_an_empty_file_becomes_a_corpus_and_another_database_is_left_alone(tmp_path: Path) -> None:
    blank = tmp_path / "corpus.sqlite3"
    blank.touch()
    with pytest.raises(IntegrityError, match="is not a corpus"):
        Store(blank)
    with opened(tmp_path, source()) as corpus:
        assert corpus.publish()
    foreign = tmp_path / "foreign.sqlite3"
    with closing(sqlite3.connect(foreign)) as db:
        db.execute("CREATE TABLE theirs (it)")
    before = foreign.read_bytes()
    for create in (False, True):
        with pytest.raises(IntegrityError, match="is not a corpus"):
            Store(foreign, create=create)
    assert foreign.read_bytes() == before


def test_a_full_disk_is_told_as_one_and_the_corpus_goes_on(tmp_path: Path) -> None:
    with opened(tmp_path, source()) as corpus:
        store = corpus._store
        [(pages,)] = store.run("PRAGMA page_count")
        store.run(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StorageError, match="full"):
            corpus.import_sources([source("2032-01-01", data=("第一条　" + "甲乙丙丁" * 9000).encode())])
        store.run("PRAGMA max_page_count = 1000000")
        assert corpus.publish() == corpus.current()


def test_a_lone_surrogate_is_refused_and_no_error_of_pythons_own(tmp_path: Path) -> None:
    with opened(tmp_path, source()) as corpus:
        corpus.publish()
        with pytest.raises(InvalidError, match="surrogate"):
            corpus.resolve("kbr1-\ud800", NODE)
        with pytest.raises(NotFoundError):
            corpus.resolve("", "\ud800#art1")


def test_tombstones_that_are_no_json_and_entries_that_are_gone(tmp_path: Path) -> None:
    with opened(tmp_path, source()) as corpus:
        revision = corpus.publish()
        corpus._store.run("UPDATE revisions SET tombstones = ?", b"[")
        found = corpus.resolve(revision, NODE)
        assert (found.hash_verified, found.shown.excerpt) == (False, "")
        with pytest.raises(IntegrityError, match="tombstones"):
            corpus.manifest(revision)
        corpus._store.run("UPDATE revisions SET tombstones = ?", json.dumps([]).encode())
        corpus._store.run("DELETE FROM entries")
        with pytest.raises(IntegrityError, match="entry"):
            corpus.withdraw(revision, "权利")
        assert corpus.revisions()[0].state == "published"
