"""The replay in pieces finds what one plain pass over everything finds, whatever was done to the ledger."""

from itertools import pairwise
from pathlib import Path
from random import Random
from typing import cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evidence.audit import Replay, View, replay
from evidence.replay.lives import Context, derive
from evidence.replay.notes import Notes
from evidence.replay.walk import walk
from ledger.sqlite_readonly import open_readonly
from ledger.store import Reader
from schemas.canonical import digest
from schemas.ledger import Subject
from schemas.outside import parse
from tests.audit.edits import edit
from tests.audit.lives import Step, make, replayed, shelf_of, steps
from tests.audit.plain import plain_replay
from tests.ledger.steps import edit as run_sql


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("lives") / "l.sqlite3", 12, seed=5)


@pytest.fixture(scope="module")
def whole(path: Path) -> list[Step]:
    return steps(path)


def plain(path: Path) -> Replay:
    with open_readonly(path).read() as reader:
        return plain_replay(reader)


def together(path: Path) -> Replay:
    log = open_readonly(path)
    with log.read() as reader:
        return replay(reader, log=log, jobs=2, few=0)


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32))
def test_after_any_edited_byte_it_finds_the_same(
    path: Path, tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    copy = tmp_path_factory.mktemp("copy") / "l.sqlite3"
    edit(path, copy, Random(seed))
    assert replayed(copy).to_wire() == plain(copy).to_wire()


WAYS = st.sampled_from(["drop", "double", "swap", "subject", "body", "kind", "key", "none"])
PLACES = st.integers(0, 10_000)
EDITS = st.lists(st.tuples(WAYS, PLACES, PLACES), min_size=1, max_size=2)


def changed(whole: list[Step], edits: list[tuple[str, int, int]]) -> list[Step]:
    """One or two steps dropped, doubled, swapped, or told under another plan, kind or schema."""
    made = list(whole)
    for how, one, two in edits:
        at, other = (1 + place % (len(made) - 1) for place in (one, two))
        step = made[at]
        record = step.record
        if how == "drop":
            del made[at]
        elif how == "double":
            made.insert(other, step._replace(record=record.replace(idem=digest(f"{at} {other}"))))
        elif how == "swap":
            made[at], made[other] = made[other], step
        elif how == "subject":
            made[at] = step._replace(record=record.replace(subject=made[other].record.subject))
        elif how == "body":
            made[at] = step._replace(body=made[other].body)
        elif how == "kind":
            made[at] = step._replace(record=record.replace(kind=made[other].record.kind))
        elif how == "key":
            made[at] = step._replace(record=record.replace(idem=made[other].record.idem))
        else:
            made[at] = step._replace(record=record.replace(subject=Subject()))
    return made


@settings(max_examples=40)
@given(edits=EDITS)
@example([("swap", 0, 90), ("drop", 3870, 0)])  # a step of the later plan stands first of all
def test_whatever_somebody_writes_anew_it_finds_the_same(
    whole: list[Step], edits: list[tuple[str, int, int]]
) -> None:
    shelf = shelf_of(changed(whole, edits))
    assert shelf.replay().to_wire() == plain_replay(cast(Reader, shelf)).to_wire()


@given(edits=EDITS, places=st.lists(PLACES, max_size=4))
def test_lives_told_in_parts_are_all_of_them_once(
    whole: list[Step], edits: list[tuple[str, int, int]], places: list[int]
) -> None:
    reader = cast(Reader, shelf_of(changed(whole, edits)))
    notes = Notes.begin()
    walked = walk(reader, notes, View(), {}, by_artifact=True)
    context = Context(walked.records, by_artifact=True, schemas=walked.schemas)
    cuts = sorted({0, walked.steps, *(place % (walked.steps + 1) for place in places)})
    parts = [derive(reader, notes, context, *pair) for pair in pairwise(cuts)]
    all_of_it = derive(reader, notes, context)
    for part in parts[1:]:
        parts[0].add(part)
    counts = [(one.plans, one.receipts, one.admissions, one.retired) for one in (parts[0], all_of_it)]
    assert counts[0] == counts[1]
    assert parts[0].findings.listed() == all_of_it.findings.listed()


CHANGES = {
    "nothing": "SELECT 1",
    "a record": "UPDATE records SET raw = CAST(replace(raw, 'actor-', 'actor+') AS BLOB) WHERE seq = 9",
    "a body": "UPDATE bodies SET bytes = CAST(replace(bytes, '坡道', '扶手') AS BLOB)",
    "an index": "DELETE FROM subjects WHERE seq = 9",
    "the head": "UPDATE head SET digest = x'00'",
    "a gap": "DELETE FROM records WHERE seq = 12",
    "no bytes": "UPDATE records SET raw = CAST(raw AS TEXT) WHERE seq = 20",
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_several_processes_find_what_one_finds(path: Path, tmp_path: Path, change: str) -> None:
    copy = tmp_path / "l.sqlite3"
    copy.write_bytes(path.read_bytes())
    run_sql(copy, CHANGES[change])
    expected = plain(copy).to_wire()
    assert replayed(copy).to_wire() == expected
    assert together(copy).to_wire() == expected
    assert (expected["findings"] == []) == (change == "nothing")


def test_an_artifact_of_another_plan_is_a_step_of_that_plan(whole: list[Step]) -> None:
    places = [at for at, step in enumerate(whole) if step.record.kind == "plan.created"]
    first, second = places[:2]
    made = list(whole)
    made[second] = whole[second]._replace(
        record=whole[second].record.replace(subject=whole[first].record.subject)
    )
    shelf = shelf_of(made)
    report = shelf.replay()
    assert report.to_wire() == plain_replay(cast(Reader, shelf)).to_wire()
    assert report.findings[0][:2] == (second, "subject")
    assert report.plans == len(places)
    assert parse(whole[second].body) != parse(whole[first].body)
