"""Name the benign cause of a trouble with a ledger, or say that none is known (ledger.md section 5).

What can be undone is undone on a copy and verified there: no damage is called harmless on its looks.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from evidence.doctor_files import (
    Seen,
    beginning,
    beside,
    copies,
    drive,
    first_bytes,
    form,
    held_elsewhere,
    leftovers,
    shared_memory,
    wal_of,
    writable,
)
from evidence.doctor_kept import changed, kept_file, key_causes, last_published
from evidence.doctor_undo import (
    Undo,
    from_utf16,
    of_folder,
    sign,
    size_of,
    with_newline,
    without_carriage_returns,
    without_mark,
)
from evidence.doctor_words import NOTES, words
from evidence.verdict import Verdict
from evidence.verify import Verification, verify
from ledger.anchor import Anchor
from ledger.forms import open_log
from ledger.places import Place
from ledger.policy import Policy
from ledger.sqlite_file import APPLICATION_ID, BEFORE_THE_TREE, LAYOUT
from ledger.sqlite_foreign import foreign_log
from ledger.store import Readable, Reader
from schemas.errors import EvidenceError
from schemas.ledger import read_raw

SCHEMA = "external_evidence_doctor_v0"
LIMIT = (
    "It names causes that it knows. That it finds none says nothing about the ledger: `audit verify` does,"
    " against what you trust."
)
_LOOKS = 3
_NO_BODY = "no body is stored under this digest"
DAMAGE = (Verdict.TAMPERED, Verdict.FORKED, Verdict.RULE_BROKEN)


@dataclass
class Diagnosis:
    """What was found: causes, each something to do; notes, each a state that is normal to know."""

    place: str
    database: bool = False
    causes: list[Seen] = field(default_factory=list)
    notes: list[Seen] = field(default_factory=list)
    cannot: str | None = None

    @property
    def exit_code(self) -> int:
        """0 nothing was found, 1 something was, 2 it could not be looked at."""
        if self.causes:
            return 1
        return 0 if self.cannot is None else 2

    def to_wire(self) -> dict[str, object]:
        """The report as the doors print it."""
        return {
            "schema_version": SCHEMA,
            "ledger": self.place,
            "exit_code": self.exit_code,
            "causes": [{"code": one.code, **words(one.code, database=self.database)._asdict(),
                        "evidence": list(one.evidence)} for one in self.causes],
            "notes": [{"code": one.code, "zh": NOTES[one.code][0], "en": NOTES[one.code][1],
                       "evidence": list(one.evidence)} for one in self.notes],
            "cannot_look": self.cannot,
            "limit": LIMIT,
        }  # fmt: skip


class Asked(NamedTuple):
    """What the doctor is shown beside the ledger: the key's file, a policy, what was kept."""

    key: Path | None = None
    policy: Path | None = None
    kept: Sequence[Path] = ()


def look(place: Place, asked: Asked = Asked()) -> Diagnosis:  # noqa: B008 - a tuple of nothing
    """What is the matter with the ledger, bundle or tiles folder at that place; nothing is written there.

    Of a ledger in a database only the log itself is looked at, not what it is stored in.
    """
    if isinstance(place, Path):
        return _FileDoctor(place, asked).run()
    return _Doctor(place, asked).run()


