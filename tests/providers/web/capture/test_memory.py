"""Memory: a bomb, an endless body and a page at its cap stay below 64 MiB of the whole process."""

import itertools
import os
import subprocess
import sys
import zlib
from collections.abc import Callable

import pytest

from tests.providers.web.capture.peer import Answer, Peer, page

FETCH = """
import resource, sys
from datetime import UTC, datetime
from pathlib import Path
from providers.web.capture.fetch import Fetcher
from providers.web.capture.policy import FetchPolicy
port = int(sys.argv[1])
policy = FetchPolicy(allow_networks=("127.0.0.0/8",), allow_ports=(port,), robots=False)
fetcher = Fetcher(policy, lambda: datetime(2026, 1, 1, tzinfo=UTC), lambda url: None)
fetched = fetcher.fetch(f"http://127.0.0.1:{port}/")
status = Path("/proc/self/status")
if status.exists():
    peak = next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM"))
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(fetched.state, peak, fetched.byte_size, fetched.reason)
"""
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
CAP = 16 << 20


ZIP = "Content-Encoding: gzip"


def zipped(part: bytes, times: int) -> bytes:
    """gzip of `part` so many times over, made without holding what it unpacks to."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    return b"".join([*(packer.compress(part) for _ in range(times)), packer.flush()])


CASES: dict[str, tuple[Callable[[], Answer], str]] = {
    "bomb": (
        lambda: (page(zipped(bytes(1 << 20), 256), 200, ZIP),),
        f"rejected 0 the body is larger than {CAP} bytes",
    ),
    "endless body": (
        lambda: itertools.chain([OK + b"\r\n"], itertools.repeat(bytes(65536))),
        f"rejected 0 the answer is larger than {CAP} bytes on the wire",
    ),
    "chunks of two bytes": (
        lambda: itertools.chain([CHUNKED], itertools.repeat(b"2\r\nab\r\n" * 8192)),
        "failed 0 the body comes in too many chunks",
    ),
    "page near its cap": (lambda: (page(bytes(CAP - 1000)),), f"captured {CAP - 1000} "),
    "gzip page at its cap": (
        lambda: (page(zipped(os.urandom(1 << 10), CAP >> 10), 200, ZIP),),
        f"captured {CAP} ",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_whole_process_stays_below_64_mib(case: str, peer: Peer) -> None:
    answer, expected = CASES[case]
    peer.answers["/"] = answer
    command = [sys.executable, "-c", FETCH, str(peer.port)]
    ended = subprocess.run(command, check=True, capture_output=True, timeout=60, text=True)
    state, peak, size, *reason = ended.stdout.split(" ", 3)
    assert " ".join([state, size, *reason]).rstrip("\n") == expected
    sys.stdout.write(f"{case}: {int(peak) / 1024:.1f} MiB\n")  # shown by pytest -rP
    assert int(peak) < 64 << 10
