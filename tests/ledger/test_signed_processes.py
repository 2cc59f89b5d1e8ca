"""Killed processes that sign: every proof that was given out holds, and nobody is accused wrongly."""

import random
import subprocess
import sys
from base64 import b64decode
from contextlib import suppress
from pathlib import Path

from ledger.checkpoint import Checkpoint
from ledger.proof import Proof
from ledger.tree import consistency, verify_consistency
from tests.ledger.signing import opened
from tests.ledger.steps import append, step
from tests.ledger.test_signed import POLICY, findings

ROOT = Path(__file__).resolve().parents[2]


def test_killed_writers_leave_a_signed_log_that_goes_on_and_every_proof_holds(tmp_path: Path) -> None:
    dice = random.Random(6962)
    opened(tmp_path).close()
    given: dict[int, bytes] = {}
    for turn in range(4):
        command = [sys.executable, "-m", "tests.ledger.signed_appender", str(tmp_path)]
        running = [
            subprocess.Popen([*command, f"w{turn}{number}", "40"], cwd=ROOT, stdout=subprocess.PIPE)
            for number in range(3)
        ]
        for process in running:
            assert process.stdout is not None
            seen = [process.stdout.readline() for _ in range(dice.randint(1, 12))]
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=dice.uniform(0, 0.02))
            process.kill()
            seen += process.stdout.readlines()
            process.wait()
            process.stdout.close()
            for line in seen:
                number, text = line.split()
                given[int(number)] = b64decode(text)
    ledger = opened(tmp_path)
    append(ledger, step(1, actor="next"))
    with ledger.read() as reader:
        raws = dict(reader.records())
        _, last = Checkpoint.of(reader.last_checkpoint() or b"")
        for seq, text in given.items():
            proof = Proof.read(text)
            assert proof.seq == seq
            seen_then = proof.check(raws[seq])
            assert POLICY.verify(proof.checkpoint).checkpoint == seen_then
            path = consistency(reader.subtree, seen_then.size, last.size)
            assert verify_consistency(seen_then.size, seen_then.root, last.size, last.root, path)
    ledger.close()
    assert len(given) >= 12
    assert findings(tmp_path) == []