class _Doctor:
    """Looks at a log wherever it is."""

    def __init__(self, place: Place, asked: Asked) -> None:
        self._place = place
        self._asked = asked
        self._told = Diagnosis(str(place), database=not isinstance(place, Path))
        self._explained = False
        # What does not hold once a conversion is undone, where the file as it is cannot be judged.
        self._beneath: tuple[str, ...] = ()
        self._names: list[str] = []  # of what was kept

    def run(self) -> Diagnosis:
        try:
            self._look()
        except OSError as error:
            self._told.cannot = f"{self._place} cannot be looked at: {error}"
        except EvidenceError as error:
            self._told.cannot = error.message
        return self._told

    def _look(self) -> None:
        self._judge()

    def _cause(self, code: str, *evidence: str, explains: bool = False) -> None:
        self._told.causes.append(Seen(code, evidence))
        self._explained = self._explained or explains

    def _note(self, code: str, *evidence: str) -> None:
        self._told.notes.append(Seen(code, evidence))

    def _judge(self) -> None:
        policy, kept = self._kept()
        told = verify(self._place, policy, kept)
        if told.verdict == Verdict.CANNOT_VERIFY and self._beneath:
            self._cause("unexplained", *self._beneath)
            return
        if told.torn is not None and "wal-foreign" not in [one.code for one in self._told.causes]:
            self._cause("torn", told.torn, explains=told.verdict not in DAMAGE)
        if told.verdict in DAMAGE:
            self._seen_before(told)
        elif told.torn is None:
            self._log_itself()
        if told.verdict in DAMAGE and not self._explained:
            self._cause("unexplained", *_first(told))
        if told.verdict == Verdict.CANNOT_VERIFY:
            self._told.causes += changed(self._place, self._names, kept)
        if told.verdict == Verdict.CANNOT_VERIFY and not self._told.causes:
            self._told.cannot = "; ".join(told.reasons) or "the ledger has no record"

    def _seen_before(self, told: Verification) -> None:
        """Findings that come from a kept checkpoint alone are about which history this is."""
        alone = verify(self._place)
        if alone.verdict in DAMAGE:
            return
        for one in told.findings:
            code = {"record": "older-than-seen", "checkpoint": "other-history"}.get(one.field)
            if code is not None:
                said = [note for note in told.notes if "ledger.restored" in note]
                self._cause(code, f"expected {one.expected}", f"found {one.found}", *said, explains=True)
        if told.torn is None:
            self._log_itself()

    def _log_itself(self) -> None:
        with closing(open_log(self._place)) as log:
            with log.read() as reader:
                if reader.head() is not None:
                    self._clock(reader)
            if self._asked.key is not None:
                self._told.causes += self._of_key(log, self._asked.key)

    def _of_key(self, log: Readable, key: Path) -> list[Seen]:
        # A writer publishes after it has committed, and lists what it erases before it commits: what it
        # published is read before the ledger, and a body that is still there is looked for again.
        found: list[Seen] = []
        for _ in range(_LOOKS):
            published = last_published(key)
            with log.read() as reader:
                head = reader.head()
                found = [] if head is None else list(key_causes(reader, head, key, published))
            if "erased-returned" not in [one.code for one in found]:
                break
        return found

    def _clock(self, reader: Reader) -> None:
        back, before, first = 0, "", ""
        for seq, raw in reader.records():
            at = read_raw(raw).at
            if at < before:
                back += 1
                first = first or f"record {seq} is of {at}, the one before it of {before}"
            before = at
        if back:
            self._note("clock-back", first, *([f"{back} times in all"] if back > 1 else []))

    def _kept(self) -> tuple[bytes | None, list[bytes]]:
        policy, kept = None, []
        if self._asked.policy is not None:
            policy = self._read(self._asked.policy, Policy.read)
        for place in self._asked.kept:
            raw = self._read(place, lambda raw: Anchor.read(raw, None))
            if raw is not None:
                kept.append(raw)
                self._names.append(place.name)
        return policy, kept

    def _read(self, place: Path, read: Callable[[bytes], object]) -> bytes | None:
        raw, found = kept_file(place, read)
        self._told.causes += found
        return raw


