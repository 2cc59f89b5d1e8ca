"""An explicit proxy: names are judged, addresses cannot be, and the record says so."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from providers.web.capture.deadline import Deadline
from tests.providers.web.capture.peer import Peer, fetcher, page, policy


class Tunnel:
    """A proxy that connects to one peer whatever it is asked for, or answers what it is told."""

    def __init__(self, target: int, answer: bytes) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.socket.getsockname()[1]
        self.target = target
        self.answer = answer
        self.requests: list[bytes] = []

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self.socket.accept()
                with near:
                    self._tunnel(near)

    def _tunnel(self, near: socket.socket) -> None:
        request = b""
        while b"\r\n\r\n" not in request:
            request += near.recv(65536)
        self.requests.append(request)
        near.sendall(self.answer)
        with socket.create_connection(("127.0.0.1", self.target)) as far, suppress(OSError):
            back = threading.Thread(target=copy, args=(far, near), daemon=True)
            back.start()
            copy(near, far)
            back.join(10)


def copy(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


@pytest.fixture
def tunnel(request: pytest.FixtureRequest, secure_peer: Peer) -> Iterator[Tunnel]:
    found = Tunnel(secure_peer.port, getattr(request, "param", b"HTTP/1.1 200 Connected\r\n\r\n"))
    thread = threading.Thread(target=found.serve, daemon=True)
    thread.start()
    yield found
    with suppress(OSError):
        found.socket.shutdown(socket.SHUT_RDWR)
    found.socket.close()
    thread.join(10)


def nobody(host: str, _port: int, _deadline: Deadline) -> list[str]:
    """A name service that is asked for the proxy's name only."""
    assert host == "proxy.test"
    return ["127.0.0.1"]


def test_over_http_the_proxy_is_asked_for_the_whole_url(peer: Peer) -> None:
    url = f"http://page.test:{peer.port}/a?b"
    peer.answer(url, page(b"a page"))
    rules = policy(peer, proxy=f"http://127.0.0.1:{peer.port}", allow_networks=())
    fetched = fetcher(rules, nobody).fetch(url)
    assert (fetched.state, fetched.body, fetched.pinned) == ("captured", b"a page", False)
    assert peer.requests[0].startswith(f"GET {url} HTTP/1.1\r\nHost: page.test:{peer.port}\r\n".encode())


def test_over_https_the_proxy_makes_a_tunnel_and_sees_the_name_only(tunnel: Tunnel, ca_file: str) -> None:
    rules = policy(proxy=f"http://proxy.test:{tunnel.port}", ca_file=ca_file, allow_networks=())
    fetched = fetcher(rules, nobody).fetch("https://page.test/a")
    assert (fetched.state, fetched.reason, fetched.pinned) == ("failed", "status 404", False)
    assert tunnel.requests == [b"CONNECT page.test:443 HTTP/1.1\r\nHost: page.test:443\r\n\r\n"]


@pytest.mark.parametrize(
    ("tunnel", "reason"),
    [
        (b"HTTP/1.1 407 X\r\nProxy-Authenticate: Basic\r\n\r\n", "the proxy answered 407"),
        (b"HTTP/1.1 302 X\r\nLocation: /\r\n\r\n", "the proxy answered 302"),
        (b"SSH-2.0-x\r\n", "the answer is not HTTP/1.x"),
    ],
    indirect=["tunnel"],
)
def test_a_proxy_that_makes_no_tunnel_is_a_failure(tunnel: Tunnel, ca_file: str, reason: str) -> None:
    rules = policy(proxy=f"http://127.0.0.1:{tunnel.port}", ca_file=ca_file)
    fetched = fetcher(rules, nobody).fetch("https://page.test/")
    assert (fetched.state, fetched.reason) == ("failed", reason)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "127.1", "user@page.test", "page.test:22"])
def test_through_a_proxy_the_rules_of_names_still_hold(peer: Peer, host: str) -> None:
    rules = policy(peer, proxy=f"http://127.0.0.1:{peer.port}", allow_networks=())
    fetched = fetcher(rules, nobody).fetch(f"http://{host}/")
    assert (fetched.state, peer.requests) == ("rejected", [])


def test_a_certificate_is_checked_through_a_proxy_too(tunnel: Tunnel, ca_file: str) -> None:
    rules = policy(proxy=f"http://127.0.0.1:{tunnel.port}", ca_file=ca_file)
    fetched = fetcher(rules, nobody).fetch("https://other.test/")
    assert fetched.reason.startswith("the certificate is not accepted: Hostname mismatch")
