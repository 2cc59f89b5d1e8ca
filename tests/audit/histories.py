"""One signed ledger, and every other history that somebody could put in its place."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ledger.checkpoint import Checkpoint
from ledger.erasure import erase
from ledger.keys import Signer
from ledger.sqlite import SqliteLedger
from ledger.sqlite_readonly import open_readonly
from ledger.tree import EMPTY_ROOT, Frontier, leaf_hash
from schemas.canonical import canonical, digest_bytes
from schemas.ledger import read_raw, record_id
from schemas.ledger_erasure import BODY_ERASED, BodyErased
from tests.ledger.carried import filler, live
from tests.ledger.signing import ORIGIN, opened, signer, signing
from tests.ledger.steps import edit, step

OTHER = signer(salt="other")


class History(NamedTuple):
    """The ledger, a copy of it from before its last commit, and what an auditor keeps."""

    ledger: Path
    backup: Path
    policy: Path
    checkpoint: Path
    early: Path


def make(folder: Path) -> History:
    """A ledger of one life and one more commit."""
    history = History(*(folder / name for name in ("l.sqlite3", "backup", "policy", "checkpoint", "early")))
    held = opened(folder)
    live(held)
    held.close()
    shutil.copyfile(history.ledger, history.backup)
    history.early.write_bytes(last_note(history.backup))
    commit(opened(folder))
    history.checkpoint.write_bytes(last_note(history.ledger))
    history.policy.write_text(f"log {signer().verifier}\nquorum none\n")
    return history


def commit(held: SqliteLedger, number: int = 1) -> None:
    """One more record, and the end of the ledger's object."""
    held.append(filler(number))
    held.close()


def last_note(path: Path) -> bytes:
    """The newest checkpoint in a ledger file."""
    with open_readonly(path).read() as reader:
        note = reader.last_checkpoint()
    assert note is not None
    return note


def clean(history: History, copy: Path) -> None:
    """Nothing is changed."""
    shutil.copyfile(history.ledger, copy)


def edited(history: History, copy: Path) -> None:
    """One letter of a record."""
    clean(history, copy)
    edit(copy, "UPDATE records SET raw = replace(raw, 'tester', 'tesTer') WHERE seq = 0")
    edit(copy, "UPDATE records SET raw = CAST(raw AS BLOB)")


def body_edited(history: History, copy: Path) -> None:
    """One letter of an artifact."""
    clean(history, copy)
    edit(copy, "UPDATE bodies SET bytes = CAST(replace(bytes, 'fits', 'fitS') AS BLOB)")


def dropped(history: History, copy: Path) -> None:
    """A record is gone."""
    clean(history, copy)
    edit(copy, "DELETE FROM records WHERE seq = 7")


def rehashed(history: History, copy: Path, key: Signer | None = None) -> None:
    """One record says another actor, and all after it is chained anew; signed too by who has the key."""
    clean(history, copy)
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        rows = connection.execute("SELECT seq, raw FROM records ORDER BY seq").fetchall()
        tree, prev, raw = Frontier(), None, b""
        for seq, stored in rows:
            record = read_raw(stored)
            actor = "somebody-else" if seq == len(rows) - 1 else record.actor
            raw = record.replace(prev=prev, actor=actor).canonical()
            tree, row = tree.append(leaf_hash(raw))
            before = b"" if prev is None else bytes.fromhex(prev.partition(":")[2])
            connection.execute(
                "UPDATE records SET raw = ?, prev = ?, tree = ? WHERE seq = ?",
                (raw, before, b"".join(row), seq),
            )
            prev = record_id(raw)
        assert prev is not None
        connection.execute("UPDATE head SET digest = ?", (bytes.fromhex(prev.partition(":")[2]),))
        if key is not None:
            note = bytes(Checkpoint(ORIGIN, tree.size, tree.root()).signed(key))
            connection.execute("UPDATE checkpoints SET note = ? WHERE size = ?", (note, tree.size))


def resigned(history: History, copy: Path) -> None:
    """The same, signed by the key's owner."""
    rehashed(history, copy, signer())


def cut_off(history: History, copy: Path) -> None:
    """The last commit is taken out of every table."""
    clean(history, copy)
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        [(raw,)] = connection.execute("SELECT raw FROM records ORDER BY seq DESC LIMIT 1")
        body = bytes.fromhex(read_raw(raw).body.digest.partition(":")[2])
        connection.execute("DELETE FROM bodies WHERE digest = ?", (body,))
        connection.execute("DELETE FROM records WHERE seq = (SELECT max(seq) FROM records)")
        connection.execute("DELETE FROM subjects WHERE seq > (SELECT max(seq) FROM records)")
        connection.execute("DELETE FROM checkpoints WHERE size = (SELECT max(size) FROM checkpoints)")
        [(seq, raw)] = connection.execute("SELECT seq, raw FROM records ORDER BY seq DESC LIMIT 1")
        digest = bytes.fromhex(record_id(raw).partition(":")[2])
        connection.execute("UPDATE head SET seq = ?, digest = ?", (seq, digest))


