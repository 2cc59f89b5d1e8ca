"""A witness in one file: the largest checkpoint of each log that it has seen grow, cosigned by it.

It signs a head only with a proof that the head begins with what it saw before (C2SP tlog-witness and
tlog-cosignature). The file is replaced as a whole, synchronised, under a lock; it holds no key.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ledger.checkpoint import Checkpoint
from ledger.files import read_if_there, replace
from ledger.keys import Signer
from ledger.note import COSIGNATURE, Note, UntrustedError, VerifierKey
from ledger.sqlite_file import connect, run
from ledger.store import Clock
from ledger.tree import EMPTY_ROOT, verify_consistency
from schemas.canonical import canonical
from schemas.errors import IntegrityError, InvalidError, UsageError
from schemas.outside import parse

SCHEMA = "external_evidence_witness_v0"
TIMEOUT_SECONDS = 10.0

Consistency = Callable[[int, int], Sequence[bytes]]
"""The proof that the log's tree of the second size begins with that of the first."""


class Witness(NamedTuple):
    """Whoever cosigns: the file, the key of kind cosignature, the clock that the cosignature states."""

    path: Path
    signer: Signer
    clock: Clock

    def update(self, raw: bytes, logs: Iterable[VerifierKey], prove: Consistency) -> bytes:
        """The checkpoint in the note `raw`, cosigned and remembered.

        `prove` is asked for the way from the size seen last. UntrustedError: none of `logs` signed it.
        IntegrityError: the head is smaller than one seen before, or does not begin with it.
        """
        if self.signer.verifier.kind != COSIGNATURE:
            raise UsageError(f"{self.signer.verifier} is no key of a witness", subject="key")
        note, checkpoint = Checkpoint.of(raw)
        trusted = note.verified(key for key in logs if key.name == checkpoint.origin)
        if not trusted:
            raise UntrustedError(
                f"no known key of {checkpoint.origin} signed this", subject=checkpoint.origin
            )
        with self._locked():
            seen = seen_by(self.path, self.signer.verifier)
            _refuse(checkpoint, _last(seen, checkpoint.origin), prove)
            kept = [
                one for one in note.signatures if any((one.name, one.id) == (k.name, k.id) for k in trusted)
            ]
            cosignature = self.signer.sign(note.text, int(self.clock().timestamp()))
            cosigned = Note(note.text, tuple(kept)).signed(cosignature)
            logs_now = {
                **{name: bytes(one) for name, one in seen.items()},
                checkpoint.origin: bytes(cosigned),
            }
            wire = {"schema_version": SCHEMA, "logs": {name: one.decode() for name, one in logs_now.items()}}
            replace(self.path, canonical(wire), synchronised=True)
        return bytes(note.signed(cosignature))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        # An empty SQLite file: a lock that waits and that a killed process does not leave behind.
        lock = self.path.with_name(f"{self.path.name}.lock")
        connection = connect(lock, "mode=rwc", TIMEOUT_SECONDS)
        try:
            run(connection, lock, "BEGIN EXCLUSIVE")
            yield
        finally:
            connection.close()


def seen_by(path: Path, key: VerifierKey) -> Mapping[str, Note]:
    """The last cosigned checkpoint of each log in a witness's file, by origin; empty when there is no file.

    IntegrityError: the file is damaged, or `key` did not cosign what stands there.
    """
    raw = read_if_there(path)
    if raw is None:
        return {}
    try:
        notes = seen_in(raw)
    except InvalidError as error:
        raise IntegrityError(f"{path} is no witness file: {error.message}", subject=str(path)) from error
    for origin, note in notes.items():
        if Checkpoint.read(note.text).origin != origin or key not in note.verified([key]):
            raise IntegrityError(f"{path}: {key} did not cosign what stands for {origin}", subject=origin)
    return notes


def seen_in(raw: bytes) -> Mapping[str, Note]:
    """The checkpoints in the bytes of a witness's file, by origin; no signature is verified here.

    InvalidError: it is no such file.
    """
    return {str(origin): _note(text) for origin, text in _logs(parse(raw, "witness")).items()}


def seen_of(raw: bytes, log: str) -> Note | None:
    """The checkpoint of one log in the bytes of a witness's file, as `seen_in`; None: it has not seen it.

    What stands there for other logs is not asked for.
    """
    text = _logs(parse(raw, "witness")).get(log)
    return None if text is None else _note(text)


def _note(text: object) -> Note:
    note = Note.read(str(text).encode())
    Checkpoint.read(note.text)
    return note


def _logs(value: object) -> Mapping[object, object]:
    logs = value.get("logs") if isinstance(value, dict) and value.get("schema_version") == SCHEMA else None
    if not isinstance(logs, dict):
        raise InvalidError(f"it does not state {SCHEMA} and its logs", subject="witness")
    return logs


def _last(seen: Mapping[str, Note], origin: str) -> Checkpoint:
    note = seen.get(origin)
    return Checkpoint(origin, 0, EMPTY_ROOT) if note is None else Checkpoint.read(note.text)


def _refuse(new: Checkpoint, last: Checkpoint, prove: Consistency) -> None:
    if new.size < last.size:
        raise IntegrityError(
            f"{new.origin} shows {new.size} records; {last.size} were seen before", subject=new.origin
        )
    path = prove(last.size, new.size) if 0 < last.size < new.size else ()
    if not verify_consistency(last.size, last.root, new.size, new.root, path):
        raise IntegrityError(
            f"{new.origin} at {new.size} does not begin with the {last.size} records seen before",
            subject=new.origin,
            hint="the log was forked or rewritten; keep both checkpoints",
        )
