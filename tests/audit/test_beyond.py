"""What comes after all that was kept or witnessed: on whose word it is, and what a quorum says to it."""

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from evidence.verify import verify
from ledger import standalone
from ledger.checkpoint import Checkpoint
from ledger.keys import Signer
from ledger.note import Note
from ledger.sqlite_readonly import open_readonly
from ledger.tree import frontier_at
from ledger.witness import Witness
from tests.audit.histories import MATRIX, OTHER, History, commit, last_note, make
from tests.ledger.carried import carry
from tests.ledger.signing import cosigner, opened, signer
from tests.ledger.steps import Ticking, edit

ONE, TWO = cosigner("witness.example/1"), cosigner("witness.example/2")
LOG = f"log {signer().verifier}\n"
QUORUM = f"{LOG}witness w {ONE.verifier}\nquorum w\n"
BOTH = f"{LOG}witness a {ONE.verifier}\nwitness b {TWO.verifier}\ngroup g all a b\nquorum g\n"


class Word(NamedTuple):
    """The verdict, why it is no better one, what it rests on, and the notes."""

    verdict: str
    reasons: list[str]
    anchored: list[str]
    notes: list[str]


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return make(tmp_path_factory.mktemp("history"))


@pytest.fixture(scope="module")
def size(history: History) -> int:
    return Checkpoint.of(last_note(history.ledger))[1].size


def word(path: Path, folder: Path, policy: str | None, *kept: bytes) -> Word:
    """Of `audit verify`, which the one-file verifier has to say too."""
    trusted = folder / "policy.of.this"
    trusted.write_text(policy or "")
    files = [folder / f"kept{number}" for number, _ in enumerate(kept)]
    for file, raw in zip(files, kept, strict=True):
        file.write_bytes(raw)
    told = verify(path, None if policy is None else policy.encode(), kept).to_wire()
    alone = standalone.verify(path, None if policy is None else trusted, files)
    names = ("verdict", "reasons", "anchored_by", "notes")
    assert [told[name] for name in names] == [alone[name] for name in names]
    return Word(*(alone[name] for name in names))


def cosigned(note: bytes, *witnesses: Signer) -> bytes:
    """The note under the signatures of these witnesses too."""
    read = Note.read(note)
    for one in witnesses:
        read = read.signed(one.sign(read.text, 1_700_000_000))
    return bytes(read)


@pytest.mark.parametrize("policy", [None, f"{LOG}quorum none\n"])
def test_what_was_added_since_is_on_the_word_of_the_key(
    history: History, size: int, tmp_path: Path, policy: str | None
) -> None:
    early, late = history.early.read_bytes(), history.checkpoint.read_bytes()
    told = word(history.ledger, tmp_path, policy, early)
    assert told.verdict == "VERIFIED"
    assert told.notes == [f"beyond what was kept: record {size - 1}, on the word of the log's key alone"]
    assert word(history.ledger, tmp_path, policy, early, late).notes == []
    assert word(history.backup, tmp_path, policy, early).notes == []


def test_several_records_are_named_by_the_first_and_the_last(tmp_path: Path) -> None:
    history = make(tmp_path)
    commit(opened(tmp_path), 2)
    size = Checkpoint.of(last_note(history.ledger))[1].size
    told = word(history.ledger, tmp_path, None, history.early.read_bytes())
    which = f"records {size - 2}-{size - 1}"
    assert told.notes == [f"beyond what was kept: {which}, on the word of the log's key alone"]


def test_without_a_key_that_signed_what_was_kept_it_is_on_nobodys_word(
    history: History, size: int, tmp_path: Path
) -> None:
    nobodys = f"beyond what was kept: record {size - 1}, on nobody's word"
    _, stated = Checkpoint.of(history.early.read_bytes())
    # The auditor's own file, which no key of the log signed: the log's key is only what the log itself says.
    own = bytes(stated.signed(OTHER))
    told = word(history.ledger, tmp_path, None, own)
    assert (told.verdict, told.notes) == ("VERIFIED", [nobodys])
    assert word(history.ledger, tmp_path, None, own, history.checkpoint.read_bytes()).notes == []


