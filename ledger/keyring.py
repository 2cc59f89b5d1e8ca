"""Which key signs a log from which record on, as its own records tell (ledger.md section 2).

The first key stands in `ledger.opened`; each `key.rotated` is signed by the key before it. Validity
goes by seq: a checkpoint is signed by the key of the last record that it covers.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ledger.note import ED25519, ID_BYTES, Note, Signature, VerifierKey, decoded, encoded
from ledger.store import Reader, opened_key
from schemas.canonical import digest_bytes
from schemas.errors import IntegrityError
from schemas.ledger import LedgerRecord, read_raw
from schemas.ledger_keys import KeyRotated, LedgerRestored
from schemas.outside import parse

ROTATED, RESTORED = "key.rotated", "ledger.restored"


class Period(NamedTuple):
    """A key and the seq of the record from which it signs."""

    since: int
    key: VerifierKey


def periods(reader: Reader) -> list[Period]:
    """Every key of the log in order, each vouched for by the one before; empty for a log without a key.

    IntegrityError: the first key is not of the log's name, or a rotation is not signed by the key that was
    in force, or is to no other key of that name.
    """
    opened = opened_key(reader)
    if opened is None:
        return []
    found = [Period(0, VerifierKey.read(opened, ED25519))]
    _check_name(found[0].key, reader)
    for seq, stored in reader.of_kind(ROTATED):
        record = read_raw(stored)
        rotation = KeyRotated.read(_body(reader, record))
        check_rotation(record, rotation, found[-1].key)
        found.append(Period(seq, VerifierKey.read(rotation.new_key, ED25519)))
    return found


def key_at(keys: Sequence[Period], size: int) -> VerifierKey | None:
    """The key that signs the first `size` records; None when the log has no key or no record there."""
    for period in reversed(keys):
        if period.since < size:
            return period.key
    return None


def vouched(keys: Sequence[Period], trusted: Iterable[VerifierKey]) -> list[Period]:
    """The periods that somebody may believe who trusts these keys: from the first of them on.

    Each later key was signed for by the one before it; an earlier key vouches for nothing.
    """
    known = set(trusted)
    first = next((place for place, period in enumerate(keys) if period.key in known), len(keys))
    return list(keys[first:])


def restorals(reader: Reader, keys: list[Period]) -> set[str]:
    """The digests of the published checkpoints that a signed `ledger.restored` gave up."""
    given_up = set()
    for seq, raw in reader.of_kind(RESTORED):
        record = read_raw(raw)
        restored = LedgerRestored.read(_body(reader, record))
        check_restoral(record, restored, key_at(keys, seq + 1))
        given_up.add(digest_bytes(restored.published.encode()))
    return given_up


def rotation_text(log: str, seq: int, prev: str | None, new_key: str) -> str:
    """What the old key signs: the first line cannot begin a checkpoint, whose second line is a number."""
    return f"external-evidence key rotated v1\n{log}\n{seq}\n{prev}\n{new_key}\n"


def restoral_text(log: str, seq: int, prev: str | None, published: str) -> str:
    """What the key in force signs: the checkpoint that is given up, by its digest."""
    return f"external-evidence ledger restored v1\n{log}\n{seq}\n{prev}\n{digest_bytes(published.encode())}\n"


def check_rotation(record: LedgerRecord, rotation: KeyRotated, in_force: VerifierKey) -> None:
    """IntegrityError unless the key in force signed this rotation, at this place of this log."""
    expected = (record.log, str(in_force))
    if (rotation.origin, rotation.old_key) != expected:
        raise IntegrityError(
            f"record {record.seq} rotates {rotation.old_key} of {rotation.origin}, not {in_force}",
            subject="rotation.old_key",
        )
    new = VerifierKey.read(rotation.new_key, ED25519)
    if new.name != in_force.name or new == in_force:
        raise IntegrityError(
            f"record {record.seq} rotates to {new}, which is no other key of the name {in_force.name}",
            subject="rotation.new_key",
        )
    text = rotation_text(record.log, record.seq, record.prev, rotation.new_key)
    _check(text, rotation.signature, in_force)


def check_restoral(record: LedgerRecord, restored: LedgerRestored, in_force: VerifierKey | None) -> None:
    """IntegrityError unless the key in force signed this restoral, at this place of this log."""
    if in_force is None or (restored.origin, restored.key) != (record.log, str(in_force)):
        raise IntegrityError(
            f"record {record.seq} is a restoral by {restored.key} of {restored.origin}, not by {in_force}",
            subject="restored.key",
        )
    _check(
        restoral_text(record.log, record.seq, record.prev, restored.published), restored.signature, in_force
    )


def written(signature: Signature) -> str:
    """A signature as a body holds it: base64 of key id and content."""
    return encoded(signature.id + signature.content)


def _check(text: str, signature: str, key: VerifierKey) -> None:
    material = decoded(signature, "signature")
    line = Signature(key.name, material[:ID_BYTES], material[ID_BYTES:])
    if key not in Note(text, (line,)).verified([key]):
        raise IntegrityError(f"the signature is not one of {key}", subject="signature")


def _check_name(first: VerifierKey, reader: Reader) -> None:
    log = read_raw(reader.raw(0) or b"").log
    if first.name != log:
        raise IntegrityError(f"the first key, {first}, is not of the log {log}", subject="opened.key")


def _body(reader: Reader, record: LedgerRecord) -> object:
    body = reader.body(record.body.digest)
    if body is None:
        raise IntegrityError(f"record {record.seq} has no body", subject=record.body.digest)
    return parse(body, f"body of record {record.seq}")
