"""A run that leaves Go's opinion out says so, and continuous integration never leaves it out."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run_without_go(tmp_path: Path, ci: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests/ledger/test_go.py"]
    around = {**os.environ, "PATH": str(tmp_path), "CI": ci, "PYTEST_ADDOPTS": ""}
    return subprocess.run(command, cwd=ROOT, env=around, capture_output=True, encoding="utf-8", check=False)


def test_a_user_without_go_is_told_what_was_left_out(tmp_path: Path) -> None:
    run = run_without_go(tmp_path, ci="")
    assert run.returncode == 5  # pytest's own status: no test was left to run
    assert "tests left out: Go is missing (apt-get install golang-go golang-golang-x-mod-dev)" in run.stdout


def test_continuous_integration_without_go_fails(tmp_path: Path) -> None:
    assert run_without_go(tmp_path, ci="true").returncode == 1
