"""A web server on loopback that sends exactly the bytes it is told to, and what a fetch of it did."""

import socket
import ssl
import struct
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Final

from providers.web.capture.deadline import Deadline
from providers.web.capture.fetch import Fetcher
from providers.web.capture.fetched import Fetched
from providers.web.capture.policy import FetchPolicy
from providers.web.capture.resolving import Resolver

NOW: Final = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
LOOPBACK: Final = ("127.0.0.0/8",)

# A step of an answer: bytes to send, seconds to pause, or how to leave: reset the connection, cut it
# (over TLS without close_notify), or hold it open until the other side goes.
Step = bytes | float | str
Answer = Iterable[Step]


class Peer:
    """Answers by request target, and everything that it was sent."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=16)
        self.port: int = self.socket.getsockname()[1]
        self.context = context
        self.answers: dict[str, Callable[[], Answer]] = {}
        self.requests: list[bytes] = []
        self.closing = threading.Event()

    def url(self, target: str = "/", host: str = "page.test") -> str:
        return f"{'https' if self.context else 'http'}://{host}:{self.port}{target}"

    def answer(self, target: str, *steps: Step) -> None:
        self.answers[target] = lambda: steps

    @property
    def targets(self) -> list[str]:
        return [request.split(b" ")[1].decode() for request in self.requests]

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            connection.settimeout(10)
            if self.context is None:
                self._reply(connection)
                return
            with self.context.wrap_socket(connection, server_side=True) as secure:
                if self._reply(secure):
                    secure.unwrap().close()

    def _reply(self, connection: socket.socket) -> bool:
        """Whether the connection is to be closed in order."""
        request = b""
        while b"\r\n\r\n" not in request:
            received = connection.recv(65536)
            if not received:
                return False
            request += received
        self.requests.append(request)
        target = request.split(b" ")[1].decode()
        for step in self.answers.get(target, lambda: (page(b"nothing here", 404),))():
            if isinstance(step, bytes):
                connection.sendall(step)
            elif isinstance(step, float):
                self.closing.wait(step)
            elif step == "reset":
                linger = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                return False
            elif step == "cut":
                return False
            else:
                connection.recv(1)
        return True


@contextmanager
def running(context: ssl.SSLContext | None = None) -> Iterator[Peer]:
    peer = Peer(context)
    thread = threading.Thread(target=peer.serve, daemon=True)
    thread.start()
    try:
        yield peer
    finally:
        peer.closing.set()
        with suppress(OSError):
            peer.socket.shutdown(socket.SHUT_RDWR)
        peer.socket.close()
        thread.join(10)


def page(body: bytes, status: int = 200, *fields: str, length: int | None = None) -> bytes:
    """A whole answer with its length."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body) if length is None else length}", *fields]
    return "\r\n".join([*lines, "", ""]).encode() + body


def answering(*addresses: str) -> Resolver:
    """A name service that knows these addresses for every name."""

    def resolver(_host: str, _port: int, _deadline: Deadline) -> Sequence[str]:
        return addresses

    return resolver


def policy(*peers: Peer, **changes: object) -> FetchPolicy:
    """A policy under which the peers may be asked."""
    settings: dict[str, object] = {
        "seconds": 5.0,
        "robots": False,
        "allow_networks": LOOPBACK,
        "allow_ports": tuple(peer.port for peer in peers),
        **changes,
    }
    return FetchPolicy(**settings)  # type: ignore[arg-type]  # each test names real fields


def allow(_url: str) -> None:
    """A judge that lets every URL through."""


def fetcher(rules: FetchPolicy, resolver: Resolver | None = None) -> Fetcher:
    return Fetcher(rules, lambda: NOW, allow, resolver or answering("127.0.0.1"))


def fetch(peer: Peer, target: str = "/", resolver: Resolver | None = None, **changes: object) -> Fetched:
    return fetcher(policy(peer, **changes), resolver).fetch(peer.url(target))


def in_time(call: Callable[[], Fetched]) -> Fetched:
    """What `call` gives; an error when it has not come to its end by itself."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result(timeout=30)


class Watch:
    """What this process connects to and looks up while it is on, as the interpreter itself reports."""

    def __init__(self) -> None:
        self.on = False
        self.connections: list[object] = []
        self.lookups: list[object] = []
        sys.addaudithook(self._hear)

    def _hear(self, event: str, details: tuple[object, ...]) -> None:
        if self.on and event == "socket.connect":
            self.connections.append(details[1])
        elif self.on and event in ("socket.getaddrinfo", "socket.gethostbyname"):
            self.lookups.append(details[0])

    @contextmanager
    def watching(self) -> Iterator[None]:
        self.connections, self.lookups, self.on = [], [], True
        try:
            yield
        finally:
            self.on = False
