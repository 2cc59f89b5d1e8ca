"""Artifacts on a terminal: complete, bilingual, and unable to move the cursor."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.lifecycle.discover import discover
from evidence.lifecycle.plan import plan
from evidence.lifecycle.readback import held_of, readback
from evidence.lifecycle.receipt import receipt
from evidence.lifecycle.retire import retire
from evidence.rendering.text import render_text
from schemas.provider import ProviderRow
from schemas.readback import WriteBlocker
from tests.sinks.builders import REFS, Life, life, source
from tests.sinks.strategies import lives

ROW = ProviderRow(
    provider_id="connector:far",
    provider_kind="connector",
    declared=True,
    installed=False,
    enabled=False,
    ready=False,
    unavailable_reason="not installed",
)


def artifacts(a_life: Life) -> list[dict[str, Any]]:
    refs = [one.source_ref for one in a_life.receipt.sources]
    admission = a_life.admit(*refs)
    rows = [held_of(admission, one) for one in a_life.receipt.sources[1:]]
    blocker = WriteBlocker(source_ref=refs[0], code="conflict", reason="another finding")
    return [
        discover([*a_life.plan.provider_candidates, ROW]).to_wire(),
        a_life.plan.to_wire(),
        receipt(a_life.plan, a_life.receipt).to_wire(),
        admission.to_wire(),
        retire(admission, refs[1:]).to_wire(),
        readback(a_life.plan, a_life.receipt, None, rows, [blocker], admission).to_wire(),
    ]


def texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    return [value] if isinstance(value, str) else []


@given(lives())
def test_no_text_moves_the_cursor_or_leaves_its_indentation(a_life: Life) -> None:
    for artifact in artifacts(a_life):
        shown = render_text(artifact)
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", shown)
        first, *rest = shown.splitlines()
        assert not first.startswith(" ")
        assert all(line.startswith("  ") for line in rest)


@pytest.mark.parametrize("number", range(6))
def test_every_finding_reason_reference_and_id_is_shown(number: int) -> None:
    found = [source(ref, limitation=f"limit of {ref}", publication_date="2012") for ref in REFS]
    a_life = life(
        found,
        constraints=("in force",),
        search_terms=("坡道",),
        source_refs=("urn:x:y",),
        receipt_limitations=("a server was down",),
    )
    artifact = artifacts(a_life)[number]
    constant = ("loopx_", "external_", "read_external", "provider_private", "method", "connector")
    ids = {artifact[key] for key in ("admission_id", "receipt_observation_id") if key in artifact}
    expected = {
        text
        for value in artifact.values()
        for text in (texts(value) if isinstance(value, dict | list) else ())
        if not text.startswith((*constant, "blake3:")) or text == "method:test"
    }
    shown = render_text(artifact)
    assert [text for text in {*expected, *ids} if text not in shown] == []


def test_a_blocked_plan_says_why() -> None:
    request = life().plan.request.replace(request_id=None)
    shown = render_text(plan(request, [ROW]).to_wire())
    assert shown.startswith("计划 Plan: 受阻 blocked\n")
    assert "受阻原因 blocker: 没有就绪的提供者 no_ready_provider" in shown
    assert "connector:far: 不可用 unavailable, not installed" in shown
    assert "候选 candidates: 无 none" in render_text(plan(request, []).to_wire())


@pytest.mark.parametrize(
    ("rows", "said"), [([], "没有提供者 empty"), ([ROW], "只有清单，无一就绪 inventory_only")]
)
@pytest.mark.req("discovery-states")
def test_a_discovery_without_a_ready_provider_says_so(rows: list[ProviderRow], said: str) -> None:
    assert render_text(discover(rows).to_wire()).startswith(f"发现 Discovery: {said}\n")


def test_a_readback_without_a_decision_says_so() -> None:
    a_life = life([])
    blocker = WriteBlocker(source_ref=None, code="damaged", reason="bytes")
    shown = render_text(readback(a_life.plan, a_life.receipt, None, [], [blocker]).to_wire())
    assert "决定 disposition: 尚未作出 not made yet" in shown
    assert "写入受阻 write blocker: 未知 unknown: damaged, bytes" in shown
    assert "退休 Retirement" not in shown


def test_any_other_object_is_shown_key_by_key() -> None:
    value = {"a": 1, "b": {"c": ["x\x1b[2J", "y\nz"]}, "d": [{"e": None}], "k\x1bey": True}
    assert render_text(value) == (
        "a: 1\nb:\n  c: x\\u001b[2J\n  c: y\n      z\nd:\n  e: 无 none\nk\\u001bey: 是 yes\n"
    )


@given(st.dictionaries(st.text(), st.text()))
def test_any_text_can_be_written_to_any_terminal(value: dict[str, str]) -> None:
    render_text(value).encode("utf-8")


def test_our_own_words_exist_in_gbk() -> None:
    for artifact in artifacts(life()):
        render_text(artifact).encode("gbk")
