"""An erasure that is killed has erased nothing or all, and said again it ends."""

import random
import shutil
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest

from ledger import standalone
from ledger.erasure import erase, erased
from ledger.sqlite_readonly import open_readonly
from schemas.canonical import canonical, digest_bytes
from tests.ledger.signing import opened, signer
from tests.ledger.steps import append, name_of, step
from tests.ledger.test_erasure import MARKER, holding

ROOT = Path(__file__).resolve().parents[2]
PLANS = 6


def bodies(number: int) -> list[bytes]:
    """What is recorded about the plan of that number."""
    return [canonical(f"{MARKER} {number} {place} " * 400) for place in range(3)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A signed ledger of some plans."""
    folder = tmp_path_factory.mktemp("killed") / "made"
    with closing(opened(folder)) as ledger:
        for number in range(PLANS):
            for place, body in enumerate(bodies(number)):
                append(ledger, step(number, "policy.changed", body, f"{place}"))
    (folder / "policy").write_text(f"log {signer().verifier}\nquorum none\n")
    return folder


def killed(folder: Path, lines: int, delay: float) -> list[bytes]:
    """What was said to be done by one that was killed some time after so many lines."""
    command = [sys.executable, "-m", "tests.ledger.eraser", str(folder), str(PLANS)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(lines)]
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=delay)
        process.kill()
        said += process.stdout.readlines()
    return said[1:]


def check(made: Path, folder: Path, dice: random.Random) -> None:
    """Kill one erasure somewhere and look at what it left."""
    shutil.copytree(made, folder)
    said = killed(folder, dice.randint(1, PLANS), dice.uniform(0, 0.05))
    path = folder / "l.sqlite3"
    report = standalone.verify(path, folder / "policy")
    assert (report["verdict"], report["findings"]) == ("VERIFIED", [])
    with open_readonly(path).read() as reader:
        named = erased(reader)
        for number in range(PLANS):
            digests = [digest_bytes(body) for body in bodies(number)]
            gone = [digest for digest in digests if reader.body(digest) is None]
            assert [digest for digest in digests if digest in named] == gone
            assert gone in ([], digests)
            assert gone or number >= len(said)
    with closing(opened(folder)) as ledger:
        for number in range(PLANS):
            assert erase(ledger, name_of(number), "asked for", "keeper").left is None
        append(ledger, step(99, "policy.changed"))
        assert holding(folder) == []
    report = standalone.verify(path, folder / "policy")
    assert (report["verdict"], len(report["erased"])) == ("VERIFIED", 3 * PLANS)


def test_an_erasure_that_is_killed_did_nothing_or_all_and_can_be_ended(made: Path, tmp_path: Path) -> None:
    dice = random.Random(17)
    for turn in range(4):
        check(made, tmp_path / str(turn), dice)


@pytest.mark.soak
def test_it_is_so_in_two_hundred_rounds(made: Path, tmp_path: Path) -> None:
    dice = random.Random()
    for turn in range(200):
        folder = tmp_path / str(turn)
        check(made, folder, dice)
        shutil.rmtree(folder)
