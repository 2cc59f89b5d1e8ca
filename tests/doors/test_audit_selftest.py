"""`audit selftest --tamper` through the command line: a ledger that is named, or one that it makes."""

from pathlib import Path

from tests.doors.forking import Forking
from tests.ledger.carried import carry
from tests.ledger.steps import names


def test_a_ledger_is_made_when_none_is_named(tmp_path: Path, quick: Forking) -> None:
    done = quick("audit", "selftest", "--tamper", "--most", "36", cwd=tmp_path)
    told = done.answer
    assert (done.status, told["all_caught"], told["edits"], told["missed"]) == (0, True, 36, 0)
    assert (told["clean"], told["signed"], len(told["kinds"])) == ("VERIFIED", True, 19)
    assert names(tmp_path) == []


def test_the_ledger_that_is_named_is_only_read(tmp_path: Path, quick: Forking) -> None:
    carried = carry(tmp_path / "l", signed=False)
    before = carried.sqlite.read_bytes()
    for path in (carried.sqlite, carried.bundle):
        done = quick(
            *("audit", "selftest", "--tamper", "--most", "20", "--ledger", path, "--format", "text"),
            cwd=tmp_path,
        )
        text = done.out.decode()
        assert (done.status, "全部识破 all caught" in text) == (0, True)
        assert "未试 not tried: another key" in text
    assert carried.sqlite.read_bytes() == before


def test_which_test_is_meant_has_to_be_said_and_a_ledger_must_be_there(
    tmp_path: Path, quick: Forking
) -> None:
    assert quick("audit", "selftest", cwd=tmp_path).error["subject"] == "--tamper"
    done = quick("audit", "selftest", "--tamper", "--ledger", "none", cwd=tmp_path)
    assert (done.status, done.error["code"]) == (4, "not_found")
