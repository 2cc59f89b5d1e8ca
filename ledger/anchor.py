"""Compare a log with what an auditor kept: a checkpoint, a proof, a witness's file (ledger.md section 5)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Self

from ledger.chain import Break
from ledger.checkpoint import Checkpoint
from ledger.converted import because
from ledger.keyring import RESTORED, Period, check_restoral, key_at
from ledger.note import ED25519, Note, UntrustedError, VerifierKey
from ledger.store import Reader
from ledger.tree import EMPTY_ROOT, Frontier, leaf_hash
from schemas.errors import IntegrityError, InvalidError, NotFoundError
from schemas.ledger import read_raw
from schemas.ledger_keys import LedgerRestored
from schemas.outside import parse

if TYPE_CHECKING:  # a log that is compared with nothing needs none of them
    from ledger.policy import Policy
    from ledger.proof import Proof

_LOGS = (b'{"format":', b"SQLite format 3\0")  # a bundle, a ledger's file
_LOST = "no record that was seen is lost"
_BEGINS = "the log begins with the records of the checkpoint that was kept"
_VOUCHED = "the log is signed by a key that the policy names, or one that such a key vouches for"


class Anchor(NamedTuple):
    """What an auditor kept: a signed checkpoint, alone, under a proof of one record, or cosigned."""

    what: str
    note: Note
    checkpoint: Checkpoint
    proof: "Proof | None" = None

    @classmethod
    def read(cls, raw: bytes, log: str | None) -> Self:
        """The checkpoint, proof or witness's file that `raw` is; a witness is asked for `log`.

        InvalidError: it is none of them. NotFoundError: the witness has not seen that log.
        """
        if raw.startswith(_LOGS):
            raise InvalidError(
                "this is a whole log, no checkpoint, proof or witness's file; name it with --ledger,"
                " and here what `audit checkpoint` gives",
                subject="checkpoint",
            )
        try:
            return cls._read(raw, log)
        except InvalidError as error:
            raise InvalidError(because(error.message, raw), subject=error.subject) from error

    @classmethod
    def _read(cls, raw: bytes, log: str | None) -> Self:
        from ledger.proof import HEADER, Proof
        from ledger.witness import seen_of

        proof, what = None, "checkpoint"
        if raw.startswith(HEADER.encode()):
            proof, what = Proof.read(raw), "proof"
            raw = proof.checkpoint
        elif raw.startswith(b"{"):
            note = seen_of(raw, log or "")
            if note is None:
                raise NotFoundError(f"the witness has not seen {log}", subject="witness")
            raw, what = bytes(note), "witness"
        return cls(what, *Checkpoint.of(raw), proof)

    def __str__(self) -> str:
        return f"{self.what} of {self.checkpoint.size} records"


class Seen(NamedTuple):
    """A log as it was read: the roots and records that the anchors speak of, and the keys that it tells."""

    log: str | None
    size: int
    root: bytes
    roots: Mapping[int, bytes]
    raws: Mapping[int, bytes]
    keys: tuple[VerifierKey, ...]
    whole: bool = True  # no record is missing between those that were read


class Compared(NamedTuple):
    """How the log stands to one thing that is trusted: it holds, or why not, or why nobody can say."""

    holds: str | None = None
    doubt: str | None = None
    finding: Break | None = None
    forked: bool = False
    note: str | None = None


def see(
    records: Iterable[tuple[int, bytes]],
    log: str | None,
    keys: Iterable[VerifierKey],
    anchors: Sequence[Anchor],
) -> Seen:
    """Walk the stored records once for all that `compare` needs of them."""
    wanted = {one.checkpoint.size for one in anchors}
    leaves = {one.proof.seq for one in anchors if one.proof is not None}
    tree, roots, raws, whole = Frontier(), {0: EMPTY_ROOT}, {}, True
    for seq, raw in records:
        if seq != tree.size:
            whole = False
            break
        tree, _ = tree.append(leaf_hash(raw))
        if tree.size in wanted:
            roots[tree.size] = tree.root()
        if seq in leaves:
            raws[seq] = raw
    return Seen(log, tree.size, tree.root(), roots, raws, tuple(keys), whole)


def compare(seen: Seen, anchor: Anchor, policy: "Policy | None", reader: Reader) -> Compared:
    """Whether the log begins with the records that the anchor states.

    With a policy the anchor must be signed by a key that is known; without one it is the auditor's own
    file that is believed. `reader` is asked only when the log begins otherwise, for who else signed that.
    """
    stated = anchor.checkpoint
    if seen.log is not None and stated.origin != seen.log:
        return Compared(doubt=f"the {anchor} is of another log, {stated.origin}")
    try:
        signed = anchor.note.verified([*seen.keys, *_of_policy(policy, stated.origin)])
    except IntegrityError as error:
        return Compared(doubt=f"the {anchor}: {error.message}")
    if policy is not None and not any(key.kind == ED25519 for key in signed):
        return Compared(doubt=f"the {anchor} is signed by no key that is known{_older(seen, anchor)}")
    if stated.size > seen.size:
        return _short(seen, anchor)
    if seen.roots[stated.size] != stated.root:
        return _forked(seen, anchor, signed, reader)
    return _proved(seen, anchor)


def trust(seen: Seen, policy: "Policy", notes: Sequence[bytes]) -> Compared:
    """Whether a key that the policy names stands behind the log, and its quorum behind all of it.

    C2SP tlog-policy accepts a checkpoint, and with it the records that it covers: where the quorum asks for
    witnesses, records beyond the largest that is accepted are in doubt. The signatures that stand under one
    text in several of `notes` count together.
    """
    pinned = _pinned(seen, policy)
    if not pinned:
        return Compared(doubt=f"the policy names no key of {seen.log}")
    if (finding := other_key(seen, policy)) is not None:
        return Compared(finding=finding)
    first = min(place for place, key in enumerate(seen.keys) if key in pinned)
    known = policy._replace(logs=(*pinned, *seen.keys[first:]))  # each vouched for by the one before it
    # One of no records says nothing about a log that has some.
    sizes = [size for size in _accepted(known, notes) if size or not seen.size]
    if not sizes:
        if policy.quorum == "none":
            return Compared(doubt="no checkpoint that a key of the policy signed is here or was kept")
        return Compared(doubt=f"the quorum {policy.quorum} of the policy has not witnessed what is here")
    reach = min((size for size in sizes if size >= seen.size), default=max(sizes))
    doubt = None
    if reach < seen.size and policy.asks_witnesses():
        doubt = f"beyond what the quorum {policy.quorum} has witnessed: {_from(reach, seen.size)}"
    return Compared(holds=f"policy, checkpoint of {reach} records", doubt=doubt)


def beyond(seen: Seen, held: Sequence[Anchor], signed: int, *, pinned: bool) -> Iterator[str]:
    """Which records come after all that was kept, and on whose word; nothing where nothing was kept.

    `held` is what was kept and agrees with the log, `signed` how many records the log's own last checkpoint
    covers; `pinned` says that a policy names its key, which something kept that it signed does too.
    """
    reach = max((one.checkpoint.size for one in held), default=seen.size)
    if reach < seen.size:
        known = pinned or any(one.note.verified(seen.keys) for one in held)
        alone = "the word of the log's key alone" if known and signed >= seen.size else "nobody's word"
        yield f"beyond what was kept: {_from(reach, seen.size)}, on {alone}"


def other_key(seen: Seen, policy: "Policy") -> Break | None:
    """What is wrong when the policy names keys of this log and the log tells none of them."""
    pinned = _pinned(seen, policy)
    if not pinned or set(pinned) & set(seen.keys):
        return None
    expected, found = ", ".join(map(str, pinned)), ", ".join(map(str, seen.keys)) or "no key"
    return Break(0, "key", _VOUCHED, expected, found)


def signed_part(reader: Reader | None, records: int) -> str:
    """Over which of the records of a log that lost its end signatures were checked; no `reader`: none."""
    covered = 0
    with suppress(IntegrityError, InvalidError):
        last = None if reader is None else reader.last_checkpoint()
        covered = 0 if last is None else Checkpoint.of(last)[1].size
    told = f"the first {covered} of the {records} records" if covered else "no record"
    return f"signatures before the cut were checked over {told} that can be read"


def given_up(reader: Reader, keys: list[Period], missed: Sequence[Anchor] = ()) -> Iterator[str]:
    """Which checkpoints the key's owner gave up on purpose; where one of `missed` is, it stays a finding."""
    for seq, raw in reader.of_kind(RESTORED):
        with suppress(IntegrityError, InvalidError):  # told by the replay
            record = read_raw(raw)
            restored = LedgerRestored.read(parse(reader.body(record.body.digest) or b"", "body"))
            check_restoral(record, restored, key_at(keys, seq + 1))
            _, stated = Checkpoint.of(restored.published.encode())
            kept = any(restored.published.startswith(f"{one.note.text}\n") for one in missed)
            which = f"{stated.size} records" + (", which is the one that was kept" if kept else "")
            yield f"record {seq}, a signed ledger.restored, gave up a checkpoint of {which}"


