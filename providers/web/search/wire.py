"""The messages of a service at its address, and the one exchange that sends them."""

import ipaddress
from dataclasses import dataclass

from providers.base import Clock, Outgoing
from providers.exchange import Address, Answer, UnansweredError, exchange
from providers.web.search.adapter import Adapter, Ask, Received
from providers.web.search.credentials import SHOWN, Credential
from schemas.errors import EvidenceError
from schemas.outside import parse

LARGEST_ANSWER = 4 * 1024 * 1024


@dataclass(frozen=True)
class Wire:
    """Where a service is asked, and whether a key goes with a message."""

    adapter: Adapter
    address: Address
    keyed: bool
    clock: Clock

    def shown(self, ask: Ask) -> Outgoing:
        """Byte for byte what `exchange` would send and where, with `[credential]` in place of the key."""
        message = self._message(ask, SHOWN if self.keyed else "")
        return Outgoing(self.address.url(ask.path), message.decode())

    def exchange(self, ask: Ask, credential: Credential | None, seconds: float) -> Received:
        """Send one message and read its answer, in which the key is hidden. Raises UnansweredError."""
        message = self._message(ask, credential.reveal() if credential else "")
        hide = credential.hide if credential else lambda value: value
        try:
            answer = exchange(self.address, message, seconds, LARGEST_ANSWER)
        except UnansweredError as error:
            raise type(error)(hide(str(error))) from None
        now = self.clock().timestamp()
        return Received(answer.status, hide(answer.headers), answer.body, hide(_told(answer)), now)

    def _message(self, ask: Ask, key: str) -> bytes:
        head = [
            f"{ask.method} {self.address.path}{ask.path} HTTP/1.1",
            f"Host: {self.address.host_header}",
            "User-Agent: external-evidence",
            "Accept: application/json",
            "Accept-Encoding: identity",
            "Connection: close",
            *(f"{name}: {value}" for name, value in ask.headers),
        ]
        if key and self.adapter.key_header:
            head.append(": ".join(self.adapter.key_header(key)))
        if ask.body:
            head += ["Content-Type: application/json", f"Content-Length: {len(ask.body)}"]
        return "\r\n".join([*head, "", ""]).encode("ascii") + ask.body


def on_this_machine(host: str) -> bool:
    """Whether `host` names this machine by itself, without a name being looked up elsewhere."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _told(answer: Answer) -> object:
    try:
        return parse(answer.body, "the answer")
    except EvidenceError:
        return None
