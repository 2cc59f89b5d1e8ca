"""What two verifiers say of a ledger in which bodies were erased, rightly and otherwise."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from evidence.audit import replay
from evidence.verify import verify
from ledger import standalone
from ledger.bundle import BundleLog
from ledger.erasure import erase, erased
from ledger.keeping import keep, registered
from ledger.sqlite import SqliteLedger
from ledger.sqlite_readonly import open_readonly
from ledger.store import Draft
from schemas.canonical import canonical, digest_bytes
from schemas.ledger import Execution, Subject, read_raw
from schemas.ledger_erasure import BODY_ERASED, ERASURE, KEPT
from schemas.outside import parse
from schemas.published import schema_bytes
from tests.ledger.carried import carry, items, live, packed, put, rechained, steps
from tests.ledger.signing import opened
from tests.ledger.steps import append, edit
from tests.ledger.test_erasure import judged, of_kind
from tests.world import open_ledger


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger of one blocked plan and one whole life."""
    place = tmp_path / "l.sqlite3"
    with closing(open_ledger(place)) as ledger:
        live(ledger)
    return place


@pytest.fixture
def ledger(path: Path) -> Iterator[SqliteLedger]:
    with closing(open_ledger(path)) as held:
        yield held


def said(ledger: SqliteLedger, body: dict[str, object], subject: Subject) -> int:
    """A `body.erased` of somebody who writes it as he likes."""
    with ledger.write() as writer:
        log = registered(writer, BODY_ERASED, "keeper").log
        stated = canonical({"schema_version": BODY_ERASED, "origin": log, "reason": "asked for", **body})
        return keep(writer, ERASURE, BODY_ERASED, str(stated), "keeper", stated, subject).seq


