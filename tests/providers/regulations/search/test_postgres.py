"""The engine in PostgreSQL: the same answers as the embedded one, and what a user hears of its server."""

import socket
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from providers.regulations.corpus import Corpus
from providers.regulations.node import Node
from providers.regulations.search.postgres_index import PostgresIndex
from providers.regulations.search.postgres_place import Place, postgres_index
from providers.regulations.search.seam import Terms, Within
from providers.regulations.search.service import RegulationsSearch
from schemas.errors import NotFoundError, NotReadyError, StorageError, UsageError
from schemas.regulations import RegulationsSearchRequest as Request
from tests.postgres import OWNER, PASSWORD, Server
from tests.providers.regulations.search.town import Found, clock, town

NEW = "street-lights@2031-03-04#"
QUERIES = (
    "棉布", "打碎灯罩 罚款", "路灯", "第二条", "路灯管理条例 罚款", "路灯管理条例", "镇长令第7号", "桥",
    "养护", "马车通行办法第二条 棉布", "灯罩被小偷偷东西拿走", "绕行", "灯油 夜间停航 水井加盖 棉布",
    "遇到行人",
)  # fmt: skip


@pytest.fixture(scope="module")
def index(postgres: Server) -> Iterator[PostgresIndex]:
    postgres.create("regulations_search")
    made = PostgresIndex(Place.of(postgres.url("regulations_search")))
    yield made
    made.close()


@pytest.fixture(scope="module")
def there(published: Corpus, index: PostgresIndex) -> Found:
    search = RegulationsSearch(published, index, clock)
    search.build()
    return Found(search, published)


@pytest.fixture
def empty(database: str) -> Iterator[PostgresIndex]:
    made = PostgresIndex(Place.of(database))
    yield made
    made.close()


@pytest.mark.parametrize("query", QUERIES)
def test_both_engines_answer_alike(found: Found, there: Found, query: str) -> None:
    for asked in (
        *({}, {"current_only": True}, {"kinds": ("办法",)}, {"doc_no": "镇长令第5号"}),
        *({"clause_no": "第三条"}, {"clause_no": "第二条", "current_only": True}, {"limit": 2}),
    ):
        assert there.result(query, **asked) == found.result(query, **asked)


@given(
    st.text(max_size=60) | st.text("路灯管理条例打碎灯罩马车桥上罚款第一二条（）《》2031年号令", max_size=60)
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_both_engines_answer_any_query_alike(found: Found, there: Found, query: str) -> None:
    assert there.result(query) == found.result(query)


def test_what_is_recalled_has_one_order_in_both_engines(
    found: Found, there: Found, published: Corpus
) -> None:
    revision = published.pinned()
    one, other = found.search._legs.index, there.search._legs.index
    terms = Terms(("灯罩", "路灯", "罚款", "没有"), ("灯", "无"))
    for within in (
        Within(),
        Within({"carts@2020-02-02", "strangers@2001-01-01"}),
        Within(None, "art2"),
        Within(()),
    ):
        assert one.recall(revision, terms, within, 3) == other.recall(revision, terms, within, 3)
    assert other.recall(revision, Terms(()), Within(), 3).candidates == ()


def test_nothing_is_indexed_until_it_is_built_and_dropped_things_are_gone(
    empty: PostgresIndex, published: Corpus
) -> None:
    revision = published.pinned()
    empty.drop(revision)
    assert not empty.has(revision)
    result = RegulationsSearch(published, empty, clock).search(Request(query="棉布"))
    assert (result.state, result.hits) == ("unavailable", ())
    with pytest.raises(NotFoundError, match="is not indexed at postgresql://owner@127"):
        empty.leading(revision, "carts@2020-02-02", 1)
    for _ in range(2):
        empty.build(revision, published.nodes(), published.editions())
    assert empty.has(revision)
    assert tables(empty) == {"2_edition", "2_term", "2_unit", "2_words", "revisions"}
    empty.drop(revision)
    assert not empty.has(revision)
    assert tables(empty) == {"revisions"}


def tables(index: PostgresIndex) -> set[str]:
    with psycopg.connect(index._place.url) as db:
        rows = db.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'kbreg%'"
        ).fetchall()
    return {name.removeprefix("kbreg_") for (name,) in rows}


