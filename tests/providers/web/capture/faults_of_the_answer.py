"""Faults of an answer: its head, its body, its status, where it leads, and how slow it is."""

import gzip
import itertools
import zlib

from tests.providers.web.capture.fault_case import ESCAPED, NUMBER, OK, Case, led, sent
from tests.providers.web.capture.peer import page

CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
GZIP = "Content-Encoding: gzip"
ZIPPED = gzip.compress(b"a page " * 100)

HEADS = [
    sent("nothing", "the connection was closed without an answer"),
    sent("reset", "the connection broke: Connection reset by peer", "reset"),
    sent("HTTP/0.9", "the answer is not HTTP/1.x", b"<html>a page</html>"),
    sent("SSH", "the answer is not HTTP/1.x", b"SSH-2.0-OpenSSH_9.2\r\n"),
    sent("HTTP/2", "the answer is not HTTP/1.x", b"HTTP/2 200 OK\r\n\r\n"),
    sent("HTTP/1.2", "the answer is not HTTP/1.x", b"HTTP/1.2 200 OK\r\n\r\n"),
    sent("status of four digits", "the answer is not HTTP/1.x", b"HTTP/1.1 2000 OK\r\n\r\n"),
    sent("status 600", "the answer is not HTTP/1.x", b"HTTP/1.1 600 X\r\n\r\n"),
    sent("two spaces before the status", "the answer is not HTTP/1.x", b"HTTP/1.1  200 OK\r\n\r\n"),
    sent("control in the status line", "the answer is not HTTP/1.x", b"HTTP/1.1 200 O\x00K\r\n\r\n"),
    sent("cut in the status line", "the answer ends inside its head", b"HTTP/1.1 20"),
    sent("cut in the head", "the answer ends inside its head", OK + b"Content-Le"),
    sent("bare line feed", "its head has a line that does not end as HTTP's do", b"HTTP/1.1 200 OK\n\n"),
    sent(
        "bare carriage return",
        "its head has a line that does not end as HTTP's do",
        OK + b"A: b\rSet-Cookie: c\r\n\r\n",
    ),
    sent("folded line", "its head has a line that is no header field", OK + b"A: b\r\n c\r\n\r\n"),
    sent("space before the colon", "its head has a line that is no header field", OK + b"A : b\r\n\r\n"),
    sent("no colon", "its head has a line that is no header field", OK + b"A\r\n\r\n"),
    sent("no field name", "its head has a line that is no header field", OK + b": b\r\n\r\n"),
    sent("NUL in a field", "its head has a line that is no header field", OK + b"A: b\x00\r\n\r\n"),
    sent("two field lines too many", "its head is too large", OK + b"A: b\r\n" * 201 + b"\r\n"),
    sent("head too large", "its head is too large", OK + (b"A: " + b"b" * 1000 + b"\r\n") * 70 + b"\r\n"),
    sent("line too long", "its head has a line that is too long", OK + b"A: " + b"b" * 20000 + b"\r\n\r\n"),
    Case(
        "endless line",
        "failed",
        "its head has a line that is too long",
        answer=lambda: itertools.chain([OK], itertools.repeat(b"A" * 65536)),
    ),
    Case(
        "endless fields",
        "failed",
        "its head is too large",
        answer=lambda: itertools.chain([OK], itertools.repeat(b"A: b\r\n" * 1000)),
    ),
    sent(
        "interim answers without end",
        "the answer does not come to an end of its interim answers",
        b"HTTP/1.1 103 Early\r\n\r\n" * 20,
    ),
    Case(
        "interim answers, endless",
        "failed",
        "the answer does not come to an end of its interim answers",
        answer=lambda: itertools.repeat(b"HTTP/1.1 100 Continue\r\n\r\n"),
    ),
    sent(
        "interim heads too large",
        "its head is too large",
        (b"HTTP/1.1 103 E\r\n" + (b"A: b\r\n" * 50) + b"\r\n") * 5,
    ),
    sent(
        "another protocol",
        "the answer changes the protocol, which nobody asked for",
        b"HTTP/1.1 101 X\r\n\r\n",
    ),
    sent(
        "head over the policy's cap",
        "its head is too large",
        page(b"", 200, "A: " + "b" * 200),
        header_cap=128,
    ),
]

