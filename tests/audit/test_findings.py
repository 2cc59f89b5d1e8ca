"""Each rule of a replay beside the finding that tells of it: seq, field, rule."""

from pathlib import Path

import pytest

from schemas.canonical import algorithm_of, canonical, digest, digest_bytes
from schemas.ledger import OPENED, Subject
from schemas.outside import parse
from schemas.published import schema_bytes
from tests.audit.lives import Shelf, Step, make, rewritten, steps


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[Step]:
    return steps(make(tmp_path_factory.mktemp("whole") / "l.sqlite3", 2, seed=5))


def place(whole: list[Step], kind: str) -> int:
    return next(at for at, step in enumerate(whole) if step.record.kind == kind)


def first(whole: list[Step], at: int, step: Step) -> tuple[int, str, str]:
    """Where the first finding stands when `step` is in place of the one at `at`."""
    report = rewritten([*whole[:at], step, *whole[at + 1 :]])
    return report.findings[0][:3]


def test_a_second_opening_or_none_at_all_is_named(whole: list[Step]) -> None:
    again = whole[0]._replace(record=whole[0].record.replace(idem=digest("again")))
    rule = "a ledger opens once, at seq 0"
    assert rewritten([whole[0], again, *whole[1:]]).findings[0][:3] == (1, "kind", rule)
    assert rewritten(whole[1:]).findings[0][:3] == (0, "kind", rule)


@pytest.mark.parametrize(
    ("change", "field", "rule"),
    [
        ({"origin": "tests.example/other"}, "body.origin", "one log, one name"),
        ({"profile": "another"}, "body", "invalid"),
        ({"more": 1}, "body", "invalid"),
    ],
    ids=["origin", "profile", "key"],
)
def test_an_opening_that_is_not_of_this_log_is_named(
    whole: list[Step], change: dict[str, object], field: str, rule: str
) -> None:
    opened = parse(whole[0].body)
    assert isinstance(opened, dict)
    assert first(whole, 0, whole[0].stating({**opened, **change})) == (0, field, rule)


def test_an_opening_that_states_another_schema_is_named(whole: list[Step]) -> None:
    schema = whole[0].record.schema.replace(name="another")
    step = whole[0]._replace(record=whole[0].record.replace(schema=schema))
    assert first(whole, 0, step) == (0, "schema.name", "the artifact states its schema")


@pytest.mark.parametrize("kind", ["ledger.opened", "schema.registered"])
def test_a_subject_of_what_is_no_step_of_a_life_is_named(whole: list[Step], kind: str) -> None:
    at = place(whole, kind)
    step = whole[at]._replace(record=whole[at].record.replace(subject=Subject(plan_id=digest("any"))))
    assert first(whole, at, step) == (at, "subject", "no artifact of a life, no subject")


def test_a_registered_schema_that_is_another_is_named(whole: list[Step]) -> None:
    at = place(whole, "schema.registered")
    other = whole[at]._replace(body=schema_bytes(OPENED))
    assert first(whole, at, other) == (at, "schema.digest", "a registered schema is its body")


def test_a_schema_that_was_not_registered_is_named(whole: list[Step]) -> None:
    at = place(whole, "plan.created")
    schema = whole[at].record.schema.replace(digest=digest("unknown"))
    step = whole[at]._replace(record=whole[at].record.replace(schema=schema))
    assert first(whole, at, step) == (at, "schema", "a schema is registered before it is used")


def test_an_artifact_of_another_schema_is_named(whole: list[Step]) -> None:
    at = place(whole, "plan.created")
    schema = whole[place(whole, "provider.observed")].record.schema
    step = whole[at]._replace(record=whole[at].record.replace(schema=schema))
    assert first(whole, at, step) == (at, "schema.name", "the artifact states its schema")


def test_a_subject_that_is_not_that_of_the_artifact_is_named(whole: list[Step]) -> None:
    at = place(whole, "plan.created")
    subject = whole[at].record.subject.replace(plan_id=digest("another"))
    step = whole[at]._replace(record=whole[at].record.replace(subject=subject))
    assert first(whole, at, step) == (at, "subject", "the subject is derived from the artifact")


def test_an_artifact_that_does_not_verify_is_named_by_its_field(whole: list[Step]) -> None:
    at = place(whole, "plan.created")
    artifact = parse(whole[at].body)
    assert isinstance(artifact, dict)
    step = whole[at].stating({**artifact, "plan_id": digest("another", algorithm_of(artifact["plan_id"]))})
    assert first(whole, at, step) == (at, "body plan.plan_id", "identity_mismatch")


@pytest.mark.parametrize("body", [b"{}", b"[]", b"null", b'{"schema_version":1}'])
def test_a_body_that_is_no_artifact_is_named(whole: list[Step], body: bytes) -> None:
    at = place(whole, "plan.created")
    assert first(whole, at, whole[at]._replace(body=body))[0] == at


@pytest.mark.parametrize(
    "body", [b"", b"\xff", b"{", b'{"a":1,"a":1}', b'{"a":1.5}', b'{ "a":1}', b'{"b":1,"a":1}']
)
def test_a_body_that_is_not_canonical_json_is_named(whole: list[Step], body: bytes) -> None:
    at = place(whole, "plan.created")
    rule = "the body is the one that the record names"
    assert first(whole, at, whole[at]._replace(body=body)) == (at, "body", rule)


def test_a_body_of_another_size_or_none_is_named(whole: list[Step]) -> None:
    raws = [(step.record.seq, step.record.canonical()) for step in whole]
    kept = [step.body for step in whole]
    gone = Shelf(raws, kept[:-1]).replay()
    assert gone.findings[0][:2] == (len(whole) - 1, "body")
    assert "no body is stored" in gone.findings[0].found
    last = whole[-1].record
    stated = last.replace(body=last.body.replace(size=last.body.size + 1)).canonical()
    assert "bytes, not" in Shelf([*raws[:-1], (last.seq, stated)], kept).replay().findings[0].found


def test_a_receipt_that_an_execution_delivered_and_nobody_observed_is_named(whole: list[Step]) -> None:
    at = place(whole, "execution.finished")
    assert whole[at + 1].record.kind in ("receipt.observed", "schema.registered")
    report = rewritten(whole[: at + 1])
    assert report.findings[0].rule == "what an execution delivered is observed"
    assert report.findings[0].seq == at


def test_a_decision_that_was_superseded_and_has_no_successor_is_named(tmp_path: Path) -> None:
    stored = steps(make(tmp_path / "l.sqlite3", 12, seed=5))
    at = place(stored, "admission.superseded")
    report = rewritten(stored[: at + 1])
    assert [finding[:3] for finding in report.findings] == [
        (at, "record", "a superseding decision comes into force")
    ]


def test_each_finding_says_what_was_expected_and_what_was_found(tmp_path: Path) -> None:
    stored = steps(make(tmp_path / "l.sqlite3", 1, seed=5))
    at = place(stored, "plan.created")
    schema = stored[at].record.schema.replace(digest=digest("unknown"))
    changed = stored[at]._replace(record=stored[at].record.replace(schema=schema))
    finding = rewritten([*stored[:at], changed, *stored[at + 1 :]]).findings[0]
    assert finding.expected == "a registered schema"
    assert finding.found == f"loopx_external_evidence_plan_v0 {digest('unknown')}"
    assert canonical(list(finding))
    assert digest_bytes(changed.body) == stored[at].record.body.digest
