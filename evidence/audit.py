"""Replay a ledger from its stored bytes: derive every id and transition again (ledger.md section 4).

Nothing that the ledger's writer concluded is believed. The chain is checked record by record, each body
against its digest, each artifact by its own verb, each step by the order of the life it belongs to. Memory
holds one life at a time; several processes derive the lives of a long ledger.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from evidence.replay.checks import unheld
from evidence.replay.findings import (
    END,
    INDEX,
    MOST_FINDINGS,
    SIGNATURES,
    Findings,
    Place,
    RuleBreak,
)
from evidence.replay.lives import ChangedError, Context, Derived, StrayError, derive
from evidence.replay.notes import Notes
from evidence.replay.views import View
from evidence.replay.walk import Walked, walk
from ledger.chain import Break
from ledger.erasure import erased
from ledger.signature_check import signature_breaks
from ledger.store import Head, Readable, Reader
from schemas.errors import IntegrityError

if TYPE_CHECKING:
    from evidence.replay.workers import Begun, Crew

__all__ = ["MOST_FINDINGS", "Replay", "RuleBreak", "View", "replay"]

# Below it the start of a process costs more than it saves.
FEW_RECORDS = 20_000
# What only the end of a log can show: one that lost its end is excused from it.
_AT_THE_END = "every commit of a log with a key is signed"
_MOST_NAMED = 20
LEFT_OUT = "the ends of lives, the indexes and the signatures: they are of the whole ledger"


@dataclass
class Replay:
    """What a replay found: how far it read, what it broke on, and what it could not interpret."""

    log: str | None = None
    records: int = 0
    head: str | None = None
    plans: int = 0
    receipts: int = 0
    admissions: int = 0
    retired: int = 0
    calls: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    findings: list[Break] = field(default_factory=list)
    uninterpreted: list[int] = field(default_factory=list)
    erased: list[int] = field(default_factory=list)
    not_derived: list[int] = field(default_factory=list)
    not_there: list[int] = field(default_factory=list)
    unjudged: int | None = None
    believed: int = 0
    root: bytes | None = None
    left_out: str | None = None
    truncated: bool = False
    tampered: bool = False
    rule_broken: bool = False

    @property
    def clean(self) -> bool:
        """Whether nothing broke; an empty ledger is not clean."""
        return not self.findings and self.records > 0

    def lost_notes(self) -> Iterator[str]:
        """What of a log that lost its end could not be judged, and why."""
        if not self.records:
            yield "no record before the cut could be read"
        for seq in self.not_there[:_MOST_NAMED]:
            yield f"the body of record {seq} is not there; the tail may have told that it was erased"
        if self.unjudged is not None:
            yield (
                f"the body of record {self.unjudged} was lost with the tail; from there on only the chain of"
                " the records was checked"
            )

    def take(self, finding: Break) -> None:
        """One more, by whoever compared with something outside."""
        self.findings.append(finding)
        self.rule_broken |= isinstance(finding, RuleBreak)
        self.tampered |= not isinstance(finding, RuleBreak)

    def to_wire(self) -> dict[str, object]:
        """The report as the doors print it."""
        return {
            "schema_version": "external_evidence_replay_v0",
            "clean": self.clean,
            "log": self.log,
            "records": self.records,
            "head": self.head,
            "plans": self.plans,
            "receipts": self.receipts,
            "admissions": self.admissions,
            "retired": self.retired,
            "provider_calls": [
                {"actor": actor, "action": action, "state": state, "calls": count}
                for (actor, action, state), count in sorted(self.calls.items())
            ],
            "first_finding": self.findings[0]._asdict() if self.findings else None,
            "findings": [finding._asdict() for finding in self.findings],
            "findings_truncated": self.truncated,
            "cannot_interpret": self.uninterpreted,
            "erased": self.erased,
            "not_derived": self.not_derived,
            "believed_up_to": self.believed or None,
            "left_out": self.left_out,
            "limit": "A ledger cannot show what was never appended, nor that its tail was cut off.",
        }


def replay(
    reader: Reader,
    view: View | None = None,
    *,
    log: Readable | None = None,
    jobs: int = 1,
    few: int = FEW_RECORDS,
) -> Replay:
    """Read every record of one snapshot and check all of it; the findings in order, the first one first.

    Raises nothing for a broken ledger: what broke is a finding that names seq, field, rule, expected
    and found. After a finding the replay goes on from what is stored. With `log`, the ledger that `reader`
    reads, up to `jobs` processes share the work on more than `few` records; what is found is the same.
    """
    shown = view or View()
    cut = getattr(reader, "judged", None) is not None  # each look at such a file copies it
    head = _head(reader) if log is not None and jobs > 1 and not cut else None
    if log is None or head is None or head.seq < few:
        return _alone(reader, shown)
    try:
        return _together(reader, shown, log, head, jobs)
    except StrayError:
        return _alone(reader, shown)


def _head(reader: Reader) -> Head | None:
    try:
        return reader.head()
    except IntegrityError:
        return None  # told by the walk


def _alone(reader: Reader, view: View) -> Replay:
    try:
        return _in_memory(reader, view, by_artifact=False)
    except StrayError:
        return _in_memory(reader, view, by_artifact=True)


def _in_memory(reader: Reader, view: View, *, by_artifact: bool) -> Replay:
    with closing(Notes.begin()) as notes:
        return _Pass(reader, view, notes, by_artifact=by_artifact).run()


def _together(reader: Reader, view: View, log: Readable, head: Head, jobs: int) -> Replay:
    from tempfile import TemporaryDirectory  # only for a long ledger; half of a cold start otherwise

    from evidence.replay.workers import Crew

    with TemporaryDirectory(prefix="external-evidence-") as folder:
        path = Path(folder) / "notes"
        with closing(Notes.begin(path)) as notes, Crew.of(jobs, log, head, path) as crew:
            return _Pass(reader, view, notes, crew).run()


class _Pass:
    """One replay of one snapshot, alone or with a crew."""

    def __init__(
        self,
        reader: Reader,
        view: View,
        notes: Notes,
        crew: "Crew | None" = None,
        *,
        by_artifact: bool = False,
    ) -> None:
        self._reader = reader
        self._view = view
        self._notes = notes
        self._crew = crew
        self._by_artifact = by_artifact
        self._torn = getattr(reader, "torn", None) is not None

    def run(self) -> Replay:
        """All of it."""
        whole = not self._view.ends_early
        index = self._crew.index() if self._crew is not None and whole else None
        gone = erased(self._reader)
        judged: int | None = getattr(self._reader, "judged", None)
        lost = unheld(self._reader, gone, judged) if self._torn else {}
        gone.update({digest: seq for seq, digest in lost.items()})
        walked = walk(self._reader, self._notes, self._view, gone, by_artifact=self._by_artifact)
        signed = self._crew.signatures() if self._crew is not None and whole and walked.signed else None
        ended = whole and walked.unreadable is None
        follows = ended and not self._torn
        context = Context(
            walked.records,
            self._view.believed,
            self._by_artifact,
            follows,
            walked.schemas,
            gone,
            frozenset(lost),
        )
        try:
            derived = self._derive(context, walked.steps)
            walked.findings.merge(derived.findings)
            if ended:
                self._add(walked.findings, INDEX, index, self._reader.index_breaks)
                if walked.signed:
                    self._add(walked.findings, SIGNATURES, signed, lambda: signature_breaks(self._reader))
        except IntegrityError as error:
            derived, walked.unreadable = Derived(), error
        if walked.unreadable is not None:
            rule, found = "the file can be read", walked.unreadable.message
            walked.findings.add(Place(END, 0), (Break(walked.records, "file", rule, "a record", found),))
        unjudged = range(walked.records if judged is None else judged, walked.records)
        return _report(walked, derived, self._view, [*lost], unjudged)

    def _derive(self, context: Context, steps: int) -> Derived:
        try:
            if self._crew is not None:
                return self._crew.derive(self._reader, self._notes, context, steps)
            return derive(self._reader, self._notes, context)
        except ChangedError as error:
            raise IntegrityError(f"record or body {error} is another one when it is looked up") from error

    def _add(
        self, findings: Findings, stage: int, begun: "Begun | None", check: Callable[[], Iterator[Break]]
    ) -> None:
        done = None if begun is None else begun.result()
        found = check() if done is None else done
        # Excused before anything is cut off the list, so that nothing hides behind what is excused.
        excused = self._torn and stage == SIGNATURES
        findings.add(Place(stage, 0), (one for one in found if not excused or one.rule != _AT_THE_END))


def _report(walked: Walked, derived: Derived, view: View, lost: list[int], unjudged: range) -> Replay:
    gone = walked.erased + derived.erased
    return Replay(
        log=walked.log,
        records=walked.records,
        head=walked.head,
        plans=derived.plans,
        receipts=derived.receipts,
        admissions=derived.admissions,
        retired=derived.retired,
        calls=walked.calls,
        findings=walked.findings.listed(),
        uninterpreted=walked.uninterpreted,
        erased=sorted(set(gone).difference(lost)),
        not_derived=sorted([*derived.not_derived, *lost, *unjudged]),
        not_there=lost,
        unjudged=unjudged.start if unjudged else None,
        believed=view.believed,
        root=walked.root,
        left_out=LEFT_OUT if view.ends_early else None,
        truncated=walked.findings.truncated,
        tampered=walked.findings.tampered,
        rule_broken=walked.findings.rule_broken,
    )
