"""The replay as plainly as it can be said: one pass, everything in memory, every step by `interpret`.

The replay that auditors use does the same in pieces; the tests hold it to this one.
"""

from collections.abc import Iterator

from evidence.audit import Replay
from evidence.lifecycle.interpret import STEPS, interpret
from evidence.lifecycle.life import LedgerLife
from evidence.replay.findings import MOST_FINDINGS, RuleBreak
from ledger.chain import Break, Link, links
from ledger.keyring import RESTORED, ROTATED
from ledger.signature_check import signature_breaks
from ledger.store import Reader
from schemas.canonical import canonical, digest_bytes
from schemas.errors import EvidenceError, IntegrityError, InvalidError, OrderError
from schemas.ledger import OPENED, PLUGIN, LedgerOpened, LedgerRecord, ProviderCall, Subject
from schemas.ledger_keys import KeyRotated, LedgerRestored
from schemas.outside import parse
from schemas.record import Record

CUSTODY: dict[str, type[Record]] = {ROTATED: KeyRotated, RESTORED: LedgerRestored}


def plain_replay(reader: Reader) -> Replay:
    """What one plain pass over a ledger finds."""
    return _Auditor(reader).run()


class _Auditor:
    """One pass over one snapshot."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._life = LedgerLife()
        self._schemas: set[tuple[str, str]] = set()
        self._report = Replay()
        self._signed = False

    def run(self) -> Replay:
        report = self._report
        try:
            for link in links(self._reader.records()):
                report.records += 1
                report.head = link.id
                for finding in self._check(link):
                    self._add(finding)
            for finding in (*self._unfollowed(), *self._reader.index_breaks(), *self._signatures()):
                self._add(finding)
        except IntegrityError as error:
            self._add(Break(report.records, "file", "the file can be read", "a record", error.message))
        report.findings.sort(key=lambda one: one.seq)
        _count(self._life, report)
        return report

    def _add(self, finding: Break) -> None:
        if isinstance(finding, RuleBreak):
            self._report.rule_broken = True
        else:
            self._report.tampered = True
        if len(self._report.findings) < MOST_FINDINGS:
            self._report.findings.append(finding)
        else:
            self._report.truncated = True

    def _check(self, link: Link) -> Iterator[Break]:
        yield from link.breaks
        record = link.record
        if record is None:
            return
        self._report.log = self._report.log or record.log
        if (record.seq == 0) != (record.kind == "ledger.opened"):
            yield RuleBreak(link.seq, "kind", "a ledger opens once, at seq 0", "ledger.opened", record.kind)
        try:
            body = _body(self._reader, record)
            artifact = _artifact(body, record)
        except (IntegrityError, InvalidError) as error:
            rule = "the body is the one that the record names"
            yield Break(link.seq, "body", rule, record.body.digest, error.message)
            return
        if record.kind in ("ledger.opened", "schema.registered"):
            yield from self._opening(record, body, artifact)
        elif record.kind in CUSTODY:
            yield from self._custody(record, artifact)
        elif record.kind in STEPS:
            yield from self._step(record, artifact)
        else:
            self._report.uninterpreted.append(link.seq)

    def _opening(self, record: LedgerRecord, body: bytes, artifact: object) -> Iterator[Break]:
        if record.subject != Subject():
            found = canonical(record.subject.to_wire()).decode()
            yield RuleBreak(record.seq, "subject", "no artifact of a life, no subject", "{}", found)
        if record.kind == "schema.registered":
            own = digest_bytes(body)
            if own != record.schema.digest:
                rule = "a registered schema is its body"
                yield RuleBreak(record.seq, "schema.digest", rule, own, record.schema.digest)
            self._schemas.add((record.schema.name, record.schema.digest))
            return
        if record.schema.name != OPENED:
            rule = "the artifact states its schema"
            yield RuleBreak(record.seq, "schema.name", rule, OPENED, record.schema.name)
        try:
            opened = LedgerOpened.read(artifact)
        except EvidenceError as error:
            yield RuleBreak(record.seq, "body", error.code, OPENED, error.message)
            return
        self._signed |= opened.key is not None or any(self._reader.checkpoints())
        if opened.origin != record.log:
            yield RuleBreak(record.seq, "body.origin", "one log, one name", record.log, opened.origin)

    def _custody(self, record: LedgerRecord, artifact: object) -> Iterator[Break]:
        self._signed = True
        yield from self._schema(record, artifact)
        if record.subject != Subject():
            found = canonical(record.subject.to_wire()).decode()
            yield RuleBreak(record.seq, "subject", "no artifact of a life, no subject", "{}", found)
        try:
            CUSTODY[record.kind].read(artifact)
        except InvalidError as error:
            yield RuleBreak(record.seq, "body", error.code, record.schema.name, error.message)

    def _signatures(self) -> Iterator[Break]:
        # Keys, checkpoints and restorals; only who has to verify needs what verifies.
        return signature_breaks(self._reader) if self._signed else iter(())

    def _schema(self, record: LedgerRecord, artifact: object) -> Iterator[Break]:
        seq, name = record.seq, record.schema.name
        if (name, record.schema.digest) not in self._schemas:
            rule = "a schema is registered before it is used"
            yield RuleBreak(seq, "schema", rule, "a registered schema", f"{name} {record.schema.digest}")
        if isinstance(artifact, dict) and artifact.get("schema_version") != name:
            stated = str(artifact.get("schema_version"))
            yield RuleBreak(seq, "schema.name", "the artifact states its schema", stated, name)

    def _step(self, record: LedgerRecord, artifact: object) -> Iterator[Break]:
        seq = record.seq
        yield from self._schema(record, artifact)
        try:
            subject = interpret(self._life, record.kind, artifact)
        except OrderError as error:
            yield RuleBreak(seq, "kind", error.rule, "a step that may follow", error.message)
            return
        except EvidenceError as error:
            yield RuleBreak(
                seq, f"body {error.subject}", error.code, "an artifact that verifies", error.message
            )
            return
        if subject != record.subject:
            expected, found = (canonical(one.to_wire()).decode() for one in (subject, record.subject))
            yield RuleBreak(seq, "subject", "the subject is derived from the artifact", expected, found)
        if record.kind == "provider.called":
            yield from self._call(record, ProviderCall.read(artifact))

    def _call(self, record: LedgerRecord, call: ProviderCall) -> Iterator[Break]:
        if not record.actor.startswith(PLUGIN):
            yield RuleBreak(
                record.seq, "actor", "a provider is called by a plugin", f"{PLUGIN}…", record.actor
            )
        self._report.calls[record.actor, call.action, call.evidence.state] += 1

    def _unfollowed(self) -> Iterator[Break]:
        # A writer takes each of these two steps together with the one that must follow it.
        last = self._report.records - 1
        for plan in self._life.plans.values():
            for digest in plan.delivered:
                rule = "what an execution delivered is observed"
                yield RuleBreak(last, "record", rule, digest, "no such receipt")
            for receipt in plan.receipts.values():
                if receipt.superseding is not None:
                    rule = "a superseding decision comes into force"
                    yield RuleBreak(last, "record", rule, receipt.superseding, "no such decision")


def _body(reader: Reader, record: LedgerRecord) -> bytes:
    body = reader.body(record.body.digest)
    if body is None:
        raise IntegrityError("no body is stored under this digest", subject="body")
    if len(body) != record.body.size:
        raise IntegrityError(f"the body has {len(body)} bytes, not {record.body.size}", subject="body.size")
    return body


def _artifact(body: bytes, record: LedgerRecord) -> object:
    artifact = parse(body, "body")
    if record.kind != "schema.registered" and canonical(artifact) != body:
        raise InvalidError("the body is not written in its canonical form", subject="body")
    return artifact


def _count(life: LedgerLife, report: Replay) -> None:
    report.plans = len(life.plans)
    lives = [receipt for plan in life.plans.values() for receipt in plan.receipts.values()]
    report.receipts = len(lives)
    report.admissions = sum(len(receipt.history) for receipt in lives)
    report.retired = sum(receipt.retired for receipt in lives)
