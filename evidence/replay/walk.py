"""Walk once over all records, in order: bytes, chain, schemas, custody, and what is of no plan's life.

The steps of plans are only noted here; `lives` derives them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from evidence.lifecycle.life import LedgerLife
from evidence.replay.checks import (
    body_break,
    came_back,
    held_body,
    is_erased,
    no_subject,
    read_artifact,
    schema_breaks,
    stated_schema,
    step_breaks,
)
from evidence.replay.findings import RECORDS, Findings, Place, RuleBreak
from evidence.replay.lives import OF_A_LIFE, StrayError, plan_of
from evidence.replay.notes import Notes
from evidence.replay.swift import SCHEMAS
from evidence.replay.views import View
from ledger.chain import Break, Link, links, same_key
from ledger.erasure import read_erasure
from ledger.keyring import RESTORED, ROTATED
from ledger.store import REGISTERED, Reader
from ledger.tree import Frontier, leaf_hash
from schemas.canonical import digest_bytes, is_digest
from schemas.errors import EvidenceError, IntegrityError, InvalidError
from schemas.ledger import OPENED, PLUGIN, LedgerOpened, LedgerRecord, ProviderCall
from schemas.ledger_erasure import ERASURE
from schemas.ledger_keys import KeyRotated, LedgerRestored
from schemas.record import Record

CUSTODY: dict[str, type[Record]] = {ROTATED: KeyRotated, RESTORED: LedgerRestored}
_CHAIN, _KEY, _REST = range(3)


@dataclass(eq=False)
class Walked:
    """What the walk saw, and what it found."""

    log: str | None = None
    records: int = 0
    head: str | None = None
    signed: bool = False
    steps: int = 0
    root: bytes | None = None
    calls: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    uninterpreted: list[int] = field(default_factory=list)
    erased: list[int] = field(default_factory=list)
    schemas: dict[tuple[str, str], int] = field(default_factory=dict)
    findings: Findings = field(default_factory=Findings)
    unreadable: IntegrityError | None = None


def walk(
    reader: Reader, notes: Notes, view: View, erased: Mapping[str, int], *, by_artifact: bool = False
) -> Walked:
    """See every record that `view` shows.

    StrayError: a step of a plan does not name it, and lives must be told by artifacts.
    """
    return _Walk(reader, notes, view, erased, by_artifact).run()


class _Walk:
    """One pass over one snapshot."""

    def __init__(
        self, reader: Reader, notes: Notes, view: View, erased: Mapping[str, int], by_artifact: bool
    ) -> None:
        self._reader = reader
        self._notes = notes
        self._view = view
        self._erased = erased
        self._by_artifact = by_artifact
        self._life = LedgerLife()  # of readiness and calls only
        self._walked = Walked()
        # Of a file that was cut, what the rest of the steps follow from may be lost.
        self._judged: int | None = getattr(reader, "judged", None)

    def run(self) -> Walked:
        walked, tree = self._walked, Frontier()
        try:
            for link in links(self._reader.records(), self._notes.first_use):
                if self._view.is_over(link):
                    break
                walked.records += 1
                walked.head = link.id
                self._add(link.seq, _CHAIN, link.breaks)
                if tree.size < self._view.believed:
                    tree, _ = tree.append(leaf_hash(link.raw))
                if link.record is not None and (self._judged is None or link.seq < self._judged):
                    self._record(link, link.record)
        except IntegrityError as error:
            walked.unreadable = error
        walked.steps = self._notes.finish()
        for seq, first in self._notes.repeated():
            self._add(seq, _KEY, (same_key(seq, first),))
        walked.root = tree.root() if tree.size == self._view.believed else None
        return walked

    def _add(self, seq: int, turn: int, found: tuple[Break, ...]) -> None:
        if found:
            self._walked.findings.add(Place(RECORDS, seq, turn), found)

    def _record(self, link: Link, record: LedgerRecord) -> None:
        self._walked.log = self._walked.log or record.log
        if (record.seq == 0) != (record.kind == "ledger.opened"):
            rule = "a ledger opens once, at seq 0"
            self._add(link.seq, _REST, (RuleBreak(link.seq, "kind", rule, "ledger.opened", record.kind),))
        if record.kind in OF_A_LIFE:
            plan_id, usual = self._plan_of(link.seq, record), self._is_usual(link.seq, record)
            self._notes.step(plan_id, link.seq, link.id, record, usual=usual)
        elif self._view.believes(link.seq):
            self._believe(link.seq, record)
        else:
            self._add(link.seq, _REST, tuple(self._other(link.seq, record)))

    def _plan_of(self, at: int, record: LedgerRecord) -> str:
        if not self._by_artifact:
            if record.subject.plan_id is None:
                raise StrayError(str(at))
            return str(record.subject.plan_id)
        try:
            found = plan_of(read_artifact(held_body(self._reader, record), record))
        except (IntegrityError, InvalidError):
            found = None
        # Whatever names no plan fails by itself, in whichever life.
        return found if found is not None and is_digest(found) else record.subject.plan_id or ""

    def _is_usual(self, at: int, record: LedgerRecord) -> bool:
        """Whether all that there is to say of the record is what its artifact says."""
        schema = record.schema
        before = self._walked.schemas.get((schema.name, schema.digest), at) < at
        return before and schema.name == SCHEMAS[record.kind] and record.seq == at and not self._by_artifact

    def _believe(self, at: int, record: LedgerRecord) -> None:
        if record.kind == REGISTERED:
            self._walked.schemas.setdefault((record.schema.name, record.schema.digest), at)
        elif record.kind == "provider.observed":
            self._notes.observed(at, record.body.digest)
        elif record.kind == "ledger.opened":
            self._walked.signed = True  # whether it has a key is for who verifies signatures

    def _other(self, at: int, record: LedgerRecord) -> Iterator[Break]:
        try:
            if is_erased(self._reader, record, self._erased):
                self._walked.erased.append(at)
                return
            body = held_body(self._reader, record)
            yield from came_back(at, record, self._erased)
            artifact = read_artifact(body, record)
        except (IntegrityError, InvalidError) as error:
            yield body_break(at, record, error)
            return
        if record.kind == REGISTERED:
            yield from self._register(at, record, body)
        elif record.kind == "ledger.opened":
            yield from self._open(record, artifact)
        elif record.kind in CUSTODY or record.kind == ERASURE:
            yield from self._custody(at, record, artifact)
        elif record.kind in ("provider.observed", "provider.called"):
            yield from self._step(at, record, artifact)
        else:
            self._walked.uninterpreted.append(at)

    def _register(self, at: int, record: LedgerRecord, body: bytes) -> Iterator[Break]:
        yield from no_subject(record)
        own = digest_bytes(body)
        if own != record.schema.digest:
            rule = "a registered schema is its body"
            yield RuleBreak(record.seq, "schema.digest", rule, own, record.schema.digest)
        self._walked.schemas.setdefault((record.schema.name, record.schema.digest), at)

    def _open(self, record: LedgerRecord, artifact: object) -> Iterator[Break]:
        yield from no_subject(record)
        if record.schema.name != OPENED:
            rule = "the artifact states its schema"
            yield RuleBreak(record.seq, "schema.name", rule, OPENED, record.schema.name)
        try:
            opened = LedgerOpened.read(artifact)
        except EvidenceError as error:
            yield RuleBreak(record.seq, "body", error.code, OPENED, error.message)
            return
        self._walked.signed |= opened.key is not None or any(self._reader.checkpoints())
        if opened.origin != record.log:
            yield RuleBreak(record.seq, "body.origin", "one log, one name", record.log, opened.origin)

    def _custody(self, at: int, record: LedgerRecord, artifact: object) -> Iterator[Break]:
        yield from schema_breaks(self._walked.schemas, at, record, stated_schema(artifact))
        try:
            if record.kind == ERASURE:
                read_erasure(record, artifact)
                return
            self._walked.signed = True  # also where nobody has a key: who then signed it?
            yield from no_subject(record)
            CUSTODY[record.kind].read(artifact)
        except InvalidError as error:
            yield RuleBreak(record.seq, "body", error.code, record.schema.name, error.message)

    def _step(self, at: int, record: LedgerRecord, artifact: object) -> Iterator[Break]:
        yield from schema_breaks(self._walked.schemas, at, record, stated_schema(artifact))
        before = self._life.observed
        found = list(step_breaks(self._life, record, artifact))
        yield from found
        if self._life.observed is not before:
            self._notes.observed(at, record.body.digest)
        if record.kind == "provider.called" and not any(one.field.startswith("body") for one in found):
            yield from self._call(record, ProviderCall.read(artifact))

    def _call(self, record: LedgerRecord, call: ProviderCall) -> Iterator[Break]:
        if not record.actor.startswith(PLUGIN):
            rule = "a provider is called by a plugin"
            yield RuleBreak(record.seq, "actor", rule, f"{PLUGIN}…", record.actor)
        self._walked.calls[record.actor, call.action, call.evidence.state] += 1
