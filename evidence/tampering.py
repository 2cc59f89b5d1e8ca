"""Every way in which the self-test tampers with a copy of a ledger, and what must be said of each."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from copy import deepcopy
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from ledger.bundle import write_bundle
from ledger.forms import open_log
from ledger.rebuilt import Piece, key, pieces, rebuild, rechained
from ledger.store import REGISTERED
from schemas.canonical import canonical
from schemas.errors import IntegrityError
from schemas.ledger import read_raw

TAMPERED, RULE_BROKEN, TORN = "TAMPERED", "RULE-BROKEN", "TORN"
_FAR = 1 << 40
_ANEW = ("v", "seq", "prev")  # what somebody who chains anew makes right

KINDS = {
    "record field": ("记录的一个字段", "one field of a record"),
    "record byte": ("记录的一个字节", "one byte of a record"),
    "body field": ("正文的一个字段", "one field of a body"),
    "body lost": ("正文被删", "a body taken out"),
    "bodies swapped": ("两份正文对换", "two bodies in each other's place"),
    "derived row": ("索引或树的一行", "one row of index or tree"),
    "record dropped": ("删去一条记录", "a record taken out"),
    "record doubled": ("一条记录写两次", "a record written twice"),
    "records swapped": ("两条记录对换", "two records in each other's place"),
    "steps reordered": ("两步颠倒，哈希链重算", "two steps reordered, chained anew"),
    "checkpoint edited": ("检查点被改", "a checkpoint edited"),
    "checkpoint lost": ("最后的检查点被删", "the last checkpoint taken out"),
    "chained anew": ("改一个字段，哈希链重算，没有密钥", "one field, chained anew without the key"),
    "another key": ("换一把密钥重写", "all of it rewritten with another key"),
    "tail cut off": ("干净地去掉最后一次提交", "the last commit taken out of every table"),
    "file cut": ("文件被截短", "the file cut short"),
    "edited and then cut": ("先改动，再截短文件", "edited, and then the file cut short"),
    "bundle line": ("单文件包的一行", "one line of a bundle"),
    "bundle cut": ("单文件包被截短", "a bundle cut short"),
}
WITH_A_KEY = ("checkpoint edited", "checkpoint lost", "chained anew", "another key", "tail cut off")

Forge = Callable[[Path], None]


class Edit(NamedTuple):
    """One kind of tampering at one place, the word that it must get, and how a clean copy is changed."""

    kind: str
    where: str
    word: str
    forge: Forge


class Clean(NamedTuple):
    """A whole ledger file, and which of its records are tampered with."""

    path: Path
    signed: bool
    seqs: Sequence[int]

    def pieces(self) -> Iterator[Piece]:
        """What it holds, read anew each time."""
        with open_log(self.path).read() as reader:
            yield from pieces(reader)

    def chosen(self) -> Iterator[tuple[int, Piece]]:
        """The records that are tampered with."""
        wanted = set(self.seqs)
        return ((seq, piece) for seq, piece in enumerate(self.pieces()) if seq in wanted)


def edits(clean: Clean, resign: Callable[[Iterable[Piece]], Iterable[Piece]]) -> Iterator[Edit]:
    """All of them; `resign` rewrites a log with a key of one's own."""
    for seq, piece in clean.chosen():
        yield from _of_record(seq, piece)
        yield from _of_body(seq, piece)
        yield from _of_rows(seq, piece)
        if clean.signed:
            yield from _chained_anew(clean, seq, piece)
    yield from _order(clean)
    yield from _tables(clean)
    if clean.signed:
        yield from _checkpoints(clean)
        yield Edit("another key", "every record", TAMPERED, partial(_resigned, clean, resign))
    yield from _cut(clean)
    yield from _bundle(clean)


