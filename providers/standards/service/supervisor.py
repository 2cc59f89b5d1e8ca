"""All processes of a service: start them on one socket, replace one that dies, stop them together."""

import multiprocessing
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from time import monotonic

from providers.standards.library import load, starter
from providers.standards.query_log import mend
from providers.standards.service.listening import address_of, is_loopback, listen
from providers.standards.service.settings import Settings
from providers.standards.service.shelf import Event
from providers.standards.service.worker import RELOAD, STOP, work
from schemas.errors import ProviderError, StorageError

_PAUSE_SECONDS = 1.0
"""How long a worker that died before it was ready is not replaced."""
_SPARE_SECONDS = 5.0


@dataclass
class _Worker:
    process: BaseProcess
    pipe: Connection
    ready: bool = False
    orders: list[str] = field(default_factory=list)


class Supervisor:
    """Runs the worker processes of one service until it is told to stop; events go to `tell`."""

    def __init__(self, settings: Settings, tell: Callable[[Event], None]) -> None:
        self._settings = settings
        self._tell = tell
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []
        self._served = False
        self._url = ""
        self._start_at = 0.0
        self._stops_heard = self._stops_done = 0
        self._reloads_heard = self._reloads_done = 0
        self._deadline: float | None = None

    def run(self) -> None:
        """Serve. Raises the error that keeps the first workers from starting."""
        _check_folder(self._settings)
        self._mend()
        with listen(self._settings.host, self._settings.port) as listening, self._signals() as wake:
            self._url = address_of(listening)
            if not is_loopback(listening):
                self._tell({"event": "open_to_others", "url": self._url})
            try:
                while not self._stops_heard or self._workers:
                    self._start_missing(listening)
                    self._wait(wake)
                    self._bury_dead()
                    self._obey()
            finally:
                self._end()
        self._tell({"event": "stopped"})

    def _start_missing(self, listening: socket.socket) -> None:
        if self._stops_heard or monotonic() < self._start_at:
            return
        while len(self._workers) < self._settings.workers:
            ours, theirs = self._context.Pipe()
            process = self._context.Process(target=work, args=(self._settings, listening, theirs))
            with _interrupts_ignored():  # a worker inherits that from its first moment
                process.start()
            theirs.close()
            self._workers.append(_Worker(process, ours))

    def _wait(self, wake: socket.socket) -> None:
        """Wait for an event, a death, a signal, or the time of the next start; deal with the events."""
        pipes = {worker.pipe: worker for worker in self._workers if not worker.pipe.closed}
        sentinels = [worker.process.sentinel for worker in self._workers]
        for source in wait([*pipes, *sentinels, wake], self._patience()):
            if source is wake:
                wake.recv(4096)
            elif isinstance(source, Connection):
                self._hear(pipes[source])

    def _patience(self) -> float | None:
        if self._deadline is not None:
            return max(0.0, self._deadline - monotonic())
        missing = len(self._workers) < self._settings.workers and not self._stops_heard
        return max(0.0, self._start_at - monotonic()) if missing else None

    def _hear(self, worker: _Worker) -> None:
        """Pass everything on that the worker tells."""
        try:
            while worker.pipe.poll():
                event = worker.pipe.recv()
                if event["event"] == "worker_failed" and not self._served:
                    self._raise_cause(event["reason"])
                worker.ready |= event["event"] == "worker_ready"
                self._tell(event)
        except (EOFError, OSError):
            worker.pipe.close()
        if not self._served and all(one.ready for one in self._workers):
            self._served = True
            self._tell({"event": "serving", "url": self._url, "workers": len(self._workers)})

    def _raise_cause(self, reason: str) -> None:
        """Raise what kept a worker from its library, found again here: an error does not travel whole."""
        if self._settings.library:
            load(self._settings.library)
        else:
            starter()
        raise ProviderError(f"a worker could not start: {reason}", subject="serve")

    def _bury_dead(self) -> None:
        for worker in [one for one in self._workers if not one.process.is_alive()]:
            if not worker.pipe.closed:
                self._hear(worker)
            worker.process.join()
            worker.pipe.close()
            self._workers.remove(worker)
            self._mend()
            if self._stops_heard:
                continue
            status = worker.process.exitcode
            if not self._served:
                message = f"a worker ended with status {status} before it was ready"
                raise ProviderError(message, subject="serve")
            self._tell({"event": "worker_died", "worker": worker.process.pid, "status": status})
            self._start_at = monotonic() + (0.0 if worker.ready else _PAUSE_SECONDS)

    def _obey(self) -> None:
        """Hand on to the workers what signals asked for; a second stop, or a late one, does not wait."""
        reload = self._reloads_heard != self._reloads_done
        self._reloads_done = self._reloads_heard
        if self._stops_heard and not self._stops_done:
            self._deadline = monotonic() + self._settings.grace_seconds + _SPARE_SECONDS
            self._tell({"event": "stopping"})
        elif self._stops_heard != self._stops_done:
            self._deadline = monotonic()
        self._stops_done = self._stops_heard
        for worker in self._workers:
            if self._stops_heard and STOP not in worker.orders:
                self._order(worker, STOP)
            elif reload and not self._stops_heard:
                self._order(worker, RELOAD)
            if self._deadline is not None and monotonic() >= self._deadline:
                worker.process.kill()

    def _order(self, worker: _Worker, order: str) -> None:
        worker.orders.append(order)
        with suppress(OSError):  # it is dying, and the next turn finds it dead
            worker.pipe.send(order)

    def _mend(self) -> None:
        for path, cut in mend(self._settings.log_folder).items():
            self._tell({"event": "log_mended", "file": path.name, "bytes_cut": cut})

    def _end(self) -> None:
        """No worker outlives the supervisor, whatever ended it."""
        for worker in self._workers:
            worker.process.kill()
            worker.process.join()
            worker.pipe.close()

    @contextmanager
    def _signals(self) -> Iterator[socket.socket]:
        """SIGINT and SIGTERM stop, SIGHUP reloads, each wakes; what stood before stands again afterwards."""
        reader, writer = socket.socketpair()
        writer.setblocking(False)
        wanted = {signal.SIGINT: self._hear_stop, signal.SIGTERM: self._hear_stop}
        if sys.platform != "win32":
            wanted[signal.SIGHUP] = self._hear_reload
        before = {number: signal.signal(number, handler) for number, handler in wanted.items()}
        woken = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        try:
            yield reader
        finally:
            signal.set_wakeup_fd(woken)
            for number, handler in before.items():
                signal.signal(number, handler)
            reader.close()
            writer.close()

    def _hear_stop(self, *_: object) -> None:
        self._stops_heard += 1

    def _hear_reload(self, *_: object) -> None:
        self._reloads_heard += 1


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _check_folder(settings: Settings) -> None:
    folder = settings.log_folder
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        message = f"the log folder {str(folder)!r} cannot be made: {error.strerror}"
        raise StorageError(message, subject="--log-dir") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StorageError(f"the log folder {str(folder)!r} cannot be written", subject="--log-dir")
