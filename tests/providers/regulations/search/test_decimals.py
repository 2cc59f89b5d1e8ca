"""Standards in a corpus: their numbers in any shape, and decimal clauses by number."""

from collections.abc import Iterator

import pytest

from providers.regulations.clause_number import DecimalNumber
from schemas.regulations_errors import InvalidRegulationsRequestError
from tests.providers.regulations.search.town import LIGHTS, LIGHTS_TITLE, Found, _source, searching, town

STANDARD = """路灯安装技术标准
1 总则
1.0.1 为了规范路灯安装，制定本标准。
2 基础
2.1 材料
2.1.1 基础用石料砌筑。
2.1.2 石料应当干燥。
3 灯杆
3.1 高度
3.1.1 灯杆高五米。
3.1.2 灯杆间距二十米。
"""
LISTED = """水车维护指南
一、适用范围
本指南适用于水车。
二、维护
（一）每日维护
水车每日上油。
（二）每月维护
水车每月检查轴承。
三、附则
自公布之日起施行。
"""
S = "lamp-standard@2022#"


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Found]:
    folder = tmp_path_factory.mktemp("standards")
    given = {"effective_from": "2022-05-01"}
    sources = (
        _source("lamp-standard", "2022", "路灯安装技术标准", STANDARD, doc_no="DB99/T 123-2022", **given),
        _source("mill-guide", "2022", "水车维护指南", LISTED, doc_no="GB 50330-2013", **given),
        _source("street-lights", "2031-03-04", LIGHTS_TITLE, LIGHTS, doc_no="镇长令第7号", **given),
    )
    with town(folder, sources) as corpus:
        search = searching(corpus, folder)
        search.build()
        yield Found(search, corpus)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("路灯安装技术标准 3.1.2", [f"{S}x13/x21/x32"]),
        ("路灯安装技术标准第3.1.2条", [f"{S}x13/x21/x32"]),
        ("《路灯安装技术标准》第 ２．１．２ 条", [f"{S}x12/x21/x32"]),
        ("第3.1.2条", [f"{S}x13/x21/x32"]),
        ("3.1.2", [f"{S}x13/x21/x32"]),
        ("路灯安装技术标准 3.1", [f"{S}x13/x21"]),
        ("路灯安装技术标准第3条", [f"{S}x13"]),
        ("DB99/T 123-2022 第2.1.1条", [f"{S}x12/x21/x31"]),
        ("按db99/t123—2022的2.1.1", [f"{S}x12/x21/x31"]),
        ("DB99/T 123 3.1.1", [f"{S}x13/x21/x31"]),
        ("路灯安装技术标准 3.1.9", []),
        ("水车维护指南 2.1", []),
        ("水车维护指南第2.2.1条", []),
        ("民法典第3.1.2条", []),
        ("路灯管理条例 2.1", []),
    ],
)
def test_a_decimal_clause_is_found_by_its_number(shelf: Found, query: str, expected: list[str]) -> None:
    result = shelf.result(query)
    assert [hit.node_id for hit in result.hits] == expected
    assert result.state == ("ok" if expected else "empty")
    assert all("number" in hit.match_kinds for hit in result.hits)


def test_a_version_or_a_quantity_is_no_clause(shelf: Found) -> None:
    for query in ("v3.1.2", "3.1%", "3.1", "0.0.0"):
        assert not any("number" in hit.match_kinds for hit in shelf.result(query).hits)
    assert shelf.ids("石料 3.1")[:2] == shelf.ids("石料")


@pytest.mark.parametrize(
    ("number", "edition"),
    [
        ("DB99/T 123-2022", S),
        ("db99/t　123–2022", S),
        ("DB99/T123", S),
        ("GB 50330-2013", "mill-guide@2022#"),
        ("gb50330—2013", "mill-guide@2022#"),
        ("镇长令第7号", "street-lights@2031-03-04#"),
    ],
)
def test_a_document_number_of_any_shape_is_looked_up_in_a_query_and_as_a_filter(
    shelf: Found, number: str, edition: str
) -> None:
    for asked in ({"query": number}, {"query": "", "doc_no": number}):
        hits = shelf.result(**asked).hits
        assert hits
        assert all(hit.node_id.startswith(edition) and hit.match_kinds == ("number",) for hit in hits)


@pytest.mark.parametrize(
    "number", ["DB99/T 1234-2022", "XDB99/T 123-2022", "GB 50330-20131", "GB 50331-2013"]
)
def test_a_number_that_only_looks_alike_is_none_of_ours(shelf: Found, number: str) -> None:
    assert not any("number" in hit.match_kinds for hit in shelf.result(number).hits)


def test_words_beside_a_coded_number_are_looked_for_there(shelf: Found) -> None:
    assert shelf.ids("DB99/T 123-2022 石料干燥")[0] == f"{S}x12/x21/x32"


def test_a_decimal_filter_needs_three_parts_or_a_standard_that_has_it(shelf: Found) -> None:
    assert shelf.ids("", clause_no="2.1.2") == [f"{S}x12/x21/x32"]
    assert shelf.ids("石料", clause_no="第2.1.2条") == [f"{S}x12/x21/x32"]
    assert shelf.ids("路灯安装技术标准", clause_no="3.1") == [f"{S}x13/x21"]
    assert shelf.ids("", clause_no="3.1", doc_no="DB99/T 123-2022") == [f"{S}x13/x21"]
    for asked in ({"query": "石料"}, {"query": "路灯管理条例"}, {"query": "", "doc_no": "镇长令第7号"}):
        with pytest.raises(InvalidRegulationsRequestError, match="clauseNo"):
            shelf.ids(**asked, clause_no="3.1")
    with pytest.raises(InvalidRegulationsRequestError, match="clauseNo"):
        shelf.ids("石料", clause_no="1.0.x")


def test_an_outline_with_the_same_path_is_no_decimal_clause(shelf: Found) -> None:
    assert shelf.corpus.node("", "mill-guide@2022#x12/x22").clause_no == "二、（二）"
    assert shelf.ids("水车 轴承", clause_no="2.2.1") == []


def test_the_path_of_a_decimal_number() -> None:
    assert DecimalNumber((3, 1, 2)).path == DecimalNumber((3, 1, 2)).unit_path == "x13/x21/x32"
