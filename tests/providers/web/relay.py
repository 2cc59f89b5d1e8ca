"""A wire on loopback between a client and a real server: it keeps what was sent, and can be cut."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Relay:
    """Passes each request on to `goal`; once it is cut, nobody is there."""

    def __init__(self, goal: int) -> None:
        self.goal = goal
        self.requests: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=16)
        self.port: int = self._socket.getsockname()[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def targets(self) -> list[str]:
        return [request.split(b" ")[1].decode() for request in self.requests]

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._pass, args=(connection,), daemon=True).start()

    def cut(self) -> None:
        """Answer nobody any more, as if the server had been killed."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _pass(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            connection.settimeout(30)
            request = b""
            while b"\r\n\r\n" not in request:
                received = connection.recv(65536)
                if not received:
                    return
                request += received
            self.requests.append(request)
            with socket.create_connection(("127.0.0.1", self.goal), timeout=30) as server:
                server.sendall(request)
                while piece := server.recv(65536):
                    connection.sendall(piece)


@contextmanager
def relaying(goal: int) -> Iterator[Relay]:
    relay = Relay(goal)
    thread = threading.Thread(target=relay.serve, daemon=True)
    thread.start()
    try:
        yield relay
    finally:
        relay.cut()
        thread.join(10)
