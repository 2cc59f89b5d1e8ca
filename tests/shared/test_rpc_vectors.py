"""All 1,610 recorded cases through `external-evidence rpc`, as lines and as batches."""

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.doors.command import run

MOST = 8 * 1024 * 1024
REFUSALS = ("invalid", "identity_mismatch", "out_of_order")
BATCH = 100


@pytest.fixture(scope="module")
def cases(shared: Path) -> list[dict[str, Any]]:
    """The recorded cases."""
    lines = (shared / "vectors" / "lifecycle.jsonl").read_bytes().splitlines()
    return [json.loads(line) for line in lines]


def message(case: dict[str, Any]) -> dict[str, Any]:
    method = f"external_evidence.{case['op']}"
    return {"jsonrpc": "2.0", "id": case["id"], "method": method, "params": case["params"]}


def differing(cases: list[dict[str, Any]], answers: list[dict[str, Any]]) -> list[str]:
    """The cases whose answer is not the recorded one, key order included."""
    assert len(answers) == len(cases)
    return [case["id"] for case, answer in zip(cases, answers, strict=True) if not same(case, answer)]


def same(case: dict[str, Any], answer: dict[str, Any]) -> bool:
    # A line that is nested too deep is never read as a request, so its id is not known.
    if (answer["jsonrpc"], answer["id"]) != ("2.0", None if too_deep(case) else case["id"]):
        return False
    if case["expect"]["ok"]:
        return "error" not in answer and json.dumps(answer["result"]) == json.dumps(case["expect"]["result"])
    data = answer["error"]["data"]
    return "result" not in answer and data["code"] in REFUSALS and data["message"]


def too_deep(case: dict[str, Any]) -> bool:
    """Whether the case is about nesting that no line may have (H7)."""
    text = json.dumps(case["params"])
    return bool(case["id"].startswith("nesting/")) and text.count("[") + text.count("{") > 64


def serve(lines: list[bytes], cwd: Path) -> list[bytes]:
    done = run("rpc", "--digest", "sha256", cwd=cwd, stdin=b"".join(line + b"\n" for line in lines))
    assert (done.status, done.err) == (0, b"")
    return done.out.splitlines()


def test_every_case_as_a_line_gives_the_recorded_answer_in_order(
    cases: list[dict[str, Any]], tmp_path: Path
) -> None:
    assert len(cases) == 1610
    assert sum(too_deep(case) for case in cases) == 5
    answers = serve([json.dumps(message(case)).encode() for case in cases], tmp_path)
    assert differing(cases, [json.loads(answer) for answer in answers]) == []


def test_every_case_in_batches_gives_the_recorded_answer_in_order(
    cases: list[dict[str, Any]], tmp_path: Path
) -> None:
    waiting = iter([case for case in cases if not too_deep(case)])
    lines = []
    while part := list(islice(waiting, BATCH)):
        lines.append(json.dumps([message(case) for case in part]).encode())
    assert max(len(line) for line in lines) < MOST
    answers = [answer for line in serve(lines, tmp_path) for answer in json.loads(line)]
    assert differing([case for case in cases if not too_deep(case)], answers) == []
