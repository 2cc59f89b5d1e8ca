"""Derive the life of one plan after the other from its own records: every id and every transition.

Memory holds one life. What a life needs of the rest of the ledger, others noted before: which schemas were
registered, what was observed last, what was erased.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from evidence.lifecycle.interpret import STEPS
from evidence.lifecycle.life import LedgerLife
from evidence.replay import swift
from evidence.replay.checks import (
    Schemas,
    body_break,
    came_back,
    held_body,
    is_erased,
    order_break,
    read_artifact,
    schema_breaks,
    stated_schema,
    step_breaks,
    subject_breaks,
)
from evidence.replay.erased import ErasedLife, own_form
from evidence.replay.findings import FOLLOWING, RECORDS, Findings, Place, RuleBreak
from evidence.replay.notes import Known, Life, Notes, raw_id
from ledger.chain import Break
from ledger.store import Reader
from ledger.written import read_written
from schemas.errors import IntegrityError, InvalidError, OrderError
from schemas.ledger import LedgerRecord, Subject, record_id
from schemas.outside import parse
from schemas.provider import Discovery

OF_A_LIFE = frozenset(STEPS) - {"provider.observed", "provider.called"}
_TURN = 2  # after what the chain says of the same record


class StrayError(Exception):
    """A record is a step of another plan's life than its subject says: lives must be told by artifacts."""


class ChangedError(Exception):
    """The store shows other bytes than those that the walk saw."""


@dataclass(frozen=True, eq=False)
class Context:
    """What the walk over all records found out that every life needs."""

    records: int
    believed: int = 0
    by_artifact: bool = False
    ended: bool = True
    schemas: Schemas = field(default_factory=dict)
    erased: Mapping[str, int] = field(default_factory=dict)
    lost: frozenset[int] = frozenset()  # records whose body the end that was cut off may have erased


@dataclass(eq=False)
class Derived:
    """What some lives told."""

    plans: int = 0
    receipts: int = 0
    admissions: int = 0
    retired: int = 0
    erased: list[int] = field(default_factory=list)
    not_derived: list[int] = field(default_factory=list)
    findings: Findings = field(default_factory=Findings)

    def add(self, other: "Derived") -> None:
        """Take what other lives told."""
        self.plans += other.plans
        self.receipts += other.receipts
        self.admissions += other.admissions
        self.retired += other.retired
        self.erased += other.erased
        self.not_derived += other.not_derived
        self.findings.merge(other.findings)


def derive(reader: Reader, notes: Notes, context: Context, begin: int = 0, end: int | None = None) -> Derived:
    """The lives whose first step is among the steps from `begin` to before `end`; believed ones left out.

    StrayError, ChangedError: it has to be done in another way; see there.
    """
    derived = Derived()
    observed = _Observed(reader, notes)
    for life in notes.lives(begin, end):
        if life.steps[-1].seq >= context.believed:
            _OneLife(reader, context, observed, life).run(derived)
    return derived


class _Observed:
    """The rows that a plan may select from: those of the observation in force when it was made."""

    def __init__(self, reader: Reader, notes: Notes) -> None:
        self._reader = reader
        self._notes = notes
        self._rows = lru_cache(maxsize=8)(self._read)

    def before(self, seq: int) -> swift.Rows | None:
        """What was observed last before record `seq`."""
        body = self._notes.observed_before(seq)
        return None if body is None else self._rows(body)

    def _read(self, digest: str) -> swift.Rows:
        body = self._reader.body(digest)
        if body is None:
            raise ChangedError(digest)
        return swift.Rows(Discovery.read(parse(body, "body")))