def leaves(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of every value that holds no other."""
    inner: Iterable[tuple[str | int, object]] = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    empty = True
    for step, one in inner:
        empty = False
        yield from leaves(one, (*path, step))
    if empty:
        yield path


def changed(value: object, path: tuple[str | int, ...]) -> Any:
    """A copy of `value` that says something else at `path`, as like it as can be."""
    if not path:
        return another(value)
    copy: Any = deepcopy(value)
    inner = copy
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = another(inner[path[-1]])
    return copy


def another(value: object) -> object:
    """Another value of the same kind: a digest stays one, a number one, a text one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        place = max((at for at, sign in enumerate(value) if sign in _NEXT), default=None)
        return f"{value}x" if place is None else f"{value[:place]}{_NEXT[value[place]]}{value[place + 1 :]}"
    return ["x"] if isinstance(value, list) else "x"


def _turning(signs: str) -> dict[str, str]:
    return dict(zip(signs, signs[1:] + signs[0], strict=True))


_NEXT = {**_turning("0123456789"), **_turning("abcdef"), **_turning("ghijklmnopqrstuvwxyz")}


def _named(path: tuple[str | int, ...]) -> str:
    return ".".join(map(str, path))


def _of_record(seq: int, piece: Piece) -> Iterator[Edit]:
    record = json.loads(piece.raw)
    for path in leaves(record):
        made = canonical(changed(record, path))
        yield Edit("record field", f"record {seq} {_named(path)}", TAMPERED, _set(seq, made))
    for at in (0, len(piece.raw) // 2, len(piece.raw) - 1):
        made = piece.raw[:at] + bytes([piece.raw[at] ^ 1]) + piece.raw[at + 1 :]
        yield Edit("record byte", f"record {seq} byte {at}", TAMPERED, _set(seq, made))


def _set(seq: int, raw: bytes) -> Forge:
    return _sql("UPDATE records SET raw = ? WHERE seq = ?", raw, seq)


def _of_body(seq: int, piece: Piece) -> Iterator[Edit]:
    if piece.body is None:
        return
    record, body = read_raw(piece.raw), json.loads(piece.body)
    digest = key(record.body.digest)
    # A schema is a text of many lines; its first level stands for it.
    paths = ((name,) for name in body) if record.kind == REGISTERED else leaves(body)
    for path in paths:
        made = canonical(changed(body, path))
        forge = _sql("UPDATE bodies SET bytes = ? WHERE digest = ?", made, digest)
        yield Edit("body field", f"record {seq} body {_named(path)}", TAMPERED, forge)
    forge = _sql("DELETE FROM bodies WHERE digest = ?", digest)
    yield Edit("body lost", f"record {seq} body", TAMPERED, forge)


def _of_rows(seq: int, piece: Piece) -> Iterator[Edit]:
    record = read_raw(piece.raw)
    for column, value in (
        ("prev", bytes(31) + b"x"),
        ("idem", bytes(32)),
        ("kind", "x.y"),
        ("tree", bytes(32)),
    ):
        forge = _sql(f"UPDATE records SET {column} = ? WHERE seq = ?", value, seq)  # noqa: S608 - a name of ours
        yield Edit("derived row", f"record {seq} {column}", TAMPERED, forge)
    for field, identity in record.subject.ids().items():
        where = ("DELETE FROM subjects WHERE hex = ? AND field = ? AND seq = ?", identity.partition(":")[2])
        yield Edit("derived row", f"record {seq} subjects.{field}", TAMPERED, _sql(*where, field, seq))
    if record.kind == REGISTERED:
        forge = _sql("DELETE FROM schemas WHERE name = ?", record.schema.name)
        yield Edit("derived row", f"record {seq} schemas", TAMPERED, forge)


def _tables(_clean: Clean) -> Iterator[Edit]:
    for where, sql in {
        "head.seq": "UPDATE head SET seq = seq + 1",
        "head.digest": "UPDATE head SET digest = zeroblob(32)",
        "head": "DELETE FROM head",
        "subjects": "INSERT INTO subjects VALUES (hex(zeroblob(32)), 'blake3', 'plan_id', 0)",
        "schemas": "INSERT INTO schemas VALUES ('x', zeroblob(32))",
        "a trigger": "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM bodies; END",
        "an index": "DROP INDEX records_by_kind",
    }.items():
        yield Edit("derived row", where, TAMPERED, _sql(sql))


def _order(clean: Clean) -> Iterator[Edit]:
    chosen = list(clean.chosen())
    for seq, _ in chosen:
        yield Edit(
            "record dropped", f"record {seq}", TAMPERED, _sql("DELETE FROM records WHERE seq = ?", seq)
        )
        yield Edit("record doubled", f"record {seq}", TAMPERED, _doubled(seq))
    for (one, a), (two, b) in pairwise(chosen):
        yield Edit(
            "records swapped", f"records {one} and {two}", TAMPERED, _both(_set(one, b.raw), _set(two, a.raw))
        )
        if a.body is not None and b.body is not None and a.body != b.body:
            first, second = (key(read_raw(piece.raw).body.digest) for piece in (a, b))
            update = "UPDATE bodies SET bytes = ? WHERE digest = ?"
            forge = _both(_sql(update, b.body, first), _sql(update, a.body, second))
            yield Edit("bodies swapped", f"bodies of records {one} and {two}", TAMPERED, forge)
    yield from _reordered(clean, chosen)


def _reordered(clean: Clean, chosen: list[tuple[int, Piece]]) -> Iterator[Edit]:
    """A plan after the first step that was taken from it: only the rules tell, where nobody signed."""
    records = [(seq, read_raw(piece.raw)) for seq, piece in chosen]
    for place, (seq, record) in enumerate(records):
        if record.kind == "plan.created":
            plan = record.subject.plan_id
            later = (at for at, one in records[place + 1 :] if one.subject.plan_id == plan)
            other = next(later, None)
            if other is not None:
                word = TAMPERED if clean.signed else RULE_BROKEN
                yield Edit(
                    "steps reordered", f"records {seq} and {other}", word, _exchange(clean, seq, other)
                )


def _exchange(clean: Clean, one: int, two: int) -> Forge:
    def forge(path: Path) -> None:
        held = dict(clean.chosen())
        # The checkpoints stay where they stand.
        moved = {one: held[two], two: held[one]}
        _anew(path, rechained(
            moved.get(seq, piece)._replace(note=piece.note) for seq, piece in enumerate(clean.pieces())
        ))  # fmt: skip

    return forge


def _chained_anew(clean: Clean, seq: int, piece: Piece) -> Iterator[Edit]:
    record = json.loads(piece.raw)
    derived = ("schema", "digest") if record["kind"] == REGISTERED else ()
    for path in leaves(record):
        if path[0] not in (*_ANEW, "body") and path != derived:
            made = piece._replace(raw=canonical(changed(record, path)))
            if not _is_record(made.raw):  # whoever chains anew writes what can be read
                continue
            yield Edit("chained anew", f"record {seq} {_named(path)}", TAMPERED, _with(clean, seq, made))
    if piece.body is not None:
        body = json.loads(piece.body)
        made = piece._replace(body=canonical(changed(body, next(leaves(body)))))
        yield Edit("chained anew", f"record {seq} body", TAMPERED, _with(clean, seq, made))


def _is_record(raw: bytes) -> bool:
    try:
        return bool(read_raw(raw))
    except IntegrityError:
        return False


def _with(clean: Clean, seq: int, made: Piece) -> Forge:
    def forge(path: Path) -> None:
        _anew(path, rechained(made if at == seq else piece for at, piece in enumerate(clean.pieces())))

    return forge


def _resigned(clean: Clean, resign: Callable[[Iterable[Piece]], Iterable[Piece]], path: Path) -> None:
    _anew(path, resign(clean.pieces()))


def _checkpoints(clean: Clean) -> Iterator[Edit]:
    notes = [(seq + 1, piece.note) for seq, piece in clean.chosen() if piece.note is not None]
    update = "UPDATE checkpoints SET note = ? WHERE size = ?"
    for size, note in notes:
        lines = note.split(b"\n")
        for place, what in enumerate(("origin", "size", "root")):
            line = another(lines[place].decode())
            made = b"\n".join([*lines[:place], str(line).encode(), *lines[place + 1 :]])
            yield Edit("checkpoint edited", f"checkpoint {size} {what}", TAMPERED, _sql(update, made, size))
        end = note.rstrip()
        made = end[:-20] + (b"A" if end[-20:-19] != b"A" else b"B") + end[-19:] + b"\n"
        yield Edit("checkpoint edited", f"checkpoint {size} signature", TAMPERED, _sql(update, made, size))
    for (one, a), (two, _) in pairwise(notes):
        yield Edit("checkpoint edited", f"checkpoint {two} is that of {one}", TAMPERED, _sql(update, a, two))
    last = "(SELECT max(size) FROM checkpoints)"
    forge = _sql(f"DELETE FROM checkpoints WHERE size = {last}")  # noqa: S608 - no value of others
    yield Edit("checkpoint lost", "the last checkpoint", TAMPERED, forge)
    sizes = [seq + 1 for seq, piece in enumerate(clean.pieces()) if piece.note is not None]
    if len(sizes) > 1:
        yield Edit("tail cut off", f"records from {sizes[-2]} on", TAMPERED, _shortened(clean, sizes[-2]))


def _shortened(clean: Clean, size: int) -> Forge:
    return lambda path: _anew(path, (piece for at, piece in enumerate(clean.pieces()) if at < size))


def _cut(clean: Clean) -> Iterator[Edit]:
    size = clean.path.stat().st_size
    for left in (size // 3, size * 2 // 3, size - 1):
        yield Edit("file cut", f"at byte {left} of {size}", TORN, _left(left))
    # The first body is on one of the first pages, and as long as before it stays there.
    edited = "UPDATE bodies SET bytes = CAST(x'5b' || substr(bytes, 2) AS BLOB)"
    forge = _sql(f"{edited} WHERE rowid = (SELECT min(rowid) FROM bodies)")  # noqa: S608 - no value of others
    for left in (size * 3 // 4, size - 1):
        yield Edit("edited and then cut", f"at byte {left} of {size}", TAMPERED, _both(forge, _left(left)))


def _left(size: int) -> Forge:
    return lambda path: _truncate(path, size)


def _truncate(path: Path, size: int) -> None:
    with path.open("r+b") as file:
        file.truncate(size)


def _bundle(clean: Clean) -> Iterator[Edit]:
    """Lines by their number; a bundle is made anew for each, so that memory holds one line."""
    lines = 2 * len(clean.seqs)
    for line in range(2, lines, max(1, lines // 40)):
        for what in ("dropped", "changed", "doubled"):
            yield Edit("bundle line", f"line {line} {what}", TAMPERED, _line(clean, line, what))
        yield Edit("bundle cut", f"before line {line}", TORN, _line(clean, line, "cut"))


def _line(clean: Clean, number: int, what: str) -> Forge:
    def forge(path: Path) -> None:
        with open_log(clean.path).read() as reader, path.open("wb") as out:
            write_bundle(reader, out)
        with path.open("rb") as file:
            before = sum(len(file.readline()) for _ in range(number - 1))
            line = file.readline()
            after = b"" if what == "cut" else file.read()
        middle = {"dropped": b"", "cut": b"", "doubled": line + line, "changed": _flipped(line)}[what]
        with path.open("r+b") as file:
            file.seek(before)
            file.write(middle + after)
            file.truncate()

    return forge


def _flipped(line: bytes) -> bytes:
    at = len(line) // 2
    return line[:at] + (b"A" if line[at : at + 1] != b"A" else b"B") + line[at + 1 :]


def _doubled(seq: int) -> Forge:
    return _both(
        # Out of the way first: a key may not be taken twice even for a moment.
        _sql("UPDATE records SET seq = seq + ? WHERE seq > ?", _FAR, seq),
        _sql(
            "INSERT INTO records SELECT seq + 1, raw, zeroblob(31), zeroblob(31), kind, tree"
            " FROM records WHERE seq = ?",
            seq,
        ),
        _sql("UPDATE records SET seq = seq - ? + 1 WHERE seq > ?", _FAR, _FAR),
    )


def _anew(path: Path, held: Iterable[Piece]) -> None:
    path.unlink()
    rebuild(path, held)


def _both(*forges: Forge) -> Forge:
    def forge(path: Path) -> None:
        for one in forges:
            one(path)

    return forge


def _sql(sql: str, *values: object) -> Forge:
    def forge(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(sql, values)

    return forge
