"""A ledger with a key on a full or read-only disk, under odd names, and by a clock that steps back."""

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from evidence.verify import verify
from ledger import standalone
from ledger.signing import Signing
from ledger.sqlite import SqliteLedger
from schemas.admission import Decision
from schemas.errors import IntegrityError
from schemas.ledger import read_raw
from tests.doors.command import run
from tests.ledger.faults.campaign import ROOT
from tests.ledger.faults.run import POLICY
from tests.ledger.signing import opened, signing
from tests.ledger.steps import OPENING, Ticking, names, step, stored
from tests.ledger.test_processes import own_mounts
from tests.world import REFS, Clock, Memory, World, engine, opening, request

WAYS = ["limit", "mount"] if own_mounts() else ["limit"]


def confined(folder: Path, what: str) -> dict[str, object]:
    """What a process met that has its own mounts."""
    command = [*own_mounts(), sys.executable, "-m", "tests.ledger.faults.confined", str(folder), what]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    report: dict[str, object] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize("way", WAYS)
def test_a_full_disk_refuses_and_loses_nothing_that_was_signed(tmp_path: Path, way: str) -> None:
    report = confined(tmp_path, way)
    count = report.pop("acknowledged")
    assert isinstance(count, int)
    code, message = str(report.pop("code")), str(report.pop("message"))
    assert (code, str(tmp_path) in message, count > 5) == ("storage", True, True)
    assert report == {"same": True, "during": "VERIFIED", "after": [], "records": count + 7, "once": True}


@pytest.mark.parametrize("folder", ["readonly"] if own_mounts() else [])
def test_on_read_only_media_a_ledger_is_verified_whatever_lies_beside_it(tmp_path: Path, folder: str) -> None:
    living = opened(tmp_path / "at rest")
    for number in range(3):
        living.append(step(number, "policy.changed"))
    for name, tails in {"both": ("-wal", "-shm"), "log": ("-wal",)}.items():
        (tmp_path / name).mkdir()
        for tail in ("", *tails):
            shutil.copyfile(tmp_path / "at rest" / f"l.sqlite3{tail}", tmp_path / name / f"l.sqlite3{tail}")
        shutil.copytree(tmp_path / "at rest" / "keys", tmp_path / name / "keys")
    living.close()
    expected = ["VERIFIED", 4, ["storage"], True]
    assert confined(tmp_path, folder) == {"at rest": expected, "both": expected, "log": expected}


ODD = ("with space", "a#b", "a?b=c&d", "100%25", "%41", "证据库 账本", "a'b\"c", "l\nm", "l" * 200, "-l")


@pytest.mark.parametrize("name", ODD)
def test_under_any_name_a_signed_ledger_is_kept_and_verified(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name[:100]
    folder.mkdir()
    path, key = folder / f"{name}.sqlite3", signing(tmp_path / "keys")
    for number in range(2):
        ledger = SqliteLedger.open(path, Ticking(), create=OPENING._replace(origin=None), signing=key)
        assert ledger.append(step(number, "policy.changed"))[0].seq == number + 1
        ledger.close()
    assert names(folder) == [path.name]
    policy = tmp_path / "policy"
    policy.write_bytes(POLICY)
    assert verify(path, POLICY).verdict == standalone.verify(path, policy)["verdict"] == "VERIFIED"


def test_the_command_takes_odd_relative_and_linked_names(tmp_path: Path) -> None:
    folder = tmp_path / "证 #?%41\n"
    opened(folder).close()
    (folder / "policy").write_bytes(POLICY)
    (tmp_path / "link").symlink_to(folder)
    (tmp_path / "linked.sqlite3").symlink_to(folder / "l.sqlite3")
    for name, cwd in (("l.sqlite3", folder), ("link/l.sqlite3", tmp_path), ("linked.sqlite3", tmp_path)):
        policy = folder / "policy"
        done = run("audit", "verify", "--ledger", name, "--policy", policy, cwd=cwd)
        assert (done.status, done.answer["verdict"]) == (0, "VERIFIED"), name


def test_through_links_to_file_and_folder_it_is_the_same_ledger(tmp_path: Path) -> None:
    opened(tmp_path / "real").close()
    (tmp_path / "folder").symlink_to(tmp_path / "real")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "name.sqlite3").symlink_to(tmp_path / "real" / "l.sqlite3")
    key = Signing.load(tmp_path / "real" / "keys" / "log.key")
    places = ("real/l.sqlite3", "folder/l.sqlite3", "other/name.sqlite3")
    held = [SqliteLedger.open(tmp_path / place, Ticking(), signing=key) for place in places]
    seqs = [held[number % 3].append(step(number, "policy.changed"))[0].seq for number in range(9)]
    for one in held:
        one.close()
    assert seqs == list(range(1, 10))
    assert verify(tmp_path / "real" / "l.sqlite3", POLICY).facts.records == 10
    assert names(tmp_path / "other") == ["name.sqlite3"]


