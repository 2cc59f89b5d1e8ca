"""What a store promises: append once, look up, all or nothing (ledger.md sections 1 and 3)."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ledger.chain import links
from ledger.sqlite import SqliteLedger
from ledger.store import MOST_BODY_BYTES, Draft, Opening, registration
from schemas.canonical import digest_bytes
from schemas.errors import BusyError, ConflictError, IntegrityError, InvalidError, NotReadyError, UsageError
from schemas.ledger import OPENED, LedgerOpened, Subject, read_raw, record_id
from schemas.outside import parse
from tests.ledger.steps import OPENING, SCHEMA, Begin, Ticking, append, edit, made, name_of, step, stored
from tests.ledger.steps import begin as begin_file


def test_a_new_ledger_holds_one_record_that_says_what_it_is(tmp_path: Path, begin: Begin) -> None:
    ledger = begin(tmp_path / "l.sqlite3")
    [(seq, raw)] = stored(ledger)
    record = read_raw(raw)
    with ledger.read() as reader:
        body = reader.body(record.body.digest)
    assert (seq, record.seq, record.prev, record.kind, record.actor) == (
        0,
        0,
        None,
        "ledger.opened",
        "tester",
    )
    assert (record.schema.name, record.schema.digest) == (OPENED, SCHEMA)
    assert LedgerOpened.read(parse(body or b"")) == LedgerOpened(origin="tests.example/log", key=None)
    assert record.log == "tests.example/log"
    ledger.close()


def test_an_origin_that_nobody_chose_is_random_and_allowed(tmp_path: Path) -> None:
    logs = set()
    for name in ("a", "b"):
        ledger = SqliteLedger.open(tmp_path / name, Ticking(), create=Opening("tester", SCHEMA))
        logs.add(read_raw(stored(ledger)[0][1]).log)
        ledger.close()
    assert len(logs) == 2
    assert all(log.startswith("external-evidence/") and len(log) == 34 for log in logs)


def test_a_step_is_chained_to_the_one_before_and_says_who_and_when(tmp_path: Path, begin: Begin) -> None:
    ledger = begin(tmp_path / "l.sqlite3")
    first, second = append(ledger, step(1), step(2, actor="other"))
    raws = [raw for _, raw in stored(ledger)]
    assert (first.seq, second.seq) == (1, 2)
    assert (first.record.prev, second.record.prev) == (record_id(raws[0]), first.id)
    assert [record_id(raw) for raw in raws[1:]] == [first.id, second.id]
    assert [read_raw(raw) for raw in raws[1:]] == [first.record, second.record]
    assert first.record.at < second.record.at
    assert (first.record.actor, second.record.actor) == ("me", "other")
    assert not first.repeated
    ledger.close()


def test_the_same_step_again_is_the_first_one_also_after_a_restart(tmp_path: Path, begin: Begin) -> None:
    path = tmp_path / "l.sqlite3"
    ledger = begin(path)
    [first] = append(ledger, step(1))
    again = append(ledger, step(1), step(1))
    ledger.close()
    ledger = begin(path)
    again += append(ledger, step(1))
    assert again == [first._replace(repeated=True)] * 3
    assert len(stored(ledger)) == 2
    ledger.close()


@pytest.mark.parametrize(
    "other",
    [
        step(1, body=b'{"plan":"another"}'),
        step(1, kind="execution.started"),
        step(1)._replace(schema_name="plan_v1"),
        step(1)._replace(schema_digest=digest_bytes(b"another schema")),
    ],
)
def test_the_same_key_with_other_content_is_a_conflict(tmp_path: Path, begin: Begin, other: Draft) -> None:
    ledger = begin(tmp_path / "l.sqlite3")
    [first] = append(ledger, step(1))
    with pytest.raises(ConflictError) as caught:
        append(ledger, other)
    assert caught.value.subject == first.id
    assert len(stored(ledger)) == 2
    ledger.close()


@pytest.mark.parametrize(
    "other", [step(1, command="plan again"), step(1, actor="other"), step(2, body=b"{}")]
)
def test_another_key_is_another_record(tmp_path: Path, begin: Begin, other: Draft) -> None:
    ledger = begin(tmp_path / "l.sqlite3")
    assert [done.seq for done in append(ledger, step(1), other)] == [1, 2]
    ledger.close()


@pytest.mark.parametrize(
    ("draft", "subject"),
    [
        (step(1, kind="plan.crated"), "record.kind"),
        (step(1, actor="no spaces"), "record.actor"),
        (step(1)._replace(schema_name="Plan"), "schema.name"),
        (step(1)._replace(schema_digest="sha256:" + "0" * 64), "schema.digest"),
        (step(1, body=bytes(MOST_BODY_BYTES + 1)), "body.size"),
        (registration("me", "plan_v0", b"{}")._replace(schema_digest=SCHEMA), "schema.digest"),
    ],
)
def test_a_step_that_cannot_be_a_record_is_refused_before_writing(
    tmp_path: Path, begin: Begin, draft: Draft, subject: str
) -> None:
    ledger = begin(tmp_path / "l.sqlite3")
    with pytest.raises(InvalidError) as caught:
        append(ledger, draft)
    assert caught.value.subject == subject
    assert len(stored(ledger)) == 1
    ledger.close()


def test_nothing_is_kept_of_a_transaction_that_ends_in_an_exception(tmp_path: Path, begin: Begin) -> None:
    ledger = begin(tmp_path / "l.sqlite3")

    def give_up() -> None:
        with ledger.write() as writer:
            assert writer.raw(writer.append(step(1)).seq) is not None
            raise NotReadyError("not now")

    with pytest.raises(NotReadyError):
        give_up()
    with ledger.read() as reader:
        assert reader.raw(1) is None
        assert reader.body(digest_bytes(step(1).body)) is None
        assert reader.of_subject(name_of(1)) == []
    assert append(ledger, step(1))[0].repeated is False
    ledger.close()


def test_a_reader_keeps_its_sight_while_a_writer_goes_on(tmp_path: Path, begin: Begin) -> None:
    ledger = begin(tmp_path / "l.sqlite3")
    with ledger.read() as before, ledger.write() as writer:
        writer.append(step(1))
        assert before.head() is not None
        with ledger.read() as during:
            assert len(list(during.records())) == 1
        assert len(list(writer.records())) == 2
    with ledger.read() as old:
        assert len(list(old.records())) == 2
        append(ledger, step(2))
        assert len(list(old.records())) == 2
        head = old.head()
    assert head is not None
    assert head.seq == 1
    assert len(stored(ledger)) == 3
    ledger.close()


def test_many_records_stream_in_order_from_any_place(tmp_path: Path, begin: Begin) -> None:
    ledger = begin(tmp_path / "l.sqlite3")
    append(ledger, *(step(number) for number in range(600)))
    with ledger.read() as reader:
        assert [seq for seq, _ in reader.records()] == list(range(601))
        assert [seq for seq, _ in reader.records(after=598)] == [599, 600]
        assert list(reader.records(after=600)) == []
        assert reader.raw(601) is None
    assert not any(link.breaks for link in links(stored(ledger)))
    ledger.close()


def test_records_are_found_by_subject_in_any_field_and_by_kind(tmp_path: Path, begin: Begin) -> None:
    ledger = begin(tmp_path / "l.sqlite3")
    both = Subject(plan_id=name_of(1), request_id=name_of(2))
    append(
        ledger,
        step(1),
        step(2, kind="execution.started"),
        step(3)._replace(subject=both),
        step(4, kind="execution.started"),
    )
    with ledger.read() as reader:
        assert [seq for seq, _ in reader.of_subject(name_of(1))] == [1, 3]
        assert [seq for seq, _ in reader.of_subject(name_of(2))] == [2, 3]
        assert reader.of_subject(name_of(9)) == reader.of_subject("no id") == []
        assert [seq for seq, _ in reader.of_kind("execution.started")] == [2, 4]
        assert reader.latest("execution.started") == (4, reader.raw(4))
        assert reader.latest("evidence.retired") is None
    ledger.close()


def test_short_ids_find_whole_ones_with_and_without_their_algorithm(tmp_path: Path, begin: Begin) -> None:
    ledger = begin(tmp_path / "l.sqlite3")
    digits = name_of(1).partition(":")[2]
    subject = Subject(plan_id=name_of(1), receipt_digest=name_of(1), request_id=f"sha256:{digits}")
    append(ledger, step(1)._replace(subject=subject), *(step(number) for number in range(2, 60)))
    three = [
        ("plan_id", name_of(1)),
        ("receipt_digest", name_of(1)),
        ("request_id", f"sha256:{digits}"),
    ]
    with ledger.read() as reader:
        assert reader.ids_like(digits[:12]) == reader.ids_like(digits) == three
        assert reader.ids_like(f"blake3:{digits[:12]}") == three[:2]
        assert reader.ids_like(digits[:12], "receipt_digest") == three[1:2]
        assert reader.ids_like(f"sha256:{digits[:12]}", "plan_id") == []
        for nothing in ("", "blake3:", "xyz", "%", digits + "0", "md5:" + digits):
            assert reader.ids_like(nothing) == []
        assert all(1 <= len(reader.ids_like(digit)) <= 8 for digit in "0123456789abcdef")
    ledger.close()


def test_a_registered_schema_is_known_by_name_and_digest(tmp_path: Path, begin: Begin) -> None:
    ledger = begin(tmp_path / "l.sqlite3")
    document = b'{"title":"plan"}'
    known = digest_bytes(document)
    append(ledger, registration("me", "plan_v0", document), registration("other", "plan_v0", document))
    with ledger.read() as reader:
        assert reader.has_schema("plan_v0", known)
        assert not reader.has_schema("plan_v1", known)
        assert not reader.has_schema("plan_v0", SCHEMA)
        assert reader.body(known) == document
        for nothing in ("", "blake3:xyz", "a plan"):
            assert reader.body(nothing) is None
            assert not reader.has_schema("plan_v0", nothing)
    ledger.close()


def test_equal_bodies_are_kept_once(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    ledger = begin_file(path)
    done = append(ledger, *(step(number, body=b"{}") for number in range(5)))
    assert len({item.record.body.digest for item in done}) == 1
    ledger.close()
    with pytest.raises(IntegrityError):
        edit_and_read(
            path, "UPDATE bodies SET bytes = ? WHERE digest = ?", b"[]", key(done[0].record.body.digest)
        )


def key(digest: str) -> bytes:
    return bytes.fromhex(digest.partition(":")[2])


def edit_and_read(path: Path, sql: str, *values: object) -> None:
    """Damage a ledger, then use it in every way."""
    edit(path, sql, *values)
    ledger = begin_file(path)
    try:
        with ledger.write() as writer:
            for _, raw in writer.records():
                writer.body(read_raw(raw).body.digest)
            writer.append(step(77))
    finally:
        ledger.close()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE records SET raw = 'text' WHERE seq = 1",
        "UPDATE records SET raw = x'7b7d' WHERE seq = 3",
        "UPDATE records SET seq = 9 WHERE seq = 3",
        "DELETE FROM records",
        "UPDATE bodies SET bytes = 5",
    ],
)
def test_damage_behind_our_back_is_an_integrity_error(tmp_path: Path, damage: str) -> None:
    path = made(tmp_path / "l.sqlite3", 3)
    with pytest.raises(IntegrityError):
        edit_and_read(path, damage)


def test_a_fork_of_the_chain_is_refused_by_the_file_itself(tmp_path: Path) -> None:
    path = made(tmp_path / "l.sqlite3", 3)
    ledger = begin_file(path)
    head = record_id(stored(ledger)[-1][1])
    ledger.close()
    with pytest.raises(IntegrityError, match=r"UNIQUE constraint failed: records\.prev"):
        edit_and_read(path, "UPDATE records SET prev = ? WHERE seq = 1", key(head))


def test_an_erased_body_leaves_the_record_whole(tmp_path: Path) -> None:
    path = made(tmp_path / "l.sqlite3", 3)
    edit(path, "DELETE FROM bodies")
    ledger = begin_file(path)
    assert not any(link.breaks for link in links(stored(ledger)))
    with ledger.read() as reader:
        assert reader.body(digest_bytes(b'{"plan":1}')) is None
    ledger.close()


def test_threads_may_share_one_ledger(tmp_path: Path, begin: Begin) -> None:
    ledger = begin(tmp_path / "l.sqlite3")

    def work(worker: int) -> list[int]:
        return [append(ledger, step(number, actor=f"w{worker}"))[0].seq for number in range(20)]

    with ThreadPoolExecutor(4) as pool:
        seqs = [seq for found in pool.map(work, range(4)) for seq in found]
    assert sorted(seqs) == list(range(1, 81))
    assert not any(link.breaks for link in links(stored(ledger)))
    ledger.close()


def test_a_second_writer_waits_as_long_as_allowed_and_is_then_told(tmp_path: Path, begin: Begin) -> None:
    path = tmp_path / "l.sqlite3"
    patient = begin(path)
    hasty = begin(path, timeout_seconds=0.01)
    with patient.write() as writer:
        writer.append(step(1))
        with pytest.raises(BusyError) as caught, hasty.write():
            pass
        assert (caught.value.retryable, caught.value.exit_status) == (True, 75)
        assert len(stored(hasty)) == 1
    assert append(hasty, step(2))[0].seq == 2
    patient.close()
    hasty.close()


def test_a_view_is_refused_after_its_transaction_and_a_ledger_after_its_closing(tmp_path: Path) -> None:
    ledger = begin_file(tmp_path / "l.sqlite3")
    with ledger.write() as writer:
        rest = writer.records()
    for late in (lambda: next(rest), writer.head, lambda: writer.append(step(1))):
        with pytest.raises(UsageError):
            late()
    with ledger.read() as reader:
        ledger.close()
        ledger.close()
        assert reader.head() is not None
    with pytest.raises(UsageError), ledger.read():
        pass
    assert not (tmp_path / "l.sqlite3-wal").exists()


def test_the_opening_is_not_a_step_that_can_be_repeated_by_chance(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    begin_file(path).close()
    ledger = SqliteLedger.open(path, Ticking(), create=OPENING._replace(origin="another/log"))
    assert [read_raw(raw).log for _, raw in stored(ledger)] == ["tests.example/log"]
    ledger.close()


def test_writers_that_take_turns_grow_one_tree(tmp_path: Path, begin: Begin) -> None:
    one, other = begin(tmp_path / "l.sqlite3"), begin(tmp_path / "l.sqlite3")
    for number in range(12):
        append(one if number % 3 else other, step(number))
    # More than are caught up with at once.
    append(other, *(step(number) for number in range(20, 320)))
    assert append(one, step(400))[0].seq == 313
    with one.read() as reader:
        assert not list(reader.index_breaks())
    one.close()
    other.close()