class _FileDoctor(_Doctor):
    """Looks also at the file, and at what lies beside it."""

    def __init__(self, path: Path, asked: Asked) -> None:
        super().__init__(path, asked)
        self._path = path

    def _look(self) -> None:
        if not self._path.exists():
            self._missing()
            return
        if self._path.is_file():
            self._around()
            self._file()
        else:
            self._folder()
        if not self._explained:
            self._judge()

    def _log_itself(self) -> None:
        super()._log_itself()
        for copy in copies(self._path):
            self._copy(copy)

    def _missing(self) -> None:
        log = beside(self._path, "-wal")
        if log.exists():
            self._cause("missing-ledger", f"{log.name}: {log.stat().st_size} bytes")
        else:
            self._told.cannot = f"there is nothing at {self._path}"
        self._left()
        for copy in copies(self._path):
            self._cause("copies", f"{copy.name} is there, {self._path.name} is not")

    def _around(self) -> None:
        self._left()
        for one in held_elsewhere(self._path):
            self._cause("replaced", one)
        if (kind := drive(self._path)) is not None:
            self._note("network-drive", kind)
        if (links := self._path.stat().st_nlink) > 1:
            self._note("other-names", f"{links} hard links")
        if not writable(self._path):
            self._note("read-only")

    def _left(self) -> None:
        names = leftovers(self._path)
        if self._asked.key is not None:
            names += leftovers(self._asked.key)
        if names:
            self._cause("leftovers", *names)

    def _file(self) -> None:
        head = beginning(self._path)
        kind = form(head)
        if kind == "sqlite":
            self._sqlite(head)
        elif kind == "bundle":
            _ = self._undone("final-newline", with_newline) or self._undone("crlf", without_carriage_returns)
        elif kind == "bom":
            self._text("bom", head, without_mark)
        elif kind == "utf16":
            self._text("utf16", head, from_utf16)
        else:
            self._cause(kind, first_bytes(head), explains=True)

    def _folder(self) -> None:
        note = self._path / "checkpoint"
        code = sign(beginning(note)) if note.is_file() else None
        undone = {"crlf": without_carriage_returns, "bom": without_mark, "utf16": from_utf16}
        if code is not None and self._undone(code, of_folder(undone[code])):
            return
        told = verify(self._path)
        missing = [one for one in told.findings if one.found == _NO_BODY]
        if missing:
            # Without a plan's body its steps have no plan.
            rest = [one for one in told.findings if one.found != _NO_BODY and one.field != "kind"]
            self._cause("body-missing", *(f"record {one.seq}" for one in missing), explains=not rest)

    def _text(self, code: str, head: bytes, undo: Undo) -> None:
        if not self._undone(code, undo):
            self._cause("unknown-form", first_bytes(head), explains=True)

    def _undone(self, code: str, undo: Undo) -> bool:
        """Whether the file is whole once this is undone on a copy; then that was the cause."""
        before = verify(self._path)
        if not _damaged(before):
            return False
        with TemporaryDirectory(prefix="external-evidence-") as folder:
            copy = Path(folder) / "copy"
            undo(self._path, copy)
            if size_of(copy) == size_of(self._path):
                return False
            if _damaged(told := verify(copy)):
                if told.verdict == Verdict.TORN and before.torn is None and told.torn is not None:
                    self._cause(
                        code, f"with that undone, {told.facts.records} records are left", explains=True
                    )
                    self._cause("torn", told.torn, explains=True)
                    return True
                if told.verdict in DAMAGE:
                    self._beneath = (f"with {code} undone", *_first(told))
                return False
        both = code == "bom" and self._path.is_file() and b"\r\n" in beginning(self._path)
        also = ("its line ends were turned into CRLF too",) if both else ()
        self._cause(code, *also, f"with that undone, all {told.facts.records} records hold", explains=True)
        return True

    def _sqlite(self, head: bytes) -> None:
        application, layout = (int.from_bytes(head[at : at + 4], "big") for at in (68, 60))
        log = wal_of(self._path)
        if log is None and self._undone("crlf", without_carriage_returns):
            return
        if application != APPLICATION_ID and log is None:
            self._cause("other-database", f"its application id is {application:#010x}", explains=True)
        elif layout > LAYOUT and application == APPLICATION_ID:
            self._cause("newer-layout", f"layout {layout}; this version knows {LAYOUT}", explains=True)
        elif layout == BEFORE_THE_TREE and application == APPLICATION_ID:
            self._note("older-layout", f"layout {layout}")
        self._sides()

    def _sides(self) -> None:
        log, memory = wal_of(self._path), shared_memory(self._path)
        journal = beside(self._path, "-journal")
        if journal.exists() and journal.stat().st_size:
            self._cause("journal", f"{journal.name}: {journal.stat().st_size} bytes")
        if log is None:
            if memory is not None and not beside(self._path, "-wal").exists():
                _, frames, done = memory
                self._cause("wal-missing", f"the -shm tells of {frames} frames, {done} of them brought over")
            return
        if memory is not None and memory[0] != log.salts:
            self._note("shm-stale")
        if log.frames == 0:
            self._note("wal-unused", f"{log.size} bytes")
            return
        if (foreign := foreign_log(self._path.resolve())) is not None:
            self._cause("wal-foreign", foreign, f"{log.frames} frames of {log.page} bytes")
        else:
            self._note("wal-in-use", f"{log.frames} frames")

    def _copy(self, copy: Path) -> None:
        try:
            with open_log(self._path).read() as one, open_log(copy).read() as two:
                pairs = zip_longest(one.records(), two.records())
                differing = next(((here, there) for here, there in pairs if here != there and there), None)
                counts = [0 if head is None else head.seq + 1 for head in (one.head(), two.head())]
        except EvidenceError:  # a copy that is none of a ledger
            return
        if differing is None:
            self._note("copy-behind", f"{copy.name}: {counts[1]} of {counts[0]} records")
        else:
            more = "goes on after" if differing[0] is None else "differs at"
            self._cause("copies", f"{copy.name}: {counts[1]} records, {more} record {differing[1][0]}")


def _first(told: Verification) -> list[str]:
    return [f"record {one.seq} {one.field}: {one.rule}" for one in told.findings[:3]]


def _damaged(told: Verification) -> bool:
    return told.verdict in DAMAGE or told.torn is not None or not told.facts.records
