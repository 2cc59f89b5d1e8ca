"""A TCP relay on loopback that cuts one connection at the moment that a test chooses."""

import socket
from contextlib import suppress
from threading import Thread
from typing import Literal, Self

from tests.postgres import Server

Cut = Literal["before", "after", "never"]


class Proxy:
    """Relays to a server; armed, it ends the connection over which a client next sends certain bytes.

    `before`: they never reach the server. `after`: the server has done them, and nobody hears its answer.
    """

    def __init__(self, server: Server, at: bytes) -> None:
        self._server = server
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.armed: Cut = "never"
        self.at = at
        self.cuts = 0
        Thread(target=self._accept, daemon=True).start()

    def url(self, database: str) -> str:
        """The database's URL by way of the proxy."""
        port = self._listening.getsockname()[1]
        return database.replace(f":{self._server.port}/", f":{port}/")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(("127.0.0.1", self._server.port))
                Thread(target=self._upstream, args=(client, server), daemon=True).start()

    def _upstream(self, client: socket.socket, server: socket.socket) -> None:
        back = Thread(target=_pump, args=(server, client), daemon=True)
        back.start()
        with suppress(OSError):
            while data := client.recv(1 << 16):
                if self.armed == "never" or self.at not in data:
                    server.sendall(data)
                    continue
                how, self.armed = self.armed, "never"
                self.cuts += 1
                if how == "after":
                    _close(client)  # first, so that the answer has nowhere to go
                    server.sendall(data)
                    server.shutdown(socket.SHUT_WR)
                    back.join()  # the server ends the connection when it has done what was sent
                break
        _close(client)
        _close(server)


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            with suppress(OSError):
                target.sendall(data)


def _close(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
