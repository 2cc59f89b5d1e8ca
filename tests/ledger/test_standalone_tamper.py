"""Whatever is done to a log, the one-file verifier gives the right verdict, anchored and not."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from ledger import standalone
from ledger.checkpoint import Checkpoint
from ledger.note import Note
from ledger.tree import frontier_of, leaf_hash
from schemas.canonical import digest_bytes
from schemas.ledger import read_raw
from tests.ledger.carried import (
    Carried,
    Step,
    carry,
    clean,
    flipped,
    found,
    items,
    put,
    rechained,
    records,
    steps,
    verdict,
)
from tests.ledger.signing import signer
from tests.ledger.steps import edit

OTHER = signer(salt="other")


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Carried:
    return carry(tmp_path_factory.mktemp("signed"))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Carried:
    return carry(tmp_path_factory.mktemp("plain"), signed=False)


def assert_tampered(path: Path, carried: Carried, expected: str = "TAMPERED") -> None:
    """The same verdict with every anchor and with none, and the replay agrees that it is not clean."""
    for policy in (None, carried.policy):
        for against in ((), (carried.checkpoint,)):
            assert verdict(path, *against, policy=policy) == expected
    assert not clean(path)


def test_each_record_dropped_doubled_or_swapped_is_seen_there(signed: Carried, tmp_path: Path) -> None:
    held, path = items(signed.bundle), tmp_path / "x.bundle"
    lines = records(held)
    for seq, at in enumerate(lines[:-1]):
        other = lines[seq + 1]
        swapped = [*held[:at], held[other], *held[at + 1 : other], held[at], *held[other + 1 :]]
        ways = ([*held[:at], *held[at + 1 :]], [*held[: at + 1], *held[at:]], swapped)
        told, first, _ = found(put(path, ways[seq % 3]), policy=signed.policy)
        # One before: the dropped record's checkpoint now stands behind the record before it.
        assert (told, first in (seq - 1, seq, seq + 1)) == ("TAMPERED", True), (seq, first)
    assert_tampered(path, signed)


def test_each_row_deleted_from_a_sqlite_ledger_is_seen(signed: Carried, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite3"
    for sql in DELETIONS:
        shutil.copyfile(signed.sqlite, copy)
        edit(copy, sql)
        assert_tampered(copy, signed)
    shutil.copyfile(signed.sqlite, copy)
    edit(copy, "DELETE FROM checkpoints WHERE size = 1")  # later ones cover what it covered
    assert verdict(copy, policy=signed.policy) == "VERIFIED"


DELETIONS = [
    "DELETE FROM records WHERE seq = 7",
    "DELETE FROM bodies WHERE rowid = 1",
    "DELETE FROM subjects WHERE seq = 8",
    "DELETE FROM schemas WHERE name LIKE 'loopx_external_evidence_plan%'",
    "DELETE FROM head",
    "DELETE FROM checkpoints WHERE size = (SELECT max(size) FROM checkpoints)",
]
EDITS = [
    "UPDATE records SET raw = CAST(raw AS TEXT) WHERE seq = 3",
    "UPDATE records SET kind = 'plan.created' WHERE seq = 0",
    "UPDATE records SET prev = zeroblob(32) WHERE seq = 3",
    "UPDATE records SET idem = zeroblob(32) WHERE seq = 3",
    "UPDATE records SET tree = zeroblob(32) WHERE seq = 4",
    "UPDATE records SET tree = tree || x'00' WHERE seq = 4",
    "UPDATE records SET seq = 1000 WHERE seq = 3",
    "UPDATE bodies SET bytes = CAST(bytes AS TEXT) WHERE rowid = 2",
    "UPDATE bodies SET bytes = 'x' WHERE rowid = 2",
    "UPDATE checkpoints SET note = CAST(note AS TEXT) WHERE size = 1",
    "UPDATE checkpoints SET size = 1000 WHERE size = 1",
    "UPDATE checkpoints SET note = x'00' WHERE size = 1",
    "UPDATE head SET seq = 3",
    "INSERT INTO subjects VALUES ('00', 'blake3', 'plan_id', 3)",
    "INSERT INTO schemas VALUES ('x', x'00')",
    "CREATE TABLE more (x)",
    "DROP TABLE records",
    "DROP TABLE subjects",
    "ALTER TABLE bodies ADD COLUMN more",
    "CREATE TRIGGER more AFTER INSERT ON records BEGIN SELECT 1; END",
    "DROP INDEX records_by_kind",
]


@pytest.mark.parametrize("sql", EDITS)
def test_each_edit_of_a_sqlite_ledger_is_seen(signed: Carried, tmp_path: Path, sql: str) -> None:
    copy = tmp_path / "copy.sqlite3"
    shutil.copyfile(signed.sqlite, copy)
    edit(copy, sql)
    assert verdict(copy, policy=signed.policy) == verdict(copy) == "TAMPERED"
    assert not clean(copy)


@pytest.mark.parametrize("sql", ["PRAGMA user_version = 9", "PRAGMA application_id = 9"])
def test_a_sqlite_file_that_is_no_ledger_that_is_known_cannot_be_verified(
    signed: Carried, tmp_path: Path, sql: str
) -> None:
    copy = tmp_path / "copy.sqlite3"
    shutil.copyfile(signed.sqlite, copy)
    edit(copy, sql)
    assert verdict(copy, policy=signed.policy) == "CANNOT-VERIFY"
    assert not clean(copy)


def test_history_rewritten_without_the_key_is_seen_with_a_policy_or_an_anchor(
    signed: Carried, tmp_path: Path
) -> None:
    whole = steps(items(signed.bundle))
    again = [step._replace(sealed=step.sealed) for step in whole if step.kind != "evidence.retired"]
    bare = put(tmp_path / "bare.bundle", rechained(again))
    told, _, field = found(bare)
    assert (told, field) == ("TAMPERED", "checkpoint")  # it says that it has a key, and nobody signed
    old = [content for kind, content in items(signed.bundle) if kind == "checkpoint"]
    kept = put(tmp_path / "kept.bundle", [*rechained(again), ("checkpoint", old[-1])])
    assert verdict(kept) == verdict(kept, policy=signed.policy) == "TAMPERED"
    assert not clean(bare)
    assert not clean(kept)


def resigned(whole: list[Step], key: object) -> list[Step]:
    """The log as if it had that key from its first record on; None for no key at all."""
    opening = json.loads(whole[0].body)
    return [whole[0].stating({**opening, "key": key}), *whole[1:]]


def test_history_rewritten_and_signed_with_another_key_is_seen_by_who_knows_the_right_one(
    signed: Carried, tmp_path: Path
) -> None:
    whole = steps(items(signed.bundle))[:-2]  # without the retirement and its schema
    path = put(tmp_path / "x.bundle", rechained(resigned(whole, str(OTHER.verifier)), OTHER))
    assert clean(path)
    assert verdict(path) == "UNANCHORED"
    assert found(path, policy=signed.policy) == ("TAMPERED", 0, "key")
    assert verdict(path, signed.checkpoint) == "TAMPERED"
    bare = put(tmp_path / "bare.bundle", rechained(resigned(whole, None)))
    assert clean(bare)
    assert verdict(bare) == "UNANCHORED"
    assert found(bare, policy=signed.policy) == ("TAMPERED", 0, "key")


def test_history_rewritten_with_the_key_itself_is_forked_for_who_kept_a_checkpoint(
    signed: Carried, tmp_path: Path
) -> None:
    whole = steps(items(signed.bundle))
    one = read_raw(whole[-1].raw)
    more = whole[-1]._replace(raw=one.replace(actor="somebody-else").canonical())
    path = put(tmp_path / "x.bundle", rechained([*whole[:-1], more], signer()))
    assert clean(path)
    assert verdict(path, policy=signed.policy) == "VERIFIED"  # whoever has the key can; keep a checkpoint
    for policy in (None, signed.policy):
        assert found(path, signed.checkpoint, policy=policy) == ("FORKED", len(whole) - 1, "checkpoint")


def test_a_tail_cut_off_at_a_checkpoint_is_seen_by_who_kept_a_later_one(
    signed: Carried, tmp_path: Path
) -> None:
    held, path = items(signed.bundle), tmp_path / "x.bundle"
    ends = [at for at, (kind, _) in enumerate(held) if kind == "checkpoint"]
    shorter = put(path, held[: ends[-2] + 1])
    assert clean(shorter)
    assert verdict(shorter, policy=signed.policy) == "VERIFIED"  # as it was at that time
    assert verdict(shorter) == "UNANCHORED"
    seq = len(records(held[: ends[-2] + 1]))
    assert found(shorter, signed.checkpoint, policy=signed.policy) == ("TAMPERED", seq, "record")
    unsigned = put(path, held[: ends[-1]])
    assert_tampered(unsigned, signed)


def test_a_bundle_that_was_cut_is_torn_and_all_before_the_cut_is_still_judged(
    signed: Carried, plain: Carried, tmp_path: Path
) -> None:
    path = tmp_path / "x.bundle"
    for carried in (signed, plain):
        raw = carried.bundle.read_bytes()
        lines = raw.splitlines(keepends=True)
        for cut in (
            raw[:-1],
            raw[: -len(lines[-1])],
            raw[: len(raw) // 2],
            b"".join(lines[: len(lines) // 3]),
        ):
            path.write_bytes(cut)
            assert verdict(path) == verdict(path, signed.checkpoint, policy=signed.policy) == "TORN"
            assert not clean(path)
    raw = signed.bundle.read_bytes()
    path.write_bytes(raw[: len(raw) // 2].replace(b'{"record":"ey', b'{"record":"eY', 1))
    assert verdict(path) == "TAMPERED"


def test_a_sqlite_file_that_lost_its_end_is_torn(signed: Carried, tmp_path: Path) -> None:
    raw, path = signed.sqlite.read_bytes(), tmp_path / "x.sqlite3"
    for keep in (len(raw) - 1, len(raw) - 4096, len(raw) * 2 // 3, len(raw) // 2):
        path.write_bytes(raw[:keep])
        report = standalone.verify(path, signed.policy, [signed.checkpoint])
        assert (report["verdict"], report["torn"]) == ("TORN", f"the file has {keep} of its {len(raw)} bytes")
        assert report["records"] > 5 or keep < len(raw) - 4096
        assert not clean(path)


def test_at_every_page_a_sqlite_file_may_be_cut_and_is_never_verified(
    signed: Carried, tmp_path: Path
) -> None:
    raw, path = signed.sqlite.read_bytes(), tmp_path / "x.sqlite3"
    notes = []
    for keep in range(4096, len(raw), 4096):
        path.write_bytes(raw[:keep])
        report = standalone.verify(path, signed.policy)
        assert report["verdict"] in ("TORN", "CANNOT-VERIFY"), keep
        notes += report.get("notes", [])
    assert any("was lost with the tail" in note for note in notes)


def test_a_page_that_cannot_be_read_is_named_by_the_record_where_reading_ends(
    signed: Carried, tmp_path: Path
) -> None:
    path = tmp_path / "x.sqlite3"
    shutil.copyfile(signed.sqlite, path)
    with closing(sqlite3.connect(path)) as connection:
        [(root,)] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'records'").fetchall()
    raw = bytearray(path.read_bytes())
    raw[(root - 1) * 4096 : root * 4096] = bytes(4096)
    path.write_bytes(raw)
    assert found(path, policy=signed.policy) == ("TAMPERED", 0, "file")
    assert not clean(path)


def test_a_body_swapped_or_gone_is_seen_where_it_is(signed: Carried, tmp_path: Path) -> None:
    held, path = items(signed.bundle), tmp_path / "x.bundle"
    bodies = [at for at, (kind, _) in enumerate(held) if kind == "body"]
    for at in bodies[1:]:
        gone = put(path, [*held[:at], *held[at + 1 :]])
        told, seq, field = found(gone)
        assert (told, field) == ("TAMPERED", "body")
        assert seq == len(records(held[:at]))
    swapped = put(path, [*held[: bodies[3]], held[bodies[4]], *held[bodies[3] + 1 :]])
    assert_tampered(swapped, signed)


def test_a_checkpoint_that_was_replaced_is_seen(signed: Carried, tmp_path: Path) -> None:
    held, path = items(signed.bundle), tmp_path / "x.bundle"
    at = [place for place, (kind, _) in enumerate(held) if kind == "checkpoint"]
    _, last = Checkpoint.of(held[at[-1]][1])
    _, middle = Checkpoint.of(held[at[2]][1])
    lies = {
        at[-1]: last.signed(OTHER),
        at[2]: middle._replace(root=last.root).signed(signer()),
        at[1]: middle.signed(signer()),
        at[3]: Note(last.text).signed(signer().sign("another\n")),
        at[0]: last._replace(origin="tests.example/else").signed(signer()),
    }
    for place, note in lies.items():
        put(path, [*held[:place], ("checkpoint", bytes(note)), *held[place + 1 :]])
        assert_tampered(path, signed)
    put(path, [*held[: at[2]], *held[at[2] + 1 :]])
    assert verdict(path, policy=signed.policy) == "VERIFIED"


def test_tampering_in_a_tiles_folder_is_seen(signed: Carried, tmp_path: Path) -> None:
    files = sorted(one.relative_to(signed.tiles) for one in signed.tiles.rglob("*") if one.is_file())
    chance = Random(3)
    for number, file in enumerate(files):
        folder = tmp_path / str(number)
        shutil.copytree(signed.tiles, folder)
        raw = (folder / file).read_bytes()
        (folder / file).write_bytes(flipped(raw, chance.randrange(len(raw)), chance))
        expected = (
            ("TAMPERED", "CANNOT-VERIFY", "TORN") if file.name == "checkpoint" else ("TAMPERED", "TORN")
        )
        assert verdict(folder, policy=signed.policy) in expected, file
        (folder / file).unlink()
        assert verdict(folder, policy=signed.policy) in (*expected, "CANNOT-VERIFY"), file


def test_the_tree_of_the_file_is_the_tree_of_the_project(signed: Carried) -> None:
    raws = [raw for kind, raw in items(signed.bundle) if kind == "record"]
    tree = standalone.Tree()
    for size, raw in enumerate(raws, 1):
        tree.append(standalone.leaf_hash(raw))
        assert tree.root() == frontier_of(map(leaf_hash, raws[:size])).root()
    assert standalone.Tree().root() == frontier_of([]).root()


def test_a_step_under_another_plan_than_its_artifacts_breaks_a_rule(plain: Carried, tmp_path: Path) -> None:
    whole = steps(items(plain.bundle))
    at = next(seq for seq, one in enumerate(whole) if one.kind == "plan.created")
    record = read_raw(whole[at].raw)
    other = record.replace(subject=record.subject.replace(plan_id=digest_bytes(b"another")))
    whole[at] = whole[at]._replace(raw=other.canonical())
    path = put(tmp_path / "x.bundle", rechained(whole), record.log)
    assert found(path) == ("RULE-BROKEN", at, "subject")
    assert not clean(path)
