"""Verify an evidence ledger with this one file: Python 3.11, its standard library and `blake3`, nothing else.

    python standalone.py verify PATH [--policy FILE] [--against FILE]... [--json]

PATH is a bundle, a tlog-tiles folder or a SQLite ledger. It is only read; nothing is written beside it.
`--policy` is your own C2SP tlog-policy file, `--against` a checkpoint, a proof or a witness file that you
kept. Nothing that lies with the ledger is trusted. Formats and rules: docs/ledger-format.md.

exit 0 VERIFIED · 1 TAMPERED, FORKED or RULE-BROKEN · 2 CANNOT-VERIFY · 3 UNANCHORED · 4 TORN
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import sqlite3
import stat
import sys
import tempfile
from abc import ABC, abstractmethod
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TextIO

from blake3 import blake3

LIMIT = (
    "A ledger cannot show what was never appended, nor that its tail was cut off behind the newest"
    " checkpoint that you kept."
)
LIMIT_ZH = "账本不能证明从未写入的内容，也不能证明您所留存的最新检查点之后没有被截断。"
EXITS = {"VERIFIED": 0, "TAMPERED": 1, "FORKED": 1, "RULE-BROKEN": 1, "CANNOT-VERIFY": 2, "UNANCHORED": 3,
         "TORN": 4}  # fmt: skip
WORDS = {"VERIFIED": "已核实", "TAMPERED": "被改动", "FORKED": "有分叉", "RULE-BROKEN": "违反规则",
         "CANNOT-VERIFY": "无法核实", "UNANCHORED": "无可比对", "TORN": "尾部不全"}  # fmt: skip
MOST_FINDINGS = 1000
MOST_RECORD, MOST_BODY, MOST_NOTE = 65_535, 8 << 20, 1 << 20
LARGEST = 2**53 - 1
MOST_LOOKS = 20  # at files that somebody writes to meanwhile


class Finding(NamedTuple):
    """One thing that does not hold, and the verdict that it alone would give."""

    seq: int | None
    field: str
    rule: str
    expected: str
    found: str
    verdict: str = "TAMPERED"

    def wire(self) -> dict[str, object]:
        """The finding for JSON, without its weight."""
        return {name: value for name, value in self._asdict().items() if name != "verdict"}


class CannotVerifyError(Exception):
    """What was named cannot be judged at all; the message says why."""


class RuleError(Exception):
    """A value breaks a rule: where, what was expected, what was found."""

    def __init__(self, field: str, expected: str, found: object) -> None:
        super().__init__(field)
        self.field, self.expected, self.found = field, expected, brief(found)


def brief(value: object) -> str:
    """A value for a message: short."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 300 else f"{text[:299]}…"


# --- JSON: strict reading, RFC 8785 writing -----------------------------------------------------------

# A string that nothing ends reaches to the end: to look again from each quote in it would take forever.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)


def parse(raw: bytes, most_bytes: int, most_depth: int) -> Any:
    """The value that `raw` writes; ValueError: too big or deep, no JSON, a repeated key, a huge number."""
    if len(raw) > most_bytes:
        raise ValueError(f"{len(raw)} bytes; at most {most_bytes}")
    depth = deepest = 0
    for token in _TOKEN.finditer(raw):
        depth += {b"{": 1, b"[": 1, b"}": -1, b"]": -1}.get(token.group(), 0)
        deepest = max(deepest, depth)
    if deepest > most_depth:
        raise ValueError(f"{deepest} levels; at most {most_depth}")
    return json.loads(
        raw.decode(),
        object_pairs_hook=_no_repeats,
        parse_constant=_no_constant,
        parse_int=_integer,
        parse_float=_float,
    )


def canonical(value: object) -> bytes:
    """RFC 8785 without floats; ValueError for what an identity cannot hold."""
    return _written(value).encode()


def _written(value: object) -> str:
    if isinstance(value, str):
        return json.encoder.encode_basestring(value)
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return f"{{{','.join(f'{_written(key)}:{_written(value[key])}' for key in keys)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_written, value))}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and abs(value) <= LARGEST:
        return str(value)
    raise ValueError(f"{value} has no place in an identity")


def _no_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _integer(digits: str) -> int:
    if len(digits) > 20:
        raise ValueError(f"an integer of {len(digits)} characters")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if abs(number) == float("inf"):
        raise ValueError("a number beyond every number")
    return number


def digest_of(data: bytes, algorithm: str = "blake3") -> str:
    """`algorithm:hex` of the bytes."""
    return f"{algorithm}:{(blake3(data) if algorithm == 'blake3' else hashlib.sha256(data)).hexdigest()}"


def identity(value: object, like: str) -> str:
    """The digest of a value by the algorithm that the id `like` names."""
    return digest_of(canonical(value), like.partition(":")[0])


# --- RFC 6962 Merkle tree ------------------------------------------------------------------------------

EMPTY = hashlib.sha256().digest()


def leaf_hash(raw: bytes) -> bytes:
    """The hash of one record."""
    return hashlib.sha256(b"\x00" + raw).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash over two halves."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """A tree that grows leaf by leaf: the roots of its whole subtrees, largest first."""

    def __init__(self) -> None:
        self.size = 0
        self.peaks: list[bytes] = []

    def append(self, leaf: bytes) -> list[bytes]:
        """The hashes of all subtrees that this leaf completes, its own first."""
        completed = [leaf]
        size = self.size
        while size & 1:
            completed.append(node_hash(self.peaks.pop(), completed[-1]))
            size >>= 1
        self.peaks.append(completed[-1])
        self.size += 1
        return completed

    def root(self) -> bytes:
        """The root over all leaves so far."""
        if not self.peaks:
            return EMPTY
        *rest, root = self.peaks
        for peak in reversed(rest):
            root = node_hash(peak, root)
        return root


def included(leaf: bytes, index: int, size: int, path: list[bytes], root: bytes) -> bool:
    """Whether the path leads from the leaf to the root (RFC 9162 section 2.1.3.2)."""
    place, last, found = index, size - 1, leaf
    for one in path:
        if last == 0:
            return False
        if place & 1 or place == last:
            found = node_hash(one, found)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            found = node_hash(found, one)
        place, last = place >> 1, last >> 1
    return last == 0 and found == root


# --- RFC 8032 Ed25519, verification only ---------------------------------------------------------------

Point = tuple[int, int, int, int]
_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)
_NEUTRAL: Point = (0, 1, 1, 0)
_BASE = bytes.fromhex("58" + "66" * 31)
_MOST_TABLES = 16  # of 330 KB each


def _add(one: Point, two: Point) -> Point:
    (x1, y1, z1, t1), (x2, y2, z2, t2) = one, two
    a, b = (y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2)
    c, d = 2 * _D * t1 * t2, 2 * z1 * z2
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _point(encoded: bytes) -> Point | None:
    number = int.from_bytes(encoded, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if x * x % _P != square:
        x = x * _ROOT % _P
    if y >= _P or x * x % _P != square or (x == 0 and sign):
        return None
    x = _P - x if x & 1 != sign else x
    return x, y, 1, x * y % _P


def _is_strong(encoded: bytes) -> bool:
    """Whether it is a point, and none of the eight under which a signature needs no secret."""
    point = _point(encoded)
    if point is None:
        return False
    for _ in range(3):
        point = _add(point, point)
    return point[0] != 0


@lru_cache(maxsize=_MOST_TABLES)
def _multiples(encoded: bytes, negative: bool) -> list[list[Point]] | None:
    """[n][d] is d · 16^n of the point, so that a product is 64 additions."""
    point = _point(encoded)
    if point is None:
        return None
    x, y, z, t = point
    point = (-x % _P, y, z, -t % _P) if negative else point
    rows = []
    for _ in range(64):
        row = [_NEUTRAL]
        for _ in range(15):
            row.append(_add(row[-1], point))
        rows.append(row)
        point = _add(row[-1], point)
    return rows


def _product(rows: list[list[Point]], number: int) -> Point:
    total = _NEUTRAL
    for row in rows:
        total = _add(total, row[number & 15])
        number >>= 4
    return total


def ed25519(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the signature of the message holds under the public key."""
    base, key = _multiples(_BASE, False), _multiples(public, True)
    scalar = int.from_bytes(signature[32:], "little")
    if base is None or key is None or len(signature) != 64 or scalar >= _ORDER:
        return False
    hashed = hashlib.sha512(signature[:32] + public + message).digest()
    x, y, z, _ = _add(_product(base, scalar), _product(key, int.from_bytes(hashed, "little") % _ORDER))
    inverse = pow(z, -1, _P)
    x, y = x * inverse % _P, y * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]


# --- C2SP: signed-note, tlog-checkpoint, tlog-proof, tlog-cosignature, tlog-policy ---------------------

LOG, WITNESS = 1, 4


class Key(NamedTuple):
    """A public key: its name, its kind of signature, its 32 bytes."""

    name: str
    kind: int
    public: bytes

    @classmethod
    def read(cls, text: str, kind: int) -> "Key":
        """The key that `NAME+ID+BASE64` states; ValueError."""
        name, stated, encoded = (*text.split("+", 2), "", "")[:3]
        material = unbase64(encoded)
        key = cls(name, material[0] if material else 0, material[1:])
        if not is_name(name) or key.kind != kind or len(key.public) != 32 or stated != key.mark.hex():
            raise ValueError(f"no verifier key of kind {kind}: {brief(text)}")
        if not _is_strong(key.public):
            raise ValueError(f"no point of the curve, or one under which anybody signs: {brief(text)}")
        return key

    @property
    def mark(self) -> bytes:
        """The four bytes by which signature lines name it."""
        return hashlib.sha256(self.name.encode() + b"\n" + bytes((self.kind,)) + self.public).digest()[:4]

    def __str__(self) -> str:
        return f"{self.name}+{self.mark.hex()}+{b64encode(bytes((self.kind,)) + self.public).decode()}"

    def signed(self, text: str, content: bytes) -> bool:
        """Whether the content of a signature line holds for the note's text."""
        if self.kind == WITNESS:
            time = int.from_bytes(content[:8], "big")
            text, content = f"cosignature/v1\ntime {time}\n{text}", content[8:]
        return ed25519(self.public, text.encode(), content)


class Note(NamedTuple):
    """A signed text; each signature is (name, key id, content)."""

    text: str
    signatures: list[tuple[str, bytes, bytes]]

    @classmethod
    def read(cls, raw: bytes) -> "Note":
        """The note that the bytes are; ValueError."""
        characters = raw.decode()
        text, gap, tail = characters.rpartition("\n\n")
        lines = tail[:-1].split("\n")
        ended = gap and tail.endswith("\n") and not re.search("[\x00-\x09\x0b-\x1f]", characters)
        if not ended or len(lines) > 100 or len(raw) > MOST_NOTE:
            raise ValueError("no signed note")
        return cls(f"{text}\n", [_signature(line) for line in lines])

    def by(self, known: "Known") -> tuple[list[Key], list[Key]]:
        """Which keys signed, and whose signature fails. It must hold under every known key that it names."""
        judged = [
            (key, key.signed(self.text, content))
            for name, mark, content in self.signatures
            for key in known.get((name, mark), ())
        ]
        return [key for key, holds in judged if holds], [key for key, holds in judged if not holds]


def joint(notes: list[Note]) -> Note:
    """One text with the signatures of all its copies; a later copy's take the place of the first one's."""
    first, *others = notes
    more = [line for other in others for line in other.signatures]
    newer = {(name, mark) for name, mark, _ in more}
    return Note(first.text, [line for line in first.signatures if line[:2] not in newer] + more)


Known = dict[tuple[str, bytes], list[Key]]
"""Keys by what a signature line names them by; four bytes do not always tell two apart."""


def known(keys: Iterable[Key]) -> Known:
    """The keys, each once."""
    found: Known = {}
    for key in dict.fromkeys(keys):
        found.setdefault((key.name, key.mark), []).append(key)
    return found


class Checkpoint(NamedTuple):
    """A log's name, size and root, and the note that states them."""

    origin: str
    size: int
    root: bytes
    note: Note

    @classmethod
    def read(cls, raw: bytes) -> "Checkpoint":
        """The checkpoint that a note states; ValueError."""
        note = Note.read(raw)
        lines = note.text[:-1].split("\n")
        if len(lines) != 3 or not ORIGIN.fullmatch(lines[0]):
            raise ValueError("no checkpoint: three lines, the first a log's name")
        root = unbase64(lines[2])
        if len(root) != 32:
            raise ValueError("the root of a checkpoint has 32 bytes")
        return cls(lines[0], decimal(lines[1]), root, note)

    def __str__(self) -> str:
        return f"{self.size} {self.root.hex()}"


class Anchor(NamedTuple):
    """What the auditor kept: a checkpoint, and with a proof the place and the path of one record."""

    what: str
    checkpoint: Checkpoint
    seq: int | None = None
    path: tuple[bytes, ...] = ()


def unbase64(text: str) -> bytes:
    """Standard base64 in its one form; ValueError."""
    content = b64decode(text, validate=True)
    if b64encode(content).decode() != text:
        raise ValueError(f"not base64 in its one form: {brief(text)}")
    return content


def decimal(text: str) -> int:
    """A decimal number below 2^63 without sign or leading zero; ValueError."""
    if not re.fullmatch(r"0|[1-9][0-9]{0,18}", text) or int(text) >= 1 << 63:
        raise ValueError(f"no size: {brief(text)}")
    return int(text)


def is_name(name: str) -> bool:
    """Whether a key may be called so."""
    return name != "" and "+" not in name and not any(one.isspace() or one < " " for one in name)


def _signature(line: str) -> tuple[str, bytes, bytes]:
    dash, _, rest = line.partition(" ")
    name, _, encoded = rest.partition(" ")
    material = unbase64(encoded)
    if dash != "—" or not is_name(name) or len(material) < 5:
        raise ValueError(f"no signature line: {brief(line)}")
    return name, material[:4], material[4:]


