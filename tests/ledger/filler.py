"""Append until there is no room: `python -m tests.ledger.filler FILE mount|limit ROOM`.

It makes room, opens the ledger again and prints what it saw as JSON.
"""

import json
import resource
import subprocess
import sys
from pathlib import Path

from ledger.chain import links
from schemas.errors import StorageError
from schemas.ledger import record_id
from tests.ledger.steps import append, begin, names, step, stored


def room(folder: Path, way: str, size: int, first: bool = False) -> None:
    """Let the folder hold, or this process write, at most `size` bytes a file system or file."""
    if way == "mount":
        options = f"size={size}" if first else f"remount,size={size}"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def main(path: Path, way: str, size: int) -> None:
    """Fill, make room, look again."""
    room(path.parent, way, 8192, first=True)
    errors = []
    try:
        begin(path)
    except StorageError as error:
        errors.append(error.message)
    left = names(path.parent)
    room(path.parent, way, size)
    ledger = begin(path)
    acknowledged = {}
    try:
        for number in range(10_000):
            [done] = append(ledger, step(number, body=b'"%05000d"' % number))
            acknowledged[done.seq] = done.id
    except StorageError as error:
        errors.append(error.message)
    during = {seq: record_id(raw) for seq, raw in stored(ledger) if seq}
    ledger.close()
    room(path.parent, way, 64 * size)
    ledger = begin(path)
    [after] = append(ledger, step(20_000))
    walked = list(links(stored(ledger)))
    report = {
        "errors": errors,
        "left": left,
        "during": during == acknowledged,
        "kept": {link.seq: link.id for link in walked if 0 < link.seq < after.seq} == acknowledged,
        "breaks": sum(len(link.breaks) for link in walked),
        "acknowledged": len(acknowledged),
        "next": after.seq,
    }
    ledger.close()
    sys.stdout.write(json.dumps(report))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
