"""Append with a key, a line each when durable: `python -m tests.ledger.signed_appender FOLDER NAME COUNT`."""

import os
import sys
from base64 import b64encode
from pathlib import Path

from tests.ledger.signing import opened
from tests.ledger.steps import step


def main(folder: Path, actor: str, count: int) -> None:
    """Append steps one a transaction; one line each with its seq and proof when it is durable."""
    ledger = opened(folder)
    for number in range(count):
        [done] = ledger.append(step(number, actor=actor))
        os.write(1, f"{done.seq} {b64encode(done.proof or b'').decode()}\n".encode())
    ledger.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
