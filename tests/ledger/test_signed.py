"""A ledger with a key: each commit is signed, each append has its proof, a restored backup is noticed."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from evidence.audit import replay
from ledger.checkpoint import Checkpoint
from ledger.custody import restore, rotate
from ledger.keyring import periods
from ledger.note import Note
from ledger.policy import Policy
from ledger.proof import Proof, prove
from ledger.signature_check import signature_breaks
from ledger.signing import Signing
from ledger.sqlite import SqliteLedger
from ledger.sqlite_readonly import open_readonly
from ledger.tree import frontier_of, leaf_hash
from schemas.errors import IntegrityError, StorageError, UsageError
from schemas.ledger import read_raw
from tests.ledger.signing import ORIGIN, opened, signer, signing
from tests.ledger.steps import OPENING, Ticking, append, begin, edit, names, step, stored

POLICY = Policy.read(f"log {signer().verifier}\nquorum none\n".encode())


def put_back(folder: Path, copy: str) -> None:
    """The ledger file as it was when `copy` was made."""
    shutil.copyfile(folder / copy, folder / "l.sqlite3")


def copied(folder: Path, copy: str) -> None:
    shutil.copyfile(folder / "l.sqlite3", folder / copy)


def grown(folder: Path, *numbers: int, key: Signing | None = None) -> None:
    """The ledger with these steps more, closed."""
    ledger = opened(folder, key)
    append(ledger, *(step(number) for number in numbers))
    ledger.close()


def findings(folder: Path) -> list[tuple[int, str]]:
    """What an audit of keys, tree and indexes finds."""
    with open_readonly(folder / "l.sqlite3").read() as reader:
        found = [*reader.index_breaks(), *signature_breaks(reader)]
        return [(one.seq, one.field) for one in found]


def test_a_ledger_begun_with_a_key_states_it_and_is_signed_from_the_first_record(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    assert read_raw(stored(ledger)[0][1]).log == ORIGIN
    with ledger.read() as reader:
        assert [(one.since, one.key) for one in periods(reader)] == [(0, signer().verifier)]
        note = reader.last_checkpoint()
    assert note == (tmp_path / "keys" / "log.key.checkpoint").read_bytes()
    assert POLICY.verify(note).checkpoint.size == 1
    ledger.close()
    assert names(tmp_path / "keys") == ["log.key", "log.key.checkpoint"]


def test_every_append_has_a_proof_that_holds_alone_and_comes_again_with_the_same_key(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    kept = {}
    for number in range(12):
        for done in ledger.append(step(number), step(1000 + number)):
            assert done.proof is not None
            kept[done.seq] = done.proof
    raws = dict(stored(ledger))
    for seq, text in kept.items():
        proof = Proof.read(text)
        assert proof.seq == seq
        assert POLICY.verify(proof.checkpoint).checkpoint == proof.check(raws[seq])
    [again] = ledger.append(step(3))
    assert (again.repeated, again.proof) == (True, kept[again.seq])
    with ledger.read() as reader:
        sizes = [size for size, _ in reader.checkpoints()]
        assert sizes == [1, *range(3, 26, 2)]
        late = prove(reader, 1, 25)
        assert late is not None
        assert late.check(raws[1]).size == 25
        assert prove(reader, 25) is None
    ledger.close()
    assert findings(tmp_path) == []


def test_a_commit_that_appends_nothing_signs_nothing(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    for _ in range(3):
        append(ledger, step(1))
    with ledger.read() as reader:
        assert [size for size, _ in reader.checkpoints()] == [1, 2]
    ledger.close()


def test_a_log_without_a_key_keeps_the_tree_and_gives_no_proof(tmp_path: Path) -> None:
    ledger = begin(tmp_path / "l.sqlite3")
    assert [done.proof for done in ledger.append(step(1), step(2))] == [None, None]
    with ledger.read() as reader:
        raws = [raw for _, raw in reader.records()]
        assert reader.subtree(1, 0) == frontier_of(map(leaf_hash, raws[:2])).root()
        assert (reader.checkpoint(1), list(reader.checkpoints()), list(signature_breaks(reader))) == (
            None,
            [],
            [],
        )
        with pytest.raises(IntegrityError, match="the tree row of record 3 is damaged"):
            reader.subtree(0, 3)
    assert ledger.signing is None
    ledger.close()


def test_appending_needs_the_key_that_is_in_force_and_reading_needs_none(tmp_path: Path) -> None:
    grown(tmp_path, 1)
    path = tmp_path / "l.sqlite3"
    keyless = begin(path)
    assert len(stored(keyless)) == 2
    with pytest.raises(UsageError, match="appending needs its key file"):
        append(keyless, step(2))
    other = opened(tmp_path, signing(tmp_path / "keys", "2"))
    with pytest.raises(UsageError, match="is not the key in force"):
        append(other, step(2))
    for one in (keyless, other):
        one.close()
    plain = begin(tmp_path / "plain.sqlite3")
    plain.close()
    keyed = SqliteLedger.open(tmp_path / "plain.sqlite3", Ticking(), signing=signing(tmp_path / "keys"))
    with pytest.raises(UsageError, match="begun without a key"):
        append(keyed, step(1))
    keyed.close()


@pytest.mark.parametrize(
    ("opening", "keyed"),
    [
        (OPENING._replace(origin="tests.example/other"), True),
        (OPENING._replace(key=str(signer(salt="2").verifier)), True),
        (OPENING._replace(key=str(signer().verifier)), False),
    ],
)
def test_a_ledger_and_its_first_key_have_one_name(tmp_path: Path, opening: object, keyed: bool) -> None:
    key = signing(tmp_path / "keys") if keyed else None
    with pytest.raises(UsageError):
        SqliteLedger.open(tmp_path / "l.sqlite3", Ticking(), create=opening, signing=key)  # type: ignore[arg-type]
    assert not (tmp_path / "l.sqlite3").exists()


def test_a_restored_backup_is_noticed_before_anything_is_appended(tmp_path: Path) -> None:
    grown(tmp_path, 1, 2)
    copied(tmp_path, "backup")
    grown(tmp_path, 3)
    put_back(tmp_path, "backup")
    ledger = opened(tmp_path)
    with pytest.raises(IntegrityError, match="the store has 3 records; 4 were published") as caught:
        append(ledger, step(4))
    assert "ledger restore" in str(caught.value.hint)
    assert len(stored(ledger)) == 3
    ledger.close()


def test_a_fork_beside_what_was_published_is_noticed(tmp_path: Path) -> None:
    grown(tmp_path, 1)
    copied(tmp_path, "backup")
    grown(tmp_path, 2, 3)
    published = (tmp_path / "keys" / "log.key.checkpoint").read_bytes()
    put_back(tmp_path, "backup")
    (tmp_path / "keys" / "log.key.checkpoint").unlink()  # so that the fork can be made at all
    grown(tmp_path, 4, 5, 6)
    (tmp_path / "keys" / "log.key.checkpoint").write_bytes(published)
    ledger = opened(tmp_path)
    with pytest.raises(IntegrityError, match="first 4 records are not those that were published"):
        append(ledger, step(7))
    ledger.close()


def test_a_restoral_is_signed_recorded_and_lets_the_log_go_on(tmp_path: Path) -> None:
    grown(tmp_path, 1, 2)
    copied(tmp_path, "backup")
    ledger = opened(tmp_path)
    [lost] = ledger.append(step(3))
    ledger.close()
    ahead = (tmp_path / "keys" / "log.key.checkpoint").read_bytes()
    put_back(tmp_path, "backup")
    ledger = opened(tmp_path)
    done = restore(ledger, "me", "the disk of March failed").record
    assert done is not None
    assert (done.seq, done.record.kind) == (4, "ledger.restored")
    append(ledger, step(4))
    ledger.close()
    assert findings(tmp_path) == []
    # A process that died between commit and publishing leaves the old file: the record speaks for it.
    (tmp_path / "keys" / "log.key.checkpoint").write_bytes(ahead)
    grown(tmp_path, 5)
    with open_readonly(tmp_path / "l.sqlite3").read() as reader:
        raws = dict(reader.records())
        report = replay(reader)
    assert [one.rule for one in report.findings if one.seq == 4] == []
    assert report.uninterpreted == []
    assert lost.proof is not None
    with pytest.raises(IntegrityError):
        Proof.read(lost.proof).check(raws[3])


def test_there_is_nothing_to_restore_where_nothing_is_wrong(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    with pytest.raises(UsageError, match="nothing to restore"):
        restore(ledger, "me", "why not")
    (tmp_path / "keys" / "log.key.checkpoint").unlink()
    with pytest.raises(UsageError, match="nothing to restore"):
        restore(ledger, "me", "why not")
    ledger.close()
    plain = begin(tmp_path / "plain.sqlite3")
    with pytest.raises(UsageError, match="has no key"):
        restore(plain, "me", "why not")
    plain.close()


def test_an_older_empty_or_missing_published_file_stops_nobody(tmp_path: Path) -> None:
    published = tmp_path / "keys" / "log.key.checkpoint"
    grown(tmp_path, 1)
    older = published.read_bytes()
    grown(tmp_path, 2, 3)
    for number, content in enumerate((older, b"", None)):
        published.write_bytes(content or b"")
        if content is None:
            published.unlink()
        grown(tmp_path, 10 + number)
    assert Checkpoint.of(published.read_bytes())[1].size == 7
    unpublished = opened(tmp_path, Signing(signer()))
    append(unpublished, step(20))
    unpublished.close()


@pytest.mark.parametrize(
    ("content", "error", "complaint"),
    [
        (b"garbage", IntegrityError, "no checkpoint"),
        (
            bytes(Checkpoint("tests.example/x", 1, bytes(32)).signed(signer())),
            UsageError,
            "is of tests.example/x",
        ),
        (
            bytes(Checkpoint(ORIGIN, 1, bytes(32)).signed(signer(salt="2"))),
            IntegrityError,
            "signed by no key of this log",
        ),
        (
            bytes(Note.read(bytes(Checkpoint(ORIGIN, 1, bytes(32)).signed(signer()))))[:-5] + b"A==\n",
            IntegrityError,
            "no checkpoint",
        ),
    ],
)
def test_a_published_file_that_is_not_the_logs_own_is_refused(
    tmp_path: Path, content: bytes, error: type[Exception], complaint: str
) -> None:
    grown(tmp_path, 1)
    (tmp_path / "keys" / "log.key.checkpoint").write_bytes(content)
    ledger = opened(tmp_path)
    with pytest.raises(error, match=complaint):
        append(ledger, step(2))
    ledger.close()


def test_a_key_is_rotated_by_the_old_one_and_valid_by_seq(tmp_path: Path) -> None:
    grown(tmp_path, 1)
    copied(tmp_path, "backup")
    second = signing(tmp_path / "keys", "2")
    ledger = opened(tmp_path)
    before = ledger.append(step(2))[0].proof
    done = rotate(ledger, second, "me")
    assert ledger.signing is second
    after = ledger.append(step(3))[0].proof
    with pytest.raises(UsageError, match="cannot follow"):
        rotate(ledger, second, "me")
    third = signing(tmp_path / "keys", "3")
    rotate(ledger, third, "me")
    with ledger.read() as reader:
        keys = [(one.since, one.key) for one in periods(reader)]
        both = reader.checkpoint(done.seq + 1)
        assert [(one.seq, one.field) for one in signature_breaks(reader)] == []
        assert replay(reader).uninterpreted == []
    assert [since for since, _ in keys] == [0, done.seq, done.seq + 2]
    ledger.close()
    assert before is not None
    assert after is not None
    assert both is not None
    later = Policy.read(f"log {second.verifier}\nquorum none\n".encode())
    assert POLICY.verify(Proof.read(before).checkpoint).logs == (signer().verifier,)
    assert later.verify(Proof.read(after).checkpoint).logs == (second.verifier,)
    assert POLICY.verify(both).checkpoint == later.verify(both).checkpoint
    for old in (signing(tmp_path / "keys"), second):
        ledger = opened(tmp_path, old)
        with pytest.raises(UsageError, match="is not the key in force"):
            append(ledger, step(9))
        ledger.close()
    put_back(tmp_path, "backup")
    ledger = opened(tmp_path)
    with pytest.raises(IntegrityError, match="the store has 2 records; 5 were published"):
        append(ledger, step(9))
    ledger.close()


def test_a_rotation_in_another_process_is_seen_at_the_next_append(tmp_path: Path) -> None:
    one, two = opened(tmp_path), opened(tmp_path)
    append(one, step(1))
    append(two, step(2))
    rotate(one, signing(tmp_path / "keys", "2"), "me")
    with pytest.raises(UsageError, match="is not the key in force"):
        append(two, step(3))
    two.close()
    append(one, step(4))
    one.close()
    assert findings(tmp_path) == []


def test_a_key_of_another_name_cannot_follow(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    with pytest.raises(UsageError, match="cannot follow"):
        rotate(ledger, Signing(signer("tests.example/other")), "me")
    ledger.close()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("DELETE FROM checkpoints", "has no checkpoint"),
        ("DELETE FROM checkpoints WHERE size = 4", "is not what its last checkpoint says"),
        ("UPDATE checkpoints SET note = x'00' WHERE size = 4", "no checkpoint"),
        ("UPDATE records SET tree = zeroblob(32) WHERE seq = 2", "is not what its last checkpoint says"),
        ("UPDATE records SET tree = x'00' WHERE seq = 3", "the tree row of record 3 is damaged"),
        ("UPDATE records SET tree = 'text' WHERE seq = 3", "are text or a number"),
    ],
)
def test_nothing_is_signed_that_the_last_checkpoint_does_not_bear_out(
    tmp_path: Path, change: str, complaint: str
) -> None:
    grown(tmp_path, 1, 2)
    grown(tmp_path, 3)
    (tmp_path / "keys" / "log.key.checkpoint").unlink()
    edit(tmp_path / "l.sqlite3", change)
    if "zeroblob" in change:  # a row that no peak of this size is made of
        edit(tmp_path / "l.sqlite3", "UPDATE records SET tree = zeroblob(96) WHERE seq = 3")
    ledger = opened(tmp_path)
    with pytest.raises(IntegrityError, match=complaint):
        append(ledger, step(4))
    ledger.close()


def test_a_last_checkpoint_that_another_key_signed_is_not_gone_on_from(tmp_path: Path) -> None:
    grown(tmp_path, 1)
    with open_readonly(tmp_path / "l.sqlite3").read() as reader:
        note = reader.last_checkpoint() or b""
    _, checkpoint = Checkpoint.of(note)
    forged = bytes(checkpoint.signed(signer(salt="2")))
    edit(tmp_path / "l.sqlite3", "UPDATE checkpoints SET note = ? WHERE size = 2", forged)
    assert findings(tmp_path) == [(1, "checkpoint")]
    ledger = opened(tmp_path)
    with pytest.raises(IntegrityError, match="not signed by the key in force"):
        append(ledger, step(4))
    ledger.close()


def test_a_checkpoint_that_cannot_be_published_tells_that_the_record_is_kept(tmp_path: Path) -> None:
    key = Signing(signer(), tmp_path / "keys" / "published")
    (tmp_path / "keys").mkdir()
    ledger = opened(tmp_path, key)
    (tmp_path / "keys" / "published").unlink()
    (tmp_path / "keys" / "published").mkdir()
    key._compared = True
    with pytest.raises(StorageError) as caught:
        append(ledger, step(1))
    assert "durable" in str(caught.value.hint)
    assert len(stored(ledger)) == 2
    ledger.close()
    assert names(tmp_path / "keys") == ["published"]


def test_threads_share_one_key(tmp_path: Path) -> None:
    ledger = opened(tmp_path)

    def work(worker: int) -> list[bytes]:
        return [ledger.append(step(number, actor=f"w{worker}"))[0].proof or b"" for number in range(8)]

    with ThreadPoolExecutor(4) as pool:
        proofs = [one for found in pool.map(work, range(4)) for one in found]
    raws = dict(stored(ledger))
    ledger.close()
    checked = [Proof.read(one) for one in proofs]
    assert sorted(one.seq for one in checked) == list(range(1, 33))
    for one in checked:
        one.check(raws[one.seq])
    assert findings(tmp_path) == []
