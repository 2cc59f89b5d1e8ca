"""A step is written at once as the rules for a record would write it, and refused where they refuse it."""

from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.proof import prove
from ledger.store import Draft, Head, compose
from ledger.tree import Frontier, frontier_of, leaf_hash
from schemas.canonical import canonical, digest, digest_bytes
from schemas.errors import ConflictError, InvalidError
from schemas.ledger import KINDS, BodyRef, LedgerRecord, SchemaRef, Subject, read_raw
from tests.ledger.signing import opened
from tests.ledger.steps import SCHEMA, Begin, append, edit, step, stored
from tests.ledger.steps import begin as begin_file

AT = "2026-02-28T23:59:59.000001Z"
IDS = st.sampled_from([None, digest("a"), digest("b", "sha256")])
KIND = st.sampled_from([kind for kind in KINDS if kind != "schema.registered"])


@given(
    ids=st.tuples(IDS, IDS, IDS, IDS),
    seq=st.integers(0, 2**53 - 2),
    kind=KIND,
    actor=st.from_regex(r"[A-Za-z0-9_.:@/+-]{1,128}", fullmatch=True),
    schema=st.from_regex(r"[a-z][a-z0-9_.-]{0,95}", fullmatch=True),
    log=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}", fullmatch=True),
    body=st.text(st.characters(exclude_categories=["Cs"]), max_size=40).map(canonical),
)
def test_a_step_has_the_bytes_that_its_record_has(
    ids: tuple[str | None, ...], seq: int, kind: str, actor: str, schema: str, log: str, body: bytes
) -> None:
    names = ("request_id", "plan_id", "receipt_digest", "admission_id")
    subject = Subject(**dict(zip(names, ids, strict=True)))
    draft = Draft(kind, actor, "do", subject, schema, SCHEMA, body)
    head = Head(log, seq - 1, digest("before")) if seq else None
    raw = compose(draft, draft.idem(), digest_bytes(body), log, head, AT)
    expected = LedgerRecord(
        log=log,
        seq=seq,
        prev=None if head is None else head.id,
        at=AT,
        kind=kind,
        actor=actor,
        idem=draft.idem(),
        subject=subject,
        schema=SchemaRef(name=schema, digest=SCHEMA),
        body=BodyRef(digest=digest_bytes(body), size=len(body)),
    )
    assert (raw, read_raw(raw)) == (expected.canonical(), expected)


@pytest.mark.parametrize(
    ("change", "subject"),
    [
        ({"kind": "plan.dreamt"}, "record.kind"),
        ({"actor": 'me","kind":"plan.created'}, "record.actor"),
        ({"actor": ""}, "record.actor"),
        ({"schema_name": 'plan"'}, "schema.name"),
        ({"schema_digest": "blake3:0"}, "schema.digest"),
    ],
)
def test_what_a_record_cannot_say_is_refused_each_time(change: dict[str, Any], subject: str) -> None:
    draft = step(1)._replace(**change)
    for _ in range(2):
        with pytest.raises(InvalidError) as caught:
            compose(draft, draft.idem(), digest_bytes(draft.body), "tests.example/log", None, AT)
        assert caught.value.subject == subject


@given(st.lists(st.binary(max_size=8), max_size=40), st.integers(0, 40))
def test_a_tree_grown_by_many_is_the_one_grown_one_by_one(entries: list[bytes], first: int) -> None:
    leaves = [leaf_hash(entry) for entry in entries]
    tree, rows = frontier_of(leaves[:first]).extend(leaves[first:])
    alone, completed = Frontier(), []
    for leaf in leaves:
        alone, row = alone.append(leaf)
        completed.append(b"".join(row))
    assert (tree, rows) == (alone, completed[first:])


def test_steps_of_one_call_may_repeat_each_other_and_earlier_ones(tmp_path: Path, begin: Begin) -> None:
    ledger = begin(tmp_path / "l.sqlite3")
    append(ledger, step(1))
    drafts = [step(1), *(step(number) for number in range(2, 300)), step(2), step(1)]
    done = ledger.append(*drafts)
    assert [one.seq for one in done] == [*range(1, 300), 2, 1]
    assert [one.repeated for one in done] == [True, *[False] * 298, True, True]
    records = stored(ledger)
    assert [raw for _, raw in records[1:]] == [one.raw for one in done[:-2]]
    assert [one.record for one in done] == [read_raw(one.raw) for one in done]
    assert all(after.record.prev == before.id for before, after in pairwise(done[:-2]))
    with ledger.read() as reader:
        assert list(reader.index_breaks()) == []
    with pytest.raises(ConflictError):
        ledger.append(step(400), step(2, body=b"{}"), step(401))
    with pytest.raises(ConflictError):
        ledger.append(step(400), step(400, body=b"{}"))
    assert stored(ledger) == records
    ledger.close()


def test_each_step_of_one_call_has_the_proof_that_is_made_for_it_alone(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    for count in (1, 2, 3, 8, 21):
        done = ledger.append(step(0), *(step(number) for number in range(1, count + 1)))
        with ledger.read() as reader:
            for one in done:
                proof = prove(reader, one.seq)
                assert proof is not None
                proof.check(one.raw)
                assert one.proof == bytes(proof)
    ledger.close()


def test_a_step_whose_checkpoint_was_taken_away_is_found_again_without_a_proof(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    first = ledger.append(step(1))[0]
    edit(tmp_path / "l.sqlite3", "DELETE FROM checkpoints")
    assert ledger.append(step(1)) == [first._replace(repeated=True, proof=None)]
    ledger.close()


def test_a_call_without_a_step_appends_nothing(tmp_path: Path) -> None:
    ledger = begin_file(tmp_path / "l.sqlite3")
    assert ledger.append() == []
    assert len(stored(ledger)) == 1
    ledger.close()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no json",
        b'{"a": 1}',
        b'{"b":1,"a":2}',
        b"1.5",
        b'{"a":9007199254740992}',
        b"[" * 65 + b"]" * 65,
        '{"\ufffd":2,"\U0001f600":1}'.encode(),  # sorted as orjson does it
    ],
)
def test_a_body_that_an_audit_would_call_tampered_is_refused(tmp_path: Path, body: bytes) -> None:
    with closing(begin_file(tmp_path / "l.sqlite3")) as ledger:
        with pytest.raises(InvalidError):
            ledger.append(step(1, "policy.changed", body))
        kept = [b'{"a":"1.5"}', b'{"\xf0\x9f\x98\x80":1,"\xef\xbf\xbd":2}', b"[%s]" % b",".join([b"[]"] * 70)]
        for number, taken in enumerate(kept):
            ledger.append(step(number, "policy.changed", taken))


def test_a_command_that_is_no_text_is_refused_by_its_key() -> None:
    with pytest.raises(InvalidError):
        step(1)._replace(command="\ud800").idem()
