"""The bounded exchange over TLS: whom it trusts, and that one deadline ends the handshake too."""

import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from providers.exchange import (
    Address,
    RefusedError,
    UnansweredError,
    UnsentError,
    exchange,
    reach,
    within,
)
from tests.providers.web.search.faking import Fake, faking, says, silent

MESSAGE = b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def fake(authority: trustme.CA) -> Iterator[Fake]:
    """A server whose certificate is of that authority, for 127.0.0.1 alone."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with faking(context) as made:
        made.does["/a"] = says(200, {})
        yield made


@pytest.fixture
def trusted(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))


def at(fake: Fake, host: str = "127.0.0.1") -> Address:
    return Address("https", host, fake.port, "")


@pytest.mark.usefixtures("trusted")
def test_a_certificate_of_a_known_authority_is_taken(fake: Fake) -> None:
    assert exchange(at(fake), MESSAGE, 30, 1000).body == b"{}"
    reach(at(fake), 30)
    assert fake.received == [MESSAGE]


def test_a_certificate_of_nobody_is_not_and_nothing_is_sent(fake: Fake) -> None:
    for ask in (lambda: exchange(at(fake), MESSAGE, 30, 1000), lambda: reach(at(fake), 30)):
        with pytest.raises(UnansweredError, match="CERTIFICATE_VERIFY_FAILED"):
            ask()
    assert fake.received == []


@pytest.mark.usefixtures("trusted")
def test_a_certificate_of_another_host_is_not_taken(fake: Fake) -> None:
    with pytest.raises(UnansweredError, match="CERTIFICATE_VERIFY_FAILED"):
        exchange(at(fake, "localhost"), MESSAGE, 30, 1000)
    assert fake.received == []


def test_a_handshake_that_never_ends_is_ended() -> None:
    with faking() as plain:
        plain.meets = silent
        with pytest.raises(UnansweredError, match="no answer in time"):
            reach(at(plain), 0.2)


def test_a_deadline_that_is_over_before_the_handshake_begins_is_no_other_error() -> None:
    with faking() as plain:
        plain.meets = silent
        for seconds in (0.001, 0.002, 0.004, 0.008, 0.016):
            with pytest.raises(UnansweredError, match="no answer in time"):
                exchange(at(plain), MESSAGE, seconds, 1000)


def test_what_speaks_no_tls_is_told() -> None:
    with faking() as plain:
        plain.meets = lambda _fake, connection: connection.sendall(b"HTTP/1.1 400 Bad\r\n\r\n")
        with pytest.raises(UnansweredError, match="SSL"):
            reach(at(plain), 30)


def test_what_ended_before_a_byte_was_handed_over_was_not_sent(fake: Fake) -> None:
    with pytest.raises(UnsentError, match="CERTIFICATE_VERIFY_FAILED"):
        exchange(at(fake), MESSAGE, 30, 1000)
    with pytest.raises(RefusedError):
        exchange(Address("http", "127.0.0.1", 1, ""), MESSAGE, 30, 1000)
    with pytest.raises(UnsentError, match="no host name") as caught:
        exchange(Address("http", "a..b", 80, ""), MESSAGE, 30, 1000)
    assert not isinstance(caught.value, RefusedError)


def test_what_was_handed_over_counts_as_sent_whatever_came_of_it() -> None:
    with faking() as plain:
        for does in (silent, lambda _fake, connection: connection.close()):
            plain.does["/a"] = does
            with pytest.raises(UnansweredError) as caught:
                exchange(Address("http", "127.0.0.1", plain.port, ""), MESSAGE, 0.3, 1000)
            assert not isinstance(caught.value, UnsentError)
        assert plain.received == [MESSAGE, MESSAGE]


def test_a_look_up_that_takes_too_long_is_left() -> None:
    never = threading.Event()
    with pytest.raises(TimeoutError):
        within(never.wait, 0.05)
    never.set()
    assert within(lambda: 7, 30) == 7
    with pytest.raises(ValueError, match="bad"):
        within(lambda: int("bad"), 30)


def test_the_next_address_of_a_name_is_tried(fake: Fake) -> None:
    """`localhost` is often ::1 first, where nobody listens."""
    with pytest.raises(UnansweredError, match="CERTIFICATE_VERIFY_FAILED"):
        reach(at(fake, "localhost"), 30)
