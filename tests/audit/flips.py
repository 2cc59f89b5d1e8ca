"""Flip one byte of a ledger file after the other, in place, and ask both verifiers what they say.

What a byte is, is told by SQLite itself (its `dbstat` table) and by where the stored bytes lie in the file.
"""

import functools
import shutil
import signal
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import BinaryIO, NamedTuple

from evidence.verify import verify
from ledger import note, standalone
from tests.audit.fifty import Fifty
from tests.ledger.carried import items

HEADER_BYTES = 100
_STORED = {
    "record": "SELECT raw FROM records",
    "tree": "SELECT tree FROM records",
    "body": "SELECT bytes FROM bodies",
    "checkpoint": "SELECT note FROM checkpoints",
    "idem, prev or digest": "SELECT idem FROM records UNION SELECT prev FROM records WHERE seq > 0"
    " UNION SELECT digest FROM bodies UNION SELECT digest FROM head",
    "subject": "SELECT CAST(hex AS BLOB) FROM subjects",
}
UNSEEN = ("UNANCHORED", "VERIFIED", "VERIFIED")
NOT_ASKED = ("", "", "")
NO_END = ("NO END", "NO END", "NO END")
LONGEST_SECONDS = 60  # a judgement takes a fraction of one
EDGES = ("header", "first line", "last line")


class Flip(NamedTuple):
    """One byte that is another, and what was said of it: without an anchor, with all, by the one file."""

    at: int
    what: str
    words: tuple[str, str, str]
    same: bool  # SQLite reads from the file what it read before

    @property
    def unseen(self) -> bool:
        """Whether nobody complained, as far as they were asked."""
        return all(word in ("", fine) for word, fine in zip(self.words, UNSEEN, strict=True))

    @property
    def right(self) -> bool:
        """Whether it is seen, or is of no meaning to whoever reads; and both verifiers say so."""
        if self.unseen:
            return self.same and self.what not in _STORED
        allowed = {"TAMPERED", "CANNOT-VERIFY", "TORN"} if self.what in EDGES else {"TAMPERED"}
        told = set(self.words) - {""}
        return len(told) == 1 and told <= allowed


def mask(at: int) -> int:
    """Which bits are turned: one at most places, all of them at some; the same in every run."""
    return 0xFF if at % 9 == 8 else 1 << at % 9


def regions(path: Path) -> list[str]:
    """What each byte of a SQLite ledger belongs to: a stored column, or the rest of that table's pages."""
    raw = path.read_bytes()
    what = [""] * len(raw)
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        for name, start, size in connection.execute("SELECT name, pgoffset, pgsize FROM dbstat"):
            what[start : start + size] = [f"{name} (page)"] * size
        for label, sql in _STORED.items():
            for (stored,) in connection.execute(sql):
                for start in _found(raw, stored):
                    what[start : start + len(stored)] = [label] * len(stored)
    what[:HEADER_BYTES] = ["header"] * HEADER_BYTES
    assert all(what)
    return what


def _found(raw: bytes, stored: bytes) -> Iterator[int]:
    at = raw.find(stored)
    assert at >= 0
    while at >= 0:
        yield at
        at = raw.find(stored, at + 1)


def lines(path: Path) -> list[str]:
    """What each byte of a bundle belongs to: the kind of its line."""
    kinds = ["first line", *(f"{kind} line" for kind, _ in items(path)), "last line"]
    raw = path.read_bytes().splitlines(keepends=True)
    return [kind for kind, line in zip(kinds, raw, strict=True) for _ in line]


def _is_bundle(path: Path) -> bool:
    return path.suffix == ".bundle"


def parts(path: Path) -> list[str]:
    """What each byte of a ledger in either form belongs to."""
    return lines(path) if _is_bundle(path) else regions(path)


def some_of_each(path: Path, count: int, seed: int) -> list[int]:
    """Some places in every part of the file."""
    places = defaultdict(list)
    for at, part in enumerate(parts(path)):
        places[part].append(at)
    chance = Random(seed)
    return sorted(at for all_of in places.values() for at in chance.sample(all_of, min(count, len(all_of))))


def content(path: Path) -> object:
    """All rows of all tables and whether every index is that of its table; of a bundle, its bytes."""
    if _is_bundle(path):
        return path.read_bytes()
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        try:
            checked = connection.execute("PRAGMA integrity_check").fetchall()
            if checked != [("ok",)]:
                return checked  # the rows of a broken tree may come again and again
            schema = connection.execute("SELECT * FROM sqlite_schema").fetchall()
            names = [row[1] for row in schema if row[0] == "table"]
            rows = [connection.execute(f"SELECT * FROM {name}").fetchall() for name in names]  # noqa: S608
        except (sqlite3.Error, UnicodeDecodeError) as error:
            return str(error)
    return checked, schema, rows


def signatures_once() -> None:
    """In this process a signature, which is a function of its bytes, is not computed again for the same."""
    for module, name in ((note, "_verify"), (standalone, "ed25519")):
        known: Callable[..., object] = getattr(module, name)
        if not hasattr(known, "cache_info"):
            setattr(module, name, functools.cache(known))


def flip(
    fifty: Fifty, original: Path, copy: Path, places: Iterable[int], *, thrift: bool = False
) -> Iterator[Flip]:
    """Flip each of these bytes in turn in `copy`, which is made of `original` and at the end is it again.

    With `thrift` not everybody is asked about every byte: about those whose change changes nothing that
    SQLite reads at every 16th, and without an anchor at every fourth.
    """
    shutil.copyfile(original, copy)
    raw, what = original.read_bytes(), parts(original)
    whole = content(copy)
    with copy.open("r+b", buffering=0) as file:
        for at in places:
            _put(file, at, raw[at] ^ mask(at))
            same = content(copy) == whole
            spared = thrift and same and what[at] not in EDGES and at % 16
            words = NOT_ASKED if spared else judged(copy, fifty, bare=not thrift or at % 4 == 0)
            _put(file, at, raw[at])
            yield Flip(at, what[at], words, same)
    assert copy.read_bytes() == raw


def _put(file: BinaryIO, at: int, value: int) -> None:
    file.seek(at)
    file.write(bytes([value]))


class _TooLong(BaseException):
    """A judgement that does not end; no handler of what is judged takes it for an error of its own."""


@contextmanager
def _at_most(seconds: int) -> Iterator[None]:
    def ring(*_: object) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGPROF, ring)
    # Of this process's own time: a machine may be slow, or paused.
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def judged(path: Path, fifty: Fifty, *, bare: bool = True) -> tuple[str, str, str]:
    """The word without an anchor, with policy and kept checkpoint, and that of the one-file verifier."""
    policy, kept = fifty.policy.read_bytes(), fifty.checkpoint.read_bytes()
    try:
        with _at_most(LONGEST_SECONDS):
            alone = standalone.verify(path, fifty.policy, [fifty.checkpoint])
            first = str(verify(path).verdict) if bare else ""
            return first, str(verify(path, policy, [kept]).verdict), str(alone["verdict"])
    except _TooLong:
        return NO_END
    except Exception as error:  # noqa: BLE001 - whatever nobody foresaw, told with its place among the others
        return (repr(error),) * 3


def table(flips: Iterable[Flip]) -> str:
    """How many bytes of which part got which words."""
    counts = Counter((one.what, " / ".join(word or "-" for word in one.words)) for one in flips)
    return "\n".join(f"{count:7}  {what:32} {words}" for (what, words), count in sorted(counts.items()))
