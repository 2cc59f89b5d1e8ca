"""What a ledger says in decision terms: questions, receipts, decisions, coverage (ledger.md section 5).

Only stored bytes are read: the records one by one, then one plan at a time, so that memory holds a few
numbers for each plan and the artifacts of one. Nothing is judged here; `evidence.audit` does that.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile

from evidence.plan_story import DAMAGED, ERASED, HELD, MISSING, PlanStory, Step, Wire, place_of
from ledger.erasure import erased
from ledger.store import Reader
from ledger.tree import Frontier, leaf_hash
from schemas.errors import EvidenceError, IntegrityError
from schemas.ledger import LedgerRecord, ProviderCall, read_raw, record_id
from schemas.ledger_erasure import KEPT
from schemas.outside import parse

EVENTS = ("ledger.opened", "policy.changed", "key.rotated", "body.erased", "ledger.restored")
CALLED = "provider.called"


class Story:
    """What the first `until` + 1 records of a log say, all of them without it."""

    def __init__(self, reader: Reader, until: int | None = None) -> None:
        self._reader = reader
        self._plans: dict[str, array[int]] = {}
        self._events = array("q")
        self._calls = array("q")
        self._erased = erased(reader)
        self.log: str | None = None
        self.records = 0
        self._last = -1
        self.head: str | None = None
        self.first_at: str | None = None
        self.last_at: str | None = None
        self.kinds: Counter[str] = Counter()
        self.unread: list[int] = []
        self.tree = Frontier()
        self._walk(until)

    def plans(self) -> Iterator[PlanStory]:
        """Every plan in the order of its first record, built one at a time; it may be asked again."""
        for plan_id, seqs in self._plans.items():
            yield self._plan(plan_id, seqs)

    def plan_ids(self) -> list[str]:
        """The id of every plan, in the order of its first record."""
        return list(self._plans)

    def plan(self, plan_id: str) -> PlanStory:
        """One of the plans."""
        return self._plan(plan_id, self._plans[plan_id])

    def events(self) -> Iterator[Step]:
        """What concerns the log itself: its opening, keys, restorals, erasures."""
        return (self._step(seq, _as_it_is) for seq in self._events)

    def calls(self) -> Iterator[Step]:
        """Every call of a provider that a host recorded (EXT-20 section 4.3)."""
        return (self._step(seq, ProviderCall.read) for seq in self._calls)

    def steps(self, most: int | None = None) -> Iterator[Step]:
        """The first `most` records that can be read, in order, without what their bodies mean."""
        for seq, raw in self.raws():
            if most is not None and seq >= most:
                break
            with suppress(IntegrityError):
                record = read_raw(raw)
                yield Step(seq, record_id(raw), record, self._body(record)[0])

    def raws(self) -> Iterator[tuple[int, bytes]]:
        """Every stored record of this story, in order."""
        return takewhile(lambda stored: stored[0] <= self._last, self._reader.records())

    def body(self, record: LedgerRecord) -> bytes | None:
        """The body that a record names, where it is held."""
        return self._body(record)[1]

    @property
    def erased(self) -> dict[str, int]:
        """The digests that a `body.erased` of this story names, each with the seq of the first that does."""
        return {digest: seq for digest, seq in self._erased.items() if seq <= self._last}

    def to_wire(self) -> Wire:
        """The log as a whole, without its plans."""
        return {
            "log": self.log,
            "records": self.records,
            "head": self.head,
            "root": f"sha256:{self.tree.root().hex()}",
            "first_at": self.first_at,
            "last_at": self.last_at,
            "kinds": dict(sorted(self.kinds.items())),
            "unread": self.unread,
        }

    def _walk(self, until: int | None) -> None:
        for seq, raw in self._reader.records():
            if until is not None and seq > until:
                break
            self._last = seq
            self.records += 1
            self.head = record_id(raw)
            self.tree, _ = self.tree.append(leaf_hash(raw))
            try:
                record = read_raw(raw)
            except IntegrityError:
                self.unread.append(seq)
                continue
            self._take(seq, record)

    def _take(self, seq: int, record: LedgerRecord) -> None:
        self.log = self.log or record.log
        self.first_at = self.first_at or record.at
        self.last_at = record.at
        self.kinds[record.kind] += 1
        if record.subject.plan_id is not None and record.kind not in EVENTS:
            self._plans.setdefault(record.subject.plan_id, array("q")).append(seq)
        elif record.kind == CALLED:
            self._calls.append(seq)
        elif record.kind in EVENTS:
            self._events.append(seq)

    def _plan(self, plan_id: str, seqs: "array[int]") -> PlanStory:
        story = PlanStory(plan_id)
        for seq in seqs:
            record = self._record(seq)
            place = place_of(record)
            if place is None:
                story.others.append(self._step(seq, _as_it_is))
            else:
                kind, put = place
                put(story, self._step(seq, kind.read))
        return story

    def _record(self, seq: int) -> LedgerRecord:
        raw = self._reader.raw(seq)
        if raw is None:
            raise IntegrityError(f"record {seq} is gone since it was seen", subject=str(seq))
        return read_raw(raw)

    def _step(self, seq: int, read: Callable[[object], object]) -> Step:
        record = self._record(seq)
        state, value = self._value(record)
        # A record that was read is canonical, so that its own bytes are the stored ones.
        step = Step(seq, record_id(record.canonical()), record, state)
        if state != HELD:
            return step
        try:
            return replace(step, artifact=read(value))
        except EvidenceError:
            return replace(step, body=DAMAGED)

    def _value(self, record: LedgerRecord) -> tuple[str, object]:
        """What became of the body, and the value that it writes where it is held."""
        state, body = self._body(record)
        if body is None:
            return state, None
        try:
            return state, parse(body, "body")
        except EvidenceError:
            return DAMAGED, None

    def _body(self, record: LedgerRecord) -> tuple[str, bytes | None]:
        try:
            body = self._reader.body(record.body.digest)
        except IntegrityError:
            return DAMAGED, None
        if body is None:
            gone = record.kind not in KEPT and record.body.digest in self._erased
            return (ERASED if gone else MISSING), None
        return (HELD, body) if len(body) == record.body.size else (DAMAGED, None)


def story(reader: Reader, until: int | None = None) -> Story:
    """What the ledger says up to and with record `until`; one that is broken is told as far as it reads."""
    return Story(reader, until)


def _as_it_is(value: object) -> object:
    return value
