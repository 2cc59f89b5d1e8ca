"""Writers of one ledger with a key that are killed again and again, and what they had acknowledged."""

import json
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from evidence.verify import verify
from ledger import standalone
from ledger.chain import links
from schemas.ledger import read_raw
from tests.ledger.faults.campaign import ROOT
from tests.ledger.faults.run import POLICY
from tests.ledger.signing import opened
from tests.ledger.steps import step, stored

Line = dict[str, Any]
LONGEST = 10_000  # steps: more than any writer lives to take


class Tally(NamedTuple):
    """How many writers were killed, and how many records they had been told of."""

    kills: int
    acknowledged: int
    records: int


def start(folder: Path, actor: str, first: int, last: int) -> "subprocess.Popen[str]":
    """A writer that takes these steps."""
    command = [sys.executable, "-m", "tests.ledger.faults.writer", str(folder), actor, str(first), str(last)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True)


def ended(process: "subprocess.Popen[str]", seen: Iterable[str] = ()) -> list[Line]:
    """What it said, after these lines too; a complaint is a failure."""
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        output = [*seen, *process.stdout.readlines()]
        assert process.stderr.read() == ""
    return [json.loads(line) for line in output]


def killed(folder: Path, actor: str, first: int, dice: Random) -> list[Line]:
    """What a writer had acknowledged when it was killed at a moment that nobody can foresee."""
    process = start(folder, actor, first, LONGEST)
    assert process.stdout is not None
    seen = [process.stdout.readline() for _ in range(dice.randint(1, 12))]
    with suppress(subprocess.TimeoutExpired):  # spread over all of an append
        process.wait(timeout=dice.uniform(0, 0.02))
    process.kill()
    return ended(process, seen)


def campaign(folder: Path, actor: str, kills: int, seed: int) -> list[Line]:
    """Each start takes the last acknowledged step once more, which must be the same record."""
    dice, told = Random(f"{seed} {actor}"), dict[int, Line]()
    for turn in range(kills):
        for line in killed(folder, actor, max(len(told) - 1, 0), dice):
            first = told.setdefault(line["number"], line)
            assert (first["seq"], first["id"]) == (line["seq"], line["id"])
        if turn % 2:
            word = verify(folder / "l.sqlite3", POLICY)  # while the others are at work on it
            assert word.verdict == "VERIFIED", word.to_wire()
    return list(told.values())


def kill_often(folder: Path, kills: int, writers: int = 4, seed: int = 1) -> Tally:
    """Kill every writer so often, and look at what is left."""
    opened(folder).close()
    actors = [f"w{number}" for number in range(writers)]
    with ThreadPoolExecutor(writers) as pool:
        told = list(pool.map(lambda actor: campaign(folder, actor, kills, seed), actors))
    acknowledged = [line for lines in told for line in lines]
    return Tally(kills * writers, len(acknowledged), assert_kept(folder, acknowledged))


def assert_kept(folder: Path, acknowledged: list[Line]) -> int:
    """All that was acknowledged is there, once, in one unbroken log that goes on; how many records it has."""
    ledger = opened(folder)
    walked = list(links(stored(ledger)))
    raws = dict(stored(ledger))
    assert [found for link in walked for found in link.breaks] == []
    assert [link.seq for link in walked] == list(range(len(walked)))
    held = {link.seq: link.id for link in walked}
    assert {line["seq"]: line["id"] for line in acknowledged}.items() <= held.items()
    records = [read_raw(raw) for seq, raw in raws.items() if seq]
    assert len({(one.actor, one.subject.plan_id) for one in records}) == len(records)
    [done] = ledger.append(step(LONGEST, "policy.changed"))
    assert done.seq == len(walked)
    ledger.close()
    policy, kept = folder / "policy", folder / "kept"
    policy.write_bytes(POLICY)
    for line in Random(2).sample(acknowledged, min(20, len(acknowledged))):
        kept.write_bytes(b64decode(line["proof"]))
        report = verify(folder / "l.sqlite3", POLICY, [kept.read_bytes()])
        assert (report.verdict, len(report.anchored_by)) == ("VERIFIED", 2), report.to_wire()
    assert standalone.verify(folder / "l.sqlite3", policy, [kept])["verdict"] == "VERIFIED"
    return len(walked) + 1
