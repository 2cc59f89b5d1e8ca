"""Read one ledger record's artifact, verify it by its own verb, and let the life it belongs to go on.

This is the whole state machine of ledger.md section 4: the engine runs it before it appends, the audit
runs it over stored bytes. `interpret` raises EvidenceError for whatever does not hold.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

from evidence.lifecycle.admit import admit, verify_admission
from evidence.lifecycle.discover import discover
from evidence.lifecycle.life import LedgerLife, PlanLife
from evidence.lifecycle.plan import verify_plan
from evidence.lifecycle.readback import held_of, readback
from evidence.lifecycle.receipt import bind
from schemas.admission import Admission, Decision
from schemas.errors import MismatchError
from schemas.ledger import Execution, ProviderCall, Subject, Supersession
from schemas.plan import Plan
from schemas.provider import Discovery
from schemas.readback import Readback
from schemas.receipt import Receipt
from schemas.record import Record
from schemas.retirement import Retirement

R = TypeVar("R", bound=Record)


def _read(kind: type[R], artifact: object) -> R:
    """The record that `artifact` states; what was recorded is the normalised form, nothing else."""
    stated = kind.read(artifact)
    if stated.to_wire() != artifact:
        raise MismatchError(f"{kind.SUBJECT} is not written in its normalised form", subject=kind.SUBJECT)
    return stated


def _observe_providers(life: LedgerLife, artifact: object) -> Subject:
    stated = _read(Discovery, artifact)
    if stated != discover(stated.providers):
        raise MismatchError("discovery does not follow from its own providers", subject="discovery")
    life.observed = stated
    return Subject()


def _create_plan(life: LedgerLife, artifact: object) -> Subject:
    plan = _read(Plan, artifact)
    verify_plan(plan)
    life.create_plan(plan)
    return plan_subject(plan)


def _start_execution(life: LedgerLife, artifact: object) -> Subject:
    execution, plan_life = _execution(life, artifact, "started")
    plan_life.start_execution(execution.attempt)
    return plan_subject(plan_life.plan)


def _finish_execution(life: LedgerLife, artifact: object) -> Subject:
    execution, plan_life = _execution(life, artifact, "finished")
    digest = execution.receipt_digest or ""
    plan_life.finish_execution(execution.attempt, digest, execution.receipt_status or "")
    return receipt_subject(plan_life.plan, digest)


def _execution(life: LedgerLife, artifact: object, state: str) -> tuple[Execution, PlanLife]:
    execution = _read(Execution, artifact)
    plan_life = life.of_plan(execution.plan_id)
    selected = plan_life.plan.selected_provider
    if execution.state != state:
        raise MismatchError(f"execution.state is {execution.state}, not {state}", subject="execution.state")
    if selected is None or execution.provider_id != selected.provider_id:
        raise MismatchError(
            "execution.provider_id is not the selected provider", subject="execution.provider_id"
        )
    if execution.provider is not None and execution.provider.provider_kind != selected.provider_kind:
        raise MismatchError(
            f"execution.provider is a {execution.provider.provider_kind}; the selected provider is a "
            f"{selected.provider_kind}",
            subject="execution.provider.provider_kind",
        )
    return execution, plan_life


def _observe_receipt(life: LedgerLife, artifact: object) -> Subject:
    receipt = _read(Receipt, artifact)
    plan_life = life.of_plan(receipt.plan_id)
    digest = receipt.digest(bind(plan_life.plan, receipt))
    plan_life.observe_receipt(digest, receipt)
    return receipt_subject(plan_life.plan, digest)


def _supersede(life: LedgerLife, artifact: object) -> Subject:
    supersession = _read(Supersession, artifact)
    plan_life = life.of_plan(supersession.plan_id)
    old = plan_life.of_admission(supersession.superseded_admission_id)
    plan_life.supersede(old, supersession.admission_id)
    return admission_subject(old)


def _decide(life: LedgerLife, artifact: object) -> Subject:
    stated = _read(Admission, artifact)
    verify_admission(stated)
    plan_life = life.of_plan(stated.plan_id)
    receipt = plan_life.of_receipt(stated.receipt_digest).receipt
    if stated != admit(plan_life.plan, receipt, decision_of(stated)):
        raise MismatchError("admission does not follow from its plan and receipt", subject="admission")
    plan_life.decide(stated)
    return admission_subject(stated)


def _project(life: LedgerLife, artifact: object) -> Subject:
    stated = _read(Readback, artifact)
    plan_life = life.of_plan(stated.plan_id)
    parent = stated.parent_admission
    admission = plan_life.of_admission(None if parent is None else parent.admission_id)
    receipt = plan_life.of_receipt(admission.receipt_digest).receipt
    held = [
        held_of(admission, source)
        for source in admission.downstream_projection.sources
        if source.source_ref in stated.downstream_source_refs
    ]
    expected = readback(plan_life.plan, receipt, decision_of(admission), held, stated.write_blockers)
    if stated != expected:
        raise MismatchError(
            "readback does not follow from its plan, receipt and admission", subject="readback"
        )
    plan_life.project(stated)
    return admission_subject(admission)


def _retire(life: LedgerLife, artifact: object) -> Subject:
    retirement = _read(Retirement, artifact)
    plan_life = life.of_plan(retirement.plan_id)
    admission = plan_life.of_admission(retirement.admission_id)
    plan_life.retire(retirement)
    return admission_subject(admission)


def _call_provider(_life: LedgerLife, artifact: object) -> Subject:
    """A host's audit event is of no plan's life (EXT-20 section 4.3); it only has to be one."""
    _read(ProviderCall, artifact)
    return Subject()


STEPS: Mapping[str, Callable[[LedgerLife, object], Subject]] = {
    "provider.observed": _observe_providers,
    "plan.created": _create_plan,
    "execution.started": _start_execution,
    "execution.finished": _finish_execution,
    "receipt.observed": _observe_receipt,
    "admission.superseded": _supersede,
    "admission.decided": _decide,
    "projection.observed": _project,
    "evidence.retired": _retire,
    "provider.called": _call_provider,
}


def interpret(life: LedgerLife, kind: str, artifact: object) -> Subject:
    """Take one step of `life`; the subject ids that a record of this step must carry.

    `kind` is one of STEPS. Raises MismatchError or OrderError naming field or rule.
    """
    return STEPS[kind](life, artifact)


def plan_subject(plan: Plan) -> Subject:
    """The ids that name a plan."""
    return Subject(request_id=plan.request.request_id, plan_id=plan.plan_id)


def receipt_subject(plan: Plan, receipt_digest: str) -> Subject:
    """The ids that name a receipt and its plan."""
    return plan_subject(plan).replace(receipt_digest=receipt_digest)


def admission_subject(admission: Admission) -> Subject:
    """The ids that name a decision and all before it."""
    return Subject(
        request_id=admission.request_id,
        plan_id=admission.plan_id,
        receipt_digest=admission.receipt_digest,
        admission_id=admission.admission_id,
    )


def decision_of(admission: Admission) -> Decision:
    """The decision that made `admission`."""
    return Decision(
        disposition=admission.disposition,
        reason=admission.reason,
        admitted_source_refs=admission.admitted_source_refs,
    )
