"""Read a stored record at one look at its whole text; what that look does not take gets the full rules.

A record has one way to be written, in a closed form and in ASCII, so that a pattern over all of its bytes
stands for parsing it, checking it and writing it again. Whoever reads a few records uses `read_raw`.
"""

import re
from datetime import date
from functools import lru_cache

from schemas.canonical import LARGEST_INTEGER
from schemas.ledger import BodyRef, LedgerRecord, SchemaRef, Subject, read_raw

Texts = tuple[str, ...]
"""What a record says, in the order of its bytes, each as it stands there and empty where nothing does:
actor, at, body, size, idem, kind, log, prev, schema, its name, seq, admission, plan, receipt, request.
"""

# Whether 64 characters are digits is looked at once for all of them together.
_BLAKE3 = r"blake3:.{64}"
_ID = r"(?:sha256|blake3):.{64}"
_NUMBER = r"0|[1-9][0-9]{0,15}"
_AT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z"
_DAY_LENGTH = 10
_LONGEST_KIND = 64
# The subjects that the steps of a life have; any other one is left to the rules.
_SUBJECT = (
    r'(?:(?:"admission_id":"(' + _ID + r')",)?"plan_id":"(' + _ID + r')",'
    r'(?:"receipt_digest":"(' + _ID + r')",)?"request_id":"(' + _ID + r')")?'
)


def read_written(raw: bytes) -> LedgerRecord:
    """The record that `raw` is, exactly as `read_raw` says; IntegrityError as there."""
    said = _at_a_look(raw)
    if said is None:
        return read_raw(raw)
    actor, at, body, size, idem, kind, log, prev, schema, name, place, *about = said
    record = LedgerRecord.__new__(LedgerRecord)
    record.__dict__.update(
        v=1,
        log=log,
        seq=int(place),
        prev=prev or None,
        at=at,
        kind=kind,
        actor=actor,
        idem=idem,
        subject=_subject(*about),
        schema=_schema(name, schema),
        body=_body(body, int(size)),
    )
    return record


def texts(raw: bytes) -> Texts:
    """What the record that `raw` is says; IntegrityError as `read_raw`."""
    said = _at_a_look(raw)
    if said is not None:
        return said
    record = read_raw(raw)
    about, body, schema = record.subject, record.body, record.schema
    ids = (about.admission_id, about.plan_id, about.receipt_digest, about.request_id)
    own = (record.actor, record.at, body.digest, str(body.size), record.idem, record.kind, record.log)
    rest = (record.prev or "", schema.digest, schema.name, str(record.seq))
    return (*own, *rest, *(one or "" for one in ids))


def _at_a_look(raw: bytes) -> Texts | None:
    """The same, None where the rules must look."""
    match = _record_form().fullmatch(raw.decode("latin-1"))  # of which each byte is a character
    if match is None:
        return None
    said = match.groups("")
    _, at, body, size, idem, kind, log, prev, schema, _, place, admission, plan, receipt, request = said
    if (
        (place == "0") != (prev == "")
        or max(int(place), int(size)) > LARGEST_INTEGER
        or len(kind) > _LONGEST_KIND
        or "://" in log
        or not _is_day(at[:_DAY_LENGTH])
        or not _are_digits(
            body[7:] + idem[7:] + prev[7:] + schema[7:]
            + admission[7:] + plan[7:] + receipt[7:] + request[7:]
        )
    ):  # fmt: skip
        return None
    return said


def _are_digits(text: str) -> bool:
    try:
        return bytes.fromhex(text).hex() == text  # which are lower-case and without a space between
    except ValueError:
        return False


@lru_cache(maxsize=1)
def _record_form() -> re.Pattern[str]:
    # Not at import: a writer that reads two records would pay more for the pattern than it saves.
    return re.compile(
        r'\{"actor":"([A-Za-z0-9_.:@/+-]{1,128})","at":"(' + _AT + r')",'
        r'"body":\{"digest":"(' + _BLAKE3 + r')","size":(' + _NUMBER + r")\},"
        r'"idem":"(' + _BLAKE3 + r')","kind":"([a-z]+(?:\.[a-z]+)+)",'
        r'"log":"([A-Za-z0-9][A-Za-z0-9_.:/-]{0,127})","prev":(?:null|"(' + _BLAKE3 + r')"),'
        r'"schema":\{"digest":"(' + _BLAKE3 + r')","name":"([a-z][a-z0-9_.-]{0,95})"\},'
        r'"seq":(' + _NUMBER + r'),"subject":\{' + _SUBJECT + r'\},"v":1\}',
        re.DOTALL,
    )


@lru_cache(maxsize=64)
def _subject(admission: str, plan: str, receipt: str, request: str) -> Subject:
    subject = Subject.__new__(Subject)
    subject.__dict__.update(
        request_id=request or None,
        plan_id=plan or None,
        receipt_digest=receipt or None,
        admission_id=admission or None,
    )
    return subject


@lru_cache(maxsize=256)
def _schema(name: str, digest: str) -> SchemaRef:
    return SchemaRef(name=name, digest=digest)


def _body(digest: str, size: int) -> BodyRef:
    body = BodyRef.__new__(BodyRef)
    body.__dict__.update(digest=digest, size=size)
    return body


@lru_cache(maxsize=256)
def _is_day(day: str) -> bool:
    try:
        date.fromisoformat(day)  # which the pattern holds to one of the forms that this reads
    except ValueError:
        return False
    return True
