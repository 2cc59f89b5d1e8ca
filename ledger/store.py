"""What every store of records promises, and how a step becomes bytes (ledger.md sections 1 and 3).

A store gives `Reader` and `Writer` views inside one transaction. `compose` makes the bytes, the same
for every store. Each record also grows the log's Merkle tree; with a key every commit signs it.
"""

from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import orjson

from ledger.chain import Break
from ledger.tree import Frontier
from schemas.canonical import canonical, digest, digest_bytes
from schemas.errors import ConflictError, IntegrityError, InvalidError
from schemas.ledger import (
    KINDS,
    OPENED,
    BodyRef,
    LedgerOpened,
    LedgerRecord,
    SchemaRef,
    Subject,
    read_raw,
    record_id,
)
from schemas.outside import MAX_BYTES, MAX_DEPTH, parse

if TYPE_CHECKING:
    from ledger.signing import Signing

T = TypeVar("T")
Clock = Callable[[], datetime]
MOST_BODY_BYTES = MAX_BYTES
REGISTERED = "schema.registered"
_SOME_DIGEST = digest_bytes(b"")
_SORTED = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER
# In UTF-8 a character beyond U+FFFF begins with one of these bytes; no other character has one.
_BEYOND = range(0xF0, 0xF5)


class Draft(NamedTuple):
    """One step to append: who did what to which artifact.

    The idempotency key is (actor, command, subject); what the subject's ids cannot tell apart, such as
    the name of a registered schema, belongs into `command`, which is hashed and never stored.
    """

    kind: str
    actor: str
    command: str
    subject: Subject
    schema_name: str
    schema_digest: str
    body: bytes

    def idem(self) -> str:
        """The idempotency key."""
        key = [self.actor, self.command, self.subject.ids()]
        try:
            # Nothing but texts, and a subject's names are ASCII: RFC 8785 without looking at each part.
            return digest_bytes(orjson.dumps(key, option=orjson.OPT_SORT_KEYS))
        except orjson.JSONEncodeError:
            return digest(key)  # which says what is wrong


class Appended(NamedTuple):
    """Where a step stands; `repeated` when it stood there before.

    `proof` is the text that alone proves it (C2SP tlog-proof), known once the commit is signed; a log
    without a key has none, because a proof that nobody signed proves nothing.
    """

    seq: int
    id: str
    raw: bytes
    repeated: bool
    proof: bytes | None = None

    @property
    def record(self) -> LedgerRecord:
        """The record that the stored bytes are; read when it is asked for, which few callers do."""
        return read_raw(self.raw)


class Head(NamedTuple):
    """The last record of a log: what the next one is chained to."""

    log: str
    seq: int
    id: str


class Known(NamedTuple):
    """The last record, its bytes, and the tree up to it, so that the next commit need not read them again."""

    head: Head
    raw: bytes
    tree: Frontier


class Opening(NamedTuple):
    """How a ledger that is not there yet is begun; without `origin` it gets a random one."""

    actor: str
    schema_digest: str
    origin: str | None = None
    key: str | None = None

    def draft(self, name: str) -> Draft:
        """The `ledger.opened` step of the log called `name`."""
        body = LedgerOpened(origin=name, key=self.key).canonical()
        return Draft("ledger.opened", self.actor, "open", Subject(), OPENED, self.schema_digest, body)


def registration(actor: str, name: str, document: bytes) -> Draft:
    """The `schema.registered` step: its body is the schema itself, so it is its own schema."""
    stated = digest_bytes(document)
    return Draft(REGISTERED, actor, f"register {name} {stated}", Subject(), name, stated, document)


