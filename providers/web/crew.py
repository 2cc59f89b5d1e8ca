"""Do one thing for many at once, in threads that no end of the process waits for."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")


def each(work: Callable[[A], B], items: Iterable[A], at_once: int) -> list[B]:
    """What `work` gives for each of `items`, in order; at most `at_once` run at a time.

    An executor's threads would finish everything that waits, and send all of it, after an interrupt.
    Raises what `work` raised first.
    """
    waiting: SimpleQueue[tuple[A, Future[B]] | None] = SimpleQueue()
    futures: list[Future[B]] = []
    for item in items:
        futures.append(Future())
        waiting.put((item, futures[-1]))

    def run() -> None:
        while (job := waiting.get()) is not None:
            item, future = job
            try:
                future.set_result(work(item))
            except BaseException as error:  # noqa: BLE001 - it is raised again where the result is taken
                future.set_exception(error)

    for _ in range(min(at_once, len(futures))):
        waiting.put(None)
        threading.Thread(target=run, daemon=True).start()
    return [future.result() for future in futures]
