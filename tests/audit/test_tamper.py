"""Whatever is edited, dropped, doubled, moved or rewritten in a ledger, a replay names it."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.admission import Decision
from schemas.canonical import digest
from schemas.plan import Plan
from tests.audit.edits import assert_seen, edit
from tests.audit.lives import Shelf, Step, make, replayed, rewritten, steps
from tests.lifecycle.tampering import Change, changes
from tests.world import REFS, Memory, World, engine, open_ledger, request, row

ADMIT = Decision(disposition="admit", reason="fits", admitted_source_refs=REFS[:2])
AGAIN = Decision(disposition="admit", reason="on second thoughts", admitted_source_refs=REFS)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[Step]:
    """Every kind of step: a blocked and a ready plan, a decision that another superseded, retirement."""
    path = tmp_path_factory.mktemp("whole") / "l.sqlite3"
    ledger = open_ledger(path)
    runs = engine(World(probes=[row(ready=False), row()]), ledger)
    runs.plan(request("blocked"))
    plan = runs.plan(request())
    receipt = runs.execute(plan).receipt
    runs.admit(plan, receipt, ADMIT)
    runs.readback(plan, receipt, ADMIT, Memory(), execute=True)
    admission = runs.admit(plan, receipt, AGAIN, supersede=True)
    runs.readback(plan, receipt, AGAIN, Memory(), execute=True)
    runs.retire(admission)
    ledger.close()
    assert replayed(path).clean
    return steps(path)


def test_each_of_two_hundred_single_byte_edits_is_seen_where_it_is(tmp_path: Path) -> None:
    path = make(tmp_path / "l.sqlite3", 6, seed=1)
    chance = Random(1)
    for _ in range(200):
        copy = tmp_path / "copy.sqlite3"
        assert_seen(edit(path, copy, chance), replayed(copy))


def raws(whole: list[Step]) -> list[tuple[int, bytes]]:
    return [(step.record.seq, step.record.canonical()) for step in whole]


@given(data=st.data())
def test_a_dropped_doubled_or_swapped_record_breaks_the_chain(whole: list[Step], data: st.DataObject) -> None:
    stored = raws(whole)
    place = data.draw(st.integers(0, len(stored) - 2))
    how = data.draw(st.sampled_from(("drop", "close the gap", "double", "swap")))
    after = stored[place + 1 :]
    if how == "drop":
        changed = stored[:place] + after
    elif how == "close the gap":
        changed = stored[:place] + [(seq - 1, raw) for seq, raw in after]
    elif how == "double":
        changed = [*stored[: place + 1], *((seq + 1, raw) for seq, raw in stored[place:])]
    else:
        other = data.draw(st.integers(place + 1, len(stored) - 1))
        changed = list(stored)
        changed[place], changed[other] = (place, stored[other][1]), (other, stored[place][1])
    report = Shelf(changed, [step.body for step in whole]).replay()
    assert not report.clean
    assert report.findings[0].seq in (place, place + 1)


def test_a_tail_that_was_cut_off_of_the_rows_is_seen_by_the_stored_head(tmp_path: Path) -> None:
    path = make(tmp_path / "l.sqlite3", 2)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM records WHERE seq = (SELECT max(seq) FROM records)")
    assert not replayed(path).clean


def test_stored_text_in_place_of_bytes_is_a_finding(tmp_path: Path) -> None:
    path = make(tmp_path / "l.sqlite3", 2)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE records SET raw = CAST(raw AS TEXT) WHERE seq = 3")
    assert replayed(path).findings[0].field == "file"


def test_over_a_missing_step_the_life_breaks_unless_nothing_followed_from_it(whole: list[Step]) -> None:
    # A ledger cannot show what was never appended: these four are the last word on something.
    silent = {
        place: step.record.kind
        for place, step in enumerate(whole)
        if rewritten([*whole[:place], *whole[place + 1 :]]).clean
    }
    blocked, finished, overtaken, retired = silent
    assert list(silent.values()) == [
        "plan.created",
        "execution.finished",
        "projection.observed",
        "evidence.retired",
    ]
    assert Plan.read(json.loads(whole[blocked].body)).status == "blocked"
    assert finished < overtaken < retired == len(whole) - 1


def movable(whole: list[Step]) -> list[int]:
    return [place for place, step in enumerate(whole) if step.record.kind != "schema.registered"]


@given(data=st.data())
def test_reordered_steps_break_the_life_although_the_chain_is_right(
    whole: list[Step], data: st.DataObject
) -> None:
    places = movable(whole)
    first = data.draw(st.integers(0, len(places) - 2))
    other = data.draw(st.integers(first + 1, len(places) - 1))
    changed = list(whole)
    changed[places[first]], changed[places[other]] = whole[places[other]], whole[places[first]]
    report = rewritten(changed)
    assert not report.clean, (whole[places[first]].record.kind, whole[places[other]].record.kind)


@given(data=st.data())
def test_a_step_that_was_taken_twice_breaks_the_life_although_its_key_is_new(
    whole: list[Step], data: st.DataObject
) -> None:
    once = ("ledger.opened", "plan.created", "execution.finished", "receipt.observed", "admission.decided",
            "admission.superseded", "evidence.retired")  # fmt: skip
    place = data.draw(st.sampled_from([at for at, step in enumerate(whole) if step.record.kind in once]))
    double = whole[place]._replace(record=whole[place].record.replace(idem=digest("another key")))
    assert not rewritten([*whole[: place + 1], double, *whole[place + 1 :]]).clean


# What nobody but the writer can know: a ledger states it and nothing that it holds can contradict it.
UNKNOWABLE = {
    ("execution.started", "provider", "unavailable_reason"),
    ("projection.observed", "write_blockers"),
}


def known(kind: str, change: Change) -> bool:
    """Whether the rest of a ledger can contradict this change."""
    names = tuple(step for step in change.path if isinstance(step, str))
    return not any((kind, *names)[: len(row)] == row for row in UNKNOWABLE)


def edited(whole: list[Step]) -> Iterator[tuple[int, Change]]:
    for place, step in enumerate(whole):
        if step.record.kind not in ("schema.registered", "ledger.opened"):
            for change in changes(json.loads(step.body)):
                if change.what in ("other", "flip", "remove", "reverse") and known(step.record.kind, change):
                    yield place, change


@pytest.mark.req("plan-tamper", "receipt-refusals", "admission-tamper", "receipt-binding")
def test_no_change_of_any_leaf_of_any_body_survives_although_the_chain_is_right(whole: list[Step]) -> None:
    unseen = []
    for place, change in edited(whole):
        artifact = change.applied(json.loads(whole[place].body))
        report = rewritten([*whole[:place], whole[place].stating(artifact), *whole[place + 1 :]])
        if report.clean:
            unseen.append((whole[place].record.kind, change))
    assert unseen == []
