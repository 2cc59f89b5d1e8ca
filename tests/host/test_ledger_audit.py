"""Audit events in a real ledger: found by nobody who looks for what was said, and replayed (host.md E12)."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from evidence.audit import Replay
from evidence.host import Composition
from evidence.provider_calls import LedgerAudit, event_of, outcome
from evidence.rendering.replay_text import render
from evidence.replayed import Replayed
from ledger.sqlite import SqliteLedger
from providers.regulations_contract import AuditWriteError, InvalidRegulationsRequestError
from schemas.canonical import canonical
from schemas.errors import BusyError, InvalidError
from schemas.ledger import CALLS, PROVIDER_CALL, ProviderCall, Subject, read_raw
from schemas.outside import parse
from schemas.published import schema_bytes
from tests.audit.lives import Step, replayed, rewritten, steps
from tests.host.world import (
    ACTIONS,
    ANSWERS,
    CAPTURED,
    DISPATCH,
    EVIDENCE,
    HIT,
    METHODS,
    SEARCHED,
    WEB,
    Provider,
    call,
    calls,
    in_force,
)
from tests.world import engine, kinds, open_ledger, request

PUBLISHED = Draft202012Validator(json.loads(schema_bytes(PROVIDER_CALL)))


def composed(ledger: SqliteLedger, **answers: Any) -> tuple[Composition, Provider]:
    provider = Provider({**ANSWERS, **answers})
    return Composition.of(in_force, LedgerAudit(ledger, "tester"), provider), provider


@pytest.fixture(scope="module")
def called(tmp_path_factory: pytest.TempPathFactory) -> list[Step]:
    """A ledger with one call of each method."""
    path = tmp_path_factory.mktemp("called") / "l.sqlite3"
    ledger = open_ledger(path)
    host = calls(composed(ledger)[0])
    for method in METHODS:
        call(host, method)
    ledger.close()
    return steps(path)


@pytest.mark.req("ext20-11")
def test_an_event_is_a_record_with_the_plugin_as_actor_and_the_four_fields(called: list[Step]) -> None:
    records = [step for step in called if step.record.kind == "provider.called"]
    assert [step.record.actor for step in records] == ["plugin:rdm"] * 4
    assert {step.record.subject for step in records} == {Subject()}
    for method, step in zip(METHODS, records, strict=True):
        body = parse(step.body)
        assert isinstance(body, dict)
        evidence = body.pop("evidence")
        assert body == {
            "schema_version": "external_evidence_provider_call_v0",
            "action": ACTIONS[method],
            "owner": "team-a",
            "target": "kbreg",
        }
        assert set(evidence) <= {"revision", "count", "state", "querySha256"}
        assert [error.message for error in PUBLISHED.iter_errors(parse(step.body))] == []


@pytest.mark.req("ext20-11")
def test_e12_no_canary_is_found_in_the_whole_store(tmp_path: Path) -> None:
    canary = "canary-金丝雀"
    hit = replace(HIT, excerpt=canary, title=canary)
    web = replace(WEB, sent_query=canary, results=(replace(WEB.results[0], snippet=canary),))
    answers = {
        "search_regulations": replace(SEARCHED, hits=(hit,)),
        "resolve_regulation_evidence": replace(EVIDENCE, excerpt=canary),
        "search_web": web,
        "capture_web": replace(CAPTURED, text=canary, final_url=canary),
    }
    ledger = open_ledger(tmp_path / "l.sqlite3")
    composition, provider = composed(ledger, **answers)
    host = calls(composition)
    said = {"query": canary, "doc_no": canary}, {"node_id": canary}, {"query": canary}, {"url": canary}
    for method, changes in zip(METHODS, said, strict=True):
        call(host, method, **changes)
        with pytest.raises(InvalidRegulationsRequestError):
            call(host, method, schema_version=2, **changes)
    call(host, "search_web", query=canary, exclusions=(canary,))
    call(host, "capture_web", search_query=canary, search_provider=canary)
    for method in METHODS:
        provider.answers[method] = RuntimeError(canary)
        with pytest.raises(RuntimeError):
            call(host, method)
    assert len(kinds(ledger)) == 14
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    ledger.close()
    stored += (tmp_path / "l.sqlite3").read_bytes()
    for encoding in ("utf-8", "utf-16-le", "utf-16-be", "unicode-escape"):
        assert canary.encode(encoding) not in stored
    assert b"canary" not in stored


def test_e8_fifty_threads_leave_as_many_records_in_the_ledger_as_they_made_calls(tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path / "l.sqlite3", timeout_seconds=60)
    host = calls(composed(ledger)[0])
    with ThreadPoolExecutor(50) as pool:
        list(pool.map(lambda number: call(host, METHODS[number % 4]), range(100)))
    assert kinds(ledger) == ["provider.called"] * 100
    ledger.close()
    report = replayed(tmp_path / "l.sqlite3")
    assert report.findings == []
    assert sum(report.calls.values()) == 100


def test_e9_a_ledger_that_cannot_be_written_withholds_the_result_and_says_why(tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path / "l.sqlite3", timeout_seconds=0.1)
    other = open_ledger(tmp_path / "l.sqlite3")
    host = calls(composed(ledger)[0])
    with other.write(), pytest.raises(AuditWriteError) as caught:
        call(host, "search_web")
    assert isinstance(caught.value.__cause__, BusyError)
    assert call(host, "search_web") is WEB
    assert kinds(ledger) == ["provider.called"]


def test_calls_and_a_life_in_one_ledger_replay_clean_and_are_shown(tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path / "l.sqlite3")
    host = calls(composed(ledger)[0])
    call(host, "search_regulations")
    plan = engine(ledger=ledger).plan(request())
    call(host, "search_web")
    engine(ledger=ledger).execute(plan)
    call(host, "search_web")
    ledger.close()
    report = replayed(tmp_path / "l.sqlite3")
    assert report.findings == []
    assert (report.clean, report.uninterpreted, report.plans) == (True, [], 1)
    wire = report.to_wire()
    assert wire["provider_calls"] == [
        {"actor": "plugin:rdm", "action": "regulations.search", "state": "ok", "calls": 1},
        {"actor": "plugin:rdm", "action": "web.search", "state": "ok", "calls": 2},
    ]
    assert "provider calls: plugin:rdm web.search ok × 2" in render(Replayed(report).to_wire())
    assert "provider calls" not in render(Replayed(Replay()).to_wire())


def changed(called: list[Step], action: str, **evidence: Any) -> Replay:
    """The replay after the event of `action` was changed by somebody who can write everything anew."""
    at = next(at for at, step in enumerate(called) if f'"{action}"'.encode() in step.body[:99])
    body = parse(called[at].body)
    assert isinstance(body, dict)
    told = {name: value for name, value in {**body["evidence"], **evidence}.items() if value is not None}
    return rewritten([*called[:at], called[at].stating({**body, "evidence": told}), *called[at + 1 :]])


@pytest.mark.parametrize(
    ("action", "evidence", "field"),
    [
        ("web.search", {"revision": "r"}, "call.evidence.revision"),
        ("web.capture", {"revision": "r"}, "call.evidence.revision"),
        ("regulations.evidence", {"querySha256": "0" * 64}, "call.evidence.querySha256"),
        ("regulations.evidence", {"count": 2}, "call.evidence.count"),
        ("regulations.evidence", {"state": "error"}, "call.evidence.count"),
        ("regulations.search", {"count": -1}, "call.evidence.count"),
        ("regulations.search", {"revision": ""}, "call.evidence.revision"),
        ("regulations.search", {"state": "a\x00"}, "call.evidence.state"),
        ("regulations.search", {"querySha256": "0"}, "call.evidence.querySha256"),
        ("regulations.search", {"query": "安全生产"}, "call.evidence"),
    ],
)
def test_a_replay_names_an_event_that_no_host_writes(
    called: list[Step], action: str, evidence: dict[str, Any], field: str
) -> None:
    assert changed(called, action).findings == []
    assert [finding.field for finding in changed(called, action, **evidence).findings] == [f"body {field}"]


def test_a_replay_names_an_event_with_a_subject_or_by_no_plugin(called: list[Step]) -> None:
    at = next(at for at, step in enumerate(called) if step.record.kind == "provider.called")
    for change, field in (
        ({"actor": "rdm"}, "actor"),
        ({"subject": Subject(plan_id=f"blake3:{'0' * 64}")}, "subject"),
    ):
        step = called[at]._replace(record=called[at].record.replace(**change))
        report = rewritten([*called[:at], step, *called[at + 1 :]])
        assert [finding.field for finding in report.findings] == [field]


def test_an_event_keeps_an_owner_as_given_also_an_empty_one(tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path / "l.sqlite3")
    composition, _ = composed(ledger)
    for owner in ("", " 团队 甲 "):
        call(calls(composition, replace(DISPATCH, owner=owner)), "search_web")
    with ledger.read() as reader:
        bodies = [reader.body(read_raw(raw).body.digest) for _, raw in reader.of_kind("provider.called")]
    owners = [ProviderCall.read(parse(body or b"")).owner for body in bodies]
    assert owners == ["", " 团队 甲 "]


def test_an_event_is_of_one_of_the_four_actions() -> None:
    assert set(ACTIONS.values()) == set(CALLS)
    with pytest.raises(InvalidError):
        event_of("rdm", "o", "web.delete", outcome("ok"))
    assert canonical(event_of("rdm", "o", "web.search", outcome("ok", 1)).call.to_wire())
