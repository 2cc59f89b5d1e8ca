"""The library: standards as their maintainer lists them, read from CSV (matcher design, 5 and 6.1).

Required columns are `COLUMNS`; others are ignored. Whatever would make an answer doubtful fails the
load, all problems at once: a missing or repeated column, bytes in no known encoding, a row of the
wrong width, a control character, an empty code, a code listed twice, no record at all.
"""

import csv
import io
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path

import orjson

from providers.standards.cache import Kept
from providers.standards.folding import fold
from providers.standards.stored import FEWEST_BYTES, Held, StoredRecords, find_records, keep_records
from schemas.canonical import (
    DEFAULT_ALGORITHM,
    Algorithm,
    canonical,
    canonical_record,
    digest,
    digest_bytes,
)
from schemas.errors import InvalidError, NotFoundError, StorageError
from schemas.text import refused_character, shown, trim

COLUMNS = ("csres_code", "csres_normalized_code", "csres_title", "status", "relation_text", "implement_date")
LARGEST_BYTES = 256 * 1024 * 1024
MOST_RECORDS = 1_000_000
LONGEST_FIELD = 4_000
IMPORT_FIRST = "make a library of it first: external-evidence standards library import LIST -o standards.csv"

_ENCODINGS = ("utf-8-sig", "gb18030")
_MOST_PROBLEMS = 100


@dataclass(frozen=True, slots=True)
class StandardRecord:
    """One standard as the library states it; nothing here is derived."""

    code: str
    normalized_code: str
    title: str
    status: str
    relation_text: str
    implement_date: str

    def to_wire(self) -> dict[str, object]:
        """The record as it is hashed."""
        return {name: getattr(self, name) for name in self.__slots__}


# Compared by identity: two libraries are the same when their revisions are.
@dataclass(frozen=True, eq=False)
class Library:
    """All records in file order, and the digest that names exactly these."""

    name: str
    records: Sequence[StandardRecord]
    revision: str = field(default="", kw_only=True)
    """Worked out unless it is given by one who has."""

    def __post_init__(self) -> None:
        if not self.revision:
            object.__setattr__(self, "revision", digest_bytes(b"".join(_canonical(self.records))))

    def __len__(self) -> int:
        return len(self.records)


class LibraryError(InvalidError):
    """A library file cannot be trusted; `problems` lists everything seen, with line numbers."""

    code = "invalid_library"

    def __init__(self, name: str, problems: list[str], *, hint: str | None = None) -> None:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(f"{name}: {problems[0]}{more}", subject=name, hint=hint)
        self.problems = problems

    def to_wire(self) -> dict[str, object]:
        """The error as the doors print it, with every problem."""
        return {**super().to_wire(), "problems": self.problems}


def record_digest(record: StandardRecord, algorithm: Algorithm = DEFAULT_ALGORITHM) -> str:
    """The content address of one record."""
    return digest(record.to_wire(), algorithm)


def _canonical(records: Iterable[StandardRecord]) -> Iterator[bytes]:
    """The canonical bytes of all records in pieces, each with the comma or bracket before it."""
    before = b"["
    for record in records:
        yield before + _canonical_record(record)
        before = b","
    yield b"]" if before == b"," else b"[]"


def _canonical_record(record: StandardRecord) -> bytes:
    try:
        return canonical_record(record.to_wire())
    except orjson.JSONEncodeError:
        # The slower way names the fault.
        return canonical(record.to_wire())


def code_key(code: str) -> str:
    """What makes two official codes the same: folded, without blanks, upper case (matching, section 7)."""
    return folded_key(fold(code))


def folded_key(folded: str) -> str:
    """`code_key` of a text that is already folded."""
    return folded.replace(" ", "").upper()


def load(path: str | os.PathLike[str]) -> Library:
    """The library in the file at `path`; its name is the file's.

    A large file whose very bytes were read before is not read as CSV again (`stored`).
    """
    file = Path(path)
    try:
        if stat.S_ISDIR(file.stat().st_mode):
            raise LibraryError(file.name, ["is a folder, not a file"])
        with file.open("rb") as stream:
            data = stream.read(LARGEST_BYTES + 1)
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no library at {shown(str(file), 240)}", subject="library") from error
    except (OSError, ValueError) as error:
        message = f"the library at {shown(str(file), 240)} cannot be read: {error}"
        raise StorageError(message, subject="library") from error
    if not FEWEST_BYTES <= len(data) <= LARGEST_BYTES:
        return loads(data, file.name)
    file_digest = digest_bytes(data)
    kept: Kept | Held | None = find_records(file_digest)
    if kept is None:
        # A record is gone as soon as it is written: half a million of them weigh more than all their bytes.
        held = keep_records(file_digest, _canonical(_Reader(file.name).records(data)))
        kept = find_records(file_digest) or held
    records = StoredRecords(kept, StandardRecord, lambda: _again(file, file_digest).records)
    return Library(file.name, records, revision=records.revision)


def _again(file: Path, file_digest: str) -> Library:
    """The library of a file that was read before, from its bytes."""
    data = file.read_bytes()
    if digest_bytes(data) != file_digest:
        message = f"the library at {shown(str(file), 240)} changed while it was in use"
        raise StorageError(message, subject="library")
    return loads(data, file.name)


