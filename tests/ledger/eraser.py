"""Erase one plan after another, a line each when it is done: `python -m tests.ledger.eraser FOLDER COUNT`."""

import os
import sys
from pathlib import Path

from ledger.erasure import erase
from tests.ledger.signing import opened
from tests.ledger.steps import name_of


def main(folder: Path, count: int) -> None:
    """Say first that it begins, so that who waits for that line knows that it runs."""
    ledger = opened(folder)
    os.write(1, b"begun\n")
    for number in range(count):
        done = erase(ledger, name_of(number), "asked for", "keeper")
        os.write(1, f"{number} {done.bodies} {done.left}\n".encode())
    ledger.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
