"""Change a log's key, or say that an older copy was put back on purpose: each a record that the key signs."""

from typing import NamedTuple

from ledger.erasure import Again, erase_again
from ledger.keeping import keep, registered
from ledger.keyring import RESTORED, ROTATED, restoral_text, rotation_text, written
from ledger.signing import Signing
from ledger.store import Appended, Ledger, Writer
from schemas.errors import UsageError
from schemas.ledger_keys import KEY_ROTATED, LEDGER_RESTORED, KeyRotated, LedgerRestored


class Restored(NamedTuple):
    """How a log goes on from an older copy: the record of it, and what had been erased since and is again.

    `record` is None where only bodies had come back.
    """

    record: Appended | None
    again: Again
    left: str | None


def rotate(ledger: Ledger, new: Signing, actor: str) -> Appended:
    """From this record on the log is signed by `new`, as the key in force says; its checkpoint has both.

    UsageError: the ledger was opened without its key, or `new` is no other key of the same name.
    """
    with ledger.write() as writer:
        old = _signing(writer)
        if new.verifier.name != old.verifier.name or new.verifier.id == old.verifier.id:
            raise UsageError(f"{new.verifier} cannot follow {old.verifier}", subject=str(new.verifier))
        head = registered(writer, KEY_ROTATED, actor)
        text = rotation_text(head.log, head.seq + 1, head.id, str(new.verifier))
        body = KeyRotated(
            origin=head.log,
            old_key=str(old.verifier),
            new_key=str(new.verifier),
            signature=written(old.signer.sign(text)),
        )
        done = keep(writer, ROTATED, KEY_ROTATED, f"rotate {head.seq + 1}", actor, body.canonical())
        new.take_over(old, writer)
        writer.signing = new.after(old)
    return done


def restore(ledger: Ledger, actor: str, reason: str) -> Restored:
    """Go on from the store as it is, although the checkpoint beside the key says otherwise.

    What was erased meanwhile is erased again. UsageError: the ledger was opened without its key, or
    nothing is wrong. The proofs that were given out for the lost records remain and show what was lost.
    """
    with ledger.write(restoring=True) as writer:
        signing = _signing(writer)
        published = signing.published_note()
        wrong = published is not None and signing.complaint(writer) is not None
        record = _restored(writer, signing, (published or b"").decode(), actor, reason) if wrong else None
        again = erase_again(writer, actor)
        if record is None and not again.bodies:
            raise UsageError(
                "the store is as it was published; there is nothing to restore", subject="ledger"
            )
    return Restored(record, again, ledger.scrub() if again.bodies else None)


def _restored(writer: Writer, signing: Signing, note: str, actor: str, reason: str) -> Appended:
    head = registered(writer, LEDGER_RESTORED, actor)
    text = restoral_text(head.log, head.seq + 1, head.id, note)
    body = LedgerRestored(
        origin=head.log,
        key=str(signing.verifier),
        published=note,
        reason=reason,
        signature=written(signing.signer.sign(text)),
    )
    return keep(writer, RESTORED, LEDGER_RESTORED, f"restore {head.seq + 1}", actor, body.canonical())


def _signing(writer: Writer) -> Signing:
    if writer.signing is None:
        raise UsageError("this ledger has no key", subject="key")
    return writer.signing
