"""A small world that lies: providers that are late, empty, forged or gone, a clock, a sink in memory.

No mocks: everything here is a real Provider, Clock, Sink or Ledger that the engine cannot tell apart.
"""

from asyncio import CancelledError
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any, ClassVar, TypeVar

from evidence.engine import Engine
from evidence.lifecycle.readback import held_of
from ledger.sqlite import SqliteLedger
from ledger.store import Appended, Draft, Ledger, Opening, Reader, Writer
from providers.base import Outgoing
from providers.registry import Registry
from schemas.admission import Admission
from schemas.canonical import Algorithm, algorithm_of, digest, digest_bytes
from schemas.dates import instant
from schemas.errors import EvidenceError, ProviderError
from schemas.ledger import OPENED, read_raw
from schemas.plan import Plan
from schemas.provider import ProviderRow
from schemas.published import schema_bytes
from schemas.readback import Held, WriteBlocker
from schemas.receipt import Receipt, Source
from schemas.request import Request

T = TypeVar("T")
START = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
REFS = ("urn:cn-standard:GB%2050763-2012", "https://example.org/a", "https://example.org/b")


class Clock:
    """A clock that moves one second on whenever somebody looks."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def other(algorithm: Algorithm) -> Algorithm:
    """The algorithm that this one is not."""
    return "sha256" if algorithm == "blake3" else "blake3"


def row(provider_id: str = "method:world", ready: bool = True, kind: str = "method") -> ProviderRow:
    """A row of that provider."""
    return ProviderRow(
        provider_id=provider_id,
        provider_kind=kind,
        declared=True,
        installed=True,
        enabled=ready,
        ready=ready,
        unavailable_reason=None if ready else "switched off",
    )


def source(ref: str, algorithm: Algorithm = "blake3", accessed_at: str = "2026-03-01T00:00:00Z") -> Source:
    """What this world says about `ref`."""
    return Source(
        source_ref=ref,
        source_family="standard",
        basis="stated",
        finding=f"《无障碍设计规范》 says about {ref}",
        accessed_at=accessed_at,
        content_digest=digest(ref, algorithm),
    )


def honest(plan: Plan, at: datetime = START, refs: Sequence[str] = REFS, **changes: object) -> Receipt:
    """The true receipt for `plan`, or with `changes` one that is not."""
    assert plan.selected_provider is not None
    assert plan.plan_id is not None
    algorithm = algorithm_of(plan.plan_id)
    given: dict[str, Any] = {
        "plan_id": plan.plan_id,
        "request_id": plan.request.request_id,
        "provider_id": plan.selected_provider.provider_id,
        "provider_kind": plan.selected_provider.provider_kind,
        "status": "succeeded" if refs else "no_evidence",
        "sources": [source(ref, algorithm) for ref in refs],
        "summary": f"{len(refs)} found",
        "completed_at": instant(at),
    }
    return Receipt(**{**given, **changes})


def forged(receipt: Receipt, **changes: object) -> Receipt:
    """A Receipt object that never went through its rules, as Python lets anybody make one."""
    made = Receipt.__new__(Receipt)
    made.__dict__.update({**receipt.__dict__, **changes})
    return made


class MuteError(Exception):
    """An error that cannot say what is wrong."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


Answer = Callable[[Plan], object]


def _raises(error: BaseException) -> Answer:
    def answer(_plan: Plan) -> object:
        raise error

    return answer


