"""Run the lifecycle with real providers, a real sink and a ledger: the one place that holds all three.

Rules are asked of evidence.lifecycle; here the provider is run, the record appended and the sink read.
Without a ledger every step works on artifacts alone and nothing is remembered.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from evidence.execution import failed_receipt, run
from evidence.lifecycle.admit import admit
from evidence.lifecycle.discover import discover
from evidence.lifecycle.interpret import STEPS, interpret
from evidence.lifecycle.life import LedgerLife
from evidence.lifecycle.plan import plan as make_plan
from evidence.lifecycle.plan import verify_plan, verify_ready
from evidence.lifecycle.readback import readback
from evidence.lifecycle.receipt import bind
from evidence.lifecycle.receipt import receipt as observe
from evidence.lifecycle.retire import retire
from evidence.sinks.base import Sink
from ledger.store import Draft, Ledger, Reader, Writer, registration
from providers.base import Clock, Connector, Outgoing, Provider, Withheld, Withholding, is_connector
from providers.registry import Registry, probe
from schemas.admission import Admission, Decision
from schemas.canonical import DEFAULT_ALGORITHM, Algorithm, digest_bytes
from schemas.dates import instant
from schemas.errors import EvidenceError, IntegrityError, NetworkRefusedError, NotReadyError, UsageError
from schemas.ledger import Execution, LedgerRecord, Supersession, read_raw
from schemas.outside import parse
from schemas.plan import Plan
from schemas.provider import Discovery, ProviderRow
from schemas.published import schema_bytes
from schemas.readback import MOST_BLOCKERS, Readback, WriteBlocker
from schemas.receipt import Receipt, ReceiptObservation
from schemas.request import Request
from schemas.retirement import Retirement

DEFAULT_TIMEOUT_SECONDS = 300.0
ERASURE = "body.erased"
T = TypeVar("T")
Artifact = Discovery | Plan | Execution | Receipt | Supersession | Admission | Readback | Retirement


class _NoBodyError(IntegrityError):
    """A record of a life whose body is not there."""


@dataclass(frozen=True)
class Engine:
    """The lifecycle bound to providers, a clock, an actor and, if given, a ledger."""

    registry: Registry
    clock: Clock
    ledger: Ledger | None = None
    actor: str = "local"
    algorithm: Algorithm = DEFAULT_ALGORITHM
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS

    def __post_init__(self) -> None:
        if not self.timeout_seconds > 0:  # nor is NaN
            raise UsageError(
                f"the timeout must be a number of seconds above 0, found {self.timeout_seconds}",
                subject="timeout",
            )

    def discover(self) -> Discovery:
        """The inventory, every provider that runs here probed now; reads only, records nothing."""
        return discover(self.registry.rows())

    def plan(self, request: Request, preferred_provider_id: str | None = None) -> Plan:
        """A plan over the inventory of this moment, recorded with the readiness it was made from."""
        rows = self.registry.rows()
        plan = make_plan(request, rows, preferred_provider_id, self.algorithm)

        def record(writer: Writer) -> None:
            life = _life(writer, plan.plan_id)
            if plan.plan_id in life.plans:
                return
            _refuse_erased_request(writer, plan.request.request_id)
            seen = discover(rows)
            if life.observed != seen:
                head = writer.head()
                command = f"observe:{head and head.seq}"
                self._append(writer, life, "provider.observed", command, seen)
            self._append(writer, life, "plan.created", "plan", plan)

        self._write(record)
        return plan

    def outgoing(self, plan: Plan) -> Sequence[Outgoing]:
        """What executing `plan` would send outside, and where; empty for a method."""
        verify_ready(plan)
        provider = self._provider(plan)
        return provider.outgoing(plan) if isinstance(provider, Connector) else ()

    def withheld(self, plan: Plan) -> Sequence[Withheld]:
        """What of `plan` its connector would not send, and why; empty where it does not tell."""
        verify_ready(plan)
        provider = self._provider(plan)
        return provider.withheld(plan) if isinstance(provider, Withholding) else ()

    def execute(self, plan: Plan, allow_network: bool = False) -> ReceiptObservation:
        """Run the plan's provider and observe its receipt (lifecycle.md section 8).

        The plan is verified and readiness probed again before provider code runs. A provider that
        raises, times out or answers for something else gives a `failed` receipt that names the step.
        Raises NotReadyError when the provider is no longer ready, NetworkRefusedError when it is a
        connector and `allow_network` is false; the plan stays valid.
        """
        algorithm = verify_ready(plan)
        provider = self._provider(plan)
        ready = self._ready(provider, allow_network)
        attempt = self._write(lambda writer: self._start(writer, plan, ready))
        receipt = run(provider, plan, self.clock, self.timeout_seconds)
        try:
            observation = observe(plan, receipt)
        except EvidenceError as error:
            receipt = failed_receipt(plan, self.clock, f"binding its receipt to the plan: {error.message}")
            observation = observe(plan, receipt)
        digest = receipt.digest(algorithm)

        def record(writer: Writer) -> None:
            life = _life(writer, plan.plan_id, digest)
            finished = _execution(plan, attempt or 1, "finished", receipt=(receipt.status, digest))
            self._append(writer, life, "execution.finished", f"finish:{attempt}", finished)
            if digest not in life.of_plan(plan.plan_id).receipts:
                self._append(writer, life, "receipt.observed", "receipt", receipt)

        self._write(record)
        return observation

    def _start(self, writer: Writer, plan: Plan, ready: ProviderRow) -> int:
        life = _life(writer, plan.plan_id)
        attempt = life.of_plan(plan.plan_id).attempts + 1
        started = _execution(plan, attempt, "started", provider=ready)
        self._append(writer, life, "execution.started", f"start:{attempt}", started)
        return attempt

    def receipt(self, plan: Plan, receipt: Receipt) -> ReceiptObservation:
        """Observe a receipt that the provider's owner handed in."""
        observation = observe(plan, receipt)
        digest = receipt.digest(bind(plan, receipt))

        def record(writer: Writer) -> None:
            life = _life(writer, plan.plan_id, digest)
            if digest not in life.of_plan(plan.plan_id).receipts:
                self._append(writer, life, "receipt.observed", "receipt", receipt)

        self._write(record)
        return observation

    def admit(
        self,
        plan: Plan,
        receipt: Receipt,
        decision: Decision,
        supersede: bool = False,
        sink: Sink | None = None,
    ) -> Admission:
        """Record the parent's decision on a receipt; a different one in force must be superseded.

        What `sink` holds for the superseded one is withdrawn there at once (lifecycle.md section 9).
        """
        admission = admit(plan, receipt, decision)

        def record(writer: Writer) -> None:
            life = _life(writer, plan.plan_id, admission.receipt_digest)
            receipt_life = life.of_plan(plan.plan_id).of_receipt(admission.receipt_digest)
            old = receipt_life.in_force
            if old == admission:
                self._withdraw(admission, receipt_life.history, sink)
                return
            command = f"admit:{len(receipt_life.history)}"
            if old is not None and supersede:
                step = Supersession(
                    plan_id=admission.plan_id,
                    superseded_admission_id=old.admission_id or "",
                    admission_id=admission.admission_id or "",
                )
                self._append(writer, life, "admission.superseded", f"supersede:{command}", step)
            self._append(writer, life, "admission.decided", command, admission)
            self._withdraw(admission, receipt_life.history, sink)

        self._write(record)
        return admission

    def _withdraw(self, admission: Admission, history: Iterable[str], sink: Sink | None) -> None:
        """Within the ledger's transaction: a sink that cannot be written keeps the old decision in force."""
        now = instant(self.clock())
        for old in dict.fromkeys(history):
            if sink is not None and old != admission.admission_id:
                sink.withdraw(old, admission.admission_id or "", now)

    def readback(
        self,
        plan: Plan,
        receipt: Receipt,
        decision: Decision | None,
        sink: Sink,
        execute: bool = False,
        stated: Admission | None = None,
    ) -> Readback:
        """Project admitted sources into `sink` (with `execute`), then read back what it really holds.

        Receipt and admission are derived again; an admission that is `stated` must be the derived one.
        Decisions that this one superseded are withdrawn from the sink first (lifecycle.md section 9). With
        a ledger nobody else can supersede, write or retire between the first look and the record.
        """
        verify_plan(plan)
        if decision is None:
            return readback(plan, receipt, None, sink.held(plan.plan_id or ""))
        readback(plan, receipt, decision, (), (), stated)
        admission = admit(plan, receipt, decision)

        def look(history: Iterable[str]) -> Readback:
            blockers = self._project(admission, history, sink) if execute else []
            blockers += sink.damaged(plan.plan_id or "")
            return readback(plan, receipt, decision, sink.held(plan.plan_id or ""), _bounded(blockers))

        if self.ledger is None:
            return look(())
        with self.ledger.write() as writer:
            life = _life(writer, plan.plan_id, admission.receipt_digest)
            plan_life = life.of_plan(plan.plan_id)
            plan_life.of_admission(admission.admission_id)
            receipt_life = plan_life.of_receipt(admission.receipt_digest)
            result = look(receipt_life.history)
            if not receipt_life.retired and receipt_life.readback != result:
                command = f"readback:{receipt_life.projections}"
                self._append(writer, life, "projection.observed", command, result)
        return result

    def _project(self, admission: Admission, history: Iterable[str], sink: Sink) -> list[WriteBlocker]:
        self._withdraw(admission, history, sink)
        sources = admission.downstream_projection.sources
        return sink.write(admission, sources, instant(self.clock()))

    def retire(self, admission: Admission, downstream_source_refs: Sequence[str] = ()) -> Retirement:
        """The verdict, recorded when it is retire_ready.

        With a ledger the coverage is what was last read back; only without one are
        `downstream_source_refs`, a caller's word, taken.
        """
        if self.ledger is None:
            return retire(admission, downstream_source_refs)
        retire(admission)

        def record(writer: Writer) -> Retirement:
            life = _life(writer, admission.plan_id, admission.receipt_digest)
            plan_life = life.of_plan(admission.plan_id)
            plan_life.of_admission(admission.admission_id)
            receipt_life = plan_life.of_receipt(admission.receipt_digest)
            verdict = retire(admission, receipt_life.covered)
            if verdict.retire_ready and not receipt_life.retired:
                self._append(writer, life, "evidence.retired", "retire", verdict)
            return verdict

        return self.ledger.run(record)

    def _provider(self, plan: Plan) -> Provider:
        selected = plan.selected_provider
        return self.registry.provider(selected.provider_id if selected else "")

    def _ready(self, provider: Provider, allow_network: bool) -> ProviderRow:
        if is_connector(provider) and not allow_network:
            raise NetworkRefusedError(
                f"{provider.provider_id} sends something outside and was not allowed to",
                subject=provider.provider_id,
                hint="look at what it would send, then say --allow-network",
            )
        row = probe(provider)
        if not row.ready:
            raise NotReadyError(
                f"{provider.provider_id} is not ready now: {row.unavailable_reason}",
                subject=provider.provider_id,
            )
        return row

    def _append(self, writer: Writer, life: LedgerLife, kind: str, command: str, artifact: Artifact) -> None:
        subject = interpret(life, kind, artifact.to_wire())
        schema = artifact.schema_version
        document = schema_bytes(schema)
        stated = digest_bytes(document)
        if not writer.has_schema(schema, stated):
            writer.append(registration(self.actor, schema, document))
        writer.append(Draft(kind, self.actor, command, subject, schema, stated, artifact.canonical()))

    def _write(self, step: Callable[[Writer], T]) -> T | None:
        if self.ledger is None:
            return None
        return self.ledger.run(step)


