"""The words of a page that a reader of one query needs."""

from hypothesis import given
from hypothesis import strategies as st

from providers.web.extraction.page import Page, extract
from providers.web.passages import MOST, nearest, opening, passages

LAW = "总则\n第一条 边坡支护应当设计。\n第二条 其他事项。\n第三条 边坡支护的设计使用年限。\n"


def page(text: str) -> Page:
    return extract(text.encode(), "text/plain; charset=utf-8")


def test_the_clauses_that_share_most_come_in_reading_order() -> None:
    found = passages(page(LAW), ["边坡支护 使用年限"])
    assert [one.clause_no for one in found] == ["第一条", "第三条"]
    assert [one.clause_no for one in nearest(page(LAW).candidates, ["边坡支护 使用年限"])] == [
        "第三条",
        "第一条",
    ]
    assert [one.clause_no for one in passages(page(LAW), ["边坡支护 使用年限"], 1)] == ["第三条"]


def test_without_a_clause_that_fits_it_is_a_line() -> None:
    [line] = passages(page("目的\n  关于 GB 50330 的通知  \n第一条 其他。\n第二条 别的。"), ["gb 50330"])
    assert (line.clause_no, line.excerpt) == ("", "关于 GB 50330 的通知")


def test_without_a_query_it_is_how_the_page_begins() -> None:
    assert [one.clause_no for one in opening(page(LAW))] == ["第一条", "第二条"]
    first, second = opening(page("通知\n\n  各县：\n此致\n"))
    assert (first.excerpt, second.excerpt, second.start) == ("通知", "各县：", 6)
    assert len(opening(page("第一条 " + "长" * 500))[0].excerpt) == MOST


def test_nothing_in_common_is_nothing() -> None:
    assert passages(page(LAW), ["医疗器械"]) == ()
    assert passages(page(LAW), ["！？", "a"]) == ()
    assert passages(page(LAW), []) == ()


def test_a_passage_is_cut_and_a_huge_page_is_not_read_to_its_end() -> None:
    [long] = passages(page("边坡" * 500), ["边坡"])
    assert len(long.excerpt) == MOST
    assert passages(page("甲\n" * 30_000 + "边坡\n"), ["边坡"]) == ()


PIECES = ["第一条 ", "第2.1.1条", "边坡", "支护", " ", "\u3000", "\n", "a", "𠮷", "\t"]


@given(
    st.lists(st.sampled_from(PIECES), max_size=60), st.sampled_from(["边坡", "支护边坡", "a a", "𠮷𠮷", ""])
)
def test_offsets_are_those_of_the_text(pieces: list[str], query: str) -> None:
    read = page("".join(pieces))
    for one in passages(read, [query]):
        assert read.text[one.start : one.end] == one.excerpt
        assert 0 < len(one.excerpt) <= MOST
