"""The list beside a key: what was erased stays erased although an older copy of the ledger is put back."""

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ledger import standalone
from ledger.custody import restore, rotate
from ledger.erased_list import ErasedList
from ledger.erasure import Again, erase
from ledger.signing import Signing
from ledger.sqlite import SqliteLedger
from ledger.store import Draft
from schemas.canonical import canonical, digest_bytes
from schemas.errors import IntegrityError, StorageError, UsageError
from schemas.ledger import Subject, read_raw
from tests.ledger.signing import ORIGIN, opened, signer, signing
from tests.ledger.steps import OPENING, Ticking, append, name_of, stored
from tests.ledger.steps import step as any_step

BODY = b'{"about":"somebody"}'


def step(number: int, body: bytes | None = None) -> Draft:
    """A step that no rule of a life speaks of."""
    return any_step(number, "policy.changed", body)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    """A signed ledger of three plans; a copy of it as it was then lies beside it."""
    with closing(opened(tmp_path)) as held:
        append(held, step(1, body=BODY), step(2))
    shutil.copyfile(tmp_path / "l.sqlite3", tmp_path / "backup")
    with closing(opened(tmp_path)) as held:
        append(held, step(3))
        yield held


def put_back(folder: Path, *, published: bool = True) -> SqliteLedger:
    """The ledger as it was before; without `published` the checkpoint beside the key is gone too."""
    for beside in folder.glob("l.sqlite3-*"):
        beside.unlink()
    shutil.copyfile(folder / "backup", folder / "l.sqlite3")
    if not published:
        (folder / "keys" / "log.key.checkpoint").unlink()
    return opened(folder)


def listed(folder: Path, key: str = "log.key") -> list[dict[str, object]]:
    """The lines of the list."""
    return [json.loads(line) for line in (folder / "keys" / f"{key}.erased").read_bytes().splitlines()]


def verdict(folder: Path) -> tuple[str, list[int]]:
    """What the one-file verifier says, with a policy of the log's key."""
    policy = folder / "policy"
    policy.write_text(f"log {signer().verifier}\nquorum none\n")
    report = standalone.verify(folder / "l.sqlite3", policy)
    return report["verdict"], report["erased"]


def test_what_is_erased_stands_beside_the_key_once(ledger: SqliteLedger, tmp_path: Path) -> None:
    for number in (1, 1, 2):
        erase(ledger, name_of(number), f"reason {number}", "keeper")
    ledger.close()
    assert listed(tmp_path) == [
        {
            "bodies": [digest_bytes(body)],
            "origin": ORIGIN,
            "reason": f"reason {number}",
            "schema_version": "external_evidence_listed_erasure_v0",
            "subject": {"plan_id": name_of(number)},
        }
        for number, body in ((1, BODY), (2, b'{"plan":2}'))
    ]
    assert verdict(tmp_path) == ("VERIFIED", [1, 2])


@pytest.mark.parametrize("again", ["restore", "erase"])
def test_an_older_copy_takes_no_step_until_what_was_erased_is_erased_again(
    ledger: SqliteLedger, tmp_path: Path, again: str
) -> None:
    erase(ledger, name_of(1), "asked for", "keeper")
    ledger.close()
    with closing(put_back(tmp_path, published=False)) as held:
        with pytest.raises(IntegrityError, match="holds a body that was erased") as refused:
            append(held, step(4))
        assert "ledger restore" in str(refused.value.hint)
        if again == "restore":
            done = restore(held, "keeper", "the disk failed")
            assert (done.record, done.left, told := done.again) == (None, None, done.again)
        else:
            told = erase(held, name_of(2), "asked for too", "keeper").again
        assert told.bodies == 1
        [record] = told.records
        assert record.record.subject.ids() == {"plan_id": name_of(1)}
        with held.read() as reader:
            assert b'"reason":"asked for"' in (reader.body(record.record.body.digest) or b"")
        append(held, step(4))
    assert verdict(tmp_path)[0] == "VERIFIED"
    assert 1 in verdict(tmp_path)[1]


def test_a_restoral_erases_again_what_was_erased_since(ledger: SqliteLedger, tmp_path: Path) -> None:
    erase(ledger, name_of(1), "asked for", "keeper")
    erase(ledger, name_of(3), "of a plan that the copy never saw", "keeper")
    ledger.close()
    with closing(put_back(tmp_path)) as held:
        for refused in (lambda: append(held, step(4)), lambda: erase(held, name_of(2), "x", "keeper")):
            with pytest.raises(IntegrityError, match="were published"):
                refused()
        done = restore(held, "keeper", "the disk failed")
        assert done.record is not None
        assert [done.record.record.kind, *(one.record.kind for one in done.again.records)] == [
            "ledger.restored",
            "body.erased",
        ]
        append(held, step(4))
        with pytest.raises(UsageError, match="nothing to restore"):
            restore(held, "keeper", "once more")
    assert verdict(tmp_path) == ("VERIFIED", [1])


def test_a_copy_from_after_an_erasure_whose_body_came_back_needs_no_second_record(
    ledger: SqliteLedger, tmp_path: Path
) -> None:
    erase(ledger, name_of(1), "asked for", "keeper")
    with ledger.write() as writer:
        writer._put("UPDATE bodies SET bytes = ? WHERE length(bytes) = 0", BODY)
    ledger.close()
    assert verdict(tmp_path)[0] == "RULE-BROKEN"
    with closing(opened(tmp_path)) as held:
        before = stored(held)
        assert restore(held, "keeper", "it was there again").again == Again((), 1)
        assert stored(held) == before
    assert verdict(tmp_path) == ("VERIFIED", [1])


