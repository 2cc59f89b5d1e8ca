"""The steps of a life by their bytes: what can only be one text is made and compared whole.

An honest artifact mostly repeats what was verified before it. Here its expected bytes are made of those
parts and of the few words that are its own, and compared with the stored ones. Where they are equal, the step
is taken exactly as `interpret` takes it; where anything is otherwise, nothing was done and `interpret` has
the word, so that findings come from one place.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

import orjson

from evidence.lifecycle.interpret import interpret
from evidence.lifecycle.life import LedgerLife, PlanLife, ReceiptLife
from evidence.lifecycle.plan import fitting
from evidence.replay import wires
from evidence.replay.wires import Wire
from schemas.admission import ADMISSION, Admission, Decision, Projection
from schemas.canonical import LARGEST_INTEGER, algorithm_of, canonical_record, digest_bytes, is_digest
from schemas.errors import EvidenceError, InvalidError, OrderError
from schemas.ledger import EXECUTION, SUPERSESSION, Subject
from schemas.outside import MAX_BYTES
from schemas.plan import BLOCKERS, PLAN, RECEIPT, ExecutionEnvelope, Plan
from schemas.provider import Discovery
from schemas.readback import READBACK, ParentAdmission, Readback
from schemas.receipt import STATUSES, Receipt
from schemas.record import Record, RuleError
from schemas.request import Request
from schemas.retirement import RETIREMENT, Retirement

SCHEMAS: Mapping[str, str] = {
    "plan.created": PLAN,
    "execution.started": EXECUTION,
    "execution.finished": EXECUTION,
    "receipt.observed": RECEIPT,
    "admission.superseded": SUPERSESSION,
    "admission.decided": ADMISSION,
    "projection.observed": READBACK,
    "evidence.retired": RETIREMENT,
}
R = TypeVar("R", bound=Record)
_REASON = next(spec.rule for spec in Decision.FIELDS if spec.name == "reason")


class Rows:
    """An observation, and its rows as they are written."""

    def __init__(self, discovery: Discovery) -> None:
        self.discovery = discovery
        self.wires = [row.to_wire() for row in discovery.providers]


class Swift:
    """The life of one plan, beside what its verified artifacts look like as they are written."""

    def __init__(self, plan_id: str, life: LedgerLife) -> None:
        self._plan_id = plan_id
        self._life = life
        self._plan: Wire = {}
        self._subject = Subject()
        self._receipts: dict[str, Wire] = {}
        self._admissions: dict[str, Wire] = {}
        self.rows: Rows | None = None

    def step(self, kind: str, body: bytes) -> Subject | None:
        """Take one step; None, and nothing was done, when `interpret` must look at it.

        OrderError: as `interpret`.
        """
        if len(body) > MAX_BYTES:
            return None
        try:
            value = orjson.loads(body)
        except orjson.JSONDecodeError:
            return None
        if not isinstance(value, dict) or value.get("plan_id") != self._plan_id:
            return None
        known = _KNOWN.get(kind)
        subject = None if known is None else known(self, value, body)
        return self._interpreted(kind, value, body) if subject is None else subject

    def _interpreted(self, kind: str, value: Wire, body: bytes) -> Subject | None:
        if canonical_record(value) != body:
            return None
        try:
            return interpret(self._life, kind, value)
        except OrderError:
            raise
        except EvidenceError:
            return None

    def create(self, value: Wire, body: bytes) -> Subject | None:
        """A plan over the rows that were observed last: only its request is its own."""
        rows = self.rows
        if rows is None or not is_digest(self._plan_id):
            return None
        try:
            request = Request.read(value.get("request"))
        except InvalidError:
            return None
        chosen = wires.chosen(rows.wires, value.get("selected_provider"))
        blocker = value.get("blocker")
        selected = None if chosen is None else rows.discovery.providers[chosen]
        if blocker not in (None, *BLOCKERS) or not fitting(blocker, selected, rows.discovery.providers):
            return None
        row = None if chosen is None else rows.wires[chosen]
        wire = wires.plan(request.to_wire(), rows.wires, row, blocker, algorithm_of(self._plan_id))
        if wire["plan_id"] != self._plan_id or canonical_record(wire) != body:
            return None
        envelope = wire["execution_envelope"]
        plan = _proven(
            Plan,
            {
                **wire,
                "request": request,
                "provider_candidates": rows.discovery.providers,
                "selected_provider": selected,
                "execution_envelope": envelope and _proven(ExecutionEnvelope, envelope),
            },
        )
        self._life.create_plan(plan)
        self._plan = wire
        self._subject = self._subject_of()
        return self._subject

    def start(self, value: Wire, body: bytes) -> Subject | None:
        """A start of the provider that the plan selected, seen as it was then."""
        plan = self._ready()
        attempt = value.get("attempt")
        if plan is None or type(attempt) is not int or not 1 <= attempt <= LARGEST_INTEGER:
            return None
        if canonical_record(wires.execution(self._plan, attempt)) != body:
            return None
        plan.start_execution(attempt)
        return self._subject

    def finish(self, value: Wire, body: bytes) -> Subject | None:
        """The end of an execution."""
        plan = self._ready()
        attempt, status, digest = (
            value.get(name) for name in ("attempt", "receipt_status", "receipt_digest")
        )
        if plan is None or type(attempt) is not int or not 1 <= attempt <= LARGEST_INTEGER:
            return None
        if status not in STATUSES or not isinstance(digest, str) or not is_digest(digest):
            return None
        if canonical_record(wires.execution(self._plan, attempt, status, digest)) != body:
            return None
        plan.finish_execution(attempt, digest, status)
        return self._subject_of(digest)

    def receive(self, value: Wire, body: bytes) -> Subject | None:
        """A receipt, which is all its own and is read as a whole."""
        plan = self._ready()
        if plan is None:
            return None
        try:
            receipt = Receipt.read(value)
        except InvalidError:
            return None
        if canonical_record(receipt.to_wire()) != body or not wires.answers(receipt, self._plan):
            return None
        digest = digest_bytes(body, algorithm_of(self._plan_id))
        plan.observe_receipt(digest, receipt)
        self._receipts[digest] = value
        return self._subject_of(digest)

    def decide(self, value: Wire, body: bytes) -> Subject | None:
        """A decision: a disposition, a reason and refs on a receipt; the rest is the receipt's."""
        digest, plan = str(value.get("receipt_digest")), self._ready()
        stated = self._receipts.get(digest)
        if plan is None or stated is None or not _is_reason(value.get("reason")):
            return None
        wire = wires.admission(self._plan, stated, digest, value, algorithm_of(self._plan_id))
        if wire is None or canonical_record(wire) != body:
            return None
        admission = _admission(wire, plan.receipts[digest].receipt)
        plan.decide(admission)
        self._admissions[str(admission.admission_id)] = wire
        return self._subject_of(admission.receipt_digest, admission.admission_id)

    def project(self, value: Wire, body: bytes) -> Subject | None:
        """What was read back: the covered refs are its own, the rest is known."""
        parent = value.get("parent_admission")
        found = self._in_force(parent.get("admission_id") if isinstance(parent, dict) else None)
        if found is None:
            return None
        plan, receipt, admission, wire = found
        covered = wires.covered(wire, value.get("downstream_source_refs"))
        if covered is None:
            return None
        stated = self._receipts[admission.receipt_digest]
        expected = wires.readback(self._plan, stated, wire, covered)
        if canonical_record(expected) != body:
            return None
        plan.project(_readback(expected, plan.plan.request, receipt.receipt))
        return self._subject_of(admission.receipt_digest, admission.admission_id)

    def retire(self, value: Wire, body: bytes) -> Subject | None:
        """A verdict, which follows from what was read back last."""
        found = self._in_force(value.get("admission_id"))
        if found is None:
            return None
        plan, receipt, admission, wire = found
        expected = wires.retirement(wire, receipt.covered)
        if canonical_record(expected) != body:
            return None
        plan.retire(_retirement(expected))
        return self._subject_of(admission.receipt_digest, admission.admission_id)

    def _subject_of(self, receipt: str | None = None, admission: str | None = None) -> Subject:
        ids = {"request_id": self._plan["request"]["request_id"], "plan_id": self._plan_id}
        return _proven(Subject, {**ids, "receipt_digest": receipt, "admission_id": admission})

    def _ready(self) -> PlanLife | None:
        """The plan, where it was made here and is ready."""
        found = self._life.plans.get(self._plan_id)
        return found if found is not None and self._plan.get("status") == "ready" else None

    def _in_force(self, admission_id: object) -> tuple[PlanLife, ReceiptLife, Admission, Wire] | None:
        plan, wire = self._ready(), self._admissions.get(str(admission_id))
        if plan is None or wire is None:
            return None
        for receipt in plan.receipts.values():
            if receipt.in_force is not None and receipt.in_force.admission_id == admission_id:
                return plan, receipt, receipt.in_force, wire
        return None


