"""Whether the indexes of a store over SQL say what its records say, looked at in one go.

Here is only yes or no. What is wrong with an index that does not fit, `SqlReader.index_breaks` says, record
by record, in several times as long.
"""

import os
from collections.abc import Callable, Iterator
from typing import Any

from ledger.body_check import BodyCheck
from ledger.store import REGISTERED
from ledger.tree_check import TreeCheck, checkpoint_breaks
from ledger.written import Texts, texts
from schemas.errors import IntegrityError
from schemas.ledger import SUBJECT_FIELDS, record_id

Statement = Callable[..., list[tuple[Any, ...]]]
_CHUNK = 256
_ABOUT = sorted(SUBJECT_FIELDS)  # as they stand in a record
_RECORDS = "SELECT seq, raw, prev, idem, kind, tree FROM records WHERE seq > ? ORDER BY seq LIMIT ?"
_SUBJECTS = (
    "SELECT hex, algorithm, field, seq FROM subjects WHERE (hex, algorithm, field, seq) > (?, ?, ?, ?)"
    " ORDER BY hex, algorithm, field, seq LIMIT ?"
)
_BEFORE_THEM = "SELECT COUNT(*) FROM subjects WHERE hex <= ''"
_SCHEMAS = "SELECT name, digest FROM schemas WHERE TRUE ORDER BY name, digest"
_HEAD = "SELECT seq, digest FROM head WHERE TRUE"


def fits(statement: Statement, checkpoints: Iterator[tuple[int, bytes]], bodies: BodyCheck) -> bool:
    """Whether every derived row is what the stored bytes make of it, and nothing is there beside.

    `bodies` is told what every record names.
    """
    try:
        return _Look(statement, checkpoints, bodies).fits()
    except IntegrityError:
        return False


class _Look:
    """One pass over the records, and one over the rows that look them up."""

    def __init__(
        self, statement: Statement, checkpoints: Iterator[tuple[int, bytes]], bodies: BodyCheck
    ) -> None:
        self._statement = statement
        self._bodies = bodies
        self._checkpoints = checkpoints
        # Two sets of rows are the same when the sums of their hashes are, under a key that nobody knows
        # before: the hash of a tuple would not do, its last item moves from row to row within the sum.
        # That of a text is SipHash; the secret before it stands for a key where PYTHONHASHSEED states one.
        self._secret = os.urandom(32).hex()
        self._named = self._ids = 0
        self._registered: set[tuple[str, bytes]] = set()
        self._head: list[tuple[int, bytes]] = []

    def fits(self) -> bool:
        """Whether all of it fits; asked once."""
        return (
            self._records_fit()
            and self._statement(_HEAD) == self._head
            and self._statement(_SCHEMAS) == sorted(self._registered)
            and self._named == self._looked_up()
            and self._statement(_BEFORE_THEM) == [(0,)]
        )

    def _records_fit(self) -> bool:
        tree = TreeCheck()
        sealed = next(self._checkpoints, None)
        for seq, raw, *derived, hashes in self._rows():
            if seq != tree.size or not isinstance(raw, bytes) or tree.row(raw, hashes) != hashes:
                return False
            if derived != self._derive(seq, texts(raw)):
                return False
            if sealed is not None and sealed[0] == tree.size:
                if any(checkpoint_breaks(seq, sealed[1], tree)):
                    return False
                sealed = next(self._checkpoints, None)
            self._head = [(seq, raw)]
        self._head = [(seq, _key(record_id(raw))) for seq, raw in self._head]
        return sealed is None

    def _derive(self, seq: int, said: Texts) -> list[object]:
        _, _, body, _, idem, kind, _, prev, schema, name, _, *about = said
        self._bodies.name(seq, body)
        if kind == REGISTERED:
            self._registered.add((name, _key(schema)))
        for field, identity in zip(_ABOUT, about, strict=True):
            if identity:
                algorithm, _, digits = identity.partition(":")
                self._named += self._hash(digits, algorithm, field, seq)
                self._ids += 1
        return [_key(prev), _key(idem), kind]

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        after = -1
        while (chunk := self._statement(_RECORDS, after, _CHUNK)) and chunk[-1][0] > after:
            yield from chunk
            after = chunk[-1][0]

    def _looked_up(self) -> int:
        total, last = 0, ("", "", "", -1)
        # More than the records name are too many, or a damaged index in which they come again.
        while self._ids >= 0 and (chunk := self._statement(_SUBJECTS, *last, _CHUNK)):
            self._ids -= len(chunk)
            for row in chunk:
                total += self._hash(*row)
            last = chunk[-1]
        return total

    def _hash(self, digits: object, algorithm: object, field: object, seq: object) -> int:
        # Bytes are not written as text is; `!r` tells a text of digits from the number.
        return hash(f"{self._secret}{digits} {algorithm} {field} {seq!r}")


def _key(digest: str) -> bytes:
    return bytes.fromhex(digest[-64:])
