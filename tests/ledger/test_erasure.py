"""Bodies that were erased: gone from the store and its files, and everything else as it was."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from evidence.audit import replay
from ledger import standalone
from ledger.erasure import SHORTEST, Again, Erased, erase, erased
from ledger.sqlite import SqliteLedger
from ledger.sqlite_readonly import open_readonly
from schemas.canonical import digest_bytes
from schemas.errors import AmbiguousError, ConflictError, InvalidError, NotFoundError
from schemas.ledger import LedgerRecord, read_raw
from schemas.ledger_erasure import ERASURE, KEPT
from tests.ledger.carried import live
from tests.ledger.steps import Begin, append, edit, name_of, step, stored
from tests.ledger.steps import begin as begin_file
from tests.world import open_ledger

MARKER = "机密MARKER"
LARGE = f'"{f"{MARKER} 及其余" * 2_000}"'.encode()


def records(path: Path) -> list[LedgerRecord]:
    """Every record of a ledger file."""
    return [read_raw(raw) for _, raw in stored(open_readonly(path))]


def of_kind(path: Path, kind: str, place: int = 0) -> LedgerRecord:
    """One record of that kind."""
    return [one for one in records(path) if one.kind == kind][place]


def judged(path: Path) -> tuple[list[str], list[int], list[int]]:
    """What both verifiers say of it, which is the same: what is broken, what was erased, what hangs on it."""
    with open_readonly(path).read() as reader:
        told = replay(reader)
    report = standalone.verify(path)
    fields = [finding.field for finding in told.findings]
    assert bool(report["findings"]) == bool(fields)
    assert (told.erased, told.not_derived) == (report["erased"], report["not_derived"])
    return fields, told.erased, told.not_derived


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger of one blocked plan and one whole life."""
    place = tmp_path / "l.sqlite3"
    with closing(open_ledger(place)) as ledger:
        live(ledger)
    return place


@pytest.fixture
def ledger(path: Path) -> Iterator[SqliteLedger]:
    with closing(open_ledger(path)) as held:
        yield held


FIELDS = {
    "request_id": ("plan.created", 1),
    "plan_id": ("plan.created", 1),
    "receipt_digest": ("receipt.observed", 0),
    "admission_id": ("admission.decided", 0),
}


@pytest.mark.parametrize("field", FIELDS)
def test_the_bodies_of_all_records_about_an_id_go_and_the_records_stay(
    path: Path, ledger: SqliteLedger, field: str
) -> None:
    before = stored(ledger)
    identity = str(getattr(of_kind(path, *FIELDS[field]).subject, field))
    done = erase(ledger, identity, "asked for", "keeper")
    after = stored(ledger)
    assert after[: len(before)] == before
    assert [read_raw(raw).kind for _, raw in after[len(before) :]] == ["schema.registered", ERASURE]
    about = [
        one for one in records(path) if one.subject.ids().get(field) == identity and one.kind not in KEPT
    ]
    assert done.record is not None
    assert (done.field, done.id, done.bodies) == (field, identity, len({one.body.digest for one in about}))
    assert (done.record.record.subject.ids(), done.left) == ({field: identity}, None)
    with ledger.read() as reader:
        assert set(erased(reader)) == {one.body.digest for one in about}
        assert set(erased(reader).values()) == {done.record.seq}
        assert all(reader.body(one.body.digest) is None for one in about)
        rest = [one for one in records(path) if one not in about]
        assert all(reader.body(one.body.digest) is not None for one in rest)
    broken, gone, _ = judged(path)
    assert (broken, gone) == ([], [one.seq for one in about])


def test_what_hangs_on_an_erased_receipt_is_not_derived_and_all_else_is(
    path: Path, ledger: SqliteLedger
) -> None:
    second = of_kind(path, "admission.decided", 1).subject
    erase(ledger, str(second.admission_id), "asked for", "keeper")
    about = [one for one in records(path) if one.subject.receipt_digest == second.receipt_digest]
    gone = [one.seq for one in about if one.subject.admission_id == second.admission_id]
    assert judged(path) == ([], gone, [one.seq for one in about if one.seq not in gone])
    with ledger.read() as reader:
        assert (replay(reader).plans, replay(reader).receipts) == (2, 0)


def test_a_plan_is_found_by_the_beginning_of_its_id_if_only_one_begins_so(
    path: Path, ledger: SqliteLedger
) -> None:
    identity = str(of_kind(path, "plan.created").subject.plan_id)
    digits = identity.partition(":")[2]
    for asked in ("", digits[: SHORTEST - 1], "zzzz", "blake3:" + "0" * 64, MARKER):
        with pytest.raises(NotFoundError, match="begins with"):
            erase(ledger, asked, "asked for", "keeper")
    assert erase(ledger, digits[:12], "asked for", "keeper").id == identity


