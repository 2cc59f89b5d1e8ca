"""A witness on loopback: every attempt to connect and every datagram, whoever listens and on any port."""

import ctypes
import ipaddress
import socket
import struct
import time
from dataclasses import dataclass

_EVERYTHING, _ATTACH, _STATISTICS, _OUTGOING = 3, 26, 6, 4
_TCP, _UDP, _DOMAIN = 6, 17, 53
# Classic BPF over the IP header: a TCP segment that opens a connection, and whatever is not TCP.
_PROGRAM = (
    (0x30, 0, 0, 0),  # the first byte
    (0x74, 0, 0, 4),  # its upper half: the version
    (0x15, 0, 6, 4),  # version 4, else 6
    (0x30, 0, 0, 9),  # protocol
    (0x15, 0, 9, _TCP),
    (0xB1, 0, 0, 0),  # length of the header
    (0x50, 0, 0, 13),  # flags
    (0x54, 0, 0, 0x12),  # SYN and ACK
    (0x15, 5, 6, 2),
    (0x30, 0, 0, 6),  # IPv6: the next header
    (0x15, 0, 3, _TCP),
    (0x30, 0, 0, 40 + 13),
    (0x54, 0, 0, 0x12),
    (0x15, 0, 1, 2),
    (0x06, 0, 0, 128),  # keep
    (0x06, 0, 0, 0),  # leave
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A connection that was begun, or a datagram that was sent: when, how, and to whom."""

    at: float
    kind: str
    address: str
    port: int


class Witness:
    """Sees what this namespace sends from its making on."""

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []
        self._seen = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_EVERYTHING))
        program = b"".join(struct.pack("HBBI", *line) for line in _PROGRAM)
        held = ctypes.create_string_buffer(program, len(program))
        attached = struct.pack("HP", len(_PROGRAM), ctypes.addressof(held))
        self._seen.setsockopt(socket.SOL_SOCKET, _ATTACH, attached)
        self._seen.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self._seen.bind(("lo", _EVERYTHING))
        self._seen.settimeout(0.2)

    def look(self) -> bool:
        """Note the next packet; False when none came for a while."""
        try:
            packet, address = self._seen.recvfrom(128)
        except TimeoutError:
            return False
        if address[2] == _OUTGOING:  # loopback shows each twice
            found = _read(packet)
            if found is not None:
                self.attempts.append(found)
        return True

    def missed(self) -> int:
        """How many packets went by unseen."""
        packed = self._seen.getsockopt(263, _STATISTICS, 8)
        return int(struct.unpack("II", packed)[1])


def _read(packet: bytes) -> Attempt | None:
    if packet[0] >> 4 == 4:
        protocol, size, target = packet[9], (packet[0] & 15) * 4, packet[16:20]
    else:
        protocol, size, target = packet[6], 40, packet[24:40]
    if protocol not in (_TCP, _UDP):
        return None
    source, port = struct.unpack_from("!HH", packet, size)
    kind = "tcp" if protocol == _TCP else "udp"
    if (kind, source) == ("udp", _DOMAIN):  # what our name service answers
        return None
    return Attempt(time.monotonic(), kind, str(ipaddress.ip_address(target)), port)
