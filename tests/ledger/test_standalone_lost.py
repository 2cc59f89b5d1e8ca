"""Bodies that were erased, or lost where a log was cut: what the two verifiers then judge, and how."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.canonical import canonical, digest_bytes
from schemas.ledger import read_raw
from schemas.ledger_erasure import BODY_ERASED, BodyErased
from tests.ledger.carried import Carried, Step, carry, items, steps
from tests.ledger.forged import Forged, word

LOG = "tests.example/world"
OF_A_LIFE = {
    *("plan.created", "execution.started", "execution.finished", "receipt.observed", "admission.decided"),
    *("admission.superseded", "projection.observed", "evidence.retired"),
}


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> list[Step]:
    return steps(items(carry(tmp_path_factory.mktemp("plain"), signed=False).bundle))


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Carried:
    return carry(tmp_path_factory.mktemp("signed"))


def again(whole: list[Step]) -> Forged:
    """The same steps, written anew."""
    log = Forged(None, LOG)
    for one in whole[1:]:
        record = json.loads(one.raw)
        schema = record["schema"]["name"], record["schema"]["digest"]
        log.add(record["kind"], one.body, schema, subject=record["subject"], actor=record["actor"])
    return log


def without(log: Forged, body: bytes) -> Forged:
    """The log with a body less."""
    log.held = [item for item in log.held if item != ("body", body)]
    return log


def cut(path: Path) -> Path:
    """The last line is lost."""
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    return path


def erased(whole: list[Step], place: int) -> Forged:
    """The log in which the body of one step was erased."""
    log, body = again(whole), whole[place].body
    stated = BodyErased(origin=LOG, bodies=(digest_bytes(body),), reason="asked", schema_version=BODY_ERASED)
    about = {"plan_id": digest_bytes(b"any")}
    log.add("body.erased", stated.canonical(), log.register(BODY_ERASED), subject=about)
    return without(log, body)


def kinds(whole: list[Step]) -> dict[str, int]:
    """Where the last step of each kind stands."""
    return {one.kind: place for place, one in enumerate(whole)}


def test_of_a_cut_bundle_each_body_that_could_be_erased_is_excused_and_no_other(
    life: list[Step], tmp_path: Path
) -> None:
    found = {}
    for kind, place in kinds(life).items():
        path = cut(without(again(life), life[place].body).bundle(tmp_path))
        found[kind] = word(path)
    assert found == {kind: "TORN" if kind in OF_A_LIFE else "TAMPERED" for kind in found}
    assert found.keys() > OF_A_LIFE


def test_who_cuts_a_log_of_his_own_does_not_hide_whose_it_is(signed: Carried, tmp_path: Path) -> None:
    policy = signed.policy.read_bytes()
    theirs = signed.bundle.read_bytes().splitlines(keepends=True)
    (tmp_path / "cut.bundle").write_bytes(b"".join(theirs[:-1]))
    assert word(tmp_path / "cut.bundle", policy) == "TORN"
    (tmp_path / "cut.bundle").write_bytes(b"".join([theirs[0], *theirs[2:-1]]))
    assert word(tmp_path / "cut.bundle", policy) == "TAMPERED"
    other = Forged(None)
    other.register("any")
    assert word(cut(other.bundle(tmp_path)), policy) == "TAMPERED"


def test_what_stands_before_a_lost_body_is_judged_all_the_same(life: list[Step], tmp_path: Path) -> None:
    receipt, lost = kinds(life)["receipt.observed"], kinds(life)["admission.superseded"]
    log = without(again([*life[:receipt], *life[receipt + 1 :]]), life[lost].body)
    assert word(cut(log.bundle(tmp_path))) == "RULE-BROKEN"


def test_a_step_after_a_lost_body_is_judged_by_its_own_form(life: list[Step], tmp_path: Path) -> None:
    start, readback = kinds(life)["execution.started"], kinds(life)["projection.observed"]
    body = canonical({**json.loads(life[readback].body), "summary": " padded "})
    log = without(again([*life[:readback], life[readback]._replace(body=body)]), life[start].body)
    assert word(cut(log.bundle(tmp_path))) == "RULE-BROKEN"


def stating(one: Step, **fields: Any) -> Step:
    """The step with other fields in its body."""
    return one._replace(body=canonical({**json.loads(one.body), **fields}))


def about(one: Step, **ids: str | None) -> Step:
    """The step with another subject."""
    record = read_raw(one.raw)
    return one._replace(raw=record.replace(subject=record.subject.replace(**ids)).canonical())


ANY = digest_bytes(b"any")


@pytest.mark.parametrize(
    ("kind", "change", "fields"),
    [
        ("execution.started", about, {"plan_id": None}),
        ("execution.finished", about, {"receipt_digest": ANY}),
        ("receipt.observed", about, {"receipt_digest": None}),
        ("receipt.observed", about, {"request_id": ANY}),
        ("admission.superseded", about, {"admission_id": ANY}),
        ("admission.decided", stating, {"reason": "another"}),
        ("projection.observed", stating, {"automatic_admission": True}),
        ("projection.observed", stating, {"downstream_source_refs": ["x"]}),
        ("projection.observed", stating, {"parent_admission": 5}),
        ("evidence.retired", stating, {"status": "retained?"}),
        ("evidence.retired", about, {"admission_id": None}),
    ],
)
def test_a_step_of_an_erased_plan_is_of_its_own_form_and_states_what_it_is_about(
    life: list[Step], tmp_path: Path, kind: str, change: Callable[..., Step], fields: Any
) -> None:
    plan, place = kinds(life)["plan.created"], kinds(life)[kind]
    assert word(erased(life, plan).bundle(tmp_path)) == "UNANCHORED"
    changed = [*life[:place], change(life[place], **fields), *life[place + 1 :]]
    assert word(erased(changed, plan).bundle(tmp_path)) == "RULE-BROKEN"