def test_a_build_that_fails_leaves_what_was_there(empty: PostgresIndex, published: Corpus) -> None:
    revision = published.pinned()
    empty.build(revision, published.nodes(), published.editions())

    def failing() -> Iterator[Node]:
        yield next(iter(published.nodes()))
        raise OSError("the corpus is gone")

    with pytest.raises(OSError, match="gone"):
        empty.build(revision, failing(), published.editions())
    assert [hit.node_id for hit in searched(published, empty, "棉布").hits] == [f"{NEW}art3"]
    twice = [*published.nodes(), *published.nodes()]
    empty.build(revision, twice, published.editions())  # whoever gives a node twice has it twice
    assert [hit.node_id for hit in searched(published, empty, "棉布").hits] == [f"{NEW}art3"]


def searched(corpus: Corpus, index: PostgresIndex, query: str):  # type: ignore[no-untyped-def]
    return RegulationsSearch(corpus, index, clock).search(Request(query=query))


def test_eight_readers_are_not_disturbed_by_two_publishers(empty: PostgresIndex, tmp_path: Path) -> None:
    with town(tmp_path) as corpus:
        search = RegulationsSearch(corpus, empty, clock)
        search.build()
        expected = [search.search(Request(query=query)) for query in QUERIES[:4]]
        done = threading.Event()
        wrong: list[object] = []

        def read() -> None:
            while not done.is_set():
                wrong.extend(
                    got
                    for query, wanted in zip(QUERIES[:4], expected, strict=True)
                    if (got := search.search(Request(query=query))) != wanted
                )

        def publish() -> None:
            for _ in range(3):
                search.build()

        readers = [threading.Thread(target=read) for _ in range(8)]
        publishers = [threading.Thread(target=publish) for _ in range(2)]
        for thread in (*readers, *publishers):
            thread.start()
        for thread in publishers:
            thread.join()
        done.set()
        for thread in readers:
            thread.join()
        assert wrong == []
        assert len(tables(empty)) == 5


def test_a_text_as_long_as_a_book_and_one_with_a_nul_are_indexed(
    empty: PostgresIndex, published: Corpus
) -> None:
    revision = published.pinned()
    chance = Random(7)
    book = "".join(chr(chance.randrange(0x4E00, 0x9FA5)) for _ in range(16_000))
    node = published.node("", f"{NEW}art3")
    nodes = [replace(node, text=f"{book}。\0棉布 {'x' * 2500}"), published.node("", f"{NEW}art4")]
    empty.build(revision, nodes, published.editions())
    for term in (book[:2], book[15_990:15_992], "棉布"):
        recalled = empty.recall(revision, Terms((term,)), Within(), 5)
        assert [one.path for one in recalled.candidates] == ["art3"]
    assert empty.recall(revision, Terms(("x" * 2500,)), Within(), 5).candidates == ()


