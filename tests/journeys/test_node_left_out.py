"""A run that leaves the node tests out says so, and continuous integration never leaves them out."""

from pathlib import Path

from tests.left_out import run_without_programs

# The rest needs a server too, and these are enough to see which run.
ALONE = ("-k", "where_there_is_no_server", "tests/journeys/test_rpc_from_node.py")


def test_a_user_without_node_is_told_what_was_left_out(tmp_path: Path) -> None:
    run = run_without_programs(tmp_path, "", *ALONE)
    assert run.returncode == 5  # pytest's own status: no test was left to run
    assert "tests left out: node is not on PATH (apt-get install nodejs)" in run.stdout


def test_continuous_integration_without_node_fails(tmp_path: Path) -> None:
    run = run_without_programs(tmp_path, "true", *ALONE)
    assert run.returncode == 1
    assert "3 failed" in run.stdout
    assert "node is not on PATH" in run.stdout
