"""The histories of `histories` that lost their end as well: a cut excuses nothing that it cannot explain."""

import json
import sqlite3
from base64 import b64decode, b64encode
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ledger.bundle import write_bundle
from ledger.forms import open_log
from schemas.canonical import canonical, digest_bytes
from schemas.ledger import read_raw
from tests.audit.histories import (
    C,
    Change,
    History,
    N,
    T,
    body_edited,
    clean,
    dropped,
    edited,
    garbage,
    other_key,
    unsaid,
)
from tests.ledger.steps import edit


def shortened(copy: Path, size: int) -> None:
    """The file without its last bytes."""
    copy.write_bytes(copy.read_bytes()[:-size])


def one_byte_less(change: Change) -> Change:
    """That change, and the last byte is gone."""

    def both(history: History, copy: Path) -> None:
        change(history, copy)
        shortened(copy, 1)

    both.__name__ = f"{change.__name__}_and_cut"
    return both


def body_under_its_new_digest(history: History, copy: Path) -> None:
    """One letter of a decision, stored under the digest that it has now."""
    clean(history, copy)
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        query = "SELECT rowid, bytes FROM bodies WHERE instr(bytes, 'fits') LIMIT 1"
        [(row, body)] = connection.execute(query).fetchall()
        other = body.replace(b"fits", b"fitS")
        values = (bytes.fromhex(digest_bytes(other)[7:]), other, row)
        connection.execute("UPDATE bodies SET digest = ?, bytes = ? WHERE rowid = ?", values)


def body_under_its_new_digest_and_half_cut(history: History, copy: Path) -> None:
    """The same, and records are lost with the end."""
    body_under_its_new_digest(history, copy)
    shortened(copy, 14_000)


def body_as_text_and_cut(history: History, copy: Path) -> None:
    """A body is no bytes any more."""
    clean(history, copy)
    edit(copy, "UPDATE bodies SET bytes = CAST(bytes AS TEXT) WHERE rowid = 5")
    shortened(copy, 1)


def note_as_text_and_cut(history: History, copy: Path) -> None:
    """A checkpoint is no bytes any more."""
    clean(history, copy)
    edit(copy, "UPDATE checkpoints SET note = CAST(note AS TEXT) WHERE size = 5")
    shortened(copy, 1)


def zeros_in_a_body_and_cut(history: History, copy: Path) -> None:
    """Zeros in a body that lies on its page whole are no zeros of a lost page."""
    clean(history, copy)
    edit(copy, "UPDATE bodies SET bytes = replace(bytes, 'fits', x'66697400')")
    shortened(copy, 1)


def body_of_nobody_and_half_cut(history: History, copy: Path) -> None:
    """A body under a digest that is not its own, of which no record speaks, and records are lost."""
    clean(history, copy)
    edit(copy, "UPDATE bodies SET digest = zeroblob(32) WHERE rowid = 5")
    shortened(copy, 14_000)


def head_of_more_and_cut(history: History, copy: Path) -> None:
    """The last record is deleted, and the head still names it."""
    clean(history, copy)
    edit(copy, "DELETE FROM records WHERE seq = 22")
    shortened(copy, 1)


def other_key_and_cut(history: History, copy: Path) -> None:
    """The whole life again with another key, without its last bytes."""
    other_key(history, copy)
    shortened(copy, 1000)


def first_hundred_bytes(history: History, copy: Path) -> None:
    """Nothing is left but the header."""
    copy.write_bytes(history.ledger.read_bytes()[:100])


def less_than_a_header(history: History, copy: Path) -> None:
    """Not even that."""
    copy.write_bytes(history.ledger.read_bytes()[:99])


def cut_of_another_program(history: History, copy: Path) -> None:
    """A file of another program that lost its end."""
    clean(history, copy)
    edit(copy, "PRAGMA application_id = 7")
    shortened(copy, 1)


