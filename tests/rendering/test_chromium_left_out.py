"""A run that leaves Chromium out says so, and continuous integration never leaves it out."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ONE = "tests/rendering/test_report_in_chromium.py::test_nothing_of_others_becomes_markup_or_runs"


def run_without_chromium(tmp_path: Path, ci: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", ONE]
    around = {**os.environ, "PATH": str(tmp_path), "CI": ci, "PYTEST_ADDOPTS": ""}
    return subprocess.run(command, cwd=ROOT, env=around, capture_output=True, encoding="utf-8", check=False)


def test_a_user_without_chromium_is_told_what_was_left_out(tmp_path: Path) -> None:
    run = run_without_chromium(tmp_path, ci="")
    assert run.returncode == 5  # pytest's own status: no test was left to run
    assert "1 tests left out: Chromium is missing (apt-get install chromium)" in run.stdout


def test_continuous_integration_without_chromium_fails(tmp_path: Path) -> None:
    run = run_without_chromium(tmp_path, ci="true")
    assert run.returncode == 1
    assert "chromium is not installed" in run.stdout
