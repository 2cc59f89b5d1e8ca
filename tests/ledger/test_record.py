"""The record format: the stored bytes are the record (ledger.md section 1)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.canonical import LARGEST_INTEGER, canonical, digest_bytes
from schemas.errors import IntegrityError, InvalidError
from schemas.ledger import (
    KINDS,
    MOST_RAW_BYTES,
    BodyRef,
    LedgerRecord,
    SchemaRef,
    Subject,
    read_raw,
    record_id,
)
from schemas.outside import parse

DIGEST = "blake3:" + "a1" * 32
WIRE = "sha256:" + "0f" * 32
RECORD = LedgerRecord(
    log="external-evidence/00112233aabbccdd",
    seq=7,
    prev=DIGEST,
    at="2026-03-04T05:06:07.000008Z",
    kind="admission.decided",
    actor="user@host:x",
    idem="blake3:" + "b2" * 32,
    subject=Subject(plan_id=WIRE, admission_id=DIGEST),
    schema=SchemaRef(name="loopx_external_evidence_admission_v0", digest="blake3:" + "c3" * 32),
    body=BodyRef(digest="blake3:" + "d4" * 32, size=1234),
)
# Frozen: these bytes and this id must never change.
GOLDEN = (
    b'{"actor":"user@host:x","at":"2026-03-04T05:06:07.000008Z","body":{"digest":"blake3:'
    + b"d4" * 32
    + b'","size":1234},"idem":"blake3:'
    + b"b2" * 32
    + b'","kind":"admission.decided","log":"external-evidence/00112233aabbccdd","prev":"blake3:'
    + b"a1" * 32
    + b'","schema":{"digest":"blake3:'
    + b"c3" * 32
    + b'","name":"loopx_external_evidence_admission_v0"},"seq":7,"subject":{"admission_id":"blake3:'
    + b"a1" * 32
    + b'","plan_id":"sha256:'
    + b"0f" * 32
    + b'"},"v":1}'
)
GOLDEN_ID = "blake3:9c8078bc3fb4272ee3cc18549d2189177f8ede4dcc2e9778e2923bbd1292bf7f"

blake3_text = st.binary(min_size=32, max_size=32).map(lambda raw: f"blake3:{raw.hex()}")
any_digest = st.builds(
    lambda algorithm, raw: f"{algorithm}:{raw.hex()}",
    st.sampled_from(["blake3", "sha256"]),
    st.binary(min_size=32, max_size=32),
)
subjects = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(("request_id", "plan_id", "receipt_digest", "admission_id"), any_digest),
).map(lambda given: Subject(**given))
positions = st.one_of(st.just((0, None)), st.tuples(st.integers(1, LARGEST_INTEGER), blake3_text))
moments = st.datetimes().map(lambda moment: f"{moment:%Y-%m-%dT%H:%M:%S.%f}Z".zfill(27))
records = st.builds(
    lambda position, **rest: LedgerRecord(seq=position[0], prev=position[1], **rest),
    positions,
    log=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_./-]{0,30}", fullmatch=True).filter(
        lambda text: "://" not in text
    ),
    at=moments,
    kind=st.one_of(st.sampled_from(KINDS), st.from_regex(r"[a-z]{1,9}(\.[a-z]{1,9}){1,3}", fullmatch=True)),
    actor=st.from_regex(r"[A-Za-z0-9_.:@/+-]{1,128}", fullmatch=True),
    idem=blake3_text,
    subject=subjects,
    schema=st.builds(
        SchemaRef, name=st.from_regex(r"[a-z][a-z0-9_.-]{0,95}", fullmatch=True), digest=blake3_text
    ),
    body=st.builds(BodyRef, digest=blake3_text, size=st.integers(0, LARGEST_INTEGER)),
)


def wire(**changes: object) -> dict[str, object]:
    return {**RECORD.to_wire(), **changes}


def without(name: str) -> dict[str, object]:
    return {key: value for key, value in RECORD.to_wire().items() if key != name}


def test_the_bytes_and_the_id_of_a_record_are_frozen() -> None:
    assert RECORD.canonical() == GOLDEN
    assert record_id(GOLDEN) == GOLDEN_ID
    assert read_raw(GOLDEN) == RECORD


@given(record=records)
def test_a_record_is_read_back_from_its_bytes_and_from_no_others(record: LedgerRecord) -> None:
    raw = record.canonical()
    assert read_raw(raw) == record
    assert raw == canonical(parse(raw))
    assert raw.isascii()
    assert len(raw) <= MOST_RAW_BYTES


@given(record=records, data=st.data())
def test_a_changed_byte_is_refused_or_makes_another_record_with_another_id(
    record: LedgerRecord, data: st.DataObject
) -> None:
    raw = bytearray(record.canonical())
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        changed = read_raw(bytes(raw))
    except IntegrityError:
        return
    assert changed != record
    assert record_id(bytes(raw)) != record_id(record.canonical())


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_the_specification_is_a_kind(kind: str) -> None:
    assert read_raw(RECORD.replace(kind=kind).canonical()).kind == kind


def test_a_kind_that_nobody_knows_is_still_a_record() -> None:
    assert read_raw(RECORD.replace(kind="moon.landed.softly").canonical()).kind == "moon.landed.softly"


def test_the_largest_record_is_far_below_the_bound() -> None:
    largest = LedgerRecord(
        log="l" * 128,
        seq=LARGEST_INTEGER,
        prev=DIGEST,
        at="9999-12-31T23:59:59.999999Z",
        kind="a" * 62 + ".b",
        actor="a" * 128,
        idem=DIGEST,
        subject=Subject(request_id=WIRE, plan_id=WIRE, receipt_digest=WIRE, admission_id=WIRE),
        schema=SchemaRef(name="s" * 96, digest=DIGEST),
        body=BodyRef(digest=DIGEST, size=LARGEST_INTEGER),
    )
    assert len(read_raw(largest.canonical()).canonical()) < 2048


@pytest.mark.parametrize(
    ("changed", "subject"),
    [
        (wire(v=2), "record.v"),
        (wire(v=True), "record.v"),
        (wire(log="https://example.org/log"), "record.log"),
        (wire(log="has space"), "record.log"),
        (wire(log="a+b"), "record.log"),
        (wire(log="l" * 129), "record.log"),
        (wire(seq=-1), "record.seq"),
        (wire(seq=7.0), "record.seq"),
        (wire(seq=2**53), "record.seq"),
        (wire(seq=2**70), "record.seq"),
        (wire(seq="7"), "record.seq"),
        (wire(seq=0), "record.prev"),
        (wire(prev=None), "record.prev"),
        (wire(prev="sha256:" + "a1" * 32), "record.prev"),
        (without("prev"), "record.prev"),
        (wire(at="2026-03-04T05:06:07Z"), "record.at"),
        (wire(at="2026-03-04T05:06:07.000008+00:00"), "record.at"),
        (wire(at="2026-02-30T05:06:07.000008Z"), "record.at"),
        (wire(at=7), "record.at"),
        (wire(kind="Plan.created"), "record.kind"),
        (wire(kind="plan"), "record.kind"),
        (wire(kind="plan.created\n"), "record.kind"),
        (wire(kind="a." * 40 + "a"), "record.kind"),
        (wire(actor=""), "record.actor"),
        (wire(actor="审查员"), "record.actor"),
        (wire(actor=" me"), "record.actor"),
        (wire(idem=WIRE), "record.idem"),
        (wire(subject=[]), "record.subject"),
        (wire(subject={"plan_id": None}), "record.subject.plan_id"),
        (wire(subject={"plan_id": DIGEST.upper()}), "record.subject.plan_id"),
        (wire(subject={"observation_id": DIGEST}), "record.subject"),
        (wire(schema={"name": "S", "digest": DIGEST}), "record.schema.name"),
        (wire(schema={"name": "s", "digest": WIRE}), "record.schema.digest"),
        (wire(body={"digest": DIGEST, "size": -1}), "record.body.size"),
        (wire(body={"digest": DIGEST}), "record.body.size"),
        (wire(note="free text"), "record"),
        ({**wire(), "注": 1}, "record"),
        (without("schema"), "record.schema"),
        ([], "record"),
    ],
)
def test_a_broken_field_is_refused_by_its_name(changed: object, subject: str) -> None:
    raw = json.dumps(changed, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    with pytest.raises(IntegrityError) as caught:
        read_raw(raw)
    assert caught.value.subject == subject
    assert isinstance(caught.value.__cause__, InvalidError)


@pytest.mark.parametrize(
    "raw",
    [
        GOLDEN + b"\n",
        b"\xef\xbb\xbf" + GOLDEN,
        GOLDEN.replace(b'"v":1', b'"v": 1'),
        GOLDEN.replace(b'"v":1', b'"v":1,"v":1'),
        GOLDEN.replace(b'"seq":7', b'"seq":7.0'),
        GOLDEN.replace(b'"seq":7', b'"seq":7e0'),
        GOLDEN.replace(b'"seq":7', b'"seq":-0'),
        GOLDEN.replace(b'"v":1', b'"v":NaN'),
        GOLDEN.replace(b"user", b"\\u0075ser"),
        GOLDEN.replace(b"user", b"\\ud800ser"),
        GOLDEN.replace(b"user", b"\xffser"),
        GOLDEN.replace(b"host:x", b"host\\/x"),
        GOLDEN[:-1],
        b"",
        b'{"v":1,' + GOLDEN[1 : -len(b',"v":1}')] + b"}",
    ],
)
def test_the_same_record_in_other_bytes_is_refused(raw: bytes) -> None:
    with pytest.raises(IntegrityError, match=r"^record"):
        read_raw(raw)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'"' + b"x" * MOST_RAW_BYTES + b'"', "65537 bytes"),
        (b"[" * 33 + b"]" * 33, "deeper than 32"),
        (b'{"a":' * 33 + b"1" + b"}" * 33, "deeper than 32"),
        (b"[" + b"[]," * 40 + b"[]]", "must be an object"),
        (b'["' + b"[{" * 40 + b'"]', "must be an object"),
        (b"[" * 30_000, "deeper than 32"),
        (b'"' + b"[" * 40, "not JSON"),
        (b'"\\"' * 20_000 + b"[" * 40, "not JSON"),
    ],
)
def test_size_and_depth_are_checked_before_parsing(raw: bytes, words: str) -> None:
    with pytest.raises(IntegrityError, match=words):
        read_raw(raw)


def test_the_ids_of_a_subject_are_those_that_are_there() -> None:
    assert Subject().ids() == {}
    assert RECORD.subject.ids() == {"plan_id": WIRE, "admission_id": DIGEST}


def test_no_field_moves_the_bytes_of_an_old_record() -> None:
    """Absent subject ids are not written, so that a later optional one changes no old record."""
    assert b"request_id" not in GOLDEN
    assert digest_bytes(read_raw(GOLDEN).canonical()) == GOLDEN_ID
