"""Read a stored record at one look at its whole text; what that look does not take gets the full rules.

A record has one way to be written, in a closed form and in ASCII, so that a pattern over all of its bytes
stands for parsing it, checking it and writing it again. Whoever reads a few records uses `read_raw`.
"""

import re
from functools import lru_cache

from schemas.canonical import LARGEST_INTEGER
from schemas.dates import split_instant
from schemas.ledger import SUBJECT_FIELDS, BodyRef, LedgerRecord, SchemaRef, Subject, read_raw

_BLAKE3 = rb"blake3:[0-9a-f]{64}"
_ID = rb"(?:sha256|blake3):[0-9a-f]{64}"
_NUMBER = rb"0|[1-9][0-9]{0,15}"
_AT = rb"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z"
_DAY_LENGTH = 10
_LONGEST_KIND = 64
# The subjects that the steps of a life have; any other one is left to the rules.
_SUBJECT = (
    rb'(?:(?:"admission_id":"(' + _ID + rb')",)?"plan_id":"(' + _ID + rb')",'
    rb'(?:"receipt_digest":"(' + _ID + rb')",)?"request_id":"(' + _ID + rb')")?'
)


def read_written(raw: bytes) -> LedgerRecord:
    """The record that `raw` is, exactly as `read_raw` says; IntegrityError as there."""
    match = _record_form().fullmatch(raw)
    if match is None:
        return read_raw(raw)
    actor, at, body, size, idem, kind, log, prev, schema, name, place, *about = match.groups()
    seq, length = int(place), int(size)
    if (
        (seq == 0) != (prev is None)
        or max(seq, length) > LARGEST_INTEGER
        or len(kind) > _LONGEST_KIND
        or b"://" in log
        or not _is_day(at[:_DAY_LENGTH])
    ):
        return read_raw(raw)
    record = LedgerRecord.__new__(LedgerRecord)
    record.__dict__.update(
        v=1,
        log=log.decode(),
        seq=seq,
        prev=prev and prev.decode(),
        at=at.decode(),
        kind=kind.decode(),
        actor=actor.decode(),
        idem=idem.decode(),
        subject=_subject(*about),
        schema=_schema(name, schema),
        body=_body(body, length),
    )
    return record


@lru_cache(maxsize=1)
def _record_form() -> re.Pattern[bytes]:
    # Not at import: a writer that reads two records would pay more for the pattern than it saves.
    return re.compile(
        rb'\{"actor":"([A-Za-z0-9_.:@/+-]{1,128})","at":"(' + _AT + rb')",'
        rb'"body":\{"digest":"(' + _BLAKE3 + rb')","size":(' + _NUMBER + rb")\},"
        rb'"idem":"(' + _BLAKE3 + rb')","kind":"([a-z]+(?:\.[a-z]+)+)",'
        rb'"log":"([A-Za-z0-9][A-Za-z0-9_.:/-]{0,127})","prev":(?:null|"(' + _BLAKE3 + rb')"),'
        rb'"schema":\{"digest":"(' + _BLAKE3 + rb')","name":"([a-z][a-z0-9_.-]{0,95})"\},'
        rb'"seq":(' + _NUMBER + rb'),"subject":\{' + _SUBJECT + rb'\},"v":1\}'
    )


@lru_cache(maxsize=64)
def _subject(
    admission: bytes | None, plan: bytes | None, receipt: bytes | None, request: bytes | None
) -> Subject:
    subject = Subject.__new__(Subject)
    ids = (request, plan, receipt, admission)
    subject.__dict__.update(
        (field, None if one is None else one.decode()) for field, one in zip(SUBJECT_FIELDS, ids, strict=True)
    )
    return subject


@lru_cache(maxsize=256)
def _schema(name: bytes, digest: bytes) -> SchemaRef:
    return SchemaRef(name=name.decode(), digest=digest.decode())


def _body(digest: bytes, size: int) -> BodyRef:
    body = BodyRef.__new__(BodyRef)
    body.__dict__.update(digest=digest.decode(), size=size)
    return body


@lru_cache(maxsize=256)
def _is_day(day: bytes) -> bool:
    return split_instant(f"{day.decode()}T00:00:00Z") is not None
