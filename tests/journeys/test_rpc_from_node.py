"""An embedder in another language: Node.js drives `external-evidence rpc` through a whole lifecycle.

tests/journeys/drive_rpc.mjs asks and compares; it computes every identity by itself.
"""

import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

DRIVER = Path(__file__).with_name("drive_rpc.mjs")
STEPS = [
    "own hashing",
    "discover",
    "plan",
    "bad lines",
    "answers in order",
    "receipt",
    "admit",
    "retire",
    "the server",
]

NO_SERVERS = [["no-such-program"], ["node", "-e", ""], ["node", "-e", "console.log('[]')"]]


def drive(*command: str) -> subprocess.CompletedProcess[str]:
    node = shutil.which("node")
    assert node is not None, "node is not on PATH; on Debian: apt-get install nodejs"
    return subprocess.run(
        [node, str(DRIVER), *command], capture_output=True, encoding="utf-8", timeout=120, check=False
    )


def product() -> str:
    """The installed console script, the documented entry."""
    script = shutil.which("external-evidence", path=sysconfig.get_path("scripts"))
    assert script is not None, f"external-evidence is not installed in {sysconfig.get_path('scripts')}"
    return script


@pytest.mark.node
@pytest.mark.req("source-checkout")
def test_a_program_in_another_language_takes_a_question_from_discovery_to_retirement() -> None:
    done = drive(product(), "rpc", "--digest", "sha256")
    assert (done.returncode, done.stderr) == (0, "")
    steps = done.stdout.splitlines()
    assert len(steps) == len(STEPS)
    assert all(said.startswith(f"ok {step}") for said, step in zip(steps, STEPS, strict=True)), steps


@pytest.mark.node
def test_the_driver_notices_a_server_with_other_identities() -> None:
    done = drive(product(), "rpc", "--digest", "blake3")
    assert done.returncode == 1
    assert "blake3:" in done.stderr


@pytest.mark.node
@pytest.mark.parametrize("command", NO_SERVERS)
def test_the_driver_fails_where_there_is_no_server(command: list[str]) -> None:
    done = drive(*command)
    assert done.returncode == 1
    assert done.stderr
