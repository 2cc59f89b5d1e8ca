"""The life of one plan as a ledger tells it: question, receipts, decisions, readbacks, retirement."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from schemas.admission import Admission
from schemas.ledger import Execution, LedgerRecord, Supersession
from schemas.plan import Plan
from schemas.readback import Readback
from schemas.receipt import Receipt
from schemas.record import Record
from schemas.retirement import Retirement

HELD, ERASED, MISSING, DAMAGED = "held", "erased", "missing", "damaged"
"""What became of a body: it is there; a record erased it; nothing tells why it is gone; it is not the one."""
Wire = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One stored record: its place and id, who did it when, and its artifact where the body is held.

    The artifact of a plan's step or a provider's call is its record; any other is the JSON value.
    """

    seq: int
    id: str
    record: LedgerRecord
    body: str
    artifact: Any = None

    def to_wire(self) -> Wire:
        """Place, id, time, actor and body, without the artifact."""
        record = self.record
        return {
            "seq": self.seq,
            "id": self.id,
            "at": record.at,
            "kind": record.kind,
            "actor": record.actor,
            "body": {"digest": record.body.digest, "size": record.body.size, "state": self.body},
        }

    def told(self) -> Wire:
        """The same with the artifact, null where its body is not held."""
        artifact = self.artifact.to_wire() if isinstance(self.artifact, Record) else self.artifact
        return {**self.to_wire(), "artifact": artifact}


@dataclass
class DecisionStory:
    """One decision: what it admits or rejects, what gave way to it or took its place, what was read back."""

    admission_id: str
    decided: Step | None = None
    superseded: Step | None = None
    readbacks: list[Step] = field(default_factory=list)
    retired: Step | None = None

    @property
    def admission(self) -> Admission | None:
        """The decision's own artifact; None where its body is not held."""
        return self.decided.artifact if self.decided else None

    @property
    def disposition(self) -> str:
        """`admit`, `reject`, or `unknown` where the body is not held."""
        return self.admission.disposition if self.admission else "unknown"

    @property
    def in_force(self) -> bool:
        """Whether no later decision took its place."""
        return self.superseded is None

    @property
    def admitted(self) -> tuple[str, ...]:
        """The refs that it admits."""
        return self.admission.admitted_source_refs if self.admission else ()

    @property
    def covered(self) -> tuple[str, ...]:
        """The refs that were last read back from downstream."""
        last = self.readbacks[-1].artifact if self.readbacks else None
        return last.downstream_source_refs if last else ()

    @property
    def uncovered(self) -> tuple[str, ...]:
        """The admitted refs that the last readback did not find; those of a superseded decision are none."""
        return tuple(ref for ref in self.admitted if ref not in self.covered) if self.in_force else ()

    def to_wire(self) -> Wire:
        """All of it, with seq and id of every step."""
        return {
            "admission_id": self.admission_id,
            "disposition": self.disposition,
            "in_force": self.in_force,
            "admitted_source_refs": list(self.admitted),
            "covered_source_refs": list(self.covered),
            "uncovered_source_refs": list(self.uncovered),
            "decided": _told(self.decided),
            "superseded": _told(self.superseded),
            "readbacks": [one.told() for one in self.readbacks],
            "retired": _told(self.retired),
        }


@dataclass
class ReceiptStory:
    """One receipt of a plan and every decision on it, the first one first."""

    receipt_digest: str
    observed: Step | None = None
    decisions: list[DecisionStory] = field(default_factory=list)

    @property
    def receipt(self) -> Receipt | None:
        """What the provider said; None where the body is not held."""
        return self.observed.artifact if self.observed else None

    @property
    def erased(self) -> bool:
        """Whether anything about it was erased, so that nothing more can be recorded about it."""
        return any(step.body == ERASED for step in self.steps())

    def steps(self) -> Iterator[Step]:
        """Every record that it has, and its decisions."""
        yield from _there(self.observed)
        for one in self.decisions:
            yield from (*_there(one.decided), *_there(one.superseded), *one.readbacks, *_there(one.retired))

    def decision(self, admission_id: str) -> DecisionStory:
        """The last decision of that id; a ledger with gaps may lack the record that made it."""
        for one in reversed(self.decisions):
            if one.admission_id == admission_id:
                return one
        self.decisions.append(DecisionStory(admission_id))
        return self.decisions[-1]

    def to_wire(self) -> Wire:
        """The receipt and its decisions."""
        return {
            "receipt_digest": self.receipt_digest,
            "observed": _told(self.observed),
            "decisions": [one.to_wire() for one in self.decisions],
        }


