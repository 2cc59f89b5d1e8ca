"""A ledger record: one step, by whom and when, chained to the record before it (ledger.md section 1).

The stored bytes are the record. `read_raw` reads them; `record_id` names them; nothing here is ever
written anew from a model and hashed again.
"""

import re
from datetime import datetime
from functools import cached_property

import orjson

from schemas.canonical import digest_bytes
from schemas.dates import split_instant
from schemas.errors import IntegrityError, InvalidError
from schemas.provider import ProviderRow
from schemas.receipt import STATUSES
from schemas.record import Nested, Record, Rule, RuleError, field
from schemas.rules import Digest, Integer, Literal, ProviderId, Text
from schemas.text import shown

OPENED = "external_evidence_ledger_opened_v0"
EXECUTION = "external_evidence_execution_v0"
SUPERSESSION = "external_evidence_supersession_v0"
PROVIDER_CALL = "external_evidence_provider_call_v0"
# How a ledger's bytes are written and chained; another profile is another set of rules.
PROFILE = "rfc8785_blake3_v1"
KINDS = (
    "ledger.opened",
    "schema.registered",
    "policy.changed",
    "key.rotated",
    "provider.observed",
    "plan.created",
    "execution.started",
    "execution.finished",
    "receipt.observed",
    "admission.decided",
    "admission.superseded",
    "projection.observed",
    "evidence.retired",
    "provider.called",
    "body.erased",
    "ledger.restored",
)
# What a host asks of EXT-20's provider (EXT-20 section 4.3), and who that is.
SEARCHED, RESOLVED, WEB_SEARCHED, WEB_CAPTURED = CALLS = (
    "regulations.search",
    "regulations.evidence",
    "web.search",
    "web.capture",
)
KBREG = "kbreg"
PLUGIN = "plugin:"  # before the id of whoever called, as the record's actor
MOST_WORD = 256
MOST_RAW_BYTES = 65_535
MOST_RAW_DEPTH = 32

# The closing quote is optional so that hostile text cannot make the scan go back: it stays linear.
_TOKEN = rb'(?s:"(?:[^"\\]|\\.)*"?|[\[{]|[\]}])'


class Matching(Rule):
    """Text that fits `pattern` as it is: never trimmed, at most `most` characters, ASCII by its pattern."""

    def __init__(self, pattern: str, most: int, what: str) -> None:
        self._form = pattern
        self.most = most
        self.what = what

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What the whole text must fit; made when it is first asked for, which many rules never are."""
        return re.compile(self._form)

    def read(self, value: object) -> object:
        if not isinstance(value, str):
            raise RuleError(f"must be text, found {shown(value)}")
        if len(value) > self.most:
            raise RuleError(f"is {len(value)} characters long; at most {self.most} are allowed")
        if self.pattern.fullmatch(value) is None:
            raise RuleError(f"must be {self.what}, found {shown(value)}")
        return value


class Moment(Matching):
    """UTC with microseconds and `Z`, a real instant."""

    def __init__(self) -> None:
        form = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z"
        super().__init__(form, 27, "UTC as YYYY-MM-DDThh:mm:ss.ffffffZ")

    def read(self, value: object) -> object:
        text = str(super().read(value))
        if not _usual(text) and split_instant(text) is None:
            raise RuleError(f"is no real instant: {shown(text)}")
        return text


def _usual(text: str) -> bool:
    """Whether this is an instant, said quickly; it may be one nevertheless, with a leap second."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return text[11:13] != "24"  # an hour that newer Pythons read


def _blake3() -> Matching:
    return Matching(r"blake3:[0-9a-f]{64}", 71, "blake3: and 64 lower-case hex digits")


def origin() -> Matching:
    """The rule of a log's name (C2SP tlog-checkpoint): no scheme, space or `+`."""
    form = r"(?!.*://)[A-Za-z0-9][A-Za-z0-9_.:/-]*"
    return Matching(form, 128, "[A-Za-z0-9_.:/-]… without a scheme, space or +")


