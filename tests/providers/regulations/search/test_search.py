"""What a search answers: by words, number, name and clause, under filters, in which state (issue 5)."""

import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from providers.regulations.corpus import Corpus
from providers.regulations.edition import Edition
from providers.regulations.importer import Asset
from providers.regulations.intake import Source
from providers.regulations.search.service import RegulationsSearch
from providers.regulations.search.sqlite_index import SqliteIndex
from schemas.errors import NotFoundError, StorageError
from schemas.regulations import RegulationsSearchRequest
from schemas.regulations_errors import InvalidRegulationsRequestError
from tests.providers.regulations.search.town import SOURCES, Found, clock, searching, town

NEW = "street-lights@2031-03-04#"
OLD = "street-lights@2001-01-01#"
UNTOLD = (
    "2 个版本不披露正文，未按字词检索"
    " editions whose texts are not disclosed and were not searched by words: 2"
)


def test_a_two_character_query_finds_its_clauses(found: Found) -> None:
    result = found.result("棉布")
    assert [hit.node_id for hit in result.hits] == [f"{NEW}art3"]
    assert result.state == "ok"
    assert result.hits[0].match_kinds == ("fulltext",)


def test_a_word_that_no_text_holds_is_empty_and_so_is_a_query_of_nothing(found: Found) -> None:
    for query in ("绕行", "", " \u3000", "？！", "\ud800", "\u200b"):
        result = found.result(query)
        notes = (UNTOLD,) if query == "绕行" else ()
        assert (result.state, result.hits, result.degraded_reasons) == ("empty", (), notes)


def test_one_character_and_an_ascii_word_are_queries_too(found: Found) -> None:
    assert found.ids("桥") == ["carts@2020-02-02#art2"]
    assert found.ids("bridge") == []


def test_a_text_that_editions_share_is_one_hit_in_the_edition_in_force(found: Found) -> None:
    assert found.ids("养护") == [f"{NEW}art1"]
    assert found.result("养护", as_of="2010-01-01").hits[0].node_id == f"{OLD}art1"


def test_a_text_in_force_comes_before_its_former_wording(found: Found) -> None:
    hits = found.result("打碎灯罩 罚款").hits
    assert [hit.node_id for hit in hits[:2]] == [f"{NEW}art4", f"{OLD}art4"]
    assert [hit.legal_status for hit in hits[:2]] == ["现行有效", "已修改"]


def test_an_article_of_excerpts_is_found_by_any_word_and_shows_its_beginning(found: Found) -> None:
    hit = found.result("遇到行人").hits[0]
    assert (hit.node_id, hit.disclosure) == ("carts@2020-02-02#art3", "excerpt")
    assert (hit.excerpt_start, hit.excerpt_end) == (0, 200)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("路灯管理条例第三条", [f"{NEW}art3", f"{OLD}art3"]),
        ("《路灯管理条例》第三条第一款第（二）项", [f"{NEW}art3/p1/i2"]),
        ("路灯管理条例 3条2项", [f"{NEW}art3", f"{OLD}art3"]),
        ("路灯管理条例第３条第二项", [f"{NEW}art3/p1/i2"]),
        ("路灯管理条例第四条之一", [f"{NEW}art4-1"]),
        ("路灯管理条例 4-1", [f"{NEW}art4-1"]),
        ("路灯条例第二条第二款", [f"{NEW}art2/p2"]),
        ("路灯管理条例（2001）第四条", [f"{OLD}art4"]),
        ("旧版路灯管理条例第四条", [f"{OLD}art4"]),
        ("最新路灯管理条例第四条", [f"{NEW}art4"]),
        ("路灯管理条例第九百条", []),
        ("镇长令第7号", [f"{NEW}note1", f"{NEW}art1", f"{NEW}art2"]),
        ("根据镇长令第五号第二条", [f"{OLD}art2"]),
        ("车监局令(2020)12号 第二条", ["carts@2020-02-02#art2"]),
        (
            "镇车监管局令〔2020〕12号",
            ["carts@2020-02-02#art1", "carts@2020-02-02#art2", "carts@2020-02-02#art3"],
        ),
        ("镇长令第99号", []),
        ("民法典第一千二百五十四条", []),
        ("《桥梁法》第二条", []),
    ],
)
def test_what_a_query_names_is_looked_up(found: Found, query: str, expected: list[str]) -> None:
    result = found.result(query, limit=3)
    assert [hit.node_id for hit in result.hits] == expected
    assert result.state == ("ok" if expected else "empty")
    assert all({"number", "title"} & set(hit.match_kinds) for hit in result.hits)


