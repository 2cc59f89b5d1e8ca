"""Check stored subtree hashes against the records, so that one edit is one finding."""

from collections.abc import Iterator

from ledger.chain import Break
from ledger.tree import HASH_BYTES, Frontier, leaf_hash, node_hash, trailing_ones
from schemas.errors import InvalidError


class TreeCheck:
    """Walks the records in order: each row is checked against its own record and the rows before it.

    A row that is wrong is believed for the rows after it, as the chain goes on from what is stored; all
    rows right means that the whole tree is.
    """

    def __init__(self) -> None:
        self.size = 0  # how many rows were taken
        self._peaks: list[bytes] = []

    def row(self, raw: bytes, stored: object) -> bytes:
        """What the next record's row must be, given what is stored there."""
        leaf = leaf_hash(raw)
        below = [self._peaks.pop() for _ in range(trailing_ones(self.size))]
        self.size += 1
        # All in one pass when the row is right, which is when it does not matter what is believed.
        node = right = leaf
        for peak in below:
            node = node_hash(peak, node)
            right += node
        if right != stored and isinstance(stored, bytes) and len(stored) == len(right):
            found = _split(stored)
            right = b"".join((leaf, *map(node_hash, below, found)))
            node = found[-1]
        self._peaks.append(node)
        return right

    def root(self) -> bytes:
        """The root over the rows as they are stored."""
        return Frontier(self.size, tuple(self._peaks)).root()


def checkpoint_breaks(seq: int, note: bytes, tree: TreeCheck) -> Iterator[Break]:
    """What is wrong with the checkpoint that was stored for the tree whose last record is `seq`."""
    from ledger.checkpoint import Checkpoint  # a log without a key needs none of it

    rule, expected = "a checkpoint states the tree as it is stored", f"{tree.size} {tree.root().hex()}"
    try:
        _, stated = Checkpoint.of(note)
    except InvalidError as error:
        yield Break(seq, "checkpoint", rule, expected, error.message)
        return
    found = f"{stated.size} {stated.root.hex()}"
    if found != expected:
        yield Break(seq, "checkpoint", rule, expected, found)


def _split(row: bytes) -> list[bytes]:
    return [row[at : at + HASH_BYTES] for at in range(0, len(row), HASH_BYTES)]