ACTOR = Matching(r"[A-Za-z0-9_.:@/+-]+", 128, "[A-Za-z0-9_.:@/+-]…")


class Subject(Record):
    """The lifecycle ids that a record is about; a field that does not apply is left out."""

    request_id: str | None = field(Digest(exact=True), default=None, omitted=True)
    plan_id: str | None = field(Digest(exact=True), default=None, omitted=True)
    receipt_digest: str | None = field(Digest(exact=True), default=None, omitted=True)
    admission_id: str | None = field(Digest(exact=True), default=None, omitted=True)

    def ids(self) -> dict[str, str]:
        """The ids that are there, by field."""
        return {name: value for name, value in self.__dict__.items() if value is not None}


SUBJECT_FIELDS = tuple(spec.name for spec in Subject.FIELDS)


class SchemaRef(Record, subject="schema"):
    """The schema in force for the body: its name and the digest of its registered bytes."""

    name: str = field(Matching(r"[a-z][a-z0-9_.-]*", 96, "[a-z][a-z0-9_.-]…"))
    # The wire name is the specification's; these two records are parts, nobody takes their own digest.
    digest: str = field(_blake3())  # type: ignore[assignment]


class BodyRef(Record, subject="body"):
    """The artifact's bytes: their digest and size; the bytes themselves stand beside the record."""

    digest: str = field(_blake3())  # type: ignore[assignment]
    size: int = field(Integer())


class LedgerRecord(Record, subject="record"):
    """The envelope of one step. It holds no free text, so erasing a body leaves it whole.

    `kind` may be one that is not in KINDS: that is a question for who interprets, not for the chain.
    """

    v: int = field(Integer(1, 1), default=1, stated=True)
    log: str = field(origin())
    seq: int = field(Integer())
    prev: str | None = field(_blake3(), nullable=True)
    at: str = field(Moment())
    kind: str = field(Matching(r"[a-z]+(?:\.[a-z]+)+", 64, "words joined by dots"))
    actor: str = field(ACTOR)
    idem: str = field(_blake3())
    subject: Subject = field(Nested(Subject))
    schema: SchemaRef = field(Nested(SchemaRef))
    body: BodyRef = field(Nested(BodyRef))

    def check(self) -> None:
        if (self.seq == 0) != (self.prev is None):
            rule = "must be null at seq 0" if self.seq == 0 else f"must not be null at seq {self.seq}"
            raise RuleError(rule, ".prev")


def record_id(raw: bytes) -> str:
    """The id of a record: the BLAKE3 digest of its stored bytes."""
    return digest_bytes(raw)


def read_raw(raw: bytes) -> LedgerRecord:
    """The record that the stored bytes `raw` are, in the narrow profile of ledger.md section 1.

    Size and depth are checked before parsing. Raises IntegrityError; its subject names the field.
    """
    if len(raw) > MOST_RAW_BYTES:
        raise _broken(f"record is {len(raw)} bytes; at most {MOST_RAW_BYTES} are allowed")
    if _deeper_than_allowed(raw):
        raise _broken(f"record is nested deeper than {MOST_RAW_DEPTH} levels")
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise _broken(f"record is not JSON: {error}") from error
    try:
        record = LedgerRecord.read(value)
    except InvalidError as error:
        raise IntegrityError(error.message, subject=error.subject) from error
    # The fields are closed, strict and ASCII, so this one comparison also refuses duplicate keys, white
    # space, another key order, other escapes, and a null field that was left out.
    if record.canonical() != raw:
        raise _broken("record is not written in its canonical form")
    return record


def _broken(message: str) -> IntegrityError:
    return IntegrityError(message, subject="record")


def _deeper_than_allowed(raw: bytes) -> bool:
    if raw.count(b"{") + raw.count(b"[") <= MOST_RAW_DEPTH:
        return False
    depth = 0
    for token in re.finditer(_TOKEN, raw):
        first = raw[token.start()]
        if first in b"[{":
            depth += 1
            if depth > MOST_RAW_DEPTH:
                return True
        elif first in b"]}":
            depth -= 1
    return False


