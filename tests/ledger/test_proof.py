"""Checkpoints and proofs as texts (C2SP tlog-checkpoint, tlog-proof)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.checkpoint import Checkpoint
from ledger.note import Note
from ledger.proof import Proof
from ledger.tree import EMPTY_ROOT, inclusion
from schemas.errors import IntegrityError, InvalidError
from tests.ledger.signing import ORIGIN, signer
from tests.ledger.test_tree import NODE, NUMBERED, TREES

SIGNER = signer()


def checkpoint(size: int, root: bytes | None = None) -> bytes:
    """The signed checkpoint of the numbered entries at that size."""
    return bytes(Checkpoint(ORIGIN, size, root or TREES[size].root()).signed(SIGNER))


def proof(index: int, size: int) -> Proof:
    """The proof of one numbered entry."""
    return Proof(index, tuple(inclusion(NODE, index, size)), checkpoint(size))


def test_a_checkpoint_is_three_lines_and_its_signatures() -> None:
    assert Checkpoint(ORIGIN, 0, EMPTY_ROOT).text == (
        "tests.example/log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"
    )
    note, read = Checkpoint.of(checkpoint(7))
    assert read == Checkpoint(ORIGIN, 7, TREES[7].root())
    assert note.verified([SIGNER.verifier]) == {SIGNER.verifier: None}


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("tests.example/log\n0\n", "checkpoint"),
        ("tests.example/log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\nan extension\n", "checkpoint"),
        ("\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", "checkpoint.origin"),
        ("https://x\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", "checkpoint.origin"),
        ("a b\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", "checkpoint.origin"),
        ("a+b\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", "checkpoint.origin"),
        ("a\n00\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", "checkpoint.size"),
        ("a\n-1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", "checkpoint.size"),
        ("a\n9223372036854775808\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", "checkpoint.size"),
        ("a\n٣\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", "checkpoint.size"),
        ("a\n1\nAAAA\n", "checkpoint.root"),
        ("a\n1\nAAA\n", "checkpoint.root"),
    ],
)
def test_a_checkpoint_that_breaks_a_rule_is_refused(text: str, subject: str) -> None:
    with pytest.raises(InvalidError) as caught:
        Checkpoint.read(text)
    assert caught.value.subject == subject


def test_the_largest_size_is_read() -> None:
    text = Checkpoint(ORIGIN, (1 << 63) - 1, EMPTY_ROOT).text
    assert Checkpoint.read(text).size == (1 << 63) - 1


def test_a_proof_is_a_text_that_reads_back_and_proves_its_record_alone() -> None:
    one = proof(5, 8)
    assert holds(bytes(one))
    lines = bytes(one).decode().split("\n")
    assert lines[:2] == ["c2sp.org/tlog-proof@v1", "index 5"]
    assert lines[5:8] == ["", ORIGIN, "8"]
    assert Proof.read(bytes(one)) == one
    assert one.check(NUMBERED[5]) == Checkpoint(ORIGIN, 8, TREES[8].root())
    for raw in (NUMBERED[4], b""):
        with pytest.raises(IntegrityError):
            one.check(raw)
    with pytest.raises(IntegrityError):
        one._replace(seq=4).check(NUMBERED[5])


def test_a_proof_of_the_only_record_has_no_hash_and_extra_data_is_kept() -> None:
    one = proof(0, 1)._replace(extra=b"more")
    assert bytes(one).startswith(b"c2sp.org/tlog-proof@v1\nextra bW9yZQ==\nindex 0\n\ntests.example/log\n1\n")
    assert Proof.read(bytes(one)) == one
    assert one.check(NUMBERED[0]).size == 1


WHOLE = bytes(proof(5, 8))


@pytest.mark.parametrize(
    ("raw", "subject"),
    [
        (b"", "proof"),
        (WHOLE.replace(b"@v1", b"@v2"), "proof"),
        (WHOLE.replace(b"\n\n", b"\n"), "proof"),
        (b"\xff" + WHOLE, "proof"),
        (WHOLE.replace(b"index 5\n", b""), "proof.index"),
        (WHOLE.replace(b"index 5", b"index 05"), "proof.index"),
        (b"c2sp.org/tlog-proof@v1\n\n" + checkpoint(8), "proof.index"),
        (WHOLE.replace(b"index 5", b"extra *\nindex 5"), "proof.extra"),
        (WHOLE.replace(b"index 5", b"index 5\nAAAA"), "proof.path"),
        (WHOLE.replace(b"index 5", b"index 5" + b"\nAAAA" * 64), "proof.path"),
        (WHOLE.replace(b"\n8\n", b"\n08\n"), "checkpoint.size"),
        (WHOLE[:-2], "checkpoint"),
    ],
)
def test_a_proof_that_breaks_a_rule_is_refused(raw: bytes, subject: str) -> None:
    with pytest.raises(InvalidError) as caught:
        Proof.read(raw)
    assert caught.value.subject == subject


@given(st.integers(0, len(WHOLE) - 1), st.integers(1, 255))
def test_any_changed_byte_of_a_proof_is_seen(at: int, change: int) -> None:
    raw = bytearray(WHOLE)
    raw[at] ^= change
    assert not holds(bytes(raw))


def holds(raw: bytes) -> bool:
    """Whether the text proves the sixth entry under the log's key."""
    try:
        proof = Proof.read(raw)
        proof.check(NUMBERED[5])
        return bool(Note.read(proof.checkpoint).verified([SIGNER.verifier]))
    except (InvalidError, IntegrityError):
        return False
