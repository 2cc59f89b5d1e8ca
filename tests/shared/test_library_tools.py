"""The library tools and the batch on real data: what its README says of it is what they find."""

import csv
import json
from datetime import date
from pathlib import Path

from providers.standards.answer import answer
from providers.standards.bulk import answers
from providers.standards.bulk_input import read_queries
from providers.standards.library import code_key, load
from providers.standards.library_check import counts, survey
from providers.standards.library_file import import_library


def test_the_survey_finds_what_the_data_says_of_itself(shared: Path) -> None:
    folder = shared / "data" / "standards"
    library = load(folder / "standards.csv")
    found = survey(library, date(2026, 11, 30))
    numbers = counts(found)
    assert (numbers["upcoming_date_has_passed"], numbers["no_status"]) == (720, 1434)
    with (folder / "relation_only_codes.csv").open(encoding="utf-8-sig", newline="") as file:
        told = {code_key(row["old_code"]) for row in csv.DictReader(file)}
    only = {code_key(one.code) for one in found if one.kind == "only_in_relations"}
    assert told <= only


def test_an_import_of_the_library_changes_no_fact(shared: Path) -> None:
    path = shared / "data" / "standards" / "standards.csv"
    before = load(path)
    _, after = import_library(path.read_bytes(), path.name)
    assert [record.title for record in after.records] == [record.title for record in before.records]
    assert [code_key(record.code) for record in after.records] == [
        code_key(record.code) for record in before.records
    ]


def test_every_citation_of_a_batch_is_answered_as_alone(shared: Path) -> None:
    folder = shared / "data" / "standards"
    library = load(folder / "standards.csv")
    data = (folder / "citations.jsonl").read_bytes()
    queries = read_queries(data, "citations.jsonl", "jsonl")
    lines = [json.loads(line) for line in answers(library, queries, 2)]
    assert [line["query"] for line in lines] == [json.loads(line)["query"] for line in data.splitlines()]
    assert lines[::50] == [answer(library, query) for query in queries[::50]]
