"""The order of a life, asked of the state machine itself (lifecycle.md section 10)."""

from collections.abc import Callable

import pytest

from evidence.lifecycle.admit import admit
from evidence.lifecycle.discover import discover
from evidence.lifecycle.interpret import STEPS, interpret
from evidence.lifecycle.life import LedgerLife, PlanLife
from evidence.lifecycle.plan import plan
from evidence.lifecycle.retire import retire
from schemas.admission import Admission, Decision
from schemas.canonical import digest
from schemas.errors import EvidenceError, InvalidError, MismatchError, OrderError
from schemas.ledger import KINDS, Execution, Supersession
from schemas.plan import Plan
from schemas.receipt import Receipt
from tests.world import REFS, honest, request, row

PLAN = plan(request(), [row()])
RECEIPT = honest(PLAN)
FAILED = honest(PLAN, refs=(), status="failed")
DIGEST = RECEIPT.digest()


def decided(reason: str = "fits") -> Admission:
    return admit(PLAN, RECEIPT, Decision(disposition="admit", reason=reason, admitted_source_refs=REFS))


def lived(admission: Admission | None = None) -> PlanLife:
    """A life up to its receipt, or to that decision."""
    life = PlanLife(PLAN)
    life.observe_receipt(DIGEST, RECEIPT)
    if admission is not None:
        life.decide(admission)
    return life


def recorded(made: Plan = PLAN) -> LedgerLife:
    life = LedgerLife()
    interpret(life, "provider.observed", discover(made.provider_candidates).to_wire())
    interpret(life, "plan.created", made.to_wire())
    return life


def execution(
    state: str, attempt: int = 1, answer: Receipt = RECEIPT, **changes: object
) -> dict[str, object]:
    finished = state == "finished"
    wire = Execution(
        plan_id=PLAN.plan_id or "",
        provider_id="method:world",
        attempt=attempt,
        state=state,
        provider=None if finished else row(),
        receipt_status=answer.status if finished else None,
        receipt_digest=answer.digest() if finished else None,
    ).to_wire()
    return {**wire, **changes}


def rule(call: Callable[[], object]) -> str:
    with pytest.raises(OrderError) as caught:
        call()
    assert caught.value.subject
    assert caught.value.message.startswith(caught.value.subject)
    return caught.value.rule


def test_a_plan_is_made_once_and_from_the_rows_observed_last() -> None:
    assert rule(lambda: LedgerLife().create_plan(PLAN)) == "plan-from-observed-rows"
    life = recorded()
    assert rule(lambda: life.create_plan(PLAN)) == "plan-once"
    life.observed = discover([row(ready=False)])
    assert rule(lambda: life.create_plan(plan(request("another"), [row()]))) == "plan-from-observed-rows"


def test_nothing_happens_without_its_plan() -> None:
    for kind in STEPS.keys() - {"provider.observed", "plan.created"}:
        with pytest.raises(EvidenceError):
            interpret(LedgerLife(), kind, {})
    life = LedgerLife()
    assert rule(lambda: interpret(life, "execution.started", execution("started"))) == "plan-first"
    assert rule(lambda: interpret(life, "receipt.observed", RECEIPT.to_wire())) == "plan-first"
    assert rule(lambda: interpret(life, "admission.decided", decided().to_wire())) == "plan-first"
    assert rule(lambda: interpret(life, "evidence.retired", retire(decided()).to_wire())) == "plan-first"


def test_only_a_ready_plan_is_executed() -> None:
    blocked = PlanLife(plan(request(), [row(ready=False)]))
    assert rule(lambda: blocked.start_execution(1)) == "execution-needs-ready-plan"


def test_attempts_count_up_and_an_unfinished_one_may_be_followed() -> None:
    life = PlanLife(PLAN)
    assert rule(lambda: life.start_execution(2)) == "attempts-count-up"
    life.start_execution(1)
    assert rule(lambda: life.start_execution(1)) == "attempts-count-up"
    life.start_execution(2)
    life.finish_execution(2, DIGEST, "succeeded")
    life.finish_execution(1, DIGEST, "succeeded")
    assert rule(lambda: life.finish_execution(1, DIGEST, "succeeded")) == "finish-needs-start"
    assert rule(lambda: life.finish_execution(3, DIGEST, "succeeded")) == "finish-needs-start"


