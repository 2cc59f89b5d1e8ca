"""Whole histories written anew by somebody who can write everything: out of one list, in both forms.

A history is a list of records, each with its body and the checkpoint behind it. Whatever is derived from
them (index columns, tree, head, the end of a bundle) is made right again, so that only the change is left.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, SupportsBytes

from ledger.checkpoint import Checkpoint
from ledger.keys import Signer
from ledger.sqlite_file import APPLICATION_ID, LAYOUT, TABLES
from ledger.tree import EMPTY_ROOT, Frontier, leaf_hash
from schemas.canonical import canonical, digest_bytes
from schemas.errors import IntegrityError
from schemas.ledger import LedgerRecord, read_raw, record_id
from tests.audit.fifty import Fifty
from tests.audit.histories import C, F, T, U, V
from tests.ledger.carried import Item, items, put
from tests.ledger.signing import ORIGIN, signer
from tests.lifecycle.tampering import changes

OTHER = signer(salt="other")
_EDITS = ("other", "flip case", "append", "number", "null", "remove", "add a key")


class Entry(NamedTuple):
    """One record, its body, and the checkpoint that was stored right after it."""

    raw: bytes
    body: bytes
    note: bytes | None = None

    @property
    def wire(self) -> dict[str, object]:
        value: dict[str, object] = json.loads(self.raw)
        return value


Words = tuple[str, str, str]
"""With nothing to compare with, with a policy, with the newest checkpoint that was kept."""


class Rewrite(NamedTuple):
    """Another history, and the words that it deserves."""

    what: str
    entries: list[Entry]
    words: Words


def entries(bundle: Path) -> list[Entry]:
    """The history of a bundle."""
    held = items(bundle)
    bodies = {digest_bytes(content): content for kind, content in held if kind == "body"}
    found: list[Entry] = []
    for kind, content in held:
        if kind == "record":
            found.append(Entry(content, bodies[read_raw(content).body.digest]))
        elif kind == "checkpoint":
            found[-1] = found[-1]._replace(note=content)
    return found


def bundle(path: Path, history: list[Entry]) -> Path:
    """That history as a bundle whose end is right."""
    held: list[Item] = []
    there: set[bytes] = set()
    for one in history:
        held += [] if one.body in there else [("body", one.body)]
        there.add(one.body)
        held.append(("record", one.raw))
        held += [] if one.note is None else [("checkpoint", one.note)]
    return put(path, held)


def sqlite(path: Path, history: list[Entry]) -> Path:
    """That history as a ledger file whose every derived column, table and index is right."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        for sql in TABLES:
            connection.execute(sql)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {LAYOUT}")
        tree = Frontier()
        for seq, one in enumerate(history):
            tree, row = tree.append(leaf_hash(one.raw))
            _insert(connection, seq, one, b"".join(row))
            if one.note is not None:
                connection.execute("INSERT INTO checkpoints VALUES (?, ?)", (seq + 1, one.note))
        if history:
            head = (len(history) - 1, _key(record_id(history[-1].raw)))
            connection.execute("INSERT INTO head VALUES (1, ?, ?)", head)
        connection.execute("COMMIT")
    return path


def _insert(connection: sqlite3.Connection, seq: int, one: Entry, tree: bytes) -> None:
    record = _readable(one.raw)
    if record is None:  # nothing can be derived; the columns have to be something
        row = (seq, one.raw, b"%d" % seq, b"%d" % seq, "", tree)
    else:
        prev = b"" if record.prev is None else _key(record.prev)
        row = (seq, one.raw, prev, _key(record.idem), record.kind, tree)
    try:
        connection.execute("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)", row)
    except sqlite3.IntegrityError:  # what is there twice can be kept only under another key
        row = (*row[:2], b"%d" % seq, b"%d" % seq, *row[4:])
        connection.execute("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)", row)
    stored = (_key(digest_bytes(one.body)), one.body)
    connection.execute("INSERT INTO bodies VALUES (?, ?) ON CONFLICT DO NOTHING", stored)
    for field, identity in () if record is None else record.subject.ids().items():
        algorithm, _, digits = identity.partition(":")
        connection.execute("INSERT INTO subjects VALUES (?, ?, ?, ?)", (digits, algorithm, field, seq))
    if record is not None and record.kind == "schema.registered":
        schema = (record.schema.name, _key(record.schema.digest))
        connection.execute("INSERT INTO schemas VALUES (?, ?) ON CONFLICT DO NOTHING", schema)


def _readable(raw: bytes) -> LedgerRecord | None:
    try:
        return read_raw(raw)
    except IntegrityError:
        return None


def _key(digest: str) -> bytes:
    return bytes.fromhex(digest.partition(":")[2])


def chained(history: Sequence[Entry], since: int, by: Signer | None = None) -> list[Entry]:
    """The records after `since` chained to it anew; with a key the checkpoints from there on are its."""
    made = list(history)
    for seq in range(since + 1, len(made)):
        wire = made[seq].wire | {"prev": record_id(made[seq - 1].raw)}
        made[seq] = made[seq]._replace(raw=canonical(wire))
    tree = Frontier()
    for seq, one in enumerate(made):
        tree, _ = tree.append(leaf_hash(one.raw))
        if by is not None and one.note is not None and seq >= since:
            made[seq] = one._replace(note=bytes(Checkpoint(ORIGIN, tree.size, tree.root()).signed(by)))
    return made


