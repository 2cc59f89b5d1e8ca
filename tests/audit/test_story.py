"""What a ledger says in decision terms: every life told as it went, whatever became of its bodies."""

import shutil
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from evidence.audit import replay
from evidence.plan_story import DAMAGED, ERASED, HELD, MISSING
from evidence.story import story
from ledger.erasure import erase
from ledger.sqlite_readonly import open_readonly
from ledger.tree import frontier_of, leaf_hash
from schemas.canonical import digest_bytes
from schemas.errors import IntegrityError
from schemas.ledger import read_raw
from tests.audit.lives import make
from tests.audit.telling import Gaps, Told, body_of, reading, say_erased, take_away, told
from tests.world import REFS, open_ledger


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return told(tmp_path_factory.mktemp("told") / "l.sqlite3")


@pytest.fixture
def copy(made: Told, tmp_path: Path) -> Path:
    return Path(shutil.copyfile(made.path, tmp_path / "copy.sqlite3"))


def test_every_plan_is_told_in_its_state(made: Told) -> None:
    with reading(made.path) as story:
        states = {plan.plan_id: plan.state for plan in story.plans()}
        assert story.plan_ids() == list(states)
    expected = {
        "retired": "retired",
        "superseded": "retained",
        "retained": "retained",
        "empty": "undecided",
        "undecided": "undecided",
        "blocked": "blocked",
        "waiting": "waiting",
    }
    assert states == {made.plans[name].plan_id: state for name, state in expected.items()}


def test_a_retired_life_is_told_from_the_question_to_the_retirement(made: Told) -> None:
    with reading(made.path) as story:
        plan = story.plan(str(made.plans["retired"].plan_id))
    (receipt,) = plan.receipts.values()
    (decision,) = receipt.decisions
    assert plan.plan == made.plans["retired"]
    assert receipt.receipt == made.receipts["retired"]
    assert decision.admission == made.admissions["retired"]
    assert [step.artifact.state for step in plan.executions] == ["started", "finished"]
    assert (decision.in_force, decision.covered, decision.uncovered) == (True, REFS, ())
    assert decision.retired is not None
    seqs = [step.seq for step in plan.steps()]
    assert seqs == sorted(set(seqs))
    assert len(seqs) == 7


def test_a_superseded_decision_is_told_beside_the_one_that_took_its_place(made: Told) -> None:
    with reading(made.path) as story:
        plan = story.plan(str(made.plans["superseded"].plan_id))
    first, second = plan.decisions
    assert (first.disposition, first.in_force, first.uncovered) == ("admit", False, ())
    assert first.superseded is not None
    assert first.superseded.artifact.admission_id == second.admission_id
    assert (second.disposition, second.in_force, second.admitted) == ("reject", True, ())


def test_what_was_not_read_back_is_uncovered(made: Told) -> None:
    with reading(made.path) as story:
        (decision,) = story.plan(str(made.plans["retained"].plan_id)).decisions
    assert (decision.covered, decision.uncovered) == (REFS[1:2], REFS[:1])


def test_events_and_calls_are_told_with_what_they_say(made: Told) -> None:
    with reading(made.path) as story:
        (opened,) = story.events()
        (call,) = story.calls()
    assert (opened.seq, opened.artifact["origin"]) == (0, story.log)
    assert (call.artifact.action, call.artifact.evidence.count) == ("regulations.search", 2)
    assert call.told()["artifact"] == call.artifact.to_wire()


def test_the_head_and_the_root_are_those_of_the_stored_bytes(made: Told) -> None:
    with open_readonly(made.path).read() as reader:
        raws = [raw for _, raw in reader.records()]
        wire = story(reader).to_wire()
        earlier = story(reader, until=4).to_wire()
    root = frontier_of(map(leaf_hash, raws)).root().hex()
    assert (wire["records"], wire["head"]) == (len(raws), digest_bytes(raws[-1]))
    assert wire["root"] == f"sha256:{root}"
    assert (earlier["records"], earlier["head"]) == (5, digest_bytes(raws[4]))


def test_random_lives_are_told_as_the_replay_counts_them(tmp_path: Path) -> None:
    path = make(tmp_path / "l.sqlite3", 15, seed=5)
    with open_readonly(path).read() as reader:
        report, said = replay(reader), story(reader)
        plans = list(said.plans())
        steps = sum(len(list(plan.steps())) for plan in plans)
    receipts = [receipt for plan in plans for receipt in plan.receipts.values()]
    decisions = [decision for receipt in receipts for decision in receipt.decisions]
    assert (len(plans), len(receipts), len(decisions)) == (report.plans, report.receipts, report.admissions)
    assert sum(one.retired is not None for one in decisions) == report.retired
    apart = ("ledger.opened", "schema.registered", "provider.observed")
    assert steps == report.records - sum(said.kinds[kind] for kind in apart)


def test_an_erased_a_missing_and_a_damaged_body_are_told_apart(made: Told, copy: Path) -> None:
    say_erased(copy, body_of(copy, "plan.created"))
    take_away(copy, body_of(copy, "receipt.observed", 1))
    take_away(copy, body_of(copy, "admission.decided", 0), b"{}")
    with reading(copy) as story:
        states = Counter(step.body for plan in story.plans() for step in plan.steps())
        plan = story.plan(str(made.plans["retired"].plan_id))
        assert set(story.erased) == {plan.created.record.body.digest if plan.created else ""}
        assert (plan.plan, plan.created and plan.created.body) == (None, ERASED)
        assert plan.state == "retired"
        seen = {step.body for step in story.steps()}
    assert (states[ERASED], states[MISSING], states[DAMAGED]) == (1, 1, 1)
    assert seen == {HELD, ERASED, MISSING, DAMAGED}
    assert plan.to_wire()["created"]["artifact"] is None