def compose(draft: Draft, idem: str, body: str, log: str, head: Head | None, at: str) -> bytes:
    """The bytes of the record of `draft` after `head`: its key is `idem`, its body's digest is `body`.

    InvalidError names a field that cannot be.
    A kind that no interpreter knows is refused here although a chain that holds one verifies.
    """
    size = len(draft.body)
    if size > MOST_BODY_BYTES:
        raise InvalidError(f"body is {size} bytes; at most {MOST_BODY_BYTES} are kept", subject="body.size")
    if draft.kind == REGISTERED and draft.schema_digest != body:
        raise InvalidError("a registered schema's digest must be that of its body", subject="schema.digest")
    _check(log, draft.kind, draft.actor, draft.schema_name, draft.schema_digest)
    _check_body(draft)
    seq, prev = (0, "null") if head is None else (head.seq + 1, f'"{head.id}"')
    subject = orjson.dumps(draft.subject.ids(), option=orjson.OPT_SORT_KEYS).decode()
    # As LedgerRecord.canonical() writes it: no text in it, once checked, needs an escape.
    return (
        f'{{"actor":"{draft.actor}","at":"{at}","body":{{"digest":"{body}","size":{size}}},"idem":"{idem}",'
        f'"kind":"{draft.kind}","log":"{log}","prev":{prev},"schema":{{"digest":"{draft.schema_digest}",'
        f'"name":"{draft.schema_name}"}},"seq":{seq},"subject":{subject},"v":1}}'
    ).encode()


def _check_body(draft: Draft) -> None:
    """Raise InvalidError for a body that an audit would not take for one that was stored as it is."""
    if draft.kind == REGISTERED:
        read_body(draft.body)  # a schema may say 0.5
    elif not _surely_canonical(draft.body) and canonical(parse(draft.body, "body")) != draft.body:
        raise InvalidError("body is not canonical JSON (RFC 8785)", subject="body")


def read_body(body: bytes) -> object:
    """The JSON value of a body; InvalidError: none, or one after a byte order mark (RFC 8259 section 8.1)."""
    if body.startswith(BOM_UTF8):
        raise InvalidError("body begins with a byte order mark", subject="body")
    return parse(body, "body")


def _surely_canonical(body: bytes) -> bool:
    """Whether that is seen at a quick look; what it leaves in doubt is for the audit's own rule to say."""
    try:
        value = orjson.loads(body)
        as_written = orjson.dumps(value, option=_SORTED) == body
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return False
    # What orjson writes otherwise than RFC 8785, or takes and we do not: keys beyond U+FFFF, which the one
    # sorts by UTF-8 and the other by UTF-16, numbers that are no integers, and nesting.
    return as_written and not any(map(body.__contains__, _BEYOND)) and _shallow_without_floats(value)


