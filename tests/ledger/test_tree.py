"""RFC 6962: golden roots of the Certificate Transparency test tree, properties, and pymerkle's opinion."""

from collections.abc import Sequence

import pymerkle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.tree import (
    EMPTY_ROOT,
    Frontier,
    Node,
    consistency,
    frontier_at,
    frontier_of,
    inclusion,
    kept,
    leaf_hash,
    trailing_ones,
    verify_consistency,
    verify_inclusion,
)
from schemas.errors import IntegrityError, UsageError

# The public test tree of Certificate Transparency: eight entries and the root over each beginning of them.
ENTRIES = [
    bytes.fromhex(one)
    for one in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
INCLUSION_OF_5_IN_8 = [
    "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
]


def grown(entries: Sequence[bytes]) -> tuple[list[Frontier], Node]:
    """The tree at every size from 0 on, and all its subtrees."""
    trees, rows = [Frontier()], []
    for entry in entries:
        tree, completed = trees[-1].append(leaf_hash(entry))
        trees.append(tree)
        rows.append(b"".join(completed))
    return trees, kept(rows.__getitem__)


NUMBERED = [b"entry %d" % number for number in range(300)]
TREES, NODE = grown(NUMBERED)


@pytest.mark.parametrize("size", range(9))
def test_roots_are_those_of_the_public_test_tree(size: int) -> None:
    trees, node = grown(ENTRIES)
    assert trees[size].root().hex() == ROOTS[size]
    assert frontier_at(node, size) == trees[size] == frontier_of(map(leaf_hash, ENTRIES[:size]))


def test_a_known_path_of_the_public_test_tree() -> None:
    _, node = grown(ENTRIES)
    assert [one.hex() for one in inclusion(node, 5, 8)] == INCLUSION_OF_5_IN_8


def test_a_tree_keeps_one_hash_for_each_whole_subtree() -> None:
    assert [len(tree.peaks) for tree in TREES] == [size.bit_count() for size in range(301)]
    assert [trailing_ones(size) for size in range(8)] == [0, 1, 0, 2, 0, 1, 0, 3]


def agree(
    theirs: pymerkle.InmemoryTree, trees: Sequence[Frontier], node: Node, index: int, size: int
) -> None:
    """Pymerkle's roots and paths are ours; its proofs of growth hold for our roots, ours for its roots."""
    root, older = trees[size].root(), trees[index + 1].root()
    assert theirs.get_root(size) == root
    proof = theirs.prove_inclusion(index + 1, size)
    assert proof.path[1:] == inclusion(node, index, size)
    pymerkle.verify_inclusion(theirs.get_leaf(index + 1), root, proof, index=index + 1, size=size)
    grown = theirs.prove_consistency(index + 1, size)
    pymerkle.verify_consistency(older, root, grown, prior_size=index + 1, later_size=size)
    ours = consistency(node, index + 1, size)
    assert verify_consistency(index + 1, theirs.get_root(index + 1), size, theirs.get_root(size), ours)


def test_pymerkle_agrees_on_every_root_and_proofs_up_to_three_hundred() -> None:
    theirs = pymerkle.InmemoryTree(algorithm="sha256")
    assert theirs.get_root() == EMPTY_ROOT == TREES[0].root()
    for size, entry in enumerate(NUMBERED, 1):
        theirs.append_entry(entry)
        for index in {0, size // 2, size - 1}:
            agree(theirs, TREES, NODE, index, size)


@given(st.lists(st.binary(max_size=40), min_size=1, max_size=70, unique=True), st.data())
def test_pymerkle_agrees_on_random_entries(entries: list[bytes], data: st.DataObject) -> None:
    trees, node = grown(entries)
    size = data.draw(st.integers(1, len(entries)))
    theirs = pymerkle.InmemoryTree.init_from_entries(entries, algorithm="sha256")
    agree(theirs, trees, node, data.draw(st.integers(0, size - 1)), size)


def test_every_leaf_of_every_small_tree_is_proved_and_no_other_leaf_index_or_size() -> None:
    for size in range(1, 24):
        root = TREES[size].root()
        for index in range(size):
            path = inclusion(NODE, index, size)
            leaf = leaf_hash(NUMBERED[index])
            assert verify_inclusion(leaf, index, size, path, root)
            assert not verify_inclusion(leaf_hash(b"other"), index, size, path, root)
            assert not any(
                verify_inclusion(leaf, other, size, path, root)
                for other in range(-1, size + 1)
                if other != index
            )
            assert not verify_inclusion(leaf, index, size, [*path, root], root)
            assert not path or not verify_inclusion(leaf, index, size, path[:-1], root)


def test_every_growth_of_every_small_tree_is_proved_and_no_other() -> None:
    for new in range(24):
        for old in range(new + 1):
            path = consistency(NODE, old, new)
            sides = (old, TREES[old].root(), new, TREES[new].root())
            assert verify_consistency(*sides, path)
            assert not verify_consistency(*sides, [*path, EMPTY_ROOT])
            assert not path or not verify_consistency(*sides, path[:-1])
            assert not verify_consistency(old, leaf_hash(b"fork"), new, TREES[new].root(), path)
            assert not old or not verify_consistency(old, TREES[old].root(), new, leaf_hash(b"fork"), path)
    assert not verify_consistency(3, TREES[3].root(), 2, TREES[2].root(), [])
    assert not verify_consistency(3, TREES[3].root(), 4, TREES[4].root(), [])


@given(st.integers(1, 300), st.data())
def test_any_changed_bit_of_a_proof_is_seen(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    leaf, root, older = leaf_hash(NUMBERED[index]), TREES[size].root(), TREES[index].root()

    def included(path: list[bytes]) -> bool:
        return verify_inclusion(leaf, index, size, path, root)

    def grown_from(path: list[bytes]) -> bool:
        return verify_consistency(index, older, size, root, path)

    for path, holds in (
        (inclusion(NODE, index, size), included),
        (consistency(NODE, index, size), grown_from),
    ):
        assert holds(path)
        if path:
            at = data.draw(st.integers(0, len(path) - 1))
            wrong = bytearray(path[at])
            wrong[data.draw(st.integers(0, 31))] ^= 1 << data.draw(st.integers(0, 7))
            assert not holds([*path[:at], bytes(wrong), *path[at + 1 :]])


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_a_leaf_that_is_not_there_has_no_path(index: int, size: int) -> None:
    with pytest.raises(UsageError):
        inclusion(NODE, index, size)


@pytest.mark.parametrize(("old", "new"), [(-1, 3), (4, 3)])
def test_a_tree_does_not_shrink(old: int, new: int) -> None:
    with pytest.raises(UsageError):
        consistency(NODE, old, new)


@pytest.mark.parametrize("row", [b"", bytes(32), bytes(96)])
def test_a_stored_row_of_another_length_is_damage(row: bytes) -> None:
    with pytest.raises(IntegrityError, match="the tree row of record 1 is damaged"):
        kept(lambda _: row)(1, 0)
