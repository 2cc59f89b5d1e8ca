"""The shared vectors of EXT-20's query rule, and real codes that no detector may take for a secret."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from providers.web.characters import refused
from providers.web.detectors import detect
from providers.web.exclusions import Exclusions, trim
from providers.web.minimise import check_query, ext20, without_excluded
from providers.web.operators import operators


@pytest.fixture(scope="module")
def vectors(shared: Path) -> list[dict[str, Any]]:
    lines = (shared / "vectors" / "query-minimisation.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def rows(shared: Path) -> list[dict[str, str]]:
    with (shared / "data" / "standards" / "standards.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_vector_has_the_state_the_bytes_and_the_hash_of_go(vectors: list[dict[str, Any]]) -> None:
    assert len(vectors) == 38
    for vector in vectors:
        verdict = ext20(vector["query"], Exclusions(vector["exclusions"]))
        trimmed = trim(vector["query"])
        assert (verdict.state, len(trimmed.encode()), verdict.query_sha256) == (
            vector["go"],
            vector["sentBytes"],
            vector["querySha256"],
        )
        assert verdict.sent_query == (trimmed if vector["go"] == "ok" else "")
        assert (verdict.reason == "query contains an excluded term") == (vector["go"] == "rejected")


def test_the_other_rules_only_refuse_more(vectors: list[dict[str, Any]]) -> None:
    more = []
    for vector in vectors:
        exclusions = Exclusions(vector["exclusions"])
        for verdict in (
            without_excluded(vector["query"], exclusions),
            check_query(vector["query"], exclusions),
        ):
            if vector["go"] != "ok":
                assert verdict == ext20(vector["query"], exclusions)
        if without_excluded(vector["query"], exclusions).state != vector["go"]:
            more.append(vector["query"])
    assert more == ["ας", "ΟΔΟΣ", "ſ", "ﬁ", "ＰＲＪ", "张 伟", "GB 50330—2013"]


def test_no_code_or_title_of_a_real_standard_is_taken_for_a_secret(rows: list[dict[str, str]]) -> None:
    assert len(rows) == 6073
    for row in rows:
        code, title = row["csres_code"], row["csres_title"]
        for query in (code, row["csres_normalized_code"], f"{code} {title}", f"《{title}》{code} 现行 2023"):
            assert (detect(query), operators(query), refused(query)) == ([], [], None), query


def test_no_row_of_neighbouring_codes_is_taken_for_a_secret(rows: list[dict[str, str]]) -> None:
    codes = [row["csres_code"] for row in rows]
    for place in range(len(codes) - 3):
        near = codes[place : place + 4]
        for query in (" ".join(near), "、".join(near), " ".join(code.replace("-", " ") for code in near)):
            assert detect(query) == [], query


def test_no_citation_that_people_wrote_is_refused(shared: Path) -> None:
    lines = (shared / "data" / "standards" / "citations.jsonl").read_text(encoding="utf-8").splitlines()
    queries = [json.loads(line)["query"] for line in lines]
    assert len(queries) > 100
    for query in queries:
        if len(trim(query)) <= 256:
            assert check_query(query, Exclusions()).state == "ok", query