def test_a_ledger_with_two_names_is_read_and_not_written(tmp_path: Path) -> None:
    opened(tmp_path).close()
    ledger = tmp_path / "l.sqlite3"
    os.link(ledger, tmp_path / "backup.sqlite3")
    for path in (ledger, tmp_path / "backup.sqlite3"):
        assert verify(path, POLICY).verdict == "VERIFIED"
        with pytest.raises(IntegrityError, match="another name") as refused:
            SqliteLedger.open(path, Ticking(), signing=signing(tmp_path / "keys"))
        assert "a backup is a copy" in (refused.value.hint or "")
    (tmp_path / "backup.sqlite3").unlink()
    # What a writer left that was killed while it began the ledger is nobody's name.
    os.link(ledger, tmp_path / "l.sqlite3.0123456789abcdef.new")
    again = opened(tmp_path)
    assert again.append(step(1, "policy.changed"))[0].seq == 1
    again.close()


class Stepping(Clock):
    """A clock that is set back by an hour each time somebody looks."""

    def __call__(self) -> datetime:
        self.now -= timedelta(hours=1)
        return self.now


def test_by_a_clock_that_steps_back_records_keep_their_order_and_say_what_the_clock_said(
    tmp_path: Path,
) -> None:
    clock = Stepping()
    ledger = SqliteLedger.open(tmp_path / "l.sqlite3", clock, create=opening(), signing=None)
    runs = engine(World(clock=clock), ledger)
    plan = runs.plan(request())
    receipt = runs.execute(plan).receipt
    decision = Decision(disposition="admit", reason="fits", admitted_source_refs=REFS[:2])
    admission = runs.admit(plan, receipt, decision)
    runs.readback(plan, receipt, decision, Memory(), execute=True)
    runs.retire(admission)
    told = [read_raw(raw) for _, raw in stored(ledger)]
    ledger.close()
    assert [one.seq for one in told] == list(range(len(told)))
    times = [one.at for one in told]
    assert times == sorted(times, reverse=True)
    assert len(set(times)) > 5
    report = verify(tmp_path / "l.sqlite3")
    assert (report.verdict, report.findings) == ("UNANCHORED", [])
    assert standalone.verify(tmp_path / "l.sqlite3")["verdict"] == "UNANCHORED"


@pytest.mark.parametrize("year", [1, 1970, 9999])
def test_a_clock_that_is_far_off_stops_nobody(tmp_path: Path, year: int) -> None:
    def clock() -> datetime:
        return datetime(year, 1, 1, tzinfo=UTC)

    begun = OPENING._replace(origin=None)
    key = signing(tmp_path / "keys")
    ledger = SqliteLedger.open(tmp_path / "l.sqlite3", clock, create=begun, signing=key)
    ledger.append(step(1, "policy.changed"))
    ledger.close()
    assert verify(tmp_path / "l.sqlite3", POLICY).verdict == "VERIFIED"
