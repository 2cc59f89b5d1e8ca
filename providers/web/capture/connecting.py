"""A connection to one of the addresses that were checked, by its number; TLS is verified for the name."""

import ipaddress
import socket
import ssl
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from providers.web.capture.deadline import Deadline
from providers.web.capture.ending import FailedError
from schemas.errors import UsageError
from schemas.text import legible

MOST_TRIED = 4


def tls(ca_file: str | None) -> ssl.SSLContext:
    """TLS 1.2 or later with certificate and name verified. Raises UsageError for a bad `ca_file`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    if ca_file is None:
        context.load_default_certs()
        return context
    try:
        context.load_verify_locations(cafile=ca_file)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"ca_file must be a file of certificates in PEM: {_words(error)}", subject="ca_file"
        ) from error
    return context


def connect(addresses: Sequence[str], port: int, deadline: Deadline) -> tuple[socket.socket, str]:
    """A connection, and the address that it is to. One that does not answer leaves time for the next."""
    tried = addresses[:MOST_TRIED]
    trouble: OSError | None = None
    for place, address in enumerate(tried):
        try:
            return _connected(address, port, deadline.left() / (len(tried) - place)), address
        except OSError as error:
            trouble = error
    deadline.left()
    raise FailedError(f"no connection: {_words(trouble)}")


def _connected(address: str, port: int, seconds: float) -> socket.socket:
    family = socket.AF_INET6 if ipaddress.ip_address(address).version == 6 else socket.AF_INET
    with ExitStack() as unless_connected:
        connection = unless_connected.enter_context(socket.socket(family, socket.SOCK_STREAM))
        connection.settimeout(seconds)
        connection.connect((address, port))
        unless_connected.pop_all()
    return connection


def secure(
    connection: socket.socket, context: ssl.SSLContext, name: str, deadline: Deadline
) -> ssl.SSLSocket:
    """TLS over `connection`, in whose place it comes. Raises FailedError."""
    connection.settimeout(deadline.left())
    try:
        # A connection that is cut without close_notify raises, and is never taken for the end of a body.
        return context.wrap_socket(connection, server_hostname=name, suppress_ragged_eofs=False)
    except ssl.SSLCertVerificationError as error:
        raise FailedError(f"the certificate is not accepted: {error.verify_message}") from error
    except TimeoutError as error:
        raise deadline.late() from error
    except OSError as error:
        raise FailedError(f"no TLS: {_words(error)}") from error


def send(connection: socket.socket, message: bytes, deadline: Deadline) -> None:
    """Send all of `message`. Raises FailedError."""
    try:
        connection.settimeout(deadline.left())
        connection.sendall(message)
    except TimeoutError as error:
        raise deadline.late() from error
    except OSError as error:
        raise FailedError(f"the request was not taken: {_words(error)}") from error


def receiving(connection: socket.socket, deadline: Deadline) -> Callable[[int], bytes]:
    """How to receive from `connection`; every wait ends with the deadline, however the bytes drip."""

    def receive(most: int) -> bytes:
        try:
            connection.settimeout(deadline.left())
            return connection.recv(most)
        except TimeoutError as error:
            raise deadline.late() from error
        except OSError as error:
            raise FailedError(f"the connection broke: {_words(error)}") from error

    return receive


def _words(error: BaseException | None) -> str:
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None)
    return legible(str(reason or type(error).__name__), 100)
