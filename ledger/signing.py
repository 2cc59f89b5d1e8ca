"""What a ledger with a key does at each commit, in any store: check, sign, publish (ledger.md section 2).

The last published checkpoint is kept in a file beside the key, where a restored backup of the ledger
does not reach: a store that is behind or beside it is noticed.
"""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, NoReturn, Self

from ledger.checkpoint import Checkpoint
from ledger.erased_list import BESIDE as ERASED_BESIDE
from ledger.erased_list import ErasedList
from ledger.files import overwrite, read_settled, sweep
from ledger.keyring import ROTATED, Period, key_at, periods, restorals
from ledger.keys import KEY_VARIABLE, Signer, load
from ledger.note import Note, VerifierKey
from ledger.store import Reader, Writer
from ledger.tree import Frontier, frontier_at
from schemas.canonical import digest_bytes
from schemas.errors import ConflictError, IntegrityError, InvalidError, StorageError, UsageError
from schemas.ledger import Subject
from schemas.ledger_erasure import ListedErasure

BESIDE = ".checkpoint"
_BEHIND = (
    "find the newer copy; if this older one was put back on purpose, record that with `ledger restore"
    " --reason …`; if it is another ledger, give it a key of its own"
)
_BESIDE = (
    "this is another history, not an older copy: another ledger needs a key of its own; if two wrote, keep"
    " both and ask `audit verify --against {place}`"
)
_ROTATED = f"the key was changed; name the file of the new one, with --key or in ${KEY_VARIABLE}"
_ANOTHERS = f"name the key file of this ledger, with --key or in ${KEY_VARIABLE}; or another ledger"


class _Wrong(NamedTuple):
    complaint: str
    hint: str