def restored(history: History, copy: Path) -> None:
    """An old backup lies in its place."""
    shutil.copyfile(history.backup, copy)


def restored_and_continued(history: History, copy: Path) -> None:
    """An old backup with other records after it, signed by the key's owner."""
    folder = copy.parent / f"{copy.name}.work"
    folder.mkdir()
    shutil.copyfile(history.backup, folder / "l.sqlite3")
    commit(opened(folder), 2)
    shutil.copyfile(folder / "l.sqlite3", copy)


def checkpoint_by_other(history: History, copy: Path) -> None:
    """The newest checkpoint is signed by somebody else."""
    clean(history, copy)
    _, last = Checkpoint.of(last_note(copy))
    note = bytes(last.signed(OTHER))
    edit(copy, "UPDATE checkpoints SET note = ? WHERE size = ?", note, last.size)


def checkpoint_lies(history: History, copy: Path) -> None:
    """The newest checkpoint states another tree."""
    clean(history, copy)
    _, last = Checkpoint.of(last_note(copy))
    note = bytes(last._replace(root=EMPTY_ROOT).signed(signer()))
    edit(copy, "UPDATE checkpoints SET note = ? WHERE size = ?", note, last.size)


def checkpoint_gone(history: History, copy: Path) -> None:
    """Nobody signed the last commit."""
    clean(history, copy)
    edit(copy, "DELETE FROM checkpoints WHERE size = (SELECT max(size) FROM checkpoints)")


def other_key(history: History, copy: Path) -> None:
    """The whole life again, under the same name, with another key."""
    assert history.ledger.exists()
    folder = copy.parent / f"{copy.name}.work"
    held = opened(folder, signing(folder / "keys", "other"))
    live(held)
    commit(held)
    shutil.copyfile(folder / "l.sqlite3", copy)


def out_of_order(history: History, copy: Path) -> None:
    """A step that no rule allows, appended by who has the key."""
    folder = copy.parent / f"{copy.name}.work"
    folder.mkdir()
    shutil.copyfile(history.ledger, folder / "l.sqlite3")
    held = opened(folder)
    held.append(step(5, "evidence.retired"))
    held.close()
    shutil.copyfile(folder / "l.sqlite3", copy)


