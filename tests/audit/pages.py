"""SQLite pages that name each other many times over (sqlite.org/fileformat2.html section 1.6)."""

import sqlite3
import struct
from contextlib import closing
from itertools import pairwise
from pathlib import Path

PAGE = 4096
_TABLE, _INDEX = 5, 2  # what an interior page of either begins with
_FAR = b"\xff\x7f"  # the key 16383, beyond every one that is stored


def roots(path: Path) -> dict[str, int]:
    """The first page of each table and index."""
    with closing(sqlite3.connect(path)) as connection:
        return dict(connection.execute("SELECT name, rootpage FROM sqlite_schema WHERE rootpage"))


def page(raw: bytes, number: int) -> bytes:
    """One page; the first has the number 1."""
    return raw[(number - 1) * PAGE : number * PAGE]


def put(raw: bytes, number: int, content: bytes) -> bytes:
    """The file with another page in that place."""
    return raw[: (number - 1) * PAGE] + content + raw[number * PAGE :]


def last_leaf(raw: bytes, root: int) -> bytes:
    """The last leaf of a tree."""
    found = page(raw, root)
    while found[0] in (_TABLE, _INDEX):
        found = page(raw, *struct.unpack(">I", found[8:12]))
    return found


def bomb(raw: bytes, root: int, depth: int, fan: int) -> bytes:
    """The file with a tree of `depth` pages instead, each of which leads `fan` + 1 times to the next.

    At its end is the last leaf of the tree that was there.
    """
    leaf, count = last_leaf(raw, root), len(raw) // PAGE
    key = _FAR
    if leaf[0] == _INDEX + 8:
        [first] = struct.unpack(">H", leaf[8:10])
        key = leaf[first : first + 1 + leaf[first]]
    chain = [root, *range(count + 1, count + depth + 1)]
    for here, following in pairwise(chain):
        kind = _TABLE if key == _FAR else _INDEX
        raw = put(raw, here, interior(kind, struct.pack(">I", following), key, fan))
    raw = put(raw, chain[-1], leaf)
    return raw[:28] + struct.pack(">I", len(raw) // PAGE) + raw[32:]


def interior(kind: int, to: bytes, key: bytes, fan: int) -> bytes:
    """A page of `fan` cells, or as many as there is room for, that all lead to one page."""
    cell = to + key
    fan = min(fan, (PAGE - 12) // (len(cell) + 2))
    places = [PAGE - len(cell) * (one + 1) for one in range(fan)]
    head = struct.pack(">BHHHB", kind, 0, fan, places[-1], 0) + to + struct.pack(f">{fan}H", *places)
    return head + bytes(places[-1] - len(head)) + cell * fan
