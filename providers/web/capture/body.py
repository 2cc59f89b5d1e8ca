"""The body of an answer: its framing taken off and its one content coding undone, within the caps.

What is hashed is the body after the transfer coding (chunked) and the one content coding (gzip) have been
removed: the bytes of the page itself, whatever way they came.
"""

import hashlib
import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from providers.web.capture.ending import FailedError, RejectedError
from providers.web.capture.head import Budget, Head, read_fields
from providers.web.capture.wire import Wire

Framing = Literal["length", "chunked", "close"]

MOST_CHUNKS = 1 << 16  # each costs more time than its bytes do

_STEP = 64 << 10
_LENGTH = re.compile(r"[0-9]{1,15}")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,12})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?")
_CHUNK_LINE = 1024
_GZIP = 31  # zlib's number for a gzip head and trailer, checked


@dataclass(frozen=True, slots=True)
class Body:
    """A whole body; `framing` says how its end was known."""

    content: bytes = field(repr=False)
    sha256: str
    framing: Framing


def read_body(wire: Wire, head: Head, most: int, cut: bool = False) -> Body:
    """The decoded body, of at most `most` bytes; with `cut` the rest is left unread.

    A body without a length that ends with the connection counts as whole (RFC 9112 section 8); over TLS
    the wire itself requires close_notify. Raises FailedError, RejectedError.
    """
    framing, coding = framing_of(head), _coding(head)
    if framing == "length" and not coding and not cut and _length(head) > most:
        raise _too_large(most)
    pieces = _framed(wire, head, framing)
    plain = _unzipped(pieces) if coding else pieces
    page, digest, size = io.BytesIO(), hashlib.sha256(), 0
    for piece in plain:
        size += len(piece)
        if size > most:
            if not cut:
                raise _too_large(most)
            piece = piece[: len(piece) - (size - most)]  # noqa: PLW2901  # the end of what is kept
        page.write(piece)
        digest.update(piece)
        if size > most:
            break
    return Body(page.getvalue(), digest.hexdigest(), framing)


def framing_of(head: Head) -> Framing:
    """How the end of the body is known. Raises FailedError where two readers could differ."""
    lengths, codings = head.every("content-length"), head.every("transfer-encoding")
    if codings:
        if lengths:
            raise FailedError("the answer has a length and a transfer coding")
        if [coding.lower() for coding in codings] != ["chunked"] or head.minor == 0:
            raise FailedError("the answer has a transfer coding other than chunked once")
        return "chunked"
    if not lengths:
        return "close"
    if len(lengths) > 1:
        raise FailedError("the answer has more than one length")
    if not _LENGTH.fullmatch(lengths[0]):
        raise FailedError("the answer's length is no number")
    return "length"


def _length(head: Head) -> int:
    return int(head.every("content-length")[0])


def _too_large(most: int) -> RejectedError:
    return RejectedError(f"the body is larger than {most} bytes")


def _coding(head: Head) -> str:
    codings = [one.strip().lower() for value in head.every("content-encoding") for one in value.split(",")]
    if codings in ([], ["identity"], [""]):
        return ""
    if codings in (["gzip"], ["x-gzip"]):
        return "gzip"
    raise FailedError("the answer has a content coding other than gzip once")


def _framed(wire: Wire, head: Head, framing: Framing) -> Iterator[bytes]:
    if framing == "chunked":
        yield from _chunks(wire)
    elif framing == "length":
        yield from _exactly(wire, _length(head))
    else:
        while piece := wire.piece(_STEP):
            yield piece


def _exactly(wire: Wire, size: int) -> Iterator[bytes]:
    while size:
        piece = wire.piece(min(size, _STEP))
        if not piece:
            raise FailedError("the answer ends before its stated length")
        size -= len(piece)
        yield piece


def _chunks(wire: Wire) -> Iterator[bytes]:
    part = "its chunked body"
    for _ in range(MOST_CHUNKS):
        found = _CHUNK.fullmatch(wire.line(_CHUNK_LINE, part))
        if found is None:
            raise FailedError("a chunk has no readable size")
        size = int(found[1], 16)
        if not size:
            read_fields(wire, Budget(_STEP), "its trailer")
            return
        yield from _exactly(wire, size)
        if wire.line(_CHUNK_LINE, part):
            raise FailedError("a chunk is longer than its size")
    raise FailedError("the body comes in too many chunks")


def _even(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in steps that do not depend on how they arrived: zlib's errors would tell otherwise."""
    held = bytearray()
    for piece in pieces:
        held += piece
        while len(held) >= _STEP:
            yield bytes(held[:_STEP])
            del held[:_STEP]
    yield bytes(held)


def _unzipped(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """One gzip member, never more than _STEP bytes of it at once: a bomb meets the cap, not the memory."""
    unzip = zlib.decompressobj(wbits=_GZIP)
    try:
        for step in _even(pieces):
            rest = step
            while rest and not unzip.eof:
                if plain := unzip.decompress(rest, _STEP):
                    yield plain
                rest = unzip.unconsumed_tail
            if unzip.eof and (unzip.unused_data or rest):
                raise FailedError("bytes follow the gzip data")
    except zlib.error as error:
        raise FailedError("the gzip data is damaged") from error
    if not unzip.eof:
        raise FailedError("the gzip data is cut short")