BODIES = [
    sent("cut short", "the answer ends before its stated length", page(b"half", length=8)),
    sent(
        "reset in the body",
        "the connection broke: Connection reset by peer",
        page(b"half", length=8),
        0.1,
        "reset",
    ),
    sent("no body at all", "the answer ends before its stated length", page(b"", length=8)),
    sent(
        "two lengths that differ",
        "the answer has more than one length",
        page(b"four", 200, "Content-Length: 5"),
    ),
    sent("two equal lengths", "the answer has more than one length", page(b"four", 200, "Content-Length: 4")),
    sent("a list of lengths", "the answer's length is no number", OK + b"Content-Length: 4, 4\r\n\r\nfour"),
    sent("negative length", "the answer's length is no number", page(b"four", length=-4)),
    sent("signed length", "the answer's length is no number", OK + b"Content-Length: +4\r\n\r\nfour"),
    sent("hexadecimal length", "the answer's length is no number", OK + b"Content-Length: 0x4\r\n\r\nfour"),
    sent("empty length", "the answer's length is no number", OK + b"Content-Length:\r\n\r\nfour"),
    sent(
        "length of 30 digits",
        "the answer's length is no number",
        OK + b"Content-Length: " + b"9" * 30 + b"\r\n\r\n",
    ),
    sent(
        "length in other digits",
        "the answer's length is no number",
        OK + "Content-Length: ４\r\n\r\nfour".encode(),
    ),
    sent(
        "length and chunks",
        "the answer has a length and a transfer coding",
        page(b"4\r\nfour\r\n0\r\n\r\n", 200, "Transfer-Encoding: chunked"),
    ),
    *(
        sent(
            f"transfer coding {coding}",
            "the answer has a transfer coding other than chunked once",
            OK + f"Transfer-Encoding: {coding}\r\n\r\n4\r\nfour\r\n0\r\n\r\n".encode(),
        )
        for coding in ("gzip", "gzip, chunked", "chunked, chunked", "identity", "xchunked", "chunked;a=b", "")
    ),
    sent(
        "chunked twice",
        "the answer has a transfer coding other than chunked once",
        OK + b"Transfer-Encoding: chunked\r\n" * 2 + b"\r\n4\r\nfour\r\n0\r\n\r\n",
    ),
    sent(
        "chunks in HTTP/1.0",
        "the answer has a transfer coding other than chunked once",
        b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ),
    sent("chunks cut short", "the answer ends before its stated length", CHUNKED + b"8\r\nhalf"),
    sent("no last chunk", "the answer ends inside its chunked body", CHUNKED + b"4\r\nfour\r\n"),
    sent("no end of the trailer", "the answer ends inside its trailer", CHUNKED + b"4\r\nfour\r\n0\r\n"),
    sent("chunk size no number", "a chunk has no readable size", CHUNKED + b"four\r\nfour\r\n0\r\n\r\n"),
    sent("chunk size negative", "a chunk has no readable size", CHUNKED + b"-4\r\nfour\r\n0\r\n\r\n"),
    sent("chunk size with 0x", "a chunk has no readable size", CHUNKED + b"0x4\r\nfour\r\n0\r\n\r\n"),
    sent(
        "chunk size too large", "a chunk has no readable size", CHUNKED + b"f" * 17 + b"\r\nfour\r\n0\r\n\r\n"
    ),
    sent("chunk size empty", "a chunk has no readable size", CHUNKED + b"\r\nfour\r\n0\r\n\r\n"),
    sent(
        "chunk longer than said", "a chunk is longer than its size", CHUNKED + b"4\r\nfourfour\r\n0\r\n\r\n"
    ),
    sent(
        "chunk line by line feed",
        "its chunked body has a line that does not end as HTTP's do",
        CHUNKED + b"4\nfour\n0\n\n",
    ),
    sent(
        "chunk extension too long",
        "its chunked body has a line that is too long",
        CHUNKED + b"4;" + b"a" * 2000 + b"\r\nfour\r\n0\r\n\r\n",
    ),
    sent("flood of trailers", "its trailer is too large", CHUNKED + b"0\r\n" + b"A: b\r\n" * 300 + b"\r\n"),
    sent("gzip cut short", "the gzip data is cut short", page(ZIPPED[:-12], 200, GZIP)),
    sent("gzip without its trailer", "the gzip data is cut short", page(ZIPPED[:-8], 200, GZIP)),
    sent("gzip of nothing", "the gzip data is cut short", page(b"", 200, GZIP)),
    sent("gzip with a wrong checksum", "the gzip data is damaged", page(ZIPPED[:-8] + bytes(8), 200, GZIP)),
    sent("gzip with a wrong length", "the gzip data is damaged", page(ZIPPED[:-4] + bytes(4), 200, GZIP)),
    sent("gzip with bytes after it", "bytes follow the gzip data", page(ZIPPED + b"x", 200, GZIP)),
    sent("gzip with a second member", "bytes follow the gzip data", page(ZIPPED * 2, 200, GZIP)),
    sent("gzip that is none", "the gzip data is damaged", page(b"a page", 200, GZIP)),
    sent("gzip that is zlib", "the gzip data is damaged", page(zlib.compress(b"a page"), 200, GZIP)),
    *(
        sent(
            f"content coding {coding}",
            "the answer has a content coding other than gzip once",
            page(ZIPPED, 200, f"Content-Encoding: {coding}"),
        )
        for coding in (
            "br",
            "deflate",
            "zstd",
            "compress",
            "gzip, gzip",
            "identity, gzip",
            "gzip;q=1",
            "GZIP,",
        )
    ),
    sent(
        "gzip in two fields",
        "the answer has a content coding other than gzip once",
        page(ZIPPED, 200, GZIP, GZIP),
    ),
    sent(
        "body over the cap",
        "the body is larger than 100 bytes",
        page(b"a" * 101),
        state="rejected",
        decoded_cap=100,
    ),
    Case(
        "bomb",
        "rejected",
        "the body is larger than 1048576 bytes",
        answer=lambda: (page(gzip.compress(bytes(64 << 20), 1), 200, GZIP),),
        changes={"decoded_cap": 1 << 20},
    ),
    sent(
        "length over the cap",
        "the body is larger than 100 bytes",
        page(b"", length=101),
        "hold",
        state="rejected",
        decoded_cap=100,
    ),
    sent(
        "chunk overhead over the cap",
        "the answer is larger than 4096 bytes on the wire",
        CHUNKED + (b"1;" + b"a" * 1000 + b"\r\nx\r\n") * 10,
        state="rejected",
        wire_cap=4096,
    ),
    Case(
        "endless body",
        "rejected",
        "the answer is larger than 1048576 bytes on the wire",
        answer=lambda: itertools.chain([OK + b"\r\n"], itertools.repeat(bytes(65536))),
        changes={"wire_cap": 1 << 20},
    ),
    Case(
        "endless chunks",
        "rejected",
        "the body is larger than 1048576 bytes",
        answer=lambda: itertools.chain([CHUNKED], itertools.repeat(b"1000\r\n" + bytes(4096) + b"\r\n")),
        changes={"decoded_cap": 1 << 20},
    ),
]

