"""Make this process's network namespace the whole internet: every address there is leads to loopback.

A route of the kind `local` for everything means that a connection to any address, a forbidden one too, is
accepted by whoever listens here. Netlink and mount are spoken to directly, for a bare system has no tools.
"""

import ctypes
import fcntl
import os
import socket
import struct
from contextlib import suppress
from pathlib import Path

NAMESERVER = "93.183.0.53"

_UP, _SETS_FLAGS, _READS_FLAGS = 0x1, 0x8914, 0x8913
_NEW_ADDRESS, _NEW_ROUTE = 20, 24
_REQUEST_ACK_CREATE = 0x1 | 0x4 | 0x400
_LOCAL_TABLE, _STATIC, _HOST_SCOPE, _LOCAL = 255, 4, 254, 2
_BIND, _NODEV = 0x1000, 0x4
_SOURCE = "2606:2800::53"  # IPv6 wants an address to speak from; IPv4 takes the one it speaks to
_FILES = {
    "resolv.conf": f"nameserver {NAMESERVER}\nsearch .\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: dns\nservices: files\nprotocols: files\n",
}


def rule_everything() -> None:
    """Loopback is up and answers for every address. Raises OSError where this process may not."""
    with suppress(OSError):  # where it is off for new namespaces; a read-only /proc leaves it as it is
        Path("/proc/sys/net/ipv6/conf/all/disable_ipv6").write_text("0")
    with socket.socket() as plain:
        request = struct.pack("16sH14x", b"lo", 0)
        (flags,) = struct.unpack_from("H", fcntl.ioctl(plain, _READS_FLAGS, request), 16)
        fcntl.ioctl(plain, _SETS_FLAGS, struct.pack("16sH14x", b"lo", flags | _UP))
    index = socket.if_nametoindex("lo")
    source = socket.inet_pton(socket.AF_INET6, _SOURCE)
    address = struct.pack("BBBBI", socket.AF_INET6, 128, 0, 0, index)
    _ask(_NEW_ADDRESS, address + _attribute(1, source) + _attribute(2, source))
    for family in (socket.AF_INET, socket.AF_INET6):
        route = struct.pack(
            "BBBBBBBBI", family, 0, 0, 0, _LOCAL_TABLE, _STATIC, _HOST_SCOPE, _LOCAL, 0
        ) + _attribute(4, struct.pack("I", index))
        _ask(_NEW_ROUTE, route)


def ask_only_us(folder: Path) -> None:
    """The system's resolver asks our name server and nothing else. Raises OSError."""
    for name, content in _FILES.items():
        target = Path("/etc") / name
        if target.exists():  # where one is missing, its default leads to our name server too
            own = folder / name
            own.write_text(content)
            _mount(str(own), str(target.resolve()), None, _BIND)
    for cache in (Path("/run/nscd"), Path("/var/run/nscd")):
        if cache.is_dir():  # it would be asked first, and lives outside
            _mount("none", str(cache.resolve()), "tmpfs", _NODEV)


def _attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)


def _ask(kind: int, message: bytes) -> None:
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as kernel:
        head = struct.pack("IHHII", 16 + len(message), kind, _REQUEST_ACK_CREATE, 1, 0)
        kernel.sendall(head + message)
        (error,) = struct.unpack_from("i", kernel.recv(4096), 16)
    if error:
        raise OSError(-error, f"the kernel refused message {kind}: {os.strerror(-error)}")


def _mount(source: str, target: str, kind: str | None, flags: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    asked = [word.encode() if word is not None else None for word in (source, target, kind)]
    if libc.mount(*asked, ctypes.c_ulong(flags), None):
        number = ctypes.get_errno()
        raise OSError(number, f"mount {target}: {os.strerror(number)}")
