"""The kernel of records: closed, strict, frozen, and an error names path, bound and what was found."""

import tracemalloc

import pytest

from evidence.lifecycle.plan import plan
from schemas.admission import Admission, Decision
from schemas.canonical import digest
from schemas.errors import InvalidError
from schemas.plan import ExecutionEnvelope, Plan
from schemas.provider import DiscoverySummary, DiscoveryTruth, ProviderRow
from schemas.receipt import Receipt, ReceiptTruth, Source
from schemas.record import Record, field
from schemas.request import REQUEST, Request
from schemas.rules import Integer
from tests.world import honest, request, row, source

ASKED: dict[str, object] = {"objective": "o", "user_activity": "u", "decision": "d", "evidence_kinds": ["k"]}
ROW = row().to_wire()
SOURCE = source("urn:x:y").to_wire()
RECEIPT: dict[str, object] = {
    "schema_version": "loopx_external_evidence_receipt_v0",
    "plan_id": digest("plan"),
    "request_id": digest("request"),
    "provider_id": "method:world",
    "provider_kind": "method",
    "status": "succeeded",
    "sources": [SOURCE],
    "summary": "s",
    "completed_at": "2026-03-04T05:06:07Z",
}
DECISION: dict[str, object] = {"disposition": "admit", "reason": "r", "admitted_source_refs": ["urn:x:y"]}


def said(record: type[Record], value: object, where: str | None = None) -> str:
    with pytest.raises(InvalidError) as caught:
        record.read(value, where)
    assert caught.value.subject
    assert caught.value.message.startswith(caught.value.subject)
    return caught.value.message


def over(length: int, most: int) -> str:
    return f"is {length} UTF-16 code units long; at most {most} are allowed"


def too_many(length: int, most: int) -> str:
    return f"has {length} items; at most {most} are allowed"


