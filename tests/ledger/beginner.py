"""Begin ledgers with one key each time somebody says so: `python -m tests.ledger.beginner FOLDER PLACE`.

A line of stdin names a folder in FOLDER, and a ledger is begun with the key of that folder: in it the file
`PLACE.sqlite3`, or, where PLACE is the URL of a server, in its database of that name. The answer is a line:
the word `begun`, or the code and message of the error.
"""

import os
import sys
from pathlib import Path

from ledger.postgres import PostgresLedger
from ledger.postgres_url import PostgresUrl
from ledger.sqlite import SqliteLedger
from schemas.errors import EvidenceError
from tests.ledger.signing import signing
from tests.ledger.steps import OPENING, Ticking


def begin(here: Path, place: str) -> None:
    """Begin the ledger at `place` with the key of that folder."""
    key, opening = signing(here / "keys"), OPENING._replace(origin=None)
    if "://" in place:
        url = PostgresUrl.of(f"{place}{here.name}")
        PostgresLedger.open(url, Ticking(), create=opening, signing=key).close()
    else:
        SqliteLedger.open(here / f"{place}.sqlite3", Ticking(), create=opening, signing=key).close()


def main(folder: Path, place: str) -> None:
    """Answer every line."""
    os.write(1, b"ready\n")
    for line in sys.stdin:
        try:
            begin(folder / line.strip(), place)
            told = "begun"
        except EvidenceError as error:
            told = f"{error.code} {error.message}"
        os.write(1, told.encode() + b"\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
