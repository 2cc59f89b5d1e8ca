"""A proof that one record is in a log, which whoever appended it keeps (C2SP tlog-proof v1).

c2sp.org/tlog-proof@v1
index SEQ
one line each hash, from the leaf's neighbour up

the checkpoint as it was signed
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple, Self

from ledger.checkpoint import Checkpoint, number
from ledger.note import decoded, encoded
from ledger.store import Appended, Reader, Writer
from ledger.tree import HASH_BYTES, MOST_HASHES, Node, inclusion, leaf_hash, subtree, verify_inclusion
from schemas.errors import IntegrityError, InvalidError
from schemas.text import shown

HEADER = "c2sp.org/tlog-proof@v1"


class Proof(NamedTuple):
    """Where a record stands, the path to the root, and the signed checkpoint that states the root."""

    seq: int
    path: tuple[bytes, ...]
    checkpoint: bytes
    extra: bytes | None = None

    @classmethod
    def read(cls, raw: bytes) -> Self:
        """The proof that `raw` is; InvalidError: it breaks a rule of the form."""
        head, gap, checkpoint = raw.partition(b"\n\n")
        try:
            header, *lines = head.decode("ascii").split("\n")
        except UnicodeDecodeError as error:
            raise InvalidError("proof is not ASCII before its checkpoint", subject="proof") from error
        if header != HEADER or not gap:
            raise InvalidError(f"proof does not begin with {HEADER} or has no checkpoint", subject="proof")
        extra = None
        if lines and lines[0].startswith("extra "):
            extra = decoded(lines.pop(0).removeprefix("extra "), "proof.extra")
        if not lines or not lines[0].startswith("index "):
            raise InvalidError("proof states no index", subject="proof.index")
        seq = number(lines.pop(0).removeprefix("index "), "proof.index")
        Checkpoint.of(checkpoint)
        return cls(seq, hashes(lines, "proof.path"), checkpoint, extra)

    def __bytes__(self) -> bytes:
        lines = [HEADER]
        if self.extra is not None:
            lines.append(f"extra {encoded(self.extra)}")
        lines += [f"index {self.seq}", *map(encoded, self.path), "", ""]
        return "\n".join(lines).encode() + self.checkpoint

    def check(self, raw: bytes) -> Checkpoint:
        """The checkpoint under which the record with these bytes is proved to be in the log.

        IntegrityError: the path does not lead from the record to the root. Whether the checkpoint can
        be trusted is for a Policy to say.
        """
        _, checkpoint = Checkpoint.of(self.checkpoint)
        if not verify_inclusion(leaf_hash(raw), self.seq, checkpoint.size, self.path, checkpoint.root):
            raise IntegrityError(
                f"record {self.seq} is not in the tree of {checkpoint.size} records that was signed",
                subject="proof",
            )
        return checkpoint


def prove(reader: Reader, seq: int, size: int | None = None) -> Proof | None:
    """The proof of record `seq` under the first checkpoint that covers it, or at least `size` records.

    None when no checkpoint does: the log has no key, or not so many records.
    """
    note = reader.checkpoint(max(seq + 1, size or 0))
    return None if note is None else Proof(seq, tuple(inclusion(reader.subtree, seq, _covered(note))), note)


def proved(writer: Writer, done: Iterable[Appended]) -> list[Appended]:
    """Each with its proof, for which the transaction's checkpoint is signed now; the log must have a key."""
    writer.seal()
    paths = cache(lambda note: _lines(writer.subtree, _covered(note)))
    found = []
    for one in done:
        proof, note = None, writer.checkpoint(one.seq + 1)
        if note is not None:
            proof = f"{HEADER}\nindex {one.seq}\n{paths(note)(0, one.seq)}\n".encode() + note
        found.append(one._replace(proof=proof))
    return found


def _lines(node: Node, size: int) -> Callable[[int, int], str]:
    """The path from the subtree (level, index) up to the root over `size` leaves, a line each hash."""

    # The steps of one commit share most of their paths: each part is written once.
    @cache
    def lines(level: int, index: int) -> str:
        last, beside = (size - 1) >> level, index ^ 1
        if not last:
            return ""
        above = lines(level + 1, index >> 1)
        return above if beside > last else f"{encoded(subtree(node, level, beside, size))}\n{above}"

    return lines


def _covered(note: bytes) -> int:
    """How many records a stored checkpoint is of."""
    return Checkpoint.of(note)[1].size


def hashes(lines: list[str], what: str) -> tuple[bytes, ...]:
    """One hash a line; InvalidError names the line that is none."""
    if len(lines) > MOST_HASHES:
        raise InvalidError(f"{what} has {len(lines)} hashes; at most {MOST_HASHES}", subject=what)
    found = []
    for line in lines:
        one = decoded(line, what)
        if len(one) != HASH_BYTES:
            raise InvalidError(f"{what} has a line that is no hash: {shown(line)}", subject=what)
        found.append(one)
    return tuple(found)
