"""Keys and signatures that are to be taken for others: both verifiers say the same word, the stricter."""

from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest

from ledger import standalone
from ledger.keys import Signer, generate
from ledger.note import VerifierKey, is_strong
from schemas.canonical import digest_bytes
from schemas.ledger_keys import KEY_ROTATED
from tests.ledger.carried import carry
from tests.ledger.forged import Forged, line, word
from tests.ledger.signing import ORIGIN, cosigner, signer

A, B, C = signer(), signer(salt="b"), signer(salt="c")
W1, W2 = cosigner("w1.example/w"), cosigner("w2.example/w")
# Of two keys of this log the first four bytes of the id are the same.
ALIKE = [Signer.read(generate(ORIGIN, seed=sha256(b"%d" % number).digest())) for number in (50057, 171101)]
_P = 2**255 - 19
WEAK = [
    *(1, _P - 1, 0, 1 << 255),
    int.from_bytes(
        bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), "little"
    ),
    int.from_bytes(
        bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85"), "little"
    ),
    *(_P, _P + 1, 1 | 1 << 255, 2**256 - 1, 2),  # not written as RFC 8032 says, or no point at all
]


def policy(*logs: object, quorum: str = "none") -> str:
    witnesses = f"witness w1 {W1.verifier}\nwitness w2 {W2.verifier}\ngroup any any w1 w2\n"
    return "".join(f"log {key}\n" for key in logs) + f"{witnesses}quorum {quorum}\n"


def test_a_signature_of_a_later_key_must_hold_too(tmp_path: Path) -> None:
    for both, broken, expected in (
        ((A,), (), "VERIFIED"),
        ((A, B), (), "VERIFIED"),
        ((A,), (B.verifier,), "TAMPERED"),
    ):
        log = Forged(A.verifier)
        log.seal(log.note(*both, broken=broken))
        log.rotate(A, B.verifier)
        log.seal(log.note(B))
        assert word(log.bundle(tmp_path), policy(A.verifier)) == expected
        assert word(log.bundle(tmp_path)) == expected.replace("VERIFIED", "UNANCHORED")


@pytest.mark.parametrize("quorum", ["none", "any"])
@pytest.mark.parametrize("broken", [W2.verifier, C.verifier])
def test_a_checkpoint_with_a_broken_signature_of_one_who_is_trusted_is_believed_by_nobody(
    tmp_path: Path, quorum: str, broken: VerifierKey
) -> None:
    log = Forged(A.verifier)
    log.seal(log.note(A, W1, broken=[broken]))
    path = log.bundle(tmp_path)
    trusted = policy(A.verifier, C.verifier, quorum=quorum)
    assert word(path, trusted) == "CANNOT-VERIFY"
    expected = "VERIFIED" if broken == C.verifier else "CANNOT-VERIFY"
    assert word(path, policy(A.verifier, quorum=quorum)) == expected


def test_a_quorum_counts_on_a_checkpoint_of_a_trusted_key_only(tmp_path: Path) -> None:
    log = Forged(A.verifier)
    log.rotate(A, B.verifier)
    early = log.note(A, W1)
    log.register("another")
    late = log.note(A, W1)
    other = log.note(B, W1)
    log.seal(log.note(B))
    path = log.bundle(tmp_path)
    assert word(path, policy(B.verifier, quorum="w1"), early) == "CANNOT-VERIFY"
    assert word(path, policy(B.verifier, quorum="w1"), other) == "VERIFIED"
    assert word(path, policy(A.verifier, quorum="w1"), other) == "VERIFIED"
    assert word(path, policy(B.verifier, quorum="w1"), late) == "VERIFIED"  # B signed the same text


def test_two_keys_that_four_bytes_do_not_tell_apart_are_not_both_one_logs(tmp_path: Path) -> None:
    one, two = ALIKE
    assert (one.verifier.id, one.verifier == two.verifier) == (two.verifier.id, False)
    log = Forged(one.verifier)
    log.seal(log.note(one))
    log.rotate(one, two.verifier)
    kept = log.seal(log.note(two))
    for keys in ((one,), (two,), (one, two), (two, one)):
        trusted = policy(*(key.verifier for key in keys))
        assert word(log.bundle(tmp_path), trusted) == "TAMPERED"
        assert word(log.bundle(tmp_path), trusted, kept) == "TAMPERED"