def _shallow_without_floats(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        for one in level:
            kind = type(one)
            if kind is dict:
                inner += one.values()
            elif kind is list:
                inner += one
            elif kind is float:
                return False
        if not inner:
            return True
        level = inner
    return False


@lru_cache(maxsize=64)
def _check(log: str, kind: str, actor: str, schema_name: str, schema_digest: str) -> None:
    """Raise InvalidError unless a record may say this; the records of a log say the same few of it."""
    if kind not in KINDS:
        raise InvalidError(f"record.kind must be a known kind, found {kind!a}", subject="record.kind")
    LedgerRecord(
        log=log,
        seq=0,
        prev=None,
        at="1970-01-01T00:00:00.000000Z",
        kind=kind,
        actor=actor,
        idem=_SOME_DIGEST,
        subject=Subject(),
        schema=SchemaRef(name=schema_name, digest=schema_digest),
        body=BodyRef(digest=_SOME_DIGEST, size=0),
    )


def repeat(draft: Draft, raw: bytes) -> Appended:
    """The first record of `draft`'s key again, `raw`; ConflictError when its content was another."""
    first, identity = read_raw(raw), record_id(raw)
    stored = (first.kind, first.schema.name, first.schema.digest, first.body.digest)
    if stored != (draft.kind, draft.schema_name, draft.schema_digest, digest_bytes(draft.body)):
        raise ConflictError(
            f"{draft.actor} did this before with other content: record {first.seq}, {first.kind}",
            subject=identity,
        )
    return Appended(first.seq, identity, raw, repeated=True)


def erased_body(place: str) -> ConflictError:
    """The refusal of a body that was erased before: it would be there again."""
    return ConflictError(
        f"{place}: a body that was erased is not taken again",
        subject=place,
        hint="`audit show` tells what of it is left",
    )


def opened_key(reader: "Reader") -> str | None:
    """The verifier key that the log was begun with; None for a log without one."""
    raw = reader.raw(0)
    if raw is None:
        raise IntegrityError("the first record is missing", subject="ledger.opened")
    record = read_raw(raw)
    # A writer asks at each start: the one body without a key is known by its digest, and no JSON is read.
    if record.body.digest == digest_bytes(LedgerOpened(origin=record.log, key=None).canonical()):
        return None
    body = reader.body(record.body.digest)
    if body is None:
        raise IntegrityError("the body of the first record is missing", subject="ledger.opened")
    key: str | None = LedgerOpened.read(parse(body, "body of record 0")).key
    return key


class Reader(Protocol):
    """One consistent sight of a log. Indexes serve look-up only; who proves reads the raw bytes."""

    def head(self) -> Head | None:
        """The last record; None when there is none at all."""
        ...

    def raw(self, seq: int) -> bytes | None:
        """The stored bytes of one record."""
        ...

    def records(self, after: int = -1) -> Iterator[tuple[int, bytes]]:
        """Every (seq, raw) beyond `after` in order, a few at a time."""
        ...

    def body(self, digest: str) -> bytes | None:
        """The body of that digest, None when absent or erased; IntegrityError when it is another."""
        ...

    def of_subject(self, identity: str) -> list[tuple[int, bytes]]:
        """Every (seq, raw) whose subject names `identity` in any field, in order."""
        ...

    def of_kind(self, kind: str) -> list[tuple[int, bytes]]:
        """Every (seq, raw) of one kind, in order."""
        ...

    def latest(self, kind: str) -> tuple[int, bytes] | None:
        """The last (seq, raw) of one kind."""
        ...

    def ids_like(self, prefix: str, field: str | None = None) -> list[tuple[str, str]]:
        """A handful of (field, id) whose id begins with `prefix`, given with or without its algorithm."""
        ...

    def has_schema(self, name: str, digest: str) -> bool:
        """Whether that schema was registered here."""
        ...

    def subtree(self, level: int, index: int) -> bytes:
        """The stored hash over the 2^level records from index·2^level on; IntegrityError when absent."""
        ...

    def checkpoint(self, size: int) -> bytes | None:
        """The first signed checkpoint that covers at least `size` records."""
        ...

    def last_checkpoint(self) -> bytes | None:
        """The signed checkpoint of the most records."""
        ...

    def checkpoints(self) -> Iterator[tuple[int, bytes]]:
        """Every (size, note) in order of size."""
        ...

    def index_breaks(self) -> Iterator[Break]:
        """Every derived row that is not what the stored bytes make of it, the stored head among them."""
        ...


class Writer(Reader, Protocol):
    """A Reader that holds the one right to append; `signing` is the key that its end signs with."""

    signing: "Signing | None"

    def append(self, draft: Draft) -> Appended:
        """Chain one step to the head; the same key and content again gives the first record back.

        ConflictError: the key was used for other content. Durable when the transaction has ended.
        """
        ...

    def append_all(self, drafts: Sequence[Draft]) -> list[Appended]:
        """As `append` does with each in turn, at one moment; after an error the transaction is given up."""
        ...

    def keep_checkpoint(self, size: int, note: bytes) -> None:
        """Store the signed checkpoint over all `size` records."""
        ...

    def erase(self, digests: Iterable[str]) -> None:
        """Take these bodies out, and refuse whoever appends one of them again with ConflictError."""
        ...

    def seal(self) -> bytes | None:
        """Sign what this transaction appended; the checkpoint to publish, None without a key or a record.

        Asked again it is the same one, unless more was appended. The end of the transaction asks too.
        """
        ...


class Readable(Protocol):
    """A log that can be read."""

    def read(self) -> AbstractContextManager[Reader]:
        """One snapshot; it neither blocks nor sees half a transaction."""
        ...

    def close(self) -> None:
        """Give back every resource; twice is once."""
        ...


class Ledger(Readable, Protocol):
    """A log that can be appended to."""

    def write(self, *, restoring: bool = False) -> AbstractContextManager[Writer]:
        """One transaction: everything is durable at a normal end, nothing is kept on an exception.

        With a key it signs a checkpoint. IntegrityError: the store is behind or beside the one that was
        published last; only `restoring` goes on, to record just that.
        """
        ...

    def append(self, *drafts: Draft) -> list[Appended]:
        """Append in one transaction and, with a key, give every step its proof, which the caller keeps."""
        ...

    def run(self, step: Callable[[Writer], T]) -> T:
        """What `step` gives in one transaction; a store may do it again where a server undid that."""
        ...

    def scrub(self) -> str | None:
        """Overwrite what erased bodies left in the store's own files.

        Why something may be left, None: nothing is. It raises nothing: whoever asks has erased already.
        """
        ...