# Each lie, and words of the step that a failed receipt must name.
LIES: dict[str, tuple[Answer, str]] = {
    "raises ours": (
        _raises(ProviderError("upstream is down")),
        "running the provider: provider_failed: upstream",
    ),
    "raises foreign": (
        _raises(ZeroDivisionError("by\x00zero\u202e")),
        "running the provider: ZeroDivisionError: by",
    ),
    "leaves": (_raises(SystemExit(3)), "running the provider: SystemExit: 3"),
    "cancelled": (_raises(CancelledError("by itself")), "running the provider: CancelledError: by itself"),
    "interrupts": (_raises(KeyboardInterrupt()), "running the provider: KeyboardInterrupt:"),
    "mute": (_raises(MuteError()), "running the provider: MuteError: it cannot be told: RuntimeError"),
    "huge error": (_raises(ValueError("𠀀" * 100_000)), "running the provider: ValueError: 𠀀"),
    "none": (lambda _plan: None, "reading its answer: invalid: a NoneType is no receipt"),
    "a dict": (lambda plan: honest(plan).to_wire(), "reading its answer: invalid: a dict is no receipt"),
    "wrong plan": (
        lambda plan: honest(plan, plan_id=digest("another plan")),
        "binding its receipt to the plan: receipt.plan_id",
    ),
    "wrong request": (
        lambda plan: honest(plan, request_id=digest("stale")),
        "binding its receipt to the plan: receipt.request_id",
    ),
    "wrong provider": (
        lambda plan: honest(plan, provider_id="method:else"),
        "binding its receipt to the plan: receipt.provider_id",
    ),
    "wrong kind": (
        lambda plan: honest(plan, provider_kind="connector"),
        "binding its receipt to the plan: receipt.provider_kind",
    ),
    "65 sources": (
        lambda plan: honest(plan, refs=[f"urn:x:{number}" for number in range(65)]),
        "running the provider: invalid: receipt.sources has 65 items",
    ),
    "unknown status": (
        lambda plan: honest(plan, status="perfect"),
        "running the provider: invalid: receipt.status must be",
    ),
    "forged status": (
        lambda plan: forged(honest(plan), status="perfect"),
        "reading its answer: invalid: receipt.status must be",
    ),
    "forged file": (
        lambda plan: forged(honest(plan), sources=(_source_of_a_file(),)),
        "reading its answer: invalid: receipt.sources[0].source_ref",
    ),
    "forged kind of receipt": (
        lambda plan: _claiming(honest(plan), {"sources": (_source_of_a_file(),)}),
        "reading its answer: ",
    ),
    "other kind of receipt": (
        lambda plan: _claiming(honest(plan), honest(plan, plan_id=digest("another plan")).to_wire()),
        "binding its receipt to the plan: receipt.plan_id",
    ),
    "forged digest": (
        lambda plan: forged(honest(plan), request_id="blake3:guess"),
        "reading its answer: invalid: receipt.request_id",
    ),
}


class _Claiming(Receipt):
    """A receipt that writes itself as it likes."""

    def to_wire(self) -> dict[str, object]:
        claimed = self.__dict__["claimed"]
        return dict(claimed)


def _claiming(receipt: Receipt, claimed: dict[str, object]) -> Receipt:
    made = _Claiming.__new__(_Claiming)
    made.__dict__.update({"claimed": {**receipt.to_wire(), **claimed}})
    return made


def _source_of_a_file() -> Source:
    made = Source.__new__(Source)
    made.__dict__.update({**source(REFS[0]).__dict__, "source_ref": "file:///etc/passwd"})
    return made


@dataclass
class World:
    """A provider whose probes and answers a test chooses; it remembers what was asked of it."""

    clock: Clock = field(default_factory=Clock)
    provider_id: str = "method:world"
    provider_kind: str = "method"
    answer: Answer | None = None
    probes: list[ProviderRow | BaseException | None] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def readiness(self) -> ProviderRow:
        """The next of `probes`, an error among them raised; ready when none is left."""
        self.asked.append("readiness")
        probed = self.probes.pop(0) if self.probes else row(self.provider_id, kind=self.provider_kind)
        if isinstance(probed, BaseException):
            raise probed
        return probed  # type: ignore[return-value]  # a liar answers with anything

    def execute(self, plan: Plan) -> Receipt:
        """The chosen answer, by default the true one."""
        self.asked.append("execute")
        if self.answer is None:
            return honest(plan, self.clock())
        return self.answer(plan)  # type: ignore[return-value]  # a liar answers with anything


class Outside(World):
    """A connector: it says what it would send."""

    def outgoing(self, plan: Plan) -> Sequence[Outgoing]:
        self.asked.append("outgoing")
        return (Outgoing("https://example.org/search", plan.request.objective),)


def connector() -> Outside:
    """A connector that is ready."""
    return Outside(provider_id="connector:world", provider_kind="connector")


