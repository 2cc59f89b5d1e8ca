"""A loopback server that answers a path with the bytes, the slowness or the silence that it is told to."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import orjson

Behaviour = Callable[["Fake", socket.socket], None]


class Fake:
    """What it does by path (without the query), and the messages that it received."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.tls = tls
        self.meets: Behaviour = meet
        self.does: dict[str, Behaviour] = {}
        self.received: list[bytes] = []
        self.ending = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def port(self) -> int:
        port: int = self.socket.getsockname()[1]
        return port

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection, suppress(OSError):
                connection.settimeout(10)
                if self.tls is None:
                    self.meets(self, connection)
                else:
                    with self.tls.wrap_socket(connection, server_side=True) as wrapped:
                        self.meets(self, wrapped)


def meet(fake: Fake, connection: socket.socket) -> None:
    """Read one message, keep it, and do what is to be done at its path."""
    head = b""
    while b"\r\n\r\n" not in head:
        piece = connection.recv(65536)
        if not piece:
            return
        head += piece
    head, _, body = head.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    length = next((int(line[15:]) for line in lines if line.startswith(b"Content-Length:")), 0)
    while len(body) < length:
        body += connection.recv(65536)
    fake.received.append(head + b"\r\n\r\n" + body)
    path = lines[0].split(b" ")[1].decode().partition("?")[0]
    fake.does.get(path, says(404, {"error": "no such path"}))(fake, connection)


def raw(*pieces: bytes) -> Behaviour:
    """These bytes, and the connection is closed."""

    def send(_fake: Fake, connection: socket.socket) -> None:
        for piece in pieces:
            connection.sendall(piece)

    return send


def message(status: int, body: object, kind: str = "application/json", **headers: str) -> bytes:
    """A whole HTTP answer; a body that is no bytes is written as JSON."""
    content = body if isinstance(body, bytes) else orjson.dumps(body)
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(content)}"]
    lines += [f"Content-Type: {kind}"] if kind else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + content


def says(status: int, body: object, kind: str = "application/json", **headers: str) -> Behaviour:
    """One whole answer."""
    return raw(message(status, body, kind, **headers))


def silent(_fake: Fake, connection: socket.socket) -> None:
    """Nothing, until the client has enough."""
    while connection.recv(65536):
        pass


def dripping(fake: Fake, connection: socket.socket) -> None:
    """One more byte of a header, again and again, until the client has enough."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
    while not fake.ending.wait(0.02):
        connection.sendall(b"x")


@contextmanager
def faking(tls: ssl.SSLContext | None = None) -> Iterator[Fake]:
    fake = Fake(tls)
    thread = threading.Thread(target=fake.serve)
    thread.start()
    try:
        yield fake
    finally:
        fake.ending.set()
        fake.socket.shutdown(socket.SHUT_RDWR)
        fake.socket.close()
        thread.join(30)
