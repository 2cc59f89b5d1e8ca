"""A run that leaves Go's opinion out says so, and continuous integration never leaves it out."""

from pathlib import Path

from tests.left_out import run_without_programs

ALL = "tests/ledger/test_go.py"


def test_a_user_without_go_is_told_what_was_left_out(tmp_path: Path) -> None:
    run = run_without_programs(tmp_path, "", ALL)
    assert run.returncode == 5  # pytest's own status: no test was left to run
    assert "tests left out: Go is missing (apt-get install golang-go golang-golang-x-mod-dev)" in run.stdout


def test_continuous_integration_without_go_fails(tmp_path: Path) -> None:
    assert run_without_programs(tmp_path, "true", ALL).returncode == 1
