"""Do one thing beside, or for many at once, in threads that no end of the process waits for."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")


def begun(work: Callable[[], B]) -> Future[B]:
    """`work` on its way in a thread of its own; its result, or what it raised, comes with the future."""
    future: Future[B] = Future()

    def run() -> None:
        _do(work, future)

    threading.Thread(target=run, daemon=True).start()
    return future


def _do(work: Callable[[], B], future: Future[B]) -> None:
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001 - it is raised again where the result is taken
        future.set_exception(error)


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
            _do(partial(work, item), future)

    for _ in range(min(at_once, len(futures))):
        waiting.put(None)
        threading.Thread(target=run, daemon=True).start()
    return [future.result() for future in futures]
