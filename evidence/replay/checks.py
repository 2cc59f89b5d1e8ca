"""What a replay asks of one record and its body, whatever it is a step of."""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from evidence.lifecycle.interpret import interpret
from evidence.lifecycle.life import LedgerLife
from evidence.replay.findings import RuleBreak
from ledger.chain import Break
from ledger.erasure import holds
from ledger.store import REGISTERED, Reader, read_body
from ledger.written import read_written
from schemas.canonical import canonical
from schemas.errors import EvidenceError, IntegrityError, InvalidError, OrderError
from schemas.ledger import LedgerRecord, Subject
from schemas.ledger_erasure import KEPT

Schemas = Mapping[tuple[str, str], int]
"""Every registered schema, by name and digest, and the first record that registered it."""


def held_body(reader: Reader, record: LedgerRecord) -> bytes:
    """The body that `record` names; IntegrityError when it is absent, another, or of another size."""
    body = reader.body(record.body.digest)
    if body is None:
        raise IntegrityError("no body is stored under this digest", subject="body")
    if len(body) != record.body.size:
        raise IntegrityError(f"the body has {len(body)} bytes, not {record.body.size}", subject="body.size")
    return body


def is_erased(reader: Reader, record: LedgerRecord, erased: Mapping[str, int]) -> bool:
    """Whether the body is absent because a `body.erased` names it."""
    named = record.kind not in KEPT and record.body.digest in erased
    return named and not holds(reader, record.body.digest)


def unheld(reader: Reader, erased: Mapping[str, int], judged: int | None) -> dict[int, str]:
    """Every record whose body is absent and not erased, and that body's digest.

    Of a log that lost its end the `body.erased` may be among what was lost; where it cannot be, none is
    excused. `judged`: of so many records the bodies can be judged at all.
    """
    found: dict[int, str] = {}
    if not may_be_erased(reader):
        return found
    for seq, raw in reader.records():
        if seq == judged:
            break
        with suppress(IntegrityError):  # told by the walk
            record = read_written(raw)
            digest = record.body.digest
            if record.kind not in KEPT and digest not in erased and reader.body(digest) is None:
                found[seq] = digest
    return found


def may_be_erased(reader: Reader) -> bool:
    """Whether the end that a log lost may have told of an erasure."""
    asked = getattr(reader, "may_be_erased", None)  # only what can be cut can say
    return asked is None or asked()


def came_back(seq: int, record: LedgerRecord, erased: Mapping[str, int]) -> Iterator[Break]:
    """The finding on a body that is stored although a `body.erased` names it."""
    digest = record.body.digest
    if record.kind not in KEPT and digest in erased:
        expected = f"erased by record {erased[digest]}"
        yield RuleBreak(seq, "body", "a body that was erased is gone", expected, f"{digest} is stored")


def read_artifact(body: bytes, record: LedgerRecord) -> object:
    """The JSON value of a body; InvalidError when it is none or not in its canonical form."""
    artifact = read_body(body)
    if record.kind != REGISTERED and canonical(artifact) != body:
        raise InvalidError("the body is not written in its canonical form", subject="body")
    return artifact


def body_break(seq: int, record: LedgerRecord, error: EvidenceError) -> Break:
    """The finding on a body that cannot be taken for the one that was stored."""
    return Break(seq, "body", "the body is the one that the record names", record.body.digest, error.message)


def schema_breaks(schemas: Schemas, at: int, record: LedgerRecord, stated: object) -> Iterator[Break]:
    """Whether the schema of the record stored at `at` was registered before and is the one that is stated."""
    seq, name, digest = record.seq, record.schema.name, record.schema.digest
    if schemas.get((name, digest), at) >= at:
        rule = "a schema is registered before it is used"
        yield RuleBreak(seq, "schema", rule, "a registered schema", f"{name} {digest}")
    if isinstance(stated, str) and stated != name:
        yield RuleBreak(seq, "schema.name", "the artifact states its schema", stated, name)


def stated_schema(artifact: object) -> object:
    """What an artifact says that it is; not a text when it is no object."""
    return str(artifact.get("schema_version")) if isinstance(artifact, dict) else None


def step_breaks(life: LedgerLife, record: LedgerRecord, artifact: object) -> Iterator[Break]:
    """Take one step of `life`: whether the artifact verifies, may follow, and is the record's subject."""
    try:
        subject = interpret(life, record.kind, artifact)
    except OrderError as error:
        yield order_break(record.seq, error)
    except EvidenceError as error:
        yield artifact_break(record.seq, error)
    else:
        yield from subject_breaks(record, subject)


def order_break(seq: int, error: OrderError) -> Break:
    """The finding on a step that may not follow here."""
    return RuleBreak(seq, "kind", error.rule, "a step that may follow", error.message)


def artifact_break(seq: int, error: EvidenceError) -> Break:
    """The finding on an artifact that is not what its own verb makes."""
    return RuleBreak(seq, f"body {error.subject}", error.code, "an artifact that verifies", error.message)


def subject_breaks(record: LedgerRecord, subject: Subject) -> Iterator[Break]:
    """Whether the record names what its artifact is about."""
    if subject != record.subject:
        expected, found = (canonical(one.to_wire()).decode() for one in (subject, record.subject))
        rule = "the subject is derived from the artifact"
        yield RuleBreak(record.seq, "subject", rule, expected, found)


def no_subject(record: LedgerRecord) -> Iterator[Break]:
    """Whether a record that is of no life names none."""
    if record.subject != Subject():
        found = canonical(record.subject.to_wire()).decode()
        yield RuleBreak(record.seq, "subject", "no artifact of a life, no subject", "{}", found)
