"""What two ledgers, or two states of one, say differently, in decision terms (ledger.md section 5)."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, NamedTuple

from evidence.plan_story import DecisionStory, PlanStory, Step
from evidence.story import Story
from ledger.store import Reader
from schemas.dates import split_instant
from schemas.errors import IntegrityError, NotFoundError, UsageError
from schemas.ledger import read_raw, record_id

MOST_DIGITS = 15
FINISHED = "execution.finished"

SAME, EXTENDS, BEHIND, FORKED, OTHER = "same", "extends", "behind", "forked", "other_log"
"""How B stands to A: the same records; all of A's and more; the first of A's; some shared; none shared."""
STATES = (
    *("planned", "started", "executed", "received"),
    *("admitted", "rejected", "unknown", "superseded", "uncovered", "retired", "erased"),
)


class Fact(NamedTuple):
    """One thing that holds in a ledger: of a plan, a run, a receipt, a decision, a source, or a body.

    A run is named by the digest of what its record says of it, anything else by its own id.
    """

    state: str
    id: str
    source_ref: str = ""


class Detail(NamedTuple):
    """Where a fact comes from, for a reader."""

    seq: int
    at: str
    actor: str
    plan_id: str | None
    objective: str | None
    reason: str | None


class Fork(NamedTuple):
    """The first place where two logs differ, and the record of each there; None: the log has ended."""

    seq: int
    a: str | None
    b: str | None


@dataclass
class Difference:
    """How B stands to A, and the facts that hold in one of them only."""

    relation: str
    fork: Fork | None
    a: Story
    b: Story
    only_a: dict[Fact, Detail] = field(default_factory=dict)
    only_b: dict[Fact, Detail] = field(default_factory=dict)

    def to_wire(self) -> dict[str, Any]:
        """The difference as the doors print it."""
        return {
            "schema_version": "external_evidence_diff_v0",
            "relation": self.relation,
            "first_difference": None if self.fork is None else self.fork._asdict(),
            "a": self.a.to_wire(),
            "b": self.b.to_wire(),
            "only_in_a": _wire(self.only_a),
            "only_in_b": _wire(self.only_b),
            "limit": "What is stored is compared; whether it holds, `audit replay` tells.",
        }


def diff(a: Story, b: Story) -> Difference:
    """Compare two stories record by record, then fact by fact.

    Memory grows with the number of decisions, not with what was found.
    """
    relation, fork = _relation(a, b)
    difference = Difference(relation, fork, a, b)
    if relation != SAME:
        facts_a, facts_b = dict(_facts(a)), dict(_facts(b))
        difference.only_a = {fact: told for fact, told in facts_a.items() if fact not in facts_b}
        difference.only_b = {fact: told for fact, told in facts_b.items() if fact not in facts_a}
    return difference


def state_at(reader: Reader, moment: str) -> int:
    """The last seq of the state at `moment`: a seq, or a time, before the first record later than it.

    -1: there was no record yet. NotFoundError: there is no such record. UsageError: it is neither.
    """
    if moment.isascii() and moment.isdigit():
        return _there(reader, moment)
    asked = split_instant(moment)
    if asked is None:
        raise UsageError(f"{moment!a} is neither a seq nor a time as 2026-03-04T05:06:07Z", subject="STATE")
    last = -1
    for seq, raw in reader.records():
        with suppress(IntegrityError):
            at = split_instant(read_raw(raw).at)
            if at is not None and at > asked:
                break
        last = seq
    return last


def is_state(moment: str) -> bool:
    """Whether `moment` is written as a state is: a seq, or a time."""
    return (moment.isascii() and moment.isdigit()) or split_instant(moment) is not None


def _there(reader: Reader, digits: str) -> int:
    head = reader.head()
    last = -1 if head is None else head.seq
    if len(digits) > MOST_DIGITS or int(digits) > last:
        what = f"the ledger has {last + 1} records, from 0 on, and no record {digits[:40]}"
        raise NotFoundError(what, subject="STATE")
    return int(digits)


def _relation(a: Story, b: Story) -> tuple[str, Fork | None]:
    for seq, (one, other) in enumerate(zip_longest(a.raws(), b.raws())):
        if one != other:
            fork = Fork(seq, _id(one), _id(other))
            if one is None:
                return EXTENDS, fork
            if other is None:
                return BEHIND, fork
            return (FORKED if seq else OTHER), fork
    return SAME, None


def _id(stored: tuple[int, bytes] | None) -> str | None:
    return None if stored is None else record_id(stored[1])


def _facts(story: Story) -> Iterator[tuple[Fact, Detail]]:
    for plan in story.plans():
        objective = plan.plan.request.objective if plan.plan else None
        if plan.created:
            yield Fact("planned", plan.plan_id), _detail(plan, plan.created, objective)
        for run in plan.executions:
            state = "executed" if run.record.kind == FINISHED else "started"
            yield Fact(state, run.record.body.digest), _detail(plan, run, objective)
        for receipt in plan.receipts.values():
            if receipt.observed:
                yield Fact("received", receipt.receipt_digest), _detail(plan, receipt.observed, objective)
        for decision in plan.decisions:
            yield from _decided(plan, decision, objective)
    events = {step.seq: step.record for step in story.events()}
    for digest, seq in story.erased.items():
        record = events[seq]
        yield Fact("erased", digest), Detail(seq, record.at, record.actor, None, None, None)


def _decided(plan: PlanStory, story: DecisionStory, objective: str | None) -> Iterator[tuple[Fact, Detail]]:
    identity = story.admission_id
    reason = story.admission.reason if story.admission else None
    if story.superseded:
        yield Fact("superseded", identity), _detail(plan, story.superseded, objective, reason)
    elif story.decided:
        told = _detail(plan, story.decided, objective, reason)
        if story.disposition != "admit":
            state = "rejected" if story.disposition == "reject" else "unknown"
            yield Fact(state, identity), told
        for ref in story.admitted:
            yield Fact("admitted", identity, ref), told
        for ref in story.uncovered:
            yield Fact("uncovered", identity, ref), told
    if story.retired:
        yield Fact("retired", identity), _detail(plan, story.retired, objective, reason)


def _detail(plan: PlanStory, step: Step, objective: str | None, reason: str | None = None) -> Detail:
    return Detail(step.seq, step.record.at, step.record.actor, plan.plan_id, objective, reason)


def _wire(facts: dict[Fact, Detail]) -> dict[str, list[dict[str, Any]]]:
    told: dict[str, list[dict[str, Any]]] = {state: [] for state in STATES}
    for fact, detail in facts.items():
        named = {"id": fact.id, "source_ref": fact.source_ref or None}
        told[fact.state].append({**named, **detail._asdict()})
    return told
