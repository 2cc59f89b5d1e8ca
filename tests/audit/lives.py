"""Random lives made through the engine, many in one ledger, and ways to damage what was stored."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple, cast

from evidence.audit import Replay, replay
from evidence.engine import Engine
from ledger.chain import Break
from ledger.sqlite_readonly import open_readonly
from ledger.store import Reader
from providers.registry import Registry
from schemas.admission import Decision
from schemas.canonical import ALGORITHMS, canonical, digest_bytes
from schemas.errors import IntegrityError, ProviderError
from schemas.ledger import LedgerRecord, read_raw, record_id
from schemas.plan import Plan
from schemas.receipt import Receipt
from schemas.request import Request
from tests.world import Clock, Memory, OneTransaction, World, honest, open_ledger, row

WORDS = ("坡道", "扶手", "GB 50763", "ramp", "𠀀", "e\u0301", "无障碍", "width?")


@dataclass
class Lives:
    """A source of random lives; the same seed makes the same ledger."""

    chance: Random
    clock: Clock

    def text(self) -> str:
        """A few words."""
        return " ".join(self.chance.choices(WORDS, k=self.chance.randint(1, 5)))

    def answer(self, plan: Plan) -> Receipt:
        """A receipt of some kind, or an error."""
        if self.chance.random() < 0.1:
            raise ProviderError("upstream is down")
        refs = [f"urn:x:{number}" for number in range(self.chance.choice((0, 1, 2, 5)))]
        return honest(plan, self.clock(), refs, summary=self.text())

    def live(self, ledger: OneTransaction, number: int) -> None:
        """One life, which may end early, be decided again, or run twice."""
        ready = self.chance.random() > 0.05
        world = World(self.clock, answer=self.answer, probes=[row(ready=ready)])
        algorithm = self.chance.choice(ALGORITHMS)
        runs = Engine(
            Registry((world,)), self.clock, ledger, actor=f"actor-{number % 3}", algorithm=algorithm
        )
        plan = runs.plan(
            Request(
                objective=f"{number} {self.text()}", user_activity="u", decision="d", evidence_kinds=("k",)
            )
        )
        if plan.status == "ready":
            times = self.chance.choice((1, 1, 2))
            receipts = [runs.execute(plan).receipt for _ in range(times)]
            self.decide(runs, plan, receipts[-1])

    def decide(self, runs: Engine, plan: Plan, receipt: Receipt) -> None:
        """Some decisions, readbacks and, mostly, retirement."""
        sink, made = Memory(), []
        for _ in range(self.chance.choice((0, 1, 1, 1, 1, 2, 3))):
            decision = self.decision(receipt)
            made.append(runs.admit(plan, receipt, decision, supersede=True))
            if self.chance.random() < 0.9:
                runs.readback(plan, receipt, decision, sink, execute=self.chance.random() < 0.9)
        if made and self.chance.random() < 0.9:
            runs.retire(made[-1])

    def decision(self, receipt: Receipt) -> Decision:
        """Any decision on `receipt`."""
        refs = [one.source_ref for one in receipt.sources]
        if not refs or self.chance.random() < 0.2:
            return Decision(disposition="reject", reason=self.text())
        chosen = tuple(self.chance.sample(refs, self.chance.randint(1, len(refs))))
        return Decision(disposition="admit", reason=self.text(), admitted_source_refs=chosen)


def make(path: Path, count: int, seed: int = 0) -> Path:
    """A closed ledger of `count` random lives."""
    source = Lives(Random(seed), Clock())
    stored = open_ledger(path, source.clock)
    ledger = OneTransaction(stored)
    for number in range(count):
        source.live(ledger, number)
    ledger.close()
    stored.close()
    return path


def replayed(path: Path) -> Replay:
    """The replay of the ledger at `path`."""
    with open_readonly(path).read() as reader:
        return replay(reader)


class Step(NamedTuple):
    """One stored record and its body."""

    record: LedgerRecord
    body: bytes

    def stating(self, artifact: object) -> "Step":
        """This step with another artifact."""
        return self._replace(body=canonical(artifact))


def steps(path: Path) -> list[Step]:
    """All steps of the ledger at `path`."""
    with open_readonly(path).read() as reader:
        records = [read_raw(raw) for _, raw in reader.records()]
        return [Step(record, reader.body(record.body.digest) or b"") for record in records]


class Shelf:
    """What a replay reads, in memory."""

    def __init__(self, raws: Iterable[tuple[int, bytes]], bodies: Iterable[bytes]) -> None:
        self._raws = list(raws)
        self._bodies = {digest_bytes(body): body for body in bodies}

    def records(self, after: int = -1) -> Iterator[tuple[int, bytes]]:
        """Every (seq, raw) beyond `after`."""
        return iter([pair for pair in self._raws if pair[0] > after])

    def raw(self, seq: int) -> bytes | None:
        """The record that stands there."""
        return dict(self._raws).get(seq)

    def of_kind(self, kind: str) -> list[tuple[int, bytes]]:
        """Every record that can be read and is of that kind."""
        found = []
        for seq, raw in self._raws:
            with suppress(IntegrityError):
                if read_raw(raw).kind == kind:
                    found.append((seq, raw))
        return found

    def body(self, digest: str) -> bytes | None:
        """The body of that digest."""
        return self._bodies.get(digest)

    def checkpoints(self) -> Iterator[tuple[int, bytes]]:
        """Nobody signed it."""
        return iter(())

    def index_breaks(self) -> Iterator[Break]:
        """There is no index."""
        return iter(())

    def replay(self) -> Replay:
        """The replay of this shelf."""
        return replay(cast(Reader, self))


def rewritten(changed: Iterable[Step]) -> Replay:
    """The replay of what `shelf_of` makes."""
    return shelf_of(changed).replay()


def shelf_of(changed: Iterable[Step]) -> Shelf:
    """What is stored after somebody who can write everything anew changed the steps.

    Sequence, chain, body digests and sizes and the registered schemas are made right again, and every
    record keys and names its artifact as before.
    """
    raws: list[tuple[int, bytes]] = []
    bodies: list[bytes] = []
    prev: str | None = None
    for seq, step in enumerate(changed):
        own = digest_bytes(step.body)
        body = step.record.body.replace(digest=own, size=len(step.body))
        raw = step.record.replace(seq=seq, prev=prev, body=body).canonical()
        raws.append((seq, raw))
        bodies.append(step.body)
        prev = record_id(raw)
    return Shelf(raws, bodies)