def _pinned(seen: Seen, policy: "Policy") -> list[VerifierKey]:
    return [key for key in policy.logs if key.name == seen.log]


def _accepted(policy: "Policy", notes: Sequence[bytes]) -> Iterator[int]:
    """How many records each checkpoint covers that the policy accepts."""
    for note in [*notes, *_joined(notes)]:
        with suppress(UntrustedError, InvalidError, IntegrityError):
            yield policy.verify(note).checkpoint.size


def _joined(notes: Sequence[bytes]) -> Iterator[bytes]:
    """Each text that stands in several notes, under the signatures of all: a witness signs its own copy."""
    texts: dict[str, list[Note]] = {}
    for raw in notes:
        with suppress(InvalidError):  # told by the replay
            note = Note.read(raw)
            texts.setdefault(note.text, []).append(note)
    for first, *others in texts.values():
        if others:
            yield bytes(first.signed(*(one for other in others for one in other.signatures)))


def _from(first: int, size: int) -> str:
    return f"record {first}" if first + 1 == size else f"records {first}-{size - 1}"


def _of_policy(policy: "Policy | None", origin: str) -> list[VerifierKey]:
    if policy is None:
        return []
    return [*(key for key in policy.logs if key.name == origin), *policy.witnesses.values()]


def _older(seen: Seen, anchor: Anchor) -> str:
    """What may be the cause: the log is from before its key was changed, or does not show it any more."""
    if anchor.checkpoint.size <= seen.size or not seen.keys:
        return ""
    return (
        f"; the log has {seen.size} records and may be from before the key was changed to that one: ask for"
        " the newer copy, whose record of the change says whether it was"
    )


