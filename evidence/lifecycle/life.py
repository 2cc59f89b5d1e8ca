"""The order of a plan's life: which step may follow which (lifecycle.md section 10, ledger.md section 4).

The engine asks these rules before it appends; the audit asks the same rules of what was appended.
Artifacts come in already verified by their own verb; here only their order and lineage is judged.
"""

from evidence.lifecycle.retire import verdict
from schemas.admission import Admission
from schemas.errors import OrderError
from schemas.plan import Plan
from schemas.provider import Discovery
from schemas.readback import Readback
from schemas.receipt import Receipt
from schemas.retirement import Retirement


# No dataclasses here: to make one takes longer than to take a life through it.
class ReceiptLife:
    """One receipt of a plan: the decision in force, what was read back for it, and its retirement."""

    def __init__(self, receipt: Receipt) -> None:
        self.receipt = receipt
        self.history: list[str] = []
        self.in_force: Admission | None = None
        self.superseding: str | None = None
        self.readback: Readback | None = None
        self.projections = 0
        self.retired = False

    @property
    def covered(self) -> frozenset[str]:
        """The refs that were last read back for the decision in force."""
        return frozenset(self.readback.downstream_source_refs if self.readback else ())


class PlanLife:
    """One plan from its creation to the retirement of its evidence."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.attempts = 0
        self.running: set[int] = set()
        self.delivered: dict[str, str] = {}
        self.receipts: dict[str, ReceiptLife] = {}
        self.unseen_retirement = False

    @property
    def retired(self) -> bool:
        """Whether any evidence of this plan was retired: then nothing new may be gathered for it.

        Of a receipt that was erased only the kind of the record tells (`unseen_retirement`).
        """
        return self.unseen_retirement or any(life.retired for life in self.receipts.values())

    def start_execution(self, attempt: int) -> None:
        """A provider is about to run; an attempt that never finished may be followed by the next."""
        self._refuse_after_retirement("an execution")
        if self.plan.status != "ready":
            raise _refusal("execution-needs-ready-plan", self.plan.plan_id, f"the plan is {self.plan.status}")
        if attempt != self.attempts + 1:
            raise _refusal(
                "attempts-count-up", self.plan.plan_id, f"attempt {attempt} follows attempt {self.attempts}"
            )
        self.attempts = attempt
        self.running.add(attempt)

    def finish_execution(self, attempt: int, receipt_digest: str, receipt_status: str) -> None:
        """The provider came back with a receipt, which was observed before or is observed next."""
        if attempt not in self.running:
            raise _refusal(
                "finish-needs-start", self.plan.plan_id, f"attempt {attempt} finished but was not running"
            )
        self.running.remove(attempt)
        known = self.receipts.get(receipt_digest)
        if known is None:
            self.delivered[receipt_digest] = receipt_status
        else:
            _refuse_other_status(known.receipt, receipt_digest, receipt_status)

    def observe_receipt(self, receipt_digest: str, receipt: Receipt) -> None:
        """A receipt bound to this plan is seen for the first time."""
        self._refuse_after_retirement("a receipt")
        if receipt_digest in self.receipts:
            raise _refusal("receipt-once", receipt_digest, "the receipt was already observed")
        _refuse_other_status(receipt, receipt_digest, self.delivered.pop(receipt_digest, receipt.status))
        self.receipts[receipt_digest] = ReceiptLife(receipt)

    def of_receipt(self, receipt_digest: str) -> ReceiptLife:
        """The life of an observed receipt; no admission without its receipt."""
        life = self.receipts.get(receipt_digest)
        if life is None:
            raise _refusal(
                "receipt-before-admission",
                receipt_digest,
                "the receipt was not observed for this plan",
                "only what `execute` brought, or `receipt` was given by the provider's owner, can be decided",
            )
        return life

    def supersede(self, old: Admission, new_admission_id: str) -> None:
        """The decision in force is about to be replaced by `new_admission_id`."""
        life = self.of_receipt(old.receipt_digest)
        _refuse_retired(life, old.receipt_digest)
        if life.in_force is None or life.in_force.admission_id != old.admission_id:
            raise _refusal("supersede-in-force", old.admission_id, "the superseded decision is not in force")
        if new_admission_id == old.admission_id:
            raise _refusal("supersede-other", old.admission_id, "a decision cannot supersede itself")
        life.in_force = None
        life.readback = None
        life.superseding = new_admission_id

    def decide(self, admission: Admission) -> None:
        """A decision comes into force; a second, different one must have superseded the first."""
        life = self.of_receipt(admission.receipt_digest)
        _refuse_retired(life, admission.receipt_digest)
        if life.in_force is not None:
            raise _refusal(
                "one-decision-in-force",
                admission.receipt_digest,
                f"decision {life.in_force.admission_id} is in force for this receipt",
                "say --supersede to replace it",
            )
        if life.superseding is not None and admission.admission_id != life.superseding:
            raise _refusal(
                "supersede-names-successor", admission.admission_id, f"{life.superseding} was to follow"
            )
        life.superseding = None
        life.in_force = admission
        life.history.append(admission.admission_id or "")

    def project(self, readback: Readback) -> None:
        """Coverage was read back from a sink for the decision in force."""
        stated = readback.parent_admission
        admission = self.of_admission(None if stated is None else stated.admission_id)
        life = self.of_receipt(admission.receipt_digest)
        _refuse_retired(life, admission.receipt_digest)
        life.readback = readback
        life.projections += 1

    def retire(self, retirement: Retirement) -> None:
        """The evidence retires: rejected, or every admitted source was read back from downstream."""
        admission = self.of_admission(retirement.admission_id)
        life = self.of_receipt(admission.receipt_digest)
        _refuse_retired(life, admission.receipt_digest)
        if admission.disposition == "admit" and life.readback is None:
            raise _refusal(
                "coverage-before-retirement",
                retirement.admission_id,
                "coverage was never read back for this decision",
                "run `readback --execute` first",
            )
        expected = verdict(admission, life.covered)
        if retirement != expected or not retirement.retire_ready:
            missing = ", ".join(expected.missing_downstream_source_refs)
            raise _refusal(
                "coverage-before-retirement",
                retirement.admission_id,
                f"not read back from downstream: {missing}",
            )
        life.retired = True

    def of_admission(self, admission_id: str | None) -> Admission:
        """The decision in force of that id; a decision unknown or superseded is refused."""
        for life in self.receipts.values():
            if life.in_force is not None and life.in_force.admission_id == admission_id:
                return life.in_force
        known = any(admission_id in life.history for life in self.receipts.values())
        raise _refusal(
            "decision-in-force",
            admission_id or self.plan.plan_id,
            "the decision was superseded" if known else "the decision was never recorded for this plan",
        )

    def _refuse_after_retirement(self, what: str) -> None:
        if self.retired:
            raise _refusal(
                "nothing-after-retirement",
                self.plan.plan_id,
                f"{what} cannot follow the retirement of this plan's evidence",
                "ask again with a new plan: say the new occasion in the request, for example as a constraint",
            )


class LedgerLife:
    """All plans of one ledger, and the provider readiness that was last observed."""

    def __init__(self) -> None:
        self.observed: Discovery | None = None
        self.plans: dict[str, PlanLife] = {}

    def create_plan(self, plan: Plan) -> None:
        """A plan may only select from the rows that were observed last."""
        plan_id = plan.plan_id or ""
        if plan_id in self.plans:
            raise _refusal("plan-once", plan_id, "the plan was already created")
        if self.observed is None or self.observed.providers != plan.provider_candidates:
            raise _refusal(
                "plan-from-observed-rows", plan_id, "the plan's candidates are not the rows observed last"
            )
        self.plans[plan_id] = PlanLife(plan)

    def of_plan(self, plan_id: str | None) -> PlanLife:
        """The life of a recorded plan; nothing happens without its plan."""
        life = self.plans.get(plan_id or "")
        if life is None:
            raise _refusal(
                "plan-first", plan_id, "the plan was never recorded", "record it first with `plan`"
            )
        return life


def _refuse_other_status(receipt: Receipt, receipt_digest: str, stated: str) -> None:
    if receipt.status != stated:
        raise _refusal(
            "execution-states-its-receipt",
            receipt_digest,
            f"the receipt is {receipt.status}; the execution that delivered it stated {stated}",
        )


def _refuse_retired(life: ReceiptLife, receipt_digest: str) -> None:
    if life.retired:
        raise _refusal("nothing-after-retirement", receipt_digest, "the evidence of this receipt is retired")


def _refusal(rule: str, subject: str | None, what: str, hint: str | None = None) -> OrderError:
    return OrderError(f"{subject}: {what}", rule=rule, subject=subject, hint=hint)
