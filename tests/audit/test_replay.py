"""Replay of whole ledgers (ledger.md section 4): what is sound is clean, and the report states its limit."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence.audit import MOST_FINDINGS, Replay
from ledger.chain import Break
from ledger.store import Draft
from schemas.canonical import digest_bytes
from schemas.ledger import Subject
from tests.audit.lives import Shelf, make, replayed, rewritten, steps
from tests.world import Clock, open_ledger


def test_forty_random_lives_replay_clean(tmp_path: Path) -> None:
    report = replayed(make(tmp_path / "l.sqlite3", 40))
    assert report.findings == []
    assert report.clean
    assert (report.plans, report.uninterpreted) == (40, [])
    assert min(report.receipts, report.admissions, report.retired) > 5


@settings(max_examples=6)
@given(st.integers(0, 2**32))
def test_any_lives_replay_clean_from_the_file_and_from_memory(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    path = make(tmp_path_factory.mktemp("ledger") / "l.sqlite3", 3, seed)
    assert replayed(path).findings == []
    again = rewritten(steps(path))
    assert again.findings == []
    assert again.head == replayed(path).head


def test_an_opened_ledger_without_steps_is_clean_and_an_empty_one_is_not(tmp_path: Path) -> None:
    open_ledger(tmp_path / "l.sqlite3", Clock()).close()
    report = replayed(tmp_path / "l.sqlite3")
    assert (report.clean, report.records, report.log) == (True, 1, "tests.example/world")
    empty = Shelf([], []).replay()
    assert (empty.clean, empty.records, empty.findings) == (False, 0, [])


def test_the_report_is_written_whole_and_states_its_limit(tmp_path: Path) -> None:
    path = make(tmp_path / "l.sqlite3", 3)
    wire = replayed(path).to_wire()
    assert wire["clean"] is True
    assert wire["first_finding"] is None
    assert "never appended" in str(wire["limit"])
    assert wire["records"] == len(steps(path))
    broken = Replay(records=1, findings=[Break(0, "seq", "no gap", "0", "1")]).to_wire()
    assert broken["clean"] is False
    assert broken["first_finding"] == {
        "seq": 0, "field": "seq", "rule": "no gap", "expected": "0", "found": "1",
    }  # fmt: skip


def test_an_unknown_kind_is_a_link_of_the_chain_that_cannot_be_interpreted(tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path / "l.sqlite3")
    with ledger.write() as writer:
        writer.append(
            Draft("policy.changed", "tester", "policy", Subject(), "policy_v9", digest_bytes(b"x"), b"{}")
        )
    ledger.close()
    changed = steps(tmp_path / "l.sqlite3")
    changed[1] = changed[1]._replace(record=changed[1].record.replace(kind="moon.rose"))
    for report in (replayed(tmp_path / "l.sqlite3"), rewritten(changed)):
        assert report.clean
        assert report.uninterpreted == [1]


def test_findings_are_cut_off_and_the_report_says_so(tmp_path: Path) -> None:
    path = make(tmp_path / "l.sqlite3", 1)
    first = steps(path)[0].record.canonical()
    report = Shelf([(seq, first) for seq in range(MOST_FINDINGS)], []).replay()
    assert len(report.findings) == MOST_FINDINGS
    assert report.truncated
    assert report.to_wire()["findings_truncated"] is True
