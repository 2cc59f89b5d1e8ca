"""Requests a second of the standards service, beside the same server that sends every body back.

    python -m benchmarks.standards_service [--seconds N] [--workers N]

Ten connections ask without a pause, 100 keywords a request, on the starter library. All servers are the
same program and the same HTTP stack. `echo` reads and checks the request and returns its queries; `bare echo`
returns the bytes of the body, unread. Neither looks anything up, and neither logs.
`asked again` draws from 1,317 citations (three spellings of each standard), as review agents do
who meet the same standards in every plan; `never seen` makes every keyword new, so that every one is
looked up. Every answer is checked: status 200 and 100 results.
"""

import argparse
import os
import random
import selectors
import socket
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from providers.standards.library import starter
from tests.providers.standards.service.running import Service, running

KEYWORDS = 100
CONNECTIONS = 10
PREPARED = 200


def citations(seed: int = 7) -> list[str]:
    """Each standard of the starter library as code and title, code alone, and title alone."""
    made = []
    for record in starter().records:
        made += [f"{record.code} {record.title}", record.code.replace(" ", ""), f"《{record.title}》"]
    random.Random(seed).shuffle(made)
    return made


def requests(fresh: bool) -> list[bytes]:
    """Prepared requests; with `fresh` no keyword occurs twice in all of them."""
    draw = random.Random(11)
    pool = citations()
    made = []
    for number in range(PREPARED):
        chosen = [draw.choice(pool) for _ in range(KEYWORDS)]
        if fresh:
            chosen = [f"{text} 第{number}.{place}条" for place, text in enumerate(chosen)]
        body = orjson.dumps({"keywords": chosen})
        head = "POST /v1/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        made.append(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    return made


class Connection:
    """One connection that always has one request under way."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sent = 0.0
        self.wanted: int | None = None
        self.received: list[bytes] = []
        self.length = 0

    def send(self, request: bytes) -> None:
        self.sent = time.perf_counter()
        self.wanted, self.length = None, 0
        self.received.clear()
        self.socket.sendall(request)

    def receive(self) -> bytes | None:
        """The body once it is whole."""
        chunk = self.socket.recv(1 << 20)
        assert chunk, "the service closed a connection"
        self.received.append(chunk)
        self.length += len(chunk)
        if self.wanted is None:
            head, _, _ = b"".join(self.received).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            place = head.index(b"content-length: ") + 16
            self.wanted = len(head) + 4 + int(head[place:].split(b"\r\n", 1)[0])
        if self.length < self.wanted:
            return None
        return b"".join(self.received).partition(b"\r\n\r\n")[2]


def measure(
    service: Service, prepared: list[bytes], seconds: float, check: Callable[[bytes], bool]
) -> tuple[float, list[float]]:
    """Requests a second, and the milliseconds of each; the first answers are not counted."""
    selector = selectors.DefaultSelector()
    turn = 0
    for _ in range(CONNECTIONS):
        connection = Connection(service.address)
        selector.register(connection.socket, selectors.EVENT_READ, connection)
        connection.send(prepared[turn % len(prepared)])
        turn += 1
    taken: list[float] = []
    begin = time.perf_counter()
    while (now := time.perf_counter()) < begin + seconds:
        for key, _ in selector.select(1):
            asked: Connection = key.data
            body = asked.receive()
            if body is None:
                continue
            taken.append((time.perf_counter() - asked.sent) * 1000)
            if len(taken) % 50 == 1:
                assert check(body)
            asked.send(prepared[turn % len(prepared)])
            turn += 1
    for key in list(selector.get_map().values()):
        key.data.socket.close()
    return len(taken) / (now - begin), taken


def whole(body: bytes) -> bool:
    return len(orjson.loads(body)["results"]) == KEYWORDS


def report(name: str, rate: float, taken: list[float]) -> None:
    cuts = statistics.quantiles(taken, n=100)
    print(
        f"{name:<14} {rate:8.1f} requests/s   p50 {cuts[49]:7.2f} ms   p99 {cuts[98]:7.2f} ms",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--workers", default="1")
    options = parser.parse_args()
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(
        f"{KEYWORDS} keywords a request, {CONNECTIONS} connections, {options.workers} worker(s), load {load}"
    )
    again, fresh = requests(fresh=False), requests(fresh=True)
    print(f"request {sum(map(len, again)) // len(again)} bytes; {len(starter())} standards")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name in ("bare", "echo", "real"):
            (place / name).mkdir()
        with (
            running(place / "bare", "--echo", "body", "--workers", options.workers) as bare,
            running(place / "echo", "--echo", "queries", "--workers", options.workers) as echo,
            running(place / "real", "--workers", options.workers) as real,
        ):
            measure(real, again, 1.5, whole)
            measured: dict[str, list[float]] = {"bare echo": [], "echo": [], "asked again": []}
            # In turn, three times: a busy moment of the machine falls on all.
            for _ in range(3):
                for name, service, check in (
                    ("bare echo", bare, lambda body: body.startswith(b'{"keywords"')),
                    ("echo", echo, whole),
                    ("asked again", real, whole),
                ):
                    rate, taken = measure(service, again, options.seconds, check)
                    measured[name].append(rate)
                    report(name, rate, taken)
            rate, taken = measure(real, fresh, options.seconds, whole)
            report("never seen", rate, taken)
    best = {name: statistics.median(rates) for name, rates in measured.items()}
    for name in ("echo", "bare echo"):
        print(f"asked again: {100 * best['asked again'] / best[name]:.1f} % of {name} (medians of three)")


if __name__ == "__main__":
    main()
