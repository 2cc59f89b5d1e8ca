"""One process of the service: load the library, answer on the socket that is given, watch the file."""

import asyncio
import contextlib
import logging
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from os import getpid
from socket import socket

import uvicorn

from providers.standards.query_log import QueryLog
from providers.standards.service.answering import Answering
from providers.standards.service.app import Draining, application
from providers.standards.service.protocol import Protocol
from providers.standards.service.settings import Settings
from providers.standards.service.shelf import Event, Shelf
from schemas.errors import EvidenceError

RELOAD, STOP = "reload", "stop"
_LAST_REQUESTS_SECONDS = 0.25


def work(settings: Settings, listening: socket, supervisor: Connection) -> None:
    """Run until the supervisor says stop or is gone; tell it every event."""
    if hasattr(signal, "SIGINT"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all; the supervisor decides
    # What strangers send is answered, not logged: nobody else can fill the disk with it.
    logging.basicConfig(level=logging.ERROR, stream=sys.stderr)
    telling = threading.Lock()

    def tell(event: Event) -> None:
        with telling, contextlib.suppress(OSError):  # nobody listens when the supervisor is gone
            supervisor.send({**event, "worker": getpid()})

    try:
        shelf = Shelf(settings.library, _now, tell)
    except EvidenceError as error:
        tell({"event": "worker_failed", "reason": error.message})
        return
    log = QueryLog(settings.log_folder, _now, settings.log_bytes, settings.log_days)
    draining = Draining()
    app = application(Answering(lambda: shelf.current, log, _now), shelf, draining, echo=settings.echo)
    server = _Server(_config(app, settings), draining)
    orders = _Orders(server)
    for watch in (
        lambda: orders.listen(supervisor),
        lambda: orders.watch(shelf, settings.poll_seconds),
    ):
        threading.Thread(target=watch, daemon=True).start()
    server.on_signal = orders
    library = shelf.current.library
    server.on_ready = lambda: tell(
        {
            "event": "worker_ready",
            "library": library.name,
            "standards": len(library),
            "revision": library.revision,
        }
    )
    asyncio.run(server.serve(sockets=[listening]))
    log.close()


def _now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 - a process of the service is a door: here the real clock comes in


def _config(app: object, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        http=Protocol,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=int(settings.grace_seconds) or 1,
    )


class _Server(uvicorn.Server):
    """uvicorn's server with our signals, and a stop that lets every request that was sent be answered."""

    def __init__(self, config: uvicorn.Config, draining: Draining) -> None:
        super().__init__(config)
        self._draining = draining
        self.on_signal: _Orders | None = None
        self.on_ready: Callable[[], None] = lambda: None

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        if self.on_signal is not None and sys.platform != "win32":
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGTERM, self.on_signal.stop)
            loop.add_signal_handler(signal.SIGHUP, self.on_signal.reload)
        yield

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        self.on_ready()

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        # What a client sent before it knew is still read and answered, with Connection: close.
        self._draining.on = True
        await asyncio.sleep(_LAST_REQUESTS_SECONDS)
        await super().shutdown(sockets)


class _Orders:
    """What a worker is told to do, by its supervisor or by a signal."""

    def __init__(self, server: _Server) -> None:
        self._server = server
        self._wake = threading.Event()
        self._reload = False

    def stop(self) -> None:
        """Answer what is under way, then end."""
        self._server.should_exit = True

    def reload(self) -> None:
        """Load the library now."""
        self._reload = True
        self._wake.set()

    def listen(self, supervisor: Connection) -> None:
        """Obey the supervisor; without one, stop."""
        try:
            while (order := supervisor.recv()) != STOP:
                if order == RELOAD:
                    self.reload()
        except (EOFError, OSError):
            pass
        self.stop()

    def watch(self, shelf: Shelf, poll_seconds: float) -> None:
        """Look at the library file from time to time, and at once when told."""
        while True:
            self._wake.wait(poll_seconds or None)
            self._wake.clear()
            if self._reload:
                self._reload = False
                shelf.reload()
            else:
                shelf.look()
