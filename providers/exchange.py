"""One bounded HTTP/1.1 exchange: our bytes out as they are, an answer in within size and time."""

import http.client
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit

from schemas.errors import UsageError
from schemas.text import legible, shown

T = TypeVar("T")

_URL = re.compile(r"[!-~]+")


class UnansweredError(Exception):
    """Nothing that can be read came back; the message says why."""


class UnsentError(UnansweredError):
    """No connection was made, so nothing of the message was sent."""


class RefusedError(UnsentError):
    """Nobody listens there."""


class UnreadableError(UnansweredError):
    """Something came back that is no answer: not HTTP, or larger than is read."""


@dataclass(frozen=True)
class Address:
    """Where a service is: scheme, host, port, and the path before its own paths."""

    scheme: str
    host: str
    port: int
    path: str

    @classmethod
    def of(cls, url: str, subject: str) -> "Address":
        """The address that `url` names. Raises UsageError about `subject` for no plain http or https URL."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise _bad_url(subject, url, str(error)) from error
        if _URL.fullmatch(url) is None:
            raise _bad_url(subject, url, "it holds a character that a URL cannot hold")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise _bad_url(subject, url, "it must be http://HOST[:PORT] or https://HOST[:PORT]")
        if parts.username is not None or parts.password is not None:
            raise _bad_url(subject, url, "it names a user; no credential is sent")
        if parts.query or parts.fragment:
            raise _bad_url(subject, url, "it has a query or a fragment")
        standard = 443 if parts.scheme == "https" else 80
        return cls(parts.scheme, parts.hostname, port or standard, parts.path.rstrip("/"))

    @property
    def authority(self) -> str:
        """Host and port as the Host header has them."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def host_header(self) -> str:
        """The same without the port that the scheme implies, as browsers write it."""
        implied = self.port == (443 if self.scheme == "https" else 80)
        return self.authority.rpartition(":")[0] if implied else self.authority

    def url(self, path: str = "") -> str:
        """The URL of a path of the service."""
        return f"{self.scheme}://{self.authority}{self.path}{path}"


def _bad_url(subject: str, url: str, why: str) -> UsageError:
    # A user name, a query and a fragment are where people put passwords and keys.
    plain = url.partition("?")[0].partition("#")[0]
    named = "" if "@" in plain or plain != url else f" {shown(url, 200)}"
    return UsageError(f"{subject}{named}: {why}", subject=subject)


@dataclass(frozen=True)
class Answer:
    """One answer, whole."""

    status: int
    headers: dict[str, str]
    body: bytes


def exchange(address: Address, message: bytes, seconds: float, largest: int) -> Answer:
    """Send `message` and read one answer of at most `largest` bytes, the whole of it within `seconds`.

    Follows no redirect and asks no proxy. Raises UnansweredError: UnsentError where it ended before the
    first byte of `message` was handed over.
    """
    begun = False
    try:
        with _told(), _connected(address, seconds) as connection:
            begun = True
            return _answered(connection, message, largest)
    except UnansweredError as error:
        if begun or isinstance(error, UnsentError):
            raise
        raise UnsentError(str(error)) from error


def reach(address: Address, seconds: float) -> None:
    """Connect, agree on TLS where the address is https, and send nothing. Raises UnansweredError."""
    with _told(), _connected(address, seconds):
        pass


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise UnansweredError("no answer in time") from error
    except ConnectionRefusedError as error:
        raise RefusedError(_words(error)) from error
    except (OSError, http.client.IncompleteRead) as error:
        raise UnansweredError(_words(error)) from error
    except (http.client.HTTPException, ValueError) as error:
        raise UnreadableError(_words(error)) from error


def _words(error: Exception) -> str:
    return legible(f"{type(error).__name__}: {error}", 200)


class _CutShortError(OSError):
    """A body that ended before its stated length is not read as if it were whole."""


@contextmanager
def _connected(address: Address, seconds: float) -> Iterator[socket.socket]:
    """A connection that ends `seconds` after its start, whatever is being waited for."""
    ends = time.monotonic() + seconds
    context = ssl.create_default_context() if address.scheme == "https" else None
    connection = _first_to_answer(address, ends)
    if context is not None:
        context.set_alpn_protocols(["http/1.1"])
        connection = context.wrap_socket(
            connection, server_hostname=address.host, do_handshake_on_connect=False
        )
    # A socket's timeout starts anew with every byte; this one ends the whole exchange.
    late = threading.Event()

    def end() -> None:
        late.set()
        with suppress(OSError):
            # Not SSLSocket's own: it takes the TLS away from under a handshake that is about to begin.
            socket.socket.shutdown(connection, socket.SHUT_RDWR)

    timer = threading.Timer(max(0.0, ends - time.monotonic()), end)
    timer.daemon = True
    timer.start()
    try:
        if isinstance(connection, ssl.SSLSocket):
            connection.do_handshake()
        yield connection
        if late.is_set():
            raise TimeoutError
    except (OSError, http.client.HTTPException) as error:
        if late.is_set():
            raise TimeoutError from error
        raise
    finally:
        timer.cancel()
        connection.close()


def _first_to_answer(address: Address, ends: float) -> socket.socket:
    try:
        found = within(
            lambda: socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM),
            ends - time.monotonic(),
        )
    except UnicodeError as error:  # of a host that no resolver can be asked for
        raise OSError(f"{legible(address.host, 100)} is no host name") from error
    problem = OSError(f"{legible(address.host, 100)} has no address")
    for *_, where in found:
        try:
            numeric = str(where[0]), address.port
            return socket.create_connection(numeric, timeout=max(0.001, ends - time.monotonic()))
        except OSError as error:
            problem = error
    raise problem


def within(look: Callable[[], T], seconds: float) -> T:
    """What `look` gives or raises, if it ends in time; else TimeoutError, and its thread is left to end.

    For a look-up that takes no limit itself, such as that of a name.
    """
    seen: list[T] = []
    raised: list[Exception] = []

    def run() -> None:
        try:
            seen.append(look())
        except (OSError, ValueError) as error:
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(max(0.0, seconds))
    if raised:
        raise raised[0]
    if not seen:
        raise TimeoutError
    return seen[0]


def _answered(connection: socket.socket, message: bytes, largest: int) -> Answer:
    connection.sendall(message)
    with http.client.HTTPResponse(connection, method=message.partition(b" ")[0].decode()) as response:
        response.begin()
        body = response.read(largest + 1)
        headers = {name.lower(): value for name, value in response.getheaders()}
        if len(body) > largest:
            raise ValueError(f"the answer is larger than {largest} bytes")
        if response.length:
            raise _CutShortError("the answer ends before its stated length")
        return Answer(response.status, headers, body)
