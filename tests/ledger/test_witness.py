"""A witness signs only a head that begins with what it saw before."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ledger.anchor import Anchor
from ledger.checkpoint import Checkpoint
from ledger.note import Note, UntrustedError
from ledger.policy import Policy
from ledger.tree import consistency
from ledger.witness import Witness, seen_by
from schemas.canonical import canonical
from schemas.errors import IntegrityError, NotFoundError, StorageError, UsageError
from tests.ledger.signing import ORIGIN, cosigner, signer
from tests.ledger.steps import START, names
from tests.ledger.test_proof import checkpoint
from tests.ledger.test_tree import NODE, TREES

LOG = signer()
KEY = cosigner("w.example/w1")
TIME = int(START.timestamp())


def nothing(_old: int, _new: int) -> list[bytes]:
    """No proof at all."""
    return []


def witness(path: Path) -> Witness:
    return Witness(path / "witness.json", KEY, lambda: START)


def update(one: Witness, raw: bytes) -> bytes:
    return one.update(raw, [LOG.verifier], lambda old, new: consistency(NODE, old, new))


def test_a_witness_follows_a_log_that_grows_and_cosigns_with_its_time(tmp_path: Path) -> None:
    one = witness(tmp_path)
    assert seen_by(one.path, KEY.verifier) == {}
    for size in (0, 3, 3, 8, 300):
        note, read = Checkpoint.of(update(one, checkpoint(size)))
        assert read.size == size
        assert note.verified([LOG.verifier, KEY.verifier]) == {LOG.verifier: None, KEY.verifier: TIME}
        assert seen_by(one.path, KEY.verifier) == {ORIGIN: note}
    cosigned = update(one, checkpoint(300))
    rule = Policy.read(f"log {LOG.verifier}\nwitness w {KEY.verifier}\nquorum w\n".encode())
    assert rule.verify(cosigned).witnesses == {"w": TIME}
    assert names(tmp_path) == ["witness.json", "witness.json.lock"]


def test_each_log_has_its_own_memory(tmp_path: Path) -> None:
    one, other = witness(tmp_path), signer("tests.example/other")
    update(one, checkpoint(8))
    small = bytes(Checkpoint("tests.example/other", 2, TREES[2].root()).signed(other))
    one.update(small, [LOG.verifier, other.verifier], nothing)
    assert sorted(seen_by(one.path, KEY.verifier)) == [ORIGIN, "tests.example/other"]


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        (checkpoint(7), "shows 7 records; 8 were seen before"),
        (checkpoint(8, TREES[9].root()), "does not begin with the 8 records"),
        (checkpoint(9, TREES[10].root()), "does not begin with the 8 records"),
    ],
)
def test_an_inconsistent_head_is_refused_and_the_file_is_left(
    tmp_path: Path, raw: bytes, complaint: str
) -> None:
    one = witness(tmp_path)
    update(one, checkpoint(8))
    before = one.path.read_bytes()
    with pytest.raises(IntegrityError, match=complaint):
        update(one, raw)
    assert one.path.read_bytes() == before


def test_a_witness_trusts_only_the_logs_it_knows_and_keeps_no_strangers_signature(tmp_path: Path) -> None:
    one, stranger = witness(tmp_path), signer("s.example")
    with pytest.raises(UntrustedError):
        one.update(checkpoint(3), [stranger.verifier], nothing)
    note = Note.read(checkpoint(3))
    cosigned = update(one, bytes(note.signed(stranger.sign(note.text))))
    assert len(Note.read(cosigned).signatures) == 3
    assert len(seen_by(one.path, KEY.verifier)[ORIGIN].signatures) == 2
    with pytest.raises(UsageError):
        one._replace(signer=LOG).update(checkpoint(3), [LOG.verifier], nothing)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        canonical({"schema_version": "external_evidence_witness_v0", "logs": []}),
        canonical({"schema_version": "external_evidence_witness_v1", "logs": {}}),
        canonical({"schema_version": "external_evidence_witness_v0", "logs": {ORIGIN: 7}}),
        canonical({"schema_version": "external_evidence_witness_v0", "logs": {ORIGIN: "no note"}}),
        canonical(
            {"schema_version": "external_evidence_witness_v0", "logs": {ORIGIN: checkpoint(3).decode()}}
        ),
    ],
)
def test_a_damaged_file_is_refused_and_left(tmp_path: Path, content: bytes) -> None:
    one = witness(tmp_path)
    one.path.write_bytes(content)
    with pytest.raises(IntegrityError):
        update(one, checkpoint(3))
    assert one.path.read_bytes() == content


def test_a_memory_moved_to_another_log_or_key_is_refused(tmp_path: Path) -> None:
    one = witness(tmp_path)
    update(one, checkpoint(3))
    with pytest.raises(IntegrityError, match="did not cosign"):
        seen_by(one.path, cosigner("w.example/w2").verifier)
    one.path.write_bytes(one.path.read_bytes().replace(b'{"tests.example/log":', b'{"tests.example/lag":'))
    with pytest.raises(IntegrityError, match="did not cosign"):
        seen_by(one.path, KEY.verifier)


@pytest.mark.parametrize("other", ["garbage", 5, 1.5, None])
def test_what_an_auditor_kept_of_one_log_is_read_whatever_stands_for_another(
    tmp_path: Path, other: object
) -> None:
    one = witness(tmp_path)
    update(one, checkpoint(8))
    wire = json.loads(one.path.read_bytes())
    wire["logs"]["tests.example/other"] = other
    raw = json.dumps(wire).encode()
    assert Anchor.read(raw, ORIGIN).checkpoint == Checkpoint(ORIGIN, 8, TREES[8].root())
    with pytest.raises(NotFoundError, match="has not seen"):
        Anchor.read(raw, "tests.example/third")


def test_updates_at_once_take_turns(tmp_path: Path) -> None:
    def grow(size: int) -> int:
        try:
            update(witness(tmp_path), checkpoint(size))
        except IntegrityError:
            return 0
        return size

    with ThreadPoolExecutor(4) as pool:
        signed = list(pool.map(grow, range(1, 41)))
    [note] = seen_by(witness(tmp_path).path, KEY.verifier).values()
    assert Checkpoint.read(note.text).size == max(signed) == 40


def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        update(Witness(tmp_path / "none" / "w", KEY, lambda: START), checkpoint(3))
    (tmp_path / "w").mkdir()
    with pytest.raises(StorageError):
        seen_by(tmp_path / "w", KEY.verifier)
