"""Look-up columns are derived; one that lies is found from the stored bytes (ledger.md, the one rule)."""

from contextlib import closing
from itertools import combinations
from pathlib import Path

import pytest

from ledger.sqlite_readonly import open_readonly
from ledger.store import registration
from schemas.errors import IntegrityError
from tests.ledger.steps import append, begin, edit, step


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed ledger of three steps and a registered schema."""
    ledger = begin(tmp_path / "l.sqlite3")
    append(ledger, step(1), step(2), registration("me", "plan_v0", b"{}"), step(3))
    ledger.close()
    return tmp_path / "l.sqlite3"


def breaks(path: Path) -> list[tuple[int, str]]:
    with open_readonly(path).read() as reader:
        return [(found.seq, found.field) for found in reader.index_breaks()]


def test_what_the_store_derives_is_what_the_bytes_say(path: Path) -> None:
    assert breaks(path) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("UPDATE records SET prev = x'00' WHERE seq = 2", [(2, "prev")]),
        ("UPDATE records SET idem = x'00' WHERE seq = 2", [(2, "idem")]),
        ("UPDATE records SET idem = 'text' WHERE seq = 2", [(2, "idem")]),
        ("UPDATE records SET kind = 'plan.forgotten' WHERE seq = 1", [(1, "kind")]),
        ("UPDATE subjects SET field = 'request_id' WHERE seq = 1", [(1, "subject"), (4, "subjects")]),
        ("DELETE FROM subjects WHERE seq = 2", [(2, "subject")]),
        ("INSERT INTO subjects VALUES ('ab', 'blake3', 'plan_id', 2)", [(4, "subjects")]),
        ("INSERT INTO subjects VALUES ('ab', 'blake3', 'plan_id', 99)", [(4, "subjects")]),
        ("DELETE FROM schemas", [(4, "schemas")]),
        ("INSERT INTO schemas VALUES ('plan_v1', x'00')", [(4, "schemas")]),
        ("INSERT INTO schemas VALUES ('plan_v1', 5)", [(4, "schemas")]),
        ("UPDATE head SET digest = x'00'", [(4, "head")]),
        ("UPDATE head SET digest = 'text'", [(4, "head")]),
        ("UPDATE head SET seq = 3", [(4, "head")]),
        ("DELETE FROM head", [(4, "head")]),
        ("DELETE FROM records WHERE seq = 4", [(3, "head"), (3, "subjects"), (3, "body")]),
        ("DELETE FROM records WHERE seq = 1", [(4, "subjects"), (4, "body")]),
        ("DELETE FROM records", [(0, name) for name in ("head", "schemas", "subjects", *["body"] * 5)]),
        # The chain tells of a record that cannot be read; the last one is not what the head says either.
        ("UPDATE records SET raw = x'7b7d' WHERE seq = 2", [(2, "tree")]),
        ("UPDATE records SET raw = x'7b7d' WHERE seq = 4", [(4, "tree"), (4, "head")]),
        ("UPDATE records SET tree = x'' WHERE seq = 1", [(1, "tree")]),
        ("UPDATE records SET tree = 'text' WHERE seq = 3", [(3, "tree")]),
        ("UPDATE records SET tree = zeroblob(96) WHERE seq = 3", [(3, "tree")]),
        ("INSERT INTO checkpoints VALUES (3, x'00')", [(2, "checkpoint")]),
        ("INSERT INTO checkpoints VALUES (0, x'00')", [(0, "checkpoints")]),
        ("INSERT INTO checkpoints VALUES (-1, x'00')", [(0, "checkpoints")]),
        ("INSERT INTO checkpoints VALUES (6, x'00')", [(4, "checkpoint")]),
    ],
)
def test_a_derived_row_that_lies_is_named(path: Path, change: str, expected: list[tuple[int, str]]) -> None:
    edit(path, change)
    assert breaks(path) == expected


def test_two_steps_that_are_looked_up_in_each_others_place_are_named_by_every_look(tmp_path: Path) -> None:
    ledger = begin(tmp_path / "l.sqlite3")
    append(ledger, *map(step, range(1, 9)))
    ledger.close()
    for one, other in combinations(range(1, 9), 2):
        swapped = f"UPDATE subjects SET seq = {one + other} - seq WHERE seq IN ({one}, {other})"  # noqa: S608
        edit(tmp_path / "l.sqlite3", swapped)
        assert breaks(tmp_path / "l.sqlite3")[:2] == [(one, "subject"), (other, "subject")]
        edit(tmp_path / "l.sqlite3", swapped)
        assert breaks(tmp_path / "l.sqlite3") == []


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM records WHERE seq = {last}",
        "DELETE FROM head",
        "UPDATE head SET digest = x'00'",
        "UPDATE records SET raw = CAST(replace(raw, '\"me\"', '\"xx\"') AS BLOB) WHERE seq = {last}",
    ],
)
@pytest.mark.parametrize("known", [True, False])
def test_nothing_is_appended_where_the_last_record_was_cut_off_or_changed(
    path: Path, change: str, known: bool
) -> None:
    with closing(begin(path)) as ledger:
        if known:
            append(ledger, step(4))
        edit(path, change.format(last=5 if known else 4))
        with pytest.raises(IntegrityError):
            append(ledger, step(9))
