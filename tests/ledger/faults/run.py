"""A short run of a writer that is told of errors and tries once more, as a user would.

Each thing that happened is one line of JSON: an acknowledgement, or an error with its code.
"""

import json
import os
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable
from pathlib import Path

from evidence.verify import verify
from ledger.chain import links
from schemas.errors import EvidenceError
from tests.ledger.signing import opened, signer
from tests.ledger.steps import step, stored

STEPS = 4
POLICY = f"log {signer().verifier}\nquorum none\n".encode()

Tell = Callable[[dict[str, object]], None]


def run(folder: Path, tell: Tell) -> None:
    """Append every step, two at each opening; what fails is tried once more with a new opening."""
    for first in range(0, STEPS, 2):
        for _ in range(2):
            try:
                _open_and_append(folder, range(first, first + 2), tell)
                break
            except EvidenceError as error:
                tell({"code": error.code, "message": error.message, "hint": error.hint})


def _open_and_append(folder: Path, numbers: Iterable[int], tell: Tell) -> None:
    ledger = opened(folder)
    try:
        for number in numbers:
            [done] = ledger.append(step(number, "policy.changed"))  # which no rule is about
            proof = b64encode(done.proof or b"").decode()
            tell({"number": number, "seq": done.seq, "id": done.id, "proof": proof})
    finally:
        ledger.close()


def to_stdout(line: dict[str, object]) -> None:
    """One write, so that a killed process leaves a whole line or none."""
    os.write(1, json.dumps(line).encode() + b"\n")


def settled(folder: Path, told: Iterable[dict[str, object]]) -> str | None:
    """What is wrong after the run, when nothing fails any more; None when all is as it was acknowledged.

    Every step is taken again, as by a caller that does not know what became of it.
    """
    acknowledged = {str(one["number"]): one for one in told if "number" in one}
    before = verify(folder / "l.sqlite3", POLICY)
    if str(before.verdict) not in ("VERIFIED", "CANNOT-VERIFY", "TORN") or before.findings:
        return f"the ledger as it was left: {before.to_wire()}"
    again: list[dict[str, object]] = []
    run(folder, again.append)
    if any("code" in one for one in again):
        return f"the next command failed: {again}"
    for one in again:
        first = acknowledged.get(str(one["number"]), one)
        if (first["seq"], first["id"]) != (one["seq"], one["id"]):
            return f"acknowledged {first}, now {one}"
    ledger = opened(folder)
    walked = list(links(stored(ledger)))
    ledger.close()
    if [link.seq for link in walked] != list(range(STEPS + 1)) or any(link.breaks for link in walked):
        return f"records {[link.seq for link in walked]}"
    kept = [b64decode(str(one["proof"])) for one in (*acknowledged.values(), *again)]
    after = verify(folder / "l.sqlite3", POLICY, kept)
    return None if after.verdict == "VERIFIED" else f"afterwards: {after.to_wire()}"


def told_by_verify(folder: Path, tell: Tell) -> None:
    """The word on the ledger of that folder."""
    tell(verify(folder / "l.sqlite3", POLICY).to_wire())