def test_a_clause_number_without_a_name_is_looked_up_everywhere_those_in_force_first(found: Found) -> None:
    ids = found.ids("第二条")
    assert ids[0] == f"{NEW}art2"
    assert {f"{OLD}art2", "carts@2020-02-02#art2"} <= set(ids)
    assert found.ids("本条例第二条")[0] == f"{NEW}art2"
    assert {kind for hit in found.result("3条").hits for kind in hit.match_kinds} == {"fulltext"}


def test_a_name_alone_shows_how_each_edition_begins(found: Found) -> None:
    result = found.result("路灯管理条例")
    assert [hit.node_id for hit in result.hits[:2]] == [f"{NEW}note1", f"{OLD}note1"]
    assert result.hits[0].match_kinds == ("title",)


def test_words_beside_a_name_are_looked_for_there_and_then_elsewhere(found: Found) -> None:
    assert found.ids("路灯管理条例 打碎灯罩")[:2] == [f"{NEW}art4", f"{OLD}art4"]
    assert "carts@2020-02-02#art2" in found.ids("路灯管理条例 打碎灯罩")
    assert found.ids("马车通行办法第二条 棉布") == ["carts@2020-02-02#art2", f"{NEW}art3"]


def test_words_beside_a_number_that_is_not_known_are_still_looked_for(found: Found) -> None:
    assert found.ids("镇长令第99号 棉布") == [f"{NEW}art3"]
    assert found.ids("桥梁法第二条 棉布") == [f"{NEW}art3"]


def test_filters_narrow_by_kind_number_clause_and_day(found: Found) -> None:
    assert found.ids("打碎灯罩", kinds=("办法",)) == ["carts@2020-02-02#art2"]
    assert found.ids("打碎灯罩", doc_no="镇长令第5号") == [f"{OLD}art4"]
    assert found.ids("打碎灯罩", doc_no="镇长令第6号") == []
    assert found.ids("", doc_no="镇长令第5号", limit=1) == [f"{OLD}note1"]
    assert found.ids("", clause_no="第四条之一") == [f"{NEW}art4-1"]
    assert found.ids("棉布", clause_no="第三条") == [f"{NEW}art3"]
    assert found.ids("棉布", clause_no="第三条第（二）项") == [f"{NEW}art3/p1/i2"]
    assert found.ids("棉布", clause_no="第三条第（一）项") == []
    assert found.ids("棉布", clause_no="第三条第（九）项") == []
    assert found.ids("棉布", clause_no="第四条") == []
    assert found.ids("路灯管理条例第三条", clause_no="3") == [f"{NEW}art3", f"{OLD}art3"]
    assert found.ids("路灯管理条例第三条", clause_no="4") == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("路灯管理条例2031年版第二、三条", [f"{NEW}art2", f"{NEW}art3"]),
        ("路灯管理条例（2031）第二条至第四条", [f"{NEW}art2", f"{NEW}art3", f"{NEW}art4"]),
        ("路灯管理条例（2031）第二条、第四条之一", [f"{NEW}art2", f"{NEW}art4-1"]),
        ("路灯管理条例（2031）第一条和第三条第（二）项", [f"{NEW}art1"]),
    ],
)
def test_several_clauses_named_in_one_breath_are_all_looked_up(
    found: Found, query: str, expected: list[str]
) -> None:
    ids = [hit.node_id for hit in found.result(query).hits if "number" in hit.match_kinds]
    assert ids == expected


