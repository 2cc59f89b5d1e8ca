"""Take bodies out of a log; record, chain, tree and ids stay as they are (ledger.md sections 1 and 3).

A `body.erased` record names the digests. Whoever reads the log knows by it that an absent body is
ERASED and not lost, and that one which is there again should be gone. What was erased also stands beside
the key (`ledger.erased_list`), so that an older copy of the store cannot bring it back.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from ledger.keeping import keep, registered
from ledger.store import Appended, Ledger, Reader, Writer
from schemas.errors import AmbiguousError, IntegrityError, InvalidError, NotFoundError
from schemas.ledger import LedgerRecord, Subject, read_raw
from schemas.ledger_erasure import BODY_ERASED, ERASURE, KEPT, MOST_BODIES, BodyErased
from schemas.outside import parse

SHORTEST = 4


class Again(NamedTuple):
    """What the list beside the key made of a store that held it still: records anew, bodies taken out."""

    records: tuple[Appended, ...] = ()
    bodies: int = 0


class Erased(NamedTuple):
    """What was asked for, what was done, and what may be left.

    `bodies` is how many were there until now; `record` is None where one says so already. `left` says why
    the store's own files may still hold bytes of them; None: they do not.
    """

    field: str
    id: str
    record: Appended | None
    bodies: int
    again: Again
    left: str | None


def erase(ledger: Ledger, asked: str, reason: str, actor: str) -> Erased:
    """Take the body of every record out whose subject names `asked`, an id or a unique beginning of one.

    The record of it and the bodies' end are one transaction. Said again, it is done again as far as it is
    not: that ends what a crash, a reader in the way or an older copy left. NotFoundError, AmbiguousError:
    the id. IntegrityError: the store is not what was published; that is mended first.
    """
    with ledger.write(restoring=True) as writer:  # a store that holds what was erased is what this mends
        if writer.signing is not None:
            writer.signing.refuse_unpublished(writer)
        again = erase_again(writer, actor)
        field, identity = _identified(writer, asked)
        digests = _bodies_of(writer, field, identity)
        held = [digest for digest in digests if holds(writer, digest)]
        new = sorted(digests - erased(writer).keys())
        subject = Subject(**{field: identity})
        if writer.signing is not None:
            writer.signing.remember(subject, reason, digests)
        records = _recorded(writer, subject, reason, new, actor)
        writer.erase(digests)
    return Erased(field, identity, records[-1] if records else None, len(held), again, ledger.scrub())


def erase_again(writer: Writer, actor: str) -> Again:
    """Take out what the list beside the key names and this store holds; record it where no record does."""
    if writer.signing is None:
        return Again()
    records: list[Appended] = []
    bodies = 0
    for entry in writer.signing.erasures():
        held = [digest for digest in entry.bodies if holds(writer, digest)]
        new = sorted(set(held) - erased(writer).keys())
        records += _recorded(writer, entry.subject, entry.reason, new, actor)
        writer.erase(held)
        bodies += len(held)
    return Again(tuple(records), bodies)


def holds(reader: Reader, digest: str) -> bool:
    """Whether the store has bytes for this digest, be they the right ones or not."""
    try:
        return reader.body(digest) is not None
    except IntegrityError:
        return True


def erased(reader: Reader) -> dict[str, int]:
    """The digest of every body that the log says was erased, and the first record that says so.

    A `body.erased` that cannot be read names none: an audit tells of it where it stands.
    """
    found: dict[str, int] = {}
    for seq, stated in _erasures(reader):
        for digest in stated.bodies:
            found.setdefault(digest, seq)
    return found


def read_erasure(record: LedgerRecord, artifact: object) -> BodyErased:
    """What the body of a `body.erased` states; InvalidError when that, or the subject, is otherwise."""
    stated = BodyErased.read(artifact)
    if stated.to_wire() != artifact or stated.origin != record.log:
        raise InvalidError("the erasure is not written as one of this log", subject="erased")
    if len(record.subject.ids()) != 1:
        raise InvalidError("an erasure is of the one id that was asked for", subject="subject")
    return stated


def _erasures(reader: Reader) -> Iterator[tuple[int, BodyErased]]:
    for seq, raw in reader.of_kind(ERASURE):
        with suppress(IntegrityError, InvalidError):
            record = read_raw(raw)
            yield seq, read_erasure(record, parse(reader.body(record.body.digest) or b"", "body"))


def _identified(reader: Reader, asked: str) -> tuple[str, str]:
    found = reader.ids_like(asked) if len(asked.rpartition(":")[2]) >= SHORTEST else []
    if not found:
        raise NotFoundError(
            f"no record of this ledger names an id that begins with {asked!a}",
            subject="subject",
            hint=f"give a request_id, plan_id, receipt_digest or admission_id, or {SHORTEST} digits or more",
        )
    if len(found) > 1:
        raise AmbiguousError(
            f"{asked} is the start of {len(found)} or more ids in the ledger",
            subject="subject",
            hint=f"write more of it: {', '.join(identity for _, identity in found[:SHORTEST])}",
        )
    return found[0]


def _bodies_of(reader: Reader, field: str, identity: str) -> set[str]:
    # Of all records by their bytes: an index that somebody edited would leave a body where it is.
    named = identity.encode()
    records = (read_raw(raw) for _, raw in reader.records() if named in raw)
    return {
        record.body.digest
        for record in records
        if record.kind not in KEPT and record.subject.ids().get(field) == identity
    }


def _recorded(
    writer: Writer, subject: Subject, reason: str, digests: Iterable[str], actor: str
) -> tuple[Appended, ...]:
    rest, done = tuple(digests), []
    while rest:
        part, rest = rest[:MOST_BODIES], rest[MOST_BODIES:]
        head = registered(writer, BODY_ERASED, actor)
        body = BodyErased(origin=head.log, bodies=part, reason=reason).canonical()
        command = f"erase {head.seq + 1}"
        done.append(keep(writer, ERASURE, BODY_ERASED, command, actor, body, subject))
    return tuple(done)
