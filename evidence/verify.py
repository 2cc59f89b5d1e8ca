"""Verify a ledger file against what an auditor trusts, and say the one word on it (ledger.md section 5).

The replay checks bytes, chain, tree, checkpoints and rules; here is what it cannot: whether the whole of
it is the one that somebody saw before.
"""

from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from evidence.audit import Replay, replay
from evidence.verdict import LIMIT, Facts, Verdict, judge, no_ledger
from ledger.anchor import Anchor, Compared, beyond, compare, given_up, other_key, see, signed_part, trust
from ledger.chain import Break
from ledger.checkpoint import Checkpoint
from ledger.forms import open_log, refuse_none
from ledger.keyring import Period, periods
from ledger.places import Place
from ledger.sqlite_file import NoLedgerError
from ledger.store import Reader
from schemas.errors import EvidenceError, IntegrityError, InvalidError

if TYPE_CHECKING:
    from ledger.policy import Policy

SCHEMA = "external_evidence_verification_v0"
DOCTOR = "`audit doctor` says what commonly makes a file such, and what to do about it"


class Verification:
    """The word on a ledger, and all that it rests on."""

    # No dataclass: to make one of so many fields takes longer than to verify a small ledger's records.
    def __init__(self) -> None:
        self.facts = Facts()
        self.log: str | None = None
        self.head: str | None = None
        self.root: str | None = None
        self.keys: list[str] = []
        self.checkpoint: int | None = None
        self.reasons: list[str] = []
        self.anchored_by: list[str] = []
        self.findings: list[Break] = []
        self.truncated = False
        self.uninterpreted: list[int] = []
        self.erased: list[int] = []
        self.not_derived: list[int] = []
        self.torn: str | None = None
        self.notes: list[str] = []

    @property
    def verdict(self) -> Verdict:
        """The one word."""
        facts = self.facts._replace(doubted=bool(self.reasons), anchored=bool(self.anchored_by))
        return judge(facts)

    def to_wire(self) -> dict[str, object]:
        """The report as the doors print it."""
        findings = [finding._asdict() for finding in self.findings]
        return {
            "schema_version": SCHEMA,
            "verdict": str(self.verdict),
            "exit_code": self.verdict.exit_code,
            "reasons": self.reasons,
            "log": self.log,
            "records": self.facts.records,
            "head": self.head,
            "root": self.root,
            "keys": self.keys,
            "checkpoint": self.checkpoint,
            "anchored_by": self.anchored_by,
            "torn": self.torn,
            "first_finding": findings[0] if findings else None,
            "findings": findings,
            "findings_truncated": self.truncated,
            "cannot_interpret": self.uninterpreted,
            "erased": self.erased,
            "not_derived": self.not_derived,
            "notes": self.notes,
            "limit": LIMIT,
        }


def verify(
    path: Place, policy: bytes | None = None, against: Sequence[bytes] = (), jobs: int = 1
) -> Verification:
    """The word on the ledger, bundle or folder at `path`; it is only read, what lies with it is not trusted.

    Raises nothing for what cannot be judged: that is a word too.
    """
    report = _judged(path, policy, against, jobs)
    if report.facts.tampered and isinstance(path, Path) and _has_journal(path):
        # Whoever was killed in the middle of it, our own writers never are, left what takes that back.
        from ledger.sqlite_rolled_back import rolled_back

        with suppress(EvidenceError), rolled_back(path.resolve()) as copy:
            before = _judged(copy, policy, against, jobs)
            if not (before.facts.tampered or before.reasons):
                before.notes.append(
                    f"what another program began to write is taken back, by {path.name}-journal"
                )
                return before
    return report


def _has_journal(path: Path) -> bool:
    from ledger.sqlite_readonly import journal

    with suppress(EvidenceError):
        return path.is_file() and journal(path.resolve()) != b""
    return False


