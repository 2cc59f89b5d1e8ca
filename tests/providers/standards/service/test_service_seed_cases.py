"""The acceptance cases of the matcher design (section 13), by number, through the real service."""

from datetime import datetime
from pathlib import Path

import pytest

from providers.standards.library import COLUMNS
from tests.providers.standards.service.running import Service, running

FIELDS = ["code", "title", "status", "relation_text", "implement_date", "match_score"]


def found(service: Service, query: str) -> list[tuple[str, float]]:
    response = service.search(query)
    assert response.status == 200
    [result] = response.json["results"]
    assert list(result) == ["query", "candidates"]
    assert result["query"] == query
    assert all(list(candidate) == FIELDS for candidate in result["candidates"])
    return [(candidate["code"], candidate["match_score"]) for candidate in result["candidates"]]


CASES = {
    "1": ("GB 50330-2013 建筑边坡工程技术规范", [("GB 50330-2013", 1.0)]),
    "2": ("GB 50330—2013", [("GB 50330-2013", 1.0)]),
    "3": ("CJJ 69-95", [("CJJ 69-1995", 0.98)]),
    "4": ("GB/T 6441-1986", [("GB 6441-1986", 0.93)]),
    "5": ("GB 50330", [("GB 50330-2013", 0.9), ("GB 50330-2002", 0.9)]),
    "6": ("建筑边坡工程技术规范", [("GB 50330-2013", 1.0), ("GB 50330-2002", 1.0)]),
    "7": ("绕结多孔砖和多孔砌块", [("GB/T 13544-2026", 0.9), ("GB 13544-2011", 0.9)]),
    "8": ("TG/T 5440-2018 公路隧道加固技术规范", [("JTG/T 5440-2018", 0.925)]),
    "9": ("JTG D70/2-2014 公路隧道设计规范", [("JTG D70/2-2014", 0.931), ("JTG D70-2004", 0.7)]),
    "10": ("YY 91087-1999", []),
    "11": ("YY/T 0316", [("YY/T 0316-2016", 0.9), ("YY/T 0316-2015", 0.9), ("YY/T 0316-2008", 0.9)]),
    "12": ("本地规范库中不存在的规范", []),
    "16": ("钢筋焊接及验收规程JGJ 18-2022", [("JGJ 18-2012", 0.91)]),
    "17": ("GB / T 6441 - 1986", [("GB 6441-1986", 0.93)]),
    "18": ("验收规程", [("JGJ 18-2012", 0.7833)]),
}


@pytest.mark.req(
    "matcher-01", "matcher-02", "matcher-03", "matcher-04", "matcher-05", "matcher-06", "matcher-07",
    "matcher-08", "matcher-09", "matcher-10", "matcher-11", "matcher-12", "matcher-16", "matcher-17",
    "matcher-18",
)  # fmt: skip
@pytest.mark.parametrize("case", CASES)
def test_the_service_answers_the_seed_case(starter_service: Service, case: str) -> None:
    query, expected = CASES[case]
    candidates = found(starter_service, query)
    assert candidates[: len(expected)] == expected
    assert len(candidates) <= 3
    assert bool(candidates) == bool(expected)


@pytest.mark.req("matcher-13")
def test_a_batch_has_as_many_results_in_the_same_order(starter_service: Service) -> None:
    keywords = [query for query, _ in CASES.values()] * 6
    response = starter_service.search(*keywords)
    results = response.json["results"]
    assert [result["query"] for result in results] == keywords
    assert [[one["code"] for one in result["candidates"]] for result in results[: len(CASES)]] == [
        [code for code, _ in found(starter_service, query)] for query, _ in CASES.values()
    ]


@pytest.mark.req("matcher-14")
def test_each_sub_query_of_a_batch_has_its_log_line(starter_service: Service) -> None:
    keywords = ["GB 50330-2013", "规范\n二行", "本地规范库中不存在的规范"]
    response = starter_service.search(*keywords)
    lines = [line for line in starter_service.lines() if line["request_id"] == response.headers["request-id"]]
    assert [line["query"] for line in lines] == keywords
    assert [line["candidates"] for line in lines] == [
        result["candidates"] for result in response.json["results"]
    ]
    assert [line["position"] for line in lines] == [0, 1, 2]
    assert {line["library_revision"] for line in lines} == {response.headers["library-revision"]}
    assert all(line["elapsed_ms"] >= 0 for line in lines)
    assert all(datetime.fromisoformat(line["time"]).utcoffset() is not None for line in lines)


@pytest.mark.req("matcher-15")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_a_library_in_either_encoding_is_served(encoding: str, tmp_path: Path) -> None:
    library = tmp_path / "standards.csv"
    row = "GB 50330-2013,GB50330-2013,建筑边坡工程技术规范,现行,替代 GB 50330-2002,2014-06-01"
    library.write_bytes(f"{','.join(COLUMNS)}\n{row}\n".encode(encoding))
    with running(tmp_path, "--library", library) as service:
        [result] = service.search("建筑边坡工程技术规范").json["results"]
    assert result["candidates"] == [
        {
            "code": "GB 50330-2013",
            "title": "建筑边坡工程技术规范",
            "status": "现行",
            "relation_text": "替代 GB 50330-2002",
            "implement_date": "2014-06-01",
            "match_score": 1.0,
        }
    ]
