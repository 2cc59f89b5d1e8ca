"""Append with a key, a line when durable: `python -m tests.ledger.faults.writer FOLDER NAME FROM TO`."""

import sys
from base64 import b64encode
from pathlib import Path

from tests.ledger.faults.run import to_stdout
from tests.ledger.signing import opened
from tests.ledger.steps import step


def main(folder: Path, actor: str, first: int, last: int) -> None:
    """Append the steps from `first` to before `last` under this name, one a transaction."""
    ledger = opened(folder, timeout_seconds=60)
    for number in range(first, last):
        [done] = ledger.append(step(number, "policy.changed", actor=actor))
        proof = b64encode(done.proof or b"").decode()
        to_stdout({"actor": actor, "number": number, "seq": done.seq, "id": done.id, "proof": proof})
    ledger.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
