"""Random edits of one byte of what a ledger file stores, and what a replay must say about one."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import NamedTuple

from evidence.audit import Replay
from schemas.ledger import read_raw


class Edit(NamedTuple):
    """One changed byte: in the raw bytes or in the body of these records."""

    what: str
    seqs: tuple[int, ...]
    offset: int
    before: int
    after: int


def edit(path: Path, copy: Path, chance: Random) -> Edit:
    """Copy the ledger at `path` to `copy` and change one byte of a random record or body there."""
    shutil.copyfile(path, copy)
    with closing(sqlite3.connect(copy)) as connection, connection:
        records = connection.execute("SELECT seq, raw FROM records ORDER BY seq").fetchall()
        seq, raw = chance.choice(records)
        digest = read_raw(raw).body.digest
        if chance.random() < 0.5:
            made, changed = _changed("record", (seq,), raw, chance)
            connection.execute("UPDATE records SET raw = ? WHERE seq = ?", (changed, seq))
            return made
        key = bytes.fromhex(digest.partition(":")[2])
        named = tuple(at for at, one in records if read_raw(one).body.digest == digest)
        ((body,),) = connection.execute("SELECT bytes FROM bodies WHERE digest = ?", (key,)).fetchall()
        made, changed = _changed("body", named, body, chance)
        connection.execute("UPDATE bodies SET bytes = ? WHERE digest = ?", (changed, key))
        return made


def _changed(what: str, seqs: tuple[int, ...], stored: bytes, chance: Random) -> tuple[Edit, bytes]:
    offset = chance.randrange(len(stored))
    # Half of the edits give another printable character: the most that an edit can look like.
    after = chance.randrange(256) if chance.random() < 0.5 else chance.randrange(0x20, 0x7F)
    before = stored[offset]
    after = after if after != before else before ^ 1
    return Edit(what, seqs, offset, before, after), stored[:offset] + bytes([after]) + stored[offset + 1 :]


def assert_seen(made: Edit, report: Replay) -> None:
    """The replay is not clean, and its first finding names the edited record or the one right after it."""
    assert not report.clean, made
    named = {seq + near for seq in made.seqs for near in (0, 1)}
    assert report.findings[0].seq in named, (made, report.findings[0])
