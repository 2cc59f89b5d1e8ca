"""A `-wal` that is missing, damaged or of another ledger: told, never played in, and no word of tampering."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from evidence.verify import verify
from ledger import standalone
from ledger.custody import restore
from ledger.sqlite import SqliteLedger
from ledger.sqlite_file import connect, run
from ledger.sqlite_readonly import open_readonly
from schemas.errors import IntegrityError, StorageError
from tests.ledger.faults.run import POLICY
from tests.ledger.signing import opened
from tests.ledger.steps import begin, edit, names, step, stored


def words(path: Path, *kept: bytes) -> tuple[str, str, int]:
    """What both verifiers say with a policy, and how many records there are."""
    policy = path.with_name("policy")
    policy.write_bytes(POLICY)
    report = verify(path, POLICY, kept)
    return str(report.verdict), standalone.verify(path, policy)["verdict"], report.facts.records


def grown(folder: Path, steps: int, actor: str = "me") -> SqliteLedger:
    """An open ledger, all of whose records but the first stand in its `-wal`."""
    ledger = opened(folder)
    for number in range(steps):
        ledger.append(step(number, "policy.changed", actor=actor))
    return ledger


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """The folder of a ledger of six records that nobody has open."""
    folder = tmp_path / "mine"
    grown(folder, 5).close()
    return folder


def of_the_same_log(folder: Path) -> SqliteLedger:
    return grown(folder, 8, actor="another")


def of_another_log(folder: Path) -> SqliteLedger:
    ledger = begin(folder / "l.sqlite3")
    ledger.append(*(step(number, body=b'"%0900d"' % number) for number in range(30)))
    return ledger


def of_no_ledger(folder: Path) -> sqlite3.Connection:
    other = sqlite3.connect(folder / "l.sqlite3", isolation_level=None)
    other.execute("PRAGMA journal_mode = WAL")
    other.execute("CREATE TABLE list (item TEXT)")
    return other


@pytest.mark.parametrize("tails", [("-wal",), ("-wal", "-shm")])
@pytest.mark.parametrize("make", [of_the_same_log, of_another_log, of_no_ledger])
def test_one_of_another_is_left_out_by_who_reads_and_refused_to_who_writes(
    mine: Path,
    tmp_path: Path,
    make: Callable[[Path], SqliteLedger | sqlite3.Connection],
    tails: tuple[str, ...],
) -> None:
    ledger = mine / "l.sqlite3"
    before = ledger.read_bytes()
    (tmp_path / "other").mkdir()
    other = make(tmp_path / "other")
    for tail in tails:
        shutil.copyfile(tmp_path / "other" / f"l.sqlite3{tail}", f"{ledger}{tail}")
    other.close()
    assert words(ledger) == ("TORN", "TORN", 6)
    assert "l.sqlite3-wal is of another ledger" in (verify(ledger).torn or "")
    for use in (lambda: opened(mine), lambda: open_readonly(ledger)):
        with pytest.raises(IntegrityError, match="-wal is of another ledger") as refused:
            use()
        assert "move it" in (refused.value.hint or "")
    assert ledger.read_bytes() == before
    for tail in tails:
        Path(f"{ledger}{tail}").unlink()
    again = opened(mine)
    assert again.append(step(9, "policy.changed"))[0].seq == 6
    again.close()
    assert words(ledger) == ("VERIFIED", "VERIFIED", 7)


def test_a_shared_memory_file_of_another_does_no_harm(mine: Path, tmp_path: Path) -> None:
    other = of_another_log(tmp_path / "other")
    shutil.copyfile(tmp_path / "other" / "l.sqlite3-shm", mine / "l.sqlite3-shm")
    other.close()
    assert words(mine / "l.sqlite3") == ("VERIFIED", "VERIFIED", 6)
    again = opened(mine)
    assert again.append(step(9, "policy.changed"))[0].seq == 6
    again.close()
    assert words(mine / "l.sqlite3") == ("VERIFIED", "VERIFIED", 7)


def test_a_page_that_the_disk_does_not_give_back_is_a_storage_error(mine: Path) -> None:
    # SQLite calls it malformed; that the file cannot be read to its end tells it from damage.
    ledger = mine / "l.sqlite3"
    whole = ledger.read_bytes()
    ledger.write_bytes(whole[:4096] + bytes(len(whole) - 4096))
    with closing(connect(ledger, "mode=ro&immutable=1", 1)) as connection:
        with pytest.raises(IntegrityError, match="malformed"):
            run(connection, ledger, "SELECT raw FROM records")
        ledger.unlink()
        with pytest.raises(StorageError, match="cannot be read"):
            run(connection, ledger, "SELECT raw FROM records")


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "missing": lambda _: b"",
    "half": lambda raw: raw[: len(raw) // 2],
    "a byte less": lambda raw: raw[:-1],
    "a byte other": lambda raw: raw[: len(raw) // 2] + b"?" + raw[len(raw) // 2 + 1 :],
    "garbage": lambda _: bytes(range(256)) * 40,
}


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_one_loses_what_it_held_and_that_is_noticed_by_the_writer_and_by_who_kept_a_proof(
    tmp_path: Path, how: str
) -> None:
    living, folder = grown(tmp_path / "living", 8), tmp_path / "copy"
    [done] = living.append(step(8, "policy.changed"))
    shutil.copytree(tmp_path / "living", folder)
    living.close()
    ledger, log = folder / "l.sqlite3", folder / "l.sqlite3-wal"
    (folder / "l.sqlite3-shm").unlink()
    damaged = DAMAGES[how](log.read_bytes())
    log.write_bytes(damaged) if damaged else log.unlink()
    told, alone, count = words(ledger)
    # What is left is a state of before, whole in itself; a policy alone cannot tell (docs/audit.md).
    assert (told, alone, count < 10) == ("VERIFIED", "VERIFIED", True)
    assert words(ledger, done.proof or b"")[0] == "TAMPERED"
    writer = opened(folder)
    with pytest.raises(IntegrityError, match=f"the store has {count} records; 10 were published") as refused:
        writer.append(step(9, "policy.changed"))
    assert "ledger restore" in (refused.value.hint or "")
    restore(writer, "me", "the -wal was lost")
    writer.close()
    assert words(ledger)[0] == "VERIFIED"


def test_a_file_that_is_not_whole_without_its_log_is_no_judge_of_it(tmp_path: Path) -> None:
    living, folder = grown(tmp_path / "living", 3), tmp_path / "copy"
    shutil.copytree(tmp_path / "living", folder)
    living.close()
    (folder / "l.sqlite3-shm").unlink()
    log = (folder / "l.sqlite3-wal").read_bytes()
    (folder / "l.sqlite3-wal").unlink()
    edit(folder / "l.sqlite3", "UPDATE head SET digest = x'00'")  # as half way through SQLite's own copying
    (folder / "l.sqlite3-wal").write_bytes(log)
    assert words(folder / "l.sqlite3") == ("VERIFIED", "VERIFIED", 4)
    again = opened(folder)
    assert len(stored(again)) == 4
    again.close()


def test_a_new_ledger_is_not_begun_beside_a_log_of_another(tmp_path: Path) -> None:
    (tmp_path / "l.sqlite3-wal").write_bytes(b"x")
    with pytest.raises(IntegrityError, match="is there without its ledger"):
        opened(tmp_path)
    assert names(tmp_path) == ["keys", "l.sqlite3-wal"]
