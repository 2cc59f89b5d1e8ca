"""What an audit says of keys, rotations, restorals and checkpoints that do not hold."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from evidence.audit import replay
from ledger.checkpoint import Checkpoint
from ledger.custody import restore, rotate
from ledger.keeping import registered
from ledger.keyring import (
    Period,
    check_restoral,
    check_rotation,
    key_at,
    periods,
    restoral_text,
    rotation_text,
    vouched,
    written,
)
from ledger.keys import Signer
from ledger.note import Note
from ledger.signature_check import signature_breaks
from ledger.sqlite import SqliteLedger
from ledger.sqlite_file import bring_up, connect
from ledger.sqlite_readonly import open_readonly
from ledger.store import Draft, registration
from schemas.canonical import canonical, digest_bytes
from schemas.errors import IntegrityError, InvalidError
from schemas.ledger import Subject, read_raw
from schemas.ledger_keys import KEY_ROTATED, LEDGER_RESTORED, KeyRotated, LedgerRestored
from schemas.published import schema_bytes
from schemas.record import Record
from tests.ledger.signing import ORIGIN, opened, signer, signing
from tests.ledger.steps import append, begin, edit, name_of, step
from tests.ledger.test_signed import findings, grown

ONE, TWO, THREE = signer(), signer(salt="2"), signer(salt="3")


Body = Callable[[int, str], dict[str, object]]


def custom(ledger: SqliteLedger, kind: str, body: Body, **more: Any) -> int:
    """Append a record of custody whose body is made from its seq and prev; its seq."""
    schema = KEY_ROTATED if kind == "key.rotated" else LEDGER_RESTORED
    document = schema_bytes(schema)
    with ledger.write() as writer:
        writer.append(registration("me", schema, document))
        head = writer.head()
        assert head is not None
        draft = Draft(
            kind, "me", "c", Subject(), schema, digest_bytes(document), canonical(body(head.seq + 1, head.id))
        )
        return writer.append(draft._replace(**more)).seq


def rotation(seq: int, prev: str, **changed: str) -> dict[str, object]:
    """A rotation from the first key to the second that holds, but for what is changed."""
    text = rotation_text(ORIGIN, seq, prev, str(TWO.verifier))
    body = KeyRotated(
        origin=ORIGIN,
        old_key=str(ONE.verifier),
        new_key=str(TWO.verifier),
        signature=written(ONE.sign(text)),
    )
    return {**body.to_wire(), **changed}


def restoral(seq: int, prev: str, **changed: str) -> dict[str, object]:
    """A restoral by the first key that holds, but for what is changed."""
    note = Checkpoint(ORIGIN, 99, bytes(32)).signed(ONE)
    text = restoral_text(ORIGIN, seq, prev, bytes(note).decode())
    body = LedgerRestored(
        origin=ORIGIN,
        key=str(ONE.verifier),
        published=bytes(note).decode(),
        reason="a disk failed",
        signature=written(ONE.sign(text)),
    )
    return {**body.to_wire(), **changed}


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    """A signed ledger of two records."""
    found = opened(tmp_path)
    append(found, step(1))
    yield found
    found.close()


def replayed(ledger: SqliteLedger) -> list[tuple[int, str]]:
    """What a replay finds."""
    with ledger.read() as reader:
        return [(one.seq, one.field) for one in replay(reader).findings]


def told(ledger: SqliteLedger) -> list[str]:
    """What is found wrong with the signatures."""
    with ledger.read() as reader:
        return [one.found for one in signature_breaks(reader)]


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"origin": "tests.example/x"}, "rotates"),
        ({"old_key": str(THREE.verifier)}, "rotates"),
        ({"new_key": str(THREE.verifier)}, "does not hold"),
        ({"signature": written(TWO.sign("x\n"))}, "is not one of"),
        ({"signature": "AAAA"}, "is not one of"),
        ({"signature": "AAA"}, "not base64"),
        ({"signature": "!"}, "rotation.signature"),
    ],
)
def test_a_rotation_that_the_old_key_did_not_sign_is_found(
    ledger: SqliteLedger, changed: dict[str, str], complaint: str
) -> None:
    custom(ledger, "key.rotated", lambda seq, prev: rotation(seq, prev, **changed))
    [found] = told(ledger)
    assert complaint in found


@pytest.mark.parametrize("new", [signer("tests.example/x"), ONE])
def test_a_rotation_to_no_other_key_of_the_logs_name_is_found_though_it_is_signed(
    ledger: SqliteLedger, new: Signer
) -> None:
    def to(seq: int, prev: str) -> dict[str, object]:
        text = rotation_text(ORIGIN, seq, prev, str(new.verifier))
        return rotation(seq, prev, new_key=str(new.verifier), signature=written(ONE.sign(text)))

    custom(ledger, "key.rotated", to)
    [found] = told(ledger)
    assert "which is no other key of the name" in found
    assert (0, "key") in replayed(ledger)


def test_a_log_that_begins_with_a_key_of_another_name_is_found(ledger: SqliteLedger, tmp_path: Path) -> None:
    named = f'replace(CAST(raw AS TEXT), \'"log":"{ORIGIN}"\', \'"log":"tests.example/x"\')'
    edit(tmp_path / "l.sqlite3", f"UPDATE records SET raw = CAST({named} AS BLOB) WHERE seq = 0")  # noqa: S608
    [found] = told(ledger)
    assert "is not of the log tests.example/x" in found
    assert (0, "key") in replayed(ledger)


@pytest.mark.parametrize(("kind", "body"), [("key.rotated", rotation), ("ledger.restored", restoral)])
def test_in_a_log_without_a_key_what_only_a_key_can_do_is_found(
    tmp_path: Path, kind: str, body: Body
) -> None:
    with closing(begin(tmp_path / "l.sqlite3")) as ledger:
        seq = custom(ledger, kind, body)
        assert told(ledger) == [kind]
        assert (seq, "kind") in replayed(ledger)


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        (bytes(Checkpoint("tests.example/x", 1, bytes(32)).signed(ONE)), ["tests.example/x"]),
        (bytes(Checkpoint("tests.example/log", 1, bytes(32)).signed(ONE)), []),
        (b"garbage", []),
    ],
)
def test_in_a_log_without_a_key_a_checkpoint_of_another_log_is_found(
    tmp_path: Path, note: bytes, expected: list[str]
) -> None:
    begin(tmp_path / "l.sqlite3").close()
    edit(tmp_path / "l.sqlite3", "INSERT INTO checkpoints VALUES (1, ?)", note)
    with open_readonly(tmp_path / "l.sqlite3").read() as reader:
        assert [one.found for one in signature_breaks(reader)] == expected


def test_a_rotation_moved_to_another_place_is_found(ledger: SqliteLedger) -> None:
    custom(ledger, "key.rotated", lambda seq, prev: rotation(seq + 1, prev))
    assert "does not hold" in told(ledger)[0]


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"origin": "tests.example/x"}, "is a restoral by"),
        ({"key": str(TWO.verifier)}, "is a restoral by"),
        ({"published": "another"}, "does not hold"),
        ({"signature": written(TWO.sign("x\n"))}, "is not one of"),
    ],
)
def test_a_restoral_that_the_key_in_force_did_not_sign_is_found(
    ledger: SqliteLedger, changed: dict[str, str], complaint: str
) -> None:
    custom(ledger, "ledger.restored", lambda seq, prev: restoral(seq, prev, **changed))
    [found] = told(ledger)
    assert complaint in found


def test_a_log_without_a_key_has_nobody_to_rotate_or_restore(ledger: SqliteLedger) -> None:
    seq = custom(ledger, "ledger.restored", restoral)
    with ledger.read() as reader:
        record = read_raw(reader.raw(seq) or b"")
        body = LedgerRestored.read(restoral(seq, record.prev or ""))
        check_restoral(record, body, ONE.verifier)
        with pytest.raises(IntegrityError):
            check_restoral(record, body, None)
        with pytest.raises(IntegrityError):
            check_rotation(record, KeyRotated.read(rotation(seq, record.prev or "")), TWO.verifier)
        assert key_at(periods(reader), 0) is None


def test_a_rotation_without_its_body_is_found(ledger: SqliteLedger, tmp_path: Path) -> None:
    rotate(ledger, signing(tmp_path / "keys", "2"), "me")
    edit(tmp_path / "l.sqlite3", "DELETE FROM bodies WHERE CAST(bytes AS TEXT) LIKE '%old_key%'")
    assert "has no body" in told(ledger)[0]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda _: b"garbage", [(1, "checkpoint")]),
        (lambda one: bytes(one.signed(TWO)), [(1, "checkpoint")]),
        (lambda one: bytes(one.signed(signer("tests.example/x"))), [(1, "checkpoint")]),
        (lambda one: bytes(Note(one.text, (ONE.sign("x\n"),))), [(1, "checkpoint")]),
        (lambda one: bytes(one._replace(origin="a.example").signed(ONE)), [(1, "checkpoint.origin")]),
        (lambda one: bytes(one._replace(root=bytes(32)).signed(ONE)), [(1, "checkpoint")]),
        (lambda one: bytes(one._replace(size=3).signed(ONE)), [(1, "checkpoint")]),
    ],
)
def test_a_checkpoint_that_is_not_the_logs_own_is_found(
    ledger: SqliteLedger,
    tmp_path: Path,
    change: Callable[[Checkpoint], bytes],
    expected: list[tuple[int, str]],
) -> None:
    with ledger.read() as reader:
        _, checkpoint = Checkpoint.of(reader.last_checkpoint() or b"")
    ledger.close()
    edit(tmp_path / "l.sqlite3", "UPDATE checkpoints SET note = ? WHERE size = 2", change(checkpoint))
    assert findings(tmp_path) == expected


def test_a_commit_without_a_checkpoint_is_found_and_a_body_that_states_another_key(tmp_path: Path) -> None:
    grown(tmp_path, 1)
    edit(tmp_path / "l.sqlite3", "DELETE FROM checkpoints WHERE size = 2")
    with open_readonly(tmp_path / "l.sqlite3").read() as reader:
        [found] = signature_breaks(reader)
        assert (found.seq, found.expected, found.found) == (1, "a checkpoint of 2 records", "one of 1")
    edit(tmp_path / "l.sqlite3", "DELETE FROM bodies")
    with (
        open_readonly(tmp_path / "l.sqlite3").read() as reader,
        pytest.raises(IntegrityError, match="the body of the first record is missing"),
    ):
        periods(reader)
    edit(tmp_path / "l.sqlite3", "DELETE FROM records")
    with open_readonly(tmp_path / "l.sqlite3").read() as reader, pytest.raises(IntegrityError):
        periods(reader)


def test_whoever_trusts_a_key_may_believe_those_after_it_and_none_before() -> None:
    keys = [Period(0, ONE.verifier), Period(4, TWO.verifier), Period(9, THREE.verifier)]
    assert vouched(keys, [ONE.verifier]) == keys
    assert vouched(keys, [THREE.verifier, TWO.verifier]) == keys[1:]
    assert vouched(keys, [signer("tests.example/x").verifier]) == vouched([], [ONE.verifier]) == []


def rules(ledger: SqliteLedger) -> list[tuple[int, str]]:
    with ledger.read() as reader:
        return [(one.seq, one.field) for one in replay(reader).findings if one.seq > 1]


def test_an_audit_reads_the_records_of_custody(ledger: SqliteLedger, tmp_path: Path) -> None:
    rotate(ledger, signing(tmp_path / "keys", "2"), "me")
    assert rules(ledger) == []


@pytest.mark.parametrize(
    ("body", "more", "expected"),
    [
        (restoral, {}, []),
        (restoral, {"subject": Subject(plan_id=name_of(1))}, [(3, "subject")]),
        (restoral, {"schema_name": "other_v0"}, [(3, "schema"), (3, "schema.name")]),
        (lambda *_: {"schema_version": LEDGER_RESTORED}, {}, [(0, "key"), (3, "body")]),
    ],
)
def test_an_audit_finds_a_record_of_custody_that_breaks_a_rule(
    ledger: SqliteLedger, body: Body, more: dict[str, Any], expected: list[tuple[int, str]]
) -> None:
    custom(ledger, "ledger.restored", body, **more)
    with ledger.read() as reader:
        found = [(one.seq, one.field) for one in replay(reader).findings]
    assert [one for one in found if one in expected or one[0] > 1] == expected


def test_an_audit_names_a_signature_that_does_not_hold(ledger: SqliteLedger) -> None:
    custom(ledger, "key.rotated", lambda seq, prev: rotation(seq + 1, prev))
    with ledger.read() as reader:
        assert "each key is signed for by the one before it" in [one.rule for one in replay(reader).findings]


@pytest.mark.parametrize("late", [registered, lambda writer, _schema, _actor: writer.append(step(9))])
def test_a_ledger_that_loses_its_records_meanwhile_is_no_place_to_append(
    ledger: SqliteLedger, late: Callable[..., object]
) -> None:
    def lost() -> None:
        with ledger.write() as writer:
            writer._rows("DELETE FROM records")
            writer._rows("INSERT INTO schemas VALUES (?, ?)", KEY_ROTATED, digest(KEY_ROTATED))
            late(writer, KEY_ROTATED, "me")

    with pytest.raises(IntegrityError, match="the first record is missing"):
        lost()


def digest(schema: str) -> bytes:
    """The registered digest of a schema, as the table holds it."""
    return bytes.fromhex(digest_bytes(schema_bytes(schema)).partition(":")[2])


def test_bringing_up_what_is_up_changes_nothing(tmp_path: Path) -> None:
    grown(tmp_path, 1)
    before = (tmp_path / "l.sqlite3").read_bytes()
    with closing(connect(tmp_path / "l.sqlite3", "mode=rw", 1.0)) as connection:
        bring_up(connection, tmp_path / "l.sqlite3")
    assert (tmp_path / "l.sqlite3").read_bytes() == before


@pytest.mark.parametrize(
    ("record", "good", "changes"),
    [
        (
            KeyRotated,
            rotation(2, "p"),
            [{"old_key": ""}, {"new_key": " x"}, {"signature": "a b"}, {"origin": "a b"}, {"more": "1"}],
        ),
        (
            LedgerRestored,
            restoral(2, "p"),
            [{"key": ""}, {"published": ""}, {"published": "a\rb"}, {"reason": " "}, {"reason": "x" * 1001}],
        ),
    ],
)
def test_a_body_of_custody_is_read_and_nonsense_is_refused(
    record: type[Record], good: dict[str, object], changes: list[dict[str, object]]
) -> None:
    assert record.read(good).to_wire() == good
    for change in changes:
        with pytest.raises(InvalidError):
            record.read({**good, **change})


def test_a_restoral_keeps_its_reason_and_the_checkpoint_that_was_given_up(tmp_path: Path) -> None:
    grown(tmp_path, 1)
    ahead = bytes(Checkpoint(ORIGIN, 9, bytes(32)).signed(ONE))
    (tmp_path / "keys" / "log.key.checkpoint").write_bytes(ahead)
    ledger = opened(tmp_path)
    done = restore(ledger, "me", "the disk failed").record
    assert done is not None
    with ledger.read() as reader:
        body = reader.body(done.record.body.digest) or b""
    ledger.close()
    assert b'"reason":"the disk failed"' in body
    assert canonical({"p": ahead.decode()})[5:-1] in body
