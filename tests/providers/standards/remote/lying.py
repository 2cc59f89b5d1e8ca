"""A server that answers with whatever bytes it is told to, as slowly as it is told to."""

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import orjson

REVISION = f"blake3:{'0' * 64}"
READY = {"status": "ready", "library": {"name": "a", "standards": 1, "revision": REVISION}}


class Lying:
    """What it answers by path, and what it was asked."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.answers: dict[str, Sequence[bytes]] = {}
        self.received: list[bytes] = []
        self.wait = threading.Event()
        """Between the pieces of an answer it waits for this, or a little."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.socket.getsockname()[1]}"

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection, suppress(OSError):
                self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        request = b""
        while b"\r\n\r\n" not in request:
            request += connection.recv(65536)
        head, _, body = request.partition(b"\r\n\r\n")
        length = next(
            (int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length")), 0
        )
        while len(body) < length:
            body += connection.recv(65536)
        self.received.append(head + b"\r\n\r\n" + body)
        path = head.split(b" ")[1].decode()
        for number, piece in enumerate(self.answers.get(path, ())):
            if number:
                self.wait.wait(0.05)
            connection.sendall(piece)


def http(status: int, body: object, **headers: str) -> list[bytes]:
    content = body if isinstance(body, bytes) else orjson.dumps(body)
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(content)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ["\r\n".join([*lines, "", ""]).encode() + content]


@contextmanager
def lying() -> Iterator[Lying]:
    server = Lying()
    server.answers["/readyz"] = http(200, READY)
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        yield server
    finally:
        server.wait.set()
        server.socket.shutdown(socket.SHUT_RDWR)
        server.socket.close()
        thread.join(30)
