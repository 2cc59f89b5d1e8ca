"""Search: admission, order, duplicates and limit (matching.md sections 6 and 7), and hostile input."""

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from providers.standards import exhaustive
from providers.standards import query as query_module
from providers.standards.index import Index, index
from providers.standards.library import Library, StandardRecord, code_key, starter
from providers.standards.matching import Candidate, search
from providers.standards.names import title_name
from providers.standards.rules import Rules
from providers.standards.scores import final_score

ALL = Rules()
LITERAL = Rules.literal()


def library(*rows: tuple[str, str]) -> Library:
    return Library("made", tuple(StandardRecord(code, "", title, "", "", "") for code, title in rows))


def codes(held: Library, query: str, rules: Rules = ALL) -> list[str]:
    return [found.record.code for found in search(held, query, rules=rules)]


def spellings(record: StandardRecord) -> list[str]:
    return [
        record.code,
        record.normalized_code.lower(),
        f"{record.code} {record.title}",
        f"《{record.title}》（{record.code}）",
        record.title,
        record.title[1:],
        record.code.rpartition("-")[0],
        record.code[1:],
        f"{record.title}{record.code[:-1]}1",
    ]


QUERIES = st.one_of(
    st.sampled_from(starter().records).flatmap(lambda record: st.sampled_from(spellings(record))),
    st.text(alphabet="GBTJYZ/-.:()《》 0123456789建筑边坡工程技术规范医疗器械第部分版", max_size=40),
)


def test_every_record_is_first_by_its_code_and_by_code_and_title() -> None:
    for record in starter().records:
        assert search(starter(), record.code)[0] == Candidate(record, 10_000, 10_000, 0)
        assert search(starter(), f"{record.code} {record.title}")[0].record == record


def test_every_title_alone_finds_that_title_in_full() -> None:
    for record in starter().records:
        [first, *_] = search(starter(), record.title)
        assert first.score == 10_000
        assert title_name(first.record.title, ALL) == title_name(record.title, ALL)


@given(QUERIES, st.sampled_from([ALL, LITERAL]))
def test_scores_and_order_can_be_checked_from_the_answer_alone(query: str, rules: Rules) -> None:
    found = search(starter(), query, rules=rules)
    assert len(found) <= 3
    assert len({code_key(one.record.code) for one in found}) == len(found)
    keys = [(-one.score, -one.code_score) for one in found]
    assert keys == sorted(keys)
    for one in found:
        assert min(one.code_score, one.name_score) >= 0
        assert max(one.score, one.code_score, one.name_score) <= 10_000
        assert one.code_score >= 7_000 or one.name_score >= 7_500
        scores = (one.code_score, one.name_score)
        if one.score != 10_000:
            assert one.score in (final_score(*scores), max(scores))


@given(QUERIES, st.sampled_from([ALL, LITERAL]), st.sampled_from([1, 3, 1_000]))
def test_the_index_answers_as_the_definition_does(query: str, rules: Rules, limit: int) -> None:
    assert search(starter(), query, limit, rules) == exhaustive.search(starter(), query, limit, rules)


@given(QUERIES)
def test_a_smaller_limit_is_the_beginning_of_a_larger_one(query: str) -> None:
    assert search(starter(), query) == search(starter(), query, limit=50)[:3]
    assert search(starter(), query, limit=0) == []


def test_a_number_that_the_library_holds_is_no_slip_for_its_neighbours() -> None:
    held = library(("GB 50017-2003", "钢结构设计规范"), ("GB 50011-2001", "建筑抗震设计规范"))
    assert codes(held, "GB50017-2001") == ["GB 50017-2003"]
    assert codes(held, "GB50017-2001", LITERAL) == ["GB 50011-2001", "GB 50017-2003"]
    assert codes(held, "GB50012-2001") == ["GB 50011-2001"]


def test_the_quiet_rule_is_judged_number_by_number() -> None:
    held = library(("GB 50017-2003", "甲"), ("GB 50011-2001", "乙"))
    assert codes(held, "GB50017-2003 GB50012-2001") == ["GB 50017-2003", "GB 50011-2001"]


def test_a_joint_number_is_found_through_either() -> None:
    held = library(("GB/T 19001-2016/ISO 9001:2015", "质量管理体系 要求"))
    for query in ("GB/T 19001-2016", "ISO 9001:2015", "GB/T 19001-2016/ISO 9001:2015"):
        assert search(held, query)[0].score == 10_000


def test_the_alias_is_a_second_number_of_the_record() -> None:
    held = Library("made", (StandardRecord("GB 1-2000", "YY 2-2000", "甲", "", "", ""),))
    assert search(held, "YY 2-2000")[0].score == 10_000


