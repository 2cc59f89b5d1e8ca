"""Append, and say so only after the commit: `python -m tests.ledger.appender FILE NAME FROM TO`."""

import os
import sys
from pathlib import Path

from tests.ledger.steps import append, begin, step


def main(path: Path, actor: str, first: int, last: int) -> None:
    """Append the steps from `first` to before `last`, one a transaction, one line each when it is durable."""
    ledger = begin(path, timeout_seconds=60)
    for number in range(first, last):
        [done] = append(ledger, step(number, actor=actor))
        # One write, so that a killed process leaves a whole line or none.
        os.write(1, f"{number} {done.seq} {done.id}\n".encode())
    ledger.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
