"""Audit events: one a call, four fields, nothing that was said (host.md E)."""

import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import fields, replace
from hashlib import sha256
from itertools import count
from threading import Event, Thread
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.host import Composition
from evidence.provider_calls import AuditEvent
from providers.regulations_contract import (
    AuditWriteError,
    InvalidRegulationsRequestError,
    RegulationsCaller,
    RegulationsSearchRequest,
)
from schemas.ledger import ProviderCall
from schemas.outside import parse
from tests.host.world import (
    ACTIONS,
    ANSWERS,
    CAPTURED,
    DISPATCH,
    EVIDENCE,
    METHODS,
    REVISION,
    SEARCHED,
    WEB,
    Full,
    Kept,
    Provider,
    World,
    call,
    calls,
    in_force,
)

QUERY = "  安全生产\u3000"


def hashed(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def told(method: str, answer: Any = None, **changes: Any) -> str:
    """The one audit event's evidence as it is written, with its keys in order."""
    world = World(method, ANSWERS[method] if answer is None else answer)
    with suppress(OSError, InvalidRegulationsRequestError):
        world.call(method, **changes)
    [event] = world.kept.events
    assert event.actor == "plugin:rdm"
    assert (event.call.owner, event.call.target, event.call.action) == ("team-a", "kbreg", ACTIONS[method])
    return orjson.dumps(event.call.evidence.to_wire()).decode()


@pytest.mark.req("ext20-11")
def test_e1_a_search_records_the_revision_that_was_searched_and_the_query_as_given() -> None:
    evidence = told("search_regulations", query=QUERY, corpus_revision="asked")
    assert evidence == f'{{"revision":"{REVISION}","count":2,"state":"ok","querySha256":"{hashed(QUERY)}"}}'
    unnamed = told("search_regulations", replace(SEARCHED, corpus_revision=""), corpus_revision="asked")
    assert unnamed == f'{{"count":2,"state":"ok","querySha256":"{hashed("安全生产")}"}}'


@pytest.mark.req("ext20-11")
@pytest.mark.parametrize(
    ("state", "how"), [("invalid", {"schema_version": 2}), ("error", {"answer": OSError()})]
)
def test_e2_a_search_that_fails_records_the_revision_that_was_asked_for(
    state: str, how: dict[str, Any]
) -> None:
    evidence = told("search_regulations", query=QUERY, corpus_revision="asked", **how)
    assert evidence == f'{{"revision":"asked","count":0,"state":"{state}","querySha256":"{hashed(QUERY)}"}}'
    assert told("search_regulations", query="", **how) == f'{{"count":0,"state":"{state}"}}'


@pytest.mark.req("ext20-11")
def test_e3_evidence_records_its_revision_or_else_the_one_asked_for() -> None:
    method = "resolve_regulation_evidence"
    other = replace(EVIDENCE, corpus_revision="theirs")
    assert told(method, other) == '{"revision":"theirs","count":1,"state":"ok"}'
    assert told(method, replace(EVIDENCE, corpus_revision="")) == (
        f'{{"revision":"{REVISION}","count":1,"state":"ok"}}'
    )


@pytest.mark.parametrize(
    ("state", "how"), [("invalid", {"schema_version": 0}), ("error", {"answer": OSError()})]
)
def test_e4_evidence_that_fails_records_the_revision_that_was_asked_for(
    state: str, how: dict[str, Any]
) -> None:
    evidence = told("resolve_regulation_evidence", **how)
    assert evidence == f'{{"revision":"{REVISION}","count":0,"state":"{state}"}}'


@pytest.mark.req("ext20-11")
def test_e5_a_web_search_records_no_revision_and_the_trimmed_query() -> None:
    limited = replace(WEB, state="rate_limited")
    assert told("search_web", limited, query=QUERY) == (
        f'{{"count":1,"state":"rate_limited","querySha256":"{hashed("安全生产")}"}}'
    )
    assert told("search_web", query=QUERY, exclusions=("生产",)) == (
        f'{{"count":0,"state":"rejected","querySha256":"{hashed("安全生产")}"}}'
    )


@pytest.mark.parametrize(
    ("state", "how"), [("invalid", {"schema_version": 2}), ("error", {"answer": OSError()})]
)
def test_e6_a_web_search_that_fails_records_the_trimmed_query(state: str, how: dict[str, Any]) -> None:
    assert told("search_web", query=QUERY, **how) == (
        f'{{"count":0,"state":"{state}","querySha256":"{hashed("安全生产")}"}}'
    )
    assert told("search_web", query=" \u3000") == '{"count":0,"state":"invalid"}'


@pytest.mark.req("ext20-11")
def test_e7_a_capture_records_the_trimmed_query_of_its_search() -> None:
    digest = hashed("安全生产")
    assert told("capture_web", search_query=QUERY) == (
        f'{{"count":1,"state":"captured","querySha256":"{digest}"}}'
    )
    assert told("capture_web", search_query=" ", schema_version=2) == '{"count":0,"state":"invalid"}'
    assert told("capture_web", OSError(), search_query=QUERY) == (
        f'{{"count":0,"state":"error","querySha256":"{digest}"}}'
    )


def test_e8_n_calls_from_fifty_threads_are_n_events() -> None:
    world = World()
    host = world.calls

    def ask(number: int) -> None:
        method = METHODS[number % len(METHODS)]
        call(host, method, schema_version=1 + number % 3 // 2) if number % 3 < 2 else call_wrongly(method)

    def call_wrongly(method: str) -> None:
        with pytest.raises(InvalidRegulationsRequestError):
            call(host, method, schema_version=2)

    with ThreadPoolExecutor(50) as pool:
        list(pool.map(ask, range(300)))
    states = [event["state"] for event in world.kept.told]
    assert (len(states), states.count("invalid")) == (300, 100)


@pytest.mark.parametrize("method", METHODS)
def test_e9_a_result_whose_audit_cannot_be_written_is_withheld(
    method: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    full = Full()
    world = World(audit=full)
    with pytest.raises(AuditWriteError) as caught:
        world.call(method)
    assert caught.value.__cause__ is full.error
    assert len(world.provider.asked) == 1
    assert caplog.records == []
    assert world.composition.lost_events == 0


def test_e9_so_is_a_rejection_of_the_host() -> None:
    world = World(audit=Full())
    with pytest.raises(AuditWriteError):
        world.call("search_web", query="acme", exclusions=("acme",))
    assert world.provider.asked == []


@pytest.mark.parametrize("method", METHODS)
def test_e10_the_providers_error_comes_before_that_of_the_audit_which_is_counted_and_logged(
    method: str, caplog: pytest.LogCaptureFixture
) -> None:
    error = ValueError("canary")
    world = World(method, error, audit=Full())
    with pytest.raises(ValueError, match="canary") as caught:
        world.call(method)
    assert caught.value is error
    assert (error.__cause__, error.__context__) == (None, None)
    assert world.composition.lost_events == 1
    assert [record.getMessage() for record in caplog.records] == [
        f"the audit event of a failed {ACTIONS[method]} was lost: OSError"
    ]
    assert "canary" not in caplog.text


@pytest.mark.parametrize("method", METHODS)
def test_e11_so_does_the_error_of_an_invalid_request(method: str) -> None:
    world = World(audit=Full())
    with pytest.raises(InvalidRegulationsRequestError):
        world.call(method, schema_version=2)
    assert world.composition.lost_events == 1


@pytest.mark.parametrize("method", METHODS)
def test_e13_the_event_is_written_after_the_provider_and_before_the_caller_goes_on(method: str) -> None:
    moments, order = count(), dict[str, int]()
    entered, let_go = Event(), Event()

    class Blocking:
        """Keeps an event only when it is let go."""

        def write(self, event: AuditEvent) -> None:  # noqa: ARG002
            order["written"] = next(moments)
            entered.set()
            assert let_go.wait(10)

    def answer(*_: object) -> Any:
        order["answered"] = next(moments)
        return ANSWERS[method]

    world = World(method, answer, audit=Blocking())

    def ask() -> None:
        world.call(method)
        order["returned"] = next(moments)

    caller = Thread(target=ask)
    caller.start()
    assert entered.wait(10)
    assert "returned" not in order
    let_go.set()
    caller.join(10)
    assert order == {"answered": 0, "written": 1, "returned": 2}


def test_e14_a_provider_that_asks_the_host_again_leaves_two_whole_events() -> None:
    kept, provider = Kept(), Provider()
    composition = Composition.of(in_force, kept, provider)

    def nested(_caller: RegulationsCaller, _request: RegulationsSearchRequest) -> Any:
        assert call(calls(composition), "capture_web") is CAPTURED
        return SEARCHED

    provider.answers["search_regulations"] = nested
    assert call(calls(composition), "search_regulations") is SEARCHED
    assert [event.call.action for event in kept.events] == ["web.capture", "regulations.search"]


@pytest.mark.parametrize(
    ("state", "kept"),
    [("a\x00b", "a\ufffdb"), ("\ud800", "\ufffd"), ("s" * 300, "s" * 255 + "…"), ("\u202eko", "\ufffdko")],
    ids=ascii,
)
def test_no_word_of_a_provider_or_caller_can_stop_the_audit(state: str, kept: str) -> None:
    answer = replace(SEARCHED, state=state, corpus_revision=state)
    world = World("search_regulations", answer)
    assert world.call("search_regulations", corpus_revision=state) is answer
    assert (world.kept.told[0]["state"], world.kept.told[0]["revision"]) == (kept, kept)


ANY_TEXT = st.text(st.characters(), max_size=300)


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT, st.sampled_from(METHODS), st.booleans())
def test_any_words_at_all_leave_one_event_that_a_ledger_can_hold(
    state: str, revision: str, owner: str, method: str, fails: bool
) -> None:
    answer = ANSWERS[method]
    names = {spec.name for spec in fields(answer)}
    changes = {"state": state, "corpus_revision": revision}
    world = World(method, replace(answer, **{name: changes[name] for name in changes.keys() & names}))
    host = calls(world.composition, replace(DISPATCH, owner=owner))
    with suppress(InvalidRegulationsRequestError):
        call(host, method, schema_version=2 if fails else 1)
    [event] = world.kept.events
    assert ProviderCall.read(parse(event.call.canonical())) == event.call
    assert set(event.call.evidence.to_wire()) <= {"revision", "count", "state", "querySha256"}
