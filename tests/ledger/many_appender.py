"""Threads of one process share an Appender.

    python -m tests.ledger.many_appender FILE NAME THREADS COUNT ROOM

Each acknowledged step is a line; ROOM > 0 bounds the bytes of a file, and each thread tells its error.
"""

import os
import resource
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ledger.appender import Appender
from schemas.errors import StorageError
from tests.ledger.steps import begin, step


def main(path: Path, name: str, threads: int, count: int, room: int) -> None:
    """Append with all threads at once; a thread ends at its first error."""
    ledger = begin(path, timeout_seconds=60)
    appender = Appender(ledger)
    if room:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))

    def work(thread: int) -> None:
        for number in range(count):
            draft = step(
                number, actor=f"{name}{thread}", body=f'"{"x" * 2000}{name} {thread} {number}"'.encode()
            )
            try:
                [done] = appender.append(draft)
            except StorageError as error:
                os.write(1, f"error {error.message}\n".encode())
                return
            os.write(1, f"{thread} {number} {done.seq} {done.id}\n".encode())

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))
    appender.close()
    ledger.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:6]))