STATUSES = [
    sent(f"status {status}", f"status {status}", page(b"a page", status))
    for status in (204, 205, 206, 207, 226, 300, 304, 305, 400, 401, 403, 404, 407, 410, 429, 451, 500, 503)
]

REDIRECTS = [
    led("to a private address", "http://10.0.0.1/", "the host is 10.0.0.1, which is not public: Private-Use"),
    led(
        "to the metadata service",
        "http://169.254.169.254/latest/meta-data/",
        "the host is 169.254.169.254, which is not public: Cloud metadata",
    ),
    led("to IPv6 loopback", "http://[::1]/", "the host is ::1, which is not public: Loopback Address"),
    led("to a decimal address", "http://2130706433/", NUMBER),
    led("to a port", "http://page.test:6379/", "port 6379 is not allowed"),
    led("to a file", "file:///etc/passwd", "the URL is neither http nor https"),
    led("to gopher", "gopher://page.test/", "the URL is neither http nor https"),
    led("to data", "data:text/html,x", "the URL is not absolute"),
    led("to a user", "http://user:secret@page.test/", "the URL names a user"),
    led("with a tab", "http://page.test/\ta", "the redirect's address holds a control character"),
    led("with an escaped line break", "/a%0d%0aSet-Cookie:%20a=b", ESCAPED),
    led("with a backslash", "/\\10.0.0.1/", "the URL holds a backslash"),
    led("with open brackets", "http://[::1", "the URL has no readable host and port"),
    led("with another script in the host", "http://１２７.1/", "the host holds an escape"),
    led("to no host", "http://", "the URL has no host"),
    led("to no host but a path", "///10.0.0.1/", "the URL has no host"),
    led(
        "to another host's private address",
        "//10.0.0.1/",
        "the host is 10.0.0.1, which is not public: Private-Use",
    ),
    led("nowhere", "", "the redirects go in a circle", state="failed"),
    led("in a circle", "/", "the redirects go in a circle", state="failed"),
    led("to a fragment of itself", "#part", "the redirects go in a circle", state="failed"),
    sent("without an address", "status 302 without one address to go to", page(b"", 302)),
    sent(
        "with two addresses",
        "status 301 without one address to go to",
        page(b"", 301, "Location: /a", "Location: /b"),
    ),
    sent(
        "with a line break in its address",
        "its head has a line that is no header field",
        OK + b"Location: /a\r\n\tb\r\n\r\n",
    ),
]
SLOW = [
    sent("silence", "not over within 0.3 seconds", 0.01, "hold", seconds=0.3),
    sent("silence in the head", "not over within 0.3 seconds", OK, "hold", seconds=0.3),
    sent("silence in the body", "not over within 0.3 seconds", page(b"half", length=8), "hold", seconds=0.3),
    Case(
        "drip in the head",
        "failed",
        "not over within 0.3 seconds",
        answer=lambda: itertools.chain([OK + b"A: "], itertools.cycle([b"b", 0.02])),
        changes={"seconds": 0.3},
    ),
    Case(
        "drip in the body",
        "failed",
        "not over within 0.3 seconds",
        answer=lambda: itertools.chain([page(b"", length=9999)], itertools.cycle([b"b", 0.02])),
        changes={"seconds": 0.3},
    ),
    Case(
        "drip of chunks",
        "failed",
        "not over within 0.3 seconds",
        answer=lambda: itertools.chain([CHUNKED], itertools.cycle([b"1\r\nb\r\n", 0.02])),
        changes={"seconds": 0.3},
    ),
    Case(
        "drip of interim answers",
        "failed",
        "not over within 0.3 seconds",
        answer=lambda: itertools.cycle([b"HTTP/1.1 102 X\r\n\r\n", 0.1]),
        changes={"seconds": 0.3},
    ),
]