def test_a_second_article_of_one_number_is_found_beside_the_first(tmp_path: Path) -> None:
    text = "路灯条例\n第一条 甲。\n第二条 乙。\n第二条 丙：\n（一）丁。\n"
    made = Edition(
        regulation_id="lights", key="2031", title="路灯条例", disclosure="full", accept=("art2~2",)
    )
    with town(tmp_path, [Source(made, (Asset(text.encode(), "lights/2031.md"),))]) as corpus:
        search = searching(corpus, tmp_path)
        search.build()
        told = Found(search, corpus)
        assert told.ids("路灯条例第二条") == ["lights@2031#art2", "lights@2031#art2~2"]
        assert told.ids("路灯条例第二条第（一）项") == []
        assert told.ids("", clause_no="第二条") == ["lights@2031#art2", "lights@2031#art2~2"]
        assert told.ids("丙", clause_no="第二条") == []


@pytest.mark.parametrize("word", ["旧版", "老版的"])
def test_an_old_edition_without_a_name_comes_first(found: Found, word: str) -> None:
    assert found.ids("打碎灯罩", limit=1) == [f"{NEW}art4"]
    assert found.ids(f"{word}打碎灯罩", limit=1) == [f"{OLD}art4"]
    assert found.ids(f"{word} 路灯由镇里养护", limit=1) == [f"{OLD}art1"]


@pytest.mark.parametrize("number", ["7号令", "镇长7号令", "镇长令第7号"])
def test_a_number_is_understood_as_people_say_it(found: Found, number: str) -> None:
    assert found.ids(number, limit=1) == [f"{NEW}note1"]


def test_a_number_without_its_whole_issuer_means_all_that_fit(found: Found) -> None:
    assert found.ids("", doc_no="7号令", limit=1) == [f"{NEW}note1"]
    assert found.ids("", doc_no="7号", limit=1) == [f"{NEW}note1"]
    assert found.ids("", doc_no="镇车局令2020年12号", limit=1) == ["carts@2020-02-02#art1"]
    assert found.ids("", doc_no="2号", limit=1) == []
    assert found.ids("", doc_no="市车局〔2020〕12号", limit=1) == []
    assert found.ids("", doc_no="镇长办公室", limit=1) == []


def test_how_a_clause_was_found_is_not_the_words_it_does_not_hold(found: Found) -> None:
    [fine] = [hit for hit in found.result("罚则").hits if hit.node_id == f"{NEW}art4"]
    assert fine.match_kinds == ("heading",)
    [first, *_] = found.result("罚多少钱", limit=1).hits
    assert (first.node_id, first.match_kinds) == (f"{NEW}art4", ("synonym",))


@pytest.mark.parametrize(
    ("query", "asked", "why"),
    [
        ("路灯管理条例第九十九条", {}, "没有这一条款"),
        ("民法典第九条", {}, "没有所指的文件"),
        ("", {"doc_no": "镇长令第99号"}, "没有这个文号"),
        ("棉布", {"kinds": ("敕令",)}, "1 个所指类别"),
    ],
)
def test_nothing_says_why_where_it_is_known(
    found: Found, query: str, asked: dict[str, Any], why: str
) -> None:
    result = found.result(query, **asked)
    assert (result.state, result.hits) == ("empty", ())
    assert any(why in reason for reason in result.degraded_reasons), result


def test_current_only_leaves_out_what_is_over_to_come_or_undated_and_says_so(found: Found) -> None:
    result = found.result("灯油 夜间停航 水井加盖 棉布", current_only=True)
    assert [hit.node_id for hit in result.hits] == [f"{NEW}art3"]
    assert (result.state, result.degraded_reasons) == (
        "degraded",
        ("edition dates unknown: 1", UNTOLD),
    )
    everything = {hit.legal_status for hit in found.result("灯油 夜间停航 水井加盖 棉布").hits}
    assert everything == {"现行有效", "已修改", "尚未生效", "效力未知"}


