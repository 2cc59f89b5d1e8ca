"""The socket that all workers share; on other addresses than this machine's own only when asked."""

import errno
import os
import socket
from ipaddress import ip_address

from schemas.errors import BusyError, UsageError

BACKLOG = 512
SEND_BUFFER = 256 * 1024


def listen(host: str, port: int) -> socket.socket:
    """A listening socket at `host`, a name or an address, and `port`, 0 for any free one.

    Raises UsageError for what this machine cannot listen on, BusyError where another does.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"there is no address {host!r} here: {error}", subject="--host") from error
    try:
        if os.name != "nt":  # there it would let two services share one port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # An answer of a hundred keywords goes out in one piece.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        made.bind(address)
        made.listen(BACKLOG)
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            hint = "stop the other one, or choose another --port"
            raise BusyError(f"port {port} on {host} is in use", subject="--port", hint=hint) from error
        message = f"cannot listen on {host} port {port}: {error.strerror}"
        raise UsageError(message, subject="--host") from error
    return made


def address_of(listening: socket.socket) -> str:
    """The URL of a listening socket."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_loopback(listening: socket.socket) -> bool:
    """Whether only this machine reaches it."""
    return ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback
