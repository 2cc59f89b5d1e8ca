"""What a search tells of a text that is not told: its name and numbers, and no word of it."""

from pathlib import Path

import pytest

from providers.regulations.search.service import RegulationsSearch
from providers.regulations.search.sqlite_index import SqliteIndex
from schemas.regulations import RegulationHit, RegulationsSearchRequest
from tests.providers.regulations.corpora import clock, opened, source

TEXT = "# 灯塔维护条例\n第一章 离心机\n第一条 阈值是九十七。\n"


def hits(
    folder: Path, level: str, query: str, clause_no: str = "", text: str = TEXT
) -> tuple[RegulationHit, ...]:
    with opened(folder, source(data=text.encode(), disclosure=level, withheld_reason="权利")) as corpus:
        corpus.publish()
        search = RegulationsSearch(corpus, SqliteIndex(folder / "index"), clock)
        search.build()
        return search.search(RegulationsSearchRequest(query=query, clause_no=clause_no)).hits


@pytest.mark.parametrize(
    ("level", "query", "clause_no"),
    [
        ("withheld", "离心机", ""),
        ("withheld", "阈值", ""),
        ("withheld", "灯塔 阈值", "第一条第一款"),
        ("metadata_only", "阈值", ""),
        ("metadata_only", "灯塔 阈值", "第一条第一款"),
    ],
)
def test_no_word_that_is_not_told_finds_its_edition(
    tmp_path: Path, level: str, query: str, clause_no: str
) -> None:
    assert hits(tmp_path, level, query, clause_no) == ()


def test_a_heading_that_is_told_finds_its_article_and_no_more(tmp_path: Path) -> None:
    [hit] = hits(tmp_path, "metadata_only", "离心机")
    assert (hit.clause_no, hit.excerpt, hit.heading_path) == ("第一条", "", ("第一章 离心机",))
    assert [one.excerpt for one in hits(tmp_path, "excerpt", "阈值")] == ["阈值是九十七。"]


LONG = (
    "# 灯塔维护条例\n第一条 "
    + "".join(f"第{at}号灯塔应当擦拭灯罩。" for at in range(100, 160))
    + "末句是玻璃。\n"
)


def test_many_queries_of_an_excerpt_show_one_window_of_a_node(tmp_path: Path) -> None:
    shown = {
        query: [(one.excerpt_start, one.excerpt_end) for one in hits(tmp_path, "excerpt", query, text=LONG)]
        for query in ("玻璃", "灯罩", "灯塔维护条例第一条")
    }
    assert set(map(tuple, shown.values())) == {((0, 200),)}
    [fitting] = hits(tmp_path, "full", "玻璃", text=LONG)
    assert "玻璃" in fitting.excerpt


def test_by_name_and_number_it_is_found_without_its_headings(tmp_path: Path) -> None:
    [hit] = hits(tmp_path, "withheld", "灯塔维护条例第一条")
    assert (hit.clause_no, hit.heading_path, hit.excerpt, hit.withheld_reason) == ("第一条", (), "", "权利")


def test_where_only_the_text_is_kept_back_headings_are_told(tmp_path: Path) -> None:
    [hit] = hits(tmp_path, "metadata_only", "灯塔维护条例第一条")
    assert (hit.heading_path, hit.excerpt) == (("第一章 离心机",), "")
