"""A corpus from import to withdrawal: R1 to R7 of regulations.md section 9, and hashVerified of section 6."""

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from providers.regulations import manifest
from providers.regulations.corpus import Corpus
from providers.regulations.importer import Asset
from providers.regulations.intake import Source
from schemas.dates import instant
from schemas.errors import (
    BusyError,
    IntegrityError,
    InvalidError,
    NotFoundError,
    NotReadyError,
    OrderError,
    StorageError,
)
from tests.providers.regulations.corpora import NODE, NOW, OLD, clock, opened, source
from tests.providers.regulations.law import CHAPTERS, Dress, edition

CHANGED = source(law=(CHAPTERS[0], CHAPTERS[1]), accept=("changed:lighthouse-rules@2031-03-04",))


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Corpus]:
    with opened(tmp_path, OLD, source()) as made:
        yield made


def edit(path: Path, sql: str, *values: object) -> None:
    """What somebody else does to the file."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute(sql, values)
    finally:
        connection.close()


def test_a_published_node_knows_all_that_evidence_needs(corpus: Corpus) -> None:
    revision = corpus.publish("reviewer")
    node = corpus.node(revision, NODE)
    assert node.text.startswith("灯塔分为下列三种：\n岸上的灯塔")
    assert node.sha256 == hashlib.sha256(node.text.encode()).hexdigest()
    assert node.source_asset_sha256 == hashlib.sha256(Dress().render(CHAPTERS)).hexdigest()
    assert (node.regulation_id, node.edition_id) == ("lighthouse-rules", "lighthouse-rules@2031-03-04")
    assert (node.kind, node.clause_no, node.clause_key) == ("p", "第二条第一款", "2.1")
    assert (node.heading_path, node.parent) == (("第一章 总则",), "lighthouse-rules@2031-03-04#art2")
    assert (node.start, node.end, node.page_start, node.page_end) == (0, len(node.text), None, None)


def test_the_manifest_alone_lets_another_machine_verify(corpus: Corpus) -> None:
    revision = corpus.publish()
    data = corpus.manifest()
    manifest.verify(data, revision)
    told = {
        node["nodeId"]: node["nodeSha256"] for one in json.loads(data)["editions"] for node in one["nodes"]
    }
    assert told == {node.node_id: node.sha256 for node in corpus.nodes()}
    with pytest.raises(IntegrityError, match="not of"):
        manifest.verify(data + b" ", revision)
    assert corpus.verify() == len(told)


def test_nodes_come_in_document_order_with_the_same_content_as_one_by_one(corpus: Corpus) -> None:
    revision = corpus.publish()
    nodes = list(corpus.nodes(revision))
    assert [node.edition_id for node in nodes] == sorted(node.edition_id for node in nodes)
    assert nodes == [corpus.node(revision, node.node_id) for node in nodes]


def test_equal_content_has_an_equal_revision_whatever_the_order(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    with opened(tmp_path / "one", OLD, source()) as one, opened(tmp_path / "two", source(), OLD) as two:
        assert one.publish() == two.publish()
        assert one.manifest() == two.manifest()


def test_r1_an_empty_revision_is_the_current_one_and_r2_an_unknown_one_is_an_error(corpus: Corpus) -> None:
    revision = corpus.publish()
    assert corpus.pinned("") == revision == corpus.current()
    assert corpus.resolve("", NODE).corpus_revision == revision
    with pytest.raises(NotFoundError, match="unknown corpus revision"):
        corpus.resolve("kbr1-" + "0" * 32, NODE)
    with pytest.raises(NotFoundError, match="not in"):
        corpus.resolve(revision, NODE + "/i9")
    with pytest.raises(NotFoundError, match="not in"):
        corpus.node(revision, "other@2000#art1")
    with pytest.raises(InvalidError):
        corpus.resolve(revision, "")


def test_r5_nothing_published_is_not_ready_and_never_empty(corpus: Corpus) -> None:
    assert corpus.current() is None
    with pytest.raises(NotReadyError):
        corpus.resolve("", NODE)


def test_a_draft_is_read_by_its_exact_id_and_a_flag_only(corpus: Corpus) -> None:
    revision = corpus.build()
    assert corpus.current() is None
    assert [(one.revision, one.state) for one in corpus.revisions()] == [(revision, "draft")]
    with pytest.raises(NotFoundError, match="draft"):
        corpus.node(revision, NODE)
    assert corpus.node(revision, NODE, draft=True).node_id == NODE
    assert corpus.resolve(revision, NODE, draft=True).hash_verified
    assert corpus.build() == revision
    assert corpus.publish("reviewer", revision) == revision
    assert corpus.revisions()[0].state == "published"


def test_r3_evidence_of_a_revision_is_the_same_after_the_next_after_vacuum_and_on_a_copy(
    corpus: Corpus, tmp_path: Path
) -> None:
    first = corpus.publish("a")
    before = corpus.resolve(first, NODE)
    texts = list(corpus.nodes(first))
    corpus.import_sources([CHANGED])
    second = corpus.publish("b")
    assert second != first
    assert corpus.current() == second
    assert corpus.resolve(first, NODE) == before
    edit(tmp_path / "corpus.sqlite3", "VACUUM")
    assert corpus.resolve(first, NODE) == before
    shutil.copy(tmp_path / "corpus.sqlite3", tmp_path / "copy.sqlite3")
    with Corpus.open(tmp_path / "copy.sqlite3", clock) as copy:
        assert copy.resolve(first, NODE) == before
        assert list(copy.nodes(first)) == texts
        assert copy.current() == second
    assert before.hash_verified
    assert [one.current for one in corpus.revisions()] == [True, False]
    assert {one.published_at for one in corpus.revisions()} == {instant(NOW)}
    assert corpus.publish("c", first) == corpus.current() == first


def test_many_editions_are_read_and_compacted(tmp_path: Path) -> None:
    sources = [source(f"{year}", effective_from=None) for year in range(1901, 1970)]
    with opened(tmp_path, *sources) as corpus:
        revision = corpus.publish()
        corpus.compact()
        assert corpus.path == tmp_path / "corpus.sqlite3"
        for _ in range(2):
            assert len(corpus.entries()) == 69
        assert len({node.edition_id for node in corpus.nodes(revision)}) == 69


def test_publishing_what_is_current_already_adds_no_history(corpus: Corpus) -> None:
    revision = corpus.publish("a")
    assert corpus.publish("b") == revision
    assert corpus.revisions()[0].actor == "a"


def test_r7_an_edition_is_dropped_with_a_tombstone_or_not_at_all(corpus: Corpus, tmp_path: Path) -> None:
    first = corpus.publish()
    edit(tmp_path / "corpus.sqlite3", "DELETE FROM drafts WHERE edition = ?", OLD.edition.edition_id)
    assert [one.kind for one in corpus.check()] == ["edition dropped"]
    with pytest.raises(InvalidError, match="tombstone"):
        corpus.publish()
    corpus.import_sources([OLD])
    corpus.remove(OLD.edition.edition_id, "重复收录")
    assert corpus.check() == []
    second = corpus.publish()
    assert json.loads(corpus.manifest())["tombstones"] == [
        {"editionId": OLD.edition.edition_id, "reason": "重复收录"}
    ]
    manifest.verify(corpus.manifest(), second)
    assert len(corpus.editions()) == 1
    assert len(corpus.editions(first)) == 2
    with pytest.raises(NotFoundError):
        corpus.remove(OLD.edition.edition_id, "再次")
    with pytest.raises(InvalidError):
        corpus.remove("lighthouse-rules@2031-03-04", " ")


def test_problems_block_publishing_and_name_file_and_line(tmp_path: Path) -> None:
    broken = source(data="灯塔维护条例\n第一条 甲。\n第三条 乙。\n".encode())
    with opened(tmp_path, broken) as corpus:
        assert [(one.where, one.kind) for one in corpus.check()] == [
            ("lighthouse-rules/2031-03-04.md:3", "gap before an article")
        ]
        with pytest.raises(InvalidError, match=r"2031-03-04\.md:3 条号缺漏 gap before an article"):
            corpus.publish()
        assert corpus.revisions() == []
        assert set(corpus.check()) <= set(corpus.defects())
        corpus.import_sources([Source(edition(accept=("gap:art3",)), broken.assets)])
        assert corpus.check() == []
        assert corpus.publish()


def test_an_import_reports_what_it_took_in_and_each_claim_that_does_not_hold(tmp_path: Path) -> None:
    claimed = source(claimed_status="已废止", status_as_of="2031-07-01")
    early = source("1990-01-01", effective_from="1990-01-01", effective_to="1995-01-01")
    with opened(tmp_path) as corpus:
        report = corpus.import_sources([claimed, OLD, early])
        assert len(report.editions) == 3
        assert report.nodes > 50
        assert report.problems == ()
        told = {one.kind: one.detail for one in report.defects}
        assert (
            told["claimed status differs"]
            == "来源称 claimed 已废止，按日期推算 by its dates 现行有效（2031-07-01）"
        )
        assert told["gap between editions"] == (
            "lighthouse-rules@2001-01-01 施行之前没有有效的版本"
            " nothing is in force before lighthouse-rules@2001-01-01"
        )


def test_a_time_between_editions_is_noted_whichever_import_brought_them(tmp_path: Path) -> None:
    with opened(tmp_path, OLD) as corpus:
        assert corpus.notes() == []
        early = source("1990-01-01", effective_from="1990-01-01", effective_to="1995-01-01")
        report = corpus.import_sources([early])
        [note] = [one for one in report.defects if one.kind == "gap between editions"]
        assert (corpus.notes(), corpus.check(), note.blocks) == ([note], [], False)
        assert note in corpus.defects()


def test_e3_overlapping_intervals_and_an_empty_corpus_are_not_published(tmp_path: Path) -> None:
    with opened(tmp_path) as corpus:
        with pytest.raises(InvalidError, match="no edition"):
            corpus.publish()
        corpus.import_sources([source("2001-01-01", effective_from="2001-05-01"), source()])
        with pytest.raises(InvalidError, match="intervals overlap"):
            corpus.publish()


def test_another_source_of_an_edition_is_kept_and_how_it_differs_is_told(tmp_path: Path) -> None:
    primary = source()
    same = Asset(Dress(bold=True, half_width=True).render(CHAPTERS), "same.md")
    other = Asset(Dress().render(CHAPTERS[:2]), "other.txt")
    scan = Asset(b"\x89PNG", "scan.png")
    both = Source(primary.edition, (*primary.assets, same, other, scan))
    with opened(tmp_path) as corpus:
        report = corpus.import_sources([both])
        told = {(one.file, one.kind): one.detail for one in report.defects if one.kind.startswith("variant")}
        assert told == {
            (
                "other.txt",
                "variant differs",
            ): "6 条中 1 条不同，第一处 of so many articles differ, first art5",
            ("scan.png", "variant not read"): "scan.png：不支持这种文件 no reader for .png",
        }
        corpus.publish()
        [entry] = corpus.entries()
        assert [one.primary for one in entry.assets] == [True, False, False, False]
        assert corpus.verify()


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("UPDATE texts SET text = text || '。'", "text"),
        ("DELETE FROM texts", "text"),
        ("DELETE FROM assets", "asset"),
        ("UPDATE entries SET data = CAST(replace(data, '第二条', '第九条') AS BLOB)", "manifest"),
        ("DELETE FROM entries", "manifest"),
        ("UPDATE members SET entry = (SELECT max(sha256) FROM entries)", "manifest"),
        ('UPDATE revisions SET tombstones = \'[{"editionId":"a@2000","reason":"b"}]\'', "manifest"),
    ],
)
def test_any_change_of_stored_bytes_is_told_and_no_excerpt_is_given(
    corpus: Corpus, tmp_path: Path, sql: str, reason: str
) -> None:
    revision = corpus.publish()
    assert corpus.resolve(revision, NODE).hash_verified
    edit(tmp_path / "corpus.sqlite3", sql)
    found = corpus.resolve(revision, NODE)
    assert found.hash_verified is False
    assert (found.shown.disclosure, found.shown.withheld_reason, found.shown.excerpt) == (
        "withheld", "hash mismatch", "",
    )  # fmt: skip
    assert (found.clause_no == "") is (reason == "manifest")
    with pytest.raises(IntegrityError):
        corpus.verify()
    if reason == "text":
        with pytest.raises(IntegrityError):
            list(corpus.nodes())


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("UPDATE texts SET text = text || '。'", "not what its hash says"),
        (
            "UPDATE entries SET data = CAST(replace(data, '第二条', '第九条') AS BLOB)",
            "not what its hash says",
        ),
        ("UPDATE assets SET data = CAST(data || '。' AS BLOB)", "asset changed"),
        ("DELETE FROM assets", "asset changed"),
    ],
)
def test_what_changed_since_the_import_is_not_published(
    corpus: Corpus, tmp_path: Path, sql: str, message: str
) -> None:
    edit(tmp_path / "corpus.sqlite3", sql)
    with pytest.raises((IntegrityError, InvalidError), match=message):
        corpus.publish()
    assert corpus.revisions() == []


def test_an_audit_finds_an_asset_that_changed(corpus: Corpus, tmp_path: Path) -> None:
    corpus.publish()
    edit(tmp_path / "corpus.sqlite3", "UPDATE assets SET data = CAST(data || '。' AS BLOB)")
    with pytest.raises(IntegrityError, match="asset"):
        corpus.verify()


def test_a_withdrawn_revision_keeps_ids_and_hashes_and_loses_its_texts(
    corpus: Corpus, tmp_path: Path
) -> None:
    first = corpus.publish()
    sha = corpus.node(first, NODE).sha256
    secret = corpus.node(first, "lighthouse-rules@2031-03-04#art5").text
    shared = corpus.node(first, "lighthouse-rules@2001-01-01#art1").text
    corpus.import_sources([CHANGED])
    second = corpus.publish()
    corpus.withdraw(first, "权利人要求", "counsel")
    found = corpus.resolve(first, NODE)
    assert (found.shown.disclosure, found.shown.withheld_reason) == ("withheld", "the revision was withdrawn")
    assert (found.node_sha256, found.hash_verified, found.clause_no) == (sha, False, "第二条第一款")
    with pytest.raises(NotFoundError, match="withdrawn"):
        corpus.node(first, NODE)
    manifest.verify(corpus.manifest(first), first)
    assert corpus.current() == second
    assert corpus.verify(second)
    corpus.close()
    stored = (tmp_path / "corpus.sqlite3").read_bytes()
    assert secret.encode() not in stored
    assert shared.encode() in stored
    states = {one.revision: (one.state, one.reason, one.actor) for one in corpus.revisions()}
    assert states[first] == ("withdrawn", "权利人要求", "counsel")


def test_after_the_current_revision_is_withdrawn_nothing_takes_its_place(corpus: Corpus) -> None:
    first = corpus.publish()
    corpus.import_sources([CHANGED])
    second = corpus.publish()
    corpus.withdraw(second, "错版")
    assert corpus.current() is None
    with pytest.raises(OrderError):
        corpus.withdraw(second, "错版")
    with pytest.raises(OrderError):
        corpus.publish("a", second)
    with pytest.raises(InvalidError):
        corpus.withdraw(first, "")
    assert corpus.publish("a", first) == corpus.current()


@pytest.mark.parametrize("level", ["full", "excerpt", "metadata_only", "withheld"])
def test_disclosure_is_stored_with_the_edition_and_holds_when_evidence_is_resolved(
    tmp_path: Path, level: str
) -> None:
    with opened(tmp_path, source(disclosure=level, withheld_reason="来源权利限制")) as corpus:
        revision = corpus.publish()
        found = corpus.resolve(revision, NODE, 2, 6)
        assert found.hash_verified
        assert found.node_sha256 == corpus.node(revision, NODE).sha256
        assert found.shown.excerpt == ("分为下列" if level in ("full", "excerpt") else "")
        assert corpus.edition(revision, "lighthouse-rules@2031-03-04").disclosure == level
        with pytest.raises(InvalidError):
            corpus.resolve(revision, NODE, 2, 10_000)


def test_opening_what_is_no_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        opened(tmp_path, create=False)
    path = tmp_path / "corpus.sqlite3"
    path.write_bytes(b"not a database at all, but long enough to be looked at " * 40)
    with pytest.raises(IntegrityError):
        opened(tmp_path)
    path.unlink()
    edit(path, "CREATE TABLE other (a)")
    with pytest.raises(IntegrityError, match="not a corpus"):
        opened(tmp_path)
    path.unlink()
    opened(tmp_path).close()
    edit(path, "CREATE TABLE other (a)")
    with pytest.raises(IntegrityError, match="layout"):
        opened(tmp_path)
    with pytest.raises(StorageError):
        Corpus.open(tmp_path / "missing" / "corpus.sqlite3", clock, create=True)


def test_a_failed_import_leaves_nothing(corpus: Corpus) -> None:
    before = len(corpus.defects())
    with pytest.raises(InvalidError):
        corpus.import_sources([CHANGED, source("2040-01-01", data=b"\xff\xfe\xff")])
    assert len(corpus.defects()) == before


def test_a_writer_that_waits_too_long_is_told_to_try_again(tmp_path: Path) -> None:
    from providers.regulations.store import Store

    path = tmp_path / "corpus.sqlite3"
    first, second = Store(path, create=True), Store(path, wait_seconds=0.05)
    with first.writing(), pytest.raises(BusyError), second.writing():
        raise AssertionError("two writers")
    with pytest.raises(IntegrityError):
        first.run("SELECT nothing")
    with pytest.raises(IntegrityError):
        first.run_many("SELECT nothing", [()])
    with pytest.raises(IntegrityError):
        list(first.stream("SELECT nothing"))
    first.close()
    second.close()


def test_the_heading_path_names_sections_and_annexes_too(tmp_path: Path) -> None:
    data = (
        "灯塔指导原则\n一、范围\n（一）岸上\n1.石塔\n应当刷白。\n"
        "附录\n一、样式\n甲。\n附录：罚则\n第一章 总则\n第一条 乙。\n"
    ).encode()
    with opened(tmp_path, source(data=data, title="灯塔指导原则")) as corpus:
        corpus.publish()
        paths = {node.node_id.partition("#")[2]: node.heading_path for node in corpus.nodes()}
        assert paths["x11/x21/x31/p1"] == ("一、 范围", "（一） 岸上", "1. 石塔")
        assert paths["anx1/x11/p1"] == ("附录", "一、 样式")
        assert paths["anx2/art1/p1"] == ("附录 罚则", "第一章 总则")
        one = "lighthouse-rules@2031-03-04#anx2/art1/p1"
        assert corpus.node("", one).heading_path == paths["anx2/art1/p1"]


@pytest.mark.parametrize("marks", ["", "## "])
def test_the_heading_path_prints_decimal_numbers_whole(tmp_path: Path, marks: str) -> None:
    data = (
        f"灯塔维护条例\n{marks}1 总则\n甲。\n{marks}2 要求\n#{marks}2.1 一般要求\n#{marks}2.1.1 灯罩\n乙。\n"
    )
    with opened(tmp_path, source(data=data.encode())) as corpus:
        corpus.publish()
        paths = {node.node_id.partition("#")[2]: node.heading_path for node in corpus.nodes()}
        assert paths["x12/x21/x31/p1"] == ("2 要求", "2.1 一般要求", "2.1.1 灯罩")
        one = f"{corpus.editions()[0].edition_id}#x12/x21/x31/p1"
        assert corpus.node("", one).heading_path == ("2 要求", "2.1 一般要求", "2.1.1 灯罩")