class LedgerOpened(Record, subject="opened"):
    """The body of `ledger.opened`: the log's name, how its bytes are written, its first key if any."""

    schema_version: str = field(Literal(OPENED), default=OPENED, stated=True)
    origin: str = field(origin())
    profile: str = field(Literal(PROFILE), default=PROFILE, stated=True)
    key: str | None = field(Text(512, exact=True), nullable=True)


class Execution(Record):
    """The body of `execution.started` and `execution.finished` (lifecycle.md section 8).

    A start shows the provider ready right before it ran; only an end has a receipt.
    """

    schema_version: str = field(Literal(EXECUTION), default=EXECUTION, stated=True)
    plan_id: str = field(Digest(exact=True))
    provider_id: str = field(ProviderId(exact=True))
    attempt: int = field(Integer(1))
    state: str = field(Literal("started", "finished"))
    provider: ProviderRow | None = field(Nested(ProviderRow), nullable=True)
    receipt_status: str | None = field(Literal(*STATUSES), nullable=True)
    receipt_digest: str | None = field(Digest(exact=True), nullable=True)

    def check(self) -> None:
        finished = self.state == "finished"
        for name in ("receipt_status", "receipt_digest"):
            if (getattr(self, name) is not None) != finished:
                rule = "is required" if finished else "must be null"
                raise RuleError(f"{rule} in an execution that has {self.state}", f".{name}")
        if self.provider is None:
            if not finished:
                raise RuleError("is required in an execution that has started", ".provider")
        elif self.provider.provider_id != self.provider_id:
            raise RuleError(f"is {self.provider.provider_id}, not {self.provider_id}", ".provider")
        elif not finished and not self.provider.ready:
            raise RuleError("was not ready; nothing can have started", ".provider")


class Supersession(Record):
    """The body of `admission.superseded`: which decision gives way to which."""

    schema_version: str = field(Literal(SUPERSESSION), default=SUPERSESSION, stated=True)
    plan_id: str = field(Digest(exact=True))
    superseded_admission_id: str = field(Digest(exact=True))
    admission_id: str = field(Digest(exact=True))

    def check(self) -> None:
        if self.admission_id == self.superseded_admission_id:
            raise RuleError("cannot supersede itself", ".admission_id")


def _word(least: int = 0) -> Matching:
    """The rule of somebody's own word: as it came, without the characters that H1 and H2 refuse."""
    refused = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff"
    return Matching(rf"[^{refused}]{{{least},}}", MOST_WORD, "text without control characters")


class CallOutcome(Record, subject="evidence"):
    """All that an audit event tells of a call: never a query, an excerpt, a snippet or a page."""

    revision: str | None = field(_word(1), default=None, omitted=True)
    count: int = field(Integer())
    state: str = field(_word())
    # EXT-20's name.
    querySha256: str | None = field(  # noqa: N815
        Matching(r"[0-9a-f]{64}", 64, "64 lower-case hex digits"), default=None, omitted=True
    )


class ProviderCall(Record, subject="call"):
    """The body of `provider.called` (EXT-20 section 4.3); the record's actor is the plugin that called."""

    schema_version: str = field(Literal(PROVIDER_CALL), default=PROVIDER_CALL, stated=True)
    action: str = field(Literal(*CALLS))
    owner: str = field(_word())
    target: str = field(Literal(KBREG), default=KBREG, stated=True)
    evidence: CallOutcome = field(Nested(CallOutcome))

    def check(self) -> None:
        told = self.evidence
        if self.action in (WEB_SEARCHED, WEB_CAPTURED) and told.revision is not None:
            raise RuleError(f"must be left out of {self.action}", ".evidence.revision")
        if self.action == RESOLVED:
            if told.querySha256 is not None:
                raise RuleError(f"must be left out of {self.action}", ".evidence.querySha256")
            if told.count != (told.state == "ok"):
                raise RuleError(f"cannot be {told.count} in state {told.state}", ".evidence.count")