def other_tables_and_cut(history: History, copy: Path) -> None:
    """A ledger with one more table that lost its end."""
    clean(history, copy)
    edit(copy, "CREATE TABLE more (x)")
    shortened(copy, 1)


Lines = list[bytes]


def carried(change: Callable[[Lines], Lines], name: str) -> Change:
    """A bundle without its end, after that change of its lines."""

    def both(history: History, copy: Path) -> None:
        with open_log(history.ledger).read() as reader, copy.open("wb") as out:
            write_bundle(reader, out)
        lines = copy.read_bytes().splitlines(keepends=True)
        copy.write_bytes(b"".join(change(lines)[:-1]))

    both.__name__ = f"bundle_{name}"
    return both


def held(lines: Lines, kind: str, mark: bytes = b"") -> list[int]:
    """The places of the lines of that kind whose content has the mark."""
    values = (json.loads(line).get(kind) for line in lines)
    return [at for at, text in enumerate(values) if isinstance(text, str) and mark in b64decode(text)]


def with_another_body(lines: Lines) -> Lines:
    """The reason of the first decision."""
    at = held(lines, "body", b"fits")[0]
    body = b64decode(json.loads(lines[at])["body"]).replace(b"fits", b"fitS")
    lines[at] = canonical({"body": b64encode(body).decode()}) + b"\n"
    return lines


def with_a_body_twice(lines: Lines) -> Lines:
    """The first body again, in front of the second."""
    one, two, *_ = held(lines, "body")
    return [*lines[:two], lines[one], *lines[two:]]


def without_a_body(lines: Lines) -> Lines:
    """A body that may have been erased is gone: the lost end may have told so."""
    del lines[held(lines, "body", b"fits")[0]]
    return lines


def without_a_schema(lines: Lines) -> Lines:
    """A body that is never erased is gone."""
    del lines[held(lines, "body")[1]]
    return lines


def with_a_body_last(lines: Lines) -> Lines:
    """Cut right behind a body: its record is lost."""
    return lines[: held(lines, "body")[-1] + 2]


def with_an_edited_record(lines: Lines) -> Lines:
    """Another actor in a record."""
    at = held(lines, "record")[9]
    record = read_raw(b64decode(json.loads(lines[at])["record"]))
    raw = record.replace(actor="somebody-else").canonical()
    lines[at] = canonical({"record": b64encode(raw).decode()}) + b"\n"
    return lines


# As MATRIX: the word with nothing to compare with, with a policy, with a checkpoint kept before the change.
CUTS: list[tuple[Change, str, str, str]] = [
    (one_byte_less(clean), N, N, N),
    (one_byte_less(edited), T, T, T),
    (one_byte_less(body_edited), T, T, T),
    (one_byte_less(dropped), T, T, T),
    (one_byte_less(unsaid), T, T, T),
    (one_byte_less(body_under_its_new_digest), T, T, T),
    (one_byte_less(garbage), C, C, C),
    (body_under_its_new_digest_and_half_cut, T, T, T),
    (body_as_text_and_cut, T, T, T),
    (note_as_text_and_cut, T, T, T),
    (zeros_in_a_body_and_cut, T, T, T),
    (body_of_nobody_and_half_cut, T, T, T),
    (head_of_more_and_cut, T, T, T),
    (other_key_and_cut, N, T, T),
    (first_hundred_bytes, N, N, N),
    (less_than_a_header, C, C, C),
    (cut_of_another_program, C, C, C),
    (other_tables_and_cut, T, T, T),
    (carried(lambda lines: lines, "without_its_end"), N, N, N),
    (carried(with_another_body, "with_another_body"), T, T, T),
    (carried(with_a_body_twice, "with_a_body_twice"), T, T, T),
    (carried(without_a_body, "without_a_body"), N, N, N),
    (carried(without_a_schema, "without_a_schema"), T, T, T),
    (carried(with_a_body_last, "with_a_body_last"), N, N, N),
    (carried(with_an_edited_record, "with_an_edited_record"), T, T, T),
]