def _life(reader: Reader, plan_id: str | None, receipt_digest: str | None = None) -> LedgerLife:
    """The life of one plan as its records tell it, and the readiness that is in force.

    ErasedError when the plan, or the receipt that is asked about, was erased.
    """
    records = [
        record for _, raw in reader.of_subject(plan_id or "") if (record := read_raw(raw)).kind in STEPS
    ]
    try:
        life = _lived(reader, records)
    except _NoBodyError:
        life = _remaining(reader, records, receipt_digest)
    last = reader.latest("provider.observed")
    life.observed = None if last is None else Discovery.read(_artifact(reader, read_raw(last[1])))
    return life


def _lived(reader: Reader, records: Iterable[LedgerRecord]) -> LedgerLife:
    life = LedgerLife()
    for record in records:
        artifact = _artifact(reader, record)
        if record.kind == "plan.created":
            life.observed = discover(Plan.read(artifact).provider_candidates)
        interpret(life, record.kind, artifact)
    return life


def _remaining(reader: Reader, records: Sequence[LedgerRecord], receipt_digest: str | None) -> LedgerLife:
    from evidence.remains import refusal, remains  # only where a body is missing

    left = remains(reader, records)
    if receipt_digest in left.receipts:
        raise refusal("receipt", receipt_digest)
    life = _lived(reader, left.steps)
    for plan in life.plans.values():
        plan.unseen_retirement = left.retired
    return life


