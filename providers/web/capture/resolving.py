"""Names to addresses within the deadline: nothing interrupts the system's lookup, a thread waits for it."""

import queue
import socket
import threading
from collections.abc import Callable, Sequence

from providers.web.capture.deadline import Deadline
from providers.web.capture.ending import FailedError

Resolver = Callable[[str, int, Deadline], Sequence[str]]

AT_ONCE = 8
_slots = threading.BoundedSemaphore(AT_ONCE)


def system_resolver(host: str, port: int, deadline: Deadline) -> list[str]:
    """All addresses that the system knows for `host`, each once, in its order.

    At most AT_ONCE lookups run at a time, those included whose fetch is over; their threads are daemons
    and never keep the process alive. Raises FailedError, also when the deadline comes first.
    """
    if not _slots.acquire(timeout=deadline.left()):
        raise deadline.late()
    answer: queue.SimpleQueue[list[str] | OSError] = queue.SimpleQueue()
    threading.Thread(target=_look_up, args=(host, port, answer), daemon=True).start()
    try:
        found = answer.get(timeout=deadline.left())
    except queue.Empty:
        raise deadline.late() from None
    if isinstance(found, OSError):
        raise FailedError(f"the name was not resolved: {found.strerror or type(found).__name__}") from found
    return found


def _look_up(host: str, port: int, answer: "queue.SimpleQueue[list[str] | OSError]") -> None:
    try:
        # As bytes: for text Python would apply its own IDNA.
        found = socket.getaddrinfo(host.encode("ascii"), port, type=socket.SOCK_STREAM)
        answer.put(list(dict.fromkeys(str(entry[4][0]) for entry in found)))
    except OSError as error:
        answer.put(error)
    finally:
        _slots.release()
