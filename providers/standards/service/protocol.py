"""HTTP as uvicorn reads it; the head of a request has bounds, and what is no HTTP hears our one shape."""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from providers.standards.service.refusals import MalformedError, error_body

LARGEST_HEAD = 64 * 1024
HEAD_SECONDS = 30.0


class NoHttpError(MalformedError):
    """What was received is no HTTP request, or its head is too large."""

    code = "malformed_request"


class Protocol(HttpToolsProtocol):
    """One connection."""

    _head: int | None = 0
    """How many bytes of a request's head have come; None while a body does."""
    _ended = False
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        self._expect_head()
        super().on_message_begin()

    def _expect_head(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def data_received(self, data: bytes) -> None:
        self._ended = False
        super().data_received(data)
        if self._head is None or self._ended or self.transport.is_closing():
            return
        self._head += len(data)
        if self._head > LARGEST_HEAD:
            self.send_400_response(f"The head of the request is larger than {LARGEST_HEAD} bytes.")

    def on_headers_complete(self) -> None:
        self._head = None
        self._stop_waiting()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._head, self._ended = 0, True
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        hint = "send HTTP/1.1: POST /v1/search with a JSON body"
        body = error_body(NoHttpError(msg, hint=hint))
        head = (
            b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n"
            b"content-length: %d\r\nconnection: close\r\n\r\n" % len(body)
        )
        self.transport.write(head + body)
        self.transport.close()
