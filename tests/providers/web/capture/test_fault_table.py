"""The fault table of capture: what a hostile URL, name service or server does, and what comes of it."""

import gzip
import itertools
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from tests.providers.web.capture.peer import (
    Answer,
    Peer,
    Watch,
    answering,
    fetcher,
    in_time,
    page,
    policy,
)

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
GZIP = "Content-Encoding: gzip"
ZIPPED = gzip.compress(b"a page " * 100)
DEFAULT = "http://page.test:{port}/"


@dataclass(frozen=True)
class Case:
    name: str
    state: str
    reason: str
    url: str = DEFAULT
    resolved: tuple[str, ...] = ("127.0.0.1",)
    answer: Callable[[], Answer] = lambda: (page(b"a page"),)
    changes: dict[str, object] = field(default_factory=dict)


def sent(
    name: str, reason: str, *steps: bytes | float | str, state: str = "failed", **changes: object
) -> Case:
    """A case in which the server sends this."""
    return Case(name, state, reason, answer=lambda: steps, changes=changes)


def asked(name: str, url: str, reason: str) -> Case:
    """A case in which the URL alone is refused."""
    return Case(name, "rejected", reason, url=url)


def resolved(name: str, reason: str, *addresses: str) -> Case:
    """A case in which the name service gives these addresses."""
    return Case(name, "rejected", f"the host is {reason}", resolved=addresses)


def led(name: str, target: str, reason: str, state: str = "rejected") -> Case:
    """A case in which the server redirects there."""
    fields = (f"Location: {target}", "Set-Cookie: id=1; Path=/")
    return sent(name, reason, page(b"", 302, *fields), state=state)


NUMBER = "the host is a number but no canonical dotted quad"
LETTERS = "the host holds characters that are no plain letters or digits"
NO_NAME = "the host is no host name"
CONTROL = "the URL holds a control character"
ESCAPED = "the URL holds an escaped control character"

