"""Files with SQLite pages that lead elsewhere than a ledger's (sqlite.org/fileformat2.html section 1.6)."""

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
    return _filled(kind, to, [to + key] * min(fan, (PAGE - 12) // (len(to + key) + 2)))


def parted(raw: bytes, root: int, key: int) -> bytes:
    """The file with `key` as the last one below the first page that a table's root leads to.

    A row behind it on that page is walked to, and not found by its own key.
    """
    top = page(raw, root)
    [first] = struct.unpack_from(">H", top, 12)
    assert top[0] == _TABLE
    return put(raw, root, top[: first + 4] + bytes([key]) + top[first + 5 :])


def shared(raw: bytes, root: int, rows: int) -> bytes:
    """The file with that many rows in a table, from 0 on, that all rest on the pages of its last one.

    That one must be longer than a page.
    """
    leaf = last_leaf(raw, root)
    [last] = struct.unpack_from(">H", leaf, 6 + 2 * int.from_bytes(leaf[3:5], "big"))
    size, at = _varint(leaf, last)
    _, start = _varint(leaf, at)
    least = (PAGE - 12) * 32 // 255 - 23  # the format's M, K and U are these, PAGE - 4 and PAGE
    inside = least + (size - least) % (PAGE - 4)
    if inside > PAGE - 35:
        inside = least
    before, after = leaf[last:at], leaf[start : start + inside + 4]
    each = (PAGE - 8) // (len(before) + 2 + len(after) + 2)
    count, above = len(raw) // PAGE, []
    for first in range(0, rows, each):
        keys = range(first, min(first + each, rows))
        count += 1
        raw = put(raw, count, _filled(_TABLE + 8, b"", [before + _key(key) + after for key in keys]))
        above.append((struct.pack(">I", count), _key(keys[-1])))
    raw = put(raw, root, _filled(_TABLE, above[-1][0], [to + key for to, key in above[:-1]]))
    return raw[:28] + struct.pack(">I", count) + raw[32:]


def _filled(kind: int, rightmost: bytes, cells: list[bytes]) -> bytes:
    places, end = [], PAGE
    for cell in cells:
        end -= len(cell)
        places.append(end)
    head = struct.pack(">BHHHB", kind, 0, len(cells), end, 0) + rightmost
    head += struct.pack(f">{len(cells)}H", *places)
    return head + bytes(end - len(head)) + b"".join(reversed(cells))


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    """A number of the format, and where it ends."""
    value = 0
    while raw[at] & 128:
        value, at = value << 7 | raw[at] & 127, at + 1
    return value << 7 | raw[at], at + 1


def _key(number: int) -> bytes:
    return bytes([number]) if number < 128 else bytes([128 | number >> 7, number & 127])
