"""The Merkle tree over the records (RFC 6962 section 2, RFC 9162 section 2.1).

Roots, inclusion and consistency.
A leaf is SHA-256(0x00 ‖ the raw record). Whoever appends a leaf gets the hashes of all subtrees that it
completes, the leaf's own first; a store keeps them beside the record, and any proof is found in them.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

from schemas.errors import IntegrityError, UsageError

HASH_BYTES = 32
EMPTY_ROOT = sha256().digest()
# The longest proof for a size that fits in 63 bits, as C2SP tlog-witness bounds it.
MOST_HASHES = 63

Node = Callable[[int, int], bytes]
"""The hash of a whole subtree: `node(level, index)` covers the 2^level leaves from index·2^level on."""


def leaf_hash(raw: bytes) -> bytes:
    """The hash of one entry."""
    return sha256(b"\x00" + raw).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node over its two halves."""
    return sha256(b"\x01" + left + right).digest()


class Frontier(NamedTuple):
    """A tree as small as it can be to grow: its size and the roots of its whole subtrees, largest first."""

    size: int = 0
    peaks: tuple[bytes, ...] = ()

    def append(self, leaf: bytes) -> tuple["Frontier", tuple[bytes, ...]]:
        """The tree with one leaf more, and the hashes of all subtrees which that leaf completes."""
        count = trailing_ones(self.size)
        completed = [leaf]
        for peak in self.peaks[: -count - 1 : -1]:
            completed.append(node_hash(peak, completed[-1]))
        return Frontier(self.size + 1, (*self.peaks[: len(self.peaks) - count], completed[-1])), tuple(
            completed
        )

    def extend(self, leaves: Iterable[bytes]) -> tuple["Frontier", list[bytes]]:
        """The tree with these leaves more, and for each the row that a store keeps: all that it completes."""
        peaks, rows = list(self.peaks), []
        for place, leaf in enumerate(leaves, self.size):
            node = row = leaf
            for _ in range(trailing_ones(place)):
                node = node_hash(peaks.pop(), node)
                row += node
            peaks.append(node)
            rows.append(row)
        return Frontier(self.size + len(rows), tuple(peaks)), rows

    def root(self) -> bytes:
        """The root of the tree."""
        if not self.peaks:
            return EMPTY_ROOT
        root = self.peaks[-1]
        for peak in self.peaks[-2::-1]:
            root = node_hash(peak, root)
        return root


def frontier_of(leaves: Iterable[bytes]) -> Frontier:
    """The tree over these leaf hashes."""
    return Frontier().extend(leaves)[0]


def frontier_at(node: Node, size: int) -> Frontier:
    """The first `size` leaves of a tree whose subtrees are known."""
    return Frontier(size, tuple(node(level, index) for level, index in peaks(size)))


def trailing_ones(size: int) -> int:
    """How many subtrees beside its own the leaf of index `size` completes."""
    return ((size ^ (size + 1)).bit_length()) - 1


def peaks(size: int) -> list[tuple[int, int]]:
    """The (level, index) of every whole subtree that a tree of `size` leaves falls into, largest first."""
    levels = [level for level in reversed(range(size.bit_length())) if size >> level & 1]
    return [(level, (size >> level) - 1) for level in levels]


def kept(row: Callable[[int], bytes]) -> Node:
    """The subtrees of a store: `row(seq)` is all that leaf `seq` completed, one after the other.

    IntegrityError: the row is shorter or longer than that leaf makes it.
    """

    def node(level: int, index: int) -> bytes:
        last = ((index + 1) << level) - 1
        hashes = row(last)
        if len(hashes) != (trailing_ones(last) + 1) * HASH_BYTES:
            raise IntegrityError(f"the tree row of record {last} is damaged", subject="tree")
        return hashes[level * HASH_BYTES : (level + 1) * HASH_BYTES]

    return node


def inclusion(node: Node, index: int, size: int) -> list[bytes]:
    """The path from leaf `index` up to the root of the first `size` leaves (RFC 6962 section 2.1.1)."""
    if not 0 <= index < size:
        raise UsageError(f"a tree of {size} has no leaf {index}", subject="index")
    path: list[bytes] = []
    level = 0
    while last := (size - 1) >> level:
        beside = (index >> level) ^ 1
        if beside <= last:
            path.append(subtree(node, level, beside, size))
        level += 1
    return path


def subtree(node: Node, level: int, index: int, size: int) -> bytes:
    """The root over those of the subtree's leaves that a tree of `size` leaves has."""
    whole = (index + 1) << level <= size
    return node(level, index) if whole else _range(node, index << level, size)


def consistency(node: Node, old: int, new: int) -> list[bytes]:
    """The proof that the first `new` leaves begin with the first `old` (RFC 6962 section 2.1.2).

    Empty when `old` is 0 or `new`: there is nothing to prove but that the roots are what they are.
    """
    if not 0 <= old <= new:
        raise UsageError(f"a tree of {new} does not begin with {old} leaves", subject="size")
    if old in (0, new):
        return []
    path: list[bytes] = []
    start, end = 0, new
    while old != end:
        middle = start + _split(end - start)
        if old <= middle:
            path.append(_range(node, middle, end))
            end = middle
        else:
            path.append(_range(node, start, middle))
            start = middle
    if start:
        path.append(_range(node, start, end))
    return path[::-1]


def verify_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Whether `path` leads from `leaf` at `index` to the root of `size` leaves (RFC 9162 section 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    place, last, found = index, size - 1, leaf
    for one in path:
        if last == 0:
            return False
        if place & 1 or place == last:
            found = node_hash(one, found)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            found = node_hash(found, one)
        place, last = place >> 1, last >> 1
    return last == 0 and found == root


def verify_consistency(old: int, old_root: bytes, new: int, new_root: bytes, path: Sequence[bytes]) -> bool:
    """Whether `path` shows that the newer tree begins with the older one (RFC 9162 section 2.1.4.2)."""
    if not 0 <= old <= new:
        return False
    if old in (0, new):
        return not path and old_root == (new_root if old else EMPTY_ROOT)
    place, last = old - 1, new - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    rest = list(path)
    if place:  # else the older tree is one whole subtree, which its own root stands for
        if not rest:
            return False
        older = newer = rest.pop(0)
    else:
        older = newer = old_root
    for one in rest:
        if last == 0:
            return False
        if place & 1 or place == last:
            older, newer = node_hash(one, older), node_hash(one, newer)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            newer = node_hash(newer, one)
        place, last = place >> 1, last >> 1
    return last == 0 and older == old_root and newer == new_root


def _split(width: int) -> int:
    """The largest power of two below `width`."""
    return 1 << ((width - 1).bit_length() - 1)


def _range(node: Node, start: int, end: int) -> bytes:
    """The root over the leaves from `start` to before `end`, where a right part of a tree falls so."""
    width = end - start
    if width & (width - 1) == 0:
        level = width.bit_length() - 1
        return node(level, start >> level)
    middle = start + _split(width)
    return node_hash(_range(node, start, middle), _range(node, middle, end))