URLS = [
    asked("short form", "http://127.1/", NUMBER),
    asked("shorter form", "http://127.0.1/", NUMBER),
    asked("zero", "http://0/", NUMBER),
    asked("decimal", "http://2130706433/", NUMBER),
    asked("hexadecimal", "http://0x7f000001/", NUMBER),
    asked("hexadecimal, upper case", "http://0X7F.0.0.1/", NUMBER),
    asked("octal", "http://0177.0.0.1/", NUMBER),
    asked("octal, whole", "http://017700000001/", NUMBER),
    asked("mixed bases", "http://0x7f.0.0.01/", NUMBER),
    asked("five parts", "http://127.0.0.1.1/", NUMBER),
    asked("part over 255", "http://127.0.0.256/", NUMBER),
    asked("name that ends in a number", "http://page.7/", NUMBER),
    asked("quad with a trailing dot", "http://127.0.0.1./", NUMBER),
    asked("quad with ideographic stops", "http://127。0。0。1/", NUMBER),
    asked("quad in full-width digits", "http://１２７.０.０.１/", LETTERS),
    asked("quad in enclosed digits", "http://①②⑦.⓪.⓪.①/", LETTERS),
    asked("quad in mathematical digits", "http://𝟏𝟐𝟕.𝟎.𝟎.𝟏/", LETTERS),
    asked("quad in Devanagari digits", "http://१२७.0.0.1/", LETTERS),
    asked("quad with full-width stops", "http://127．0．0．1/", LETTERS),
    asked("escaped host", "http://%31%32%37.0.0.1/", "the host holds an escape"),
    asked("loopback", "http://[::1]:{port}/", "the host is ::1, which is not public: Loopback Address"),
    asked("private", "http://10.0.0.1/", "the host is 10.0.0.1, which is not public: Private-Use"),
    asked(
        "metadata",
        "http://169.254.169.254/",
        "the host is 169.254.169.254, which is not public: Cloud metadata",
    ),
    asked("scope id", "http://[fe80::1%25eth0]/", "the host address has a scope id"),
    asked("address in open brackets", "http://[::1/", "the URL has no readable host and port"),
    asked("IPvFuture", "http://[v1.x]/", "the host is no IPv6 address in brackets"),
    asked("empty brackets", "http://[]/", "the host is no IPv6 address in brackets"),
    asked("user", "http://user@page.test/", "the URL names a user"),
    asked("user and password", "http://page.test:80@10.0.0.1/", "the URL names a user"),
    asked("full-width name", "http://ｐａｇｅ.test/", LETTERS),
    asked("zero-width joiner", "http://pa\u200dge.test/", LETTERS),
    asked("soft hyphen", "http://pa\u00adge.test/", LETTERS),
    asked("sharp s", "http://straße.test/", LETTERS),
    asked("two directions in one label", "http://pageא.test/", LETTERS),
    asked("punycode for nothing", "http://xn--/", NO_NAME),
    asked("punycode for a control character", "http://xn--a/", NO_NAME),
    asked("punycode that overflows", "http://xn--99999999999.test/", NO_NAME),
    asked("empty label", "http://page..test/", NO_NAME),
    asked("label of 64", f"http://{'a' * 64}.test/", NO_NAME),
    asked(
        "label of 64 as punycode",
        f"http://{'页面' * 30}.test/",
        "a label of the host is longer than 63 characters",
    ),
    asked("name of 254", f"http://{'a.' * 126}test/", "the host name is longer than 253 characters"),
    asked("hyphen first", "http://-page.test/", NO_NAME),
    asked("space in the host", "http://page test/", NO_NAME),
    asked("no host", "http:///path", "the URL has no host"),
    asked("port not allowed", "http://page.test:22/", "port 22 is not allowed"),
    asked("port zero", "http://page.test:0/", "the port is not from 1 to 65535"),
    asked("port too high", "http://page.test:65536/", "the port is not from 1 to 65535"),
    asked("port of six digits", "http://page.test:000080/", "the URL has no readable host and port"),
    asked("port in other digits", "http://page.test:８０/", "the URL has no readable host and port"),
    asked("two ports", "http://page.test:80:80/", "the URL has no readable host and port"),
    asked("file", "file:///etc/passwd", "the URL is neither http nor https"),
    asked("ftp", "ftp://page.test/", "the URL is neither http nor https"),
    asked("gopher", "gopher://127.0.0.1:6379/_INFO", "the URL is neither http nor https"),
    asked("data", "data:text/html,x", "the URL is not absolute"),
    asked("javascript", "javascript:alert(1)", "the URL is not absolute"),
    asked("no scheme", "//page.test/", "the URL is not absolute"),
    asked("backslash for the slash", "http:\\\\page.test\\", "the URL is not absolute"),
    asked("backslash after the host", "http://page.test\\@10.0.0.1/", "the URL holds a backslash"),
    asked("line break in the path", "http://page.test/a\r\nX-Injected: 1", CONTROL),
    asked("tab in the scheme", "ht\ttp://page.test/", CONTROL),
    asked("NUL in the path", "http://page.test/\x00", CONTROL),
    asked("next line in the path", "http://page.test/\x85", CONTROL),
    asked("lone surrogate", "http://page.test/\ud800", CONTROL),
    asked("escaped line break in the path", "http://page.test/a%0d%0aX-Injected:%201", ESCAPED),
    asked("escaped line break in the query", "http://page.test/?q=%0D%0AHost:x", ESCAPED),
    asked("escaped NUL", "http://page.test/%00", ESCAPED),
    asked("escaped DEL", "http://page.test/%7F", ESCAPED),
    asked("longer than allowed", "http://page.test/" + "a" * 8192, "the URL is longer than 8192 characters"),
    asked("empty", "", "the URL is not absolute"),
]

