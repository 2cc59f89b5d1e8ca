"""Names to addresses within the deadline: nothing interrupts the system's lookup, a thread waits for it."""

import queue
import socket
import threading
from collections.abc import Callable, Sequence
from typing import Any

from providers.web.capture.deadline import Deadline

Resolver = Callable[[str, int, Deadline], Sequence[str]]
LookUp = Callable[..., list[Any]]

AT_ONCE = 8


class SystemResolver:
    """A resolver that asks `look_up`, which behaves as socket.getaddrinfo does.

    At most `at_once` lookups run at a time, those included whose fetch is over; their threads are daemons
    and never keep the process alive.
    """

    def __init__(self, look_up: LookUp = socket.getaddrinfo, at_once: int = AT_ONCE) -> None:
        self._look_up = look_up
        self._slots = threading.BoundedSemaphore(at_once)

    def __call__(self, host: str, port: int, deadline: Deadline) -> list[str]:
        """All addresses known for `host`, each once, in the order given.

        Raises OSError as `look_up` does, FailedError when the deadline comes first.
        """
        if not self._slots.acquire(timeout=deadline.left()):
            raise deadline.late()
        answer: queue.SimpleQueue[list[str] | OSError] = queue.SimpleQueue()
        threading.Thread(target=self._answer, args=(host, port, answer), daemon=True).start()
        try:
            found = answer.get(timeout=deadline.left())
        except queue.Empty:
            raise deadline.late() from None
        if isinstance(found, OSError):
            raise found
        return found

    def _answer(self, host: str, port: int, answer: "queue.SimpleQueue[list[str] | OSError]") -> None:
        try:
            # As bytes: for text Python would apply its own IDNA.
            found = self._look_up(host.encode("ascii"), port, type=socket.SOCK_STREAM)
            answer.put(list(dict.fromkeys(str(entry[4][0]) for entry in found)))
        except OSError as error:
            answer.put(error)
        finally:
            self._slots.release()


system_resolver = SystemResolver()
"""The one that a Fetcher uses unless it is given another; its bound holds for the whole process."""