def converted(raw: bytes) -> str:
    """Which program's habit made such bytes of a text file, as a message ends; nothing where none did."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return " (the file is in UTF-16; save it as UTF-8)"
    ends = b"\r\n" in raw
    if raw.startswith(b"\xef\xbb\xbf"):
        more, with_lf = (" and has CRLF line ends", ", with LF") if ends else ("", "")
        return f" (the file begins with a byte order mark{more}; save it without one{with_lf})"
    return " (the file has CRLF line ends; save it with LF)" if ends else ""


def another(first: bytes) -> str:
    """What a file that begins so is in place of a log, as a message ends; nothing where nobody knows."""
    if first.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return converted(first)
    others = {
        "a compressed archive; unpack it": (b"\x1f\x8b", b"pk\x03\x04", b"bzh", b"7z\xbc\xaf", b"\xfd7zxz"),
        "a web page; fetch the log again": (b"<!doctype", b"<html", b"<?xml", b"<head"),
        "JSON of another kind": (b"{",),
    }
    small = first.lstrip().lower()
    return next((f" (the file is {what})" for what, starts in others.items() if small.startswith(starts)), "")


def read_anchor(raw: bytes, log: str | None) -> Anchor:
    """The checkpoint, proof or witness file that the bytes are; ValueError."""
    if raw.startswith(b"c2sp.org/tlog-proof@v1\n"):
        head, _, note = raw.partition(b"\n\n")
        _, *lines = head.decode("ascii").split("\n")
        if lines and lines[0].startswith("extra "):
            unbase64(lines.pop(0)[6:])
        if not lines or not lines[0].startswith("index ") or len(lines) > 64:
            raise ValueError("a proof states an index and at most 63 hashes")
        path = tuple(map(unbase64, lines[1:]))
        return Anchor("proof", Checkpoint.read(note), decimal(lines[0][6:]), path)
    if raw.startswith(b"{"):
        witness = parse(raw, MOST_BODY, 64)
        logs = (
            witness.get("logs") if witness.get("schema_version") == "external_evidence_witness_v0" else None
        )
        if not isinstance(logs, dict) or not isinstance(logs.get(log), str):
            raise ValueError(f"no witness file, or one that has not seen {log}")
        return Anchor("witness", Checkpoint.read(logs[log].encode()))
    return Anchor("checkpoint", Checkpoint.read(raw))


class Policy:
    """Whom the auditor trusts (tlog-policy): logs, witnesses, and how many of those must have signed."""

    def __init__(self, raw: bytes) -> None:
        self.logs: list[Key] = []
        self.witnesses: dict[str, Key] = {}
        self.groups: dict[str, tuple[int, list[str]]] = {}
        self.quorum: str | None = None
        self._members: set[str] = set()
        self._depths: dict[str, int] = {}
        text = raw.decode(errors="surrogateescape")
        if not text.endswith("\n") or re.search("[\x00-\x08\x0b-\x1f\x7f]", text):
            raise ValueError(f"its last line is not ended, or it holds a control character{converted(raw)}")
        if text.startswith("\ufeff"):
            raise ValueError(f"its first line is not understood{converted(raw)}")
        for line in text[:-1].split("\n"):
            items = re.split("[ \t]+", line.strip(" \t"))
            if items[0] and not items[0].startswith("#"):
                self._take(items)
        if self.quorum is None:
            raise ValueError("no line states the quorum")

    def _take(self, items: list[str]) -> None:
        match items:
            case ["log", key, *url] if len(url) < 2:
                self.logs.append(self._other(Key.read(key, LOG), self.logs))
            case ["witness", name, key, *url] if len(url) < 2:
                self.witnesses[self._new(name)] = self._other(Key.read(key, WITNESS), self.witnesses.values())
            case ["group", name, least, *members] if members:
                self.groups[self._new(name)] = (self._threshold(name, least, members), members)
            case ["quorum", name] if self.quorum is None and (name == "none" or self._known(name)):
                self.quorum = name
            case _:
                raise ValueError(f"a line is not understood: {brief(' '.join(items))}")

    def _known(self, name: str) -> bool:
        return name in self.witnesses or name in self.groups

    def _new(self, name: str) -> str:
        if name == "none" or self._known(name):
            raise ValueError(f"the name {brief(name)} is taken")
        return name

    def _other(self, key: Key, keys: Iterable[Key]) -> Key:
        if any(key.public == other.public for other in keys):
            raise ValueError(f"{key} stands twice")
        return key

    def _threshold(self, name: str, least: str, members: list[str]) -> int:
        fresh = self._members.isdisjoint(members) and len(set(members)) == len(members)
        if not fresh or not all(map(self._known, members)):
            raise ValueError("a group's member is not known, or is a member already")
        self._members.update(members)
        self._depths[name] = 1 + max(self._depths.get(member, 0) for member in members)
        if self._depths[name] > 64:
            raise ValueError("groups in groups, more than 64 deep")
        wanted = {"any": 1, "all": len(members)}.get(least) or decimal(least)
        if not 1 <= wanted <= len(members):
            raise ValueError(f"{brief(least)} of {len(members)} members")
        return wanted

    def of(self, origin: str) -> list[Key]:
        """The keys that it pins for a log."""
        return [key for key in self.logs if key.name == origin]

    def accepts(self, note: Note, keys: Iterable[Key]) -> bool:
        """Whether one of a log's keys and the quorum signed, and no signature of any of them is broken."""
        signed, wrong = note.by(known(keys))
        seen, broken = note.by(known(self.witnesses.values()))
        return bool(signed) and not wrong + broken and self._met(self.quorum or "", seen)

    def _met(self, name: str, seen: list[Key]) -> bool:
        if name in self.groups:
            least, members = self.groups[name]
            return sum(self._met(member, seen) for member in members) >= least
        return name == "none" or self.witnesses[name] in seen


# --- the record (docs/ledger-format.md, Record) ----------------------------------------------------------

ORIGIN = re.compile(r"(?!.*://)[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}")
BLAKE3 = re.compile(r"blake3:[0-9a-f]{64}")
DIGEST = re.compile(r"(?:sha256|blake3):[0-9a-f]{64}")
AT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
_INSTANT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)

Rule = Callable[[Any, str], object]
"""Passes, or raises RuleError with the field's path."""


def fits(pattern: re.Pattern[str], expected: str) -> Rule:
    """Text that fits a pattern as a whole."""

    def rule(value: Any, where: str) -> None:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise RuleError(where, expected, value)

    return rule


def number(least: int = 0) -> Rule:
    """An integer from `least` to 2^53 - 1."""

    def rule(value: Any, where: str) -> None:
        if type(value) is not int or not least <= value <= LARGEST:
            raise RuleError(where, f"an integer from {least}", value)

    return rule


def one_of(*values: object) -> Rule:
    """Exactly one of a few texts, booleans or null."""

    def rule(value: Any, where: str) -> None:
        if not any(type(value) is type(one) and value == one for one in values):
            raise RuleError(where, " or ".join(brief(one) for one in values), value)

    return rule


def or_null(inner: Rule) -> Rule:
    """null, or as the inner rule says."""
    return lambda value, where: None if value is None else inner(value, where)


def shape(fields: dict[str, Rule], optional: dict[str, Rule] | None = None) -> Rule:
    """An object with exactly these keys; the optional ones may be left out."""
    known = {**fields, **(optional or {})}

    def rule(value: Any, where: str) -> None:
        if not isinstance(value, dict) or not set(fields) <= set(value) <= set(known):
            found = sorted(value) if isinstance(value, dict) else value
            raise RuleError(where or "body", f"an object with {', '.join(known)}", found)
        for name, inner in value.items():
            known[name](inner, f"{where}.{name}".lstrip("."))

    return rule


def rebuilt(_value: Any, _where: str) -> None:
    """Anything: it is built anew from the other fields, and compared as a whole."""


def moment(text: str) -> tuple[int, str] | None:
    """An RFC 3339 instant as something that compares in order of time; None if it is none."""
    match = _INSTANT.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    away = int(match[9] or 0), int(match[10] or 0)
    if hour > 23 or minute > 59 or second > 60 or away[0] > 23 or away[1] > 59:
        return None
    try:
        days = date(year, month, day).toordinal()
    except ValueError:
        return None
    minutes = days * 1440 + hour * 60 + minute - (away[0] * 60 + away[1]) * (-1 if match[8] == "-" else 1)
    if second == 60 and minutes % 1440 != 1439:  # a leap second ends a day of UTC
        return None
    return minutes * 60 + second, (match[7] or "").rstrip("0")


def _at(value: Any, where: str) -> None:
    if not isinstance(value, str) or not AT.fullmatch(value) or moment(value) is None:
        raise RuleError(where, "UTC as YYYY-MM-DDThh:mm:ss.ffffffZ", value)


_a_digest = fits(DIGEST, "sha256: or blake3: and 64 hex digits")
_a_blake3 = fits(BLAKE3, "blake3: and 64 hex digits")
SUBJECT = ("request_id", "plan_id", "receipt_digest", "admission_id")
RECORD = shape(
    {
        "v": one_of(1),
        "log": fits(ORIGIN, "a log's name"),
        "seq": number(),
        "prev": or_null(_a_blake3),
        "at": _at,
        "kind": fits(re.compile(r"(?=.{1,64}$)[a-z]+(?:\.[a-z]+)+"), "words joined by dots"),
        "actor": fits(re.compile(r"[A-Za-z0-9_.:@/+-]{1,128}"), "an identifier"),
        "idem": _a_blake3,
        "subject": shape({}, dict.fromkeys(SUBJECT, _a_digest)),
        "schema": shape(
            {"name": fits(re.compile(r"[a-z][a-z0-9_.-]{0,95}"), "a schema's name"), "digest": _a_blake3}
        ),
        "body": shape({"digest": _a_blake3, "size": number()}),
    }
)  # fmt: skip


def read_record(raw: bytes) -> dict[str, Any]:
    """The record that the stored bytes are; RuleError."""
    try:
        value = parse(raw, MOST_RECORD, 32)
        if canonical(value) != raw:
            raise ValueError("not written in its canonical form")
    except ValueError as error:
        raise RuleError("record", "canonical JSON in the narrow profile", str(error)) from error
    RECORD(value, "")
    if (value["seq"] == 0) != (value["prev"] is None):
        raise RuleError("prev", "null at seq 0 and nowhere else", value["prev"])
    record: dict[str, Any] = value
    return record


def readable(raw: bytes) -> tuple[dict[str, Any] | None, RuleError | None]:
    """The record, or what is wrong with it."""
    try:
        return read_record(raw), None
    except RuleError as error:
        # Without the frames of the one that was raised, which hold the bytes until they are collected.
        return None, RuleError(error.field, error.expected, error.found)


# --- artifacts, in their normalised form (lifecycle.md sections 1 to 9) ----------------------------------

