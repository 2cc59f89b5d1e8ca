"""One request and its answer, on a connection of their own."""

import socket
import ssl
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from providers.web.capture.body import Body, read_body
from providers.web.capture.connecting import connect, receiving, secure, send
from providers.web.capture.deadline import Deadline
from providers.web.capture.ending import FailedError
from providers.web.capture.head import Head, read_head
from providers.web.capture.location import Location
from providers.web.capture.policy import FetchPolicy
from providers.web.capture.wire import Wire

WHOLE = frozenset((200, 201, 202, 203))  # a 2xx that carries a representation, and all of it
_ACCEPT = "text/html, application/xhtml+xml, application/pdf, text/plain;q=0.9, */*;q=0.5"


@dataclass(frozen=True, slots=True)
class Route:
    """The checked addresses of a location, or those of the proxy through which it is asked."""

    addresses: Sequence[str]
    port: int
    proxied: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """A head, and the body of an answer that carries one whole."""

    head: Head
    body: Body | None


def request(location: Location, policy: FetchPolicy, absolute: bool = False) -> bytes:
    """The message that asks for `location`, every byte of it; `absolute` as a proxy wants it."""
    lines = (
        f"GET {location.url if absolute else location.target} HTTP/1.1",
        f"Host: {location.authority}",
        f"User-Agent: {policy.user_agent}",
        f"Accept: {_ACCEPT}",
        "Accept-Encoding: gzip, identity",
        "Connection: close",
    )
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode("ascii")


class Exchange:
    """Asks for one location over one route; `context` is called when TLS is needed."""

    def __init__(
        self, policy: FetchPolicy, context: Callable[[], ssl.SSLContext], deadline: Deadline
    ) -> None:
        self._policy = policy
        self._context = context
        self._deadline = deadline

    def ask(
        self, location: Location, route: Route, seen: Callable[[str, int], None], cut: int | None = None
    ) -> Answer:
        """The answer; its body is read for WHOLE only, and cut off after `cut` bytes if that is given.

        `seen` is told the address connected to, with 0, and again with the status. Raises FailedError,
        RejectedError.
        """
        connection, address = connect(route.addresses, route.port, self._deadline)
        seen(address, 0)
        with closing(connection):
            if location.scheme == "https":
                if route.proxied:
                    self._tunnel(connection, location)
                connection = secure(connection, self._context(), str(location.host), self._deadline)
            with closing(connection):
                absolute = route.proxied and location.scheme == "http"
                send(connection, request(location, self._policy, absolute), self._deadline)
                wire = Wire(receiving(connection, self._deadline), self._policy.wire_cap)
                head = read_head(wire, self._policy.header_cap)
                seen(address, head.status)
                if head.status not in WHOLE:
                    return Answer(head, None)
                return Answer(head, read_body(wire, head, cut or self._policy.decoded_cap, cut is not None))

    def _tunnel(self, connection: socket.socket, location: Location) -> None:
        place = f"{location.name}:{location.port}"
        send(connection, f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode("ascii"), self._deadline)
        # Byte by byte: what follows the head belongs to TLS.
        receive = receiving(connection, self._deadline)
        head = read_head(Wire(lambda _: receive(1), self._policy.wire_cap), self._policy.header_cap)
        if not 200 <= head.status < 300:
            raise FailedError(f"the proxy answered {head.status}")
