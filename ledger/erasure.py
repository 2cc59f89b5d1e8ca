"""Take bodies out of a log; record, chain, tree and ids stay as they are (ledger.md sections 1 and 3).

A `body.erased` record names the digests. Whoever reads the log knows by it that an absent body is
ERASED and not lost, and that one which is there again should be gone.
"""

from collections.abc import Iterator
from contextlib import suppress

from ledger.store import Reader
from schemas.errors import IntegrityError, InvalidError
from schemas.ledger import read_raw
from schemas.ledger_erasure import ERASURE, BodyErased
from schemas.outside import parse


def erased(reader: Reader) -> dict[str, int]:
    """The digest of every body that the log says was erased, and the first record that says so.

    A `body.erased` that cannot be read names none: an audit tells of it where it stands.
    """
    found: dict[str, int] = {}
    for seq, stated in _erasures(reader):
        for digest in stated.bodies:
            found.setdefault(digest, seq)
    return found


def _erasures(reader: Reader) -> Iterator[tuple[int, BodyErased]]:
    for seq, raw in reader.of_kind(ERASURE):
        with suppress(IntegrityError, InvalidError):
            body = reader.body(read_raw(raw).body.digest)
            yield seq, BodyErased.read(parse(body or b"", "body"))