def test_a_beginning_that_two_ids_have_is_refused_and_nothing_is_erased(tmp_path: Path) -> None:
    starts = [name_of(number).partition(":")[2][:SHORTEST] for number in range(1_000)]
    start = next(one for one in starts if starts.count(one) > 1)
    first, second, *_ = (number for number, one in enumerate(starts) if one == start)
    with closing(begin_file(tmp_path / "l.sqlite3")) as ledger:
        append(ledger, step(first), step(second))
        before = stored(ledger)
        with pytest.raises(AmbiguousError, match="the start of 2 or more ids"):
            erase(ledger, start, "asked for", "keeper")
        assert stored(ledger) == before


def test_an_index_that_somebody_edited_keeps_no_body_from_going(tmp_path: Path) -> None:
    ledger = begin_file(tmp_path / "l.sqlite3")
    append(ledger, step(1), step(2), step(1, "receipt.observed", b'{"receipt":1}', "receipt"))
    edit(tmp_path / "l.sqlite3", "UPDATE subjects SET seq = 5 - seq WHERE seq IN (2, 3)")
    done = erase(ledger, name_of(1), "asked for", "me")
    ledger.close()
    assert done.bodies == 2
    with closing(sqlite3.connect(tmp_path / "l.sqlite3")) as connection:
        held = connection.execute("SELECT bytes FROM bodies WHERE length(bytes) > 0").fetchall()
    assert (b'{"receipt":1}',) not in held
    assert (b'{"plan":2}',) in held


def test_to_erase_again_does_nothing_and_says_so(path: Path, ledger: SqliteLedger) -> None:
    identity = str(of_kind(path, "receipt.observed").subject.receipt_digest)
    erase(ledger, identity, "asked for", "keeper")
    before = stored(ledger)
    done = erase(ledger, identity, "asked for", "keeper")
    assert done == Erased("receipt_digest", identity, None, 0, Again(), None)
    assert stored(ledger) == before


def test_a_body_that_comes_back_breaks_a_rule_until_it_is_erased_again(
    path: Path, ledger: SqliteLedger
) -> None:
    record = of_kind(path, "receipt.observed")
    with ledger.read() as reader:
        body = reader.body(record.body.digest)
    identity = str(record.subject.receipt_digest)
    erase(ledger, identity, "asked for", "keeper")
    before = stored(ledger)
    key = bytes.fromhex(record.body.digest.partition(":")[2])
    edit(path, "UPDATE bodies SET bytes = ? WHERE digest = ?", body, key)
    assert standalone.verify(path)["verdict"] == "RULE-BROKEN"
    assert judged(path)[0] == ["body"]
    assert erase(ledger, identity, "asked for", "keeper").bodies == 1
    assert stored(ledger) == before
    assert judged(path)[0] == []


def test_a_body_without_its_row_is_as_gone_and_cannot_be_appended_after_it_was_erased(
    tmp_path: Path,
) -> None:
    path = tmp_path / "l.sqlite3"
    with closing(begin_file(path)) as ledger:
        append(ledger, step(1, body=LARGE))
        edit(path, "DELETE FROM bodies WHERE digest = ?", bytes.fromhex(digest_bytes(LARGE)[7:]))
        assert erase(ledger, name_of(1), "asked for", "keeper").bodies == 0
        with pytest.raises(ConflictError, match="was erased is not taken again"):
            append(ledger, step(2, body=LARGE))


def test_in_each_store_who_appends_an_erased_body_is_refused_and_the_log_goes_on(
    tmp_path: Path, begin: Begin
) -> None:
    with closing(begin(tmp_path / "l.sqlite3")) as ledger:
        first, _ = ledger.append(step(1, body=LARGE), step(2))
        done = erase(ledger, name_of(1), "asked for", "keeper")
        assert (done.bodies, done.record and done.record.seq) == (1, 4)
        before = stored(ledger)
        with pytest.raises(ConflictError, match="was erased is not taken again"):
            ledger.append(step(3), step(4, body=LARGE))
        assert stored(ledger) == before
        [again] = ledger.append(step(1, body=LARGE))
        assert (again.seq, again.repeated) == (first.seq, True)
        ledger.append(step(5))
        assert erase(ledger, name_of(1), "asked for", "keeper").bodies == 0
        with ledger.read() as reader:
            assert reader.body(digest_bytes(LARGE)) is None
            assert erased(reader) == {digest_bytes(LARGE): 4}
            assert list(reader.index_breaks()) == []


