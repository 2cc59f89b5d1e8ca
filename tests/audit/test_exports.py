"""The exports, read by other people's tools: `prov` reads the PROV, `securesystemslib` the DSSE envelope."""

import json
from base64 import b64decode
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from prov.model import ProvDocument
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import Key

from evidence.exports import in_toto, prov
from evidence.plan_story import PlanStory
from evidence.story import Story
from ledger.keys import Signer, generate
from ledger.note import COSIGNATURE
from schemas.canonical import canonical, digest_bytes
from schemas.errors import NotFoundError, UsageError
from schemas.ledger import read_raw
from tests.audit.telling import Gaps, Told, body_of, reading, say_erased, told

SEED = bytes(range(32))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Told:
    made = told(tmp_path_factory.mktemp("told") / "l.sqlite3")
    say_erased(made.path, body_of(made.path, "admission.superseded"))
    return made


def signer() -> Signer:
    return Signer.read(generate("tests.example/log", seed=SEED))


def key_of(one: Signer) -> Key:
    key = one.verifier
    named = f"{key.name}+{key.id.hex()}"
    stated = {"keytype": "ed25519", "scheme": "ed25519", "keyval": {"public": key.public.hex()}}
    return Key.from_dict(named, stated)


def plan_of(story: Story, made: Told, name: str) -> PlanStory:
    return story.plan(str(made.plans[name].plan_id))


def test_prov_reads_the_export_and_writes_it_again_in_every_form(made: Told) -> None:
    with reading(made.path) as story:
        written = json.dumps(prov.export(story))
        records = story.records
    document = ProvDocument.deserialize(content=written, format="json")
    again = ProvDocument.deserialize(content=document.serialize(format="json"), format="json")
    assert document == again
    assert "wasInvalidatedBy" in document.get_provn()
    assert records > len(made.plans)


def test_prov_tells_who_made_what_of_what(made: Told) -> None:
    with reading(made.path) as story:
        exported = prov.export(story)
    plan, admission = made.plans["retired"], made.admissions["retired"]
    digest = made.receipts["retired"].digest("blake3")
    entity = exported["entity"]
    assert entity[plan.plan_id]["prov:label"] == plan.request.objective
    assert entity[plan.plan_id]["ee:state"] == "retired"
    assert entity[admission.admission_id]["ee:reason"] == admission.reason
    derived = {
        (one["prov:generatedEntity"], one["prov:usedEntity"]) for one in exported["wasDerivedFrom"].values()
    }
    assert {(digest, plan.plan_id), (admission.admission_id, digest)} <= derived
    ended = {one["prov:entity"] for one in exported["wasInvalidatedBy"].values()}
    assert ended == {admission.admission_id, made.admissions["superseded"].admission_id}
    agents = {one["prov:label"] for one in exported["agent"].values()}
    assert agents == {"tester", "method:world", "plugin:x"}


def test_prov_of_one_plan_holds_nothing_of_another(made: Told) -> None:
    with reading(made.path) as story:
        exported = prov.export(story, [plan_of(story, made, "retained")])
    plans = {made.plans[name].plan_id for name in made.plans}
    assert plans & set(exported["entity"]) == {made.plans["retained"].plan_id}


def test_prov_tells_a_decision_that_took_the_place_of_another_as_its_revision(tmp_path: Path) -> None:
    whole = told(tmp_path / "l.sqlite3")
    with reading(whole.path) as story:
        exported = prov.export(story)
    revised = [one for one in exported["wasDerivedFrom"].values() if "prov:type" in one]
    assert [(one["prov:generatedEntity"], one["prov:usedEntity"]) for one in revised] == [
        (whole.admissions["rejected"].admission_id, whole.admissions["superseded"].admission_id)
    ]
    document = ProvDocument.deserialize(content=json.dumps(exported), format="json")
    assert "prov:Revision" in document.get_provn()


HOLES = ("plan.created", "execution.started", "receipt.observed", "admission.superseded")