def _judged(path: Place, policy: bytes | None, against: Sequence[bytes], jobs: int) -> Verification:
    report = Verification()
    try:
        trusted = None if policy is None else _policy(policy)
        if isinstance(path, Path):
            refuse_none(path)
        with closing(open_log(path, cut_too=True)) as log, log.read() as reader:
            shared = log if isinstance(path, Path) else None  # a database is read by one process
            _whole(report, reader, replay(reader, log=shared, jobs=jobs), trusted, against)
    except NoLedgerError as error:
        report.reasons.append(error.message)
        report.notes += [DOCTOR] if isinstance(path, Path) else []
    except IntegrityError as error:
        report.findings.append(no_ledger(path, error.message))
        report.facts = report.facts._replace(tampered=True)
    except OSError as error:
        report.reasons.append(f"{path} cannot be read: {error}")
    except EvidenceError as error:
        report.reasons.append(error.message if error.hint is None else f"{error.message} ({error.hint})")
    of_the_file = report.torn is not None or any(one.field == "file" for one in report.findings)
    if of_the_file and isinstance(path, Path):
        report.notes.append(DOCTOR)
    return report


def verify_replayed(
    reader: Reader, told: Replay, policy: bytes | None = None, against: Sequence[bytes] = ()
) -> Verification:
    """The word on a log that is read already, of which `told` is the replay; raises nothing."""
    report, trusted = Verification(), None
    try:
        trusted = None if policy is None else _policy(policy)
    except EvidenceError as error:
        report.reasons.append(error.message if error.hint is None else f"{error.message} ({error.hint})")
    _whole(report, reader, told, trusted, against)
    return report


def _policy(raw: bytes) -> "Policy":
    from ledger.policy import Policy  # only for who names one

    return Policy.read(raw)


def _whole(
    report: Verification, reader: Reader, told: Replay, policy: "Policy | None", against: Sequence[bytes]
) -> None:
    # Only what was carried away can lose its end unseen by SQLite.
    report.torn = getattr(reader, "torn", None)
    # A log without a record has a name only where its files state one.
    report.log, report.head = told.log or getattr(reader, "named", None), told.head
    report.erased, report.not_derived = told.erased, told.not_derived
    report.findings += told.findings
    report.truncated, report.uninterpreted = told.truncated, told.uninterpreted
    report.facts = Facts(
        told.records,
        tampered=told.tampered,
        rule_broken=told.rule_broken,
        torn=report.torn is not None,
    )
    anchors = _anchors(report, against)
    try:
        stated: list[Period] | None = periods(reader) if told.records else []
    except (IntegrityError, InvalidError):
        stated = None  # told by the replay
    signed = stated or []
    keys = [one.key for one in signed]
    seen = see(reader.records(), report.log, keys, anchors)
    if report.torn is not None:
        seen = seen._replace(whole=False)
    report.keys = list(map(str, keys))
    report.root = seen.root.hex() if seen.whole else None
    missed, held = [], []
    for anchor in anchors:
        compared = compare(seen, anchor, policy, reader)
        _take(report, compared)
        missed += [] if compared.finding is None else [anchor]
        held += [] if compared.holds is None else [anchor]
    report.notes += given_up(reader, signed, missed)
    last = reader.last_checkpoint()
    report.checkpoint = _size(last)
    if policy is not None and told.records and report.torn is None:
        notes = [bytes(one.note) for one in anchors]
        _take(report, trust(seen, policy, notes if last is None else [last, *notes]))
    if report.torn is None and not (report.facts.tampered or report.facts.forked):
        report.notes += beyond(seen, held, report.checkpoint or 0, pinned=policy is not None)
    if report.torn is not None:
        report.notes += [signed_part(reader, told.records), *told.lost_notes()]
        if policy is not None and stated is not None and told.records:
            _take(report, Compared(finding=other_key(seen, policy)))


def _anchors(report: Verification, against: Sequence[bytes]) -> list[Anchor]:
    anchors = []
    for raw in against:
        try:
            anchors.append(Anchor.read(raw, report.log))
        except EvidenceError as error:
            report.reasons.append(f"what was kept cannot be compared: {error.message}")
    return anchors


def _take(report: Verification, compared: Compared) -> None:
    if compared.holds is not None:
        report.anchored_by.append(compared.holds)
    if compared.doubt is not None:
        report.reasons.append(compared.doubt)
    if compared.note is not None:
        report.notes.append(compared.note)
    if compared.finding is not None:
        report.findings.append(compared.finding)
        report.facts = report.facts._replace(
            forked=report.facts.forked or compared.forked,
            tampered=report.facts.tampered or not compared.forked,
        )


def _size(note: bytes | None) -> int | None:
    if note is None:
        return None
    try:
        return Checkpoint.of(note)[1].size
    except InvalidError:
        return None  # told by the replay
