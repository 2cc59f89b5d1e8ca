"""The published JSON Schemas: generated from the rules, valid, and true of every artifact that is made."""

import json
import sys
from functools import cache
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.lifecycle.discover import discover
from evidence.lifecycle.readback import held_of, readback
from evidence.lifecycle.receipt import receipt
from evidence.lifecycle.retire import retire
from schemas import __main__ as command
from schemas.admission import Admission, Decision
from schemas.canonical import digest
from schemas.errors import NotFoundError
from schemas.ledger import Execution, LedgerOpened, Subject, Supersession, read_raw
from schemas.plan import Plan
from schemas.published import FOLDER, names, schema_bytes
from schemas.receipt import Receipt
from schemas.record import Record
from tests.strategies import algorithms, lives, plans, provider_lists
from tests.world import REFS, engine, honest, open_ledger, request, row

NAMES = sorted(command.RECORDS)


@cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    document = json.loads(schema_bytes(name))
    return jsonschema.Draft202012Validator(document, format_checker=jsonschema.FormatChecker())


def assert_valid(name: str, artifact: Record) -> None:
    assert [error.message for error in validator(name).iter_errors(artifact.to_wire())] == []


def test_published_are_exactly_the_generated_bytes() -> None:
    assert {path.name: path.read_bytes() for path in FOLDER.iterdir()} == command.generated()
    assert names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_schema_is_a_valid_one_and_names_itself(name: str) -> None:
    document = json.loads(schema_bytes(name))
    jsonschema.Draft202012Validator.check_schema(document)
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert document["$id"] == f"urn:external-evidence:schema:v0:{name}"
    assert document["description"]


@pytest.mark.parametrize("name", NAMES)
def test_each_schema_is_found_by_the_version_that_artifacts_state(name: str) -> None:
    version = json.loads(schema_bytes(name))["properties"].get("schema_version", {}).get("const")
    if version is not None:
        assert schema_bytes(version) == schema_bytes(name)


@pytest.mark.parametrize(
    "name",
    ["", "plans", "../v0/plan", "plan.json", "PLAN", "loopx_external_evidence_plan_v1", "a/b", "a" * 300],
)
def test_another_name_is_not_found_and_the_known_ones_are_told(name: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        schema_bytes(name)
    assert caught.value.hint is not None
    assert "receipt_observation" in caught.value.hint


@given(st.data())
def test_every_artifact_of_a_life_fits_its_schema(data: st.DataObject) -> None:
    life = data.draw(lives())
    assert_valid("request", life.plan.request)
    assert_valid("plan", life.plan)
    assert_valid("receipt", life.receipt)
    assert_valid("receipt_observation", receipt(life.plan, life.receipt))
    assert_valid("decision", life.decision)
    assert_valid("admission", life.admission)
    assert_valid("projection", life.admission.downstream_projection)
    assert_valid("retirement", retire(life.admission))
    held = [held_of(life.admission, one) for one in life.admission.downstream_projection.sources]
    assert_valid("readback", readback(life.plan, life.receipt, life.decision, held))
    assert_valid("readback", readback(life.plan, life.receipt, None, held))
    assert life.plan.execution_envelope is not None
    assert_valid("execution_envelope", life.plan.execution_envelope)


@given(algorithms.flatmap(lambda algorithm: plans(algorithm, ready=False)))
def test_every_plan_ready_or_blocked_fits_its_schema(plan: Plan) -> None:
    assert_valid("plan", plan)


@given(provider_lists())
def test_every_discovery_fits_its_schema(rows: tuple[Record, ...]) -> None:
    assert_valid("discovery", discover(rows))  # type: ignore[arg-type]
    for one in rows:
        assert_valid("provider", one)


def test_records_of_a_ledger_fit_their_schemas(tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path / "l.sqlite3")
    world = engine(ledger=ledger)
    plan = world.plan(request())
    world.execute(plan)
    with ledger.read() as reader:
        for _, raw in reader.records():
            record = read_raw(raw)
            assert_valid("ledger_record", record)
            body = json.loads(reader.body(record.body.digest) or b"")
            if record.kind != "schema.registered":
                assert list(validator(record.schema.name).iter_errors(body)) == []
    ledger.close()


def test_small_records_of_the_ledger_fit_their_schemas() -> None:
    ids = (digest("a"), digest("b"), digest("c"))
    assert_valid("ledger_opened", LedgerOpened(origin="tests.example/log", key=None))
    assert_valid(
        "supersession", Supersession(plan_id=ids[0], superseded_admission_id=ids[1], admission_id=ids[2])
    )
    started = Execution(
        plan_id=ids[0], provider_id="method:world", attempt=1, state="started", provider=row(),
        receipt_status=None, receipt_digest=None,
    )  # fmt: skip
    assert_valid("execution", started)
    assert Subject(plan_id=ids[0]).ids() == {"plan_id": ids[0]}


@pytest.mark.parametrize(
    ("name", "record", "change"),
    [
        ("receipt", Receipt, {"status": "perfect"}),
        ("receipt", Receipt, {"sources": [{}]}),
        ("receipt", Receipt, {"plan_id": "blake3:0"}),
        ("receipt", Receipt, {"raw": "x"}),
        ("receipt", Receipt, {"schema_version": "v1"}),
        ("receipt", Receipt, {"summary": ""}),
        ("admission", Admission, {"reason": "r" * 2049}),
        ("admission", Admission, {"admitted_source_refs": ["urn:x:y", "urn:x:y"]}),
        ("admission", Admission, {"provider_id": "UPPER"}),
    ],
)
def test_a_schema_refuses_what_the_record_refuses(
    name: str, record: type[Record], change: dict[str, object]
) -> None:
    world = engine()
    plan = world.plan(request())
    made: Record = honest(plan)
    if record is Admission:
        decision = Decision(disposition="admit", reason="r", admitted_source_refs=REFS)
        made = world.admit(plan, honest(plan), decision)
    assert validator(name).is_valid(made.to_wire())
    assert not validator(name).is_valid({**made.to_wire(), **change})


def test_the_command_checks_and_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "FOLDER", tmp_path / "v0")
    assert command.main(["--check"]) == 1
    assert capsys.readouterr().out.split() == [f"{name}.json" for name in command.RECORDS]
    assert command.main([]) == 0
    assert capsys.readouterr().out.split() == [f"{name}.json" for name in command.RECORDS]
    (tmp_path / "v0" / "plan.json").write_bytes(b"{}")
    assert command.main(["--check"]) == 1
    assert capsys.readouterr().out == "plan.json\n"
    assert command.main([]) == 0
    assert command.main(["--check"]) == 0
    assert "schemas" in sys.modules
