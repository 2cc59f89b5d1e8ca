"""EXT-20's own tables beside our objects: every name, in order, and which are always written."""

import re
from collections import defaultdict
from dataclasses import fields
from pathlib import Path

import pytest

import providers.regulations_contract as contract
from schemas.ext20 import camel

TABLED = (
    "RegulationsCaller",
    "RegulationsSearchRequest",
    "RegulationsSearchResult",
    "RegulationHit",
    "RegulationEvidenceRequest",
    "RegulationEvidence",
    "WebSearchRequest",
    "WebSearchResult",
    "WebCaptureRequest",
    "WebCapture",
)


@pytest.fixture(scope="module")
def seed(shared: Path) -> str:
    return (shared / "seeds" / "ext-20-regulations-provider.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tables(seed: str) -> dict[str, list[tuple[str, bool]]]:
    """JSON name and whether it is always written, for each object that has a table."""
    found: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    heading = ""
    for line in seed.splitlines():
        cells = line.split("\t")
        if len(cells) == 3 and heading in TABLED:
            required = "必出" in cells[1]
            names = re.sub(r"（.*?）", "", cells[1]).split("/")
            found[heading] += [(name.strip(), required) for name in names if name.strip() != "JSON"]
        elif word := re.match(r"[A-Z]\w+", line):
            heading = word[0]
    return dict(found)


@pytest.mark.parametrize("name", TABLED)
def test_names_order_and_required_fields_are_those_of_the_table(
    tables: dict[str, list[tuple[str, bool]]], name: str
) -> None:
    ours = [(camel(spec.name), bool(spec.metadata)) for spec in fields(getattr(contract, name))]
    assert ours == tables[name]


@pytest.mark.parametrize(
    ("name", "ours"),
    [("WebSearchHit", contract.WebSearchHit), ("WebClauseCandidate", contract.WebClauseCandidate)],
)
def test_the_two_objects_without_a_table_have_the_names_of_their_sentence(
    seed: str, name: str, ours: type
) -> None:
    sentence = next(line for line in seed.splitlines() if line.startswith(f"{name}："))
    for spec in fields(ours):
        assert re.search(rf"\b{camel(spec.name)}\b", sentence), spec.name


def test_the_constants_have_the_strings_of_the_document(seed: str) -> None:
    stated = set(re.findall(r'(?:State|Disclosure|Retention)\w+ = "(\w+)"', seed))
    prefixes = ("STATE_", "DISCLOSURE_", "WEB_", "CAPTURE_", "RETENTION_")
    ours = {getattr(contract, name) for name in contract.__all__ if name.startswith(prefixes)}
    assert ours == stated
