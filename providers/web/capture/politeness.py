"""Not to be a burden: spacing between requests to one host, Retry-After, and how many run at a time."""

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from schemas.errors import UsageError

_SECONDS = re.compile(r"[0-9]{1,9}")


class NotNowError(Exception):
    """The turn is `seconds` off, longer than we are ready to wait; `asked` says that the host wants it so."""

    def __init__(self, seconds: float, *, asked: bool) -> None:
        why = "the host asked to be left alone for" if asked else "the turn after our other requests is in"
        super().__init__(f"{why} {seconds:.0f} more seconds")
        self.seconds = seconds


class Politeness:
    """Turns for requests: at most `at_once` at a time, and `spacing` seconds between two to one host.

    Waits by calling `wait`. A pause longer than `patience` seconds is not waited for.
    """

    def __init__(
        self,
        wait: Callable[[float], None],
        *,
        spacing: float = 1.0,
        at_once: int = 4,
        patience: float = 30.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        for name, value, least in (
            ("spacing", spacing, 0),
            ("at_once", at_once, 1),
            ("patience", patience, 0),
        ):
            if value < least:
                raise UsageError(f"{name} must be at least {least}, found {value:g}", subject=name)
        self._wait = wait
        self._spacing = spacing
        self._patience = patience
        self._monotonic = monotonic
        self._room = threading.BoundedSemaphore(at_once)
        self._lock = threading.Lock()
        self._next: dict[str, float] = {}
        self._asked: dict[str, float] = {}

    @contextmanager
    def turn(self, host: str) -> Iterator[None]:
        """One request to `host` may run inside. Raises NotNowError."""
        pause = self._reserve(host)
        if pause > 0:
            self._wait(pause)
        with self._room:
            yield

    def heard(self, host: str, retry_after: str | None, now: datetime) -> None:
        """Keep away from `host` for as long as its Retry-After says; what is no Retry-After says nothing."""
        seconds = retry_seconds(retry_after, now)
        if seconds is not None:
            with self._lock:
                until = self._monotonic() + seconds
                self._next[host] = max(until, self._next.get(host, until))
                self._asked[host] = max(until, self._asked.get(host, until))

    def _reserve(self, host: str) -> float:
        """Seconds until the turn, which is then taken. Hosts whose turn is past are forgotten."""
        with self._lock:
            now = self._monotonic()
            start = max(now, self._next.get(host, now))
            if start - now > self._patience:
                raise NotNowError(start - now, asked=self._asked.get(host, now) > now)
            self._next = {name: at for name, at in self._next.items() if at > now}
            self._asked = {name: at for name, at in self._asked.items() if at > now}
            self._next[host] = start + self._spacing
            return start - now


def retry_seconds(value: str | None, now: datetime) -> float | None:
    """The seconds that a Retry-After header asks for, as a number or a date; None if it is neither."""
    if value is None:
        return None
    if _SECONDS.fullmatch(value):
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, OverflowError, IndexError, TypeError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