GOOD: dict[type[Record], dict[str, object]] = {
    Request: ASKED,
    ProviderRow: ROW,
    Source: SOURCE,
    Receipt: RECEIPT,
    Decision: DECISION,
    DiscoverySummary: dict.fromkeys(DiscoverySummary.NAMES, 0),
    DiscoveryTruth: {},
    ReceiptTruth: {"evidence_produced_reported": True},
}
COMPLAINTS: list[tuple[type[Record], str, object, str]] = [
    (Request, "objective", None, "must be text, found null"),
    (Request, "objective", 1, "must be text, found a number"),
    (Request, "objective", "o" * 4097, over(4097, 4096)),
    (Request, "user_activity", "u" * 4097, over(4097, 4096)),
    (Request, "decision", "𠀀" * 2049, over(4098, 4096)),
    (Request, "evidence_kinds", [], "has 0 items; at least 1 is required"),
    (Request, "evidence_kinds", ["k"] * 9, too_many(9, 8)),
    (Request, "evidence_kinds[1]", ["k", "k" * 97], over(97, 96)),
    (Request, "evidence_kinds", "k", "must be an array, found 'k'"),
    (Request, "constraints", None, "must be an array, found null"),
    (Request, "constraints", ["c"] * 17, too_many(17, 16)),
    (Request, "constraints[0]", ["c" * 257], over(257, 256)),
    (Request, "source_refs", None, "must be an array, found null"),
    (Request, "source_refs", [], "has 0 items; at least 1 is required"),
    (Request, "source_refs[1]", ["urn:x:y", " urn:x:y"], "repeats 'urn:x:y'; items must be unique"),
    (Request, "source_refs", [f"urn:x:{n}" for n in range(9)], too_many(9, 8)),
    (Request, "search_terms", None, "must be an array, found null"),
    (Request, "search_terms", ["t"] * 9, too_many(9, 8)),
    (Request, "search_terms[0]", ["t" * 257], over(257, 256)),
    (Request, "request_id", 1, "must be text, found a number"),
    (Request, "schema_version", f" {REQUEST}", f"must be {REQUEST}, found ' {REQUEST}'"),
    (ProviderRow, "provider_id", "x", "must be 2-96 characters [a-z][a-z0-9_.:-]…, found 'x'"),
    (ProviderRow, "provider_id", "x" * 97, over(97, 96)),
    (ProviderRow, "provider_id", "Host:x", "must be 2-96 characters [a-z][a-z0-9_.:-]…, found 'Host:x'"),
    (ProviderRow, "provider_kind", "method ", "must be method or connector, found 'method '"),
    (ProviderRow, "declared", 1, "must be true or false, found a number"),
    (ProviderRow, "installed", "true", "must be true or false, found 'true'"),
    (ProviderRow, "enabled", None, "must be true or false, found null"),
    (ProviderRow, "unavailable_reason", "r" * 513, over(513, 512)),
    (Source, "basis", "rumoured", "must be stated or observed or tested or inferred, found 'rumoured'"),
    (Source, "source_family", "f" * 129, over(129, 128)),
    (Source, "finding", "f" * 4097, over(4097, 4096)),
    (Source, "limitation", "l" * 2049, over(2049, 2048)),
    (Source, "content_digest", "md5:0",
     "must be sha256: or blake3: and 64 lower-case hex digits, found 'md5:0'"),
    (Receipt, "plan_id", f" {digest('plan')}", "must not be padded with white space"),
    (Receipt, "provider_id", "method:world ", "must not be padded with white space"),
    (Receipt, "sources", [], "holds 0 items; a succeeded receipt needs at least one source"),
    (Receipt, "sources[1]", [SOURCE, SOURCE], "repeats 'urn:x:y'; items must be unique"),
    (Receipt, "sources", [SOURCE] * 65, too_many(65, 64)),
    (Receipt, "sources[0].finding", [{**SOURCE, "finding": " "}], "must not be empty or blank"),
    (Receipt, "sources[0]", ["urn:x:y"], "must be an object, found 'urn:x:y'"),
    (Receipt, "summary", "s" * 4097, over(4097, 4096)),
    (Receipt, "limitations", ["l"] * 17, too_many(17, 16)),
    (Receipt, "limitations[0]", ["l" * 1025], over(1025, 1024)),
    (Receipt, "limitations", None, "must be an array, found null"),
    (Decision, "disposition", "Admit", "must be admit or reject, found 'Admit'"),
    (Decision, "reason", "r" * 2049, over(2049, 2048)),
    (Decision, "admitted_source_refs[1]", ["urn:x:y", "urn:x:y\n"],
     "repeats 'urn:x:y'; items must be unique"),
    (DiscoverySummary, "ready_count", 65, "must be from 0 to 64, found 65"),
    (DiscoverySummary, "ready_count", True, "must be an integer, found a boolean"),
    (DiscoverySummary, "ready_count", 0.0, "must be an integer, found a number"),
    (DiscoveryTruth, "execution_observed", True, "must be false, found a boolean"),
    (ReceiptTruth, "raw_source_fallback_allowed", False, "must be true, found a boolean"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("record", "path", "value", "complaint"),
    COMPLAINTS,
    ids=[f"{number}-{record.__name__}-{path}" for number, (record, path, _, _) in enumerate(COMPLAINTS)],
)
def test_an_error_says_path_bound_and_what_was_found(
    record: type[Record], path: str, value: object, complaint: str
) -> None:
    name = path.partition("[")[0]
    assert said(record, {**GOOD[record], name: value}) == f"{record.SUBJECT}.{path} {complaint}"


@pytest.mark.parametrize("name", ["declared", "installed", "enabled"])
def test_a_provider_is_ready_only_after_the_three_other_facts(name: str) -> None:
    message = "provider.ready cannot be true before declared, installed and enabled are"
    assert said(ProviderRow, {**ROW, name: False}) == message


def test_a_provider_that_is_not_ready_says_why() -> None:
    message = "provider.unavailable_reason is required when the provider is not ready"
    assert said(ProviderRow, {**ROW, "ready": False}) == message


@pytest.mark.parametrize("status", ["failed", "no_evidence"])
def test_only_a_succeeded_receipt_holds_sources(status: str) -> None:
    message = f"receipt.sources holds 1 items; a {status} receipt needs no sources"
    assert said(Receipt, {**RECEIPT, "status": status}) == message


def test_values_at_their_bound_are_kept() -> None:
    full = {
        "objective": "o" * 4096,
        "user_activity": "𠀀" * 2048,
        "decision": "坡" * 4096,
        "evidence_kinds": ["k" * 96] * 8,
        "constraints": ["c" * 256] * 16,
        "source_refs": [f"urn:x:{number}" for number in range(8)],
        "search_terms": ["t" * 256] * 8,
    }
    assert Request.read(full).to_wire() == {"schema_version": REQUEST, **full}
    many = [{**SOURCE, "source_ref": f"urn:x:{number}", "finding": "f" * 4096} for number in range(64)]
    assert len(Receipt.read({**RECEIPT, "sources": many, "limitations": ["l" * 1024] * 16}).sources) == 64
    assert ProviderRow.read({**ROW, "provider_id": "z" * 96, "unavailable_reason": "r" * 512}).ready
    assert ProviderRow.read({**ROW, "provider_id": "ab"}).provider_id == "ab"
    every_ref = [f"urn:x:{number}" for number in range(64)]
    assert len(Decision.read({**DECISION, "admitted_source_refs": every_ref}).admitted_source_refs) == 64


def test_h1_a_lone_surrogate_is_refused_in_any_field() -> None:
    assert said(Receipt, {**RECEIPT, "summary": "\ud800"}).startswith(
        "receipt.summary holds a lone surrogate"
    )


def test_h2_a_control_character_is_refused_in_any_field() -> None:
    assert said(Decision, {**DECISION, "reason": "a\u202eb"}).startswith(
        "decision.reason holds a control character"
    )


@pytest.mark.parametrize(
    ("record", "given", "key", "near"),
    [
        (Request, ASKED, "objectives", "did you mean objective?"),
        (Request, ASKED, "search_term", "did you mean search_terms?"),
        (ProviderRow, ROW, "provider", "did you mean provider_id?"),
        (Decision, DECISION, "admitted_source_ref", "did you mean admitted_source_refs?"),
        (Source, SOURCE, "content_sha", "did you mean content_digest?"),
        (Decision, DECISION, "zzz", "known keys: admitted_source_refs, disposition, reason"),
    ],
)
def test_h5_an_unknown_key_is_refused_and_the_nearest_one_suggested(
    record: type[Record], given: dict[str, object], key: str, near: str
) -> None:
    with pytest.raises(InvalidError, match=f"has the unknown key '{key}'") as caught:
        record.read({**given, key: None})
    assert caught.value.hint == near


@pytest.mark.parametrize(
    "key", ["", " objective", "Objective", "__class__", "objective\u200b", "k" * 100_000]
)
def test_h5_a_key_is_known_only_letter_by_letter(key: str) -> None:
    assert len(said(Request, {**ASKED, key: "x"})) < 120


def test_h5_holds_inside_an_artifact_too() -> None:
    assert (
        said(Receipt, {**RECEIPT, "sources": [{**SOURCE, "raw": "x"}]})
        == "receipt.sources[0] has the unknown key 'raw'"
    )


@pytest.mark.parametrize(
    "version", [None, "", "loopx_external_evidence_receipt_v1", "LOOPX_EXTERNAL_EVIDENCE_RECEIPT_V0", 0]
)
def test_h6_a_stated_schema_version_must_be_the_right_one(version: object) -> None:
    assert said(Receipt, {**RECEIPT, "schema_version": version}).startswith("receipt.schema_version must be")
    assert said(Request, {**ASKED, "schema_version": version}).startswith("request.schema_version must be")


@pytest.mark.parametrize("record", [Plan, ExecutionEnvelope, Receipt, Admission])
def test_h6_an_artifact_from_outside_states_its_schema_version(record: type[Record]) -> None:
    assert said(record, {}).endswith(".schema_version is required and absent")
    assert Request.read(ASKED).schema_version == REQUEST


@pytest.mark.parametrize(
    "completed",
    [
        "2026-02-28T23:59:59Z",
        "2026-03-01T00:00:00.4Z",
        "2026-03-01T08:00:00.49+08:00",
        "2026-02-28T12:00:00-11:59",
    ],
)
def test_h8_a_receipt_is_not_completed_before_a_source_was_accessed(completed: str) -> None:
    later = {**SOURCE, "source_ref": "urn:x:late", "accessed_at": "2026-03-01T00:00:00.5Z"}
    message = said(Receipt, {**RECEIPT, "sources": [SOURCE, later], "completed_at": completed})
    assert message.startswith(f"receipt.completed_at {completed} is before sources[")
    assert "].accessed_at 2026-03-01T00:00:00" in message


@pytest.mark.parametrize(
    "completed", ["2026-03-01T00:00:00Z", "2026-03-01T08:00:00.000+08:00", "2026-03-01T00:00:00.1Z"]
)
def test_h8_completed_in_the_very_moment_of_access_is_allowed(completed: str) -> None:
    assert Receipt.read({**RECEIPT, "completed_at": completed}).completed_at == completed


def test_absent_null_and_given_are_told_apart_as_the_table_says() -> None:
    reason = {**ROW, "unavailable_reason": None}
    assert ProviderRow.read(
        {key: value for key, value in ROW.items() if key != "unavailable_reason"}
    ) == ProviderRow.read(reason)
    assert "constraints" in Request.read(ASKED).to_wire()
    assert not {"source_refs", "search_terms", "request_id"} & set(Request.read(ASKED).to_wire())
    assert Request.read({**ASKED, "search_terms": []}).identity("blake3") != Request.read(ASKED).identity(
        "blake3"
    )
    assert Request.read({**ASKED, "constraints": []}).identity("blake3") == Request.read(ASKED).identity(
        "blake3"
    )


@pytest.mark.parametrize("value", [None, [], "text", 1, True])
def test_a_record_is_an_object(value: object) -> None:
    assert said(Request, value, "params.request").startswith("params.request must be an object, found ")


def test_a_record_cannot_be_changed() -> None:
    asked = request()
    with pytest.raises(AttributeError, match="objective cannot be set"):
        asked.objective = "another"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="objective cannot be deleted"):
        del asked.objective
    assert asked.objective == "坡道坡度?"