WRONG: dict[str, tuple[dict[str, object], int]] = {
    "another log": ({"origin": "tests.example/other"}, 1),
    "no id": ({}, 0),
    "two ids": ({}, 2),
    "not sorted": ({"bodies": [digest_bytes(b"1"), digest_bytes(b"0")]}, 1),
    "one digest twice": ({"bodies": [digest_bytes(b"1")] * 2}, 1),
    "a digest of the other kind": ({"bodies": [digest_bytes(b"1", "sha256")]}, 1),
    "none": ({"bodies": []}, 1),
    "a padded reason": ({"reason": " asked for"}, 1),
    "a word too many": ({"who": "me"}, 1),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_an_erasure_of_another_form_breaks_a_rule_and_erases_nothing(
    path: Path, ledger: SqliteLedger, wrong: str
) -> None:
    body, ids = WRONG[wrong]
    assert digest_bytes(b"1") > digest_bytes(b"0")
    record = of_kind(path, "receipt.observed")
    names = list(record.subject.ids().items())[:ids]
    seq = said(ledger, {"bodies": [record.body.digest], **body}, Subject(**dict(names)))
    with ledger.read() as reader:
        assert erased(reader) == {}
    assert standalone.verify(path)["verdict"] == "RULE-BROKEN"
    assert judged(path)[1] == []
    with open_readonly(path).read() as reader:
        assert [finding.seq for finding in replay(reader).findings] == [seq]
    edit(path, "DELETE FROM bodies WHERE digest = ?", bytes.fromhex(record.body.digest[7:]))
    assert standalone.verify(path)["verdict"] == "TAMPERED"
    assert record.seq not in judged(path)[1]


@pytest.mark.parametrize("kind", sorted(KEPT - {"key.rotated", "ledger.restored", "provider.called"}))
def test_a_body_that_others_depend_on_is_not_erased_by_any_record(
    path: Path, ledger: SqliteLedger, kind: str
) -> None:
    erase(ledger, str(of_kind(path, "plan.created").subject.plan_id), "asked for", "keeper")
    digest = of_kind(path, kind).body.digest
    said(ledger, {"bodies": [digest]}, Subject(plan_id=digest))
    assert standalone.verify(path)["verdict"] == "UNANCHORED"
    assert judged(path)[0] == []
    edit(path, "DELETE FROM bodies WHERE digest = ?", bytes.fromhex(digest[7:]))
    assert standalone.verify(path)["verdict"] == "TAMPERED"
    assert "body" in judged(path)[0]


def test_after_the_retirement_of_an_erased_receipt_its_plan_gathers_nothing(
    path: Path, ledger: SqliteLedger
) -> None:
    started = of_kind(path, "execution.started")
    with ledger.read() as reader:
        body = Execution.read(parse(reader.body(started.body.digest) or b"", "body"))
    receipt = str(of_kind(path, "receipt.observed").subject.receipt_digest)
    erase(ledger, receipt, "asked for", "keeper")
    later = body.replace(attempt=2).canonical()
    schema = started.schema
    append(
        ledger,
        Draft(started.kind, "me", "start:2", started.subject, schema.name, schema.digest, later),
    )
    assert standalone.verify(path)["verdict"] == "RULE-BROKEN"
    assert judged(path)[0] == ["kind"]


@pytest.mark.parametrize("form", ["bundle", "tiles", "sqlite"])
def test_a_log_with_erased_bodies_is_carried_away_and_verifies(tmp_path: Path, form: str) -> None:
    ledger = opened(tmp_path)
    live(ledger)
    path = tmp_path / "l.sqlite3"
    second = of_kind(path, "admission.decided", 1).subject
    erase(ledger, str(second.admission_id), "asked for", "keeper")
    erase(ledger, str(of_kind(path, "plan.created").subject.plan_id), "asked for", "keeper")
    carried = packed(tmp_path, ledger)
    place = getattr(carried, form)
    report = standalone.verify(place, carried.policy, [carried.checkpoint])
    told = verify(place, carried.policy.read_bytes(), [carried.checkpoint.read_bytes()]).to_wire()
    assert (report["verdict"], told["verdict"]) == ("VERIFIED", "VERIFIED")
    with open_readonly(path).read() as reader:
        expected = replay(reader)
    assert (report["erased"], report["not_derived"]) == (expected.erased, expected.not_derived)
    assert min(len(expected.erased), len(expected.not_derived)) > 2
    assert f"ERASED: 记录 record {expected.erased[0]}" in standalone.told(report)
    assert f"NOT-DERIVED: 记录 record {expected.not_derived[0]}" in standalone.told(report)


def test_a_torn_bundle_is_no_tampered_one_where_the_erasure_is_in_the_lost_tail(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    live(ledger)
    receipt = of_kind(tmp_path / "l.sqlite3", "receipt.observed")
    erase(ledger, str(receipt.subject.receipt_digest), "asked for", "keeper")
    carried = packed(tmp_path, ledger)
    lines = carried.bundle.read_bytes().splitlines(keepends=True)
    carried.bundle.write_bytes(b"".join(lines[:-5]))
    report = standalone.verify(carried.bundle, carried.policy)
    assert report["verdict"] == "TORN"
    assert any(f"the body of record {receipt.seq} is not there" in note for note in report["notes"])


@pytest.mark.parametrize("stored", ["'{}'", "x'7b7d'"], ids=["text", "others"])
def test_what_is_no_body_in_the_place_of_an_erased_one_is_found_at_its_record(
    path: Path, ledger: SqliteLedger, stored: str
) -> None:
    receipt = of_kind(path, "receipt.observed")
    erase(ledger, str(receipt.subject.receipt_digest), "asked for", "keeper")
    ledger.close()
    edit(path, f"UPDATE bodies SET bytes = {stored} WHERE hex(digest) = '{receipt.body.digest[7:].upper()}'")  # noqa: S608 - a digest
    told, alone = verify(path), standalone.verify(path)
    assert (told.verdict, alone["verdict"]) == ("TAMPERED", "TAMPERED")
    for seq, field in (
        (told.findings[0].seq, told.findings[0].field),
        [alone["findings"][0][one] for one in ("seq", "field")],
    ):
        assert (seq, field) == (receipt.seq, "body")


ALONE: dict[str, tuple[str, dict[str, object]]] = {
    "a receipt that is another": ("receipt.observed", {"summary": "another"}),
    "a receipt that is none": ("receipt.observed", {"summary": 7}),
    "a decision that is another": ("admission.decided", {"reason": "another"}),
    "an execution that is none": ("execution.started", {"attempt": 0}),
}


@pytest.mark.parametrize("case", ALONE)
def test_what_hangs_on_an_erased_plan_still_has_to_be_what_it_says(tmp_path: Path, case: str) -> None:
    """Somebody wrote the whole log anew, and erased the plan so that nobody asks what it led to."""
    kind, change = ALONE[case]
    folder = tmp_path / "l"
    carried = carry(folder, signed=False)
    whole = [
        one.stating({**json.loads(one.body), **change}) if one.kind == kind else one
        for one in steps(items(carried.bundle))
    ]
    created = next(one for one in whole[::-1] if one.kind == "plan.created")
    subject = {"plan_id": read_raw(created.raw).subject.plan_id}
    schema = schema_bytes(BODY_ERASED)
    registration = next(one for one in whole if one.kind == "schema.registered")
    named = read_raw(registration.raw)
    idem = iter([digest_bytes(b"idem 1"), digest_bytes(b"idem 2")])
    own = named.replace(schema=named.schema.replace(name=BODY_ERASED), idem=next(idem))
    register = registration._replace(raw=own.canonical(), body=schema)
    body = canonical(
        {
            "bodies": [digest_bytes(created.body)],
            "origin": named.log,
            "reason": "asked for",
            "schema_version": BODY_ERASED,
        }
    )
    erasing = named.replace(
        kind=ERASURE,
        schema=named.schema.replace(name=BODY_ERASED, digest=digest_bytes(schema)),
        subject=Subject(**subject),
        idem=next(idem),
    )
    held = rechained([*whole, register, register._replace(raw=erasing.canonical(), body=body)])
    place = put(tmp_path / "x.bundle", [item for item in held if item != ("body", created.body)], named.log)
    assert standalone.verify(place)["verdict"] == "RULE-BROKEN"
    with BundleLog(place).read() as reader:
        told = replay(reader)
    report = standalone.verify(place)
    assert [one.seq for one in told.findings] == [one["seq"] for one in report["findings"]]
    assert (told.erased, told.not_derived) == (report["erased"], report["not_derived"])
