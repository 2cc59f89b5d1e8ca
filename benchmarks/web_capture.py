"""What capturing and reading a page costs, and what is left of its words.

    pip install httpx trafilatura lxml_html_clean   # for this benchmark only, beside the product
    python -m benchmarks.web_capture [--pages N] [--rounds N] [--json]

One loopback server in a process of its own serves invented Chinese notices (GBK, GB18030, UTF-8; 10-60 KB).
Each side reads all of them in a process of its own, one page at a time; sides take turns:
  ours           Capturer: every rule, a checked address, a new connection a page, hash, text, clauses
  ours, robots   the same with robots.txt asked (once: there is one origin)
  trafilatura    httpx.Client with its connections kept, SHA-256, trafilatura.extract of the bytes
  with metadata  the same with with_metadata: title and date are read as well, as ours always are
  new connection trafilatura with a new connection a page, as ours has
`found` counts the paragraphs, items and table cells of the pages whose words stand in the text whole.
"""

import argparse
import hashlib
import json
import platform
import resource
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from benchmarks import query_check
from benchmarks.synthetic_notices import Notice, notices

Read = Callable[[str], str]
_TERMS = 40
_ROBOTS = b"User-agent: *\nDisallow: /private/\n"


def ours(port: int, robots: bool) -> Read:
    """A page through the Capturer; the rule of rights keeps its whole text, so that it can be compared."""
    from providers.web.capture.policy import FetchPolicy
    from providers.web.capture.politeness import Politeness
    from providers.web.capturing import Capturer
    from providers.web.exclusions import Exclusions
    from providers.web.extraction.rights import Rule
    from schemas.web import WebCaptureRequest

    capturer = Capturer(
        FetchPolicy(allow_networks=("127.0.0.0/8",), allow_ports=(port,), robots=robots),
        lambda: datetime.now(UTC),
        Politeness(time.sleep, spacing=0),
        Exclusions(query_check.terms(_TERMS)),
        rules=(Rule("127.0.0.1", "full", "invented for a benchmark"),),
    )

    def read(url: str) -> str:
        capture = capturer.capture(WebCaptureRequest(url=url)).capture
        assert capture.state == "captured", capture.reason
        return capture.text

    return read


def theirs(metadata: bool = False, new_connection: bool = False) -> Read:
    """A page through httpx and trafilatura, which is given the bytes and finds their charset itself."""
    import httpx
    import trafilatura

    client = httpx.Client(trust_env=False)

    headers = {"Connection": "close"} if new_connection else {}

    def read(url: str) -> str:
        content: bytes = client.get(url, headers=headers).raise_for_status().content
        hashlib.sha256(content).hexdigest()
        return trafilatura.extract(content, with_metadata=metadata) or ""

    return read


SIDES: dict[str, Callable[[int], Read]] = {
    "ours": lambda port: ours(port, robots=False),
    "ours, robots": lambda port: ours(port, robots=True),
    "trafilatura": lambda _: theirs(),
    "with metadata": lambda _: theirs(metadata=True),
    "new connection": lambda _: theirs(new_connection=True),
}


class _Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    pages: dict[str, Notice]

    def do_GET(self) -> None:
        page = self.pages.get(self.path)
        kind, body = (
            (page.content_type, page.body)
            if page
            else ("text/plain", b"User-agent: *\nDisallow: /private/\n")
        )
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        self.wfile.write(head.encode() + body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base
        pass


def serve(pages: int) -> None:
    """Serve the notices until standard input ends; the port is the first line of standard output."""
    _Site.pages = {page.path: page for page in notices(pages)}
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    server.daemon_threads = True
    print(server.server_port, flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()


def run_side(name: str, pages: int, port: int) -> dict[str, float]:
    """Read every page on one side, in this process."""
    made = notices(pages)
    read = SIDES[name](port)
    read(f"http://127.0.0.1:{port}{made[0].path}")  # imports and first compilations are not a page's cost
    before, started = _cpu(), time.perf_counter()
    texts = [read(f"http://127.0.0.1:{port}{page.path}") for page in made]
    seconds, cpu = time.perf_counter() - started, _cpu() - before
    kept = ["".join(text.split()) for text in texts]
    found = sum(said in text for page, text in zip(made, kept, strict=True) for said in page.truth)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "cpu": cpu, "found": found, "peak_mib": peak}


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


@contextmanager
def site(pages: int) -> Iterator[int]:
    command = [sys.executable, "-m", "benchmarks.web_capture", "--serve", "--pages", str(pages)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        port = int(server.stdout.readline())
        socket.create_connection(("127.0.0.1", port)).close()
        yield port
        server.stdin.close()


def compare(pages: int, rounds: int) -> dict[str, dict[str, float]]:
    """The medians of each side's rounds."""
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in SIDES}
    with site(pages) as port:
        for turn in range(rounds):
            names = list(SIDES)
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                given = ["--side", name, "--pages", str(pages), "--port", str(port)]
                command = [sys.executable, "-m", "benchmarks.web_capture", *given]
                done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
                runs[name].append(json.loads(done.stdout))
    return {
        name: {key: statistics.median(run[key] for run in taken) for key in taken[0]}
        for name, taken in runs.items()
    }


def show(found: dict[str, dict[str, float]], pages: int, rounds: int, queries: dict[str, float]) -> None:
    made = notices(pages)
    truth = sum(len(page.truth) for page in made)
    size = sum(len(page.body) for page in made) / 1000
    print(f"{pages} pages, {size:,.0f} kB, {rounds} rounds, medians, Python {platform.python_version()}")
    print(f"{'side':16}{'pages/s':>9}{'CPU ms/page':>13}{'x ours':>8}{'peak MiB':>10}   found of {truth}")
    for name, one in found.items():
        ratio = one["cpu"] / found["ours"]["cpu"]
        speed, cost = pages / one["seconds"], one["cpu"] / pages * 1000
        print(f"{name:16}{speed:9.0f}{cost:13.2f}{ratio:8.2f}{one['peak_mib']:10.0f}   {one['found']:.0f}")
    print(f"\nchecking a query against {_TERMS} terms, us of CPU (benchmarks.query_check)")
    print("  " + ", ".join(f"{name} {cost:.1f}" for name, cost in queries.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description="What capturing and reading a page costs.")
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--side", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.pages)
    elif given.side:
        print(json.dumps(run_side(given.side, given.pages, given.port)))
    else:
        found = compare(given.pages, given.rounds)
        queries = query_check.measure(_TERMS, given.rounds)
        if given.json:
            print(json.dumps({"pages": given.pages, "sides": found, "us_per_query": queries}))
        else:
            show(found, given.pages, given.rounds, queries)


if __name__ == "__main__":
    main()
