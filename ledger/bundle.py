"""A whole log in one file that can be carried away: JSON Lines, byte by byte in docs/ledger-format.md.

    {"format":"external_evidence_bundle_v1","log":ORIGIN}
    {"body":BASE64}         before the first record that names it
    {"record":BASE64}
    {"checkpoint":BASE64}   right after the last record that it covers
    {"end":{"bodies":N,"checkpoints":N,"records":N,"sha256":HEX}}

It holds no policy: whom to trust is the auditor's own file.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ledger.chain import Break
from ledger.export import head_of, walk
from ledger.store import REGISTERED, Head, Reader
from ledger.tree import kept
from ledger.tree_check import TreeCheck, checkpoint_breaks
from schemas.canonical import canonical, digest_bytes
from schemas.errors import IntegrityError, InvalidError, NotFoundError, StorageError
from schemas.ledger import LedgerRecord, read_raw, record_id
from schemas.outside import MAX_BYTES, parse

FORMAT = "external_evidence_bundle_v1"
MOST_LINE_BYTES = 2 * MAX_BYTES
PLURALS = {"body": "bodies", "checkpoint": "checkpoints", "record": "records"}
_MOST_LIKE = 8


def write_bundle(reader: Reader, out: BinaryIO) -> None:
    """Write the log that `reader` sees as a bundle.

    IntegrityError: it does not hold together. UsageError: it has no record.
    """
    lines = _Lines(out)
    lines.put({"format": FORMAT, "log": head_of(reader).log})
    there: set[str] = set()
    for stored in walk(reader):
        if stored.body is not None and stored.record.body.digest not in there:
            there.add(stored.record.body.digest)
            lines.put_bytes("body", stored.body)
        lines.put_bytes("record", stored.raw)
        if stored.note is not None:
            lines.put_bytes("checkpoint", stored.note)
    lines.put({"end": lines.end()})


class _Lines:
    """What was written so far: how many lines of each kind, and the hash of all of them."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._hash = sha256()
        self._counts = dict.fromkeys(PLURALS, 0)

    def put(self, value: dict[str, object]) -> None:
        line = canonical(value) + b"\n"
        self._hash.update(line)
        self._out.write(line)

    def put_bytes(self, kind: str, content: bytes) -> None:
        self._counts[kind] += 1
        self.put({kind: b64encode(content).decode()})

    def end(self) -> dict[str, object]:
        return _end(self._counts, self._hash.hexdigest())


class _Place(NamedTuple):
    """Where a line begins, and how many records stand before it."""

    offset: int
    records: int


