"""A name service that lies: it rebinds, mixes, drips, is silent, or says more than was asked."""

import ipaddress
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from tests.netns.case import Name

A, CNAME, AAAA = 1, 5, 28
_KINDS = {A: "A", AAAA: "AAAA"}
_CODES = {"nxdomain": 3, "servfail": 2, "refused": 5}
_LATE = 0.4
_SMALL = 512


@dataclass(frozen=True, slots=True)
class Question:
    """One question as it came."""

    at: float
    name: str
    kind: str
    way: str


class NameService:
    """Answers on UDP and TCP; `find` gives what is to be said of a name, None where nothing is known."""

    def __init__(self, find: Callable[[str], Name | None]) -> None:
        self.questions: list[Question] = []
        self._find = find
        self._times: Counter[tuple[str, int]] = Counter()
        self._lock = threading.Lock()
        self._waiting = threading.Event()
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("0.0.0.0", 53))  # noqa: S104  # the namespace has no outside
        self._tcp = socket.create_server(("", 53), backlog=64)

    def start(self) -> None:
        for work in (self._datagrams, self._connections):
            threading.Thread(target=work, daemon=True).start()

    def _datagrams(self) -> None:
        while True:
            message, sender = self._udp.recvfrom(4096)
            threading.Thread(target=self._by_datagram, args=(message, sender), daemon=True).start()

    def _by_datagram(self, message: bytes, sender: tuple[str, int]) -> None:
        for reply in self._replies(message, "udp"):
            self._udp.sendto(reply, sender)

    def _connections(self) -> None:
        while True:
            connection, _ = self._tcp.accept()
            threading.Thread(target=self._by_connection, args=(connection,), daemon=True).start()

    def _by_connection(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as incoming:
            while len(size := incoming.read(2)) == 2:
                for reply in self._replies(incoming.read(*struct.unpack("!H", size)), "tcp"):
                    connection.sendall(struct.pack("!H", len(reply)) + reply)

    def _replies(self, message: bytes, way: str) -> list[bytes]:
        name, kind, question = _question(message)
        with self._lock:
            self.questions.append(Question(time.monotonic(), name, _KINDS.get(kind, str(kind)), way))
            times = self._times[name, kind]
            self._times[name, kind] += 1
        found = self._find(name) or Name(manner="nxdomain")
        if found.manner == "silent" or (found.manner == "half" and kind == AAAA):
            return []
        if found.manner == "late":
            self._waiting.wait(_LATE)
        good = _reply(message, question, self._records(kind, found, times > 0), way)
        if found.manner == "truncated":
            return [_head(message, 0x8380, 0) + question] if way == "udp" else [good]
        if found.manner == "garbage":
            return [b"\xff" * 7, message[:2] + b"\x81\x80" + b"\xff" * 500, good[:-3]]
        if found.manner == "lying":  # answers of others arrive first, with an address inside
            inside = _record(b"\xc0\x0c", A, bytes((127, 0, 0, 1)))
            stranger = _head(bytes((message[0] ^ 1, message[1])), 0x8180, 1) + question + inside
            elsewhere = question.replace(b"\x03www", b"\x03wwx")
            return [stranger, _head(message, 0x8180, 1) + elsewhere + inside, good]
        return [good]

    def _records(self, kind: int, found: Name, again: bool) -> tuple[int, list[bytes]]:
        code = _CODES.get(found.manner, 0)
        if code or found.manner == "nothing":
            return code, []
        owner, records = b"\xc0\x0c", []
        while found.alias:
            records.append(_record(owner, CNAME, owner := _written(found.alias)))
            found = self._find(found.alias) or Name()
            if len(records) > 40:
                break
        if kind not in _KINDS:
            return 0, records
        addresses = found.a if kind == A else found.aaaa
        if again and found.then is not None:
            addresses = tuple(one for one in found.then if (":" in one) == (kind == AAAA))
        records += [_record(owner, kind, ipaddress.ip_address(one).packed) for one in addresses]
        return 0, records


def _question(message: bytes) -> tuple[str, int, bytes]:
    labels, place = [], 12
    while size := message[place]:
        labels.append(message[place + 1 : place + 1 + size])
        place += 1 + size
    (kind,) = struct.unpack_from("!H", message, place + 1)
    return b".".join(labels).decode("latin-1").lower(), kind, message[12 : place + 5]


def _head(message: bytes, flags: int, answers: int) -> bytes:
    return message[:2] + struct.pack("!HHHHH", flags, 1, answers, 0, 0)


def _reply(message: bytes, question: bytes, found: tuple[int, list[bytes]], way: str) -> bytes:
    code, records = found
    reply = _head(message, 0x8180 | code, len(records)) + question + b"".join(records)
    if way == "udp" and len(reply) > _SMALL:
        return _head(message, 0x8380, 0) + question
    return reply


def _record(owner: bytes, kind: int, data: bytes) -> bytes:
    return owner + struct.pack("!HHIH", kind, 1, 0, len(data)) + data


def _written(name: str) -> bytes:
    return b"".join(bytes((len(label),)) + label.encode() for label in name.split(".")) + b"\0"


def number_of(name: str) -> int | None:
    """The number of the case whose name this is."""
    found = re.search(r"(?:^|\.)c([0-9]+)\.test(?::[0-9]+)?$", name)
    return int(found[1]) if found else None
