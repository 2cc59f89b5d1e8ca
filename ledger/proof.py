"""A proof that one record is in a log, which whoever appended it keeps (C2SP tlog-proof v1).

c2sp.org/tlog-proof@v1
index SEQ
one line each hash, from the leaf's neighbour up

the checkpoint as it was signed
"""

from collections.abc import Iterable
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
    if note is None:
        return None
    covered = Checkpoint.of(note)[1].size
    return Proof(seq, tuple(inclusion(reader.subtree, seq, covered)), note)


def proved(writer: Writer, done: Iterable[Appended]) -> list[Appended]:
    """Each with its proof, for which the transaction's checkpoint is signed now; the log must have a key."""
    writer.seal()
    paths: dict[bytes, _Paths] = {}
    found = []
    for one in done:
        proof, note = None, writer.checkpoint(one.seq + 1)
        if note is not None:
            known = paths.get(note) or paths.setdefault(note, _Paths(writer.subtree, note))
            proof = f"{HEADER}\nindex {one.seq}\n{known.lines(0, one.seq)}\n".encode() + note
        found.append(one._replace(proof=proof))
    return found


class _Paths:
    """Paths to the root that a stored checkpoint states; what the steps of one commit share is made once."""

    def __init__(self, node: Node, note: bytes) -> None:
        # No more of the note is read: whoever is given the proof checks the whole.
        size = note.partition(b"\n")[2].partition(b"\n")[0]
        self._node, self._size = node, number(size.decode("ascii", "replace"), "checkpoint.size")
        self._made: dict[tuple[int, int], str] = {}

    def lines(self, level: int, index: int) -> str:
        """The path from that subtree on, a line each hash."""
        last, beside = (self._size - 1) >> level, index ^ 1
        if not last:
            return ""
        made = self._made.get((level, index))
        if made is None:
            made = self.lines(level + 1, index >> 1)
            if beside <= last:
                made = f"{encoded(subtree(self._node, level, beside, self._size))}\n{made}"
            self._made[level, index] = made
        return made


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
