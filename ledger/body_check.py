"""Whether every stored body is one that a record names; memory does not hold all their names."""

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

from ledger.chain import Break

Statement = Callable[..., list[tuple[Any, ...]]]
RULE = "a stored body is one that a record names"
_CHUNK = 256
_MOST_WAITING = 1000
_BODIES = "SELECT digest FROM bodies WHERE digest > ? ORDER BY digest LIMIT ?"
_LENGTH = "SELECT length(bytes) FROM bodies WHERE digest = ?"
_COUNT = "SELECT COUNT(digest) FROM bodies WHERE TRUE"
_KEY_BYTES = 32


class BodyCheck:
    """The bodies that records name, in a private database of SQLite's that goes to disk when it grows."""

    def __init__(self) -> None:
        self._names = sqlite3.connect("", isolation_level=None)
        self._names.execute("PRAGMA journal_mode = OFF")
        self._names.execute("CREATE TABLE named (digest BLOB)")
        self._names.execute("BEGIN")
        self._waiting: list[tuple[bytes]] = []
        self._last = 0
        self._all_read = True

    def name(self, seq: int, digest: str) -> None:
        """Record `seq` names that body."""
        self._last = seq
        self._waiting.append((bytes.fromhex(digest[-64:]),))
        if len(self._waiting) > _MOST_WAITING:
            self._flush()

    def unread(self) -> None:
        """A record cannot be read: nobody can say which body it names, nor that one is named by none."""
        self._all_read = False

    def strays(self, statement: Statement) -> Iterator[Break]:
        """What stands in the table of bodies and is named by no record."""
        if not self._all_read:
            return
        self._flush()
        named = (one for (one,) in self._names.execute("SELECT DISTINCT digest FROM named ORDER BY digest"))
        walked, name = 0, next(named, None)
        for digest in _stored(statement):
            walked += 1
            while name is not None and name < digest:
                name = next(named, None)
            if name != digest and not _is_empty(statement, digest):
                yield Break(self._last, "body", RULE, "no such body", digest.hex())
        [(rows,)] = statement(_COUNT)
        if rows != walked:  # what is stored under a text, a number or nothing
            yield Break(self._last, "bodies", RULE, f"{walked} rows", f"{rows} rows")

    def close(self) -> None:
        """Give the database back."""
        self._names.close()

    def _flush(self) -> None:
        self._names.executemany("INSERT INTO named VALUES (?)", self._waiting)
        self._waiting.clear()


def _stored(statement: Statement) -> Iterator[bytes]:
    after = b""
    while chunk := statement(_BODIES, after, _CHUNK):
        for (digest,) in chunk:
            if not isinstance(digest, bytes) or digest <= after:
                return  # a damaged index, in which rows come again, or those of another table
            yield digest
            after = digest


def _is_empty(statement: Statement, digest: bytes) -> bool:
    """Whether the row is one that an erasure left: a digest and no bytes."""
    return len(digest) == _KEY_BYTES and statement(_LENGTH, digest) == [(0,)]
