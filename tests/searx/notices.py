"""Made-up notices, and the loopback upstream from which a real SearXNG fetches them.

`make` writes the database; `Upstream` answers `/notices?q=&p=` from it, and every
fault of an upstream under a path of its own.
"""

import json
import socket
import sqlite3
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

PAGE = 10
SITE = "http://notices.example"
NOTICES = (
    ("甲市边坡支护设计公告 GB 50330-2013", "std/slope.html", "甲市公布边坡支护设计的要求。", "2013-11-01"),
    ("乙县钢筋焊接抽查通报 JGJ 18-2012", "std/welding.html", "乙县通报钢筋焊接的抽查。", "2012-03-01"),
    ("丙局医疗器械注册补正说明", "law/device.html", "丙局说明注册资料怎样补正。", "2021-02-09"),
    *(
        (f"丁委标准复审结论 第{day}号", f"n/{day}.html", f"丁委公布复审，共 {day} 项。", f"2024-01-{day:02d}")
        for day in range(1, 26)
    ),
)


def make(database: Path, site: str = SITE, notices: Sequence[tuple[str, str, str, str]] = NOTICES) -> None:
    """Write notices (title, path, content, date) of pages below `site` into a new SQLite file."""
    with sqlite3.connect(database) as made:
        made.execute("CREATE TABLE notices (title, url, content, published)")
        rows = [(title, f"{site}/{path}", content, day) for title, path, content, day in notices]
        made.executemany("INSERT INTO notices VALUES (?, ?, ?, ?)", rows)
    made.close()


def matching(database: Path, query: str, page: int) -> list[dict[str, str]]:
    """The notices of one page that hold every word of `query`."""
    pattern = "%" + "%".join(query.split()) + "%"
    asked = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    rows = asked.execute(
        "SELECT title, url, content, published FROM notices WHERE title LIKE ?1 OR content LIKE ?1"
        " LIMIT ?2 OFFSET ?3",
        (pattern, PAGE, (page - 1) * PAGE),
    ).fetchall()
    asked.close()
    return [dict(zip(("title", "url", "content", "published"), row, strict=True)) for row in rows]


class _Handler(BaseHTTPRequestHandler):
    server: "Upstream"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        asked = parse_qs(parts.query)
        query = asked.get("q", [""])[0]
        self.server.asked.append((parts.path, query))
        match parts.path:
            case "/notices":
                items = matching(self.server.database, query, int(asked.get("p", ["1"])[0]))
                self._answer(200, json.dumps({"items": items}).encode(), "application/json")
            case "/429":
                self._answer(429, b"{}", "application/json")
            case "/403":
                self._answer(403, b"no", "text/plain")
            case "/503":
                self._answer(503, b"busy", "text/plain")
            case "/garbled":
                self._answer(200, b"<html>", "text/html")
            case "/cut":
                self._answer(200, b"{", "application/json", length=1000)
            case "/late":
                self.server.ending.wait(30)

    def _answer(self, status: int, body: bytes, kind: str, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base
        pass


class Upstream(ThreadingHTTPServer):
    """The upstream on a free loopback port; `asked` is every path and query that came."""

    daemon_threads = True

    def __init__(self, database: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.database = database
        self.asked: list[tuple[str, str]] = []
        self.ending = threading.Event()

    def handle_error(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: object
    ) -> None:
        """A client that goes away is no news."""
