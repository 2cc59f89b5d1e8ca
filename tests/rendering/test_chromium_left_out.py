"""A run that leaves Chromium out says so, and continuous integration never leaves it out."""

from pathlib import Path

from tests.left_out import run_without_programs

ONE = "tests/rendering/test_report_in_chromium.py::test_nothing_of_others_becomes_markup_or_runs"


def test_a_user_without_chromium_is_told_what_was_left_out(tmp_path: Path) -> None:
    run = run_without_programs(tmp_path, "", ONE)
    assert run.returncode == 5  # pytest's own status: no test was left to run
    assert "1 tests left out: Chromium is missing (apt-get install chromium)" in run.stdout


def test_continuous_integration_without_chromium_fails(tmp_path: Path) -> None:
    run = run_without_programs(tmp_path, "true", ONE)
    assert run.returncode == 1
    assert "chromium is not installed" in run.stdout