def test_what_does_not_tell_its_text_is_found_by_name_and_by_no_word(found: Found) -> None:
    assert found.ids("钟声") == []
    listed = found.result("钟楼规程第一条").hits[0]
    assert (listed.disclosure, listed.excerpt, listed.excerpt_end) == ("metadata_only", "", 0)
    assert found.ids("紫色花瓶") == []
    secret = found.result("金库守则第一条").hits[0]
    assert (secret.disclosure, secret.excerpt, secret.withheld_reason) == ("withheld", "", "权利人不许")


def test_answers_do_not_depend_on_how_many_filters_were_asked_before(found: Found) -> None:
    before = found.ids("打碎灯罩", kinds=("办法",))
    for day in range(1, 29):
        found.result("打碎灯罩", as_of=f"2031-07-{day:02d}", current_only=True)
    assert found.ids("打碎灯罩", kinds=("办法",)) == before
    assert len(found.search._catalogue(found.corpus.pinned())._chosen) < 28


def test_the_limit_is_ten_when_none_is_asked_and_fifty_at_most(found: Found) -> None:
    assert len(found.ids("第一条 第二条", limit=1)) == 1
    assert len(found.ids("路灯", limit=1000)) <= 50
    with pytest.raises(InvalidRegulationsRequestError, match="limit"):
        found.ids("路灯", limit=-1)


def test_a_clause_filter_that_is_none_is_refused_and_not_shown(found: Found) -> None:
    for written in ("12.3", "紫色"):
        with pytest.raises(InvalidRegulationsRequestError, match="clauseNo") as refused:
            found.ids("路灯", clause_no=written)
        assert written not in f"{refused.value} {refused.value.hint}" or written == "12.3"


def test_everyday_words_find_the_words_of_the_law(found: Found, published: Corpus) -> None:
    assert found.ids("灯罩被小偷偷东西拿走")[0] == f"{NEW}art4-1"
    own = RegulationsSearch(published, found.search._legs.index, clock, lay=False)
    assert own.search(RegulationsSearchRequest(query="小偷")).state == "empty"
    assert found.result("小偷").state == "ok"


def test_the_revision_that_was_searched_is_told_and_an_unknown_one_is_an_error(found: Found) -> None:
    current = found.corpus.pinned()
    assert found.result("棉布").corpus_revision == current
    assert found.result("棉布", corpus_revision=current).hits == found.result("棉布").hits
    with pytest.raises(NotFoundError):
        found.result("棉布", corpus_revision="kbr1-" + "0" * 32)


