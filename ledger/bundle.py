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
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from ledger.carried import CarriedReader, Place
from ledger.chain import Break
from ledger.converted import converted
from ledger.export import head_of, walk
from ledger.sqlite_file import NoLedgerError
from ledger.store import Reader
from schemas.canonical import canonical, digest_bytes
from schemas.errors import IntegrityError, InvalidError, NotFoundError, StorageError
from schemas.ledger import read_raw
from schemas.outside import MAX_BYTES, parse

FORMAT = "external_evidence_bundle_v1"
MOST_LINE_BYTES = 2 * MAX_BYTES  # a body of MAX_BYTES in base64 has a third more
PLURALS = {"body": "bodies", "checkpoint": "checkpoints", "record": "records"}


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


class BundleLog:
    """A Readable over a bundle; one that was cut is read with `cut_too` only, up to where it was cut."""

    def __init__(self, path: Path, *, cut_too: bool = False) -> None:
        self._path = path
        self._cut_too = cut_too

    @contextmanager
    def read(self) -> Iterator["BundleReader"]:
        """The whole file; IntegrityError names the line that is none of a bundle, or says that it was cut."""
        try:
            file = self._path.open("rb")
        except FileNotFoundError as error:
            raise NotFoundError(f"there is no bundle at {self._path}", subject=str(self._path)) from error
        except OSError as error:
            raise StorageError(f"{self._path} cannot be read: {error}", subject=str(self._path)) from error
        with file, closing(BundleReader(file)) as reader:
            if reader.torn is not None and not self._cut_too:
                raise IntegrityError(
                    f"the bundle was cut: {reader.torn}",
                    subject="end",
                    hint="`audit verify` judges what stands before the cut",
                )
            yield reader

    def close(self) -> None:
        """Nothing is held between two reads."""


class BundleReader(CarriedReader):
    """A Reader of a bundle; `torn` says where it was cut."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file
        try:
            self._log = self._header()
            self._scan()
        except BaseException:
            self.close()
            raise

    def content(self, place: Place) -> bytes:
        # Every line was checked when it was found; only a file that somebody changes meanwhile differs.
        self._file.seek(int(place))
        try:
            return b64decode(self._file.readline(MOST_LINE_BYTES).split(b'"')[3])
        except (IndexError, ValueError) as error:
            raise _broken(0, f"it changed while it was read: {error}") from error

    def index_breaks(self) -> Iterator[Break]:
        """As for all that is carried, and whether the header names the log of the first record."""
        with suppress(IntegrityError):  # told by the chain
            raw = self.raw(0)
            log = self._log if raw is None else read_raw(raw).log
            if log != self._log:
                yield Break(0, "log", "one log, one name", self._log, log)
        yield from super().index_breaks()

    def _header(self) -> str:
        raw = self._file.readline(MOST_LINE_BYTES)
        with suppress(IntegrityError):
            header = _line(raw, 1)
            if set(header) == {"format", "log"} and header["format"] == FORMAT:
                return str(header["log"])
        cause = converted(raw)
        more = "" if cause is None else f" ({cause})"
        raise NoLedgerError(f"line 1 of the bundle: it is no header of {FORMAT}{more}", subject="line 1")

    def _scan(self) -> None:
        self._file.seek(0)
        hashed = sha256(self._file.readline())
        counts = dict.fromkeys(PLURALS, 0)
        number = 1
        for number, (offset, raw) in enumerate(self._lines(), 2):
            if not raw.endswith(b"\n") and len(raw) < MOST_LINE_BYTES:
                self.torn = f"line {number} is cut; the last one must say end"
                return
            value = _line(raw, number)
            if "end" in value:
                self._ended(value, {"end": _end(counts, hashed.hexdigest())})
                return
            kind, content = _held(value, number)
            counts[kind] += 1
            self._keep(kind, content, offset)
            hashed.update(raw)
        self.torn = f"line {number + 1} is missing; the last one must say end"

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Where each line begins, and its bytes."""
        offset = self._file.tell()
        while raw := self._file.readline(MOST_LINE_BYTES):
            yield offset, raw
            offset = self._file.tell()

    def _keep(self, kind: str, content: bytes, offset: int) -> None:
        if kind == "record":
            self.found_record(offset)
        elif kind == "checkpoint":
            self.found_note(offset)
        else:
            self.found_body(digest_bytes(content), offset)

    def _ended(self, stated: dict[str, object], expected: dict[str, object]) -> None:
        if stated != expected or self._file.read(1):
            shown = [canonical(one).decode() for one in (expected, stated)]
            last = max(0, self._size - 1)
            self._breaks.append(Break(last, "end", "the bundle is as it was exported", *shown))


def _end(counts: dict[str, int], hashed: str) -> dict[str, object]:
    return {**{PLURALS[kind]: count for kind, count in counts.items()}, "sha256": hashed}


def _line(raw: bytes, number: int) -> dict[str, object]:
    try:
        value = parse(raw, "line", MOST_LINE_BYTES)
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
