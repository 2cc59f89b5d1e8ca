"""Each stored row is judged by its own record and by the rows before it as they are stored."""

from hypothesis import given
from hypothesis import strategies as st

from ledger.tree import HASH_BYTES, Frontier, leaf_hash, node_hash, trailing_ones
from ledger.tree_check import TreeCheck

OTHER = [None, b"", b"text", "text", 7, bytes(HASH_BYTES), bytes(2 * HASH_BYTES), bytes(3 * HASH_BYTES)]


def plain(raws: list[bytes], stored: list[object]) -> tuple[list[bytes], bytes]:
    """What each row must be, one hash after the other, and the root over what is stored."""
    rows: list[bytes] = []
    believed: list[list[bytes]] = []  # of each record, the hashes that the next rows build on
    peaks: list[bytes] = []
    for seq, raw in enumerate(raws):
        size = (trailing_ones(seq) + 1) * HASH_BYTES
        kept = stored[seq]
        found = kept if isinstance(kept, bytes) and len(kept) == size else None
        row, trusted = [leaf_hash(raw)], [leaf_hash(raw) if found is None else found[:HASH_BYTES]]
        for level in range(trailing_ones(seq)):
            row.append(node_hash(believed[seq - (1 << level)][level], trusted[level]))
            at = (level + 1) * HASH_BYTES
            trusted.append(row[-1] if found is None else found[at : at + HASH_BYTES])
        rows.append(b"".join(row))
        believed.append(trusted)
        del peaks[len(peaks) - trailing_ones(seq) :]
        peaks.append(trusted[-1])
    return rows, Frontier(len(raws), tuple(peaks)).root()


@given(st.integers(0, 40), st.dictionaries(st.integers(0, 39), st.sampled_from(OTHER), max_size=4))
def test_a_wrong_row_is_believed_by_those_after_it(count: int, wrong: dict[int, object]) -> None:
    raws = [f"record {seq}".encode() for seq in range(count)]
    stored: list[object] = list(Frontier().extend(map(leaf_hash, raws))[1])
    for seq, other in wrong.items():
        stored[seq : seq + 1] = [other] if seq < count else []
    check = TreeCheck()
    rows = [check.row(raw, kept) for raw, kept in zip(raws, stored, strict=True)]
    assert (rows, check.root()) == plain(raws, stored)
    assert check.size == count
