"""The one-file verifier and the replay of the project are asked the same and answer the same."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from schemas.canonical import canonical, digest
from schemas.errors import EvidenceError
from schemas.ledger import read_raw
from tests.ledger.carried import (
    Carried,
    Step,
    carry,
    clean,
    items,
    put,
    rechained,
    records,
    steps,
    verdict,
)
from tests.lifecycle.tampering import Change, changes


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Carried:
    return carry(tmp_path_factory.mktemp("plain"), signed=False)


def edited(whole: list[Step]) -> Iterator[tuple[int, Change]]:
    for place, step in enumerate(whole):
        if step.kind not in ("schema.registered", "ledger.opened"):
            for change in changes(json.loads(step.body)):
                yield place, change


def test_on_every_edit_that_was_hashed_again_without_the_key_the_two_verifiers_agree(
    plain: Carried, tmp_path: Path
) -> None:
    whole, path = steps(items(plain.bundle)), tmp_path / "x.bundle"
    every = list(edited(whole))
    told = set()
    for place, change in Random(11).sample(every, 40):
        try:
            step = whole[place].stating(change.applied(json.loads(whole[place].body)))
        except EvidenceError:  # a lone surrogate, which no body can hold
            continue
        put(path, rechained([*whole[:place], step, *whole[place + 1 :]]), "tests.example/world")
        word = verdict(path)
        assert (word == "UNANCHORED") == clean(path), (whole[place].kind, change)
        told.add(word)
    assert told - {"UNANCHORED"} == {"RULE-BROKEN"}


@pytest.mark.soak
def test_on_every_single_edit_of_every_body_the_two_verifiers_agree(plain: Carried, tmp_path: Path) -> None:
    whole, path = steps(items(plain.bundle)), tmp_path / "x.bundle"
    for place, change in edited(whole):
        try:
            step = whole[place].stating(change.applied(json.loads(whole[place].body)))
        except EvidenceError:
            continue
        put(path, rechained([*whole[:place], step, *whole[place + 1 :]]), "tests.example/world")
        assert (verdict(path) == "UNANCHORED") == clean(path), (whole[place].kind, change)


def test_on_every_field_of_every_record_edited_the_two_verifiers_agree(
    plain: Carried, tmp_path: Path
) -> None:
    held, path = items(plain.bundle), tmp_path / "x.bundle"
    every = [(at, change) for at in records(held) for change in changes(json.loads(held[at][1]))]
    for at, change in Random(12).sample(every, 40):
        try:
            raw = canonical(change.applied(json.loads(held[at][1])))
        except EvidenceError:
            continue
        put(path, [*held[:at], ("record", raw), *held[at + 1 :]], "tests.example/world")
        assert (verdict(path) == "UNANCHORED") == clean(path), (at, change)


def test_steps_left_out_moved_or_taken_twice_are_judged_alike(plain: Carried, tmp_path: Path) -> None:
    whole, path = steps(items(plain.bundle)), tmp_path / "x.bundle"
    log = "tests.example/world"
    words = []
    for place, step in enumerate(whole):
        double = step._replace(raw=read_raw(step.raw).replace(idem=digest("another key")).canonical())
        later = [*whole[:place], *whole[place + 1 : place + 3], step, *whole[place + 3 :]]
        ways = (
            [*whole[:place], *whole[place + 1 :]],
            [*whole[: place + 1], double, *whole[place + 1 :]],
            [*whole[: place + 1], step, *whole[place + 1 :]],
            later,
        )
        for changed in ways[place % 2 :: 2]:
            put(path, rechained(changed), log)
            words.append(verdict(path))
            assert (words[-1] == "UNANCHORED") == clean(path), (place, step.kind)
    assert set(words) == {"UNANCHORED", "RULE-BROKEN", "TAMPERED"}
