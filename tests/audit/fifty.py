"""A signed ledger of fifty records that is small enough to be damaged at every one of its bytes.

It holds one whole life with every kind of step. Its registered schemas are one line each, because a
published one is twenty times as long as all the records that rest on it.
"""

import shutil
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ledger.bundle import write_bundle
from ledger.export import written
from ledger.proof import prove
from ledger.sqlite_readonly import open_readonly
from ledger.store import REGISTERED, Draft, registration
from schemas.canonical import canonical, digest_bytes
from schemas.ledger import read_raw
from tests.ledger.carried import carry, filler, items, steps
from tests.ledger.signing import opened, signer
from tests.ledger.steps import edit

RECORDS = 50
PROVED = 20


class Fifty(NamedTuple):
    """The log in its two forms, a copy of before its last commit, and what an auditor keeps of it."""

    folder: Path

    @property
    def sqlite(self) -> Path:
        return self.folder / "l.sqlite3"

    @property
    def bundle(self) -> Path:
        return self.folder / "l.bundle"

    @property
    def backup(self) -> Path:
        return self.folder / "backup.sqlite3"

    @property
    def policy(self) -> Path:
        return self.folder / "policy"

    @property
    def checkpoint(self) -> Path:
        """The newest one."""
        return self.folder / "checkpoint"

    @property
    def early(self) -> Path:
        """That of the copy."""
        return self.folder / "early"

    @property
    def proof(self) -> Path:
        return self.folder / "proof"


def make(folder: Path) -> Fifty:
    """A new one in an empty folder; the same bytes every time."""
    fifty = Fifty(folder)
    commits = life(folder / "donor")
    count = RECORDS - 1 - sum(map(len, commits))
    held = opened(folder)
    for drafts in commits:
        held.append(*drafts)
    fillers = map(filler, range(count - 1))
    while group := list(islice(fillers, 3)):
        held.append(*group)
    held.close()
    shutil.copyfile(fifty.sqlite, fifty.backup)
    held = opened(folder)
    held.append(filler(count))
    held.close()
    edit(fifty.sqlite, "VACUUM")  # pages that were split keep old bytes, which would look like stored ones
    fifty.policy.write_text(f"log {signer().verifier}\nquorum none\n")
    fifty.early.write_bytes(last_note(fifty.backup))
    fifty.checkpoint.write_bytes(last_note(fifty.sqlite))
    pack(fifty.sqlite, fifty.bundle)
    with open_readonly(fifty.sqlite).read() as reader:
        fifty.proof.write_bytes(bytes(prove(reader, PROVED) or b""))
    return fifty


def life(folder: Path) -> list[list[Draft]]:
    """Every step of a life of the engine's, as it committed them, under schemas of one line."""
    small: dict[str, bytes] = {}
    commits: list[list[Draft]] = [[]]
    for number, step in enumerate(steps(items(carry(folder).bundle))[1:]):
        record = read_raw(step.raw)
        name = record.schema.name
        document = small.setdefault(name, canonical({"title": name}))
        if record.kind == REGISTERED:
            commits[-1].append(registration(record.actor, name, document))
        else:
            command, stated = f"step {number}", digest_bytes(document)
            draft = Draft(record.kind, record.actor, command, record.subject, name, stated, step.body)
            commits[-1].append(draft)
        if step.sealed:
            commits.append([])
    return commits[:-1]


def pack(ledger: Path, bundle: Path) -> Path:
    """Export a ledger file as a bundle."""
    with open_readonly(ledger).read() as reader:
        written(bundle, lambda out: write_bundle(reader, out))
    return bundle


def last_note(path: Path) -> bytes:
    """The newest checkpoint in a ledger file."""
    with open_readonly(path).read() as reader:
        note = reader.last_checkpoint()
    assert note is not None
    return note


def count(path: Path) -> int:
    """How many records a ledger file holds."""
    with open_readonly(path).read() as reader:
        return sum(1 for _ in reader.records())
