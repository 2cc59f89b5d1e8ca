"""Every edit of stored bytes breaks the chain at a place that has a name."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.chain import Break, links
from ledger.sqlite_readonly import open_readonly
from ledger.store import Head, compose
from schemas.canonical import digest_bytes
from schemas.dates import instant
from schemas.ledger import read_raw, record_id
from tests.ledger.steps import OPENING, START, made, step, stored

Records = list[tuple[int, bytes]]


def chain(length: int) -> Records:
    """A sound chain made without a store."""
    found: Records = []
    head = None
    for number in range(length):
        draft = step(number) if number else OPENING.draft("tests.example/log")
        body, at = digest_bytes(draft.body), instant(START)
        raw = compose(draft, draft.idem(), body, "tests.example/log", head, at)
        found.append((number, raw))
        head = Head("tests.example/log", number, record_id(raw))
    return found


def breaks(records: Records) -> list[tuple[int, str]]:
    return [(found.seq, found.field) for link in links(records) for found in link.breaks]


def changed(records: Records, at: int, **fields: object) -> Records:
    """The chain with one record written anew with other fields."""
    raw = read_raw(records[at][1]).replace(**fields).canonical()
    return [*records[:at], (at, raw), *records[at + 1 :]]


def test_a_sound_chain_has_no_break_and_every_link_its_record(tmp_path: Path) -> None:
    records = stored(open_readonly(made(tmp_path / "l.sqlite3", 20)))
    walked = list(links(records))
    assert [(link.seq, link.raw) for link in walked] == records
    assert [link.id for link in walked] == [record_id(raw) for _, raw in records]
    assert [link.record for link in walked] == [read_raw(raw) for _, raw in records]
    assert breaks(records) == breaks(chain(20)) == breaks([]) == []


@given(data=st.data())
def test_any_changed_byte_is_found_there_or_right_after(data: st.DataObject) -> None:
    records = chain(5)
    at = data.draw(st.integers(0, 3))
    raw = bytearray(records[at][1])
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    records[at] = (at, bytes(raw))
    found = breaks(records)
    assert found
    assert found[0][0] in {at, at + 1}


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        (changed(chain(4), 2, actor="other"), [(3, "prev")]),
        (changed(chain(4), 2, seq=1), [(2, "seq"), (3, "prev")]),
        (changed(chain(4), 2, log="other.example"), [(2, "log"), (3, "prev")]),
        (changed(chain(4), 3, prev="blake3:" + "0" * 64), [(3, "prev")]),
        (changed(chain(4), 3, idem=step(1).idem()), [(3, "idem")]),
        ([*chain(4)[:2], *chain(4)[3:]], [(3, "seq"), (3, "prev")]),
        (chain(4)[1:], [(1, "seq"), (1, "prev")]),
        ([*chain(3), (3, chain(3)[1][1])], [(3, "seq"), (3, "prev"), (3, "idem")]),
        ([*chain(2), (2, b"{}"), *chain(4)[3:]], [(2, "v"), (3, "prev")]),
        ([(0, b"")], [(0, "record")]),
    ],
)
def test_a_break_is_named_by_place_and_field(records: Records, expected: list[tuple[int, str]]) -> None:
    assert breaks(records) == expected


def test_a_break_says_what_was_expected_and_what_was_found() -> None:
    records = changed(chain(3), 1, actor="other")
    stated = read_raw(records[2][1]).prev
    [found] = [found for link in links(records) for found in link.breaks]
    assert found == Break(
        2,
        "prev",
        "prev is the id of the record before it; one of the two was changed",
        record_id(records[1][1]),
        stated or "",
    )