def test_prov_reads_what_is_left_of_a_ledger_with_holes(made: Told) -> None:
    whole = Gaps.of(made.path)
    seq, raw = next(pair for pair in whole.raws.items() if whole.kind(pair[0]) == "execution.finished")
    whole.raws[seq] = read_raw(raw).replace(kind="execution.paused").canonical()
    for holes in (whole.without(*HOLES), whole.emptied(*HOLES), whole.emptied("projection.observed")):
        exported = prov.export(holes.story())
        assert any("execution.paused" in one["prov:type"]["$"] for one in exported["activity"].values())
        ProvDocument.deserialize(content=json.dumps(exported), format="json")
    emptied = prov.export(whole.emptied(*HOLES).story())["entity"]
    assert {one.get("ee:body_state") for one in emptied.values()} >= {"missing"}


def statement_of(made: Told, name: str | None = None) -> dict[str, Any]:
    with reading(made.path) as story:
        return in_toto.statement(story, None if name is None else plan_of(story, made, name))


def test_a_statement_names_every_record_and_held_body_by_two_digests(made: Told) -> None:
    stated = statement_of(made)
    assert (stated["_type"], stated["predicateType"]) == (in_toto.STATEMENT, in_toto.PREDICATE)
    subjects = {one["name"]: one["digest"] for one in stated["subject"]}
    with reading(made.path) as story:
        for seq, raw in story.raws():
            digests = subjects.pop(f"record/{seq}")
            assert {f"{name}:{text}" for name, text in digests.items()} == {
                digest_bytes(raw),
                digest_bytes(raw, "sha256"),
            }
        bodies = {step.record.body.digest: story.body(step.record) for step in story.steps()}
    held = {digest: body for digest, body in bodies.items() if body is not None}
    assert len(held) == len(bodies) - 1
    assert subjects == {
        f"body/{digest}": dict(digest_bytes(body, name).split(":") for name in ("blake3", "sha256"))
        for digest, body in held.items()
    }


def test_a_statement_holds_no_text_of_others(made: Told) -> None:
    text = canonical(statement_of(made)).decode()
    assert text.isascii()
    assert "坡道" not in text
    assert "script" not in text


def test_a_statement_of_one_plan_is_about_its_records_only(made: Told) -> None:
    stated = statement_of(made, "retired")
    (plan,) = stated["predicate"]["plans"]
    records = [one["name"] for one in stated["subject"] if one["name"].startswith("record/")]
    assert records == [f"record/{seq}" for seq in plan["seqs"]]
    ((decision,),) = (receipt["decisions"] for receipt in plan["receipts"])
    assert (decision["disposition"], decision["admitted_sources"], decision["uncovered_sources"]) == (
        "admit",
        3,
        0,
    )


def test_securesystemslib_verifies_the_envelope_and_refuses_a_changed_one(made: Told) -> None:
    stated = statement_of(made)
    wire = in_toto.envelope(stated, signer())
    envelope = Envelope.from_dict(deepcopy(wire))
    assert envelope.payload_type == in_toto.PAYLOAD
    assert json.loads(envelope.payload) == stated
    assert len(envelope.verify([key_of(signer())], 1)) == 1
    changed = Envelope.from_dict({**wire, "payload": wire["payload"].replace("A", "B", 1)})
    with pytest.raises(VerificationError):
        changed.verify([key_of(signer())], 1)
    other = Signer.read(generate("tests.example/log", seed=bytes(32)))
    with pytest.raises(VerificationError):
        envelope.verify([key_of(other)], 1)


def test_what_is_signed_is_the_pre_authentication_of_dsse(made: Told) -> None:
    payload = b64decode(in_toto.envelope(statement_of(made), signer())["payload"])
    own = in_toto.pre_authentication(in_toto.PAYLOAD, payload).encode()
    theirs = Envelope(payload, in_toto.PAYLOAD, {}).pae()
    assert own == theirs
    assert in_toto.pre_authentication("t", "é".encode()).encode() == Envelope("é".encode(), "t", {}).pae()


def test_a_witness_key_signs_no_statement(made: Told) -> None:
    witness = Signer.read(generate("w.example", COSIGNATURE, SEED))
    with pytest.raises(UsageError, match="signed with Ed25519"):
        in_toto.envelope(statement_of(made), witness)


def test_there_is_no_statement_about_nothing(made: Told) -> None:
    with reading(made.path, until=-1) as story, pytest.raises(NotFoundError):
        in_toto.statement(story)
    assert Path(made.path).exists()