def test_a_query_that_is_a_whole_title_with_a_number_in_it_is_that_title() -> None:
    title = "软件工程 GB/T 19001-2000应用于计算机软件的指南"
    held = library(("GB/T 19000.3-2001", title), ("GB/T 19001-2000", "质量管理体系 要求"))
    [first, second] = search(held, title)
    assert (first.record.title, first.score, first.code_score, first.name_score) == (title, 10_000, 0, 10_000)
    assert second.code_score == 10_000


def test_a_code_that_the_grammar_cannot_read_is_found_as_it_is() -> None:
    held = library(("建科〔2019〕5号", "工程质量安全手册"), ("GB 1-2000", "甲"))
    [found] = search(held, " 建科〔2019〕 5号")
    assert (found.record.code, found.score, found.code_score) == ("建科〔2019〕5号", 10_000, 10_000)


def test_ties_are_ordered_by_year_then_edition_then_natural_order_then_file_order() -> None:
    title = "同一个名称的规范"
    held = library(
        ("GB 1.10-2000", title),
        ("GB 1.2-2000", title),
        ("GBJ 9-87", title),
        ("GB 7", title),
        ("GB 8-2001", title),
    )
    assert [found.record.code for found in search(held, title, limit=9)] == [
        "GB 8-2001", "GB 1.2-2000", "GB 1.10-2000", "GBJ 9-87", "GB 7",
    ]  # fmt: skip
    editions = library(
        ("GB 5-2010（2015年版）", title), ("GB 5-2010（2024年版）", title), ("GB 5-2010", title)
    )
    assert codes(editions, "GB 5-2010（2024年版）")[0] == "GB 5-2010（2024年版）"
    assert codes(editions, "GB 5-2010") == ["GB 5-2010", "GB 5-2010（2015年版）", "GB 5-2010（2024年版）"]


def test_the_same_official_code_comes_back_once() -> None:
    held = library(
        ("GB 1-2000", "甲"), ("ＧＢ　1—2000", "乙"), ("", "丙规范名称很长"), ("", "丙规范名称很长")
    )
    assert codes(held, "GB 1-2000") == ["GB 1-2000"]
    assert codes(held, "丙规范名称很长") == ["", ""]


@pytest.mark.parametrize("query", ["", " ", "\u3000\n", "。，、", "《》", "---", "（）", "\ud800", "\u200b"])
def test_a_query_without_a_word_finds_nothing(query: str) -> None:
    assert search(starter(), query) == []


@given(st.text(alphabet=st.characters(codec=None), max_size=60))
@example("GB\ud800 50330-2013")
@example("İGB 50330")
@example("ſGB 50330-2013 K")
@example("GB ５０３３０－２０１３\u0000")
@example("GB ٥٠٣٣٠-٢٠١٣")
def test_any_text_gets_an_answer(query: str) -> None:
    assert len(search(starter(), query)) <= 3


LONG: dict[str, Callable[[int], str]] = {
    "letters": lambda size: "A" * size,
    "letters apart": lambda size: "G B " * (size // 4),
    "digits": lambda size: "GB" + "1" * size,
    "numbers": lambda size: "GB 50330-2013 " * (size // 14),
    "numbers in a title": lambda size: "《甲" + "GB 50330-2013 " * (size // 14) + "乙》",
    "a title for each number": lambda size: "《GB 1-2000 甲》" * (size // 12),
    "open quotes": lambda size: "《" * size,
    "parts": lambda size: "GB 1" + "-1.2/3" * (size // 6),
    "brackets": lambda size: "JJF(" * (size // 4),
    "remarks": lambda size: "(附" * (size // 2),
    "combining marks": lambda size: "GB\u0323\u0301" * (size // 4),
    "what grows when folded": lambda size: "\ufdfa" * (size // 18),
    "one name": lambda size: "".join(chr(0x4E00 + place % 20_000) for place in range(size)),
}


@pytest.mark.parametrize("make", LONG.values(), ids=LONG)
def test_a_text_of_a_hundred_thousand_characters_gets_an_answer(make: Callable[[int], str]) -> None:
    # A step that cost the square of the length would not end in a test's patience.
    assert len(search(starter(), make(100_000))) <= 3


def test_a_query_that_lists_very_many_names_is_read_only_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    query = "《甲》《乙》《建筑边坡工程技术规范》"
    assert codes(starter(), query) == ["GB 50330-2013", "GB 50330-2002"]
    monkeypatch.setattr(query_module, "MOST_NAMES", 2)
    assert codes(starter(), query) == []


def test_the_index_of_a_library_is_made_once_for_each_set_of_rules() -> None:
    held = library(("GB 1-2000", "甲"))
    assert index(held, ALL) is index(held, Rules())
    assert index(held, ALL) is not index(held, LITERAL)
    assert isinstance(index(held, LITERAL), Index)


def test_an_empty_library_answers_nothing() -> None:
    assert search(library(), "GB 50330-2013 建筑边坡工程技术规范") == []