def test_one_refusal_inside_a_transaction_leaves_the_rest_of_it_whole(tmp_path: Path) -> None:
    with closing(begin_file(tmp_path / "l.sqlite3")) as ledger:
        append(ledger, step(1, body=LARGE))
        erase(ledger, name_of(1), "asked for", "keeper")
        with ledger.write() as writer:
            with pytest.raises(ConflictError):
                writer.append(step(4, body=LARGE))
            writer.append(step(5))
        with ledger.read() as reader:
            assert list(reader.index_breaks()) == []


@pytest.mark.parametrize("reason", ["", " ", "x" * 1001, "a\x00b"])
def test_a_reason_that_cannot_be_recorded_is_refused_and_nothing_is_erased(
    path: Path, ledger: SqliteLedger, reason: str
) -> None:
    before = stored(ledger)
    with pytest.raises(InvalidError, match=r"erased\.reason"):
        erase(ledger, str(of_kind(path, "plan.created").subject.plan_id), reason, "keeper")
    assert stored(ledger) == before
    assert judged(path)[1] == []


def holding(folder: Path, text: bytes = MARKER.encode()) -> list[str]:
    """The files of a folder that hold the text anywhere."""
    return sorted(one.name for one in folder.rglob("*") if one.is_file() and text in one.read_bytes())


def test_no_byte_of_an_erased_body_is_left_in_any_file(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    with closing(begin_file(path)) as ledger:
        # Small ones first: where their page becomes the root of a tree, copies of them stay behind in it.
        for number in range(40):
            append(ledger, step(number, body=b'{"a":"%s %d"}' % (MARKER.encode() * 9, number)))
    with closing(begin_file(path)) as ledger:
        append(ledger, step(41, body=LARGE), step(42))
        assert holding(tmp_path) == ["l.sqlite3", "l.sqlite3-wal"]
        for number in (*range(40), 41):
            assert erase(ledger, name_of(number), "asked for", "keeper").left is None
        assert holding(tmp_path) == []
        append(ledger, step(43))
        assert holding(tmp_path) == []
    assert holding(tmp_path) == []


def test_what_a_careless_sqlite_left_in_free_pages_goes_too(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    with closing(begin_file(path)) as ledger:
        append(ledger, step(1))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = OFF")
        for number in range(9):
            connection.execute("INSERT INTO bodies VALUES (?, ?)", (b"%d" % number, LARGE))
        connection.execute("DELETE FROM bodies WHERE length(digest) < 32")
    assert holding(tmp_path) == ["l.sqlite3"]
    with closing(begin_file(path)) as ledger:
        assert erase(ledger, name_of(1), "asked for", "keeper").left is None
        assert holding(tmp_path) == []


def test_a_reader_in_the_way_is_told_and_the_same_command_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    with closing(begin_file(path, timeout_seconds=0.1)) as ledger:
        append(ledger, step(1, body=LARGE))
        with closing(begin_file(path)) as other, other.read() as reader:
            assert reader.body(digest_bytes(LARGE)) == LARGE
            done = erase(ledger, name_of(1), "asked for", "keeper")
            assert done.bodies == 1
            assert str(done.left).endswith(
                "is being read; bytes of before stay until nobody does: say the command again"
            )
            assert reader.body(digest_bytes(LARGE)) == LARGE
        assert holding(tmp_path) != []
        assert erase(ledger, name_of(1), "asked for", "keeper").left is None
        assert holding(tmp_path) == []


def test_a_file_that_cannot_be_written_anew_is_told(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    with closing(begin_file(path, timeout_seconds=0.1)) as ledger:
        with closing(begin_file(path)) as other, other.write():
            assert "held by another writer" in str(ledger.scrub())
        assert ledger.scrub() is None
        ledger.close()
        assert "was closed" in str(ledger.scrub())


def test_a_copy_from_before_holds_what_was_erased_and_without_a_key_nothing_tells(
    path: Path, ledger: SqliteLedger, tmp_path: Path
) -> None:
    ledger.close()
    backup = tmp_path / "backup"
    shutil.copyfile(path, backup)
    identity = str(of_kind(path, "receipt.observed").subject.receipt_digest)
    with closing(open_ledger(path)) as held:
        erase(held, identity, "asked for", "keeper")
    shutil.copyfile(backup, path)
    assert judged(path)[1] == []
    with closing(open_ledger(path)) as held:
        assert erase(held, identity, "asked for again", "keeper").bodies > 0
    assert judged(path)[1] != []


def test_the_file_is_a_ledger_as_before_when_it_was_written_anew(path: Path, ledger: SqliteLedger) -> None:
    erase(ledger, str(of_kind(path, "plan.created", 1).subject.request_id), "asked for", "keeper")
    append(ledger, step(7, "policy.changed"))
    ledger.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert judged(path)[0] == []
