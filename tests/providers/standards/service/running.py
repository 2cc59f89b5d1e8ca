"""Run the service as a process of its own, and talk to it over loopback."""

import http.client
import json
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Queue
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tests.doors.command import around, script

PATIENCE_SECONDS = 60
JSON = {"Content-Type": "application/json"}


class Response(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Service:
    """A running service: its events, as they come, and one connection to it."""

    def __init__(self, process: "subprocess.Popen[bytes]", log: Path) -> None:
        self.process = process
        self.log = log
        self.events: list[dict[str, Any]] = []
        self.noise: list[str] = []
        self._queue: Queue[dict[str, Any] | None] = Queue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        for line in self.process.stderr or ():
            if line.startswith(b"{"):
                self._queue.put(json.loads(line))
            else:
                self.noise.append(line.decode())
        self._queue.put(None)

    def wait_for(self, name: str, times: int = 1) -> dict[str, Any]:
        """The next event of that name, or the last of so many; fails when the service ends before."""
        while True:
            event = self._queue.get(timeout=PATIENCE_SECONDS)
            assert event is not None, (name, self.events, self.noise)
            self.events.append(event)
            if event.get("event") == name:
                times -= 1
                if not times:
                    return event

    def rest(self) -> None:
        """Take in every event up to the end."""
        self._listener.join(PATIENCE_SECONDS)
        while not self._queue.empty():
            event = self._queue.get()
            if event is not None:
                self.events.append(event)

    @property
    def address(self) -> tuple[str, int]:
        url = next(event["url"] for event in self.events if event.get("event") == "serving")
        parts = urlsplit(url)
        assert parts.hostname
        assert parts.port
        return parts.hostname, parts.port

    @property
    def workers(self) -> list[int]:
        """The process numbers of all workers that were ever ready, in the order of their readiness."""
        return [event["worker"] for event in self.events if event.get("event") == "worker_ready"]

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(*self.address, timeout=PATIENCE_SECONDS)

    def call(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Response:
        connection = self.connect()
        try:
            return exchange(connection, method, path, body, headers)
        finally:
            connection.close()

    def search(self, *keywords: str) -> Response:
        return self.call("POST", "/v1/search", asking(keywords), JSON)

    def post(self, body: bytes, headers: dict[str, str] | None = None) -> Response:
        return self.call("POST", "/v1/search", body, JSON if headers is None else headers)

    def raw(self, sent: bytes) -> bytes:
        """What comes back for bytes that are written as they are, until the service closes."""
        with socket.create_connection(self.address, timeout=PATIENCE_SECONDS) as connection:
            received = b""
            # Whoever is refused while it still sends hears a reset after the answer.
            with suppress(OSError):
                connection.sendall(sent)
                connection.shutdown(socket.SHUT_WR)
            with suppress(ConnectionResetError):
                while chunk := connection.recv(65536):
                    received += chunk
            return received

    def lines(self) -> list[dict[str, Any]]:
        """Every line of the log, each of them whole."""
        found = []
        for path in sorted(self.log.iterdir()):
            data = path.read_bytes()
            assert not data or data.endswith(b"\n"), path
            found += [json.loads(line) for line in data.splitlines()]
        return found

    def signal(self, number: int) -> None:
        os.kill(self.process.pid, number)

    def stop(self) -> int:
        """Ask it to stop; its exit status."""
        told = any(event.get("event") == "stopped" for event in self.events)
        if not told and self.process.poll() is None:
            self.signal(signal.SIGTERM)
        status = self.process.wait(PATIENCE_SECONDS)
        self.rest()
        return status


def asking(keywords: Sequence[str]) -> bytes:
    return json.dumps({"keywords": list(keywords)}, ensure_ascii=False).encode()


def exchange(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    body: bytes | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    connection.request(method, path, body, headers or {})
    response = connection.getresponse()
    received = response.read()
    return Response(response.status, {name.lower(): value for name, value in response.getheaders()}, received)


@contextmanager
def running(folder: Path, *options: str | Path, measured: bool = False) -> Iterator[Service]:
    """A service on a free port of this machine, its log in `folder`; it must end with 0 and no noise.

    `measured`: its coverage counts; not for one that is killed, or that must be quick.
    """
    log = folder / "log"
    command = [
        script(), "standards", "serve", "--port", "0", "--format", "json", "--log-dir", str(log),
        *map(str, options),
    ]  # fmt: skip
    process = subprocess.Popen(
        command, cwd=folder, env=around(measured=measured), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    service = Service(process, log)
    try:
        service.wait_for("serving")
        yield service
        status = service.stop()
        assert (status, service.noise) == (0, [])
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()
        service._listener.join(PATIENCE_SECONDS)
        assert process.stderr is not None
        process.stderr.close()