def _refuse_erased_request(reader: Reader, request_id: str | None) -> None:
    named = (read_raw(raw) for _, raw in reader.of_subject(request_id or ""))
    if any(record.kind == ERASURE for record in named):
        from evidence.remains import refusal

        raise refusal("request", request_id)


def _bounded(blockers: list[WriteBlocker]) -> list[WriteBlocker]:
    """As many as a readback holds, the last of them telling of the rest: damage must not end a life."""
    more = len(blockers) - MOST_BLOCKERS + 1
    if more <= 1:
        return blockers
    rest = WriteBlocker(source_ref=None, code="damaged", reason=f"{more} more are not listed")
    return [*blockers[: MOST_BLOCKERS - 1], rest]


def _artifact(reader: Reader, record: LedgerRecord) -> object:
    body = reader.body(record.body.digest)
    if body is None:
        raise _NoBodyError(
            f"record {record.seq} has no body {record.body.digest}", subject=record.body.digest
        )
    return parse(body, f"body of record {record.seq}")


def _execution(
    plan: Plan,
    attempt: int,
    state: str,
    provider: ProviderRow | None = None,
    receipt: tuple[str, str] | None = None,
) -> Execution:
    selected = plan.selected_provider
    return Execution(
        plan_id=plan.plan_id or "",
        provider_id=selected.provider_id if selected else "",
        attempt=attempt,
        state=state,
        provider=provider,
        receipt_status=receipt and receipt[0],
        receipt_digest=receipt and receipt[1],
    )
