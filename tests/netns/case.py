"""One case: a URL, what the name service and the servers do, and all that may come of it.

`{n}` stands for the case's own number. Its names end in `.c{n}.test`, its public addresses are written
93.184.{n}.x and 2606:2800:{n}::x and are its own. At every other address somebody listens as well.
"""

import ipaddress
import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

# A step of an answer: bytes to send, seconds to pause, or how to leave: reset the connection, cut it
# (over TLS without close_notify), close only our half, or hold it open until the other side goes.
Step = bytes | float | str
Answer = Callable[[], Iterable[Step]]

WWW = "93.184.{n}.1"
OTHER = "93.184.{n}.2"
TEXT = b"<!doctype html><title>A page</title><p>Article 1. A page.</p>"
HANGS = 1.5
ENDS = 15.0


_BLOCK = 200


def filled(text: str, number: int) -> str:
    """`text` with the number of a case in its names and addresses."""
    mine = f"93.{184 + number // _BLOCK}.{number % _BLOCK}."
    return text.replace("93.184.{n}.", mine).replace("{n}", str(number))


def number_by(address: str) -> int:
    """The case whose own public address this is; -1 where it is no such address."""
    if found := re.match(r"93\.([0-9]+)\.([0-9]+)\.", address):
        return (int(found[1]) - 184) * _BLOCK + int(found[2])
    found = re.match(r"2606:2800:([0-9]+):", address)
    return int(found[1]) if found else -1


def numeric(address: str) -> str:
    """`address` as this Python writes it; 3.13 writes some with a quad at their end."""
    return str(ipaddress.ip_address(address))


@dataclass(frozen=True, slots=True)
class Name:
    """What the name service says of one name; `then` is said from the second question on."""

    a: tuple[str, ...] = ()
    aaaa: tuple[str, ...] = ()
    alias: str = ""
    then: tuple[str, ...] | None = None
    manner: str = "answer"
    """answer | silent | half | late | truncated | nothing | nxdomain | servfail | refused | garbage |
    lying"""


def page(body: bytes = TEXT, status: int = 200, *fields: str, length: int | None = None) -> bytes:
    """A whole answer with its length."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body) if length is None else length}"]
    return "\r\n".join([*lines, "Content-Type: text/html", *fields, "", ""]).encode() + body


def says(*steps: Step) -> Answer:
    """An answer of these steps."""
    return lambda: steps


def forever(first: bytes, *again: Step) -> Answer:
    """An answer that begins and never ends."""
    return lambda: itertools.chain((first,), itertools.cycle(again))


def to(where: str, status: int = 302, *fields: str) -> Answer:
    """A redirect, with a cookie."""
    cookie = "Set-Cookie: id=canary-cookie; Path=/; Domain=.test"
    return says(page(b"", status, f"Location: {where}", cookie, *fields))


NO_ROBOTS = says(page(b"", 404))
NAMES = {"www": Name(a=(WWW,)), "other": Name(a=(OTHER,))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`reached` are exactly the addresses that are connected to, `asked` exactly the names looked up.

    A reason that ends in … is the beginning of one: the rest is the words of the system's TLS.
    """

    name: str
    state: str
    reason: str = ""
    url: str = "http://www.c{n}.test/"
    reached: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    names: Mapping[str, Name] = field(default_factory=dict)
    site: Mapping[str, Answer] = field(default_factory=dict)
    """By target, or by first label of the host and target: `/`, `other /robots.txt`."""
    tls: str = "good"
    body: bytes | Callable[[], bytes] = TEXT
    final: str = ""
    seconds: float = ENDS
    options: tuple[str, ...] = ()
    trusted: bool = True
    """Whether the command is told of our authority."""
    fresh: bool = False
    """Whether it has a Python of its own, and is not forked from one that has read the command line."""

    def content(self) -> bytes:
        """The bytes that are captured; what is large is made when it is asked for."""
        return self.body if isinstance(self.body, bytes) else self.body()

    def known(self) -> dict[str, Name]:
        """All names, by first label or, where they have a dot, whole."""
        return {**NAMES, **self.names}

    def answer(self, label: str, target: str) -> Answer:
        """What the server of that host answers for a target."""
        usual = NO_ROBOTS if target == "/robots.txt" else says(page(b"nothing here", 404))
        home = says(page()) if target == "/" else usual
        return self.site.get(f"{label} {target}") or self.site.get(target) or home


def strangers(cases: Sequence[Case]) -> dict[str, int]:
    """Addresses and names that cases use without their number in them, and which case that is."""
    found: dict[str, int] = {}
    for number, case in enumerate(cases):
        for one in (*case.reached, *case.asked):
            if "{n}" not in one:
                assert one not in found, f"two cases use {one}"
                found[one] = number
    return found
