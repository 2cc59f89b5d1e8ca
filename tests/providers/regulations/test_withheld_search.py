"""What a search tells of a withheld edition: its name and numbers, and no word of its text or headings."""

from pathlib import Path

import pytest

from providers.regulations.search.service import RegulationsSearch
from providers.regulations.search.sqlite_index import SqliteIndex
from schemas.regulations import RegulationHit, RegulationsSearchRequest
from tests.providers.regulations.corpora import clock, opened, source

TEXT = "# 灯塔维护条例\n第一章 离心机\n第一条 阈值是九十七。\n"


def hits(folder: Path, level: str, query: str, clause_no: str = "") -> tuple[RegulationHit, ...]:
    with opened(folder, source(data=TEXT.encode(), disclosure=level, withheld_reason="权利")) as corpus:
        corpus.publish()
        search = RegulationsSearch(corpus, SqliteIndex(folder / "index"), clock)
        search.build()
        return search.search(RegulationsSearchRequest(query=query, clause_no=clause_no)).hits


@pytest.mark.parametrize(
    ("query", "clause_no"), [("离心机", ""), ("阈值", ""), ("灯塔 阈值", "第一条第一款")]
)
def test_no_word_of_a_withheld_edition_finds_it(tmp_path: Path, query: str, clause_no: str) -> None:
    assert hits(tmp_path, "withheld", query, clause_no) == ()


def test_by_name_and_number_it_is_found_without_its_headings(tmp_path: Path) -> None:
    [hit] = hits(tmp_path, "withheld", "灯塔维护条例第一条")
    assert (hit.clause_no, hit.heading_path, hit.excerpt, hit.withheld_reason) == ("第一条", (), "", "权利")


def test_where_only_the_text_is_kept_back_headings_are_told(tmp_path: Path) -> None:
    [hit] = hits(tmp_path, "metadata_only", "灯塔维护条例第一条")
    assert (hit.heading_path, hit.excerpt) == (("第一章 离心机",), "")