def loads(data: bytes, name: str = "library") -> Library:
    """The library that `data` writes as CSV in UTF-8, with or without BOM, or GB18030."""
    if len(data) > LARGEST_BYTES:
        raise LibraryError(name, [f"文件过大 holds {len(data)} bytes or more; at most {LARGEST_BYTES}"])
    if data.startswith(b"PK\x03\x04"):
        problem = "是 XLSX is an XLSX, not a CSV; run `standards library import` on it first"
        raise LibraryError(name, [problem], hint=IMPORT_FIRST)
    return Library(name, tuple(_Reader(name).records(data)))


@cache
def starter() -> Library:
    """The library that comes with the package; STARTER.md says where its facts are from."""
    return loads((resources.files(__package__) / "starter.csv").read_bytes(), "starter")


def _encoding(data: bytes, name: str) -> str:
    """The first encoding that all of `data` is in."""
    stopped = 0
    for encoding in _ENCODINGS:
        try:
            for _ in io.TextIOWrapper(io.BytesIO(data), encoding, newline=""):
                pass
        except UnicodeDecodeError as error:
            stopped = _place(data, encoding, error)
        else:
            return encoding
    line = data.count(b"\n", 0, stopped) + 1
    problem = f"line {line}: byte 0x{data[stopped]:02x} is neither UTF-8 nor GB18030"
    utf_16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    hint = (
        f"it begins as UTF-16 does; {IMPORT_FIRST}" if utf_16 else "save it as CSV UTF-8 (另存为 CSV UTF-8)"
    )
    raise LibraryError(name, [problem], hint=hint)


def _place(data: bytes, encoding: str, seen: UnicodeDecodeError) -> int:
    """Where in all of `data` a decoder stops that was fed in pieces."""
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        return error.start
    raise seen


class _Reader:
    """One pass over the rows that keeps going after a problem."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._problems: list[str] = []
        self._lines: dict[str, int] = {}

    def records(self, data: bytes) -> Iterator[StandardRecord]:
        """Every record of `data`; raises LibraryError after the last if there was any problem."""
        rows = self._rows(data)
        places, width = self._header(next(rows, (1, [])))
        count = 0
        for line, row in rows:
            if len(self._problems) >= _MOST_PROBLEMS:
                break
            if count == MOST_RECORDS:
                self._problems.append(f"line {line}: 记录过多 more than {MOST_RECORDS} records")
                break
            record = self._record(line, row, places, width)
            if record is not None:
                count += 1
                yield record
        if not count and not self._problems:
            # An empty answer from an empty file would look like a finding.
            self._problems.append("line 1: 表头之后没有记录 no record follows the header")
        if self._problems:
            raise LibraryError(self._name, self._problems)

    def _rows(self, data: bytes) -> Iterator[tuple[int, list[str]]]:
        """Rows that are not blank, each with the line it begins on."""
        text = io.TextIOWrapper(io.BytesIO(data), _encoding(data, self._name), newline="")
        reader = csv.reader(text, strict=True)
        begins = 1
        try:
            for row in reader:
                if any(map(trim, row)):
                    yield begins, row
                begins = reader.line_num + 1
        except csv.Error as error:
            self._problems.append(f"line {begins}: {error}")

    def _header(self, first: tuple[int, list[str]]) -> tuple[list[int], int]:
        line, row = first
        if not row:
            told = self._problems or ["文件是空的 the file is empty"]
            raise LibraryError(self._name, told)
        names = [trim(name) for name in row]
        missing = [column for column in COLUMNS if column not in names]
        twice = [column for column in COLUMNS if names.count(column) > 1]
        problems = [f"line {line}: 缺列 the column {column} is missing" for column in missing]
        problems += [f"line {line}: 列重复 the column {column} stands twice" for column in twice]
        if problems:
            raise LibraryError(self._name, self._problems + problems, hint=IMPORT_FIRST if missing else None)
        return [names.index(column) for column in COLUMNS], len(names)

    def _record(self, line: int, row: list[str], places: list[int], width: int) -> StandardRecord | None:
        if len(row) != width:
            self._problems.append(f"line {line}: 列数不符 {len(row)} fields where the header has {width}")
            return None
        values = [trim(row[place]) for place in places]
        faults = [fault for pair in zip(COLUMNS, values, strict=True) if (fault := field_fault(*pair))]
        if faults:
            self._problems += [f"line {line}: {fault}" for fault in faults]
            return None
        if not self._new(line, values[0]):
            return None
        return StandardRecord(*values)

    def _new(self, line: int, code: str) -> bool:
        key = code_key(code)
        if not key:
            self._problems.append(f"line {line}: 编号为空 csres_code is empty")
            return False
        earlier = self._lines.setdefault(key, line)
        if earlier != line:
            told = f"编号重复 the code {shown(code)} stands already on line {earlier}"
            self._problems.append(f"line {line}: {told}")
        return earlier == line


def field_fault(column: str, value: str) -> str | None:
    """Why no record can hold `value` in `column`, or None."""
    if len(value) > LONGEST_FIELD:
        return f"过长 {column} has {len(value)} characters; at most {LONGEST_FIELD}"
    refused = refused_character(value)
    return f"{column} {refused}" if refused else None