def test_an_execution_states_the_receipt_that_it_delivered() -> None:
    life = PlanLife(PLAN)
    for attempt in (1, 2):
        life.start_execution(attempt)
    life.finish_execution(1, DIGEST, "no_evidence")
    assert rule(lambda: life.observe_receipt(DIGEST, RECEIPT)) == "execution-states-its-receipt"
    known = lived()
    known.start_execution(1)
    assert rule(lambda: known.finish_execution(1, DIGEST, "failed")) == "execution-states-its-receipt"


@pytest.mark.parametrize(
    ("kind", "wire", "field"),
    [
        ("execution.started", execution("finished"), "execution.state"),
        ("execution.finished", execution("started"), "execution.state"),
        ("execution.finished", execution("finished", provider_id="method:else"), "execution.provider_id"),
        (
            "execution.started",
            execution("started", provider=row(kind="connector").to_wire()),
            "execution.provider.provider_kind",
        ),
    ],
    ids=["finished as started", "started as finished", "another provider", "another kind"],
)
def test_an_execution_is_of_its_kind_and_of_the_selected_provider(
    kind: str, wire: dict[str, object], field: str
) -> None:
    with pytest.raises(MismatchError) as caught:
        interpret(recorded(), kind, wire)
    assert caught.value.subject == field


def test_a_receipt_is_observed_once() -> None:
    assert rule(lambda: lived().observe_receipt(DIGEST, RECEIPT)) == "receipt-once"


def test_no_admission_without_its_receipt() -> None:
    assert rule(lambda: PlanLife(PLAN).decide(decided())) == "receipt-before-admission"


def test_one_decision_is_in_force_and_another_supersedes_it_by_name() -> None:
    first, second, third = decided(), decided("second"), decided("third")
    life = lived(first)
    assert rule(lambda: life.decide(second)) == "one-decision-in-force"
    assert rule(lambda: life.supersede(second, third.admission_id or "")) == "supersede-in-force"
    assert rule(lambda: life.supersede(first, first.admission_id or "")) == "supersede-other"
    life.supersede(first, second.admission_id or "")
    assert rule(lambda: life.supersede(first, third.admission_id or "")) == "supersede-in-force"
    assert rule(lambda: life.decide(third)) == "supersede-names-successor"
    life.decide(second)
    assert life.of_admission(second.admission_id) == second
    assert rule(lambda: life.of_admission(first.admission_id)) == "decision-in-force"
    assert rule(lambda: life.of_admission(None)) == "decision-in-force"


@pytest.mark.req("coverage-before-retirement")
def test_no_retirement_before_coverage_was_read_back() -> None:
    life, verdict = lived(decided()), retire(decided(), REFS)
    assert rule(lambda: life.retire(verdict)) == "coverage-before-retirement"
    assert rule(lambda: life.retire(retire(decided()))) == "coverage-before-retirement"


def test_a_supersession_of_itself_cannot_be_stated() -> None:
    admission_id = decided().admission_id or ""
    with pytest.raises(InvalidError, match=r"supersession\.admission_id cannot supersede itself"):
        Supersession(
            plan_id=PLAN.plan_id or "", superseded_admission_id=admission_id, admission_id=admission_id
        )


def test_a_discovery_follows_from_its_rows() -> None:
    wire = discover([row()]).to_wire()
    with pytest.raises(MismatchError, match="does not follow from its own providers"):
        interpret(LedgerLife(), "provider.observed", {**wire, "status": "empty"})


@pytest.mark.req("admission-tamper")
def test_an_admission_follows_from_its_plan_and_receipt() -> None:
    life = recorded()
    interpret(life, "receipt.observed", RECEIPT.to_wire())
    made_up = decided().downstream_projection.replace(summary="another summary")
    wire = decided().replace(downstream_projection=made_up).to_wire()
    del wire["admission_id"]
    with pytest.raises(MismatchError, match="admission does not follow from its plan and receipt"):
        interpret(life, "admission.decided", {**wire, "admission_id": digest(wire)})


def test_what_is_recorded_is_the_normalised_form() -> None:
    life = recorded()
    wire = RECEIPT.to_wire()
    for change in ({"summary": " 3 found"}, {"limitations": None}):
        with pytest.raises(EvidenceError):
            interpret(life, "receipt.observed", {**wire, **change})
    del wire["limitations"]
    with pytest.raises(MismatchError, match="receipt is not written in its normalised form"):
        interpret(life, "receipt.observed", wire)
    assert interpret(life, "receipt.observed", RECEIPT.to_wire()).receipt_digest == DIGEST


def test_every_step_is_a_kind_of_record() -> None:
    assert set(STEPS) <= set(KINDS)
    assert FAILED.status == "failed"
