"""One moment at which everything has to be over, whatever the other side does."""

import time
from collections.abc import Callable

from providers.web.capture.ending import FailedError


class Deadline:
    """The end of one fetch: name lookup, connection, TLS, head and body share it."""

    def __init__(self, seconds: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._monotonic = monotonic
        self._end = monotonic() + seconds

    def left(self) -> float:
        """Seconds left. Raises FailedError when there are none."""
        left = self._end - self._monotonic()
        if left <= 0:
            raise self.late()
        return left

    def late(self) -> FailedError:
        """What to raise when a wait of `left()` seconds ran out."""
        return FailedError(f"not over within {self.seconds:g} seconds")
