"""The whole life on a real ledger and a real dossier; the order of its steps (lifecycle.md section 10)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given

from evidence.audit import replay
from evidence.engine import Engine
from evidence.sinks.dossier import Dossier
from ledger.sqlite import SqliteLedger
from ledger.store import Draft
from schemas.admission import Admission, Decision
from schemas.canonical import ALGORITHMS, Algorithm, digest_bytes
from schemas.errors import IntegrityError, MismatchError, OrderError
from schemas.ledger import Subject
from schemas.plan import Plan
from schemas.readback import Readback, WriteBlocker
from schemas.receipt import Receipt
from tests.strategies import Life, lives
from tests.world import REFS, Clock, Memory, World, engine, honest, kinds, open_ledger, request, row

ADMIT = Decision(disposition="admit", reason="fits", admitted_source_refs=REFS[:2])
OTHER = Decision(disposition="admit", reason="on second thoughts", admitted_source_refs=REFS[2:])
REJECT = Decision(disposition="reject", reason="off the point")
WHOLE = [
    "provider.observed", "plan.created", "execution.started", "execution.finished", "receipt.observed",
    "admission.decided", "projection.observed", "evidence.retired",
]  # fmt: skip


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    opened = open_ledger(tmp_path / "台账 #1.sqlite3")
    yield opened
    with opened.read() as reader:
        report = replay(reader)
    assert report.findings == []
    opened.close()


def begun(ledger: SqliteLedger | None, algorithm: Algorithm = "blake3") -> tuple[Engine, Plan, Receipt]:
    """A plan and its receipt."""
    runs = engine(ledger=ledger, algorithm=algorithm)
    plan = runs.plan(request())
    return runs, plan, runs.execute(plan).receipt


def covered(result: Readback) -> bool:
    return result.retirement is not None and result.retirement.retire_ready


def refused(rule: str) -> "pytest.RaisesExc[OrderError]":
    return pytest.raises(OrderError, check=lambda error: error.rule == rule)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_life_goes_from_request_to_retirement(
    tmp_path: Path, ledger: SqliteLedger, algorithm: Algorithm
) -> None:
    runs, plan, receipt = begun(ledger, algorithm)
    admission = runs.admit(plan, receipt, ADMIT)
    sink = Dossier(tmp_path / "dossier", plan.request)
    result = runs.readback(plan, receipt, ADMIT, sink, execute=True, stated=admission)
    assert covered(result)
    assert set(result.downstream_source_refs) == set(REFS[:2])
    assert runs.retire(admission).reason == "all_admitted_sources_projected"
    assert kinds(ledger) == WHOLE
    assert sink.document.is_file()


def test_the_same_steps_again_give_the_same_ids_and_no_second_record(
    tmp_path: Path, ledger: SqliteLedger
) -> None:
    runs, plan, receipt = begun(ledger)
    sink = Dossier(tmp_path, plan.request)

    def steps(again: Engine) -> list[object]:
        admission = again.admit(plan, receipt, ADMIT)
        return [
            again.plan(request()),
            again.receipt(plan, receipt),
            admission,
            again.readback(plan, receipt, ADMIT, sink, execute=True),
            again.readback(plan, receipt, ADMIT, sink),
            again.retire(admission),
        ]

    first = steps(runs)
    assert steps(runs) == first
    assert steps(engine(ledger=ledger)) == first
    somebody = Engine(registry=runs.registry, clock=Clock(), ledger=ledger, actor="somebody.else")
    assert steps(somebody) == first
    assert kinds(ledger) == WHOLE


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_without_a_ledger_the_same_artifacts_come_out(tmp_path: Path, algorithm: Algorithm) -> None:
    made: list[list[object]] = []
    for kept in (open_ledger(tmp_path / "l.sqlite3"), None):
        runs, plan, receipt = begun(kept, algorithm)
        admission = runs.admit(plan, receipt, ADMIT)
        sink = Memory()
        result = runs.readback(plan, receipt, ADMIT, sink, execute=True)
        verdict = runs.retire(admission, result.downstream_source_refs)
        made.append([runs.discover(), plan, receipt, runs.receipt(plan, receipt), admission, result, verdict])
    assert made[0] == made[1]


def test_without_a_ledger_a_callers_word_is_taken_for_coverage_and_with_one_it_is_not(
    ledger: SqliteLedger,
) -> None:
    runs, plan, receipt = begun(None)
    admission = runs.admit(plan, receipt, ADMIT)
    assert runs.retire(admission, REFS).retire_ready
    assert not runs.retire(admission).retire_ready
    runs, plan, receipt = begun(ledger)
    assert not runs.retire(runs.admit(plan, receipt, ADMIT), REFS).retire_ready
    assert "evidence.retired" not in kinds(ledger)


def test_a_blocked_plan_is_recorded_and_cannot_go_on(ledger: SqliteLedger) -> None:
    runs = engine(World(probes=[row(ready=False)]), ledger)
    plan = runs.plan(request())
    assert (plan.status, plan.blocker) == ("blocked", "no_ready_provider")
    with pytest.raises(OrderError, match=r"plan\.status is blocked"):
        runs.execute(plan)
    assert kinds(ledger) == ["provider.observed", "plan.created"]


def test_readiness_is_recorded_again_only_when_it_changed(ledger: SqliteLedger) -> None:
    world = World(probes=[row(), row(), row(ready=False), row()])
    runs = engine(world, ledger)
    plans = [runs.plan(request(f"question {number}")) for number in range(4)]
    assert [plan.status for plan in plans] == ["ready", "ready", "blocked", "ready"]
    assert kinds(ledger).count("provider.observed") == 3


def test_nothing_happens_without_its_plan(ledger: SqliteLedger) -> None:
    runs, (bare, plan, receipt) = engine(ledger=ledger), begun(None)
    admission = bare.admit(plan, receipt, ADMIT)
    steps = (
        lambda: runs.execute(plan),
        lambda: runs.receipt(plan, receipt),
        lambda: runs.admit(plan, receipt, ADMIT),
        lambda: runs.readback(plan, receipt, ADMIT, Memory(), execute=True),
        lambda: runs.retire(admission),
    )
    for step in steps:
        with refused("plan-first"):
            step()
    assert kinds(ledger) == []


def test_no_admission_without_its_receipt(ledger: SqliteLedger) -> None:
    runs = engine(ledger=ledger)
    plan = runs.plan(request())
    with refused("receipt-before-admission"):
        runs.admit(plan, honest(plan), ADMIT)
    assert kinds(ledger) == WHOLE[:2]


def test_no_readback_or_retirement_without_a_decision(ledger: SqliteLedger) -> None:
    runs, plan, receipt = begun(ledger)
    never = engine().admit(plan, receipt, ADMIT)
    with refused("decision-in-force"):
        runs.readback(plan, receipt, ADMIT, Memory(), execute=True)
    with refused("decision-in-force"):
        runs.retire(never)


def test_a_different_decision_must_say_that_it_supersedes(ledger: SqliteLedger) -> None:
    runs, plan, receipt = begun(ledger)
    first = runs.admit(plan, receipt, ADMIT)
    assert runs.admit(plan, receipt, ADMIT, supersede=True) == first
    with refused("one-decision-in-force"):
        runs.admit(plan, receipt, OTHER)
    assert kinds(ledger)[5:] == ["admission.decided"]
    second = runs.admit(plan, receipt, OTHER, supersede=True)
    assert kinds(ledger)[5:] == ["admission.decided", "admission.superseded", "admission.decided"]
    with refused("decision-in-force"):
        runs.readback(plan, receipt, ADMIT, Memory())
    with refused("decision-in-force"):
        runs.retire(first)
    assert covered(runs.readback(plan, receipt, OTHER, Memory(), execute=True))
    assert runs.retire(second).retire_ready


def test_a_decision_may_come_back_after_another(tmp_path: Path, ledger: SqliteLedger) -> None:
    runs, plan, receipt = begun(ledger)
    sink = Dossier(tmp_path, plan.request)
    made: list[Admission] = []
    for decision in (ADMIT, OTHER, ADMIT, OTHER, ADMIT):
        made.append(runs.admit(plan, receipt, decision, supersede=True))
        assert covered(runs.readback(plan, receipt, decision, sink, execute=True))
        current = {held.admission_id for held in sink.held(plan.plan_id or "") if held.withdrawn is None}
        assert current == {made[-1].admission_id}
    assert made[0] == made[2] == made[4]
    assert kinds(ledger).count("admission.superseded") == 4
    assert kinds(ledger).count("projection.observed") == 5
    assert runs.retire(made[-1]).retire_ready


def test_a_later_rejection_withdraws_what_was_projected(tmp_path: Path, ledger: SqliteLedger) -> None:
    runs, plan, receipt = begun(ledger)
    sink = Dossier(tmp_path, plan.request)
    runs.admit(plan, receipt, ADMIT)
    runs.readback(plan, receipt, ADMIT, sink, execute=True)
    rejection = runs.admit(plan, receipt, REJECT, supersede=True)
    runs.readback(plan, receipt, REJECT, sink, execute=True)
    assert {held.withdrawn for held in sink.held(plan.plan_id or "")} == {rejection.admission_id}
    assert runs.retire(rejection).reason == "parent_rejected"


@pytest.mark.req("coverage-before-retirement")
def test_nothing_retires_before_coverage_was_read_back(ledger: SqliteLedger) -> None:
    runs, plan, receipt = begun(ledger)
    admission = runs.admit(plan, receipt, ADMIT)
    assert runs.retire(admission).missing_downstream_source_refs == REFS[:2]
    runs.readback(plan, receipt, ADMIT, Memory())
    assert runs.retire(admission).status == "retained"
    runs.readback(plan, receipt, ADMIT, Memory(forgets=REFS[:1]), execute=True)
    assert runs.retire(admission).missing_downstream_source_refs == REFS[:1]
    assert "evidence.retired" not in kinds(ledger)
    runs.readback(plan, receipt, ADMIT, Memory(), execute=True)
    assert runs.retire(admission).retire_ready
    assert kinds(ledger)[-1] == "evidence.retired"


@pytest.mark.parametrize("count", [1024, 1025, 3000])
def test_more_damage_than_a_readback_holds_is_counted_and_stops_no_life(
    ledger: SqliteLedger, count: int
) -> None:
    class Damaged(Memory):
        def damaged(self, plan_id: str) -> list[WriteBlocker]:
            assert plan_id
            return [WriteBlocker(source_ref=None, code="damaged", reason=str(n)) for n in range(count)]

    runs, plan, receipt = begun(ledger)
    admission = runs.admit(plan, receipt, ADMIT)
    listed = runs.readback(plan, receipt, ADMIT, Damaged(), execute=True).write_blockers
    assert len(listed) == 1024
    assert listed[-1].reason == ("1023" if count == 1024 else f"{count - 1023} more are not listed")
    assert runs.retire(admission).retire_ready


@pytest.mark.req("coverage-before-retirement")
def test_coverage_of_a_decision_does_not_count_for_the_one_that_superseded_it(ledger: SqliteLedger) -> None:
    runs, plan, receipt = begun(ledger)
    runs.admit(plan, receipt, ADMIT)
    assert covered(runs.readback(plan, receipt, ADMIT, Memory(), execute=True))
    same_refs = ADMIT.replace(reason="the same sources for another reason")
    second = runs.admit(plan, receipt, same_refs, supersede=True)
    assert runs.retire(second).missing_downstream_source_refs == ADMIT.admitted_source_refs
    assert covered(runs.readback(plan, receipt, same_refs, Memory(), execute=True))
    assert runs.retire(second).retire_ready


@pytest.mark.req("coverage-before-retirement")
def test_coverage_that_was_lost_again_does_not_retire(ledger: SqliteLedger) -> None:
    runs, plan, receipt = begun(ledger)
    admission = runs.admit(plan, receipt, ADMIT)
    sink = Memory()
    assert covered(runs.readback(plan, receipt, ADMIT, sink, execute=True))
    sink.rows.clear()
    assert not covered(runs.readback(plan, receipt, ADMIT, sink))
    assert not runs.retire(admission).retire_ready


def test_nothing_follows_retirement(ledger: SqliteLedger) -> None:
    runs, plan, receipt = begun(ledger)
    admission = runs.admit(plan, receipt, ADMIT)
    runs.readback(plan, receipt, ADMIT, Memory(), execute=True)
    runs.retire(admission)
    before = kinds(ledger)
    fresh = honest(plan, runs.clock(), summary="found later")
    for step in (
        lambda: runs.execute(plan),
        lambda: runs.receipt(plan, fresh),
        lambda: runs.admit(plan, receipt, OTHER),
        lambda: runs.admit(plan, receipt, OTHER, supersede=True),
    ):
        with refused("nothing-after-retirement"):
            step()
    assert not covered(runs.readback(plan, receipt, ADMIT, Memory()))
    assert runs.retire(admission).retire_ready
    assert kinds(ledger) == before


def test_two_plans_live_side_by_side(ledger: SqliteLedger) -> None:
    runs = engine(ledger=ledger)
    plans = [runs.plan(request(question)) for question in ("坡道坡度?", "扶手高度?")]
    receipts = [runs.execute(plan).receipt for plan in reversed(plans)][::-1]
    pairs = list(zip(plans, receipts, strict=True))
    admissions = [runs.admit(plan, receipt, ADMIT) for plan, receipt in pairs]
    sink = Memory()
    for plan, receipt in reversed(pairs):
        assert covered(runs.readback(plan, receipt, ADMIT, sink, execute=True))
    assert all(runs.retire(admission).retire_ready for admission in admissions)
    with pytest.raises(MismatchError, match=r"receipt\.plan_id"):
        runs.admit(plans[0], receipts[1], ADMIT)


def test_two_receipts_of_one_plan_are_decided_apart(ledger: SqliteLedger) -> None:
    runs, plan, first = begun(ledger)
    second = runs.execute(plan).receipt
    assert first != second
    admission = runs.admit(plan, first, ADMIT)
    rejection = runs.admit(plan, second, REJECT)
    assert runs.retire(rejection).retire_ready
    assert covered(runs.readback(plan, first, ADMIT, Memory(), execute=True))
    assert runs.retire(admission).retire_ready
    assert kinds(ledger).count("evidence.retired") == 2


def test_a_readback_without_a_decision_shows_the_receipt_and_records_nothing(ledger: SqliteLedger) -> None:
    runs, plan, receipt = begun(ledger)
    result = runs.readback(plan, receipt, None, Memory())
    assert (result.parent_admission, result.retirement) == (None, None)
    assert kinds(ledger) == WHOLE[:5]


@pytest.mark.req("admission-tamper")
def test_a_stated_admission_that_differs_is_refused_before_anything_is_written(ledger: SqliteLedger) -> None:
    runs, plan, receipt = begun(ledger)
    admission = runs.admit(plan, receipt, ADMIT)
    sink = Memory()
    with pytest.raises(MismatchError, match=r"admission\.reason"):
        runs.readback(plan, receipt, ADMIT, sink, execute=True, stated=admission.replace(reason="other"))
    with pytest.raises(MismatchError):
        runs.retire(admission.replace(reason="other"))
    assert sink.rows == {}


def test_records_of_kinds_that_the_engine_does_not_know_do_not_stop_it(ledger: SqliteLedger) -> None:
    runs, plan, receipt = begun(ledger)
    with ledger.write() as writer:
        subject = Subject(plan_id=plan.plan_id)
        writer.append(
            Draft("policy.changed", "tester", "change", subject, "policy_v0", digest_bytes(b"x"), b"{}")
        )
    assert runs.admit(plan, receipt, ADMIT).admission_id
    with ledger.read() as reader:
        assert len(replay(reader).uninterpreted) == 1


def test_a_step_on_a_life_whose_body_is_gone_is_refused(tmp_path: Path) -> None:
    kept = open_ledger(tmp_path / "l.sqlite3")
    runs, plan, receipt = begun(kept)
    body = plan.canonical()
    with kept.write() as writer:
        writer._rows("DELETE FROM bodies WHERE bytes = ?", body)
    with pytest.raises(IntegrityError, match=f"has no body {digest_bytes(body)}"):
        runs.admit(plan, receipt, ADMIT)


@given(lives())
def test_any_life_that_the_rules_allow_can_be_retired(life: Life) -> None:
    runs = engine()
    sink = Memory()
    result = runs.readback(life.plan, life.receipt, life.decision, sink, execute=True, stated=life.admission)
    assert covered(result)
    assert runs.retire(life.admission, result.downstream_source_refs).retire_ready


def test_ids_of_two_ledgers_are_the_same(tmp_path: Path) -> None:
    heads = set()
    for name in ("one", "two"):
        kept = open_ledger(tmp_path / f"{name}.sqlite3")
        begun(kept)
        with kept.read() as reader:
            head = reader.head()
        assert head is not None
        heads.add(head.id)
        kept.close()
    assert len(heads) == 1