def _short(seen: Seen, anchor: Anchor) -> Compared:
    if not seen.whole:
        return Compared(note=f"the {anchor} reaches beyond what can be read here")
    expected, found = f"{anchor.checkpoint.size} records", f"{seen.size} records"
    return Compared(finding=Break(seen.size, "record", _LOST, expected, found))


def _forked(seen: Seen, anchor: Anchor, signed: Iterable[VerifierKey], reader: Reader) -> Compared:
    stated = anchor.checkpoint
    expected, found = stated.root.hex(), seen.roots[stated.size].hex()
    finding = Break(stated.size - 1, "checkpoint", _BEGINS, expected, found)
    # Whoever signed both histories has forked the log; else one of them was made by somebody else.
    return Compared(finding=finding, forked=_signed_both(reader, stated.size, set(signed)))


def _signed_both(reader: Reader, size: int, signers: set[VerifierKey]) -> bool:
    for covered, raw in reader.checkpoints():
        if covered >= size:
            with suppress(InvalidError, IntegrityError):
                if signers & set(Note.read(raw).verified(signers)):
                    return True
    return False


def _proved(seen: Seen, anchor: Anchor) -> Compared:
    if anchor.proof is not None:
        try:
            anchor.proof.check(seen.raws.get(anchor.proof.seq, b""))
        except IntegrityError as error:
            return Compared(doubt=f"the {anchor}: {error.message}")
    if anchor.checkpoint.size == 0 and seen.size:
        return Compared(note="a checkpoint of no records says nothing about a log that has some")
    return Compared(holds=str(anchor))