NAMES = [
    resolved("loopback", "127.0.0.1, which is not public: Loopback", "127.0.0.1"),
    resolved("private 10", "10.1.2.3, which is not public: Private-Use", "10.1.2.3"),
    resolved("private 172", "172.31.0.1, which is not public: Private-Use", "172.31.0.1"),
    resolved("private 192", "192.168.0.1, which is not public: Private-Use", "192.168.0.1"),
    resolved("carrier grade", "100.64.0.1, which is not public: Shared Address Space", "100.64.0.1"),
    resolved("link local", "169.254.1.1, which is not public: Link Local", "169.254.1.1"),
    resolved("metadata", "169.254.169.254, which is not public: Cloud metadata", "169.254.169.254"),
    resolved(
        "Alibaba metadata", "100.100.100.200, which is not public: Alibaba Cloud metadata", "100.100.100.200"
    ),
    resolved("WireServer", "168.63.129.16, which is not public: Azure WireServer", "168.63.129.16"),
    resolved("unspecified", "0.0.0.0, which is not public: This host on this network", "0.0.0.0"),  # noqa: S104
    resolved("this network", "0.1.2.3, which is not public: This network", "0.1.2.3"),
    resolved("broadcast", "255.255.255.255, which is not public: Limited Broadcast", "255.255.255.255"),
    resolved("multicast", "224.0.0.251, which is not public: Multicast", "224.0.0.251"),
    resolved("reserved", "240.0.0.1, which is not public: Reserved", "240.0.0.1"),
    resolved("documentation", "192.0.2.1, which is not public: Documentation (TEST-NET-1)", "192.0.2.1"),
    resolved("benchmarking", "198.18.0.1, which is not public: Benchmarking", "198.18.0.1"),
    resolved("IPv6 loopback", "::1, which is not public: Loopback Address", "::1"),
    resolved("IPv6 unspecified", "::, which is not public: Unspecified Address", "::"),
    resolved("unique local", "fc00::1, which is not public: Unique-Local", "fc00::1"),
    resolved("EC2 metadata", "fd00:ec2::254, which is not public: Amazon EC2 metadata", "fd00:ec2::254"),
    resolved("IPv6 link local", "fe80::1, which is not public: Link-Local Unicast", "fe80::1"),
    resolved("scope id", "an address with a scope id", "fe80::1%lo"),
    resolved("site local", "fec0::1, which is not public: Site-Local (deprecated)", "fec0::1"),
    resolved("IPv6 multicast", "ff02::1, which is not public: Multicast", "ff02::1"),
    resolved("IPv6 documentation", "2001:db8::1, which is not public: Documentation", "2001:db8::1"),
    resolved("not allocated", "4000::1, which is not public: no global unicast address", "4000::1"),
    resolved(
        "mapped",
        "::ffff:10.0.0.1, which is not public: IPv4-mapped Address with 10.0.0.1 inside, Private-Use",
        "::ffff:10.0.0.1",
    ),
    resolved(
        "mapped, public inside", "::ffff:8.8.8.8, which is not public: IPv4-mapped Address", "::ffff:8.8.8.8"
    ),
    resolved(
        "compatible",
        "::127.0.0.1, which is not public: IPv4-compatible Address (deprecated) "
        "with 127.0.0.1 inside, Loopback",
        "::127.0.0.1",
    ),
    resolved(
        "NAT64",
        "64:ff9b::169.254.169.254, which is not public: NAT64 with 169.254.169.254 inside, Cloud metadata",
        "64:ff9b::169.254.169.254",
    ),
    resolved(
        "NAT64, local use",
        "64:ff9b:1::10.0.0.1, which is not public: IPv4-IPv6 Translat. with 10.0.0.1 inside, Private-Use",
        "64:ff9b:1::10.0.0.1",
    ),
    resolved(
        "6to4",
        "2002:7f00:1::1, which is not public: 6to4 with 127.0.0.1 inside, Loopback",
        "2002:7f00:1::1",
    ),
    resolved("6to4, public inside", "2002:808:808::1, which is not public: 6to4", "2002:808:808::1"),
    resolved(
        "Teredo server",
        "2001:0:a00:1::f7f7:f7f7, which is not public: TEREDO with 10.0.0.1 inside, Private-Use",
        "2001:0:a00:1::f7f7:f7f7",
    ),
    resolved(
        "Teredo client",
        "2001:0:808:808::80ff:fffe, which is not public: TEREDO with 127.0.0.1 inside, Loopback",
        "2001:0:808:808::80ff:fffe",
    ),
    resolved(
        "ISATAP",
        "2400:3200::5efe:10.0.0.1, which is not public: ISATAP with 10.0.0.1 inside, Private-Use",
        "2400:3200::5efe:10.0.0.1",
    ),
    resolved(
        "ISATAP, universal",
        "2400:3200::200:5efe:10.0.0.1, which is not public: ISATAP with 10.0.0.1 inside, Private-Use",
        "2400:3200::200:5efe:10.0.0.1",
    ),
    resolved("public, then private", "10.0.0.1, which is not public: Private-Use", "8.8.8.8", "10.0.0.1"),
    resolved("private, then public", "10.0.0.1, which is not public: Private-Use", "10.0.0.1", "8.8.8.8"),
    resolved("public IPv4, private IPv6", "fc00::1, which is not public: Unique-Local", "8.8.8.8", "fc00::1"),
    resolved("no address at all", "no numeric address", "localhost"),
    resolved("short form", "no numeric address", "127.1"),
    resolved("octal", "no numeric address", "0177.0.0.1"),
]

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

