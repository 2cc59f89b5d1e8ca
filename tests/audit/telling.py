"""A ledger in which everything that a story can tell has happened, and ways to read it."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple, cast

from evidence.story import Story, story
from ledger.keeping import keep, registered
from ledger.sqlite_readonly import open_readonly
from ledger.store import Draft, Reader, registration
from schemas.admission import Admission, Decision
from schemas.canonical import digest_bytes
from schemas.ledger import PROVIDER_CALL, CallOutcome, ProviderCall, Subject, read_raw
from schemas.ledger_erasure import BODY_ERASED, ERASURE, BodyErased
from schemas.plan import Plan
from schemas.published import schema_bytes
from schemas.readback import WriteBlocker
from schemas.receipt import Receipt, Source
from tests.world import REFS, Clock, Memory, World, engine, honest, open_ledger, request, row

HOSTILE = "<script>alert(1)</script> \u2028 אבג \u200f& 'x' \"y\" </main> \\u202e | `c` *b*\r\n第二行"


class Refusing(Memory):
    """A sink that says why it does not hold what it forgets."""

    def write(self, admission: Admission, sources: Sequence[Source], recorded_at: str) -> list[WriteBlocker]:
        """Hold the others."""
        super().write(admission, sources, recorded_at)
        return [WriteBlocker(source_ref=ref, code="refused", reason=HOSTILE) for ref in self.forgets]


class Told(NamedTuple):
    """What was made: the ledger, the plans by what became of them, and some of their artifacts."""

    path: Path
    plans: dict[str, Plan]
    receipts: dict[str, Receipt]
    admissions: dict[str, Admission]


def told(path: Path) -> Told:
    """The ledger at `path`: retired, superseded, rejected, retained, undecided, failed, blocked; one call."""
    clock = Clock()
    made = Told(path, {}, {}, {})
    with closing(open_ledger(path, clock)) as ledger:
        runs = engine(World(clock), ledger)
        admit_all = Decision(disposition="admit", reason="都对得上", admitted_source_refs=REFS)
        for name, objective in (
            ("retired", "坡道坡度?"),
            ("superseded", HOSTILE),
            ("retained", "扶手高度?"),
            ("undecided", "门宽?"),
        ):
            plan = made.plans[name] = runs.plan(request(objective))
            receipt = made.receipts[name] = runs.execute(plan).receipt
            if name == "retained":
                one = admit_all.replace(admitted_source_refs=REFS[:2])
                made.admissions[name] = runs.admit(plan, receipt, one)
                runs.readback(plan, receipt, one, Refusing(forgets=REFS[:1]), execute=True)
            elif name != "undecided":
                made.admissions[name] = runs.admit(plan, receipt, admit_all)
        plan, receipt = made.plans["retired"], made.receipts["retired"]
        runs.readback(plan, receipt, admit_all, Memory(), execute=True)
        runs.retire(made.admissions["retired"])
        plan, receipt = made.plans["superseded"], made.receipts["superseded"]
        no = Decision(disposition="reject", reason=HOSTILE)
        made.admissions["rejected"] = runs.admit(plan, receipt, no, supersede=True)
        failed = engine(
            World(clock, answer=lambda plan: honest(plan, clock(), (), limitations=("只查了一处",))), ledger
        )
        made.plans["empty"] = failed.plan(request("查无"))
        made.receipts["empty"] = failed.execute(made.plans["empty"]).receipt
        blocked = engine(World(clock, probes=[row(ready=False)]), ledger)
        made.plans["blocked"] = blocked.plan(request("谁都不在"))
        waiting = engine(World(clock), ledger)
        made.plans["waiting"] = waiting.plan(request("还没跑"))
        with ledger.write() as writer:
            told_of = CallOutcome(revision="r1", count=2, state="ok")
            call = ProviderCall(action="regulations.search", owner="kbreg", evidence=told_of)
            schema = schema_bytes(PROVIDER_CALL)
            writer.append(registration("tester", PROVIDER_CALL, schema))
            body = call.canonical()
            writer.append(
                Draft(
                    "provider.called", "plugin:x", "1", Subject(), PROVIDER_CALL, digest_bytes(schema), body
                )
            )
    return made


@contextmanager
def reading(path: Path, until: int | None = None) -> Iterator[Story]:
    """The story of the ledger at `path`."""
    with open_readonly(path).read() as reader:
        yield story(reader, until)


def body_of(path: Path, kind: str, place: int = 0) -> str:
    """The digest of the body of one record of that kind."""
    with closing(sqlite3.connect(path)) as connection:
        raws = [raw for (raw,) in connection.execute("SELECT raw FROM records ORDER BY seq")]
    records = [read_raw(raw) for raw in raws]
    return [record for record in records if record.kind == kind][place].body.digest


def take_away(path: Path, digest: str, instead: bytes | None = None) -> None:
    """Remove a body from the file, or put other bytes in its place."""
    key = bytes.fromhex(digest.partition(":")[2])
    with closing(sqlite3.connect(path)) as connection, connection:
        if instead is None:
            connection.execute("DELETE FROM bodies WHERE digest = ?", (key,))
        else:
            connection.execute("UPDATE bodies SET bytes = ? WHERE digest = ?", (instead, key))


def say_erased(path: Path, digest: str) -> None:
    """Append the record that tells of an erasure, and remove the body."""
    with closing(open_ledger(path)) as ledger, ledger.write() as writer:
        log = registered(writer, BODY_ERASED, "tester").log
        body = BodyErased(origin=log, bodies=(digest,), reason="asked for").canonical()
        keep(writer, ERASURE, BODY_ERASED, "erase", "tester", body, Subject(plan_id=digest))
        writer.erase([digest])


class Gaps:
    """What a story reads, in memory, with holes."""

    def __init__(self, raws: dict[int, bytes], bodies: dict[str, bytes]) -> None:
        self.raws, self.bodies = raws, bodies

    def records(self, after: int = -1) -> Iterator[tuple[int, bytes]]:
        """Every (seq, raw) beyond `after`."""
        return iter([pair for pair in self.raws.items() if pair[0] > after])

    def of_kind(self, kind: str) -> list[tuple[int, bytes]]:
        """Every (seq, raw) of that kind."""
        return [(seq, raw) for seq, raw in self.raws.items() if f'"kind":"{kind}"'.encode() in raw]

    def raw(self, seq: int) -> bytes | None:
        """One of them."""
        return self.raws.get(seq)

    def body(self, digest: str) -> bytes | None:
        """One body."""
        return self.bodies.get(digest)

    @classmethod
    def of(cls, path: Path) -> "Gaps":
        """Everything of the ledger at `path`, without any hole yet."""
        with open_readonly(path).read() as reader:
            raws = dict(reader.records())
            digests = {read_raw(raw).body.digest for raw in raws.values()}
            return cls(raws, {digest: reader.body(digest) or b"" for digest in digests})

    def kind(self, seq: int) -> str:
        """The kind of one record."""
        return read_raw(self.raws[seq]).kind

    def without(self, *kinds: str) -> "Gaps":
        """The same without the records of these kinds."""
        return Gaps({seq: raw for seq, raw in self.raws.items() if self.kind(seq) not in kinds}, self.bodies)

    def emptied(self, *kinds: str) -> "Gaps":
        """The same without the bodies of the records of these kinds."""
        gone = {read_raw(raw).body.digest for seq, raw in self.raws.items() if self.kind(seq) in kinds}
        kept = {digest: body for digest, body in self.bodies.items() if digest not in gone}
        return Gaps(self.raws, kept)

    def story(self) -> Story:
        """Its story."""
        return story(cast(Reader, self))
