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
        return False, error.subject if error.subject and error.message.startswith(error.subject) else ""


def test_there_are_as_many_cases_as_the_specification_says(shared: Path) -> None:
    assert sum(Counter(case["op"] for case in cases(shared)).values()) == 1610


@pytest.mark.parametrize("op", OPS)
def test_results_are_the_recorded_ones_in_order_and_refusals_name_a_field(shared: Path, op: str) -> None:
    differing = []
    for case in cases(shared):
        if case["op"] != op:
            continue
        expected = case["expect"]
        well, said = outcome(case)
        recorded = json.dumps(expected["result"], ensure_ascii=False) if expected["ok"] else said or "a field"
        if (well, said) != (expected["ok"], recorded):
            differing.append(case["id"])
    assert differing == []