def test_answers_are_the_same_from_an_index_that_was_built_again_and_from_many_threads(
    found: Found, published: Corpus, tmp_path: Path
) -> None:
    again = Found(searching(published, tmp_path), published)
    again.search.build()
    queries = ("打碎灯罩", "路灯", "第二条", "路灯管理条例 罚款")
    expected = [found.result(query) for query in queries]
    answers: dict[int, list[object]] = {}
    threads = [
        threading.Thread(
            target=lambda at=at: answers.update({at: [again.result(query) for query in queries]})
        )
        for at in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(answers.values()) == [expected] * 4


def test_nothing_published_is_unavailable_and_not_empty(tmp_path: Path) -> None:
    with Corpus.open(tmp_path / "corpus.sqlite3", clock, create=True) as corpus:
        result = searching(corpus, tmp_path).search(RegulationsSearchRequest(query="棉布"))
    assert (result.state, result.hits) == ("unavailable", ())
    assert "published" in result.degraded_reasons[0]


def test_without_an_index_numbers_still_answer_and_words_are_unavailable(
    published: Corpus, tmp_path: Path
) -> None:
    search = RegulationsSearch(published, SqliteIndex(tmp_path), clock)
    found = Found(search, published)
    words = found.result("棉布")
    assert (words.state, words.hits) == ("unavailable", ())
    assert words.degraded_reasons[0].startswith("no full text: ")
    both = found.result("路灯管理条例第三条 棉布")
    assert (both.state, [hit.node_id for hit in both.hits]) == ("degraded", [f"{NEW}art3", f"{OLD}art3"])
    number = found.result("路灯管理条例第三条")
    assert number.state == "ok"
    assert [hit.node_id for hit in number.hits] == [f"{NEW}art3", f"{OLD}art3"]
    assert found.ids("镇长令第7号", limit=2) == [f"{NEW}note1", f"{NEW}art1"]


def test_a_withdrawn_revision_is_unavailable(tmp_path: Path) -> None:
    with town(tmp_path) as corpus:
        search = searching(corpus, tmp_path)
        revision = search.build()
        corpus.withdraw(revision, "rights")
        result = search.search(RegulationsSearchRequest(query="棉布", corpus_revision=revision))
        assert (result.state, result.corpus_revision) == ("unavailable", revision)
        search.drop(revision)
        search.drop(revision)
        assert not SqliteIndex(tmp_path / "indexes").has(revision)


def test_a_text_that_was_tampered_with_is_named_and_not_shown(tmp_path: Path) -> None:
    with town(tmp_path) as corpus:
        search = searching(corpus, tmp_path)
        search.build()
        digest = corpus.node("", f"{NEW}art3").sha256
        with corpus._store.writing():
            corpus._store.run("UPDATE texts SET text = '砂纸也可以' WHERE sha256 = ?", digest)
        for query in ("棉布", "路灯管理条例第三条"):
            hit = search.search(RegulationsSearchRequest(query=query)).hits[0]
            assert (hit.node_id, hit.disclosure, hit.withheld_reason) == (
                f"{NEW}art3",
                "withheld",
                "hash mismatch",
            )
            assert (hit.excerpt, hit.legal_status) == ("", "现行有效")


def test_a_pinned_revision_answers_the_same_after_the_next_is_published(tmp_path: Path) -> None:
    with town(tmp_path, SOURCES[:3]) as corpus:
        found = Found(searching(corpus, tmp_path), corpus)
        first = found.search.build()
        before = found.result("夜间停航 棉布", corpus_revision=first)
        for at in range(5):
            corpus.import_sources(SOURCES[3 : 4 + at])
            found.search.build(corpus.publish("town clerk")) if at < 4 else None
            assert found.result("夜间停航 棉布", corpus_revision=first) == before
        assert "ferries@2031-06-30#art1" in found.ids("夜间停航 棉布")


def test_an_index_that_is_broken_or_cannot_be_placed_is_told(published: Corpus, tmp_path: Path) -> None:
    index = SqliteIndex(tmp_path)
    revision = published.pinned()
    index.build(revision, published.nodes(), published.editions())
    data = bytearray(index.path(revision).read_bytes())
    data[100:] = bytes(len(data) - 100)
    index.path(revision).write_bytes(data)
    result = RegulationsSearch(published, index, clock).search(RegulationsSearchRequest(query="棉布"))
    assert result.state == "unavailable"
    index.close()
    index.drop(revision)
    index.path(revision).mkdir()
    with pytest.raises(StorageError):
        index.build(revision, published.nodes(), published.editions())
    with pytest.raises(NotFoundError):
        index.leading(revision, "carts@2020-02-02", 1)


@given(st.text(max_size=60) | st.text("第一二条款项之路灯法条例（）《》2031年号令 〔〕", max_size=60))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_no_query_is_an_error_and_every_answer_keeps_its_promises(found: Found, query: str) -> None:
    result = found.result(query)
    assert result.state == ("ok" if result.hits else "empty")
    assert [hit.score for hit in result.hits] == sorted((hit.score for hit in result.hits), reverse=True)


def test_a_very_long_query_is_looked_at_as_far_as_five_hundred_characters(found: Found) -> None:
    assert found.ids("绕行" * 400 + "棉布") == []
    assert found.ids("棉布" + "，" * 10_000) == [f"{NEW}art3"]
