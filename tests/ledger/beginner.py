"""Begin ledgers with one key each time somebody says so: `python -m tests.ledger.beginner FOLDER NAME`.

A line of stdin names a folder in FOLDER: there `NAME.sqlite3` is begun with the key of that folder. The
answer is a line: the word `begun`, or the code and message of the error.
"""

import os
import sys
from pathlib import Path

from ledger.sqlite import SqliteLedger
from schemas.errors import EvidenceError
from tests.ledger.signing import signing
from tests.ledger.steps import OPENING, Ticking


def main(folder: Path, name: str) -> None:
    """Answer every line."""
    os.write(1, b"ready\n")
    for line in sys.stdin:
        here = folder / line.strip()
        key, opening = signing(here / "keys"), OPENING._replace(origin=None)
        try:
            SqliteLedger.open(here / f"{name}.sqlite3", Ticking(), create=opening, signing=key).close()
            told = "begun"
        except EvidenceError as error:
            told = f"{error.code} {error.message}"
        os.write(1, told.encode() + b"\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
