"""How a body comes: bombs, without end, dripping, cut; lengths and codings that can be read in two ways."""

import gzip
import itertools
import zlib
from collections.abc import Iterable
from functools import cache

from tests.netns.case import HANGS, WWW, Answer, Case, Name, Step, forever, page, says

ASKED = ("www.c{n}.test",)
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
ZIPPED_HEAD = OK + b"Content-Encoding: gzip\r\n\r\n"
GZIP = "Content-Encoding: gzip"
ZIPPED = gzip.compress(b"a page " * 100)
MIB = 1 << 20
WIRE = f"the answer is larger than {16 * MIB} bytes on the wire"
DECODED = f"the body is larger than {16 * MIB} bytes"
READS = 60.0  # text is read after the fetch; what that costs is bounded by its size
LATE = f"not over within {HANGS:g} seconds"
TOO_LARGE = f"too large to be read as text: more than {2 * MIB} bytes"
TWO_CODINGS = "the answer has a content coding other than gzip once"
TRANSFER = "the answer has a transfer coding other than chunked once"


@cache
def _zeros() -> tuple[bytes, bytes]:
    """The beginning of gzip data, and a part of it that is a mebibyte of zeros however often it comes."""
    press = zlib.compressobj(9, zlib.DEFLATED, 31)
    head = press.compress(b"") + press.flush(zlib.Z_FULL_FLUSH)
    again = press.compress(bytes(MIB)) + press.flush(zlib.Z_FULL_FLUSH)
    return head, again


def _bomb() -> Iterable[Step]:
    head, again = _zeros()
    return itertools.chain((ZIPPED_HEAD + head,), itertools.repeat(again, 10_000))


BOMB: Answer = _bomb


def _bomb_in_chunks() -> Iterable[Step]:
    head, again = _zeros()
    first = OK + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunks = (
        b"%x\r\n%s\r\n" % (len(part), part)
        for part in itertools.chain((head,), itertools.repeat(again, 10_000))
    )
    return itertools.chain((first,), chunks)


def _inner_bomb() -> bytes:
    head, again = _zeros()
    return head + again * 1000


def _bomb_of_bombs() -> Iterable[Step]:
    return (page(gzip.compress(_inner_bomb(), 1), 200, GZIP),)