class BundleLog:
    """A Readable over a bundle; only where the lines begin is kept in memory."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def read(self) -> Iterator["BundleReader"]:
        """The whole file; IntegrityError names the line that is none of a bundle, or says that it was cut."""
        try:
            file = self._path.open("rb")
        except FileNotFoundError as error:
            raise NotFoundError(f"there is no bundle at {self._path}", subject=str(self._path)) from error
        except OSError as error:
            raise StorageError(f"{self._path} cannot be read: {error}", subject=str(self._path)) from error
        with file:
            yield BundleReader(file)

    def close(self) -> None:
        """Nothing is held between two reads."""


class BundleReader:
    """A Reader of a bundle. What a store looks up in an index is looked for in all records here."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._records: list[int] = []
        self._notes: list[_Place] = []
        self._bodies: dict[str, int] = {}
        self._breaks: list[Break] = []
        self._rows: list[bytes] = []
        self._log = self._header()
        self._scan()

    def head(self) -> Head | None:
        """The last record; None when there is none at all."""
        if not self._records:
            return None
        raw = self._content(self._records[-1])
        return Head(self._log, len(self._records) - 1, record_id(raw))

    def raw(self, seq: int) -> bytes | None:
        """The stored bytes of one record."""
        return self._content(self._records[seq]) if 0 <= seq < len(self._records) else None

    def records(self, after: int = -1) -> Iterator[tuple[int, bytes]]:
        """Every (seq, raw) beyond `after` in order."""
        for seq in range(after + 1, len(self._records)):
            yield seq, self._content(self._records[seq])

    def body(self, digest: str) -> bytes | None:
        """The body of that digest, None when absent or erased."""
        return self._content(self._bodies[digest]) if digest in self._bodies else None

    def of_subject(self, identity: str) -> list[tuple[int, bytes]]:
        """Every (seq, raw) whose subject names `identity` in any field, in order."""
        return [(seq, raw) for seq, raw, one in self._read() if identity in one.subject.ids().values()]

    def of_kind(self, kind: str) -> list[tuple[int, bytes]]:
        """Every (seq, raw) of one kind, in order."""
        return [(seq, raw) for seq, raw, one in self._read() if one.kind == kind]

    def latest(self, kind: str) -> tuple[int, bytes] | None:
        """The last (seq, raw) of one kind."""
        return max(self.of_kind(kind), default=None)

    def ids_like(self, prefix: str, field: str | None = None) -> list[tuple[str, str]]:
        """A handful of (field, id) whose id begins with `prefix`, given with or without its algorithm."""
        found = {
            (identity.partition(":")[2], name, identity)
            for _, _, record in self._read()
            for name, identity in record.subject.ids().items()
            if field in (None, name) and prefix and _begins(identity, prefix)
        }
        return [(name, identity) for _, name, identity in sorted(found)[:_MOST_LIKE]]

    def has_schema(self, name: str, digest: str) -> bool:
        """Whether that schema was registered here."""
        registered = (one for _, _, one in self._read() if one.kind == REGISTERED)
        return any((one.schema.name, one.schema.digest) == (name, digest) for one in registered)

    def subtree(self, level: int, index: int) -> bytes:
        """The hash over the 2^level records from index·2^level on; IntegrityError when absent."""
        if not self._rows:
            tree = TreeCheck()
            self._rows = [tree.row(raw, None) for _, raw in self.records()]
        return kept(lambda seq: b"".join(self._rows[seq : seq + 1]))(level, index)

    def checkpoint(self, size: int) -> bytes | None:
        """The first signed checkpoint that covers at least `size` records."""
        return next((note for covered, note in self.checkpoints() if covered >= size), None)

    def last_checkpoint(self) -> bytes | None:
        """The signed checkpoint of the most records."""
        return self._content(self._notes[-1].offset) if self._notes else None

    def checkpoints(self) -> Iterator[tuple[int, bytes]]:
        """Every (size, note) in order of size."""
        for place in self._notes:
            yield place.records, self._content(place.offset)

    def index_breaks(self) -> Iterator[Break]:
        """What is wrong with the file as a whole, and with the checkpoints in it."""
        yield from self._breaks
        notes = self.checkpoints()
        size, note = next(notes, (-1, b""))
        tree = TreeCheck()
        for seq, raw in self.records():
            tree.row(raw, None)
            while size == seq + 1:
                yield from checkpoint_breaks(seq, note, tree)
                size, note = next(notes, (-1, b""))
        if size == 0:
            yield Break(0, "checkpoint", "a checkpoint is of stored records", "a record before it", "none")

    def _read(self) -> Iterator[tuple[int, bytes, LedgerRecord]]:
        for seq, raw in self.records():
            yield seq, raw, read_raw(raw)

    def _header(self) -> str:
        header = _line(self._file.readline(MOST_LINE_BYTES), 1)
        if set(header) != {"format", "log"} or header["format"] != FORMAT:
            raise _broken(1, f"it is no header of {FORMAT}")
        return str(header["log"])

    def _scan(self) -> None:
        self._file.seek(0)
        hashed = sha256(self._file.readline())
        counts = dict.fromkeys(PLURALS, 0)
        for number, (offset, raw) in enumerate(self._lines(), 2):
            value = _line(raw, number)
            if "end" in value:
                self._ended(value, {"end": _end(counts, hashed.hexdigest())})
                return
            kind, content = _held(value, number)
            counts[kind] += 1
            self._keep(kind, content, offset)
            hashed.update(raw)
        raise IntegrityError("the bundle has no last line; it was cut", subject="end")

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        while True:
            offset = self._file.tell()
            raw = self._file.readline(MOST_LINE_BYTES)
            if not raw:
                return
            yield offset, raw

    def _keep(self, kind: str, content: bytes, offset: int) -> None:
        if kind == "record":
            self._records.append(offset)
        elif kind == "checkpoint":
            self._notes.append(_Place(offset, len(self._records)))
        else:
            self._bodies.setdefault(digest_bytes(content), offset)

    def _ended(self, stated: dict[str, object], expected: dict[str, object]) -> None:
        if stated != expected or self._file.read(1):
            shown = [canonical(one).decode() for one in (expected, stated)]
            last = max(0, len(self._records) - 1)
            self._breaks.append(Break(last, "end", "the bundle is as it was exported", *shown))

    def _content(self, offset: int) -> bytes:
        here = self._file.tell()
        self._file.seek(offset)
        _, content = _held(_line(self._file.readline(MOST_LINE_BYTES), 0), 0)
        self._file.seek(here)
        return content


def _end(counts: dict[str, int], hashed: str) -> dict[str, object]:
    return {**{PLURALS[kind]: count for kind, count in counts.items()}, "sha256": hashed}


def _begins(identity: str, prefix: str) -> bool:
    return identity.startswith(prefix) or identity.partition(":")[2].startswith(prefix)


def _line(raw: bytes, number: int) -> dict[str, object]:
    try:
        value = parse(raw, "line")
        if isinstance(value, dict) and canonical(value) + b"\n" == raw:
            return value
    except InvalidError as error:
        raise _broken(number, error.message) from error
    raise _broken(number, "it is not written as a bundle's lines are")


def _held(value: dict[str, object], number: int) -> tuple[str, bytes]:
    items: Iterable[tuple[str, object]] = value.items()
    for kind, text in items if len(value) == 1 else ():
        if kind in PLURALS and isinstance(text, str):
            try:
                content = b64decode(text, validate=True)
            except ValueError as error:
                raise _broken(number, f"it is not base64: {error}") from error
            if b64encode(content).decode() == text:
                return kind, content
    raise _broken(number, "it holds no record, body or checkpoint")


def _broken(number: int, complaint: str) -> IntegrityError:
    return IntegrityError(f"line {number} of the bundle: {complaint}", subject=f"line {number}")