GROUPS = {
    "url": URLS,
    "name service": NAMES,
    "head": HEADS,
    "body": BODIES,
    "status": STATUSES,
    "redirect": REDIRECTS,
    "slow": SLOW,
}
CASES = [pytest.param(case, id=f"{group}: {case.name}") for group, cases in GROUPS.items() for case in cases]
QUIET = {id(case) for case in (*URLS, *NAMES)}


@pytest.mark.parametrize("case", CASES)
def test_a_hostile_case_ends_in_its_state_and_leaks_nothing(case: Case, peer: Peer, watch: Watch) -> None:
    peer.answers["/"] = case.answer
    changes = dict(case.changes)
    if case in NAMES:
        changes["allow_networks"] = ()
    capture = fetcher(policy(peer, **changes), answering(*case.resolved))
    with watch.watching():
        fetched = in_time(lambda: capture.fetch(case.url.replace("{port}", str(peer.port))))
    assert (fetched.state, fetched.reason) == (case.state, case.reason)
    assert (fetched.body, fetched.byte_size, fetched.sha256, fetched.framing) == (b"", 0, "", None)
    asked_for = [] if id(case) in QUIET else [("127.0.0.1", peer.port)]
    assert (watch.connections, watch.lookups) == (asked_for, [])
    assert peer.requests == [expected_request(peer)] * len(asked_for)


def expected_request(peer: Peer) -> bytes:
    return (
        f"GET / HTTP/1.1\r\nHost: page.test:{peer.port}\r\n"
        "User-Agent: external-evidence (captures single pages; honours robots.txt)\r\n"
        "Accept: text/html, application/xhtml+xml, application/pdf, text/plain;q=0.9, */*;q=0.5\r\n"
        "Accept-Encoding: gzip, identity\r\nConnection: close\r\n\r\n"
    ).encode()


def test_the_fault_table_is_wide_and_names_every_case_once() -> None:
    rows = [(group, case.name, case.state, case.reason) for group, cases in GROUPS.items() for case in cases]
    for group, name, state, reason in rows:  # shown by pytest -rP
        sys.stdout.write(f"{group:13} {name:34} {state:9} {reason}\n")
    assert len({row[:2] for row in rows}) == len(rows) >= 200
