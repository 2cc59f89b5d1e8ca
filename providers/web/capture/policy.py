"""What a fetch may do and how much it may take."""

import ipaddress
import re
from dataclasses import dataclass

from providers.web.capture.ending import RejectedError
from providers.web.capture.location import Location
from schemas.errors import UsageError
from schemas.text import shown

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

MIB = 1 << 20
USER_AGENT = "external-evidence (captures single pages)"
_AGENT = re.compile(r"[A-Za-z_-]+(?:[/ (][ -~]*)?")
_SECONDS = (0.01, 600.0)
_COUNTS = {
    "wire_cap": (1, 64 * MIB),
    "decoded_cap": (1, 64 * MIB),
    "header_cap": (64, MIB),
    "max_redirects": (0, 20),
}


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """The bounds of one fetch; with these defaults it stays below 64 MiB of memory.

    `seconds` is one deadline over everything. `wire_cap` bounds the bytes of one answer as they arrive,
    `decoded_cap` its body after decoding, `header_cap` its head. `allow_networks` are CIDR blocks whose
    addresses are allowed although they are not public, `allow_ports` ports beside 80 and 443. `ca_file`
    takes the place of the system's certificate authorities. Through a `proxy` (http://HOST:PORT) the
    addresses of pages cannot be judged, only their names. Raises UsageError for a value out of bounds.
    """

    seconds: float = 20.0
    wire_cap: int = 16 * MIB
    decoded_cap: int = 16 * MIB
    max_redirects: int = 5
    allow_networks: tuple[str, ...] = ()
    allow_ports: tuple[int, ...] = ()
    ca_file: str | None = None
    proxy: str | None = None
    robots: bool = True
    user_agent: str = USER_AGENT
    header_cap: int = 64 << 10

    def __post_init__(self) -> None:
        low, high = _SECONDS
        if isinstance(self.seconds, bool) or not isinstance(self.seconds, int | float):
            raise _wrong("seconds", f"must be a number of seconds, found {shown(self.seconds)}")
        if not low <= self.seconds <= high:
            raise _wrong("seconds", f"must be from {low:g} to {high:g}, found {str(self.seconds)[:20]}")
        for name, (least, most) in _COUNTS.items():
            _whole(name, getattr(self, name), least, most)
        for port in self.allow_ports:
            _whole("allow_ports", port, 1, 65535)
        if not _AGENT.fullmatch(self.user_agent) or len(self.user_agent) > 256:
            raise _wrong(
                "user_agent",
                "must begin with a product token of letters, _ and -, hold printable ASCII only "
                f"and at most 256 characters, found {shown(self.user_agent)}",
            )
        networks(self.allow_networks)
        proxy_location(self.proxy)

    @property
    def product_token(self) -> str:
        """The name by which robots.txt may call us (RFC 9309 section 2.2.1)."""
        return re.match(r"[A-Za-z_-]+", self.user_agent)[0]  # type: ignore[index]  # checked above


def networks(blocks: tuple[str, ...]) -> tuple[Network, ...]:
    """The allowed blocks. Raises UsageError for what is no CIDR block."""
    try:
        return tuple(ipaddress.ip_network(block) for block in blocks)
    except ValueError as error:
        raise _wrong("allow_networks", f"must be CIDR blocks such as 127.0.0.0/8, found {error}") from error


def proxy_location(proxy: str | None) -> Location | None:
    """Where the proxy is. Raises UsageError for what is not http://HOST[:PORT]."""
    if proxy is None:
        return None
    try:
        found = Location.of(proxy)
    except RejectedError as error:
        raise _wrong("proxy", f"must be http://HOST:PORT; {error}") from error
    if found.scheme != "http" or found.target != "/":
        raise _wrong("proxy", f"must be http://HOST:PORT, found {shown(proxy.partition('?')[0])}")
    return found


def _whole(name: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(name, f"must be a whole number, found {shown(value)}")
    if not least <= value <= most:
        raise _wrong(name, f"must be from {least} to {most}, found {value}")


def _wrong(name: str, complaint: str) -> UsageError:
    return UsageError(f"{name} {complaint}", subject=name)