_KNOWN: Mapping[str, Callable[[Swift, Wire, bytes], Subject | None]] = {
    "plan.created": Swift.create,
    "execution.started": Swift.start,
    "execution.finished": Swift.finish,
    "receipt.observed": Swift.receive,
    "admission.decided": Swift.decide,
    "projection.observed": Swift.project,
    "evidence.retired": Swift.retire,
}


def _proven(kind: type[R], fields: Wire) -> R:
    """A record of all its fields in their order, which need no look: verified, or as a record writes them."""
    record = kind.__new__(kind)
    record.__dict__.update(fields)
    return record


def _admission(wire: Wire, receipt: Receipt) -> Admission:
    projection, refs = wire["downstream_projection"], tuple(wire["admitted_source_refs"])
    sources = tuple(source for source in receipt.sources if source.source_ref in refs)
    parts = {"sources": sources, "limitations": receipt.limitations}
    downstream = _proven(Projection, {**projection, **parts})
    return _proven(Admission, {**wire, "admitted_source_refs": refs, "downstream_projection": downstream})


def _readback(wire: Wire, request: Request, receipt: Receipt) -> Readback:
    parent = wire["parent_admission"]
    parts = {
        "request": request,
        "sources": receipt.sources,
        "limitations": receipt.limitations,
        "parent_admission": _proven(
            ParentAdmission, {**parent, "admitted_source_refs": tuple(parent["admitted_source_refs"])}
        ),
        "downstream_source_refs": tuple(wire["downstream_source_refs"]),
        "retirement": _retirement(wire["retirement"]),
        "write_blockers": (),
    }
    return _proven(Readback, {**wire, **parts})


def _retirement(wire: Wire) -> Retirement:
    missing = tuple(wire["missing_downstream_source_refs"])
    return _proven(Retirement, {**wire, "missing_downstream_source_refs": missing})


def _is_reason(value: object) -> bool:
    try:
        return _REASON.read(value) == value
    except RuleError:
        return False
