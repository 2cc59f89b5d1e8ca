"""The HTTP interface: one batch query, health, readiness, and the document that describes them."""

import asyncio
from collections.abc import Awaitable, Callable

import orjson
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from providers.standards.service import openapi
from providers.standards.service.answering import Answering
from providers.standards.service.asking import LARGEST_BODY, read_keywords
from providers.standards.service.refusals import (
    FaultError,
    MediaTypeError,
    MethodError,
    NoSuchPathError,
    SlowBodyError,
    TooLargeError,
    error_body,
)
from providers.standards.service.shelf import Shelf
from schemas.errors import EvidenceError, InvalidError
from schemas.text import shown

JSON = "application/json"
BODY_SECONDS = 30.0
MOST_DRAINED = 16 * 1024 * 1024
"""How much of a body that is too large is read on: whoever still sends does not hear the answer."""
_CHARSETS = ("utf-8", "utf8", '"utf-8"', '"utf8"')

Endpoint = Callable[[Request], Awaitable[Response]]


class Draining:
    """Whether the service is stopping: then every response asks its client to close the connection."""

    def __init__(self) -> None:
        self.on = False

    def headers(self) -> dict[str, str]:
        """What a response says about its connection."""
        return {"connection": "close"} if self.on else {}


def application(
    answering: Answering,
    shelf: Shelf,
    draining: Draining,
    *,
    echo: str | None = None,
    body_seconds: float = BODY_SECONDS,
) -> Starlette:
    """The service over a shelf; `echo`: see Settings."""

    async def search(request: Request) -> Response:
        _check_headers(request)
        body = await _body(request, body_seconds)
        if echo:
            return Response(_echoed(body, echo), media_type=JSON, headers=draining.headers())
        answered = await answering.answer(read_keywords(body))
        headers = {"library-revision": answered.revision, "request-id": answered.request_id}
        return Response(answered.body, media_type=JSON, headers={**headers, **draining.headers()})

    async def health(_request: Request) -> Response:
        return Response(b'{"status":"ok"}', media_type=JSON, headers=draining.headers())

    async def ready(_request: Request) -> Response:
        return Response(orjson.dumps(_readiness(shelf)), media_type=JSON, headers=draining.headers())

    described = openapi.document()

    async def document(_request: Request) -> Response:
        return Response(described, media_type=JSON, headers=draining.headers())

    app = Starlette(
        routes=[
            Route(openapi.SEARCH, search, methods=["POST"]),
            Route(openapi.HEALTH, health),
            Route(openapi.READY, ready),
            Route(openapi.DOCUMENT, document),
        ],
        exception_handlers={EvidenceError: _refused, HTTPException: _no_route, Exception: _fault},
    )
    app.router.redirect_slashes = False
    return app


def _echoed(body: bytes, what: str) -> bytes:
    if what == "body":
        return body
    return orjson.dumps({"results": [{"query": query, "candidates": []} for query in read_keywords(body)]})


def _readiness(shelf: Shelf) -> dict[str, object]:
    library = shelf.current.library
    # A file's name may be no text.
    name = library.name.encode("utf-8", "backslashreplace").decode()
    return {
        "status": "ready",
        "library": {"name": name, "standards": len(library), "revision": library.revision},
        "loaded_at": shelf.loaded_at,
        "refused": shelf.refused and shelf.refused.to_wire(),
    }


def _check_headers(request: Request) -> None:
    declared = request.headers.get("content-type", "")
    kind, _, parameters = declared.partition(";")
    charset = parameters.strip().lower()
    fine = not charset or (charset.startswith("charset=") and charset[8:] in _CHARSETS)
    if kind.strip().lower() != JSON or not fine:
        found = f"found {shown(declared)}" if declared else "there is none"
        hint = "send Content-Type: application/json"
        raise MediaTypeError(f"Content-Type must be {JSON}; {found}", subject="content-type", hint=hint)
    encoding = request.headers.get("content-encoding", "identity")
    if encoding.strip().lower() != "identity":
        message = f"Content-Encoding {shown(encoding)} is not read"
        raise MediaTypeError(message, subject="content-encoding", hint="send the body as it is")


async def _body(request: Request, seconds: float) -> bytes:
    """The whole body, within time and size."""
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for chunk in request.stream():
                size += len(chunk)
                if size <= LARGEST_BODY:
                    chunks.append(chunk)
                elif size > MOST_DRAINED:
                    break
    except TimeoutError as error:
        raise SlowBodyError(f"the body did not arrive within {seconds:g} seconds", subject="body") from error
    except ClientDisconnect as error:
        # Nobody is there to read it; it only ends the request.
        raise InvalidError("the client went away", subject="body") from error
    if size > LARGEST_BODY:
        raise TooLargeError(
            f"the body is larger than {LARGEST_BODY} bytes",
            subject="body",
            hint="send at most 100 keywords of at most 200 characters",
        )
    return b"".join(chunks)


def _answer(error: EvidenceError, headers: dict[str, str] | None = None) -> Response:
    return Response(error_body(error), error.http_status, headers, JSON)


async def _refused(_request: Request, error: Exception) -> Response:
    return _answer(error if isinstance(error, EvidenceError) else FaultError("the service failed"))


async def _no_route(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = dict(getattr(error, "headers", None) or {})
    path = shown(request.url.path)
    if status == 405:
        return _answer(MethodError(f"{path} does not know {shown(request.method)}", hint=_paths()), headers)
    if status == 404:
        return _answer(NoSuchPathError(f"there is nothing at {path}", hint=_paths()), headers)
    fault = InvalidError(f"the request cannot be read: {getattr(error, 'detail', status)}")
    return Response(error_body(fault), status, headers, JSON)


def _paths() -> str:
    return f"POST {openapi.SEARCH}; GET {openapi.HEALTH}, {openapi.READY}, {openapi.DOCUMENT}"


async def _fault(_request: Request, _error: Exception) -> Response:
    # Starlette raises it again after this answer, and uvicorn logs it.
    return _answer(FaultError("the service failed; its operator finds the cause on its stderr"))
