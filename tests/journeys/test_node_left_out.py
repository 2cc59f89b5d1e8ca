"""A run that leaves the node tests out says so, and continuous integration never leaves them out."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run_without_node(tmp_path: Path, ci: str) -> subprocess.CompletedProcess[str]:
    # An empty PATH has no node; the tests that need no server are enough to see which of them run.
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-k", "where_there_is_no_server"]
    command.append("tests/journeys/test_rpc_from_node.py")
    around = {**os.environ, "PATH": str(tmp_path), "CI": ci, "PYTEST_ADDOPTS": ""}
    return subprocess.run(command, cwd=ROOT, env=around, capture_output=True, encoding="utf-8", check=False)


def test_a_user_without_node_is_told_what_was_left_out(tmp_path: Path) -> None:
    run = run_without_node(tmp_path, ci="")
    assert run.returncode == 5  # pytest's own status: no test was left to run
    assert "tests left out: node is not on PATH (apt-get install nodejs)" in run.stdout


def test_continuous_integration_without_node_fails(tmp_path: Path) -> None:
    run = run_without_node(tmp_path, ci="true")
    assert run.returncode == 1
    assert "3 failed" in run.stdout
    assert "node is not on PATH" in run.stdout
