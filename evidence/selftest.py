"""Ask whether the audit would see it: tamper with copies of a ledger and look what is said of each.

A self-test that cannot fail proves nothing: it is given its verifier, and what a verifier overlooks is
named with its place.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from shutil import copyfile
from typing import NamedTuple, TypeVar

from evidence.tampering import KINDS, WITH_A_KEY, Clean, Edit, edits
from evidence.verify import verify
from ledger.checkpoint import Checkpoint
from ledger.export import head_of
from ledger.keyring import periods
from ledger.keys import Signer, generate
from ledger.rebuilt import Piece, pieces, rebuild, rechained
from ledger.store import Reader
from schemas.errors import IntegrityError, UsageError
from schemas.ledger import LedgerOpened
from schemas.outside import parse

SCHEMA = "external_evidence_selftest_v0"
ALL_RECORDS = 50  # so many records are all tampered with, of more only some
MOST = 500
LIMIT = (
    "It shows that these edits are seen on this ledger, compared with a policy and the last checkpoint where"
    " it has a key. It does not show that the ledger itself is right: that is `audit verify`."
)

T = TypeVar("T")
Verifier = Callable[[Path, bytes | None, Sequence[bytes]], str]


def the_audit(path: Path, policy: bytes | None, against: Sequence[bytes]) -> str:
    """The word of `audit verify`."""
    return str(verify(path, policy, against).verdict)


class Missed(NamedTuple):
    """An edit that did not get its word."""

    where: str
    expected: str
    found: str


@dataclass
class Row:
    """What became of one kind of edit."""

    kind: str
    edits: int = 0
    words: Counter[str] = field(default_factory=Counter)
    missed: list[Missed] = field(default_factory=list)

    def to_wire(self) -> dict[str, object]:
        """The row as the doors print it."""
        zh, en = KINDS[self.kind]
        return {
            "kind": self.kind,
            "zh": zh,
            "en": en,
            "edits": self.edits,
            "caught": self.edits - len(self.missed),
            "words": dict(sorted(self.words.items())),
            "missed": [one._asdict() for one in self.missed],
        }


@dataclass
class SelfTest:
    """Which edits were tried, and which of them were not seen for what they are."""

    records: int
    signed: bool
    word: str
    known: int
    rows: list[Row] = field(default_factory=list)
    not_tried: dict[str, str] = field(default_factory=dict)

    @property
    def tried(self) -> int:
        """How many edits were made."""
        return sum(row.edits for row in self.rows)

    @property
    def missed(self) -> int:
        """How many of them were not seen."""
        return sum(len(row.missed) for row in self.rows)

    def to_wire(self) -> dict[str, object]:
        """The report as the doors print it."""
        return {
            "schema_version": SCHEMA,
            "all_caught": not self.missed,
            "records": self.records,
            "signed": self.signed,
            "clean": self.word,
            "edits": self.tried,
            "edits_known": self.known,
            "caught": self.tried - self.missed,
            "missed": self.missed,
            "kinds": [row.to_wire() for row in self.rows],
            "not_tried": [{"kind": kind, "reason": reason} for kind, reason in self.not_tried.items()],
            "limit": LIMIT,
        }


def tamper(reader: Reader, folder: Path, most: int | None = None, verifier: Verifier = the_audit) -> SelfTest:
    """Tamper with copies, in `folder`, of the log that `reader` sees; `most`: at most so many edits.

    UsageError: the ledger does not hold as it is, or has no record.
    """
    clean_file, copy = folder / "clean.sqlite3", folder / "copy.sqlite3"
    try:
        head, note = head_of(reader), reader.last_checkpoint()
        rebuild(clean_file, pieces(reader))
    except IntegrityError as error:
        raise UsageError(f"a ledger that does not hold cannot be tampered with: {error.message}") from error
    records = head.seq + 1
    policy = None if note is None else f"log {periods(reader)[-1].key}\nquorum none\n".encode()
    against = [] if note is None else [note]
    word = verifier(clean_file, policy, against)
    if word != ("UNANCHORED" if note is None else "VERIFIED"):
        raise UsageError(f"a ledger that is {word} cannot be tampered with", hint="`audit verify` says more")
    clean = Clean(clean_file, note is not None, _spread(range(records), ALL_RECORDS))
    every = list(edits(clean, lambda held: _by_another(head.log, held)))
    told = SelfTest(records, clean.signed, word, len(every))
    if not clean.signed:
        reason = "the log has no key: whoever can write it can chain it anew, and only a key or a copy tells"
        told.not_tried = dict.fromkeys(WITH_A_KEY, reason)
    limit = most if most is not None else (MOST if records > ALL_RECORDS else len(every))
    for kind, those in groupby(sorted(_fair(every, limit), key=_place), lambda one: one.kind):
        row = Row(kind)
        for one in those:
            copyfile(clean_file, copy)
            one.forge(copy)
            _note(row, one, verifier(copy, policy, against))
        told.rows.append(row)
    return told


def _note(row: Row, edit: Edit, word: str) -> None:
    row.edits += 1
    row.words[word] += 1
    if word != edit.word:
        row.missed.append(Missed(edit.where, edit.word, word))


def _place(edit: Edit) -> int:
    return list(KINDS).index(edit.kind)


def _fair(every: list[Edit], most: int) -> list[Edit]:
    """At most so many, of each kind as many as of any other, spread over the log."""
    left, taken = most, []
    kinds = sorted(
        (list(those) for _, those in groupby(sorted(every, key=_place), lambda one: one.kind)), key=len
    )
    for number, those in enumerate(kinds):
        chosen = _spread(those, left // (len(kinds) - number))
        taken += chosen
        left -= len(chosen)
    return taken


def _spread(those: Sequence[T], most: int) -> list[T]:
    """At most so many of them, evenly spread, the first and the last among them."""
    if len(those) <= most:
        return list(those)
    return [those[place * (len(those) - 1) // max(1, most - 1)] for place in range(most)]


def _by_another(log: str, held: Iterable[Piece]) -> Iterator[Piece]:
    """The whole log again under its own name, by somebody who has another key."""
    signer = Signer.read(generate(log))

    def opened() -> Iterator[Piece]:
        for seq, piece in enumerate(held):
            if seq == 0 and piece.body is not None:
                body = LedgerOpened.read(parse(piece.body, "body")).replace(key=str(signer.verifier))
                yield piece._replace(body=body.canonical())
            else:
                yield piece

    return rechained(opened(), lambda checkpoint: _signed(checkpoint, signer))


def _signed(checkpoint: Checkpoint, signer: Signer) -> bytes:
    return bytes(checkpoint.signed(signer))
