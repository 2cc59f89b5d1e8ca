"""Be a writer where the disk is full or cannot be written; print as JSON what was met.

`python -m tests.ledger.faults.confined FOLDER mount|limit|readonly`; what it mounts only it sees.
"""

import json
import resource
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

from evidence.verify import verify
from schemas.canonical import canonical
from schemas.errors import EvidenceError
from tests.ledger.faults.killing import assert_kept
from tests.ledger.faults.run import POLICY
from tests.ledger.signing import opened
from tests.ledger.steps import names, step

ROOM, MORE = 400_000, 8_000_000
PADDING = "x" * 3000


def mount(*arguments: str | Path) -> None:
    subprocess.run(["mount", *map(str, arguments)], check=True)


def append(folder: Path, numbers: range) -> tuple[list[dict[str, object]], list[str]]:
    """What was acknowledged until the first error, and its code and message."""
    told: list[dict[str, object]] = []
    try:
        ledger = opened(folder)
        try:
            for number in numbers:
                body = canonical({"padding": PADDING, "step": number})
                [done] = ledger.append(step(number, "policy.changed", body, actor="w"))
                proof = b64encode(done.proof or b"").decode()
                told.append({"number": number, "seq": done.seq, "id": done.id, "proof": proof})
        finally:
            ledger.close()
    except EvidenceError as error:
        return told, [error.code, error.message]
    return told, []


def full(folder: Path, way: str) -> dict[str, object]:
    """Append until there is no room for ledger and key, make room, and look."""
    if way == "mount":
        mount("-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", folder)
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, resource.RLIM_INFINITY))
    told, error = append(folder, range(1000))
    again, same = append(folder, range(len(told), 1000))
    during = str(verify(folder / "l.sqlite3", POLICY).verdict)
    if way == "mount":
        mount("-t", "tmpfs", "-o", f"remount,size={MORE}", "tmpfs", folder)
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (MORE, resource.RLIM_INFINITY))
    more, none = append(folder, range(len(told) + len(again) + 5))
    return {
        "code": error[0], "message": error[1], "same": same[:1] == error[:1], "during": during, "after": none,
        "acknowledged": len(told) + len(again), "records": assert_kept(folder, [*told, *again]),
        "once": [one["seq"] for one in more] == list(range(1, len(more) + 1)),
    }  # fmt: skip


def readonly(folder: Path) -> dict[str, object]:
    """Every ledger in the folder is verified and cannot be appended to; nothing is written."""
    mount("--bind", folder, folder)
    mount("-o", "remount,ro,bind", folder)
    report: dict[str, object] = {}
    for place in sorted(folder.iterdir()):
        before = {one: (place / one).stat().st_mtime_ns for one in names(place)}
        _, error = append(place, range(100, 101))
        word = verify(place / "l.sqlite3", POLICY)
        same = before == {one: (place / one).stat().st_mtime_ns for one in names(place)}
        report[place.name] = [str(word.verdict), word.facts.records, error[:1], same]
    return report


def main(folder: Path, what: str) -> None:
    """Print the report."""
    report = readonly(folder) if what == "readonly" else full(folder, what)
    sys.stdout.write(json.dumps(report))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