def test_a_connection_that_was_cut_is_made_anew(there: Found, index: PostgresIndex) -> None:
    before = there.result("棉布")
    assert index._reading().info.status.name == "OK"
    with psycopg.connect(index._place.url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", (index._reading().info.backend_pid,))
    assert there.result("棉布") == before


def test_tables_that_somebody_dropped_are_told(empty: PostgresIndex, published: Corpus) -> None:
    revision = published.pinned()
    empty.build(revision, published.nodes(), published.editions())
    with psycopg.connect(empty._place.url, autocommit=True) as other:
        other.execute("DROP TABLE kbreg_1_words")
    with pytest.raises(StorageError, match=r'postgresql://owner@.*"kbreg_1_words" does not exist'):
        empty.recall(revision, Terms(("棉布",)), Within(), 5)
    assert empty.leading(revision, "carts@2020-02-02", 1) == ["art1"]
    empty.build(revision, published.nodes(), published.editions())
    assert searched(published, empty, "棉布").state == "ok"


def test_a_user_who_may_not_write_is_told_so(
    postgres: Server, empty: PostgresIndex, published: Corpus
) -> None:
    empty.build(published.pinned(), published.nodes(), published.editions())
    database = empty._place.url.rpartition("/")[2]
    with psycopg.connect(empty._place.url, autocommit=True) as owner:
        owner.execute("CREATE ROLE reader LOGIN PASSWORD 'lesen'")
        owner.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
    reading = PostgresIndex(Place.of(postgres.url(database, "reader", "lesen")))
    assert searched(published, reading, "棉布").state == "ok"
    with pytest.raises(NotReadyError, match="permission denied"):
        reading.build(published.pinned(), published.nodes(), published.editions())
    reading.close()


def closed_port(_: Server) -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"postgresql://{OWNER}:geheim@127.0.0.1:{taken.getsockname()[1]}/postgres"


@pytest.mark.parametrize("url", [closed_port, lambda server: server.url(password="geheim")])  # noqa: S106
def test_without_its_server_words_are_unavailable_and_evidence_resolves(
    postgres: Server, published: Corpus, url: Callable[[Server], str]
) -> None:
    search = RegulationsSearch(published, PostgresIndex(Place.of(url(postgres))), clock)
    words = search.search(Request(query="棉布"))
    assert (words.state, words.hits) == ("unavailable", ())
    assert "cannot be reached" in words.degraded_reasons[0]
    assert "geheim" not in words.degraded_reasons[0]
    number = search.search(Request(query="路灯管理条例第三条"))
    assert number.hits[0].node_id == f"{NEW}art3"
    assert search.search(Request(query="路灯管理条例第三条 棉布")).state == "degraded"
    assert published.resolve("", f"{NEW}art3").hash_verified
    with pytest.raises((StorageError, NotReadyError), match="cannot be reached") as told:
        search.build()
    assert "geheim" not in f"{told.value} {told.value.hint} {told.value.subject}"


def test_without_the_extra_it_is_told_how_to_install_it(
    published: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "providers.regulations.search.postgres_index")
    monkeypatch.delitem(sys.modules, "providers.regulations.search.postgres_build", raising=False)
    missing = postgres_index(Place.of("postgresql://127.0.0.1/x"))
    search = RegulationsSearch(published, missing, clock)
    words = search.search(Request(query="棉布"))
    assert words.state == "unavailable"
    assert "pip install '.[postgres]' in a checkout of the project" in words.degraded_reasons[0]
    for call in (
        search.build,
        lambda: search.drop("kbr1-0"),
        lambda: missing.recall("kbr1-0", Terms(()), Within(), 1),
        lambda: missing.leading("kbr1-0", "x", 1),
        lambda: missing.holding("kbr1-0", "x"),
    ):
        with pytest.raises(NotReadyError):
            call()
    missing.close()


@pytest.mark.parametrize(
    "url",
    [
        "mysql://127.0.0.1/x", "postgresql://owner:ge@heim@127.0.0.1/x", "postgresql://owner:ge/heim@127.0.0.1/x",
        "postgresql://owner:geheim%@127.0.0.1/x", "postgresql://owner:geheim@127.0.0.1/x#y", "geheim",
    ],
)  # fmt: skip
def test_an_address_that_is_none_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(UsageError, match="--index names an index in PostgreSQL") as told:
        Place.of(url)
    assert "heim" not in f"{told.value} {told.value.hint}"


def test_an_option_that_libpq_does_not_know_is_a_wrong_call_without_the_password() -> None:
    index = PostgresIndex(Place.of("postgresql://owner:geheim@127.0.0.1/x?colour=red"))
    with pytest.raises(UsageError, match=r"postgresql://owner@127\.0\.0\.1/x is no URL") as told:
        index.has("kbr1-0")
    assert "geheim" not in str(told.value)
    assert Place.of("postgres://127.0.0.1:5432").shown == "postgresql://127.0.0.1:5432/"
    assert PASSWORD not in Place.of("postgresql://owner:x@h1,h2/db?a=b").shown
