"""Many at once: in order, no more than allowed, and the first error is told."""

import threading

import pytest

from providers.web.crew import each


def test_results_come_in_order_and_no_more_run_than_may() -> None:
    lock, running, most = threading.Lock(), 0, 0
    pair = threading.Barrier(2)

    def work(item: int) -> int:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        pair.wait(30)
        with lock:
            running -= 1
        return item * 10

    assert each(work, range(8), 2) == [number * 10 for number in range(8)]
    assert most == 2
    assert each(work, [], 2) == []


def test_an_error_is_raised_again() -> None:
    with pytest.raises(ZeroDivisionError):
        each(lambda item: 1 // item, [1, 0, 2], 3)
