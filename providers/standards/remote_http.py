"""One bounded HTTP/1.1 exchange: our bytes out as they are, an answer in within size and time."""

import http.client
import re
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from schemas.errors import UsageError
from schemas.text import legible, shown

_URL = re.compile(r"[!-~]+")


class UnansweredError(Exception):
    """Nothing that can be read came back; the message says why."""


@dataclass(frozen=True)
class Address:
    """Where a service is: scheme, host, port, and the path before `/v1/search`."""

    scheme: str
    host: str
    port: int
    path: str

    @classmethod
    def of(cls, url: str) -> "Address":
        """The address that `url` names. Raises UsageError for what is no plain http or https URL."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise _bad_url(url, str(error)) from error
        if _URL.fullmatch(url) is None:
            raise _bad_url(url, "it holds a character that a URL cannot hold")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise _bad_url(url, "it must be http://HOST[:PORT] or https://HOST[:PORT]")
        if parts.username is not None or parts.password is not None:
            raise _bad_url("", "it names a user; no credential is sent")
        if parts.query or parts.fragment:
            raise _bad_url(url, "it has a query or a fragment")
        standard = 443 if parts.scheme == "https" else 80
        return cls(parts.scheme, parts.hostname, port or standard, parts.path.rstrip("/"))

    @property
    def authority(self) -> str:
        """Host and port as the Host header has them."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def url(self, path: str = "") -> str:
        """The URL of a path of the service."""
        return f"{self.scheme}://{self.authority}{self.path}{path}"


def _bad_url(url: str, why: str) -> UsageError:
    return UsageError(f"--standards-service {shown(url, 200)}: {why}", subject="--standards-service")


@dataclass(frozen=True)
class Answer:
    """One answer, whole."""

    status: int
    headers: dict[str, str]
    body: bytes


def exchange(address: Address, message: bytes, seconds: float, largest: int) -> Answer:
    """Send `message` and read one answer of at most `largest` bytes, the whole of it within `seconds`.

    Follows no redirect and asks no proxy. Raises UnansweredError.
    """
    make = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    connection = make(address.host, address.port, timeout=seconds)
    try:
        connection.connect()
        return _answered(connection.sock, message, seconds, largest)
    except TimeoutError as error:
        raise UnansweredError("no answer in time") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise UnansweredError(legible(f"{type(error).__name__}: {error}", 200)) from error
    finally:
        connection.close()


def _answered(connection: socket.socket, message: bytes, seconds: float, largest: int) -> Answer:
    # A socket's timeout starts anew with every byte; this one ends the whole exchange.
    late = threading.Event()

    def end() -> None:
        late.set()
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        connection.sendall(message)
        with http.client.HTTPResponse(connection, method=message.partition(b" ")[0].decode()) as response:
            response.begin()
            body = response.read(largest + 1)
            headers = {name.lower(): value for name, value in response.getheaders()}
            status = response.status
    except (OSError, http.client.HTTPException) as error:
        if late.is_set():
            raise TimeoutError from error
        raise
    finally:
        timer.cancel()
    if late.is_set():
        raise TimeoutError
    if len(body) > largest:
        raise ValueError(f"the answer is larger than {largest} bytes")
    # A body that ended before its stated length is not read as if it were whole.
    if response.length:
        raise ValueError("the answer ends before its stated length")
    return Answer(status, headers, body)
