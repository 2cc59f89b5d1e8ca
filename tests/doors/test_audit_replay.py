"""`audit replay`: its words and exits, as of a record or an instant, beyond a checkpoint that was kept."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from evidence.audit import View, replay
from evidence.rendering.replay_text import render
from evidence.rendering.verify_text import render as verify_text
from evidence.replayed import replay_log
from evidence.verify import verify
from ledger.sqlite_readonly import open_readonly
from ledger.standalone import verify as verify_apart
from schemas.errors import UsageError
from schemas.ledger import read_raw
from tests.audit.histories import MATRIX, Change, History, clean, edited, make, no_records, out_of_order, torn
from tests.doors.forking import Forking
from tests.ledger.carried import carry
from tests.ledger.steps import edit


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return make(tmp_path_factory.mktemp("history"))


@pytest.mark.parametrize(("change", "alone"), [(change, alone) for change, alone, *_ in MATRIX])
def test_a_replay_says_what_verify_says_of_a_log_with_nothing_to_compare(
    history: History, tmp_path: Path, change: Change, alone: str
) -> None:
    copy = tmp_path / "copy"
    change(history, copy)
    wire = replay_log(copy).to_wire()
    assert wire["verdict"] == (None if alone == "UNANCHORED" else alone)
    text = render(wire)
    assert ("完好 clean" in text) == (wire["verdict"] is None)
    assert "局限 limit" in text


def test_each_word_has_its_exit(lived: Path, tmp_path: Path, history: History, quick: Forking) -> None:
    assert quick("audit", "replay", cwd=lived).status == 0
    for change, word, status in (
        (edited, "TAMPERED", 1),
        (out_of_order, "RULE-BROKEN", 1),
        (torn, "TORN", 4),
    ):
        copy = tmp_path / word
        change(history, copy)
        done = quick("audit", "replay", "--ledger", str(copy), cwd=lived)
        assert (done.status, done.answer["verdict"], done.answer["exit_code"]) == (status, word, status)
        text = quick("audit", "replay", "--ledger", str(copy), "--format", "text", cwd=lived)
        assert (text.status, word in text.out.decode()) == (status, True)
    done = quick("audit", "replay", "--ledger", "none", cwd=tmp_path)
    assert (done.status, done.answer["verdict"], done.err) == (2, "CANNOT-VERIFY", b"")


def test_an_instant_before_the_first_record_is_told_with_that_record(history: History) -> None:
    with open_readonly(history.ledger).read() as reader:
        first = read_raw(reader.raw(0) or b"").at
    at = "2001-02-03T04:05:06Z"
    answer = replay_log(history.ledger, at)
    assert (str(answer.verdict), answer.exit_code) == ("CANNOT-VERIFY", 2)
    assert answer.reasons == [f"the first record, 0, is of {first}: at {at} there was none"]
    assert f"  原因 reason: 第一条记录（第 0 号）写于 {first}；在 {at} 时还没有记录 the first" in render(
        answer.to_wire()
    )
    assert replay_log(history.ledger, first).reasons == []


def test_a_log_without_records_has_none_at_any_time(history: History, tmp_path: Path) -> None:
    no_records(history, tmp_path / "l.sqlite3")
    answer = replay_log(tmp_path / "l.sqlite3", "2001-02-03T04:05:06Z")
    assert (str(answer.verdict), answer.reasons) == ("CANNOT-VERIFY", [])
    for text in (render(answer.to_wire()), verify_text(verify(tmp_path / "l.sqlite3").to_wire())):
        assert "  原因 reason: 账本里没有记录 the ledger has no record\n" in text


@pytest.mark.parametrize(
    "options",
    [
        ("--at", "x"),
        ("--at", "-1"),
        ("--at", "99999"),
        ("--at", "9" * 40),
        ("--at", "3", "--from-checkpoint", "k"),
        ("--policy", "p"),
        ("--jobs", "0"),
        ("--from-checkpoint", "none"),
    ],
)
def test_a_wrong_call_is_one(lived: Path, quick: Forking, options: tuple[str, ...]) -> None:
    done = quick("audit", "replay", *options, cwd=lived)
    assert (done.status, done.out, done.error["code"]) == (2, b"", "usage")


def test_as_of_any_record_the_ledger_was_sound(history: History) -> None:
    whole = replay_log(history.ledger).told
    for seq in range(whole.records):
        wire = replay_log(history.ledger, at=str(seq)).to_wire()
        assert (wire["verdict"], wire["records"]) == (None, seq + 1)
        assert wire["left_out"]
    with pytest.raises(UsageError, match=f"ends with record {whole.records - 1}"):
        replay_log(history.ledger, at=str(whole.records))


def test_as_of_an_instant_what_was_appended_later_is_left_out(history: History) -> None:
    with open_readonly(history.ledger).read() as reader:
        times = [read_raw(raw).at for _, raw in reader.records()]
    for at in sorted(set(times)):
        told = replay_log(history.ledger, at=at).told
        assert told.records == next((seq for seq, one in enumerate(times) if one > at), len(times))
    assert replay_log(history.ledger, at="2000-01-01T00:00:00Z").verdict == "CANNOT-VERIFY"
    assert replay_log(history.ledger, at="2999-01-01T08:00:00+08:00").told.records == len(times)


def test_an_edit_after_the_record_asked_for_is_not_seen_and_one_before_it_is(
    history: History, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    clean(history, copy)
    edit(copy, "UPDATE records SET raw = x'00' WHERE seq = 9")
    assert replay_log(copy, at="8").verdict is None
    found = replay_log(copy, at="9")
    assert (found.verdict, found.told.findings[0].seq) == ("TAMPERED", 9)
    assert "未查 left out" in render(found.to_wire())


def kept(history: History, path: Path, **more: Any) -> Any:
    return replay_log(path, believed=history.early.read_bytes(), **more)


def test_beyond_a_kept_checkpoint_only_lives_that_went_on_are_derived(history: History) -> None:
    answer = kept(history, history.ledger, policy=history.policy.read_bytes())
    wire = answer.to_wire()
    size = int(history.early.read_text().splitlines()[1])
    assert (wire["verdict"], wire["believed_up_to"], wire["plans"]) == (None, size, 0)
    assert "believed" in str(wire["notes"])
    assert f"record {size - 1}" in render(wire)
    assert replay_log(history.ledger, believed=history.checkpoint.read_bytes()).verdict is None


def test_bodies_before_the_checkpoint_are_believed_and_records_are_not(
    history: History, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    clean(history, copy)
    edit(copy, "UPDATE bodies SET bytes = CAST(replace(bytes, 'fits', 'fitS') AS BLOB)")
    assert replay_log(copy).verdict == "TAMPERED"
    assert kept(history, copy).verdict is None
    clean(history, copy)
    edit(copy, "UPDATE records SET raw = CAST(replace(raw, 'tester', 'tesTer') AS BLOB) WHERE seq = 3")
    answer = kept(history, copy)
    assert answer.verdict == "TAMPERED"
    assert "the log begins with the records" in str(answer.to_wire()["findings"])


def test_what_does_not_vouch_for_the_records_is_not_believed(history: History, tmp_path: Path) -> None:
    later = replay_log(history.backup, believed=history.checkpoint.read_bytes())
    assert (later.verdict, later.told.believed) == ("TAMPERED", 0)
    (tmp_path / "other").mkdir()
    other = carry(tmp_path / "other")
    (tmp_path / "unsigned").mkdir()
    plain = carry(tmp_path / "unsigned", signed=False)
    strange = replay_log(plain.sqlite, believed=other.checkpoint.read_bytes())
    assert (strange.verdict, strange.told.believed) == ("CANNOT-VERIFY", 0)
    assert "of another log" in strange.reasons[0]
    unreadable = replay_log(other.sqlite, believed=b"nothing")
    assert (unreadable.verdict, unreadable.told.records) == ("CANNOT-VERIFY", 0)


def test_a_life_that_went_on_after_the_checkpoint_is_derived_from_its_beginning(
    lived: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "l.sqlite3"
    copy.write_bytes((lived / ".external-evidence" / "ledger.sqlite3").read_bytes())
    whole = replay_log(copy).told
    with closing(sqlite3.connect(copy)) as connection:
        [(size,)] = connection.execute("SELECT max(seq) FROM records WHERE kind = 'plan.created'")
    with open_readonly(copy).read() as reader:
        told = replay(reader, View(believed=size))
        assert (told.clean, told.plans, told.receipts) == (True, whole.plans, whole.receipts)
        none = replay(reader, View(believed=whole.records))
    assert (none.clean, none.plans, none.records) == (True, 0, whole.records)


def test_a_bundle_is_replayed_and_one_that_was_cut_is_torn(tmp_path: Path) -> None:
    carried = carry(tmp_path)
    assert replay_log(carried.bundle).verdict is None
    assert replay_log(carried.tiles).verdict is None
    lines = carried.bundle.read_bytes().splitlines(keepends=True)
    carried.bundle.write_bytes(b"".join(lines[:-3]))
    answer = replay_log(carried.bundle)
    assert (answer.verdict, answer.exit_code) == ("TORN", 4)
    assert verify_apart(carried.bundle)["verdict"] == "TORN"
    assert "尾部 tail" in render(answer.to_wire())


def test_what_is_asked_for_wrongly_is_an_error_and_a_policy_that_is_none_a_word(history: History) -> None:
    with pytest.raises(UsageError):
        replay_log(history.ledger, at="yesterday")
    told = replay_log(history.ledger, believed=b"", policy=b"nothing")
    assert (str(told.verdict), told.reasons[0].startswith("policy: ")) == ("CANNOT-VERIFY", True)


def test_many_findings_are_shown_in_part(tmp_path: Path, history: History) -> None:
    copy = tmp_path / "copy"
    clean(history, copy)
    edit(copy, "UPDATE records SET idem = randomblob(32), prev = randomblob(32)")
    wire = replay_log(copy).to_wire()
    assert wire["verdict"] == "TAMPERED"
    assert "--format json" in render(wire)
    assert json.dumps(wire)