class _OneLife:
    """The records of one plan."""

    def __init__(self, reader: Reader, context: Context, observed: _Observed, life: Life) -> None:
        self._reader = reader
        self._context = context
        self._observed = observed
        self._steps = life.steps
        self._plan_id = life.plan_id
        self._life = LedgerLife()
        self._swift = swift.Swift(life.plan_id, self._life)
        self._gone = ErasedLife()

    def run(self, derived: Derived) -> None:
        """Take every step, and note what it told."""
        erased, lost = self._context.erased, self._context.lost
        touched = any(step.body in erased for step in self._steps)
        if touched:
            records = (self._looked_up(step) for step in self._steps if step.seq not in lost)
            self._gone = ErasedLife.of(one for one in records if is_erased(self._reader, one, erased))
        made = 0
        for step in self._steps:
            if not self._life.plans:
                made = step.seq  # in the end that of the step which makes the plan
            if step.kind is None or touched:
                found = tuple(self._record(step.seq, self._looked_up(step), derived))
            else:
                found = tuple(self._usual(step, step.kind, derived))
            if found:
                derived.findings.add(Place(RECORDS, step.seq, _TURN), found)
        if self._context.ended:
            last = self._context.records - 1
            derived.findings.add(Place(FOLLOWING, made), unfollowed(self._life, last))
        _count(self._life, derived)

    def _looked_up(self, step: Known) -> LedgerRecord:
        raw = self._reader.raw(step.seq)
        if raw is None or raw_id(record_id(raw)) != step.id:
            raise ChangedError(str(step.seq))
        return read_written(raw)

    def _usual(self, step: Known, kind: str, derived: Derived) -> Iterable[Break]:
        """As `_record`, of a step that needs its record only where something is wrong."""
        subject = None
        try:
            body = self._reader.body(step.body)
            if body is not None and len(body) == step.size:
                subject = self._take(step.seq, kind, body)
        except OrderError as error:
            return [order_break(step.seq, error)]
        except IntegrityError:
            pass  # told of the record
        if subject is None:
            return self._record(step.seq, self._looked_up(step), derived)
        if (subject.request_id, subject.receipt_digest, subject.admission_id) == step[3:6]:
            return ()
        return subject_breaks(self._looked_up(step), subject)

    def _record(self, at: int, record: LedgerRecord, derived: Derived) -> Iterator[Break]:
        try:
            if is_erased(self._reader, record, self._context.erased):
                derived.erased.append(at)
                self._gone.tell(self._life, record)
                self._gone.plan |= at in self._context.lost  # nothing that follows can be derived
                return
            body = held_body(self._reader, record)
        except IntegrityError as error:
            yield body_break(at, record, error)
            return
        yield from came_back(at, record, self._context.erased)
        try:
            if self._gone.covers(record):
                yield from self._not_derived(at, record, body, derived)
            else:
                yield from self._step(at, record, body)
        except InvalidError as error:
            yield body_break(at, record, error)

    def _take(self, at: int, kind: str, body: bytes) -> Subject | None:
        if kind == "plan.created":
            self._swift.rows = rows = self._observed.before(at)
            self._life.observed = None if rows is None else rows.discovery
        return self._swift.step(kind, body)

    def _not_derived(self, at: int, record: LedgerRecord, body: bytes, derived: Derived) -> Iterator[Break]:
        derived.not_derived.append(at)
        self._gone.tell(self._life, record)
        artifact = read_artifact(body, record)
        yield from schema_breaks(self._context.schemas, at, record, stated_schema(artifact))
        yield from own_form(record, artifact)

    def _step(self, at: int, record: LedgerRecord, body: bytes) -> Iterator[Break]:
        schemas, schema = self._context.schemas, swift.SCHEMAS[record.kind]
        try:
            subject = self._take(at, record.kind, body)
        except OrderError as error:
            yield from schema_breaks(schemas, at, record, schema)
            yield order_break(record.seq, error)
            return
        if subject is not None:
            yield from schema_breaks(schemas, at, record, schema)
            yield from subject_breaks(record, subject)
            return
        artifact = read_artifact(body, record)
        if not self._context.by_artifact and plan_of(artifact) not in (None, self._plan_id):
            raise StrayError(str(at))
        yield from schema_breaks(schemas, at, record, stated_schema(artifact))
        yield from step_breaks(self._life, record, artifact)


def plan_of(artifact: object) -> str | None:
    """The plan that an artifact says it belongs to."""
    found = artifact.get("plan_id") if isinstance(artifact, dict) else None
    return found if isinstance(found, str) else None


def unfollowed(life: LedgerLife, last: int) -> Iterator[Break]:
    """What is missing at the end of a life: a writer takes these steps together with what must follow."""
    for plan in life.plans.values():
        for digest in plan.delivered:
            rule = "what an execution delivered is observed"
            yield RuleBreak(last, "record", rule, digest, "no such receipt")
        for receipt in plan.receipts.values():
            if receipt.superseding is not None:
                rule = "a superseding decision comes into force"
                yield RuleBreak(last, "record", rule, receipt.superseding, "no such decision")


def _count(life: LedgerLife, derived: Derived) -> None:
    derived.plans += len(life.plans)
    for plan in life.plans.values():
        derived.receipts += len(plan.receipts)
        derived.admissions += sum(len(receipt.history) for receipt in plan.receipts.values())
        derived.retired += sum(receipt.retired for receipt in plan.receipts.values())