def test_a_body_that_came_back_damaged_is_refused_too(ledger: SqliteLedger, tmp_path: Path) -> None:
    erase(ledger, name_of(1), "asked for", "keeper")
    with ledger.write() as writer:
        writer._put("UPDATE bodies SET bytes = ? WHERE length(bytes) = 0", b"{}")
    ledger.close()
    with closing(opened(tmp_path)) as held:
        with pytest.raises(IntegrityError, match="is another"):
            append(held, step(4))
        assert restore(held, "keeper", "it was there again").again.bodies == 1
    assert verdict(tmp_path) == ("VERIFIED", [1])


def test_a_new_key_takes_the_list_over(ledger: SqliteLedger, tmp_path: Path) -> None:
    erase(ledger, name_of(1), "asked for", "keeper")
    rotate(ledger, signing(tmp_path / "keys", "2"), "keeper")
    erase(ledger, name_of(2), "asked for", "keeper")
    ledger.close()
    assert [one["subject"] for one in listed(tmp_path, "log2.key")] == [
        {"plan_id": name_of(1)},
        {"plan_id": name_of(2)},
    ]
    assert len(listed(tmp_path)) == 1


def test_a_key_without_a_place_keeps_no_list(tmp_path: Path) -> None:
    key = Signing(signer())
    path = tmp_path / "l.sqlite3"
    opening = OPENING._replace(origin=None)
    with closing(SqliteLedger.open(path, Ticking(), create=opening, signing=key)) as held:
        append(held, step(1, body=BODY))
        assert erase(held, name_of(1), "asked for", "keeper").bodies == 1
        assert key.erasures() == []
        rotate(held, Signing(signer(salt="2")), "keeper")
    assert [one.name for one in tmp_path.iterdir()] == ["l.sqlite3"]


def test_a_list_is_of_one_log_and_a_damaged_one_is_no_empty_one(ledger: SqliteLedger, tmp_path: Path) -> None:
    path = tmp_path / "keys" / "log.key.erased"
    erase(ledger, name_of(1), "asked for", "keeper")
    mine = path.read_bytes()
    [entry] = listed(tmp_path)
    other = canonical({**entry, "origin": "tests.example/other", "bodies": [digest_bytes(b'{"plan":2}')]})
    ledger.close()
    path.write_bytes(other + b"\n" + mine)
    with closing(opened(tmp_path)) as held:
        append(held, step(4))
        assert restored(held) == "nothing"
    for damaged in (b"{", mine[:-9], canonical({**entry, "bodies": []})):
        path.write_bytes(other + b"\n" + damaged + b"\n")
        with closing(opened(tmp_path)) as held, pytest.raises(IntegrityError, match="line 2"):
            append(held, step(5))


def restored(held: SqliteLedger) -> str:
    """Whether there was something to restore."""
    with pytest.raises(UsageError, match="nothing to restore"):
        restore(held, "keeper", "why not")
    return "nothing"


def test_nothing_is_erased_where_the_list_cannot_be_written(ledger: SqliteLedger, tmp_path: Path) -> None:
    before = stored(ledger)
    (tmp_path / "keys").rename(tmp_path / "away")
    with pytest.raises(StorageError, match=r"log\.key\.erased cannot be written"):
        erase(ledger, name_of(1), "asked for", "keeper")
    (tmp_path / "away").rename(tmp_path / "keys")
    assert stored(ledger) == before
    append(ledger, step(4))
    assert verdict(tmp_path) == ("VERIFIED", [])


def cut_short(ledger: SqliteLedger) -> None:
    """What an erasure does, up to where its transaction would end."""
    with ledger.write(restoring=True) as writer:
        assert writer.signing is not None
        subject = read_raw(writer.raw(1) or b"").subject
        writer.signing.remember(subject, "asked for", [digest_bytes(BODY)])
        writer.erase([digest_bytes(BODY)])
        raise ZeroDivisionError


def test_the_list_is_there_before_the_bodies_go(ledger: SqliteLedger, tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        cut_short(ledger)
    assert len(listed(tmp_path)) == 1
    with closing(opened(tmp_path)) as held:
        with pytest.raises(IntegrityError, match="holds a body that was erased"):
            append(held, step(4))
        assert erase(held, name_of(1), "asked for", "keeper").again.bodies == 1
        append(held, step(4))
    assert verdict(tmp_path) == ("VERIFIED", [1])


def test_an_older_key_finds_what_was_erased_under_those_that_followed_it(
    ledger: SqliteLedger, tmp_path: Path
) -> None:
    keys = [signing(tmp_path / "keys", salt) for salt in ("2", "3")]
    for key in keys:
        rotate(ledger, key, "me")
    erase(ledger, name_of(1), "asked", "me")
    ledger.close()
    with closing(put_back(tmp_path)) as older:
        with pytest.raises(IntegrityError, match="were published"):
            append(older, step(4))
        again = restore(older, "me", "a disk was lost").again
        assert again.bodies == 1
        append(older, step(4))
        with older.read() as reader:
            assert reader.body(digest_bytes(BODY)) is None
    assert BODY not in (tmp_path / "l.sqlite3").read_bytes()
    assert listed(tmp_path, "log3.key")


def test_lists_that_were_moved_together_are_found_and_a_circle_of_them_ends(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    one, two = (ErasedList(tmp_path / "a" / name) for name in ("one", "two"))
    two.add(ORIGIN, Subject(plan_id=name_of(1)), "asked", [name_of(2)])
    one.lead_to(two)
    (tmp_path / "a").rename(tmp_path / "b")
    one, two = (ErasedList(tmp_path / "b" / name) for name in ("one", "two"))
    two.lead_to(one)
    assert one.entries(ORIGIN) == two.entries(ORIGIN) == two.own(ORIGIN) != []
    assert one.own(ORIGIN) == []
