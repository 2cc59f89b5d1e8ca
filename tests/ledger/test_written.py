"""The quick way to read a record takes nothing that the rules refuse, and reads what they read."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.written import Texts, read_written, texts
from schemas.canonical import digest
from schemas.errors import IntegrityError
from schemas.ledger import BodyRef, LedgerRecord, SchemaRef, Subject, read_raw

NAMED = [digest(name).encode() for name in ("before", "key", "schema", "body", "plan")]
IDS = st.sampled_from([None, digest("a"), digest("b", "sha256")])


def record(**changes: object) -> LedgerRecord:
    given: dict[str, Any] = {
        "log": "tests.example/written",
        "seq": 7,
        "prev": digest("before"),
        "at": "2026-02-28T23:59:59.000001Z",
        "kind": "plan.created",
        "actor": "tester",
        "idem": digest("key"),
        "subject": Subject(plan_id=digest("plan")),
        "schema": SchemaRef(name="plan_v0", digest=digest("schema")),
        "body": BodyRef(digest=digest("body"), size=10),
    }
    return LedgerRecord(**{**given, **changes})


def read(reader: Callable[[bytes], object], raw: bytes) -> tuple[str, object]:
    try:
        return "read", reader(raw)
    except IntegrityError as error:
        return "refused", (error.message, error.subject)


def told(raw: bytes) -> Texts:
    """What the record says, by the rules."""
    one = read_raw(raw)
    ids = (one.subject.admission_id, one.subject.plan_id, one.subject.receipt_digest, one.subject.request_id)
    return (
        one.actor, one.at, one.body.digest, str(one.body.size), one.idem, one.kind, one.log, one.prev or "",
        one.schema.digest, one.schema.name, str(one.seq), *(identity or "" for identity in ids),
    )  # fmt: skip


@given(IDS, IDS, IDS, IDS, st.integers(0, 2**53 - 1), st.integers(0, 2**53 - 1))
def test_any_record_is_read_as_the_rules_read_it(
    request_id: str | None,
    plan_id: str | None,
    receipt: str | None,
    admission: str | None,
    seq: int,
    size: int,
) -> None:
    subject = Subject(request_id=request_id, plan_id=plan_id, receipt_digest=receipt, admission_id=admission)
    prev = digest("before") if seq else None
    made = record(seq=seq, prev=prev, subject=subject, body=BodyRef(digest=digest("body"), size=size))
    found = read_written(made.canonical())
    assert found == made
    assert found.canonical() == made.canonical()
    assert repr(found) == repr(made)
    assert texts(made.canonical()) == told(made.canonical())


@given(data=st.data())
def test_no_changed_byte_is_read_otherwise(data: st.DataObject) -> None:
    raw = record(subject=Subject(request_id=digest("r"), plan_id=digest("plan"))).canonical()
    place = data.draw(st.integers(0, len(raw) - 1))
    put = data.draw(
        st.sampled_from([b"", b",", b'"', b"}", b"0", b"9", b"Z", b"a", b"A", b"\n", b" ", b"\xff", b"://"])
    )
    for changed in (raw[:place] + put + raw[place + 1 :], raw[:place] + put + raw[place:]):
        assert read(read_written, changed) == read(read_raw, changed)
        assert read(texts, changed) == read(told, changed)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"seq":7', b'"seq":0'),
        (b'"seq":7', b'"seq":9007199254740992'),
        (b'"seq":7', b'"seq":07'),
        (b'"size":10', b'"size":9999999999999999'),
        (b"2026-02-28", b"2026-02-29"),
        (b"23:59:59", b"23:59:60"),
        (b"23:59:59", b"12:00:60"),
        (b"23:59:59", b"24:00:00"),
        (b"tests.example/written", b"http://x"),
        (b"plan.created", b"a" * 60 + b".bcdef"),
        (b"plan.created", b"moon.rose"),
        (b'"v":1', b'"v":2'),
        *((one, one[:7] + one[7:].upper()) for one in NAMED),
        *((one, one[:9] + b" " + one[10:]) for one in NAMED),
        *((one, one[:9] + b'"' + one[10:]) for one in NAMED),
        *((one, one[:9] + b"\n\n" + one[11:]) for one in NAMED),
        (b'{"plan_id"', b'{,"plan_id"'),
        (b'"subject":{', b'"subject":{"plan_id":1,'),
        (b'"subject":{', b'"subject":{"more":"x",'),
    ],
)
def test_what_a_pattern_alone_could_miss_is_read_by_the_rules(old: bytes, new: bytes) -> None:
    raw = record(subject=Subject(request_id=digest("r"), plan_id=digest("plan"))).canonical()
    assert old in raw
    changed = raw.replace(old, new, 1)
    assert read(read_written, changed) == read(read_raw, changed)
    assert read(texts, changed) == read(told, changed)