def test_a_policy_of_two_such_keys_is_met_by_neither_in_whichever_order(tmp_path: Path) -> None:
    one, two = ALIKE
    log = Forged(one.verifier)
    log.seal(log.note(one))
    for keys in ((one, two), (two, one)):
        assert word(log.bundle(tmp_path), policy(*(key.verifier for key in keys))) == "CANNOT-VERIFY"
    assert word(log.bundle(tmp_path), policy(one.verifier)) == "VERIFIED"


@pytest.mark.parametrize("number", WEAK)
def test_a_key_under_which_anybody_signs_or_that_is_no_point_is_refused(tmp_path: Path, number: int) -> None:
    public = number.to_bytes(32, "little")
    assert not is_strong(public)
    key = VerifierKey(ORIGIN, 1, public)
    log = Forged(key)
    for scalar in (0, 1):
        log.held = log.held[:2]
        log.seal(log.note(more=line(key, (1).to_bytes(32, "little") + scalar.to_bytes(32, "little"))))
        assert word(log.bundle(tmp_path)) == "TAMPERED"
        assert word(log.bundle(tmp_path), policy(key)) == "CANNOT-VERIFY"


def test_a_key_that_somebody_made_is_a_strong_point() -> None:
    for salt in range(8):
        public = signer(salt=str(salt)).verifier.public
        assert is_strong(public)
        assert passes_as_key(VerifierKey(ORIGIN, 1, public))


def passes_as_key(key: VerifierKey) -> bool:
    """Whether the one-file verifier reads it as one."""
    return str(standalone.Key.read(str(key), 1)) == str(key)


@pytest.mark.parametrize("new", ["", " ", f"{B.verifier} ", f"{B.verifier}\n", "a" * 600, "a\x1bb", "x"])
def test_a_rotation_to_what_is_no_key_is_tampering(tmp_path: Path, new: str) -> None:
    log = Forged(A.verifier)
    log.rotate(A, new)
    log.seal(log.note(A))
    assert word(log.bundle(tmp_path)) == "TAMPERED"
    assert word(log.bundle(tmp_path), policy(A.verifier)) == "TAMPERED"


def test_a_rotation_under_a_schema_that_nobody_registered_breaks_a_rule_and_counts(tmp_path: Path) -> None:
    log = Forged(A.verifier)
    log.rotate(A, B.verifier, (KEY_ROTATED, digest_bytes(b"none")))
    log.seal(log.note(B))
    assert word(log.bundle(tmp_path), policy(A.verifier)) == "RULE-BROKEN"


def test_a_key_may_sign_again_after_another(tmp_path: Path) -> None:
    log = Forged(A.verifier)
    schema = log.register(KEY_ROTATED)
    log.rotate(A, B.verifier, schema)
    log.seal(log.note(A, B))
    log.rotate(B, A.verifier, schema)
    log.seal(log.note(A, B))
    for trusted in (A, B):
        assert word(log.bundle(tmp_path), policy(trusted.verifier)) == "VERIFIED"


def test_many_keys_take_the_room_of_a_few(tmp_path: Path) -> None:
    keys = [signer(salt=f"many {number}") for number in range(24)]
    log = Forged(keys[0].verifier)
    schema = log.register(KEY_ROTATED)
    log.seal(log.note(keys[0]))
    for old, new in pairwise(keys):
        log.rotate(old, new.verifier, schema)
        log.seal(log.note(new))
    assert word(log.bundle(tmp_path), policy(keys[0].verifier)) == "VERIFIED"
    assert standalone._multiples.cache_info().currsize <= 16


def test_a_folders_checkpoint_may_be_as_long_as_every_note(tmp_path: Path) -> None:
    carried = carry(tmp_path)
    file = carried.tiles / "checkpoint"
    whole = file.read_bytes()
    trusted = carried.policy.read_bytes()
    for length, expected in ((90_000, "VERIFIED"), (800_000, "CANNOT-VERIFY")):
        file.write_bytes(whole + line(W1.verifier, bytes(length)).encode())
        assert word(carried.tiles, trusted) == expected