_BLANKS = (
    "\t\n\v\f\r \u00a0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_REFUSED = re.compile("[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_PARTIAL = re.compile(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?")
_URN = re.compile(r"urn:([A-Za-z0-9][A-Za-z0-9-]{0,31}):.+")
_URI = re.compile(r"([a-z][a-z0-9+.-]+)://(.+)")
_HOST = re.compile(r"(?:\[[^\]]+\]|[^\[:][^:]*)(?::([0-9]*))?")
# "file" and what has it as a part is refused beside these.
_REFUSED_SCHEMES = re.compile(
    "filesystem|localfile|jar|smb|cifs|nfs|afp|unix|res|content|data|javascript|vbscript|about|blob"
    "|view-source|chrome|chrome-extension|moz-extension"
)


def text(most: int, narrower: Callable[[str], bool] = bool, expected: str = "") -> Rule:
    """Bounded text as it is kept: trimmed, not blank, no refused character, at most `most` UTF-16 units."""

    def rule(value: Any, where: str) -> None:
        bounded = (
            isinstance(value, str)
            and value == value.strip(_BLANKS) != ""
            and not _REFUSED.search(value)
            and len(value.encode("utf-16-le")) <= 2 * most
        )
        if not bounded or not narrower(value):
            raise RuleError(where, expected or f"trimmed text of at most {most} units", value)

    return rule


def several(item: Rule, most: int, least: int = 0, unique: str | None = None) -> Rule:
    """An array; with `unique` no two items are equal, or equal in the member of that name."""

    def rule(value: Any, where: str) -> None:
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise RuleError(where, f"an array of {least} to {most} items", value)
        for place, one in enumerate(value):
            item(one, f"{where}[{place}]")
        marks = [one[unique] if unique else one for one in value] if unique is not None else []
        if len(set(marks)) != len(marks):
            raise RuleError(where, "no item twice", value)

    return rule


def is_source_ref(value: str) -> bool:
    """H3 of lifecycle.md: an outside provenance URI."""
    if re.search(r"[\s\ufeff\\]", value):
        return False
    urn, uri = _URN.fullmatch(value), _URI.fullmatch(value)
    if urn is not None:
        return urn[1].lower() != "file"
    if uri is None or _REFUSED_SCHEMES.fullmatch(uri[1]) or "file" in re.split("[+.-]", uri[1]):
        return False
    authority = re.split("[/?#]", uri[2], maxsplit=1)[0]
    host = _HOST.fullmatch(authority)
    web = host is not None and "@" not in authority and int(host[1] or 0) <= 65535
    return web or uri[1] not in ("http", "https")


def is_publication_date(value: str) -> bool:
    """H4 of lifecycle.md: a year, a month, a day that exists, or an instant."""
    if not _PARTIAL.fullmatch(value):
        return moment(value) is not None
    return moment(f"{value}{'-01-01'[len(value) - 10 :] if len(value) < 10 else ''}T00:00:00Z") is not None


def _is_moment(value: str) -> bool:
    return moment(value) is not None


_flag = one_of(True, False)
_false, _true = one_of(False), one_of(True)
_kind = one_of("method", "connector")
_status = one_of("succeeded", "failed", "no_evidence")
_disposition = one_of("admit", "reject")
_provider_id = fits(re.compile(r"[a-z][a-z0-9_.:-]{1,95}"), "a provider id")
_instant = text(64, _is_moment, "an RFC 3339 instant")
_ref = text(2048, is_source_ref, "a source ref")
_refs = several(_ref, 64, unique="")
_limitations = several(text(1024), 16)


def _version(name: str) -> Rule:
    return one_of(name if name.startswith("external") else f"loopx_external_evidence_{name}_v0")


_PROVIDER = shape(
    {
        "provider_id": _provider_id,
        "provider_kind": _kind,
        "protocol": one_of("external_evidence_research_v0"),
        **dict.fromkeys(("declared", "installed", "enabled", "ready"), _flag),
        "unavailable_reason": or_null(text(512)),
    }
)


def _provider(value: Any, where: str) -> None:
    _PROVIDER(value, where)
    if value["ready"] and not (value["declared"] and value["installed"] and value["enabled"]):
        raise RuleError(f"{where}.ready", "not before declared, installed and enabled", value["ready"])
    if not value["ready"] and value["unavailable_reason"] is None:
        raise RuleError(f"{where}.unavailable_reason", "a reason", None)


_providers = several(_provider, 64, unique="provider_id")
_request = shape(
    {
        "schema_version": _version("request"),
        **dict.fromkeys(("objective", "user_activity", "decision"), text(4096)),
        "evidence_kinds": several(text(96), 8, 1),
        "constraints": several(text(256), 16),
        "request_id": _a_digest,
    },
    {"source_refs": several(_ref, 8, 1, unique=""), "search_terms": several(text(256), 8)},
)
_source = shape(
    {
        "source_ref": _ref,
        "source_family": text(128),
        "basis": one_of("stated", "observed", "tested", "inferred"),
        "finding": text(4096),
        "limitation": or_null(text(2048)),
        "publication_date": or_null(text(64, is_publication_date, "a publication date")),
        "accessed_at": _instant,
        "content_digest": _a_digest,
    }
)
_SOURCES = several(_source, 64, unique="source_ref")
_PLAN = shape(
    {
        "schema_version": _version("plan"),
        "status": one_of("ready", "blocked"),
        "request": _request,
        "provider_candidates": _providers,
        "selected_provider": or_null(_provider),
        "execution_envelope": or_null(rebuilt),
        "blocker": one_of(None, "no_ready_provider", "preferred_provider_not_ready"),
        "plan_id": _a_digest,
    }
)
_RECEIPT = shape(
    {
        "schema_version": _version("receipt"),
        **dict.fromkeys(("plan_id", "request_id"), _a_digest),
        "provider_id": _provider_id,
        "provider_kind": _kind,
        "status": _status,
        "sources": _SOURCES,
        "summary": text(4096),
        "limitations": _limitations,
        "completed_at": _instant,
    }
)
_ADMISSION = shape(
    {
        "disposition": _disposition,
        "reason": text(2048),
        "admitted_source_refs": _refs,
        "receipt_digest": _a_digest,
        "plan_id": _a_digest,
        "admission_id": _a_digest,
        **dict.fromkeys(
            ("schema_version", "request_id", "provider_id", "provider_kind", "receipt_status", "completed_at",
             "downstream_projection"),
            rebuilt,
        ),
    }
)  # fmt: skip
_blocker = shape(
    {
        "source_ref": or_null(_ref),
        "code": one_of("conflict", "damaged", "not_admitted", "refused"),
        "reason": text(1024),
    }
)
_RETIREMENT = shape(
    {
        "schema_version": _version("retirement"),
        **dict.fromkeys(("admission_id", "plan_id", "request_id"), _a_digest),
        "status": one_of("retire_ready", "retained"),
        "retire_ready": _flag,
        "missing_downstream_source_refs": several(_ref, 64),
        "reason": one_of(
            "parent_rejected", "all_admitted_sources_projected", "admitted_sources_not_yet_projected"
        ),
    }
)
_READBACK = shape(
    {
        "schema_version": _version("readback"),
        "plan_id": _a_digest,
        "request": _request,
        "provider_id": _provider_id,
        "receipt_status": _status,
        "sources": _SOURCES,
        "summary": text(4096),
        "limitations": _limitations,
        "parent_admission": or_null(
            shape(
                {
                    "disposition": _disposition,
                    "reason": text(2048),
                    "admission_id": _a_digest,
                    "admitted_source_refs": _refs,
                }
            )
        ),
        "downstream_source_refs": _refs,
        "retirement": or_null(_RETIREMENT),
        "write_blockers": several(_blocker, 1024),
        "original_source_fallback_allowed": _true,
        **dict.fromkeys(("automatic_admission", "evidence_coverage_observed"), _false),
    }
)
_DISCOVERY = shape({"schema_version": _version("discovery"), "providers": _providers}, dict.fromkeys(
    ("status", "summary", "ready_provider_ids", "truth_contract"), rebuilt
))  # fmt: skip
_EXECUTION = shape(
    {
        "schema_version": _version("external_evidence_execution_v0"),
        "plan_id": _a_digest,
        "provider_id": _provider_id,
        "attempt": number(1),
        "state": one_of("started", "finished"),
        "provider": or_null(_provider),
        "receipt_status": or_null(_status),
        "receipt_digest": or_null(_a_digest),
    }
)
_SUPERSESSION = shape(
    {
        "schema_version": _version("external_evidence_supersession_v0"),
        **dict.fromkeys(("plan_id", "superseded_admission_id", "admission_id"), _a_digest),
    }
)
_word = fits(re.compile(f"[^{_REFUSED.pattern[1:-1]}]{{0,256}}"), "text without control characters")
_CALL = shape(
    {
        "schema_version": _version("external_evidence_provider_call_v0"),
        "action": one_of("regulations.search", "regulations.evidence", "web.search", "web.capture"),
        "owner": _word,
        "target": one_of("kbreg"),
        "evidence": shape(
            {"count": number(), "state": _word},
            {"revision": _word, "querySha256": fits(re.compile("[0-9a-f]{64}"), "64 hex digits")},
        ),
    }
)
_a_key = text(512)
_base64 = fits(re.compile(r"(?=.{1,512}\Z)[A-Za-z0-9+/]+={0,2}"), "base64")
OPENED = shape(
    {
        "schema_version": _version("external_evidence_ledger_opened_v0"),
        "origin": fits(ORIGIN, "a log's name"),
        "profile": one_of("rfc8785_blake3_v1"),
        "key": or_null(_a_key),
    }
)
_ERASED = shape(
    {
        "schema_version": _version("external_evidence_body_erased_v0"),
        "origin": fits(ORIGIN, "a log's name"),
        "bodies": several(_a_blake3, 65_536, 1, unique=""),
        "reason": text(1000),
    }
)
CUSTODY = {
    "key.rotated": shape(
        {
            "schema_version": _version("external_evidence_key_rotated_v0"),
            "origin": fits(ORIGIN, "a log's name"),
            "old_key": _a_key,
            "new_key": _a_key,
            "signature": _base64,
        }
    ),
    "ledger.restored": shape(
        {
            "schema_version": _version("external_evidence_ledger_restored_v0"),
            "origin": fits(ORIGIN, "a log's name"),
            "key": _a_key,
            "published": fits(
                re.compile("[^\x00-\x09\x0b-\x1f\x7f\ud800-\udfff]{1,65536}"), "a signed checkpoint"
            ),
            "reason": text(1000),
            "signature": _base64,
        }
    ),
}


# --- lives (lifecycle.md section 10, ledger.md section 4) -------------------------------------------------

Wire = dict[str, Any]


def demand(holds: object, field: str, rule: str, found: object) -> None:
    """RuleError unless it holds."""
    if not holds:
        raise RuleError(field, rule, found)


def equal(stated: Wire, derived: Wire) -> None:
    """RuleError naming the first member in which an artifact is not what its parts make of it."""
    for name in sorted({*stated, *derived}):
        one, two = stated.get(name, "nothing"), derived.get(name, "nothing")
        if canonical(one) != canonical(two):
            raise RuleError(name, brief(two), one)


def derive_discovery(rows: list[Wire]) -> Wire:
    """What follows from provider rows (section 4)."""
    ready = [row["provider_id"] for row in rows if row["ready"]]
    methods = sum(row["provider_kind"] == "method" for row in rows)
    return {
        "schema_version": "loopx_external_evidence_discovery_v0",
        "status": "ready" if ready else "inventory_only" if rows else "empty",
        "providers": rows,
        "summary": {
            "provider_count": len(rows),
            "method_count": methods,
            "connector_count": len(rows) - methods,
            "ready_count": len(ready),
            "unavailable_count": len(rows) - len(ready),
        },
        "ready_provider_ids": ready,
        "truth_contract": dict.fromkeys(
            ("registry_presence_is_readiness", "supported_status_is_readiness", "execution_observed",
             "evidence_coverage_observed"), False
        ),
    }  # fmt: skip


def derive_plan(plan: Wire) -> Wire:
    """The plan that a plan's request, candidates, selection and blocker make (sections 2, 5 and 6)."""
    like = plan["plan_id"]
    asked = {name: value for name, value in plan["request"].items() if name != "request_id"}
    request = {**asked, "request_id": identity(asked, like)}
    chosen = plan["selected_provider"]
    rows = plan["provider_candidates"]
    if chosen is not None:
        ready = [row for row in rows if row["ready"] and row["provider_id"] == chosen["provider_id"]]
        demand(ready, "selected_provider", "a ready candidate of the plan", chosen["provider_id"])
        chosen = ready[0]
    envelope = chosen and {
        "schema_version": "loopx_external_evidence_execution_envelope_v0",
        "request_id": request["request_id"],
        "provider_id": chosen["provider_id"],
        "provider_kind": chosen["provider_kind"],
        "protocol": "external_evidence_research_v0",
        "authority": "read_external_sources_only",
        "raw_content_persistence": "provider_private",
        "result_contract": "loopx_external_evidence_receipt_v0",
    }
    bare = {
        "schema_version": "loopx_external_evidence_plan_v0",
        "status": "ready" if chosen else "blocked",
        "request": request,
        "provider_candidates": rows,
        "selected_provider": chosen,
        "execution_envelope": envelope,
        "blocker": plan["blocker"],
    }
    plan_id = identity(bare, like)
    return {**bare, "plan_id": plan_id, "execution_envelope": envelope and {**envelope, "plan_id": plan_id}}


def derive_admission(plan: Wire, receipt: Wire, stated: Wire) -> Wire:
    """The admission that a decision makes of a receipt (section 7)."""
    refs = stated["admitted_source_refs"]
    projection = {
        "schema_version": "loopx_external_evidence_projection_v0",
        **{name: receipt[name] for name in ("plan_id", "request_id", "summary", "limitations")},
        **{name: plan["request"][name] for name in ("objective", "decision")},
        "disposition": stated["disposition"],
        "sources": [source for source in receipt["sources"] if source["source_ref"] in refs],
    }
    bare = {
        "schema_version": "loopx_external_evidence_admission_v0",
        **{
            name: receipt[name]
            for name in ("plan_id", "request_id", "provider_id", "provider_kind", "completed_at")
        },
        "receipt_status": receipt["status"],
        "receipt_digest": stated["receipt_digest"],
        **{name: stated[name] for name in ("disposition", "reason", "admitted_source_refs")},
        "downstream_projection": projection,
    }
    return {**bare, "admission_id": identity(bare, plan["plan_id"])}


def derive_retirement(admission: Wire, covered: list[str]) -> Wire:
    """The verdict on an admission (section 7)."""
    missing = [ref for ref in admission["admitted_source_refs"] if ref not in covered]
    reason = "admitted_sources_not_yet_projected" if missing else "all_admitted_sources_projected"
    return {
        "schema_version": "loopx_external_evidence_retirement_v0",
        **{name: admission[name] for name in ("admission_id", "plan_id", "request_id")},
        "status": "retained" if missing else "retire_ready",
        "retire_ready": not missing,
        "missing_downstream_source_refs": missing,
        "reason": "parent_rejected" if admission["disposition"] == "reject" else reason,
    }


def derive_readback(plan: Wire, receipt: Wire, admission: Wire, stated: Wire) -> Wire:
    """The readback of an admission of which these refs were seen downstream (section 9)."""
    seen = stated["downstream_source_refs"]
    sources = admission["downstream_projection"]["sources"]
    covered = [source["source_ref"] for source in sources if source["source_ref"] in seen]
    parent = {
        name: admission[name] for name in ("disposition", "reason", "admission_id", "admitted_source_refs")
    }
    return {
        "schema_version": "loopx_external_evidence_readback_v0",
        **{name: receipt[name] for name in ("plan_id", "provider_id", "sources", "summary", "limitations")},
        "request": plan["request"],
        "receipt_status": receipt["status"],
        "parent_admission": parent,
        "downstream_source_refs": covered,
        "retirement": derive_retirement(admission, covered),
        "write_blockers": stated["write_blockers"],
        "original_source_fallback_allowed": True,
        "automatic_admission": False,
        "evidence_coverage_observed": False,
    }


class ReceiptLife:
    """A receipt, the decision in force, what was read back for it, whether it retired."""

    def __init__(self, receipt: Wire) -> None:
        self.receipt = receipt
        self.decisions: list[str] = []
        self.in_force: Wire | None = None
        self.successor: str | None = None
        self.covered: list[str] | None = None
        self.retired = False


class PlanLife:
    """A plan with its attempts and receipts."""

    def __init__(self, plan: Wire) -> None:
        self.plan = plan
        self.attempts = 0
        self.running: set[int] = set()
        self.delivered: dict[str, str] = {}
        self.receipts: dict[str, ReceiptLife] = {}
        self.retired_unseen = False  # evidence retired of which only kind and subject are left

    def of(self, receipt_digest: str) -> ReceiptLife:
        """An observed receipt that has not retired."""
        life = self.receipts.get(receipt_digest)
        if life is None:
            raise RuleError("receipt_digest", "no admission without its receipt", receipt_digest)
        demand(not life.retired, "receipt_digest", "nothing after retirement", receipt_digest)
        return life

    def in_force(self, admission_id: object) -> tuple[ReceiptLife, Wire]:
        """The decision of that id, which must be in force and not retired."""
        for receipt_digest, life in self.receipts.items():
            if life.in_force is not None and life.in_force["admission_id"] == admission_id:
                return self.of(receipt_digest), life.in_force
        raise RuleError("admission_id", "a decision in force for this plan", admission_id)

    def still_open(self) -> None:
        """Nothing new is gathered for a plan of which evidence retired."""
        retired = self.retired_unseen or any(life.retired for life in self.receipts.values())
        demand(not retired, "plan_id", "nothing after retirement", self.plan["plan_id"])


class Lives:
    """All plans of a log; each method takes one step and gives the subject that its record must state."""

    def __init__(self) -> None:
        self.plans: dict[str, PlanLife] = {}
        self.rows: list[Wire] | None = None
        self.blind = False  # the rows that were observed last cannot be read any more

    def plan(self, plan_id: object) -> PlanLife:
        """A recorded plan."""
        life = self.plans.get(plan_id) if isinstance(plan_id, str) else None
        if life is None:
            raise RuleError("plan_id", "nothing before its plan", plan_id)
        return life

    def observe(self, stated: Wire) -> Wire:
        """provider.observed"""
        _DISCOVERY(stated, "")
        equal(stated, derive_discovery(stated["providers"]))
        self.rows, self.blind = stated["providers"], False
        return {}

    def create(self, stated: Wire) -> Wire:
        """plan.created"""
        _PLAN(stated, "")
        equal(stated, derive_plan(stated))
        ready = [row["ready"] for row in stated["provider_candidates"]]
        blockers = {None: stated["selected_provider"], "no_ready_provider": not any(ready),
                    "preferred_provider_not_ready": not all(ready)}  # fmt: skip
        fitting = blockers[stated["blocker"]] and (stated["blocker"] is None) == (stated["status"] == "ready")
        demand(fitting, "blocker", "fits the selection and the candidates", stated["blocker"])
        demand(stated["plan_id"] not in self.plans, "plan_id", "a plan is created once", stated["plan_id"])
        observed = self.blind or self.rows == stated["provider_candidates"]
        demand(
            observed, "provider_candidates", "the rows that were observed last", stated["provider_candidates"]
        )
        self.plans[stated["plan_id"]] = PlanLife(stated)
        return subject(stated)

    def start(self, stated: Wire) -> Wire:
        """execution.started"""
        life = self._execution(stated, "started")
        life.still_open()
        demand(
            life.plan["status"] == "ready", "plan_id", "only a ready plan is executed", life.plan["status"]
        )
        demand(stated["attempt"] == life.attempts + 1, "attempt", str(life.attempts + 1), stated["attempt"])
        life.attempts += 1
        life.running.add(life.attempts)
        return subject(life.plan)

    def finish(self, stated: Wire) -> Wire:
        """execution.finished"""
        life = self._execution(stated, "finished")
        demand(stated["attempt"] in life.running, "attempt", "one that is running", stated["attempt"])
        life.running.remove(stated["attempt"])
        receipt_digest, status = stated["receipt_digest"], stated["receipt_status"]
        known = life.receipts.get(receipt_digest)
        if known is None:
            life.delivered[receipt_digest] = status
        else:
            demand(known.receipt["status"] == status, "receipt_status", known.receipt["status"], status)
        return subject(life.plan, receipt_digest=receipt_digest)

    def _execution(self, stated: Wire, state: str) -> PlanLife:
        _EXECUTION(stated, "")
        demand(stated["state"] == state, "state", state, stated["state"])
        row, ends = stated["provider"], [stated["receipt_status"], stated["receipt_digest"]]
        whole = None not in ends if state == "finished" else ends == [None, None] and row and row["ready"]
        demand(whole, "state", "a start has a ready provider, an end has a receipt", stated)
        life = self.plan(stated["plan_id"])
        chosen = life.plan["selected_provider"] or {"provider_id": None, "provider_kind": None}
        for name in ("provider_id", "provider_kind"):
            found = [(row or chosen)[name], *([stated[name]] if name in stated else [])]
            demand(found.count(chosen[name]) == len(found), name, brief(chosen[name]), found)
        return life

    def receive(self, stated: Wire) -> Wire:
        """receipt.observed"""
        _RECEIPT(stated, "")
        life = self.plan(stated["plan_id"])
        demand(
            life.plan["status"] == "ready", "plan_id", "only a ready plan has receipts", life.plan["status"]
        )
        self._fitting(stated, life.plan)
        life.still_open()
        receipt_digest = identity(stated, life.plan["plan_id"])
        demand(receipt_digest not in life.receipts, "receipt", "observed once", receipt_digest)
        status = life.delivered.pop(receipt_digest, stated["status"])
        demand(status == stated["status"], "status", status, stated["status"])
        life.receipts[receipt_digest] = ReceiptLife(stated)
        return subject(life.plan, receipt_digest=receipt_digest)

    def _fitting(self, receipt: Wire, plan: Wire) -> None:
        chosen, sources = plan["selected_provider"], receipt["sources"]
        bound = {name: chosen[name] for name in ("provider_id", "provider_kind")}
        bound["request_id"] = plan["request"]["request_id"]
        for name, value in bound.items():
            demand(receipt[name] == value, name, value, receipt[name])
        demand(
            (receipt["status"] == "succeeded") == bool(sources),
            "sources",
            "some when it succeeded",
            len(sources),
        )
        completed = moment(receipt["completed_at"])
        for place, source in enumerate(sources):
            late = _later(moment(source["accessed_at"]), completed)
            demand(not late, f"sources[{place}].accessed_at", "not after completed_at", source["accessed_at"])
            foreign = plan["plan_id"].startswith("sha256") and not source["content_digest"].startswith(
                "sha256"
            )
            demand(
                not foreign,
                f"sources[{place}].content_digest",
                "sha256 as the plan",
                source["content_digest"],
            )

    def supersede(self, stated: Wire) -> Wire:
        """admission.superseded"""
        _SUPERSESSION(stated, "")
        old, new = stated["superseded_admission_id"], stated["admission_id"]
        demand(old != new, "admission_id", "another decision", new)
        life, admission = self.plan(stated["plan_id"]).in_force(old)
        life.in_force = life.covered = None
        life.successor = new
        return admission_subject(admission)

    def decide(self, stated: Wire) -> Wire:
        """admission.decided"""
        _ADMISSION(stated, "")
        plan_life = self.plan(stated["plan_id"])
        life = plan_life.of(stated["receipt_digest"])
        refs, known = stated["admitted_source_refs"], [one["source_ref"] for one in life.receipt["sources"]]
        demand(set(refs) <= set(known), "admitted_source_refs", "sources of the receipt", refs)
        demand(
            bool(refs) == (stated["disposition"] == "admit"),
            "disposition",
            "admit names refs, reject none",
            refs,
        )
        equal(stated, derive_admission(plan_life.plan, life.receipt, stated))
        demand(life.in_force is None, "admission_id", "one decision in force", stated["admission_id"])
        expected = life.successor or stated["admission_id"]
        demand(stated["admission_id"] == expected, "admission_id", expected, stated["admission_id"])
        life.successor = None
        life.in_force = stated
        life.decisions.append(stated["admission_id"])
        return admission_subject(stated)

    def project(self, stated: Wire) -> Wire:
        """projection.observed"""
        parent = stated.get("parent_admission")
        life, admission = self.plan(stated.get("plan_id")).in_force(
            isinstance(parent, dict) and parent.get("admission_id")
        )
        _refs(stated.get("downstream_source_refs"), "downstream_source_refs")
        several(_blocker, 1024)(stated.get("write_blockers"), "write_blockers")
        equal(stated, derive_readback(self.plan(stated["plan_id"]).plan, life.receipt, admission, stated))
        life.covered = stated["downstream_source_refs"]
        return admission_subject(admission)

    def retire(self, stated: Wire) -> Wire:
        """evidence.retired"""
        life, admission = self.plan(stated.get("plan_id")).in_force(stated.get("admission_id"))
        covered = life.covered is not None or admission["disposition"] == "reject"
        demand(covered, "admission_id", "no retirement before coverage was read back", stated["admission_id"])
        equal(stated, derive_retirement(admission, life.covered or []))
        demand(stated["retire_ready"], "retire_ready", "true", stated["missing_downstream_source_refs"])
        life.retired = True
        return admission_subject(admission)

    def call(self, stated: Wire) -> Wire:
        """provider.called"""
        _CALL(stated, "")
        action, told = stated["action"], stated["evidence"]
        demand(told.get("revision") != "", "evidence.revision", "not empty", "")
        demand(
            not (action.startswith("web.") and "revision" in told), "evidence.revision", "left out", action
        )
        if action == "regulations.evidence":
            demand("querySha256" not in told, "evidence.querySha256", "left out", action)
            demand(
                told["count"] == (told["state"] == "ok"), "evidence.count", "1 if ok, else 0", told["count"]
            )
        return {}

    def unfollowed(self, tainted: set[str]) -> Iterator[tuple[str, str]]:
        """What a writer takes together with a step that is not there: (rule, id)."""
        for plan in (plan for plan_id, plan in self.plans.items() if plan_id not in tainted):
            for receipt_digest in plan.delivered:
                yield "what an execution delivered is observed", receipt_digest
            for life in plan.receipts.values():
                if life.successor is not None:
                    yield "a superseding decision comes into force", life.successor


STEPS: dict[str, Callable[[Lives, Wire], Wire]] = {
    "provider.observed": Lives.observe,
    "plan.created": Lives.create,
    "execution.started": Lives.start,
    "execution.finished": Lives.finish,
    "receipt.observed": Lives.receive,
    "admission.superseded": Lives.supersede,
    "admission.decided": Lives.decide,
    "projection.observed": Lives.project,
    "evidence.retired": Lives.retire,
    "provider.called": Lives.call,
}


def _later(one: tuple[int, str] | None, two: tuple[int, str] | None) -> bool:
    return one is not None and two is not None and one > two


def subject(plan: Wire, **more: str) -> Wire:
    """The ids by which a record names a plan and what belongs to it."""
    return {"request_id": plan["request"]["request_id"], "plan_id": plan["plan_id"], **more}


def admission_subject(admission: Wire) -> Wire:
    """The ids by which a record names a decision."""
    return {name: admission[name] for name in SUBJECT}


# --- where a log comes from: a bundle, a tiles folder, a SQLite ledger -------------------------------------


class Entry(NamedTuple):
    """One stored record: its place if the store says so, its bytes, the checkpoints right after it."""

    place: int | None
    raw: bytes
    notes: list[bytes]
    row: tuple[Any, ...] = ()
    judged: bool = True  # of a file that was cut, what a step follows from may be lost


class Source(ABC):
    """A log as it is stored; `faults` and `torn` are whole when `entries` was read to its end."""

    form = ""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.log: str | None = None
        self.torn: str | None = None
        self.faults: list[Finding] = []
        self.unread = False  # what is not ours was not looked into

    def fault(self, seq: int | None, field: str, rule: str, expected: object, found: object) -> None:
        """Something about the container does not hold."""
        self.faults.append(Finding(seq, field, rule, brief(expected), brief(found)))

    @abstractmethod
    def entries(self) -> Iterator[Entry]:
        """Every record in order."""

    def raws(self) -> Iterator[bytes]:
        """The bytes of every record, as they would be read by `entries`; it finds no fault."""
        for entry in self.entries():
            yield entry.raw
        self.faults.clear()

    @abstractmethod
    def body(self, record: Wire) -> bytes | None:
        """The stored bytes of a record's body, not yet compared with its digest; None when there are none."""

    def strays(self, _named: set[str]) -> Iterator[str]:
        """Which bodies are stored that none of these digests names, or twice; a folder may hold any file.

        Of a log that lost its end, those only whose record cannot have been lost.
        """
        return iter(())

    def may_be_erased(self) -> bool:
        """Whether a lost end may have told that a body that is absent was erased."""
        return self.torn is not None

    def beside(  # noqa: B027 - only a store keeps something beside a record
        self, seq: int, entry: Entry, record: Wire | None, completed: list[bytes] | None
    ) -> None:
        """Compare what a store derived from a record with what the record makes of it."""

    def close(self) -> None:  # noqa: B027 - only some hold something
        """Give back what was opened."""


class Bundle(Source):
    """JSON Lines: a header, bodies before the records that name them, checkpoints, an end that counts."""

    form = "bundle"
    LINES: ClassVar = {"body": "bodies", "checkpoint": "checkpoints", "record": "records"}

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._file = path.open("rb")
        self._places: dict[str, int] = {}
        self._twice: list[str] = []
        self._last_record = -1
        first = self._file.readline(2 * MOST_BODY)
        header = _bundle_line(first)
        if set(header) != {"format", "log"} or header["format"] != "external_evidence_bundle_v1":
            self.close()
            raise CannotVerifyError(f"its first line is not the header of a bundle{converted(first)}")
        self.log = str(header["log"])
        for kind, content, place in self._lines():
            if kind == "body" and self._places.setdefault(digest_of(content), place) != place:
                self._twice.append(digest_of(content))
            if kind == "record":
                self._last_record = place

    def close(self) -> None:
        self._file.close()

    def entries(self) -> Iterator[Entry]:
        last: Entry | None = None
        for kind, content, _ in self._lines():
            if kind == "record":
                if last is not None:
                    yield last
                last = Entry(None, content, [])
            elif kind == "checkpoint" and last is not None:
                last.notes.append(content)
            elif kind == "checkpoint":
                self.fault(None, "checkpoint", "a checkpoint is of stored records", "a record", "none yet")
        if last is not None:
            yield last

    def body(self, record: Wire) -> bytes | None:
        place = self._places.get(record["body"]["digest"])
        if place is None:
            return None
        self._file.seek(place)
        return unbase64(_bundle_line(self._file.readline())["body"])

    def strays(self, named: set[str]) -> Iterator[str]:
        yield from self._twice
        # A body stands right before the first record that names it, so that a cut leaves one without at most.
        cut = self.torn is not None
        strays = sorted(set(self._places) - named)
        yield from (one for one in strays if not cut or self._places[one] < self._last_record)

    def may_be_erased(self) -> bool:
        read = [readable(raw)[0] for raw in self.raws()]
        named = {record["body"]["digest"] for record in read if record is not None}
        return None in read or not any(self.strays(named))

    def _lines(self) -> Iterator[tuple[str, bytes, int]]:
        """What each line between header and end holds, its content, and where the line begins."""
        self.faults.clear()
        seen = dict.fromkeys(self.LINES, 0)
        with self.path.open("rb") as file:
            hashed = hashlib.sha256(file.readline())
            line = 1
            while True:
                line += 1
                place, raw = file.tell(), file.readline(2 * MOST_BODY)
                if not raw.endswith(b"\n") and len(raw) < 2 * MOST_BODY:
                    self.torn = f"line {line} is {'cut' if raw else 'missing'}; the last one must say end"
                    return
                value = _bundle_line(raw)
                if "end" in value:
                    ended = {self.LINES[kind]: number for kind, number in seen.items()}
                    self._end(value, {"end": {**ended, "sha256": hashed.hexdigest()}}, file.read(1))
                    return
                hashed.update(raw)
                kind, content = _held(value)
                if kind in seen:
                    seen[kind] += 1
                    yield kind, content, place
                else:
                    rule = "a line is canonical JSON with one record, body or checkpoint"
                    self.fault(
                        seen["record"], f"line {line}", rule, "such a line", raw[:80].decode(errors="replace")
                    )

    def _end(self, stated: Wire, expected: Wire, more: bytes) -> None:
        if stated != expected or more:
            found = f"{brief(stated)}{' and more after it' if more else ''}"
            self.fault(None, "end", "the bundle is as it was exported", expected, found)


def _bundle_line(raw: bytes) -> Wire:
    try:
        value = parse(raw[:-1], 2 * MOST_BODY, 64)
        return value if isinstance(value, dict) and canonical(value) + b"\n" == raw else {}
    except ValueError:
        return {}


def _held(value: Wire) -> tuple[str, bytes]:
    [(kind, text), *more] = value.items() or [("", "")]
    try:
        return ("" if more else kind), unbase64(text if isinstance(text, str) else "?")
    except ValueError:
        return "", b""


class Tiles(Source):
    """A C2SP tlog-tiles folder, with `bodies/HEX` and `schemas/NAME/HEX.json` beside the tiles."""

    form = "tiles"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        note = self._read("checkpoint", MOST_NOTE)
        if note is None:
            raise CannotVerifyError("it is no tiles folder: it has no file called checkpoint")
        self._note = note
        try:
            self._stated = Checkpoint.read(note)
        except ValueError as error:
            raise CannotVerifyError(f"the folder has no checkpoint: {error}{converted(note)}") from error
        self.log = self._stated.origin
        self._leaves: list[bytes] = []

    def entries(self) -> Iterator[Entry]:
        size, self._leaves = self._stated.size, []
        if not size:
            self.fault(0, "checkpoint", "a checkpoint is of stored records", "a record before it", "none")
        for tile in range((size + 255) // 256):
            width = min(256, size - 256 * tile)
            for raw in self._records(tile, width):
                self._leaves.append(leaf_hash(raw))
                yield Entry(None, raw, [self._note] if len(self._leaves) == size else [])
            if len(self._leaves) < min(size, 256 * (tile + 1)):
                self._cut(tile, size)
                break
        self._hashes(size)

    def body(self, record: Wire) -> bytes | None:
        digits = record["body"]["digest"].partition(":")[2]
        schema = f"schemas/{record['schema']['name']}/{digits}.json"
        return self._read(schema if record["kind"] == "schema.registered" else f"bodies/{digits}", MOST_BODY)

    def _records(self, tile: int, width: int) -> list[bytes]:
        raw = self._entries(tile, width)
        found: list[bytes] = []
        at = 0
        while len(raw) - at >= 2 and len(found) < width:
            start = at + 2
            at = start + int.from_bytes(raw[at:start], "big")
            found.append(raw[start:at])
        whole = found[:-1] if at > len(raw) else found
        if len(whole) == width and at < len(raw):
            last = 256 * tile + width - 1
            self.fault(last, "tile/entries", "nothing after the last record", at, len(raw))
        return whole

    def _entries(self, tile: int, width: int) -> bytes:
        most = 256 * (MOST_RECORD + 2)
        path = tile_path("entries", tile, width)
        beside = (self.path / path).parent.glob("[1-9]*")
        older = (one.name for one in beside if re.fullmatch("[0-9]{1,3}", one.name))
        smaller = sorted(int(one) for one in older if int(one) < width)  # what older checkpoints had
        for name in (path, *(tile_path("entries", tile, one) for one in reversed(smaller))):
            raw = self._read(name, most)
            if raw is not None:
                return raw
        return b""

    def _cut(self, tile: int, size: int) -> None:
        last = (size - 1) // 256
        later = {tile + 1, last} if tile < last else ()
        have = f"{len(self._leaves)} of {size} records"
        if any((self.path / tile_path("entries", one, min(256, size - 256 * one))).exists() for one in later):
            rule = "no record is missing between others"
            self.fault(len(self._leaves), "tile/entries", rule, f"{size} records", have)
        else:
            self.torn = have

    def _hashes(self, size: int) -> None:
        hashes, level = self._leaves, 0
        whole = len(hashes) == size
        while hashes:
            above = []
            for tile, at in enumerate(range(0, len(hashes), 256)):
                mine = hashes[at : at + 256]
                name = tile_path(str(level), tile, min(256, (size >> 8 * level) - at))
                stored = self._read(name, 256 * 32)
                there = b"" if stored is None else stored[: None if whole else 32 * len(mine)]
                # What a folder lost with its tail is not held against the rest.
                if there != b"".join(mine) and (whole or stored is not None):
                    last = (at + len(mine) << 8 * level) - 1
                    found = "none" if stored is None else "others"
                    self.fault(last, name, "a tile holds the hashes of its records", "those", found)
                if len(mine) == 256:
                    tree = Tree()
                    for one in mine:
                        tree.append(one)
                    above.append(tree.root())
            hashes, level = above, level + 1

    def _read(self, name: str, most: int) -> bytes | None:
        path = self.path / name
        try:
            if not stat.S_ISREG(path.stat().st_mode):  # to open a pipe is to wait
                return None
            with path.open("rb") as file:
                return file.read(most + 1)
        except (FileNotFoundError, NotADirectoryError):
            return None


def tile_path(level: str, index: int, width: int) -> str:
    """Where tlog-tiles puts a tile."""
    parts = [f"{index % 1000:03d}"]
    while index := index // 1000:
        parts.insert(0, f"x{index % 1000:03d}")
    return f"tile/{level}/{'/'.join(parts)}{'' if width == 256 else f'.p/{width}'}"


APPLICATION_ID, LAYOUTS = 0x45784576, (1, 2)
# SQLite's own message may quote a damaged name that is no UTF-8.
SQLITE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
_TABLES = (
    "CREATE TABLE bodies (digest BLOB NOT NULL UNIQUE, bytes BLOB NOT NULL)",
    "CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, digest BLOB NOT NULL)",
    (
        "CREATE TABLE schemas (name TEXT NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (name, digest))"
        " WITHOUT ROWID"
    ),
    (
        "CREATE TABLE subjects (hex TEXT NOT NULL, algorithm TEXT NOT NULL, field TEXT NOT NULL,"
        " seq INTEGER NOT NULL, PRIMARY KEY (hex, algorithm, field, seq)) WITHOUT ROWID"
    ),
    "CREATE INDEX records_by_kind ON records (kind)",
)
_RECORDS = (
    "CREATE TABLE records (seq INTEGER PRIMARY KEY CHECK (seq >= 0), raw BLOB NOT NULL,"
    " prev BLOB NOT NULL UNIQUE, idem BLOB NOT NULL UNIQUE, kind TEXT NOT NULL"
)
LAYOUT_SQL = {
    1: sorted((*_TABLES, f"{_RECORDS})")),
    2: sorted(
        (*_TABLES, f"{_RECORDS}, tree BLOB NOT NULL DEFAULT x'')",
         "CREATE TABLE checkpoints (size INTEGER PRIMARY KEY, note BLOB NOT NULL)")
    ),
}  # fmt: skip
# What ANALYZE adds; a name alone says nothing.
_ANALYZED = (
    "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
)
# Their rows hold no SQL.
_AUTOMATIC = (
    ("index", "sqlite_autoindex_bodies_1", "bodies", None),
    ("index", "sqlite_autoindex_records_1", "records", None),
    ("index", "sqlite_autoindex_records_2", "records", None),
)
_SELECT = {
    1: "SELECT seq, raw, NULL, prev, idem, kind, NULL FROM records ORDER BY seq",
    2: "SELECT seq, raw, note, prev, idem, kind, tree FROM records LEFT JOIN checkpoints ON size = seq + 1"
    " ORDER BY seq",
}


def _schema_row(sql: str) -> tuple[str, str, str, str]:
    """What SQLite's own table says of a table or index: its kind, its name, the table, the SQL."""
    match = re.match(r"CREATE (TABLE|INDEX) (\w+)(?: ON (\w+))?", sql)
    kind, name, table = match.groups() if match else ("", "", "")
    return kind.lower(), name, table or name, sql


class Sqlite(Source):
    """A SQLite ledger. Only `raw`, `bytes` and `note` are the record; the rest is derived and compared."""

    form = "sqlite"

    def __init__(self, path: Path, *, with_log: bool) -> None:
        super().__init__(path)
        self._folder: Path | None = None
        self._named, self._all_read, self._astray = 0, True, False
        self._schemas: set[tuple[str, bytes]] = set()
        self._last: tuple[int, bytes] | None = None
        self._lost = None if with_log else lost_pages(path)
        if self._lost is not None:
            self.torn = f"the file has {path.stat().st_size} of its {self._lost.whole} bytes"
        if with_log or self._lost is not None:
            self._folder = copied(path, self._lost)
        options = "mode=rw" if self._folder else "mode=ro&immutable=1"
        self._place = self._folder / "ledger" if self._folder else path
        self._connection = sqlite3.connect(
            f"{self._place.absolute().as_uri()}?{options}", uri=True, isolation_level=None
        )
        # A few pages that name each other many times over are a table that nobody can read to its end; for a
        # whole ledger SQLite takes less than one step a byte.
        log = self._place.with_name(f"{self._place.name}-wal")
        size = self._place.stat().st_size + (log.stat().st_size if log.is_file() else 0)
        self._connection.set_progress_handler(lambda: True, min(250_000 + 8 * size, 2**31 - 1))
        self._connection.text_factory = lambda data: data.decode(errors="surrogateescape")
        self._layout = LAYOUTS[-1]
        try:
            self._begin()
        except SQLITE_ERRORS as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
                self.close()
                raise CannotVerifyError(f"SQLite cannot read it: {error}") from error
            if self.torn is None:
                self.fault(None, "file", "SQLite can read the file", "a ledger", error)
        except CannotVerifyError:
            self.close()
            raise

    def _begin(self) -> None:
        if self._rows("PRAGMA application_id") != [(APPLICATION_ID,)]:
            raise CannotVerifyError("a SQLite file, but no evidence ledger")
        [(self._layout,)] = self._rows("PRAGMA user_version")
        if self._layout not in LAYOUTS:
            raise CannotVerifyError(f"a ledger of layout {self._layout}; known are {LAYOUTS}")
        analyzed = [repr(_schema_row(sql)) for sql in _ANALYZED]
        every = map(repr, self._rows("SELECT type, name, tbl_name, sql FROM sqlite_master"))
        found = sorted(row for row in every if row not in analyzed)
        ours = LAYOUT_SQL[self._layout]
        expected = sorted(map(repr, [*map(_schema_row, ours), *_AUTOMATIC]))
        if found != expected:
            self.fault(None, "tables", "exactly a ledger's tables, indexes and triggers", expected, found)
            # A view or a column that is computed may be endless, or huge: it is not asked.
            self._connection.close()
            self._connection = sqlite3.connect(":memory:", isolation_level=None)
            self._connection.executescript(";".join(sorted(ours, reverse=True)))  # the index last
            self.unread = True

    def close(self) -> None:
        self._connection.close()
        if self._folder is not None:
            shutil.rmtree(self._folder)

    def entries(self) -> Iterator[Entry]:
        last = -(2**63) - 1
        for seq, raw, note, *row in self._connection.execute(_SELECT[self._layout]):
            if seq <= last:
                found = "its records come again and again"
                self.fault(None, "file", "the file can be read", "a record", found)
                break
            last = seq
            notes = [] if note is None else [self._blob(seq, "checkpoint", note)]
            yield Entry(seq, self._blob(seq, "record", raw), notes, tuple(row))
        self._tables()

    def raws(self) -> Iterator[bytes]:
        for (raw,) in self._connection.execute("SELECT raw FROM records ORDER BY seq"):
            if isinstance(raw, bytes):
                yield raw

    def body(self, record: Wire) -> bytes | None:
        for (body,) in self._rows(
            "SELECT bytes FROM bodies WHERE digest = ?", key_of(record["body"]["digest"])
        ):
            return self._blob(record["seq"], "body", body) or None  # the row of an erased body is empty
        return None

    def strays(self, named: set[str]) -> Iterator[str]:
        # The row of an erased body is a digest and no bytes.
        for digest, length in self._rows("SELECT digest, length(bytes) FROM bodies ORDER BY digest"):
            known = isinstance(digest, bytes) and len(digest) == 32
            if not known or (length and f"blake3:{digest.hex()}" not in named):
                yield _shown(digest)

    def beside(self, seq: int, entry: Entry, record: Wire | None, completed: list[bytes] | None) -> None:
        self._last = seq, bytes.fromhex(blake3(entry.raw).hexdigest())
        prev, idem, kind, tree = entry.row
        if completed is not None and self._layout > 1:
            self._tree(seq, tree, completed)
        if record is None:
            self._all_read = False
            return
        expected = {"prev": key_of(record["prev"]), "idem": key_of(record["idem"]), "kind": record["kind"]}
        for (name, value), found in zip(expected.items(), (prev, idem, kind), strict=True):
            self._same(seq, name, value, found)
        for field, one in record["subject"].items():
            algorithm, _, digits = one.partition(":")
            there = "SELECT 1 FROM subjects WHERE hex = ? AND algorithm = ? AND field = ? AND seq = ?"
            self._same(seq, f"subject.{field}", [(1,)], self._rows(there, digits, algorithm, field, seq))
            self._named += 1
        if record["kind"] == "schema.registered":
            self._schemas.add((record["schema"]["name"], key_of(record["schema"]["digest"])))

    def _tree(self, seq: int, stored: object, completed: list[bytes]) -> None:
        # After a record or row that is not its own, the rows above it cannot fit: one edit is one finding.
        fits_leaf = isinstance(stored, bytes) and stored[:32] == completed[0]
        if not fits_leaf or not self._astray:
            self._same(seq, "tree", b"".join(completed), stored)
        self._astray = self._astray or stored != b"".join(completed)

    def _tables(self) -> None:
        self._same(
            None,
            "head",
            [] if self._last is None else [(1, *self._last)],
            self._rows("SELECT one, seq, digest FROM head"),
        )
        schemas = self._rows("SELECT name, digest FROM schemas ORDER BY name, digest")
        self._same(None, "schemas", sorted(self._schemas), schemas)
        if self._all_read:
            self._same(None, "subjects", [(self._named,)], self._rows("SELECT count(seq) FROM subjects"))
        if self._layout > 1:
            stray = "SELECT size FROM checkpoints WHERE size - 1 NOT IN (SELECT seq FROM records)"
            self._same(None, "checkpoints", [], self._rows(stray))
        self._same(None, "file", [("ok",)], self._rows("PRAGMA integrity_check"))

    def _same(self, seq: int | None, field: str, expected: object, found: object) -> None:
        if expected != found:
            self.fault(
                seq,
                field,
                "what is kept beside the records is what they say",
                _shown(expected),
                _shown(found),
            )

    def _blob(self, seq: int, field: str, value: object) -> bytes:
        if isinstance(value, bytes):
            return value
        self.fault(seq, field, "stored bytes are bytes", "a blob", f"a {type(value).__name__}")
        return str(value).encode(errors="surrogateescape")

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql, values).fetchall()


def key_of(digest: str | None) -> bytes:
    """A digest as a column holds it."""
    return bytes.fromhex(digest.partition(":")[2]) if digest else b""


def _shown(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex()
    return f"[{', '.join(map(_shown, value))}]" if isinstance(value, list | tuple) else str(value)


class Lost(NamedTuple):
    """How long the whole pages of a cut SQLite file are, how long it was, its pages, the program it is of."""

    left: int
    whole: int
    page: int
    application: int


def lost_pages(path: Path) -> Lost | None:
    """How the SQLite file was cut; None if it was not."""
    with path.open("rb") as file:
        header = file.read(100)
    stated = int.from_bytes(header[16:18], "big")
    page, size = 65536 if stated == 1 else stated, path.stat().st_size
    whole = page * int.from_bytes(header[28:32], "big")
    # A count that an old SQLite left is not valid, and no page has another size than these.
    if len(header) < 100:
        raise CannotVerifyError(f"it has {size} bytes, fewer than the header of a SQLite file")
    counted = header[24:28] == header[92:96] and page >= 512 and not page & page - 1
    if not counted or whole <= size:
        return None
    return Lost(size - size % page, whole, page, int.from_bytes(header[68:72], "big"))


class Remnant(Sqlite):
    """What is left of a SQLite ledger that lost its end: lost pages are zeros, each row is read by itself."""

    MOST_LOST = 4096  # rows that may be missing between two that are there
    THERE = "SELECT 1 FROM bodies WHERE digest = ? AND length(bytes) > 0"
    RECORD = (
        "SELECT seq, raw, length(raw) + length(prev) + length(idem) + length(kind) FROM records"
        " WHERE seq > ? ORDER BY seq LIMIT 1"
    )

    def __init__(self, path: Path) -> None:
        super().__init__(path, with_log=False)
        self._places: dict[str, int] = {}
        self._others: set[str] = set()
        self._notes: set[int] = set()
        self._count, self._complete = 0, False
        self._found: list[Finding] = []
        for rowid, digest, body in self._stored_bodies():
            self._take(rowid, digest, body)
        self._complete = self._stored_records()
        self._judged = self._first_lost()
        self._stored_notes()
        self._found += self.faults

    def entries(self) -> Iterator[Entry]:
        self.faults = list(self._found)
        for seq, raw in enumerate(self._raws(self._count)):
            noted = "SELECT note FROM checkpoints WHERE size = ?"
            notes = [self._blob(seq, "checkpoint", one) for (one,) in self._noted(noted, seq + 1)]
            yield Entry(seq, raw, notes, (), seq < self._judged)

    def raws(self) -> Iterator[bytes]:
        return self._raws(self._judged)

    def _raws(self, count: int) -> Iterator[bytes]:
        for seq in range(count):
            # Asked as they were counted: amid what SQLite calls a checkpoint one may be found so, and not by
            # its own seq.
            found = self._rows(self.RECORD, seq - 1)
            yield found[0][1] if found else b""

    def body(self, record: Wire) -> bytes | None:
        place = self._places.get(record["body"]["digest"])
        if place is None:
            return None
        found = self._rows("SELECT bytes FROM bodies WHERE rowid = ?", place)
        return bytes(found[0][0]) if found else b""  # walked to, and not found by its key

    def strays(self, named: set[str]) -> Iterator[str]:
        # Bodies come in the order of the records that name them: behind the last one their records are lost.
        last = max((place for name, place in self._places.items() if name in named), default=0)
        if self._complete:
            last = max(self._places.values(), default=0)
        stray = {name for name, place in self._places.items() if place <= last} | self._others
        yield from sorted(stray - named)

    def may_be_erased(self) -> bool:
        read = [readable(raw)[0] for raw in self._raws(self._count)]
        named = {record["body"]["digest"] for record in read if record is not None}
        late = read[self._judged :]
        told = any(record is not None and record["kind"] == "body.erased" for record in late)
        return (told or not self._complete) and (None in read or not any(self.strays(named)))

    def beside(self, seq: int, entry: Entry, record: Wire | None, completed: list[bytes] | None) -> None:
        """What was derived may be lost; only the records are the record."""

    def _begin(self) -> None:
        if self._lost and self._lost.application != APPLICATION_ID:
            raise CannotVerifyError("a SQLite file, but no evidence ledger")
        if self._lost and self._lost.left:
            super()._begin()

    def _stored_bodies(self) -> Iterator[tuple[Any, ...]]:
        rowid = missed = 0
        while missed < self.MOST_LOST:
            try:
                found = self._rows(
                    "SELECT rowid, digest, bytes FROM bodies WHERE rowid > ? ORDER BY rowid LIMIT 1", rowid
                )
            except SQLITE_ERRORS:
                rowid, missed = rowid + 1, missed + 1
                continue
            if not found or found[0][0] <= rowid:  # in a damaged table rows come again
                return
            yield found[0]
            rowid, missed = found[0][0], 0

    def _take(self, rowid: int, key: object, body: object) -> None:
        if not isinstance(key, bytes) or not isinstance(body, bytes):
            what = f"{type(key).__name__}, {type(body).__name__}"
            self.fault(0, "body", "a stored body is bytes under a digest", "bytes", what)
        elif body:
            name = f"blake3:{key.hex()}"
            if digest_of(body) != name:
                if self._reaches_out(body, len(key) + len(body)):
                    return
                self._others.add(name)
            self._places[name] = rowid

    def _stored_records(self) -> bool:
        """Count the records up to the first that was lost; whether none was."""
        raw = b""
        with suppress(*SQLITE_ERRORS):
            while found := self._rows(self.RECORD, self._count - 1):
                [(seq, raw, size)] = found
                if not isinstance(raw, bytes) or seq != self._count:
                    self.fault(self._count, "seq", "no gap", self._count, f"{seq}, {type(raw).__name__}")
                    return False
                if self._reaches_out(raw, size + 64 * 32):
                    return False
                self._count += 1
            head = self._rows("SELECT seq, digest FROM head")
            expected = [(self._count - 1, key_of(digest_of(raw)))] if raw else head
            self._same(max(0, self._count - 1), "head", expected, head)
            return True
        return False

    def _first_lost(self) -> int:
        """The first record whose body was lost with the end."""
        for seq, raw in enumerate(self._raws(self._count)):
            record, _ = readable(raw)
            if record is not None and record["body"]["digest"] not in self._places:
                try:
                    lost = bool(self._rows(self.THERE, key_of(record["body"]["digest"])))
                except SQLITE_ERRORS:
                    lost = True
                if lost:
                    return seq
        return self._count

    def _stored_notes(self) -> None:
        """Which checkpoints can be read, of the records that can be judged."""
        seen, query = 0, "SELECT size, note FROM checkpoints WHERE size > ? ORDER BY size LIMIT 1"
        with suppress(*SQLITE_ERRORS):
            while self._layout > 1 and (found := self._rows(query, seen)):
                [(size, note)] = found
                if size <= seen or size > self._judged or self._reaches_out(note, len(note)):
                    return
                self._notes.add(size)
                seen = size

    def _noted(self, query: str, size: int) -> list[tuple[Any, ...]]:
        return self._rows(query, size) if size in self._notes else []

    def _reaches_out(self, content: object, size: int) -> bool:
        """Whether it may have zeros of a lost page; a row that fits on its page lies there whole."""
        page = self._lost.page if self._lost else 0
        return isinstance(content, bytes) and 0 in content and size + 32 > page - 35


def sides(path: Path) -> list[Path]:
    """The write-ahead or rollback files that lie beside a SQLite file and hold something."""
    log, journal, memory = (path.with_name(path.name + tail) for tail in ("-wal", "-journal", "-shm"))
    for one in (log, memory):
        if one.is_symlink() or (one.exists() and not one.is_file()):
            raise CannotVerifyError(f"{one} is not a file")
    return [one for one in (log, journal) if one.is_file() and one.stat().st_size]


def copied(path: Path, lost: Lost | None) -> Path:
    """A folder with a copy, where SQLite may write; the lost pages of a cut file are empty there."""
    folder = Path(tempfile.mkdtemp(prefix="external-evidence-"))
    try:
        if lost:
            shutil.copyfile(path, folder / "ledger")
        else:
            _copy(path, folder, "ledger")
        for size in (lost.left, lost.whole) if lost else ():
            os.truncate(folder / "ledger", size)
    except (OSError, CannotVerifyError):
        shutil.rmtree(folder)
        raise
    return folder


@contextmanager
def settled(path: Path) -> Iterator[Path]:
    """The file, or where something lies beside it a copy of all that, as it was at one moment."""
    if not sides(path):
        yield path
        return
    folder = Path(tempfile.mkdtemp(prefix="external-evidence-"))
    try:
        _copy(path, folder, path.name)
        yield folder / path.name
    finally:
        shutil.rmtree(folder)


def _copy(path: Path, folder: Path, name: str) -> None:
    # Who writes only adds to the -wal, until all of it is in the file; then it is begun anew with another
    # head. So with the file and that head as they were, the -wal only grew, and SQLite leaves half a commit
    # out. A time stamp would not do: it stands still for milliseconds.
    for _ in range(MOST_LOOKS):
        beside = sides(path)
        heads = [_head(one) for one in beside]
        copies = [(one, folder / f"{name}{one.name.removeprefix(path.name)}") for one in (path, *beside)]
        with suppress(FileNotFoundError):  # the last writer took its files away
            for one, copy in copies:
                shutil.copyfile(one, copy)
            if _alike(*copies[0]) and beside == sides(path) and heads == [_head(one) for one in beside]:
                return
        for _, copy in copies:
            copy.unlink(missing_ok=True)
    raise CannotVerifyError("it changes while it is read; try again")


def _head(side: Path) -> bytes:
    """What tells one -wal or -journal from the next: sqlite.org/fileformat2.html sections 3 and 4.1."""
    with suppress(FileNotFoundError), side.open("rb") as file:
        return file.read(32)
    return b""


def _alike(one: Path, two: Path) -> bool:
    with one.open("rb") as first, two.open("rb") as second:
        while (part := first.read(1 << 20)) == second.read(1 << 20):
            if not part:
                return True
    return False


def _stamp(path: Path) -> tuple[int, int, int, list[Path]]:
    seen = path.stat()
    return seen.st_ino, seen.st_size, seen.st_mtime_ns, sides(path)


def form_of(path: Path) -> str:
    """bundle, tiles or sqlite; CannotVerifyError for what is none of them."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return "tiles"
        if not stat.S_ISREG(mode):
            raise CannotVerifyError("it is not a file")
        with path.open("rb") as file:
            first = file.read(512)
    except (OSError, ValueError) as error:
        raise CannotVerifyError(f"it cannot be read: {error}") from error
    for form, magic in {"sqlite": b"SQLite format 3\0", "bundle": b'{"format":'}.items():
        if first.startswith(magic):
            return form
    none = f"it is no bundle, no tiles folder and no SQLite file{another(first)}"
    raise CannotVerifyError("it is empty" if not first else none)


# --- what was erased (docs/ledger-format.md, Erasure) -------------------------------------------------------

# Never erased: others depend on them, and none of them tells of a person.
KEPT = {
    *("ledger.opened", "schema.registered", "body.erased", "provider.observed", "provider.called"),
    *CUSTODY,
}
OWN = {
    "plan.created": _PLAN,
    "execution.started": _EXECUTION,
    "execution.finished": _EXECUTION,
    "receipt.observed": _RECEIPT,
    "admission.superseded": _SUPERSESSION,
    "admission.decided": _ADMISSION,
    "projection.observed": _READBACK,
    "evidence.retired": _RETIREMENT,
}


def check_erasure(record: Wire, stated: Wire) -> None:
    """RuleError unless a body.erased has its one form."""
    _ERASED(stated, "")
    demand(stated["bodies"] == sorted(stated["bodies"]), "bodies", "sorted", stated["bodies"])
    demand(stated["origin"] == record["log"], "origin", record["log"], stated["origin"])
    demand(len(record["subject"]) == 1, "subject", "the one id that was asked for", record["subject"])


def check_alone(kind: str, stated: Wire, about: Wire) -> None:
    """RuleError unless an artifact is what it can be seen to be without those that it follows from."""
    OWN[kind](stated, "")
    own = {name: stated[name] for name in SUBJECT if stated.get(name) is not None}
    if kind == "receipt.observed":
        own["receipt_digest"] = identity(stated, stated["plan_id"])
    elif kind == "admission.superseded":
        own["admission_id"] = stated["superseded_admission_id"]
    for name, one in own.items():
        demand(about.get(name) == one, name, one, about.get(name))
    if kind == "admission.decided":
        bare = {name: value for name, value in stated.items() if name != "admission_id"}
        built = identity(bare, stated["plan_id"])
        demand(stated["admission_id"] == built, "admission_id", built, stated["admission_id"])


class Erasures:
    """The bodies that a log says were erased, and the plans and receipts of which not all is left."""

    def __init__(self, source: Source) -> None:
        self.bodies: set[str] = set()
        self.plans: set[str] = set()
        self.receipts: set[str] = set()
        # A body that cannot be read is found where it stands.
        with suppress(*SQLITE_ERRORS):
            self._named(source)
            if self.bodies:
                self._touched(source)

    def cover(self, record: Wire) -> bool:
        """Whether the body of this record should be gone."""
        return record["kind"] not in KEPT and record["body"]["digest"] in self.bodies

    def hide(self, record: Wire) -> bool:
        """Whether this record is a step of a plan or receipt that lost a body."""
        about = record["subject"]
        return about.get("plan_id") in self.plans or about.get("receipt_digest") in self.receipts

    def _named(self, source: Source) -> None:
        for record in _records(source, b'"kind":"body.erased"'):
            body = source.body(record) or b""
            if record["kind"] != "body.erased" or digest_of(body) != record["body"]["digest"]:
                continue
            with suppress(ValueError, RuleError):
                stated = parse(body, MOST_BODY, 64)
                check_erasure(record, stated)
                self.bodies.update(stated["bodies"])

    def _touched(self, source: Source) -> None:
        for record in _records(source, b'"plan_id"'):
            if self.cover(record) and source.body(record) is None:
                about = record["subject"]
                if record["kind"] == "plan.created":
                    self.plans.add(about.get("plan_id", ""))
                if "receipt_digest" in about:
                    self.receipts.add(about["receipt_digest"])


def _records(source: Source, mark: bytes) -> Iterator[Wire]:
    # What cannot be read is found where it stands, when everything is judged.
    with suppress(*SQLITE_ERRORS):
        for raw in source.raws():
            record, _ = readable(raw) if mark in raw else (None, None)
            if record is not None:
                yield record


# --- the verdict --------------------------------------------------------------------------------------------


class Verifier:
    """One pass over one log, judged by what the auditor trusts."""

    def __init__(self, source: Source, policy: Policy | None, anchors: list[Anchor]) -> None:
        self.source, self.policy, self.anchors = source, policy, anchors
        self.log = source.log
        self.findings: list[Finding] = []
        self.cannot: list[str] = []
        self.notes: list[str] = []
        self.anchored: list[str] = []
        self._held: list[Checkpoint] = []
        self.records = 0
        self.head: str | None = None
        self.keys: list[Key] = []
        self._known: Known = {}
        self._later: dict[bytes, list[tuple[int, str, bytes]]] = {}
        self.lives = Lives()
        self.erased: list[int] = []
        self.uninterpreted: list[int] = []
        self.unjudged: list[int] = []
        self.last: Checkpoint | None = None
        self.checkpoints = 0
        self._before = -1
        self._names: set[str] = set()
        self._all_read = True
        self._opened = self._cut_short = False
        self._idems: dict[str, int] = {}
        self._registered: set[tuple[str, str]] = set()
        self._tree = Tree()
        self._lost, self._astray = source.unread, False
        self._wanted = {anchor.checkpoint.size: b"" for anchor in anchors} | {0: EMPTY}
        self._leaves: dict[int | None, bytes] = {anchor.seq: b"" for anchor in anchors}
        self._newest: dict[Key, int] = {}
        self._erasures = Erasures(source)
        self._erasable = source.torn is not None and source.may_be_erased()
        self._tainted: set[str] = set()
        self._given_up: dict[str, int] = {}
        self._missed: list[str] = []

    def run(self) -> None:
        """Read everything, then judge."""
        try:
            for entry in self.source.entries():
                self._entry(entry)
        except SQLITE_ERRORS as error:
            unread = Finding(self._before + 1, "file", "the file can be read", "a record", brief(str(error)))
            self.findings += [] if self.source.torn else [unread]
        self.findings += self.source.faults
        self._strays()
        if self.source.torn is None:
            self._ends()
        else:
            self._signed_before_the_cut()
        for anchor in self.anchors:
            self._compare(anchor)
        if self.policy is not None:
            self._trust(self.policy)
        self._restorals()
        if not any(one.verdict in ("TAMPERED", "FORKED") for one in self.findings):
            self._beyond()
        self.findings.sort(key=lambda one: (one.seq is None, one.seq))

    def add(
        self,
        seq: int | None,
        field: str,
        rule: str,
        expected: object,
        found: object,
        verdict: str = "TAMPERED",
    ) -> None:
        """Something does not hold."""
        self.findings.append(Finding(seq, field, rule, brief(str(expected)), brief(str(found)), verdict))

    @property
    def verdict(self) -> str:
        """The one word of ledger.md section 5."""
        worst = [
            word
            for word in ("TAMPERED", "FORKED", "RULE-BROKEN")
            if any(one.verdict == word for one in self.findings)
        ]
        if worst:
            return worst[0]
        if self.source.torn is not None:
            return "TORN"
        if self.cannot or (not self.records and not self.anchored):
            return "CANNOT-VERIFY"
        return "VERIFIED" if self.anchored else "UNANCHORED"

    # one record

    def _entry(self, entry: Entry) -> None:
        raw, expected = entry.raw, self._before + 1
        record, broken = readable(raw)
        seq = entry.place if entry.place is not None else record["seq"] if record else expected
        if record is None:
            self._all_read = False
        else:
            self._names.add(record["body"]["digest"])
        if broken is not None:
            self.add(seq, broken.field, "the format of a record", broken.expected, broken.found)
        if seq != expected:
            self.add(seq, "seq", "no gap", expected, seq)
        completed = self._grow(seq, raw)
        if record is not None:
            self._chain(seq, record)
        self.source.beside(seq, entry, record, completed)
        self.head, self._before, self.records = digest_of(raw), seq, self.records + 1
        if not entry.judged:
            self._unjudged(seq)
        elif record is not None:
            self._opens(seq, record)
            self._step(seq, record)
        for note in entry.notes:
            self._checkpoint(seq, note)

    def _grow(self, seq: int, raw: bytes) -> list[bytes] | None:
        self._lost = self._lost or seq != self._tree.size
        if self._lost:
            return None
        completed = self._tree.append(leaf_hash(raw))
        if seq in self._leaves:
            self._leaves[seq] = completed[0]
        if self._tree.size in self._wanted:
            self._wanted[self._tree.size] = self._tree.root()
        return completed

    def _chain(self, seq: int, record: Wire) -> None:
        self.log = record["log"] if self.log is None else self.log
        rules = {
            "seq": (seq, "seq is the place where the record stands"),
            "prev": (self.head, "prev is the id of the record before it; one of the two was changed"),
            "log": (self.log, "one log, one name"),
        }
        for name, (value, rule) in rules.items():
            if record[name] != value:
                self.add(seq, name, rule, value, record[name])
        first = self._idems.setdefault(record["idem"], seq)
        if first != seq:
            self.add(seq, "idem", "one key, one record", "a new key", f"that of record {first}")

    def _opens(self, seq: int, record: Wire) -> None:
        if (record["kind"] == "ledger.opened") != (seq == 0):
            self.add(
                seq, "kind", "a ledger opens once, at seq 0", "ledger.opened", record["kind"], "RULE-BROKEN"
            )

    def _unjudged(self, seq: int) -> None:
        if not self._cut_short:
            only = "from there on only the chain of the records was checked"
            self.notes.append(f"the body of record {seq} was lost with the tail; {only}")
        self._cut_short = True
        self.unjudged.append(seq)

    def _step(self, seq: int, record: Wire) -> None:
        kind = record["kind"]
        body = self._body(seq, record)
        if kind == "evidence.retired" and self._erasures.hide(record):
            self._retired(record)
        if body is None:
            if not self._erasures.cover(record):
                self._tainted.add(record["subject"].get("plan_id", ""))
            self.lives.blind = self.lives.blind or kind == "provider.observed"
            return
        if kind in STEPS and self._erasures.hide(record):
            self.unjudged.append(seq)
        try:
            artifact = parse(body, MOST_BODY, 64)
            if kind != "schema.registered" and canonical(artifact) != body:
                raise ValueError("not written in its canonical form")
        except ValueError as error:
            self.add(seq, "body", "the body is canonical JSON", "such a body", error)
            return
        try:
            self._interpret(seq, record, artifact)
        except RuleError as error:
            rule = "the artifact and its step follow from what was before"
            self.add(seq, f"body.{error.field}", rule, error.expected, error.found, "RULE-BROKEN")

    def _retired(self, record: Wire) -> None:
        """Kind and subject alone tell that nothing more may be gathered for this plan."""
        life = self.lives.plans.get(record["subject"].get("plan_id", ""))
        if life is not None:
            life.retired_unseen = True

    def _body(self, seq: int, record: Wire) -> bytes | None:
        body = self.source.body(record)
        stated = record["body"]
        rule = "the body is the one that the record names"
        if self._erasures.cover(record):
            if body is None:
                self.erased.append(seq)
                return None
            gone = "a body that was erased is gone"
            self.add(seq, "body", gone, "no body", stated["digest"], "RULE-BROKEN")
        if body is None and self._erasable and record["kind"] not in KEPT:
            self.unjudged.append(seq)
            self.notes.append(
                f"the body of record {seq} is not there; the tail may have told that it was erased"
            )
            return None
        if body is None:
            self.add(seq, "body", rule, stated["digest"], "no body is stored under this digest")
            return None
        for name, found in {"digest": digest_of(body), "size": len(body)}.items():
            if stated[name] != found:
                self.add(seq, f"body.{name}", rule, stated[name], found)
                return None
        return body

    def _interpret(self, seq: int, record: Wire, artifact: Any) -> None:
        kind, schema = record["kind"], record["schema"]
        if kind == "schema.registered":
            self._registered.add((schema["name"], schema["digest"]))
            demand(
                schema["digest"] == record["body"]["digest"],
                "schema.digest",
                "a registered schema is its body",
                schema,
            )
            self._about(seq, {}, record)
            return
        if kind not in STEPS and kind not in CUSTODY and kind not in KEPT:
            self.uninterpreted.append(seq)
            return
        demand(isinstance(artifact, dict), "", "an object", artifact)
        if kind in CUSTODY:
            self._about(seq, {}, record)
            self._key_step(seq, record, artifact)
        known = kind == "ledger.opened" or (schema["name"], schema["digest"]) in self._registered
        demand(known, "schema", "a schema is registered before it is used", schema)
        demand(
            artifact.get("schema_version") == schema["name"],
            "schema_version",
            schema["name"],
            artifact.get("schema_version"),
        )
        if kind == "body.erased":
            check_erasure(record, artifact)
            return
        if kind == "ledger.opened":
            self._about(seq, {}, record)
            self._custody(seq, record, artifact)
        if kind not in STEPS:
            return
        if self._erasures.hide(record):
            check_alone(kind, artifact, record["subject"])
            return
        if record["subject"].get("plan_id") in self._tainted:
            check_alone(kind, artifact, record["subject"])
            self.notes.append(f"step {seq} follows from a body that is lost and was not judged")
            return
        self._about(seq, STEPS[kind](self.lives, artifact), record)
        plugin = kind != "provider.called" or record["actor"].startswith("plugin:")
        demand(plugin, "actor", "a provider is called by a plugin", record["actor"])

    def _about(self, seq: int, expected: Wire, record: Wire) -> None:
        if record["subject"] != expected:
            rule = "the subject is derived from the artifact"
            self.add(seq, "subject", rule, brief(expected), brief(record["subject"]), "RULE-BROKEN")

    # keys and checkpoints

    def _key_step(self, seq: int, record: Wire, stated: Wire) -> None:
        """Whose keys sign does not hang on how a step of the log would be judged: no other is the log's."""
        try:
            self._custody(seq, record, stated)
        except RuleError as error:
            rule = "each key is signed for by the one before it"
            self.add(seq, f"body.{error.field}", rule, error.expected, error.found)

    def _custody(self, seq: int, record: Wire, stated: Wire) -> None:
        kind = record["kind"]
        CUSTODY.get(kind, OPENED)(stated, "")
        demand(stated["origin"] == record["log"], "origin", record["log"], stated["origin"])
        place = f"{record['log']}\n{seq}\n{record['prev']}\n"
        if kind == "ledger.opened":
            self._opened = True
            self._enter(seq, stated["key"])
        elif kind == "key.rotated":
            text = f"external-evidence key rotated v1\n{place}{stated['new_key']}\n"
            self._vouch(seq, stated["old_key"], text, stated["signature"])
            if stated["new_key"] == stated["old_key"]:
                self.add(seq, "key", "a key is changed to another", "another key", stated["new_key"])
            self._enter(seq, stated["new_key"])
        else:
            published = stated["published"]
            text = f"external-evidence ledger restored v1\n{place}{digest_of(published.encode())}\n"
            if self._vouch(seq, stated["key"], text, stated["signature"]):
                self._given_up[published] = seq

    def _enter(self, seq: int, text: str | None) -> None:
        if text is None:
            return
        try:
            key = Key.read(text, LOG)
        except ValueError as error:
            self.add(seq, "key", "a verifier key", "NAME+ID+BASE64", error)
            return
        if key.name != self.log:
            self.add(seq, "key", "a log's key has the log's name", self.log, key.name)
        alike = self._known.setdefault((key.name, key.mark), [])
        if any(key != other for other in alike):
            self.add(seq, "key", "each key of a log has an id of its own", "another id", key)
        if key not in alike:
            alike.append(key)
            for before, stated, content in self._later.pop(key.mark, ()):
                self._holds(before, key, key.signed(stated, content))
        self.keys.append(key)

    def _holds(self, seq: int, key: Key, holds: bool) -> None:
        if not holds:
            self.add(seq, "checkpoint", "a signature holds", f"a signature of {key}", "another")

    def _vouch(self, seq: int, by: str, text: str, signature: str) -> bool:
        key = self.keys[-1] if self.keys else None
        rule = "it is signed by the key in force, at this place of this log"
        if key is None or by != str(key):
            self.add(seq, "key", rule, key, by)
            return False
        try:
            material = unbase64(signature)
        except ValueError:
            material = b""
        if material[:4] != key.mark or not key.signed(text, material[4:]):
            self.add(seq, "signature", rule, f"a signature of {key}", signature)
            return False
        return True

    def _checkpoint(self, seq: int, raw: bytes) -> None:
        self.checkpoints += 1
        try:
            stated = Checkpoint.read(raw)
        except ValueError as error:
            self.add(seq, "checkpoint", "a checkpoint is a signed note", "one", error)
            return
        if stated.origin != self.log:
            self.add(seq, "checkpoint.origin", "one log, one name", self.log, stated.origin)
        good, bad = stated.note.by(self._known)
        for key in bad:
            self._holds(seq, key, False)
        for name, mark, content in stated.note.signatures:
            if name == self.log and (name, mark) not in self._known:  # may be of a key that comes later
                self._later.setdefault(mark, []).append((seq, stated.note.text, content[:65]))
        if self.keys and self.keys[-1] not in good + bad:
            rule = "a checkpoint is signed by the key of the last record that it covers"
            self.add(seq, "checkpoint", rule, self.keys[-1], ", ".join(map(str, good)) or "nobody known")
        self._newest.update(dict.fromkeys(good, stated.size))
        self.last = stated
        if not self._lost:
            self._states(seq, stated)

    def _states(self, seq: int, stated: Checkpoint) -> None:
        expected = f"{self._tree.size} {self._tree.root().hex()}"
        # Behind one edited record no root fits any more: that is one finding.
        if str(stated) != expected and not self._astray:
            self.add(
                seq, "checkpoint", "a checkpoint states the tree of the records before it", expected, stated
            )
        self._astray = str(stated) != expected

    # the end

    def _ends(self) -> None:
        covered = 0 if self.last is None else self.last.size
        if self.keys and not self._lost and covered != self._tree.size:
            rule = "every commit of a log with a key is signed"
            self.add(self._before, "checkpoint", rule, f"a checkpoint of {self._tree.size} records", covered)
        for rule, one in self.lives.unfollowed(self._tainted):
            self.add(self._before, "record", rule, one, "no such record", "RULE-BROKEN")

    def _strays(self) -> None:
        # Which body a record names that cannot be read, nobody can say.
        with suppress(*SQLITE_ERRORS):
            for stray in self.source.strays(self._names) if self._all_read else ():
                rule = "a stored body is one that a record names, and is there once"
                self.add(max(self._before, 0), "body", rule, "no such body", stray)

    def _signed_before_the_cut(self) -> None:
        if not self.records:
            self.notes.append("no record before the cut could be read")
        if self.keys or not self._opened:
            covered = 0 if self.last is None else self.last.size
            told = f"the first {covered} of the {self.records} records" if covered else "no record"
            self.notes.append(f"signatures before the cut were checked over {told} that can be read")

    def _compare(self, anchor: Anchor) -> None:
        stated, name = anchor.checkpoint, f"{anchor.what} of {anchor.checkpoint.size} records"
        if self.log is not None and stated.origin != self.log:
            self.cannot.append(f"the {name} is of another log, {stated.origin}")
            return
        witnesses = self.policy.witnesses.values() if self.policy else ()
        good, bad = stated.note.by(known([*self.keys, *self._pinned(stated.origin), *witnesses]))
        if bad or (self.policy and not any(key.kind == LOG for key in good)):
            told = f"the {name} that was kept is signed by no key that is known, or not rightly"
            if self.keys and not bad and stated.size > self._tree.size:
                told += f"; the log has {self._tree.size} records and may be from before the key was changed"
            self.cannot.append(told)
        elif stated.size > self._tree.size:
            self._short(stated, name)
        elif self._wanted[stated.size] != stated.root:
            self._fork(stated, good)
        elif anchor.seq is not None and not self._proved(anchor):
            self.cannot.append(f"the path of the {name} does not lead from record {anchor.seq} to its root")
        elif stated.size or not self.records:
            self.anchored.append(name)
            self._held.append(stated)

    def _short(self, stated: Checkpoint, name: str) -> None:
        if self._lost or self.source.torn is not None:  # the reader sees why in the findings or in `torn`
            self.notes.append(f"the {name} reaches beyond what can be read here")
            return
        rule = "no record that was seen is lost"
        self.add(self._tree.size, "record", rule, f"{stated.size} records", f"{self._tree.size} records")
        self._missed.append(stated.note.text)

    def _fork(self, stated: Checkpoint, signers: list[Key]) -> None:
        both = any(self._newest.get(key, 0) >= stated.size for key in signers)
        rule = "the log begins with the records of the checkpoint that was kept"
        found = f"{stated.size} {self._wanted[stated.size].hex()}"
        self.add(stated.size - 1, "checkpoint", rule, stated, found, "FORKED" if both else "TAMPERED")
        self._missed.append(stated.note.text)

    def _restorals(self) -> None:
        for published, seq in self._given_up.items():
            try:
                size = Checkpoint.read(published.encode()).size
            except ValueError:
                continue
            kept = any(published.startswith(f"{text}\n") for text in self._missed)
            which = f"{size} records" + (", which is the one that was kept" if kept else "")
            self.notes.append(f"record {seq}, a signed ledger.restored, gave up a checkpoint of {which}")

    def _proved(self, anchor: Anchor) -> bool:
        leaf, size = self._leaves[anchor.seq], anchor.checkpoint.size
        return included(leaf, anchor.seq or 0, size, list(anchor.path), anchor.checkpoint.root)

    def _pinned(self, origin: str) -> list[Key]:
        return self.policy.of(origin) if self.policy else []

    def _trust(self, policy: Policy) -> None:
        pinned = self._pinned(self.log or "")
        if not self.records:
            return
        if self.source.torn is not None:
            if self._opened and pinned and not set(pinned) & set(self.keys):
                self._other_key(pinned)
            return
        if not pinned:
            self.cannot.append(f"the policy names no key of {self.log}")
        elif not set(pinned) & set(self.keys):
            self._other_key(pinned)
        elif not (sizes := self._witnessed(policy, self._vouched(pinned))):
            witnessed = f"the quorum {policy.quorum} of the policy has not witnessed what is here"
            signed = "no checkpoint that a key of the policy signed is here or was kept"
            self.cannot.append(signed if policy.quorum == "none" else witnessed)
        else:
            reach = min((size for size in sizes if size >= self._tree.size), default=max(sizes))
            self.anchored.append(f"policy, checkpoint of {reach} records")
            if reach < self._tree.size and policy.quorum != "none":
                which = _span(reach, self._tree.size)
                self.cannot.append(f"beyond what the quorum {policy.quorum} has witnessed: {which}")

    def _witnessed(self, policy: Policy, keys: list[Key]) -> list[int]:
        """How many records each checkpoint covers that a key and the quorum signed, perhaps in copies."""
        kept = ([self.last] if self.last else []) + [anchor.checkpoint for anchor in self.anchors]
        # A checkpoint of no records says nothing about a log that has some.
        sizes = {one.note.text: one.size for one in kept if one.size and one.origin == self.log}
        notes = [one.note for one in kept if one.note.text in sizes]
        joined = [joint([one for one in notes if one.text == text]) for text in sizes]
        return [sizes[one.text] for one in (*notes, *joined) if policy.accepts(one, keys)]

    def _beyond(self) -> None:
        """Which records come after all that was kept, and on whose word."""
        if self.source.torn is not None or not self._held:
            return
        reach, size = max(one.size for one in self._held), self._tree.size
        known = self.policy or any(one.note.by(self._known)[0] for one in self._held)
        if reach < size:
            signed = known and self.last is not None and self.last.size >= size
            alone = "the word of the log's key alone" if signed else "nobody's word"
            self.notes.append(f"beyond what was kept: {_span(reach, size)}, on {alone}")

    def _vouched(self, pinned: list[Key]) -> list[Key]:
        """What the policy names and what those vouch for: each later key, by the one before it."""
        first = min(place for place, key in enumerate(self.keys) if key in pinned)
        return [*pinned, *self.keys[first:]]

    def _other_key(self, pinned: list[Key]) -> None:
        rule = "the log is signed by a key that the policy names, or one that such a key vouches for"
        self.add(0, "key", rule, ", ".join(map(str, pinned)), ", ".join(map(str, self.keys)) or "no key")

    # the report

    def wire(self) -> Wire:
        """The report for JSON."""
        lives = [life for plan in self.lives.plans.values() for life in plan.receipts.values()]
        return {
            "schema_version": "external_evidence_verification_v0",
            **outcome(self.verdict),
            "reasons": self.cannot,
            "form": self.source.form,
            "log": self.log,
            "records": self.records,
            "head": self.head,
            "root": self._tree.root().hex() if self.records and not self._lost else None,
            "keys": [str(key) for key in self.keys],
            "checkpoints": self.checkpoints,
            "anchored_by": self.anchored,
            "torn": self.source.torn,
            "plans": len(self.lives.plans),
            "receipts": len(lives),
            "admissions": sum(len(life.decisions) for life in lives),
            "retired": sum(life.retired for life in lives),
            "erased": self.erased,
            "not_derived": self.unjudged,
            "cannot_interpret": self.uninterpreted,
            "first_finding": self.findings[0].wire() if self.findings else None,
            "findings": [one.wire() for one in self.findings[:MOST_FINDINGS]],
            "findings_truncated": len(self.findings) > MOST_FINDINGS,
            "notes": self.notes,
            "limit": LIMIT,
        }


def outcome(verdict: str) -> Wire:
    """The verdict and its exit code."""
    return {"verdict": verdict, "exit_code": EXITS[verdict]}


def refusal(reason: str) -> Wire:
    """The report on what could not be judged at all."""
    return {
        "schema_version": "external_evidence_verification_v0",
        **outcome("CANNOT-VERIFY"),
        "reasons": [reason],
        "first_finding": None,
        "findings": [],
        "limit": LIMIT,
    }


@contextmanager
def opened(path: Path, *, with_log: bool) -> Iterator[Source]:
    """The log at a path, whatever form it has."""
    form = form_of(path)
    if form == "sqlite":
        place = path.resolve()
        cut = not with_log and lost_pages(place) is not None
        source: Source = Remnant(place) if cut else Sqlite(place, with_log=with_log)
    else:
        source = Tiles(path) if form == "tiles" else Bundle(path)
    with closing(source):
        yield source


def read_file(path: Path, what: str) -> bytes:
    """A file of the auditor's own."""
    try:
        with path.open("rb") as file:
            return file.read(MOST_BODY + 1)
    except (OSError, ValueError) as error:
        raise CannotVerifyError(f"the {what} cannot be read: {error}") from error


def judged(path: Path, policy: Policy | None, kept: list[bytes], *, with_log: bool) -> Wire:
    """The report on one reading of a log."""
    with opened(path, with_log=with_log) as source:
        log = source.log or _first_log(source)
        anchors = []
        for raw in kept:
            try:
                anchors.append(read_anchor(raw, log))
            except (ValueError, AttributeError) as error:
                wrong = f"what was kept is no checkpoint, proof or witness file: {error}{converted(raw)}"
                raise CannotVerifyError(wrong) from error
        verifier = Verifier(source, policy, anchors)
        verifier.run()
        return verifier.wire()


def _span(first: int, size: int) -> str:
    return f"record {first}" if first + 1 == size else f"records {first}-{size - 1}"


def _first_log(source: Source) -> str | None:
    """The log that the first record names, whatever else is wrong with it; a witness file is asked for it."""
    try:
        first = next(source.entries(), None)
    except SQLITE_ERRORS:
        return None
    named = re.search(rb'"log":"([^"]*)"', first.raw) if first else None
    return named[1].decode(errors="replace") if named else None


def verify(path: Path, policy: Path | None = None, against: Iterable[Path] = ()) -> Wire:
    """The report on the bundle, tiles folder or SQLite ledger at a path; it is only read."""
    try:
        try:
            trusted = Policy(read_file(policy, "policy")) if policy else None
        except ValueError as error:
            raise CannotVerifyError(f"the policy breaks a rule: {error}") from error
        kept = [read_file(one, "checkpoint, proof or witness") for one in against]
        if form_of(path) != "sqlite":
            return _tried(path, trusted, kept, with_log=False)
        for _ in range(MOST_LOOKS):
            place = path.resolve()
            before = _stamp(place)
            with settled(place) as still:
                report = _sqlite(still, trusted, kept)
            if still != place or before == _stamp(place):  # nothing locks a file that lies alone
                return report
        raise CannotVerifyError("it changes while it is read; try again")
    except CannotVerifyError as error:
        return refusal(str(error))
    except OSError as error:
        return refusal(f"it cannot be read: {error}")


def _sqlite(path: Path, policy: Policy | None, kept: list[bytes]) -> Wire:
    """The report on a SQLite ledger that nobody changes."""
    beside = sides(path)
    report = _tried(path, policy, kept, with_log=bool(beside))
    # A write-ahead file of another state of the same log can give a log that holds.
    log = any(one.name.endswith("-wal") for one in beside)
    if log or (beside and report["exit_code"] in (1, 2)):
        alone = _tried(path, policy, kept, with_log=False)
        if alone["exit_code"] in (0, 3) and not _goes_on(path):
            names = ", ".join(one.name for one in beside)
            torn = f"{names} does not fit and was left out; what it should hold is not here"
            return {**alone, **outcome("TORN"), "torn": torn, "anchored_by": []}
    return report


def _tried(path: Path, policy: Policy | None, kept: list[bytes], *, with_log: bool) -> Wire:
    try:
        return judged(path, policy, kept, with_log=with_log)
    except CannotVerifyError as error:
        return refusal(str(error))


def _goes_on(path: Path) -> bool:
    """Whether the log with the files beside it begins with the log of the file alone."""
    try:
        with opened(path, with_log=True) as longer, opened(path, with_log=False) as shorter:
            rest = (entry.raw for entry in longer.entries())
            return all(next(rest, None) == entry.raw for entry in shorter.entries())
    except (*SQLITE_ERRORS, CannotVerifyError):
        return False


def told(report: Wire) -> str:
    """The report as text; nothing that was found can move a cursor."""
    lines = [f"结论 verdict: {WORDS[report['verdict']]} {report['verdict']}"]
    lines += [f"  原因 reason: {reason}" for reason in report["reasons"]]
    if "records" in report:
        lines += [
            f"  日志 log: {report['log']} ({report['form']})",
            f"  记录 records: {report['records']}，末条 head: {report['head']}",
            f"  签名的检查点 checkpoints: {report['checkpoints']}，树根 root: {report['root']}",
            f"  计划 plans: {report['plans']}，回执 receipts: {report['receipts']}",
            f"  决定 decisions: {report['admissions']}，已退休 retired: {report['retired']}",
        ]
        lines += [f"  密钥 key: {key}" for key in report["keys"]]
        lines += [f"  依据 anchored by: {one}" for one in report["anchored_by"]]
        lines += [f"  已删除 ERASED: 记录 record {seq}" for seq in report["erased"]]
        lines += [f"  未能推出 NOT-DERIVED: 记录 record {seq}" for seq in report["not_derived"]]
        lines += [f"  无法解读 CANNOT-INTERPRET: 记录 record {seq}" for seq in report["cannot_interpret"]]
        lines += [f"  尾部 tail: {report['torn']}"] if report["torn"] else []
        lines += [f"  说明 note: {note}" for note in report["notes"]]
    for place, one in enumerate(report["findings"]):
        which = "问题 failure" if place else "首个问题 first failure"
        lines.append(f"{which}: 记录 record {one['seq']}, {one['field']}")
        lines += [f"  {name}: {one[name]}" for name in ("rule", "expected", "found")]
    lines.append(f"局限 limit: {LIMIT_ZH}{LIMIT}")
    return (
        "\n".join("".join(one if one.isprintable() else ascii(one)[1:-1] for one in line) for line in lines)
        + "\n"
    )


def main(arguments: list[str], out: TextIO) -> int:
    """The command line; the exit code of the verdict."""
    parser = argparse.ArgumentParser(
        prog="standalone.py", description="Verify an evidence ledger.", epilog=LIMIT
    )
    verbs = parser.add_subparsers(required=True, metavar="verify")
    verb = verbs.add_parser("verify", help="read a bundle, a tiles folder or a SQLite ledger and judge it")
    verb.add_argument("path", type=Path, metavar="PATH")
    verb.add_argument("--policy", type=Path, metavar="FILE", help="whom you trust: a C2SP tlog-policy")
    verb.add_argument("--against", type=Path, metavar="FILE", action="append", default=[],
                      help="a checkpoint, proof or witness file that you kept")  # fmt: skip
    verb.add_argument("--json", action="store_true", help="one JSON object in place of text")
    given = parser.parse_args(arguments)
    report = verify(given.path, given.policy, given.against)
    out.write(json.dumps(report) + "\n" if given.json else told(report))
    return int(report["exit_code"])


def _stopped(number: int, _frame: object) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)


def command() -> int:
    """The exit code of the process; a report that nobody could be given is no verdict, and never 1."""
    if sys.stdout is None:
        return EXITS["CANNOT-VERIFY"]
    for name in {"SIGTERM", "SIGHUP"}.intersection(dir(signal)):  # no copy of a ledger is left behind
        signal.signal(getattr(signal, name), _stopped)
    # A TextIOWrapper, as Python makes it, has this; TextIO, as it is declared, has not.
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        code = main(sys.argv[1:], sys.stdout)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left of it goes nowhere
        sys.stderr.write(f"the report cannot be written: {error}\n")
        return EXITS["CANNOT-VERIFY"]
    return code


if __name__ == "__main__":
    sys.exit(command())
