"""Change a log's key, or say that an older copy was put back on purpose: each a record that the key signs."""

from ledger.keyring import RESTORED, ROTATED, restoral_text, rotation_text, written
from ledger.signing import Signing
from ledger.store import Appended, Draft, Head, Ledger, Writer, registration
from schemas.canonical import digest_bytes
from schemas.errors import IntegrityError, UsageError
from schemas.ledger import Subject
from schemas.ledger_keys import KEY_ROTATED, LEDGER_RESTORED, KeyRotated, LedgerRestored
from schemas.published import schema_bytes


def rotate(ledger: Ledger, new: Signing, actor: str) -> Appended:
    """From this record on the log is signed by `new`, as the key in force says; its checkpoint has both.

    UsageError: the ledger was opened without its key, or `new` is no other key of the same name.
    """
    with ledger.write() as writer:
        old = _signing(writer)
        if new.verifier.name != old.verifier.name or new.verifier == old.verifier:
            raise UsageError(f"{new.verifier} cannot follow {old.verifier}", subject=str(new.verifier))
        head = _registered(writer, KEY_ROTATED, actor)
        text = rotation_text(head.log, head.seq + 1, head.id, str(new.verifier))
        body = KeyRotated(
            origin=head.log,
            old_key=str(old.verifier),
            new_key=str(new.verifier),
            signature=written(old.signer.sign(text)),
        )
        done = _append(writer, ROTATED, KEY_ROTATED, f"rotate {head.seq + 1}", actor, body.canonical())
        writer.signing = new.after(old)
    return done


def restore(ledger: Ledger, actor: str, reason: str) -> Appended:
    """Go on from the store as it is, although the checkpoint beside the key says otherwise.

    UsageError: the ledger was opened without its key, or nothing is wrong. The proofs that were given
    out for the lost records remain and show what was lost.
    """
    with ledger.write(restoring=True) as writer:
        signing = _signing(writer)
        published = signing.published_note()
        if published is None or signing.complaint(writer) is None:
            raise UsageError(
                "the store is as it was published; there is nothing to restore", subject="ledger"
            )
        head = _registered(writer, LEDGER_RESTORED, actor)
        note = published.decode()
        text = restoral_text(head.log, head.seq + 1, head.id, note)
        body = LedgerRestored(
            origin=head.log,
            key=str(signing.verifier),
            published=note,
            reason=reason,
            signature=written(signing.signer.sign(text)),
        )
        return _append(writer, RESTORED, LEDGER_RESTORED, f"restore {head.seq + 1}", actor, body.canonical())


def _signing(writer: Writer) -> Signing:
    if writer.signing is None:
        raise UsageError("this ledger has no key", subject="key")
    return writer.signing


def _registered(writer: Writer, schema: str, actor: str) -> Head:
    """The head after the schema was registered."""
    document = schema_bytes(schema)
    if not writer.has_schema(schema, digest_bytes(document)):
        writer.append(registration(actor, schema, document))
    head = writer.head()
    if head is None:
        raise IntegrityError("the first record is missing", subject="record")
    return head


def _append(writer: Writer, kind: str, schema: str, command: str, actor: str, body: bytes) -> Appended:
    stated = digest_bytes(schema_bytes(schema))
    return writer.append(Draft(kind, actor, command, Subject(), schema, stated, body))