def torn(history: History, copy: Path) -> None:
    """The file lost its end."""
    raw = history.ledger.read_bytes()
    copy.write_bytes(raw[: len(raw) * 2 // 3])


def empty(history: History, copy: Path) -> None:
    """A file of no bytes."""
    assert history.ledger.exists()
    copy.touch()


def garbage(history: History, copy: Path) -> None:
    """A file that is no ledger."""
    copy.write_bytes(history.ledger.read_bytes()[::-1])


def no_records(history: History, copy: Path) -> None:
    """A ledger without any record."""
    clean(history, copy)
    for sql in (
        *("DELETE FROM records", "DELETE FROM bodies", "DELETE FROM subjects"),
        *("DELETE FROM schemas", "DELETE FROM head", "DELETE FROM checkpoints"),
    ):
        edit(copy, sql)


def missing(history: History, copy: Path) -> None:
    """No file at all."""
    assert history.ledger.exists()
    assert not copy.exists()


def erased(history: History, copy: Path) -> None:
    """Who has the key erased what was recorded about one decision."""
    folder = copy.parent / f"{copy.name}.work"
    folder.mkdir()
    shutil.copyfile(history.ledger, folder / "l.sqlite3")
    with closing(opened(folder)) as held:
        with held.read() as reader:
            [(_, raw), *_] = reader.of_kind("admission.decided")
        erase(held, str(read_raw(raw).subject.admission_id), "asked for", "keeper")
    shutil.copyfile(folder / "l.sqlite3", copy)


def erased_and_back(history: History, copy: Path) -> None:
    """The same, and somebody put the bodies in again from an old copy."""
    erased(history, copy)
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute("ATTACH ? AS before", (str(history.ledger),))
        connection.execute(
            "UPDATE main.bodies SET bytes = old.bytes FROM before.bodies AS old"
            " WHERE old.digest = main.bodies.digest"
        )


def unsaid(history: History, copy: Path) -> None:
    """A body is gone, and no record says that it was erased."""
    clean(history, copy)
    edit(copy, "UPDATE bodies SET bytes = x'' WHERE instr(bytes, 'admission_id')")


def below_the_first(history: History, copy: Path) -> None:
    """A body is thrown away, and a row below record 0, outside chain and tree, says that it was erased."""
    unsaid(history, copy)
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        rows = connection.execute("SELECT digest FROM bodies WHERE length(bytes) = 0").fetchall()
        bodies = sorted(f"blake3:{digest.hex()}" for (digest,) in rows)
        body = BodyErased(origin=ORIGIN, bodies=tuple(bodies), reason="none", schema_version=BODY_ERASED)
        [(raw,)] = connection.execute("SELECT raw FROM records WHERE seq = 5")
        digest = digest_bytes(body.canonical())
        wire = json.loads(raw) | {
            "kind": "body.erased",
            "seq": 0,
            "prev": None,
            "subject": {"plan_id": digest},
        }
        wire |= {"body": {"digest": digest, "size": len(body.canonical())}, "idem": digest}
        row = (canonical(wire), b"none", bytes.fromhex(digest[7:]))
        connection.execute("INSERT INTO records VALUES (-1, ?, ?, ?, 'body.erased', x'')", row)
        connection.execute("INSERT INTO bodies VALUES (?, ?)", (row[2], body.canonical()))


def checkpoint_below(history: History, copy: Path) -> None:
    """A checkpoint of fewer records than none."""
    clean(history, copy)
    edit(copy, "INSERT INTO checkpoints VALUES (-9223372036854775808, x'00')")


def subject_as_bytes(history: History, copy: Path) -> None:
    """No record is found by its plan any more, although the letters are the same."""
    clean(history, copy)
    edit(copy, "UPDATE subjects SET hex = CAST(hex AS BLOB) WHERE field = 'plan_id'")


def head_under_another_number(history: History, copy: Path) -> None:
    """The one row of the table of the last record is not where it must be."""
    clean(history, copy)
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("UPDATE head SET one = 5")


def stray_body(history: History, copy: Path) -> None:
    """A body that no record names."""
    clean(history, copy)
    edit(copy, "INSERT INTO bodies VALUES (?, ?)", bytes.fromhex(digest_bytes(b"hidden")[7:]), b"hidden")


def stray_body_under_a_number(history: History, copy: Path) -> None:
    """The same, where nobody looks a body up."""
    clean(history, copy)
    edit(copy, "INSERT INTO bodies VALUES (5, 7)")


def trigger_called_as_statistics(history: History, copy: Path) -> None:
    """A trigger under the name of a table of SQLite's own."""
    clean(history, copy)
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        sql = "CREATE TRIGGER sqlite_stat1 AFTER INSERT ON bodies BEGIN DELETE FROM subjects; END"
        row = "INSERT INTO sqlite_master VALUES ('trigger', 'sqlite_stat1', 'bodies', 0, ?)"
        connection.execute(row, (sql,))


def analysed(history: History, copy: Path) -> None:
    """The owner let SQLite count: nothing of the log is changed."""
    clean(history, copy)
    edit(copy, "ANALYZE")


Change = Callable[[History, Path], None]
T, F, U, V, C, R, N = "TAMPERED", "FORKED", "UNANCHORED", "VERIFIED", "CANNOT-VERIFY", "RULE-BROKEN", "TORN"

# The word with nothing to compare with, with a policy, with a checkpoint kept before the change.
MATRIX: list[tuple[Change, str, str, str]] = [
    (clean, U, V, V),
    (edited, T, T, T),
    (body_edited, T, T, T),
    (dropped, T, T, T),
    (rehashed, T, T, T),
    (resigned, U, V, F),
    (cut_off, U, V, T),
    (restored, U, V, T),
    (restored_and_continued, U, V, F),
    (checkpoint_by_other, T, T, T),
    (checkpoint_lies, T, T, T),
    (checkpoint_gone, T, T, T),
    (other_key, U, T, T),
    (out_of_order, R, R, R),
    (torn, N, N, N),
    (empty, C, C, C),
    (garbage, C, C, C),
    (no_records, C, C, T),
    (missing, C, C, C),
    (erased, U, V, V),
    (erased_and_back, R, R, R),
    (unsaid, T, T, T),
    (below_the_first, T, T, T),
    (checkpoint_below, T, T, T),
    (subject_as_bytes, T, T, T),
    (head_under_another_number, T, T, T),
    (stray_body, T, T, T),
    (stray_body_under_a_number, T, T, T),
    (trigger_called_as_statistics, T, T, T),
    (analysed, U, V, V),
]
