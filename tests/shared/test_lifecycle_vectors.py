"""All 1,610 recorded cases of the reference implementation, through the Python API."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evidence.lifecycle.wire import call
from schemas.errors import EvidenceError

OPS = ("discover", "plan", "receipt", "admit", "retire")


def cases(shared: Path) -> list[dict[str, Any]]:
    lines = (shared / "vectors" / "lifecycle.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def outcome(case: dict[str, Any]) -> tuple[bool, str]:
    """Whether the call went well, and the JSON text of its result or the subject of its refusal."""
    try:
        return True, json.dumps(call(case["op"], case["params"], "sha256"), ensure_ascii=False)
    except EvidenceError as error:
        assert error.subject
        assert error.message.startswith(error.subject)
        return False, error.subject


def test_there_are_as_many_cases_as_the_specification_says(shared: Path) -> None:
    assert sum(Counter(case["op"] for case in cases(shared)).values()) == 1610


@pytest.mark.parametrize("op", OPS)
def test_results_equal_the_recorded_ones_byte_for_byte_and_refusals_name_a_field(shared: Path, op: str) -> None:
    differing = []
    for case in cases(shared):
        if case["op"] != op:
            continue
        expected = case["expect"]
        well, said = outcome(case)
        if well != expected["ok"]:
            differing.append(case["id"])
        elif well and said != json.dumps(expected["result"], ensure_ascii=False):
            differing.append(case["id"])
    assert differing == []
