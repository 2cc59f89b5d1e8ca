"""Clients that open a connection and then say little: the service does not wait for ever."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import uvicorn

from providers.standards.query_log import QueryLog
from providers.standards.service import protocol
from providers.standards.service.answering import Answering
from providers.standards.service.app import Draining, application
from providers.standards.service.listening import listen
from providers.standards.service.protocol import Protocol
from providers.standards.service.shelf import Shelf

HEAD = b"POST /v1/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 50\r\n"


def now() -> datetime:
    return datetime(2026, 3, 4, tzinfo=UTC)


@pytest.fixture
def hasty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """The address of a service, in a thread here, that waits a fifth of a second for anything."""
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.2)
    shelf = Shelf(None, now, lambda _: None)
    log = QueryLog(tmp_path, now)
    app = application(Answering(lambda: shelf.current, log, now), shelf, Draining(), body_seconds=0.2)
    config = uvicorn.Config(app, http=Protocol, log_config=None, lifespan="off", ws="none")
    server = uvicorn.Server(config)
    with listen("127.0.0.1", 0) as listening:
        address = listening.getsockname()[:2]
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
        thread.start()
        try:
            yield address
        finally:
            server.should_exit = True
            thread.join(30)
    log.close()


def answer(address: tuple[str, int], sent: bytes) -> bytes:
    with socket.create_connection(address, timeout=30) as connection:
        connection.sendall(sent)
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
            if b"\r\n\r\n{" in received:
                return received
        return received


@pytest.mark.parametrize("sent", [b"", b"POST /v1", HEAD], ids=["nothing", "half a line", "half a head"])
def test_a_head_that_does_not_come_ends_the_connection(hasty: tuple[str, int], sent: bytes) -> None:
    assert answer(hasty, sent) == b""


def test_a_body_that_does_not_come_is_told_so(hasty: tuple[str, int]) -> None:
    told = answer(hasty, HEAD + b'\r\n{"keywords":')
    assert told.startswith(b"HTTP/1.1 408")
    assert b'"code":"body_too_slow"' in told
    assert b'"retryable":true' in told


def test_a_client_that_goes_away_in_its_body_hurts_nobody(hasty: tuple[str, int]) -> None:
    with socket.create_connection(hasty, timeout=30) as connection:
        connection.sendall(HEAD + b"\r\n{")
    assert answer(hasty, b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").startswith(b"HTTP/1.1 200")


def test_a_log_that_cannot_be_written_is_a_503_that_may_be_tried_again(
    hasty: tuple[str, int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(QueryLog, "_next_file", full)
    body = b'{"keywords":["GB 50330-2013"]}                    '
    told = answer(hasty, HEAD + b"\r\n" + body)
    assert told.startswith(b"HTTP/1.1 503")
    assert b'"code":"storage"' in told
    assert list(tmp_path.iterdir()) == []


def test_a_fault_of_ours_is_told_without_its_cause(
    hasty: tuple[str, int], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(Answering, "answer", broken)
    told = answer(hasty, HEAD + b"\r\n" + b'{"keywords":["GB 50330-2013"]}                    ')
    assert told.startswith(b"HTTP/1.1 500")
    assert b'"code":"internal_fault"' in told
    assert b"secret" not in told
    # One loop does both: what answers this has logged that.
    assert answer(hasty, b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").startswith(b"HTTP/1.1 200")
    assert "secret" in caplog.text
