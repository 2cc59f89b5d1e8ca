"""Make a ledger of many honest lives fast: the real verbs and the real store, many steps a transaction.

Each life is seven records: plan, start and end of an execution, receipt, decision, readback, retirement;
readiness changes now and then, so that the plans select from many observations.
"""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evidence.lifecycle.admit import admit
from evidence.lifecycle.discover import discover
from evidence.lifecycle.interpret import admission_subject, plan_subject, receipt_subject
from evidence.lifecycle.plan import plan as make_plan
from evidence.lifecycle.readback import held_of, readback
from evidence.lifecycle.retire import retire
from ledger.sqlite import SqliteLedger
from ledger.store import Draft, Opening, Writer, registration
from schemas.admission import Decision
from schemas.canonical import digest, digest_bytes
from schemas.dates import instant
from schemas.ledger import OPENED, Execution, Subject
from schemas.plan import Plan
from schemas.provider import ProviderRow
from schemas.published import schema_bytes
from schemas.receipt import Receipt, Source
from schemas.record import Record
from schemas.request import Request

if TYPE_CHECKING:
    from ledger.signing import Signing

START = datetime(2026, 1, 1, tzinfo=UTC)
RECORDS_PER_LIFE = 7
LIVES_PER_COMMIT = 200
LIVES_PER_OBSERVATION = 50
TITLES = (
    "《无障碍设计规范》GB 50763-2012",
    "《钢筋焊接及验收规程》JGJ 18-2012",
    "《混凝土结构设计标准》GB/T 50010-2010",
)


class Made(NamedTuple):
    """One step, not yet a draft."""

    kind: str
    command: str
    subject: Subject
    artifact: Record


def make(path: Path, records: int, signing: "Signing | None" = None) -> int:
    """A closed ledger at `path` of about as many records; how many there are."""
    opening = Opening("bench", digest_bytes(schema_bytes(OPENED)))
    lives = max(1, records // RECORDS_PER_LIFE)
    with closing(SqliteLedger.open(path, lambda: START, create=opening, signing=signing)) as ledger:
        for begin in range(0, lives, LIVES_PER_COMMIT):
            with ledger.write() as writer:
                for number in range(begin, min(lives, begin + LIVES_PER_COMMIT)):
                    for step in life(number):
                        _append(writer, step)
        with ledger.read() as reader:
            head = reader.head()
    return 0 if head is None else head.seq + 1


def rows(number: int) -> tuple[ProviderRow, ...]:
    """The inventory at that observation."""
    reason = f"service answered 503, look {number}"
    common: dict[str, Any] = {"declared": True, "installed": True, "enabled": True}
    return (
        ProviderRow(provider_id="method:standards", provider_kind="method", ready=True, **common),
        ProviderRow(
            provider_id="connector:web", provider_kind="connector", ready=False, unavailable_reason=reason,
            **common,
        ),
    )  # fmt: skip


def life(number: int) -> Iterator[Made]:
    """The steps of one life, from its plan to its retirement."""
    observation, first = divmod(number, LIVES_PER_OBSERVATION)
    seen = rows(observation)
    if first == 0:
        yield Made("provider.observed", f"observe:{number}", Subject(), discover(seen))
    plan = make_plan(
        Request(
            objective=f"方案 {number} 引用的规范是否现行，坡道与扶手的尺寸按哪一版",
            user_activity="审查施工方案",
            decision="是否退回修改",
            evidence_kinds=("standard_status",),
            search_terms=(TITLES[number % len(TITLES)],),
        ),
        seen,
    )
    yield Made("plan.created", "plan", plan_subject(plan), plan)
    receipt = _receipt(plan, number)
    found = receipt.digest()
    yield Made("execution.started", "start:1", plan_subject(plan), _execution(plan, "started", seen[0]))
    finished = _execution(plan, "finished", None, receipt.status, found)
    yield Made("execution.finished", "finish:1", receipt_subject(plan, found), finished)
    yield Made("receipt.observed", "receipt", receipt_subject(plan, found), receipt)
    refs = tuple(source.source_ref for source in receipt.sources)
    decision = Decision(disposition="admit", reason="据库中所载状态退回修改", admitted_source_refs=refs)
    admission = admit(plan, receipt, decision)
    subject = admission_subject(admission)
    yield Made("admission.decided", "admit:0", subject, admission)
    held = [held_of(admission, source) for source in receipt.sources]
    yield Made("projection.observed", "readback:0", subject, readback(plan, receipt, decision, held))
    yield Made("evidence.retired", "retire", subject, retire(admission, refs))


def _receipt(plan: Plan, number: int) -> Receipt:
    at = instant(START + timedelta(seconds=number))
    sources = tuple(
        Source(
            source_ref=f"urn:cn-standard:{number}:{place}",
            source_family="standard",
            basis="stated",
            finding=f"{TITLES[(number + place) % len(TITLES)]}，库中所载状态为现行；第 {number} 次核对",
            publication_date="2012-03-30",
            accessed_at=at,
            content_digest=digest([number, place]),
        )
        for place in range(1 + number % 3)
    )
    return Receipt(
        plan_id=plan.plan_id or "",
        request_id=plan.request.request_id or "",
        provider_id="method:standards",
        provider_kind="method",
        status="succeeded",
        sources=sources,
        summary=f"{len(sources)} 项标准与库中记录一致",
        limitations=("只说明库中所载",),
        completed_at=at,
    )


def _execution(
    plan: Plan, state: str, row: ProviderRow | None, status: str | None = None, found: str | None = None
) -> Execution:
    return Execution(
        plan_id=plan.plan_id or "",
        provider_id="method:standards",
        attempt=1,
        state=state,
        provider=row,
        receipt_status=status,
        receipt_digest=found,
    )


def _append(writer: Writer, step: Made) -> None:
    schema = str(step.artifact.to_wire()["schema_version"])
    document = schema_bytes(schema)
    stated = digest_bytes(document)
    if not writer.has_schema(schema, stated):
        writer.append(registration("bench", schema, document))
    body = step.artifact.canonical()
    writer.append(Draft(step.kind, "bench", step.command, step.subject, schema, stated, body))