def moved(history: list[Entry]) -> Iterator[Rewrite]:
    """Every record dropped, doubled, swapped with the next one, and moved to the end."""
    for seq, one in enumerate(history):
        before, after = history[:seq], history[seq + 1 :]
        last = not after
        # Without its last record a log is one of before it: only who kept something sees that.
        yield Rewrite(f"dropped {seq}", [*before, *after], (U, V, T) if last else (T, T, T))
        yield Rewrite(f"doubled {seq}", [*before, one, *history[seq:]], (T, T, T))
        if not last:
            yield Rewrite(f"swapped {seq}", [*before, after[0], one, *after[1:]], (T, T, T))
        if len(after) > 1:
            yield Rewrite(f"moved {seq}", [*before, *after, one], (T, T, T))


def cut(history: list[Entry]) -> Iterator[Rewrite]:
    """Every tail taken off."""
    for size in range(len(history)):
        sealed = size > 0 and history[size - 1].note is not None
        words = (U, V, T) if sealed else (T, T, T)
        yield Rewrite(f"cut to {size}", history[:size], words if size else (C, C, T))


def edited(history: list[Entry]) -> Iterator[Rewrite]:
    """Every field of every record edited, and all records after it chained anew, without the key."""
    for seq, one in enumerate(history):
        for change in changes(one.wire):
            raw = canonical(change.applied(one.wire)) if change.what in _EDITS else one.raw
            if raw != one.raw:
                changed = [*history[:seq], one._replace(raw=raw), *history[seq + 1 :]]
                what = f"edited {seq} {change.path} {change.what}"
                yield Rewrite(what, chained(changed, seq), (T, T, T))


def resigned(history: list[Entry]) -> Iterator[Rewrite]:
    """History rewritten from every record on, and signed with another key, or with the key itself."""
    for seq, one in enumerate(history):
        told = one._replace(raw=canonical(one.wire | {"actor": "somebody-else"}))
        changed = [*history[:seq], told, *history[seq + 1 :]]
        yield Rewrite(f"signed by another from {seq} on", chained(changed, seq, OTHER), (T, T, T))
        yield Rewrite(f"signed by the owner from {seq} on", chained(changed, seq, signer()), (U, V, F))
    opening = history[0].wire
    body = canonical(json.loads(history[0].body) | {"key": str(OTHER.verifier)})
    first = Entry(
        canonical(opening | {"body": {"digest": digest_bytes(body), "size": len(body)}}),
        body,
        history[0].note,
    )
    yield Rewrite("begun with another key", chained([first, *history[1:]], 0, OTHER), (U, T, T))


def bodied(history: list[Entry]) -> Iterator[Rewrite]:
    """Every body gone, and every body another one."""
    for seq, one in enumerate(history):
        other = history[(seq + 1) % len(history)].body
        for what, body in (("swapped", other), ("other", one.body + b" "), ("emptied", b"{}")):
            if body != one.body:
                changed = [*history[:seq], one._replace(body=body), *history[seq + 1 :]]
                yield Rewrite(f"body {what} {seq}", changed, (T, T, T))


def sealed(history: list[Entry]) -> Iterator[Rewrite]:
    """Every checkpoint taken away, signed by another, replaced by a lie, another one, or one of elsewhere."""
    notes = [(seq, one.note) for seq, one in enumerate(history) if one.note is not None]
    for place, (seq, note) in enumerate(notes):
        _, stated = Checkpoint.of(note)
        lies: dict[str, SupportsBytes] = {
            "signed by another": stated.signed(OTHER),
            "of another root": stated._replace(root=EMPTY_ROOT).signed(signer()),
            "of another size": stated._replace(size=stated.size + 1).signed(signer()),
            "of another log": stated._replace(origin="tests.example/else").signed(signer()),
            "that was before": notes[place - 1][1],
        }
        for what, lie in lies.items():
            changed = [*history[:seq], history[seq]._replace(note=bytes(lie)), *history[seq + 1 :]]
            yield Rewrite(f"checkpoint {seq} {what}", changed, (T, T, T))
        gone = [*history[:seq], history[seq]._replace(note=None), *history[seq + 1 :]]
        # A later checkpoint covers what an earlier one covered; nothing stands behind the last commit then.
        last = seq == len(history) - 1
        yield Rewrite(f"checkpoint {seq} gone", gone, (T, T, T) if last else (U, V, V))


EVERY: list[Callable[[list[Entry]], Iterator[Rewrite]]] = [moved, cut, edited, resigned, bodied, sealed]


def every(fifty: Fifty) -> Iterator[Rewrite]:
    """All of these histories."""
    history = entries(fifty.bundle)
    for change in EVERY:
        yield from change(history)


def kind(one: Rewrite) -> str:
    """What was done, without where."""
    return " ".join(word for word in one.what.split(" (")[0].split() if not word.isdigit())
