"""Ledgers of a whole life, carried away as bundles, taken apart and put together again, and judged."""

import importlib.util
import json
import shutil
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from evidence.audit import replay
from ledger import standalone
from ledger.bundle import BundleLog, write_bundle
from ledger.checkpoint import Checkpoint
from ledger.export import written
from ledger.keys import Signer
from ledger.sqlite import SqliteLedger
from ledger.sqlite_readonly import open_readonly
from ledger.store import Draft, Ledger
from ledger.tiles import export_tiles
from ledger.tree import Frontier, leaf_hash
from schemas.admission import Decision
from schemas.canonical import canonical, digest_bytes
from schemas.errors import EvidenceError
from schemas.ledger import read_raw, record_id
from tests.ledger.signing import ORIGIN, opened, signer
from tests.ledger.steps import step
from tests.world import REFS, Memory, World, engine, open_ledger, request, row

ADMIT = Decision(disposition="admit", reason="fits", admitted_source_refs=REFS[:2])
AGAIN = Decision(disposition="admit", reason="on second thoughts", admitted_source_refs=REFS)
SITE = """
import runpy, sys
sys.path.append(sys.argv.pop(1))
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def filler(number: int) -> Draft:
    """A step that nobody interprets, so that it may stand anywhere."""
    return step(number, "policy.changed")


def live(ledger: Ledger) -> None:
    """Every kind of step: a blocked and a ready plan, a decision that another superseded, retirement."""
    runs = engine(World(probes=[row(ready=False), row()]), ledger)
    runs.plan(request("blocked"))
    plan = runs.plan(request())
    receipt = runs.execute(plan).receipt
    runs.admit(plan, receipt, ADMIT)
    runs.readback(plan, receipt, ADMIT, Memory(), execute=True)
    admission = runs.admit(plan, receipt, AGAIN, supersede=True)
    runs.readback(plan, receipt, AGAIN, Memory(), execute=True)
    runs.retire(admission)


class Carried(NamedTuple):
    """One log in all its forms, what an auditor keeps of it, and the newest of its checkpoints."""

    folder: Path

    @property
    def sqlite(self) -> Path:
        return self.folder / "l.sqlite3"

    @property
    def bundle(self) -> Path:
        return self.folder / "l.bundle"

    @property
    def tiles(self) -> Path:
        return self.folder / "tiles"

    @property
    def policy(self) -> Path:
        return self.folder / "policy"

    @property
    def checkpoint(self) -> Path:
        return self.folder / "keys" / "log.key.checkpoint"


def carry(folder: Path, *, signed: bool = True) -> Carried:
    """The log of one life in a new folder."""
    ledger = opened(folder) if signed else open_ledger(folder / "l.sqlite3")
    live(ledger)
    return packed(folder, ledger)


def packed(folder: Path, ledger: SqliteLedger) -> Carried:
    """Close a ledger and export it."""
    ledger.close()
    carried = Carried(folder)
    with open_readonly(carried.sqlite).read() as reader:
        written(carried.bundle, lambda out: write_bundle(reader, out))
        if reader.last_checkpoint() is not None:
            export_tiles(reader, carried.tiles)
    carried.policy.write_text(f"log {signer().verifier}\nquorum none\n")
    return carried


Item = tuple[str, bytes]


def items(bundle: Path) -> list[Item]:
    """What the lines of a bundle hold, header and end left out."""
    values = [json.loads(line) for line in bundle.read_bytes().splitlines()[1:-1]]
    return [(kind, b64decode(text)) for value in values for kind, text in value.items()]


def put(path: Path, held: Iterable[Item], log: str = ORIGIN) -> Path:
    """A bundle that holds this, whose end is right."""
    counts = {"bodies": 0, "checkpoints": 0, "records": 0}
    lines = [canonical({"format": "external_evidence_bundle_v1", "log": log})]
    for kind, content in held:
        counts["bodies" if kind == "body" else f"{kind}s"] += 1
        lines.append(canonical({kind: b64encode(content).decode()}))
    text = b"".join(line + b"\n" for line in lines)
    end = {"end": {**counts, "sha256": sha256(text).hexdigest()}}
    path.write_bytes(text + canonical(end) + b"\n")
    return path


class Step(NamedTuple):
    """One record and its body, and whether a checkpoint stood behind it."""

    raw: bytes
    body: bytes
    sealed: bool = False

    @property
    def kind(self) -> str:
        return read_raw(self.raw).kind

    def stating(self, artifact: object) -> "Step":
        return self._replace(body=canonical(artifact))


def steps(held: Sequence[Item]) -> list[Step]:
    """The records of a bundle with their bodies."""
    bodies = {digest_bytes(content): content for kind, content in held if kind == "body"}
    found: list[Step] = []
    for kind, content in held:
        if kind == "record":
            found.append(Step(content, bodies[read_raw(content).body.digest]))
        elif kind == "checkpoint":
            found[-1] = found[-1]._replace(sealed=True)
    return found


def rechained(changed: Iterable[Step], by: Signer | None = None) -> list[Item]:
    """What somebody makes who can write everything anew: sequence, chain, digests and sizes are right.

    With a key the checkpoints are signed by it, where there were some; without one there are none.
    """
    held: list[Item] = []
    tree, prev = Frontier(), None
    for seq, one in enumerate(changed):
        record = read_raw(one.raw)
        body = record.body.replace(digest=digest_bytes(one.body), size=len(one.body))
        schema = record.schema
        if record.kind == "schema.registered":
            schema = schema.replace(digest=body.digest)
        raw = record.replace(seq=seq, prev=prev, body=body, schema=schema).canonical()
        tree, _ = tree.append(leaf_hash(raw))
        prev = record_id(raw)
        held += [("body", one.body), ("record", raw)]
        if by is not None and one.sealed:
            held.append(("checkpoint", bytes(Checkpoint(record.log, seq + 1, tree.root()).signed(by))))
    return held


def everything(folder: Path) -> dict[str, tuple[int, bytes]]:
    """All that a write in or under a folder would change."""
    places = [folder, *folder.rglob("*")]
    return {str(one): (one.stat().st_mtime_ns, one.read_bytes() if one.is_file() else b"") for one in places}


def verdict(path: Path, *against: Path, policy: Path | None = None) -> str:
    """The one word on it."""
    return str(standalone.verify(path, policy, against)["verdict"])


def found(path: Path, *against: Path, policy: Path | None = None) -> tuple[str, int | None, str]:
    """The one word on it, and where the first failure is."""
    report = standalone.verify(path, policy, against)
    first = report["first_finding"] or {"seq": None, "field": ""}
    return report["verdict"], first["seq"], first["field"]


def site(folder: Path) -> Path:
    """A folder from which Python imports blake3 and nothing else that is not its own."""
    spec = importlib.util.find_spec("blake3")
    assert spec is not None
    assert spec.origin is not None
    if not (folder / "blake3").exists():
        shutil.copytree(Path(spec.origin).parent, folder / "blake3")
    return folder


def alone(folder: Path, *arguments: object) -> tuple[int, str, str]:
    """Run the file by itself, copied away, with blake3 and nothing else of this environment."""
    file = folder / "standalone.py"
    shutil.copyfile(Path(standalone.__file__), file)
    command = [sys.executable, "-I", "-S", "-c", SITE, site(folder / "site"), file, *arguments]
    done = subprocess.run(
        [str(one) for one in command], capture_output=True, encoding="utf-8", check=False, cwd=folder,
        env={"PATH": "", "LC_ALL": "C"},
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def reported(folder: Path, *arguments: object) -> tuple[int, dict[str, Any]]:
    """The exit code and the JSON of a run by itself; whatever else it printed is a failure."""
    code, out, err = alone(folder, "verify", *arguments, "--json")
    assert err == ""
    report = json.loads(out)
    assert report["exit_code"] == code
    return code, report


def clean(path: Path) -> bool:
    """What the project's own replay says of a bundle or a SQLite ledger."""
    try:
        log = BundleLog(path) if path.suffix == ".bundle" else open_readonly(path)
        with log.read() as reader:
            return replay(reader).clean
    except EvidenceError:
        return False


def flipped(raw: bytes, at: int, chance: Random) -> bytes:
    """One byte is another."""
    return raw[:at] + bytes([raw[at] ^ chance.randrange(1, 256)]) + raw[at + 1 :]


def records(held: Sequence[Item]) -> list[int]:
    return [place for place, (kind, _) in enumerate(held) if kind == "record"]
