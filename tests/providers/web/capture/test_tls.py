"""TLS: always verified, always for the name, and never cut without being noticed."""

import socket
import ssl
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trustme

from providers.web.capture.fetch import Fetcher
from schemas.errors import UsageError
from tests.providers.web.capture.peer import (
    NOW,
    Peer,
    allow,
    answering,
    fetch,
    fetcher,
    page,
    policy,
    running,
)

OK = b"HTTP/1.1 200 OK\r\n\r\n"


def server(certificate: trustme.LeafCert) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


def test_a_page_is_captured_over_tls_by_name_and_by_address(secure_peer: Peer, ca_file: str) -> None:
    secure_peer.answer("/", page(b"a page"))
    for host in ("page.test", "127.0.0.1"):
        fetched = fetcher(policy(secure_peer, ca_file=ca_file)).fetch(secure_peer.url("/", host))
        assert (fetched.state, fetched.reason, fetched.body) == ("captured", "", b"a page")


def test_a_body_without_a_length_is_whole_only_when_tls_was_closed_in_order(
    secure_peer: Peer, ca_file: str
) -> None:
    secure_peer.answer("/whole", OK, b"a page")
    secure_peer.answer("/cut", OK, b"a pa", "cut")
    assert fetch(secure_peer, "/whole", ca_file=ca_file).body == b"a page"
    fetched = fetch(secure_peer, "/cut", ca_file=ca_file)
    assert fetched.state == "failed"
    assert fetched.reason.startswith("the connection broke")


def expired(authority: trustme.CA) -> ssl.SSLContext:
    past = datetime(2020, 1, 1, tzinfo=UTC)
    return server(authority.issue_cert("page.test", not_before=past, not_after=past.replace(year=2021)))


FAULTS: dict[str, tuple[Callable[[trustme.CA], ssl.SSLContext], str]] = {
    "wrong name": (
        lambda authority: server(authority.issue_cert("other.test")),
        "the certificate is not accepted: Hostname mismatch",
    ),
    "name of a subdomain": (
        lambda authority: server(authority.issue_cert("*.page.test")),
        "the certificate is not accepted: Hostname mismatch",
    ),
    "expired": (expired, "the certificate is not accepted: certificate has expired"),
    "unknown authority": (
        lambda _authority: server(trustme.CA().issue_cert("page.test")),
        "the certificate is not accepted: ",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_certificate_that_is_not_right_fails_before_anything_is_asked(
    fault: str, authority: trustme.CA, ca_file: str
) -> None:
    make, reason = FAULTS[fault]
    with running(make(authority)) as peer:
        fetched = fetch(peer, ca_file=ca_file)
        assert fetched.state == "failed"
        assert fetched.reason.startswith(reason)
        assert peer.requests == []


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1")
def test_tls_before_1_2_fails(authority: trustme.CA, ca_file: str) -> None:
    context = server(authority.issue_cert("page.test"))
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    with running(context) as peer:
        fetched = fetch(peer, ca_file=ca_file)
    assert fetched.state == "failed"
    assert fetched.reason.startswith("no TLS: ")


def test_without_a_ca_file_the_system_s_authorities_decide(secure_peer: Peer) -> None:
    fetched = fetch(secure_peer)
    assert fetched.state == "failed"
    assert fetched.reason.startswith("the certificate is not accepted: ")


def test_a_server_that_speaks_no_tls_fails(peer: Peer, ca_file: str) -> None:
    fetched = fetcher(policy(peer, ca_file=ca_file, seconds=0.3)).fetch(f"https://page.test:{peer.port}/")
    assert (fetched.state, fetched.hops[0].status) == ("failed", 0)


def test_a_server_that_is_silent_in_the_handshake_ends_with_the_deadline(ca_file: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        rules = policy(seconds=0.2, allow_ports=(port,), ca_file=ca_file)
        fetched = fetcher(rules).fetch(f"https://page.test:{port}/")
    assert (fetched.state, fetched.reason) == ("failed", "not over within 0.2 seconds")


def test_https_does_not_lead_to_http_but_http_leads_to_https(
    peer: Peer, secure_peer: Peer, ca_file: str
) -> None:
    peer.answer("/", page(b"", 302, f"Location: {secure_peer.url('/')}"))
    secure_peer.answer("/", page(b"a page"))
    secure_peer.answer("/down", page(b"", 302, f"Location: {peer.url('/')}"))
    capture = fetcher(policy(peer, secure_peer, ca_file=ca_file))
    assert capture.fetch(peer.url("/")).body == b"a page"
    down = capture.fetch(secure_peer.url("/down"))
    assert (down.state, down.reason) == ("rejected", "a redirect from https to http")


@pytest.mark.parametrize("content", [None, b"", b"no certificate"])
def test_a_ca_file_that_holds_no_certificates_is_refused_at_once(
    content: bytes | None, tmp_path: Path
) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match="ca_file must be a file of certificates in PEM"):
        Fetcher(policy(ca_file=str(path)), lambda: NOW, allow, answering("127.0.0.1"))
