"""What is the matter with the key's file, the checkpoint beside it, and what an auditor kept."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from evidence.doctor_files import Seen
from evidence.doctor_undo import unconverted
from evidence.verify import verify
from ledger.anchor import Anchor
from ledger.erasure import holds
from ledger.files import read_settled
from ledger.keyring import periods
from ledger.note import VerifierKey
from ledger.places import Place
from ledger.signing import BESIDE, Signing
from ledger.store import Head, Reader
from ledger.tree import frontier_at
from schemas.errors import EvidenceError, NotFoundError, UsageError

_CHANGED = (" does not hold", " that was signed")  # a signature; a proof of what is not in its tree


def last_published(place: Path) -> bytes | None:
    """The checkpoint beside the key in that file; None when there is none."""
    return read_settled(place.with_name(place.name + BESIDE))


def key_causes(reader: Reader, head: Head, place: Path, published: bytes | None) -> Iterator[Seen]:
    """Whether the key in that file is the one in force, and whether the log is what it published last.

    `published` is what `last_published` gave before the log was begun to be read.
    """
    try:
        signing = Signing.load(place)
        own = signing.verifier
    except NotFoundError as error:
        yield Seen("key-missing", (error.message,))
        return
    except EvidenceError as error:
        hint = () if error.hint is None else (error.hint,)
        message, *done = unconverted(error.message, place)
        yield Seen("key-unusable", (message, *hint, *done))
        return
    known = [period.key for period in periods(reader)]
    if own not in known:
        one_name = ("it has the ledger's name: somebody may have written the ledger anew with another key",)
        named = one_name if own.name == head.log else ()
        yield Seen("key-wrong", (f"it is {own}", f"the ledger's is {known[-1] if known else 'none'}", *named))
        return
    if own != known[-1]:
        yield Seen("key-old", (f"{known[-1]} is in force",))
    yield from _returned(reader, signing)
    if published:  # after a fall of power it may be empty
        yield from _published(reader, head, known, place.with_name(place.name + BESIDE), published)


def _returned(reader: Reader, signing: Signing) -> Iterator[Seen]:
    """Whether bodies that the list beside the key calls erased are here again."""
    try:
        listed = [digest for one in signing.erasures() for digest in one.bodies]
    except EvidenceError as error:
        yield Seen("kept-unreadable", (error.message,))
        return
    here = [digest for digest in listed if holds(reader, digest)]
    if here:
        yield Seen("erased-returned", (f"{len(here)} of {len(listed)} bodies", here[0]))


def kept_file(place: Path, read: Callable[[bytes], object]) -> tuple[bytes | None, list[Seen]]:
    """The bytes of a file that an auditor kept where `read` can read them, else what is the matter."""
    try:
        raw = place.read_bytes()
    except OSError as error:
        raise UsageError(f"{place} cannot be read: {error}", subject=str(place)) from error
    return _readable(place, raw, read)


def changed(place: Place, names: Sequence[str], kept: Sequence[bytes]) -> Iterator[Seen]:
    """Which of what was kept is not what its key signed."""
    for name, raw in zip(names, kept, strict=True):
        for reason in verify(place, None, [raw]).reasons:
            if reason.endswith(_CHANGED):
                yield Seen("kept-unreadable", (f"{name}: {reason}",))


def _readable(place: Path, raw: bytes, read: Callable[[bytes], object]) -> tuple[bytes | None, list[Seen]]:
    try:
        read(raw)
    except NotFoundError:
        return raw, []  # a witness's file, which is asked for a log only later
    except EvidenceError as error:
        return None, [Seen("kept-unreadable", unconverted(f"{place.name}: {error.message}", place))]
    return raw, []


def _published(
    reader: Reader, head: Head, known: list[VerifierKey], place: Path, raw: bytes
) -> Iterator[Seen]:
    _, found = _readable(place, raw, lambda raw: Anchor.read(raw, head.log))
    if found:
        yield from found
        return
    anchor, records = Anchor.read(raw, head.log), head.seq + 1
    stated = anchor.checkpoint
    try:
        signed = anchor.note.verified(known)
    except EvidenceError as error:
        yield Seen("kept-unreadable", (f"{place.name}: {error.message}",))
        return
    if not signed:
        yield Seen("kept-unreadable", (f"{place.name} is signed by no key of this ledger",))
    elif stated.size > records:
        yield Seen(
            "older-than-seen", (f"{place.name}: {stated.size} records", f"the ledger: {records} records")
        )
    elif frontier_at(reader.subtree, stated.size).root() != stated.root:
        yield Seen("other-history", (f"{place.name} is of {stated.size} other records",))
