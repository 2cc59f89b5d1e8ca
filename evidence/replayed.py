"""Replay the log at a path, and say the word where rules or bytes do not hold, or why nobody can say.

A replay compares with nothing outside the log; a clean one therefore has no word (ledger.md section 5).
"""

from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from evidence.audit import Replay, View, replay
from evidence.verdict import Facts, Verdict, judge, no_ledger
from ledger.anchor import Anchor, Compared, Seen, compare, given_up, signed_part, trust
from ledger.forms import open_log, refuse_none
from ledger.keyring import periods, vouched
from ledger.places import Place
from ledger.policy import Policy
from ledger.sqlite_file import NoLedgerError
from ledger.store import Readable, Reader
from schemas.errors import EvidenceError, IntegrityError, InvalidError, UsageError
from schemas.ledger import read_raw

COMPARED_WITH_KEPT = "compared with the {kept}, and with nothing else outside the ledger"
NOTHING_AFTER = "no record comes after that checkpoint: there was no step to derive again"
COMPARED_WITH_NOTHING = "compared with nothing outside the ledger; `audit verify` does that"


@dataclass
class Replayed:
    """What a replay found, and why it could not be made, or not of all."""

    told: Replay = field(default_factory=Replay)
    reasons: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    torn: str | None = None
    compared: bool = False

    @property
    def verdict(self) -> Verdict | None:
        """The word on what does not hold; None where all does."""
        told = self.told
        facts = Facts(
            told.records,
            tampered=told.tampered,
            rule_broken=told.rule_broken,
            torn=self.torn is not None,
            doubted=bool(self.reasons),
        )
        word = judge(facts)
        return None if word is Verdict.UNANCHORED else word

    @property
    def exit_code(self) -> int:
        """The exit status of a command that gives this answer."""
        return 0 if self.verdict is None else self.verdict.exit_code

    def to_wire(self) -> dict[str, object]:
        """The answer as the doors print it."""
        word = self.verdict
        told = self.told.to_wire()
        return {
            "schema_version": told.pop("schema_version"),
            "verdict": None if word is None else str(word),
            "exit_code": self.exit_code,
            "reasons": self.reasons,
            "torn": self.torn,
            "notes": self.notes if word or self.compared else [COMPARED_WITH_NOTHING, *self.notes],
            **told,
        }


def replay_log(
    path: Place,
    at: str | None = None,
    believed: bytes | None = None,
    policy: bytes | None = None,
    jobs: int = 1,
) -> Replayed:
    """The replay of the log at `path`, as of `at`, or beyond what the kept checkpoint `believed` covers.

    Raises nothing for a log that cannot be replayed: that is an answer too. UsageError, InvalidError: `at`
    is none.
    """
    view = View() if at is None else View.at(at)
    answer = Replayed()
    try:
        trusted = None if policy is None else Policy.read(policy)
        if isinstance(path, Path):
            refuse_none(path)
        with closing(open_log(path, cut_too=True)) as log, log.read() as reader:
            shared = log if isinstance(path, Path) else None  # a database is read by one process
            if believed is None:
                answer.told = replay(reader, view, log=shared, jobs=jobs)
            else:
                _believing(answer, reader, believed, trusted, shared, jobs)
            answer.torn = getattr(reader, "torn", None)
            if answer.torn is not None:
                answer.notes += [signed_part(reader, answer.told.records), *answer.told.lost_notes()]
            if not view.ends_early:
                answer.notes += _given_up(reader)
            if at is not None and not answer.told.records:
                answer.reasons += _not_begun(reader, at)
    except IntegrityError as error:
        if isinstance(error, NoLedgerError):
            answer.reasons.append(error.message)
        else:
            answer.told.take(no_ledger(path, error.message))
    except EvidenceError as error:
        answer.reasons.append(error.message if error.hint is None else f"{error.message} ({error.hint})")
    last = answer.told.records - 1
    if view.last is not None and view.last > last >= 0 and answer.verdict is None:
        raise UsageError(f"the ledger ends with record {last}; there is no {at}", subject="--at")
    return answer


def _believing(
    answer: Replayed, reader: Reader, believed: bytes, policy: Policy | None, log: Readable | None, jobs: int
) -> None:
    kept = Anchor.read(believed, _name(reader))
    size = kept.checkpoint.size
    told = replay(reader, View(believed=size), log=log, jobs=jobs)
    compared, trusted = _compared(told, kept, policy, reader)
    if compared.holds is not None and (policy is None or trusted.holds is not None):
        answer.told = told
        answer.compared = True
        answer.notes.append(COMPARED_WITH_KEPT.format(kept=kept))
        answer.notes.append(f"the first {size} records are believed: the {kept} covers them")
        if told.records == size:
            answer.notes.append(NOTHING_AFTER)
        return
    # What was kept does not vouch for these records, so that nothing of them is believed.
    answer.told = replay(reader, log=log, jobs=jobs)
    for finding in (compared.finding, trusted.finding):
        if finding is not None:
            answer.told.take(finding)
    answer.reasons += [one for one in (compared.doubt, trusted.doubt, compared.note) if one is not None]


def _compared(told: Replay, kept: Anchor, policy: Policy | None, reader: Reader) -> tuple[Compared, Compared]:
    """How the log stands to what was kept, signed by a key that is trusted; and to the policy."""
    try:
        every = periods(reader)
    except (IntegrityError, InvalidError):
        every = []  # told by the replay
    # What a forger's own ledger says of its keys vouches for no checkpoint.
    known = every if policy is None else vouched(every, policy.logs)
    roots = {} if told.root is None else {kept.checkpoint.size: told.root}
    raws = {} if kept.proof is None else {kept.proof.seq: reader.raw(kept.proof.seq) or b""}
    keys = tuple(one.key for one in known)
    seen = Seen(told.log, told.records, b"", roots, raws, keys, getattr(reader, "torn", None) is None)
    compared = compare(seen, kept, policy, reader)
    if policy is None:
        return compared, Compared()
    last = reader.last_checkpoint()
    notes = [bytes(kept.note), *([] if last is None else [last])]
    return compared, trust(seen._replace(keys=tuple(one.key for one in every)), policy, notes)


def _given_up(reader: Reader) -> list[str]:
    with suppress(IntegrityError, InvalidError):  # told by the replay
        return list(given_up(reader, periods(reader)))
    return []


def _not_begun(reader: Reader, at: str) -> list[str]:
    """Why there is no record as of that instant, where the log has some."""
    raw = reader.raw(0)
    return [] if raw is None else [f"the first record, 0, is of {read_raw(raw).at}: at {at} there was none"]


def _name(reader: Reader) -> str | None:
    with suppress(IntegrityError):
        return read_raw(reader.raw(0) or b"").log
    return None
