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
import sqlite3
import stat
import sys
import tempfile
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import date
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, TextIO

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

_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[{]|[\]}]', re.DOTALL)


def parse(raw: bytes, most_bytes: int, most_depth: int) -> Any:
    """The value that `raw` writes; ValueError: too big or deep, no JSON, a repeated key, a number beyond all."""
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


@cache
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
        if not is_name(name) or key.kind != kind or len(key.public) != 32 or stated != key.id.hex():
            raise ValueError(f"no verifier key of kind {kind}: {brief(text)}")
        return key

    @property
    def id(self) -> bytes:
        """The four bytes by which signature lines name it."""
        return hashlib.sha256(self.name.encode() + b"\n" + bytes((self.kind,)) + self.public).digest()[:4]

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}+{b64encode(bytes((self.kind,)) + self.public).decode()}"

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

    def by(self, keys: Iterable[Key]) -> tuple[list[Key], list[Key]]:
        """Which of these keys signed, and whose signature does not hold."""
        known = {(key.name, key.id): key for key in keys}
        lines = [(known[name, mark], content) for name, mark, content in self.signatures if (name, mark) in known]
        judged = [(key, key.signed(self.text, content)) for key, content in lines]
        return [key for key, holds in judged if holds], [key for key, holds in judged if not holds]


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
    index: int | None = None
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
        logs = witness.get("logs") if witness.get("schema_version") == "external_evidence_witness_v0" else None
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
        text = raw.decode(errors="surrogateescape")
        if not text.endswith("\n") or re.search("[\x00-\x08\x0b-\x1f\x7f]", text):
            raise ValueError("its last line is not ended, or it holds a control character")
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
                self.groups[self._new(name)] = (self._threshold(least, members), members)
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

    def _threshold(self, least: str, members: list[str]) -> int:
        fresh = self._members.isdisjoint(members) and len(set(members)) == len(members)
        if not fresh or not all(map(self._known, members)):
            raise ValueError("a group's member is not known, or is a member already")
        self._members.update(members)
        wanted = {"any": 1, "all": len(members)}.get(least) or decimal(least)
        if not 1 <= wanted <= len(members):
            raise ValueError(f"{brief(least)} of {len(members)} members")
        return wanted

    def of(self, origin: str) -> list[Key]:
        """The keys that it pins for a log."""
        return [key for key in self.logs if key.name == origin]

    def witnessed(self, note: Note) -> bool:
        """Whether the quorum cosigned; a broken cosignature is none."""
        seen, _ = note.by(self.witnesses.values())
        return self._met(self.quorum or "", seen)

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
        "v": lambda value, where: number(1)(value, where) or one_of(1)(value, where),
        "log": fits(ORIGIN, "a log's name"),
        "seq": number(),
        "prev": or_null(_a_blake3),
        "at": _at,
        "kind": fits(re.compile(r"(?=.{1,64}$)[a-z]+(?:\.[a-z]+)+"), "words joined by dots"),
        "actor": fits(re.compile(r"[A-Za-z0-9_.:@/+-]{1,128}"), "an identifier"),
        "idem": _a_blake3,
        "subject": shape({}, dict.fromkeys(SUBJECT, _a_digest)),
        "schema": shape({"name": fits(re.compile(r"[a-z][a-z0-9_.-]{0,95}"), "a schema's name"), "digest": _a_blake3}),
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