def _zipped(part: bytes, end: bytes, size: int) -> Iterable[Step]:
    press = zlib.compressobj(1, zlib.DEFLATED, 31)
    yield ZIPPED_HEAD
    for _ in range((size - len(end)) // len(part)):
        yield press.compress(part)
    yield press.compress(end) + press.flush()


def large(
    name: str, part: bytes, size: int, reason: str = "", end: bytes = b"", host: str = "www.c{n}.test"
) -> Case:
    """A page of many parts: whole, and captured."""
    return Case(
        url=f"http://{host}/",
        names={} if "{n}" in host else {host: Name(a=(WWW,))},
        name=f"body: {name}",
        state="captured",
        reason=reason,
        site={"/": lambda: _zipped(part, end, size)},
        reached=(WWW,),
        asked=(host,),
        final=f"http://{host}/",
        body=lambda: part * ((size - len(end)) // len(part)) + end,
        seconds=READS,
        fresh=True,
    )


def body(name: str, reason: str, answer: Answer, state: str = "failed", **more: object) -> Case:
    """The page comes so."""
    case: dict[str, object] = {"reached": (WWW,), "asked": ASKED, "site": {"www /": answer}, **more}
    final = "http://www.c{n}.test/" if state == "captured" else ""
    return Case(name=f"body: {name}", state=state, reason=reason, final=final, **case)  # type: ignore[arg-type]


def coded(name: str, reason: str, content: bytes, *fields: str) -> Case:
    """A body with these fields."""
    return body(name, reason, says(page(content, 200, *fields)))


BODIES = (
    body("bomb", DECODED, BOMB, "rejected", fresh=True),
    body("bomb in chunks", DECODED, _bomb_in_chunks, "rejected", fresh=True),
    body(
        "bomb in a bomb",
        "not a text format: gzip data",
        _bomb_of_bombs,
        "captured",
        body=_inner_bomb,
        fresh=True,
    ),
    body("without end", WIRE, forever(OK + b"\r\n", bytes(65536)), "rejected", fresh=True),
    body("without end, of text", WIRE, forever(OK + b"\r\n", b"<p>a" * 16384), "rejected", fresh=True),
    body(
        "chunks without end",
        WIRE,
        forever(CHUNKED, b"10000\r\n" + bytes(65536) + b"\r\n"),
        "rejected",
        fresh=True,
    ),
    body(
        "chunks of two bytes without end",
        "the body comes in too many chunks",
        forever(CHUNKED, b"2\r\nab\r\n" * 8192),
        fresh=True,
    ),
    body(
        "chunk of a petabyte",
        WIRE,
        forever(CHUNKED + b"fffffffffff\r\n", bytes(65536)),
        "rejected",
        fresh=True,
    ),
    body(
        "length of a petabyte",
        DECODED,
        forever(page(b"", length=999999999999999), bytes(65536)),
        "rejected",
        fresh=True,
    ),
    body(
        "gzip of nothing without end",
        WIRE,
        forever(ZIPPED_HEAD + _zeros()[0], b"\x00\x00\x00\xff\xff" * 10000),
        "rejected",
        fresh=True,
    ),
    body(
        "gzip name without end",
        WIRE,
        forever(ZIPPED_HEAD + b"\x1f\x8b\x08\x08" + bytes(6), b"A" * 65536),
        "rejected",
        fresh=True,
    ),
    body(
        "chunk size that overflows",
        "a chunk has no readable size",
        says(CHUNKED + b"10000000000000001\r\na\r\n0\r\n\r\n"),
    ),
    body("chunk size with a sign", "a chunk has no readable size", says(CHUNKED + b"-1\r\na\r\n0\r\n\r\n")),
    body(
        "chunk extension without end",
        "its chunked body has a line that is too long",
        forever(CHUNKED + b"1;a=", b"a" * 65536),
        fresh=True,
    ),
    body(
        "chunk longer than it says",
        "a chunk is longer than its size",
        says(CHUNKED + b"4\r\nfourfour\r\n0\r\n\r\n"),
    ),
    body(
        "trailers without end",
        "its trailer is too large",
        forever(CHUNKED + b"0\r\n", b"A: b\r\n" * 1000),
        fresh=True,
    ),
    body(
        "trailer that is none",
        "its trailer has a line that is no header field",
        says(CHUNKED + b"0\r\nnone\r\n\r\n"),
    ),
    body(
        "chunks without an end", "the answer ends inside its chunked body", says(CHUNKED + b"4\r\nfour\r\n")
    ),
    body(
        "shorter than its length", "the answer ends before its stated length", says(page(b"four", length=5))
    ),
    body(
        "half closed before its length",
        "the answer ends before its stated length",
        says(page(b"four", length=5), "half"),
    ),
    body(
        "reset", "the connection broke: Connection reset by peer", says(page(b"four", length=5), 0.2, "reset")
    ),
    body("drips", LATE, forever(OK + b"\r\n", 0.1, b"a"), seconds=HANGS, fresh=True),
    body("drips in chunks", LATE, forever(CHUNKED, 0.1, b"1\r\na\r\n"), seconds=HANGS),
    body("drips gzip", LATE, forever(ZIPPED_HEAD + _zeros()[0], 0.1, b"\x00"), seconds=HANGS),
    body("drips trailers", LATE, forever(CHUNKED + b"0\r\n", 0.1, b"A: b\r\n"), seconds=HANGS),
    body("stops and holds", LATE, says(page(b"four", length=5), "hold"), seconds=HANGS),
    body("last chunk without its end", LATE, says(CHUNKED + b"1\r\na\r\n0\r\n", "hold"), seconds=HANGS),
    coded("two lengths", "the answer has more than one length", b"four", "Content-Length: 5"),
    coded("one length twice", "the answer has more than one length", b"four", "Content-Length: 4"),
    body(
        "lengths in a list",
        "the answer's length is no number",
        says(OK + b"Content-Length: 4, 4\r\n\r\nfour"),
    ),
    body("negative length", "the answer's length is no number", says(page(b"four", length=-1))),
    body(
        "length of 400 digits",
        "the answer's length is no number",
        says(OK + b"Content-Length: " + b"9" * 400 + b"\r\n\r\n"),
    ),
    coded(
        "length and chunks",
        "the answer has a length and a transfer coding",
        b"0\r\n\r\n",
        "Transfer-Encoding: chunked",
    ),
    body(
        "chunks and a length",
        "the answer has a length and a transfer coding",
        says(OK + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
    ),
    body("chunked twice", TRANSFER, says(OK + b"Transfer-Encoding: chunked\r\n" * 2 + b"\r\n0\r\n\r\n")),
    body(
        "gzip as a transfer coding", TRANSFER, says(OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n")
    ),
    body(
        "transfer coding with a control character",
        "its head has a line that is no header field",
        says(OK + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n"),
    ),
    body(
        "hidden transfer coding",
        "its head has a line that is no header field",
        says(OK + b"Transfer-Encoding : chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
    ),
    coded("gzip cut", "the gzip data is cut short", ZIPPED[:-12], GZIP),
    coded("gzip without its checksum", "the gzip data is cut short", ZIPPED[:-8], GZIP),
    coded("gzip with a wrong checksum", "the gzip data is damaged", ZIPPED[:-8] + bytes(8), GZIP),
    coded("gzip with rubbish after it", "bytes follow the gzip data", ZIPPED + b"rubbish", GZIP),
    coded("gzip with a second member", "bytes follow the gzip data", ZIPPED * 2, GZIP),
    coded("gzip that is none", "the gzip data is damaged", b"a page", GZIP),
    coded("two layers", TWO_CODINGS, gzip.compress(ZIPPED), "Content-Encoding: gzip, gzip"),
    coded("two layers in two fields", TWO_CODINGS, gzip.compress(ZIPPED), GZIP, GZIP),
    coded("deflate", TWO_CODINGS, zlib.compress(b"a page"), "Content-Encoding: deflate"),
    coded("brotli", TWO_CODINGS, b"\x0b\x02\x80page\x03", "Content-Encoding: br"),
    coded("zstd", TWO_CODINGS, b"\x28\xb5\x2f\xfd", "Content-Encoding: zstd"),
    body("gzip", "", says(page(ZIPPED, 200, GZIP)), "captured", body=b"a page " * 100),
    body(
        "chunks with extensions and a trailer",
        "",
        says(CHUNKED + b"4;a=b\r\nfour\r\n0;c\r\nA: b\r\n\r\n"),
        "captured",
        body=b"four",
    ),
    body("more than its length", "", says(page(b"four" + b"more", length=4)), "captured", body=b"four"),
    body("without a length", "", says(OK + b"\r\nall of it"), "captured", body=b"all of it"),
    body("empty", "no content", says(page(b"")), "captured", body=b""),
    body(
        "in single bytes",
        "",
        says(CHUNKED, *[b"1\r\na\r\n"] * 500, b"0\r\n\r\n"),
        "captured",
        body=b"a" * 500,
    ),
    large("text at the cap", b"a" * 4096, 16 * MIB, TOO_LARGE),
    large("rubbish at the cap", bytes(range(256)), 16 * MIB, "not a text format: it holds control bytes"),
    large("paragraphs with one wide character", b"<p>ab" * 64, 2 * MIB, end="\U0001f600".encode()),
    large("clauses", "第一条\n甲。".encode() * 64, 2 * MIB),
    large("numbered clauses", b"1.1.1 a\n" * 64, 2 * MIB),
    large(
        "law, whose text is kept in full", "第一条　甲乙丙。\n".encode() * 64, 2 * MIB, host="flk.npc.gov.cn"
    ),
)
