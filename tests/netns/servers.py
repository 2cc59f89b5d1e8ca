"""Web servers on every address and many ports that send exactly what a case says, and keep what they got."""

import contextlib
import re
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tests.netns.case import Case, filled, number_by, page, strangers
from tests.netns.names import number_of

PLAIN_PORTS = (22, 25, 80, 3128, 6379, 8080)
TLS_PORT = 443
SECRET = b"canary-internal: nobody outside may read this"
_LONGEST_HOLD = 60.0
_SHORT = 4096  # what may hold the number of a case


@dataclass(frozen=True, slots=True)
class Heard:
    """One accepted connection: the case it belongs to (-1 unknown), and every byte that came."""

    case: int
    address: str
    port: int
    request: str
    begun: bool = True
    """Whether TLS came about, where there is TLS."""


Contexts = Mapping[str, ssl.SSLContext]


class Servers:
    """All of them; `contexts` are the ways of TLS by name."""

    def __init__(self, cases: Sequence[Case], contexts: Callable[[str], ssl.SSLContext]) -> None:
        self.heard: list[Heard] = []
        self._cases = cases
        self._contexts = contexts
        self._strangers = strangers(cases)
        self._open = threading.Event()
        self._listening = [
            (port, socket.create_server((host, port), family=family, backlog=128))
            for port in (*PLAIN_PORTS, TLS_PORT)
            for family, host in ((socket.AF_INET, ""), (socket.AF_INET6, "::"))
        ]

    def start(self) -> None:
        for port, listening in self._listening:
            threading.Thread(target=self._accept, args=(port, listening), daemon=True).start()

    def _accept(self, port: int, listening: socket.socket) -> None:
        while True:
            connection, _ = listening.accept()
            threading.Thread(target=self._talk, args=(connection, port), daemon=True).start()

    def _talk(self, connection: socket.socket, port: int) -> None:
        address = connection.getsockname()[0]
        number = self._strangers.get(address, number_by(address))
        with contextlib.suppress(OSError), connection:
            connection.settimeout(_LONGEST_HOLD)
            if port != TLS_PORT:
                self._serve(connection, address, port, number)
                return
            manner = self._cases[number].tls if number in range(len(self._cases)) else "good"
            if manner in _BARE:
                self.heard.append(Heard(number, address, port, "", begun=False))
                self._spoil(connection, manner)
                return
            try:
                secure = self._contexts(manner).wrap_socket(connection, server_side=True)
            except OSError:
                self.heard.append(Heard(number, address, port, "", begun=False))
                raise
            with secure:
                if self._serve(secure, address, port, number):
                    secure.unwrap().close()

    def _spoil(self, connection: socket.socket, manner: str) -> None:
        if manner == "silent":
            connection.recv(1 << 16)
            self._wait_for_end(connection)
        elif manner == "closed":
            connection.recv(1 << 16)
        elif manner == "plain":
            connection.recv(1 << 16)
            connection.sendall(page())
        else:  # drips: a record that takes an hour
            connection.recv(1 << 16)
            connection.sendall(b"\x16\x03\x03\x3f\xff\x02\x00\x3f\xfb\x03\x03")
            while not self._open.wait(0.1):
                connection.sendall(b"\0")

    def _serve(self, connection: socket.socket, address: str, port: int, number: int) -> bool:
        """Whether the connection is to be closed in order."""
        request = b""
        try:
            while b"\r\n\r\n" not in request and (piece := connection.recv(1 << 16)):
                request += piece
        finally:
            found = re.search(rb"\r\nHost: *([^\r\n]*)", request)
            host = found[1].decode("latin-1") if found else ""
            named = number_of(host)
            number = number if named is None else named
            self.heard.append(Heard(number, address, port, request.decode("latin-1")))
        if number not in range(len(self._cases)):
            connection.sendall(page(SECRET))
            return True
        words = request.split(b" ", 2)
        target = words[1].decode("latin-1").partition("?")[0] if len(words) > 2 else ""
        answer = self._cases[number].answer(host.partition(".")[0], target)
        for step in answer():
            if isinstance(step, bytes):
                short = len(step) < _SHORT
                connection.sendall(_with(step, number) if short else step)
            elif isinstance(step, float):
                self._open.wait(step)
            elif not self._leave(connection, step):
                return False
        return True

    def _leave(self, connection: socket.socket, step: str) -> bool:
        if step == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        if step == "cut":
            return False
        if step == "half":
            connection.shutdown(socket.SHUT_WR)
        self._wait_for_end(connection)
        return True

    @staticmethod
    def _wait_for_end(connection: socket.socket) -> None:
        while connection.recv(1 << 16):
            pass


_BARE = frozenset(("silent", "closed", "plain", "drips"))


def _with(step: bytes, number: int) -> bytes:
    return filled(step.decode("latin-1"), number).encode("latin-1")