class Signing:
    """One log's key at work; threads and processes may each have their own over the same files."""

    def __init__(self, signer: Signer, published: Path | None = None, erased: Path | None = None) -> None:
        self.signer = signer
        self.published = published
        self.erased = None if erased is None else ErasedList(erased)
        self._before: Signing | None = None
        self._periods: list[Period] = []
        self._rotated: int | None = None
        self._compared = False
        self._restoring = False
        self._swept = False

    @classmethod
    def load(cls, key: Path) -> Self:
        """The key in the file at `key`; beside it stand what it published and what was erased.

        They are called `KEY.checkpoint` and `KEY.erased`.
        """
        return cls(load(key), key.with_name(key.name + BESIDE), key.with_name(key.name + ERASED_BESIDE))

    @property
    def verifier(self) -> VerifierKey:
        """What others check with."""
        return self.signer.verifier

    def after(self, before: "Signing") -> "Signing":
        """This key as the one that takes over: the next checkpoint is signed and published by both."""
        self._before = before
        return self

    def admit(self, view: Reader, *, restoring: bool = False) -> None:
        """Raise unless this key may sign what the store holds.

        UsageError: another key is in force. IntegrityError: the store is behind or beside what was
        published, and no signed `ledger.restored` says that this is meant.
        """
        self._refresh(view)
        self._restoring = restoring
        if self._compared:
            return
        if not restoring:
            self.refuse_unpublished(view)
            self._refuse_erased(view)
            self._compared = True

    def refuse_unpublished(self, view: Reader) -> None:
        """IntegrityError: the store is behind or beside what was published, and no record means that."""
        found = self._found(view)
        if found is not None:
            raise IntegrityError(found.complaint, subject=str(self.published), hint=found.hint)

    def admit_again(self, view: Reader) -> None:
        """As `admit`, of a store that is not what it was when this object last appended to it."""
        if not self._restoring:
            self.refuse_unpublished(view)

    def refuse_used(self, published: bytes | None) -> None:
        """ConflictError where this key has published `published`, of a ledger that is not the one to begin.

        Whoever begins asks for `published_note` first, and only then whether the ledger is there. To
        begin one in a file is to claim the key before that has its name (ledger/sqlite_begin.py).
        """
        if published is not None:
            raise used(self.published, published)

    def erasures(self) -> list[ListedErasure]:
        """What the list beside the key says was erased from this log."""
        return [] if self.erased is None else self.erased.entries(self.verifier.name)

    def remember(self, subject: Subject, reason: str, bodies: Iterable[str]) -> None:
        """Put these bodies on the list beside the key, before the store loses them; durable at the end."""
        if self.erased is not None:
            self.erased.add(self.verifier.name, subject, reason, bodies)

    def take_over(self, before: "Signing", view: Reader) -> None:
        """Put on this key's list what was erased under the key before it, and lead from there to this one.

        IntegrityError: this key has published another history.
        """
        self._periods = periods(view)
        self.refuse_unpublished(view)
        for one in before.erasures():
            self.remember(one.subject, one.reason, one.bodies)
        if before.erased is not None and self.erased is not None:
            before.erased.lead_to(self.erased)

    def _refuse_erased(self, view: Reader) -> None:
        for one in self.erasures():
            for digest in one.bodies:
                if view.body(digest) is not None:
                    raise IntegrityError(
                        f"the store holds a body that was erased, {digest}",
                        subject=digest,
                        hint="an older copy was put back, or an erasure was cut short;"
                        " `ledger restore --reason …` takes it out again",
                    )

    def tree(self, view: Reader, size: int) -> Frontier:
        """The tree over the store's records; IntegrityError unless its last checkpoint says the same."""
        tree = frontier_at(view.subtree, size)
        stored = view.last_checkpoint()
        if stored is None:
            raise IntegrityError("a ledger with a key has no checkpoint", subject="checkpoint")
        note, checkpoint = _checkpoint(stored)
        if checkpoint != Checkpoint(self.verifier.name, size, tree.root()):
            raise IntegrityError(
                f"the store of {size} records is not what its last checkpoint says", subject="checkpoint"
            )
        if key_at(self._periods, size) not in note.verified(period.key for period in self._periods):
            raise IntegrityError(
                "the last checkpoint is not signed by the key in force", subject="checkpoint"
            )
        return tree

    def seal(self, view: Writer, log: str, tree: Frontier) -> bytes:
        """Sign the tree as it stands, keep the checkpoint in the store, and return it."""
        before = () if self._before is None else (self._before.signer,)
        note = bytes(Checkpoint(log, tree.size, tree.root()).signed(*before, self.signer))
        view.keep_checkpoint(tree.size, note)
        return note

    def publish(self, note: bytes) -> None:
        """After the commit: put the checkpoint beside the key (and beside the one that it took over from)."""
        # Not synchronised, which would double the cost of a commit: after a fall of power an older file, or
        # an empty one where it was replaced, only notices less.
        for one in (self, self._before):
            if one is not None and one.published is not None:
                try:
                    overwrite(one.published, note)
                except StorageError as error:
                    hint = "the records are durable; only the checkpoint beside the key is not the last one"
                    raise StorageError(error.message, subject=error.subject, hint=hint) from error
                if not self._swept:
                    sweep(one.published)  # what others left there that were killed at this
        self._before, self._swept = None, True

    def published_note(self) -> bytes | None:
        """The last published checkpoint; None when there is none, or an empty file."""
        return None if self.published is None else read_settled(self.published) or None

    def complaint(self, view: Reader) -> str | None:
        """What is wrong between the store and the published checkpoint; None when nothing is."""
        found = self._found(view)
        return None if found is None else found.complaint

    def _found(self, view: Reader) -> "_Wrong | None":
        raw = self.published_note()
        if raw is None:
            return None
        note, published = _checkpoint(raw)
        if published.origin != self.verifier.name:
            raise UsageError(f"{self.published} is of {published.origin}", subject=str(self.published))
        keys = [self.verifier, *(period.key for period in self._periods)]
        if not note.verified(keys):
            raise IntegrityError(
                f"{self.published} is signed by no key of this log", subject=str(self.published)
            )
        head = view.head()
        size = 0 if head is None else head.seq + 1
        if published.size > size:
            wrong = _Wrong(f"the store has {size} records; {published.size} were published", _BEHIND)
        elif frontier_at(view.subtree, published.size).root() != published.root:
            told = f"the store's first {published.size} records are not those that were published"
            wrong = _Wrong(told, _BESIDE.format(place=self.published))
        else:
            return None
        return None if digest_bytes(raw) in restorals(view, self._periods) else wrong

    def _refresh(self, view: Reader) -> None:
        latest = view.latest(ROTATED)
        rotated = None if latest is None else latest[0]
        if not self._periods or rotated != self._rotated:
            self._periods, self._rotated = periods(view), rotated
        if not self._periods:
            raise UsageError(
                "this ledger was begun without a key and cannot be signed",
                subject=str(self.verifier),
                hint="begin a new ledger with the key",
            )
        if self._periods[-1].key != self.verifier:
            raise UsageError(
                f"{self.verifier} is not the key in force, {self._periods[-1].key} is",
                subject=str(self.verifier),
                hint=_ROTATED if self.verifier in {one.key for one in self._periods} else _ANOTHERS,
            )


def refuse_keyless(view: Reader) -> NoReturn:
    """UsageError: the log has a key, and who appends without it would leave the tree unsigned."""
    key = periods(view)[-1].key
    raise UsageError(
        f"this ledger is signed by {key}; appending needs its key file",
        subject=str(key),
        hint=f"name the key file, as an option or in ${KEY_VARIABLE}",
    )


def used(place: Path | None, published: bytes) -> ConflictError:
    """The refusal to begin a ledger with a key beside which stands a checkpoint of another one."""
    told = ""
    with suppress(IntegrityError):
        _, stated = _checkpoint(published)
        told = f": {stated.size} records of {stated.origin}"
    return ConflictError(
        f"the key has signed a ledger before, and that one is not here; {place} is of it{told}",
        subject=str(place),
        hint="name that ledger, or put it back (an older copy: then `ledger restore`);"
        " another ledger needs a key of its own: `ledger init --key FILE --new-key`",
    )


def _checkpoint(raw: bytes) -> tuple[Note, Checkpoint]:
    try:
        return Checkpoint.of(raw)
    except InvalidError as error:
        raise IntegrityError(f"no checkpoint: {error.message}", subject="checkpoint") from error
