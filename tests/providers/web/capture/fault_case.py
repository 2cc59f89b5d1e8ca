"""One row of the fault table, and the words that many rows share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tests.providers.web.capture.peer import Answer, page

OK: Final = b"HTTP/1.1 200 OK\r\n"
DEFAULT: Final = "http://page.test:{port}/"
NUMBER = "the host is a number but no canonical dotted quad"
LETTERS = "the host holds characters that are no plain letters or digits"
NO_NAME = "the host is no host name"
CONTROL = "the URL holds a control character"
ESCAPED = "the URL holds an escaped control character"


@dataclass(frozen=True)
class Case:
    name: str
    state: str
    reason: str
    url: str = DEFAULT
    resolved: tuple[str, ...] = ("127.0.0.1",)
    answer: Callable[[], Answer] = lambda: (page(b"a page"),)
    changes: dict[str, object] = field(default_factory=dict)


def sent(
    name: str, reason: str, *steps: bytes | float | str, state: str = "failed", **changes: object
) -> Case:
    """A case in which the server sends this."""
    return Case(name, state, reason, answer=lambda: steps, changes=changes)


def asked(name: str, url: str, reason: str) -> Case:
    """A case in which the URL alone is refused."""
    return Case(name, "rejected", reason, url=url)


def resolved(name: str, reason: str, *addresses: str) -> Case:
    """A case in which the name service gives these addresses."""
    return Case(name, "rejected", f"the host is {reason}", resolved=addresses)


def led(name: str, target: str, reason: str, state: str = "rejected") -> Case:
    """A case in which the server redirects there."""
    fields = (f"Location: {target}", "Set-Cookie: id=1; Path=/")
    return sent(name, reason, page(b"", 302, *fields), state=state)
