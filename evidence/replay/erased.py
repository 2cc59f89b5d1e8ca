"""What of a life can still be judged where bodies were erased (docs/ledger-format.md, Erasure)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from evidence.lifecycle.admit import verify_admission
from evidence.lifecycle.life import LedgerLife
from evidence.replay.checks import artifact_break
from evidence.replay.findings import RuleBreak
from ledger.chain import Break
from schemas.admission import Admission
from schemas.canonical import algorithm_of
from schemas.errors import EvidenceError, MismatchError
from schemas.ledger import SUBJECT_FIELDS, Execution, LedgerRecord, Supersession
from schemas.plan import Plan
from schemas.readback import Readback
from schemas.receipt import Receipt
from schemas.record import Record
from schemas.retirement import Retirement

_ARTIFACTS: dict[str, type[Record]] = {
    "plan.created": Plan,
    "execution.started": Execution,
    "execution.finished": Execution,
    "receipt.observed": Receipt,
    "admission.superseded": Supersession,
    "admission.decided": Admission,
    "projection.observed": Readback,
    "evidence.retired": Retirement,
}


@dataclass(eq=False)
class ErasedLife:
    """Which part of one plan's life cannot be derived again: all of it, or that of some receipts."""

    plan: bool = False
    receipts: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, erased: Iterable[LedgerRecord]) -> "ErasedLife":
        """What the erased records of one life leave."""
        gone = cls()
        for record in erased:
            gone.plan |= record.kind == "plan.created"
            if record.subject.receipt_digest is not None:
                gone.receipts.add(record.subject.receipt_digest)
        return gone

    def covers(self, record: LedgerRecord) -> bool:
        """Whether this step follows from something that is not there any more."""
        return self.plan or record.subject.receipt_digest in self.receipts

    def tell(self, life: LedgerLife, record: LedgerRecord) -> None:
        """Let count what kind and subject tell without the artifact: that evidence retired."""
        plan = life.plans.get(record.subject.plan_id or "")
        if plan is not None and record.kind == "evidence.retired":
            plan.unseen_retirement = True


def own_form(record: LedgerRecord, artifact: object) -> Iterator[Break]:
    """Whether the artifact is, by itself, one of its kind and the one that the subject names."""
    try:
        stated = _ARTIFACTS[record.kind].read(artifact)
        if stated.to_wire() != artifact:
            raise MismatchError("it is not written in its normalised form", subject=stated.SUBJECT)
        if isinstance(stated, Admission):
            verify_admission(stated)
    except EvidenceError as error:
        yield artifact_break(record.seq, error)
        return
    named = record.subject.ids()
    for name, expected in _ids_of(stated).items():
        if named.get(name) != expected:
            rule, found = "the subject is derived from the artifact", named.get(name, "none")
            yield RuleBreak(record.seq, f"subject.{name}", rule, expected, found)


def _ids_of(stated: Record) -> dict[str, str]:
    """What an artifact tells by itself of the subject of its record."""
    ids = {name: getattr(stated, name, None) for name in SUBJECT_FIELDS}
    if isinstance(stated, Receipt):
        ids["receipt_digest"] = stated.digest(algorithm_of(stated.plan_id))
    if isinstance(stated, Supersession):
        ids["admission_id"] = stated.superseded_admission_id
    return {name: str(one) for name, one in ids.items() if one is not None}