def test_a_body_that_was_erased_later_is_erased_in_the_story_of_before_which_tells_no_erasure(
    copy: Path,
) -> None:
    with reading(copy) as story:
        last = story.records - 1
    say_erased(copy, body_of(copy, "plan.created"))
    with reading(copy, last) as story:
        assert story.erased == {}
        assert Counter(step.body for step in story.steps())[ERASED] == 1


def test_a_decision_whose_body_is_gone_is_unknown_and_a_plan_without_any_is_too(copy: Path) -> None:
    for kind in ("plan.created", "admission.decided"):
        take_away(copy, body_of(copy, kind, -1 if kind == "plan.created" else 1))
    with reading(copy) as story:
        plans = list(story.plans())
    assert plans[-1].state == "unknown"
    gone = [one for plan in plans for one in plan.decisions if one.admission is None]
    assert [(one.disposition, one.admitted, one.uncovered) for one in gone] == [("unknown", (), ())]


@pytest.fixture
def gaps(made: Told) -> Gaps:
    return Gaps.of(made.path)


def test_a_ledger_with_holes_is_told_as_far_as_it_reads(gaps: Gaps) -> None:
    kinds = {seq: read_raw(raw).kind for seq, raw in gaps.raws.items()}
    lost = {"receipt.observed", "admission.decided", "plan.created"}
    first = next(seq for seq, kind in kinds.items() if kind == "execution.started")
    gaps.raws = {seq: raw for seq, raw in gaps.raws.items() if kinds[seq] not in lost}
    gaps.raws[first] = b"not json"
    said = gaps.story()
    assert said.unread == [first]
    plans = list(said.plans())
    assert {plan.plan for plan in plans} == {None}
    decisions = [one for plan in plans for one in plan.decisions]
    assert len(decisions) == 3
    assert {one.decided for one in decisions} == {None}
    assert {one.disposition for one in decisions} == {"unknown"}
    assert [step.seq for step in said.steps()] == [seq for seq in gaps.raws if seq != first]


def test_a_body_of_another_size_or_that_is_no_artifact_is_damaged(gaps: Gaps) -> None:
    kinds = {read_raw(raw).kind: read_raw(raw).body.digest for raw in gaps.raws.values()}
    gaps.bodies[kinds["evidence.retired"]] += b" "
    size = len(gaps.bodies[kinds["projection.observed"]])
    gaps.bodies[kinds["projection.observed"]] = b"{}".ljust(size)
    gaps.bodies[kinds["admission.superseded"]] = b"{".ljust(len(gaps.bodies[kinds["admission.superseded"]]))
    said = gaps.story()
    damaged = {step.record.kind for plan in said.plans() for step in plan.steps() if step.body == DAMAGED}
    assert damaged == {"evidence.retired", "projection.observed", "admission.superseded"}


def test_an_unknown_step_of_a_plan_is_told_beside_the_known_ones(gaps: Gaps) -> None:
    seq, raw = next(pair for pair in gaps.raws.items() if read_raw(pair[1]).kind == "execution.started")
    gaps.raws[seq] = read_raw(raw).replace(kind="execution.paused").canonical()
    plan = next(gaps.story().plans())
    assert [step.record.kind for step in plan.others] == ["execution.paused"]
    assert plan.to_wire()["others"][0]["seq"] == seq


def test_a_record_without_the_ids_of_its_kind_is_told_beside_the_known_ones(gaps: Gaps) -> None:
    seq, raw = next(pair for pair in gaps.raws.items() if read_raw(pair[1]).kind == "receipt.observed")
    record = read_raw(raw)
    gaps.raws[seq] = record.replace(subject=record.subject.replace(receipt_digest=None)).canonical()
    plan = next(gaps.story().plans())
    assert [step.seq for step in plan.others] == [seq]


def test_a_record_that_goes_while_it_is_read_is_an_integrity_error(gaps: Gaps) -> None:
    said = gaps.story()
    gaps.raws.clear()
    with pytest.raises(IntegrityError, match="is gone"):
        list(said.plans())


def test_an_empty_ledger_has_an_empty_story() -> None:
    said = Gaps({}, {}).story()
    assert (said.log, said.records, said.head, list(said.plans()), list(said.raws())) == (
        None,
        0,
        None,
        [],
        [],
    )


def test_what_was_erased_has_a_state_of_its_own_unless_its_evidence_retired(made: Told, copy: Path) -> None:
    erasures = {
        "undecided": str(made.plans["undecided"].plan_id),
        "retained": str(made.admissions["retained"].admission_id),
        "retired": str(made.plans["retired"].request.request_id),
    }
    with closing(open_ledger(copy)) as ledger:
        for identity in erasures.values():
            erase(ledger, identity, "asked for", "keeper")
    with reading(copy) as story:
        states = {name: story.plan(str(made.plans[name].plan_id)).state for name in made.plans}
    assert {name: states[name] for name in erasures} == {
        "undecided": "erased",
        "retained": "erased",
        "retired": "retired",
    }
    assert (states["superseded"], states["waiting"]) == ("retained", "waiting")
