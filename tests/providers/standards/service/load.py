"""Clients that ask until they are told to stop, and remember every answer."""

import http.client
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tests.providers.standards.service.running import JSON, Response, Service, asking, exchange


class Clients:
    """What a number of connections heard."""

    def __init__(self, service: Service, batches: Sequence[Sequence[str]], pause: float) -> None:
        self.service = service
        self.pause = pause
        self.batches = batches
        self.answers: list[tuple[Sequence[str], Response]] = []
        self.broken = 0
        """How often a connection ended without an answer."""
        self.enough = threading.Event()
        self._heard = threading.Condition()

    def ask(self, first: int) -> None:
        """One connection's life; a broken one is made anew."""
        connection = self.service.connect()
        turn = first
        while not self.enough.wait(self.pause):
            batch = self.batches[turn % len(self.batches)]
            turn += 1
            try:
                response = exchange(connection, "POST", "/v1/search", asking(batch), JSON)
            except (OSError, http.client.HTTPException):
                self.broken += 1
                connection.close()
                connection = self.service.connect()
                continue
            with self._heard:
                self.answers.append((batch, response))
                self._heard.notify_all()
        connection.close()

    def wait_for(self, more: int) -> None:
        """Wait until so many further answers are here."""
        with self._heard:
            wanted = len(self.answers) + more
            assert self._heard.wait_for(lambda: len(self.answers) >= wanted, timeout=60)


@contextmanager
def asking_clients(
    service: Service, batches: Sequence[Sequence[str]], connections: int, pause: float = 0.0
) -> Iterator[Clients]:
    clients = Clients(service, batches, pause)
    threads = [threading.Thread(target=clients.ask, args=(number,)) for number in range(connections)]
    for thread in threads:
        thread.start()
    try:
        yield clients
    finally:
        clients.enough.set()
        for thread in threads:
            thread.join(60)
