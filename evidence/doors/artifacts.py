"""Find the artifact that an argument means: a file, `-` for stdin, or an id or id prefix in the ledger."""

import errno
import sys
from pathlib import Path
from typing import TypeVar

from evidence.lifecycle.receipt import observation_id
from ledger.store import Ledger, Reader
from schemas.admission import ADMISSION, Admission
from schemas.canonical import algorithm_of
from schemas.errors import (
    AmbiguousError,
    EvidenceError,
    MismatchError,
    NotFoundError,
    StorageError,
    UsageError,
)
from schemas.ledger import read_raw
from schemas.outside import MAX_BYTES, parse
from schemas.plan import PLAN, RECEIPT, Plan
from schemas.receipt import OBSERVATION, Receipt, ReceiptObservation
from schemas.record import Record
from schemas.text import shown

R = TypeVar("R", bound=Record)
SHORTEST_PREFIX = 4
LONGEST_PREFIX = 64
_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP)
_MEANS = f"give a file, - for stdin, or an id or a prefix of one, {SHORTEST_PREFIX} or more of 0-9 a-f"
_KINDS = {
    "plan": ("plan.created", "plan_id", PLAN),
    "receipt": ("receipt.observed", "receipt_digest", RECEIPT),
    "admission": ("admission.decided", "admission_id", ADMISSION),
}


def read_bytes(argument: str, what: str, hint: str | None = None) -> bytes:
    """The bytes of a file or, for `-`, of stdin; at most 8 MiB and one more, so that a bound can be told.

    `hint`: what to say where there is no such file. Raises NotFoundError, UsageError or StorageError;
    never an OSError.
    """
    if argument == "-" and sys.stdin is None:
        raise UsageError(f"{what} is to be read from stdin, which is closed", subject=what)
    try:
        if argument == "-":
            return sys.stdin.buffer.read(MAX_BYTES + 1)
        with Path(argument).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise _unread(error, argument, what, hint) from error


def _unread(error: OSError, argument: str, what: str, hint: str | None) -> EvidenceError:
    named = "stdin" if argument == "-" else repr(argument)
    if error.errno in _NO_FILE:
        return NotFoundError(f"{what}: there is no file {shown(argument, 200)}", subject=what, hint=hint)
    if error.errno == errno.EISDIR:
        return UsageError(f"{what}: {named} is a folder", subject=what, hint=hint)
    return StorageError(f"{what}: {named} cannot be read: {error.strerror}", subject=what)


def read_json(argument: str, what: str) -> object:
    """The JSON value of a file or stdin, checked as lifecycle.md H7 wants before it is used."""
    return parse(read_bytes(argument, what), what)


def read_plan(argument: str, ledger: Ledger | None) -> Plan:
    """The plan that `argument` means."""
    return Plan.read(_value(argument, "plan", ledger), "plan")


def read_receipt(argument: str, ledger: Ledger | None) -> Receipt:
    """The receipt that `argument` means; an observation stands for the receipt inside it."""
    return Receipt.read(_value(argument, "receipt", ledger), "receipt")


def read_admission(argument: str, ledger: Ledger | None) -> Admission:
    """The admission that `argument` means."""
    return Admission.read(_value(argument, "admission", ledger), "admission")


def _value(argument: str, what: str, ledger: Ledger | None) -> object:
    if argument != "-" and _is_id(argument) and not Path(argument).exists():
        return _from_ledger(argument, what, ledger)
    value = parse(read_bytes(argument, what, _MEANS), what)
    stated = value.get("schema_version") if isinstance(value, dict) else None
    if what == "receipt" and stated == OBSERVATION:
        return _observed(ReceiptObservation.read(value, "receipt_observation"))
    expected = _KINDS[what][2]
    if isinstance(stated, str) and stated != expected and stated.startswith("loopx_external_evidence_"):
        raise UsageError(
            f"{what}: {argument!r} holds a {stated}; a {expected} is needed here",
            subject=what,
        )
    return value


def _observed(stated: ReceiptObservation) -> Receipt:
    """The receipt of an observation, if the observation's own id is that of this receipt."""
    digest = stated.receipt.digest(algorithm_of(stated.receipt_observation_id))
    own = observation_id(stated.receipt, digest)
    if stated.receipt_observation_id != own:
        raise MismatchError(
            f"receipt_observation.receipt_observation_id is {stated.receipt_observation_id}; the digest of "
            f"what it holds is {own}",
            subject="receipt_observation.receipt_observation_id",
            hint="somebody changed it after it was observed; take the receipt from the ledger by its id",
        )
    return stated.receipt


def _is_id(argument: str) -> bool:
    name, colon, digits = argument.rpartition(":")
    return (
        SHORTEST_PREFIX <= len(digits) <= LONGEST_PREFIX
        and set(digits) <= set("0123456789abcdef")
        and (not colon or name in ("blake3", "sha256"))
    )


def _from_ledger(argument: str, what: str, ledger: Ledger | None) -> object:
    if ledger is None:
        raise NotFoundError(
            f"{what}: there is no file {argument!r}, and an id needs a ledger to look in", subject=what
        )
    kind, field, _ = _KINDS[what]
    with ledger.read() as reader:
        found = [identity for _, identity in reader.ids_like(argument, field)]
        if what == "receipt" and not found:
            found = _by_observation_id(argument, reader)
        if not found:
            raise NotFoundError(
                f"{what}: the ledger has no {field} that starts with {argument}", subject=what
            )
        if len(found) > 1:
            raise AmbiguousError(
                f"{what}: {argument} is the start of {len(found)} or more ids in the ledger",
                subject=what,
                hint=f"write more of it: {', '.join(found[:4])}",
            )
        return _body(reader, found[0], kind, what)


def _body(reader: Reader, identity: str, kind: str, what: str) -> object:
    records = (read_raw(raw) for _, raw in reader.of_subject(identity))
    bodies = [record.body.digest for record in records if record.kind == kind]
    content = reader.body(bodies[-1]) if bodies else None
    if content is None:
        _refuse_erased(reader, bodies, what, identity)
        raise NotFoundError(f"{what}: the ledger holds no body for {identity}", subject=what)
    return parse(content, what)


def _refuse_erased(reader: Reader, bodies: list[str], what: str, identity: str) -> None:
    from evidence.remains import refusal  # only where a body is missing
    from ledger.erasure import erased

    if not erased(reader).keys().isdisjoint(bodies):
        raise refusal(what, identity)


def _by_observation_id(prefix: str, reader: Reader) -> list[str]:
    """Receipt digests whose observation id starts with `prefix`: that id is derived, not recorded."""
    found = []
    for _, raw in reader.of_kind("receipt.observed"):
        record = read_raw(raw)
        digest = record.subject.receipt_digest
        body = reader.body(record.body.digest)
        if body is None:
            continue
        receipt = Receipt.read(parse(body, "receipt"), "receipt")
        identity = observation_id(receipt, digest or "")
        if digest and (identity.startswith(prefix) or identity.partition(":")[2].startswith(prefix)):
            found.append(digest)
    return found
