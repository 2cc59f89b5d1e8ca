"""The key, or none, with which an object appends to a store over SQL, from one transaction to the next."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ledger.sql_append import SqlWriter
from ledger.store import Appended, Draft, Opening, Writer, opened_key
from schemas.errors import UsageError

if TYPE_CHECKING:
    from ledger.signing import Signing


class KeyInHand:
    """What a ledger object signs with; a log that was begun with a key is appended to with it only."""

    def __init__(self, signing: "Signing | None") -> None:
        self.signing = signing
        self._unsigned = False  # until looked at

    def admit(self, view: SqlWriter, restoring: bool) -> None:
        """Let `view` append, signed where there is a key.

        UsageError: the log has a key and this is not it. IntegrityError: as Ledger.write says.
        """
        if self.signing is not None:
            self.signing.admit(view, restoring=restoring)
            view.signing = self.signing
        elif not self._unsigned:
            if opened_key(view) is not None:
                from ledger.signing import refuse_keyless

                refuse_keyless(view)
            self._unsigned = True

    def publish(self, view: SqlWriter, note: bytes | None) -> None:
        """After the commit: sign with what `view` signed with in the end, and publish its checkpoint."""
        self.signing = view.signing
        if self.signing is not None and note is not None:
            self.signing.publish(note)


def keyed(opening: Opening, signing: "Signing | None") -> Opening:
    """The opening with the key that signs, whose name is the log's."""
    if signing is None:
        if opening.key is not None:
            raise UsageError("a ledger is begun with a key only by who can sign with it", subject="key")
        return opening
    name, key = signing.verifier.name, str(signing.verifier)
    if (opening.origin or name, opening.key or key) != (name, key):
        raise UsageError(
            f"the log and its first key have one name; the key is {key}",
            subject="origin",
            hint="another name needs a key of its own: `ledger init --key FILE --new-key`",
        )
    return opening._replace(origin=name, key=key)


def append_all(writer: Writer, drafts: Sequence[Draft]) -> list[Appended]:
    """Append them and, with a key, give every step its proof."""
    done = writer.append_all(drafts)
    if writer.signing is None:
        return done
    from ledger.proof import proved

    return proved(writer, done)
