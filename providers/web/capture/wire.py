"""Bytes of an answer as they arrive, read in lines and pieces; how they were split changes nothing."""

from collections.abc import Callable

from providers.web.capture.ending import FailedError, RejectedError

_AT_ONCE = 64 << 10


class Wire:
    """What `receive` gives (b"" at its end), of which at most `most` bytes may be used."""

    def __init__(self, receive: Callable[[int], bytes], most: int) -> None:
        self._receive = receive
        self._most = most
        self._used = 0
        self._waiting = bytearray()

    def begins(self, count: int) -> bytes:
        """The next `count` bytes without using them; fewer only at the end."""
        while len(self._waiting) < count and self._more():
            pass
        return bytes(self._waiting[:count])

    def line(self, longest: int, part: str) -> bytes:
        """The next line without its CRLF. Raises FailedError if it is no line of at most `longest` bytes."""
        seen = 0
        while (place := self._waiting.find(b"\n", seen)) < 0:
            seen = len(self._waiting)
            if seen > longest + 1:
                raise FailedError(f"{part} has a line that is too long")
            if not self._more():
                raise FailedError(f"the answer ends inside {part}")
        if place > longest + 1:
            raise FailedError(f"{part} has a line that is too long")
        line = self._use(place + 1)
        if not line.endswith(b"\r\n") or b"\r" in line[:-2]:
            raise FailedError(f"{part} has a line that does not end as HTTP's do")
        return line[:-2]

    def piece(self, most: int) -> bytes:
        """Some bytes, at most `most`; b"" at the end."""
        if not self._waiting and not self._more():
            return b""
        return self._use(min(most, len(self._waiting)))

    def _use(self, count: int) -> bytes:
        self._used += count
        if self._used > self._most:
            raise RejectedError(f"the answer is larger than {self._most} bytes on the wire")
        used = bytes(self._waiting[:count])
        del self._waiting[:count]
        return used

    def _more(self) -> bool:
        received = self._receive(_AT_ONCE)
        self._waiting += received
        return bool(received)