def test_a_ledger_without_a_key_stands_for_nothing_that_came_later(tmp_path: Path) -> None:
    path = carry(tmp_path, signed=False).sqlite
    with open_readonly(path).read() as reader:
        head = reader.head()
        assert head is not None
        stated = Checkpoint(head.log, 3, frontier_at(reader.subtree, 3).root())
    told = word(path, tmp_path, None, bytes(stated.signed(OTHER)))
    assert told.verdict == "VERIFIED"
    assert told.notes == [f"beyond what was kept: records 3-{head.seq}, on nobody's word"]


def test_where_a_quorum_asks_for_witnesses_nothing_else_verifies_what_they_have_not_seen(
    history: History, size: int, tmp_path: Path
) -> None:
    early, late = history.early.read_bytes(), history.checkpoint.read_bytes()
    told = word(history.ledger, tmp_path, QUORUM, cosigned(early, ONE))
    assert told.verdict == "CANNOT-VERIFY"
    assert told.reasons == [f"beyond what the quorum w has witnessed: record {size - 1}"]
    assert told.anchored[-1] == f"policy, checkpoint of {size - 1} records"
    assert told.notes == [f"beyond what was kept: record {size - 1}, on the word of the log's key alone"]
    # A checkpoint that nobody witnessed covers it all, and is not what the quorum asks for.
    again = word(history.ledger, tmp_path, QUORUM, cosigned(early, ONE), late)
    assert (again.verdict, again.reasons, again.notes) == ("CANNOT-VERIFY", told.reasons, [])
    whole = word(history.ledger, tmp_path, QUORUM, cosigned(early, ONE), cosigned(late, ONE))
    assert (whole.verdict, whole.reasons, whole.notes) == ("VERIFIED", [], [])
    assert whole.anchored[-1] == f"policy, checkpoint of {size} records"


def test_witnesses_that_cosigned_copies_of_one_checkpoint_are_a_quorum_together(
    history: History, tmp_path: Path
) -> None:
    late = history.checkpoint.read_bytes()
    files = [tmp_path / "1.json", tmp_path / "2.json"]
    copies = [
        Witness(file, who, Ticking()).update(late, [signer().verifier], lambda *_: ())
        for file, who in zip(files, (ONE, TWO), strict=True)
    ]
    for one in copies:
        told = word(history.ledger, tmp_path, BOTH, one)
        assert told.verdict == "CANNOT-VERIFY"
        assert told.reasons == ["the quorum g of the policy has not witnessed what is here"]
    assert word(history.ledger, tmp_path, BOTH, *copies).verdict == "VERIFIED"
    assert word(history.ledger, tmp_path, BOTH, *(one.read_bytes() for one in files)).verdict == "VERIFIED"
    # Of two checkpoints each has one witness, and none has both.
    apart = word(history.ledger, tmp_path, BOTH, cosigned(history.early.read_bytes(), ONE), copies[1])
    assert apart.verdict == "CANNOT-VERIFY"


def test_a_log_that_does_not_hold_is_said_to_rest_on_nothing_more(history: History, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite3"
    MATRIX[1][0](history, copy)
    kept = history.early.read_bytes()
    assert verify(copy, None, [kept]).notes == []
    (tmp_path / "kept").write_bytes(kept)
    assert standalone.verify(copy, None, [tmp_path / "kept"])["notes"] == []


def test_without_any_checkpoint_a_policy_that_asks_no_witness_says_what_is_missing(
    history: History, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.sqlite3"
    shutil.copyfile(history.ledger, copy)
    edit(copy, "DELETE FROM checkpoints")
    told = word(copy, tmp_path, f"{LOG}quorum none\n")
    assert told.verdict == "TAMPERED"
    assert told.reasons == ["no checkpoint that a key of the policy signed is here or was kept"]