def test_the_constructor_goes_through_the_same_rules() -> None:
    with pytest.raises(InvalidError, match=r"request\.objective must not be empty"):
        request().replace(objective=" ")
    with pytest.raises(InvalidError, match="has the unknown key 'raw'"):
        request().replace(raw="x")
    with pytest.raises(InvalidError, match=r"request\.evidence_kinds is required and absent"):
        Request(objective="o", user_activity="u", decision="d")  # type: ignore[call-arg]


def test_equal_records_are_equal_as_keys_and_say_what_they_hold() -> None:
    assert {request(): 1}[request()] == 1
    assert request() != request("another")
    assert request() != object()
    assert repr(Decision(disposition="reject", reason="r")) == (
        "Decision(disposition='reject', reason='r', admitted_source_refs=())"
    )


class Open(Record, closed=False):
    """A record that lets unknown keys be."""

    size: int = field(Integer(least=1))


def test_only_an_open_record_overlooks_unknown_keys() -> None:
    assert Open.read({"size": 1, "more": 2}).to_wire() == {"size": 1}
    assert said(Open, {"size": 0}) == "open.size must be from 1 to 9007199254740991, found 0"


def test_a_receipt_is_read_as_it_is_written() -> None:
    made = honest(plan(request(), [row()]))
    assert Receipt.read(made.to_wire()) == made


@pytest.mark.parametrize("key", [1, None, b"objective", ("objective",)])
def test_a_key_that_is_no_text_is_refused(key: object) -> None:
    value: dict[object, object] = {"objective": "o", key: "x"}
    assert "has a key that is no text" in said(Request, value)


def test_an_unknown_key_of_megabytes_costs_little_more_than_itself() -> None:
    name = "objective" * 100_000
    tracemalloc.start()
    said(Request, {**ASKED, name: "x"})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * len(name)
