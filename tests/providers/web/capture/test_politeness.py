"""Politeness on a clock of its own: spacing, Retry-After, and how many at a time."""

import threading
from datetime import UTC, datetime

import pytest

from providers.web.capture.politeness import NotNowError, Politeness, retry_seconds
from schemas.errors import UsageError

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


class World:
    """A clock that only waiting moves."""

    def __init__(self) -> None:
        self.now = 100.0
        self.waits: list[float] = []

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def politeness(self, spacing: float = 2.0, patience: float = 30.0) -> Politeness:
        return Politeness(self.wait, spacing=spacing, patience=patience, monotonic=lambda: self.now)


def test_two_requests_to_one_host_are_spaced_and_other_hosts_do_not_wait() -> None:
    world = World()
    polite = world.politeness()
    for host in ("a.test", "b.test", "a.test", "a.test"):
        with polite.turn(host):
            pass
    world.now += 60
    with polite.turn("a.test"):
        pass
    assert world.waits == [2.0, 2.0]


def test_retry_after_is_waited_for_and_never_shortened() -> None:
    world = World()
    polite = world.politeness()
    polite.heard("a.test", "20", NOW)
    polite.heard("a.test", "5", NOW)
    polite.heard("a.test", None, NOW)
    polite.heard("a.test", "soon", NOW)
    with polite.turn("a.test"):
        pass
    assert world.waits == [20.0]


def test_a_pause_that_is_too_long_is_refused_and_not_taken_for_a_turn() -> None:
    world = World()
    polite = world.politeness(patience=10)
    polite.heard("a.test", "120", NOW)
    for _ in range(2):
        with pytest.raises(NotNowError, match="120 more seconds"), polite.turn("a.test"):
            pass
    assert world.waits == []
    world.now += 115
    with polite.turn("a.test"):
        pass
    assert world.waits == [5.0]


def test_a_queue_of_our_own_is_not_told_as_the_wish_of_the_host() -> None:
    polite = Politeness(lambda _seconds: None, spacing=8, patience=10, monotonic=lambda: 100.0)
    for _ in range(2):
        with polite.turn("a.test"):
            pass
    with (
        pytest.raises(NotNowError, match="the turn after our other requests is in 16 more"),
        polite.turn("a.test"),
    ):
        pass
    polite.heard("a.test", "60", NOW)
    with pytest.raises(NotNowError, match="the host asked to be left alone for 60"), polite.turn("a.test"):
        pass


def test_at_most_so_many_run_at_a_time() -> None:
    polite = Politeness(lambda _seconds: None, spacing=0, at_once=2)
    running, most = 0, 0
    lock, full = threading.Lock(), threading.Event()

    def work(number: int) -> None:
        nonlocal running, most
        with polite.turn(f"{number}.test"):
            with lock:
                running += 1
                most = max(most, running)
                if running == 2:
                    full.set()
            full.wait(10)
            with lock:
                running -= 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert (running, most) == (0, 2)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("0", 0.0),
        ("120", 120.0),
        ("-1", None),
        ("1.5", None),
        ("9" * 20, None),
        ("１２", None),
        ("soon", None),
        ("Wed, 04 Mar 2026 05:07:07 GMT", 60.0),
        ("Wednesday, 04-Mar-26 05:07:07 GMT", 60.0),
        ("Wed Mar  4 05:07:07 2026", 60.0),
        ("Wed, 04 Mar 2026 05:07:07 -0000", 60.0),
        ("Wed, 04 Mar 2020 05:07:07 GMT", 0.0),
        ("Wed, 99 Mar 2026 05:07:07 GMT", None),
        ("Wed, 04 Mar 99999 05:07:07 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_seconds(value, NOW) == seconds


@pytest.mark.parametrize("setting", [{"spacing": -1.0}, {"at_once": 0}, {"patience": -1.0}])
def test_settings_out_of_bounds_are_refused_by_name(setting: dict[str, float]) -> None:
    (name,) = setting
    with pytest.raises(UsageError, match=f"{name} must be at least") as raised:
        Politeness(lambda _seconds: None, **setting)  # type: ignore[arg-type]  # wrong on purpose
    assert raised.value.subject == name
