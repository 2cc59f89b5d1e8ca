"""Go's golang.org/x/mod/sumdb (Debian's package) accepts our keys, notes and proofs, and nothing tampered."""

import json
import os
import subprocess
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from ledger.keys import Signer
from ledger.note import ED25519, Note
from ledger.proof import Proof
from ledger.tree import consistency, inclusion
from tests.ledger.signing import cosigner, opened, secret, signer
from tests.ledger.steps import step, stored
from tests.ledger.test_note import NEUMANN, NEUMANN_NOTE, NEUMANN_TEXT
from tests.ledger.test_proof import checkpoint
from tests.ledger.test_tree import NODE, NUMBERED, TREES

pytestmark = pytest.mark.go

Ask = Callable[[Sequence[dict[str, Any]]], list[str]]
SOURCE = Path(__file__).parent / "go" / "opinion.go"


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """Go's answers to questions; the program is built from Debian's packages, without a network."""
    folder = tmp_path_factory.mktemp("go")
    program = folder / "opinion"
    around = {
        **os.environ,
        "GO111MODULE": "off",
        "GOPATH": "/usr/share/gocode",
        "GOPROXY": "off",
        "GOFLAGS": "",
        "GOCACHE": str(folder / "cache"),
    }
    subprocess.run(["go", "build", "-o", program, SOURCE], env=around, cwd=folder, check=True)

    def asked(questions: Sequence[dict[str, Any]]) -> list[str]:
        lines = "".join(json.dumps(question, default=wire) + "\n" for question in questions)
        ended = subprocess.run([program], input=lines, capture_output=True, text=True, check=True)
        return ended.stdout.splitlines()

    return asked


def wire(content: bytes) -> str:
    """Bytes as Go's JSON has them."""
    return b64encode(content).decode()


def record(index: int, size: int, leaf: bytes | None = None) -> dict[str, Any]:
    return {
        "ask": "record",
        "leaves": [NUMBERED[index] if leaf is None else leaf],
        "index": index,
        "size": size,
        "root": TREES[size].root(),
        "path": inclusion(NODE, index, size),
    }


def growth(old: int, new: int) -> dict[str, Any]:
    return {
        "ask": "tree",
        "oldSize": old,
        "oldRoot": TREES[old].root(),
        "size": new,
        "root": TREES[new].root(),
        "path": consistency(NODE, old, new),
    }


def test_go_computes_the_same_roots(ask: Ask) -> None:
    sizes = [1, 2, 3, 7, 8, 9, 64, 100, 255, 300]
    said = ask([{"ask": "root", "leaves": NUMBERED[:size]} for size in sizes])
    assert [b64decode(one) for one in said] == [TREES[size].root() for size in sizes]


def test_go_accepts_every_proof_of_inclusion_and_refuses_a_tampered_leaf(ask: Ask) -> None:
    places = [(index, size) for size in [*range(1, 34), 64, 100, 300] for index in {0, size // 2, size - 1}]
    assert set(ask([record(*place) for place in places])) == {"proved"}
    tampered = ask([record(*place, leaf=NUMBERED[place[0]] + b"!") for place in places])
    assert all(one.startswith("error") for one in tampered)
    assert len(tampered) == len(places)


def test_go_accepts_every_proof_of_consistency_and_refuses_another_past(ask: Ask) -> None:
    sides = [(old, new) for new in [*range(1, 34), 64, 100, 300] for old in range(1, new, 1 + new // 20)]
    assert set(ask([growth(*one) for one in sides])) == {"proved"}
    forked = ask([{**growth(*one), "oldRoot": TREES[one[0] - 1].root()} for one in sides])
    assert all(one.startswith("error") for one in forked)
    assert len(forked) == len(sides)


def test_go_opens_our_checkpoints_and_ignores_a_cosignature(ask: Ask) -> None:
    log, witness = signer(), cosigner("w.example")
    note = Note.read(checkpoint(300))
    both = bytes(note.signed(witness.sign(note.text, 1_700_000_000)))
    wrong = both.replace(b"\n300\n", b"\n301\n")
    other = signer("tests.example/other")
    said = ask(
        [
            {"ask": "open", "keys": [str(key.verifier)], "text": text.decode()}
            for key, text in ((log, both), (log, wrong), (other, both))
        ]
    )
    assert said[0] == json.dumps(note.text) + " 1 1"
    assert [one.split(" ")[0] for one in said[1:]] == ["error:", "error:"]


def test_go_signs_with_our_private_key_what_we_sign(ask: Ask) -> None:
    text = NEUMANN_TEXT
    said = ask([{"ask": "sign", "keys": [secret("a.example/log", ED25519)], "text": text}])
    ours = Note(text).signed(Signer.read(secret("a.example/log", ED25519)).sign(text))
    assert b64decode(said[0]) == bytes(ours)
    assert ask([{"ask": "open", "keys": [NEUMANN], "text": NEUMANN_NOTE.decode()}]) == [
        json.dumps(text) + " 1 0"
    ]


def test_go_accepts_what_a_ledger_gave_its_callers_and_refuses_another_record(
    ask: Ask, tmp_path: Path
) -> None:
    ledger = opened(tmp_path)
    proofs = [Proof.read(done.proof or b"") for number in range(9) for done in ledger.append(step(number))]
    raws = dict(stored(ledger))
    ledger.close()
    notes = [
        {"ask": "open", "keys": [str(signer().verifier)], "text": one.checkpoint.decode()} for one in proofs
    ]
    assert {one.rsplit(" ", 2)[1] for one in ask(notes)} == {"1"}
    questions: list[dict[str, Any]] = [
        {
            "ask": "record",
            "leaves": [raws[one.seq]],
            "index": one.seq,
            "size": checked.size,
            "root": checked.root,
            "path": one.path,
        }
        for one in proofs
        for checked in [one.check(raws[one.seq])]
    ]
    assert ask(questions) == ["proved"] * 9
    for question in questions:
        question["leaves"] = [raws[0]]
    assert all(one.startswith("error") for one in ask(questions))