@dataclass
class PlanStory:
    """One plan from the question to the retirement of its evidence."""

    plan_id: str
    created: Step | None = None
    executions: list[Step] = field(default_factory=list)
    receipts: dict[str, ReceiptStory] = field(default_factory=dict)
    others: list[Step] = field(default_factory=list)

    @property
    def plan(self) -> Plan | None:
        """The plan itself; None where its body is not held."""
        return self.created.artifact if self.created else None

    @property
    def decisions(self) -> list[DecisionStory]:
        """Every decision on every receipt."""
        return [one for receipt in self.receipts.values() for one in receipt.decisions]

    @property
    def state(self) -> str:
        """In one word: blocked, waiting, undecided, retained, retired, erased, or unknown without a body."""
        if any(one.retired for one in self.decisions if one.in_force):
            return "retired"
        if self.created and self.created.body == ERASED:
            return "erased"
        left = [receipt for receipt in self.receipts.values() if not receipt.erased]
        if any(one.in_force for receipt in left for one in receipt.decisions):
            return "retained"
        if self.receipts:
            return "undecided" if left else "erased"
        if self.plan is None:
            return "unknown"
        return "waiting" if self.plan.status == "ready" else "blocked"

    def steps(self) -> Iterator[Step]:
        """Every record of this plan, in order of its place in the ledger."""
        found: list[Step] = [*_there(self.created), *self.executions, *self.others]
        for receipt in self.receipts.values():
            found += receipt.steps()
        yield from sorted(found, key=lambda step: step.seq)

    def receipt(self, receipt_digest: str) -> ReceiptStory:
        """The receipt of that digest; a ledger with gaps may lack the record that observed it."""
        return self.receipts.setdefault(receipt_digest, ReceiptStory(receipt_digest))

    def to_wire(self) -> Wire:
        """All of it."""
        return {
            "plan_id": self.plan_id,
            "state": self.state,
            "created": _told(self.created),
            "executions": [one.told() for one in self.executions],
            "receipts": [one.to_wire() for one in self.receipts.values()],
            "others": [one.told() for one in self.others],
        }


def _told(step: Step | None) -> Wire | None:
    return None if step is None else step.told()


def _there(item: Step | None) -> list[Step]:
    return [] if item is None else [item]


def _receipt_of(story: PlanStory, step: Step) -> ReceiptStory:
    return story.receipt(step.record.subject.receipt_digest or "")


def _decision_of(story: PlanStory, step: Step) -> DecisionStory:
    return _receipt_of(story, step).decision(step.record.subject.admission_id or "")


def _create(story: PlanStory, step: Step) -> None:
    story.created = step


def _run(story: PlanStory, step: Step) -> None:
    story.executions.append(step)


def _observe(story: PlanStory, step: Step) -> None:
    _receipt_of(story, step).observed = step


def _decide(story: PlanStory, step: Step) -> None:
    made = DecisionStory(step.record.subject.admission_id or "", step)
    _receipt_of(story, step).decisions.append(made)


def _supersede(story: PlanStory, step: Step) -> None:
    _decision_of(story, step).superseded = step


def _project(story: PlanStory, step: Step) -> None:
    _decision_of(story, step).readbacks.append(step)


def _retire(story: PlanStory, step: Step) -> None:
    _decision_of(story, step).retired = step


def place_of(record: LedgerRecord) -> "Place | None":
    """How a record's artifact is read and where it stands in its plan's story.

    None for a kind that no story knows, and for a record without the ids that its kind has.
    """
    needed = _NEEDED.get(record.kind, ())
    there = all(getattr(record.subject, name) is not None for name in needed)
    return _PLACES.get(record.kind) if there else None


Place = tuple[type[Record], Callable[[PlanStory, Step], None]]
_OF_DECISION = ("receipt_digest", "admission_id")
_NEEDED = {
    "receipt.observed": ("receipt_digest",),
    "admission.decided": _OF_DECISION,
    "admission.superseded": _OF_DECISION,
    "projection.observed": _OF_DECISION,
    "evidence.retired": _OF_DECISION,
}
_PLACES: dict[str, Place] = {
    "plan.created": (Plan, _create),
    "execution.started": (Execution, _run),
    "execution.finished": (Execution, _run),
    "receipt.observed": (Receipt, _observe),
    "admission.decided": (Admission, _decide),
    "admission.superseded": (Supersession, _supersede),
    "projection.observed": (Readback, _project),
    "evidence.retired": (Retirement, _retire),
}