class Late(World):
    """A provider that answers only when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = Event()

    def execute(self, plan: Plan) -> Receipt:
        self.gate.wait()
        return super().execute(plan)


class Memory:
    """A Sink in memory; `forgets` are the refs that it takes and then does not hold."""

    name: ClassVar[str] = "memory"

    def __init__(self, forgets: Sequence[str] = ()) -> None:
        self.forgets = frozenset(forgets)
        self.rows: dict[tuple[str, str], Held] = {}

    def write(self, admission: Admission, sources: Sequence[Source], recorded_at: str) -> list[WriteBlocker]:
        """Hold all of `sources` but the forgotten ones."""
        for one in sources:
            held = held_of(admission, one, recorded_at)
            self.rows[held.admission_id, one.source_ref] = held
        return []

    def withdraw(self, admission_id: str, by: str, recorded_at: str) -> int:
        """Mark the rows of `admission_id`."""
        keys = [key for key, held in self.rows.items() if key[0] == admission_id and held.withdrawn is None]
        for key in keys:
            self.rows[key] = self.rows[key].replace(withdrawn=by, recorded_at=recorded_at)
        return len(keys)

    def held(self, plan_id: str) -> list[Held]:
        """Every row of one plan that was not forgotten."""
        rows = [held for held in self.rows.values() if held.plan_id == plan_id]
        return [held for held in rows if held.source.source_ref not in self.forgets]

    def damaged(self, plan_id: str) -> list[WriteBlocker]:  # noqa: ARG002 - the protocol's
        """Nothing ever is."""
        return []


class OneTransaction:
    """A Ledger whose steps all go into one transaction of another: a thousand lives, one commit."""

    def __init__(self, ledger: Ledger) -> None:
        self._stack = ExitStack()
        self._writer = self._stack.enter_context(ledger.write())

    @contextmanager
    def write(self, *, restoring: bool = False) -> Iterator[Writer]:  # noqa: ARG002 - nothing is restored
        """The one writer."""
        yield self._writer

    @contextmanager
    def read(self) -> Iterator[Reader]:
        """The one writer, which reads too."""
        yield self._writer

    def run(self, step: Callable[[Writer], T]) -> T:
        """What `step` gives."""
        return step(self._writer)

    def append(self, *drafts: Draft) -> list[Appended]:
        """These steps; they have no proof before the commit."""
        return [self._writer.append(draft) for draft in drafts]

    def scrub(self) -> str | None:
        """Nothing is erased here."""
        return None

    def close(self) -> None:
        """Commit."""
        self._stack.close()


def opening() -> Opening:
    """How a ledger of this world begins."""
    return Opening("tester", digest_bytes(schema_bytes(OPENED)), origin="tests.example/world")


LEFT_OPEN: list[SqliteLedger] = []
"""What `open_ledger` opened; `tests/conftest.py` closes it after each test."""


def open_ledger(path: Path, clock: Clock | None = None, timeout_seconds: float = 10) -> SqliteLedger:
    """The ledger at `path`, begun if it is not there; it may be left open until the test ends."""
    made = SqliteLedger.open(path, clock or Clock(), create=opening(), timeout_seconds=timeout_seconds)
    LEFT_OPEN.append(made)
    return made


def engine(
    provider: World | None = None, ledger: Ledger | None = None, algorithm: Algorithm = "blake3"
) -> Engine:
    """An engine over one provider of this world."""
    provider = World() if provider is None else provider
    return Engine(
        registry=Registry((provider,)),
        clock=provider.clock,
        ledger=ledger,
        actor="tester",
        algorithm=algorithm,
        timeout_seconds=30,
    )


def request(objective: str = "坡道坡度?") -> Request:
    """A question."""
    return Request(
        objective=objective, user_activity="review", decision="accept the ramp", evidence_kinds=("standard",)
    )


def kinds(ledger: Ledger) -> list[str]:
    """The kinds of all records after the opening, schema registrations left out."""
    with ledger.read() as reader:
        found = [read_raw(raw).kind for _, raw in reader.records()]
    return [kind for kind in found if kind not in ("ledger.opened", "schema.registered")]


def refusal(call: Callable[[], object]) -> EvidenceError | None:
    """The error that `call` ends in, None when it does not."""
    try:
        call()
    except EvidenceError as error:
        return error
    return None
