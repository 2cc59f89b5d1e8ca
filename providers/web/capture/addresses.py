"""Whether an address is a public one that may be connected to.

Stricter than IANA's registries: an exception inside a block that is not reachable stays closed, for no
page lives there; and of IPv6 only what IANA has given out as global unicast is open.
"""

import ipaddress
from collections.abc import Iterator, Sequence

from providers.web.capture.hosts import Address
from providers.web.capture.policy import Network
from providers.web.capture.special import IPV4, IPV6

_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052: a well-known prefix before a public IPv4 address
_CLOSED = [(ipaddress.ip_network(block), name) for block, name, open_ in (*IPV4, *IPV6) if not open_]
_NARROW_FIRST = sorted(_CLOSED, key=lambda row: row[0].prefixlen, reverse=True)
_LOW = 0xFFFFFFFF


def objection(text: str, allowed: Sequence[Network] = ()) -> str | None:
    """Why the numeric address `text` may not be connected to; None when it may."""
    if "%" in text:
        return "an address with a scope id"
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return "no numeric address"
    if any(address in block for block in allowed):
        return None
    found = _special(address)
    if found is not None:
        return f"{text}, which is not public: {found}"
    return None


def _special(address: Address) -> str | None:
    name = next((name for block, name in _NARROW_FIRST if address in block), None)
    if isinstance(address, ipaddress.IPv4Address):
        return name
    if name is None and address not in _GLOBAL_UNICAST and address not in _NAT64:
        name = "no global unicast address"
    for kind, inner in embedded(address):
        within = _special(inner)
        if within is not None:
            return f"{name or kind} with {inner} inside, {within}"
    return name


def embedded(address: ipaddress.IPv6Address) -> Iterator[tuple[str, ipaddress.IPv4Address]]:
    """The IPv4 addresses that a router or host may read out of `address`, with the way they are written."""
    number = int(address)
    top = number >> 96
    if number >> 32 in (0, 0xFFFF) and number > 1:
        yield "IPv4 in IPv6", ipaddress.IPv4Address(number & _LOW)
    if address in _NAT64 or number >> 80 == 0x0064FF9B0001:
        yield "NAT64", ipaddress.IPv4Address(number & _LOW)
    if number >> 112 == 0x2002:
        yield "6to4", ipaddress.IPv4Address(number >> 80 & _LOW)
    if top == 0x20010000:
        yield "Teredo server", ipaddress.IPv4Address(number >> 64 & _LOW)
        yield "Teredo client", ipaddress.IPv4Address(~number & _LOW)  # RFC 4380: its bits are inverted
    # RFC 5214: an interface identifier of 0000:5efe or 0200:5efe before the address.
    if number >> 32 & 0xFDFFFFFF == 0x00005EFE:
        yield "ISATAP", ipaddress.IPv4Address(number & _LOW)
