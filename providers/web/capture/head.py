"""The head of an HTTP/1.x answer, read strictly: what two readers could take in two ways fails."""

import re
from dataclasses import dataclass

from providers.web.capture.ending import FailedError
from providers.web.capture.wire import Wire

MOST_LINES = 200
LONGEST_LINE = 16 << 10
MOST_INTERIM = 8
_STATUS = re.compile(rb"HTTP/1\.([01]) ([1-5][0-9][0-9])(?: [\t\x20-\x7e\x80-\xff]*)?")
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*((?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*"
                    rb"[\x21-\x7e\x80-\xff])?)?)[ \t]*")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Head:
    """Version (0 for HTTP/1.0), status and fields; names are lower case, values as latin-1."""

    minor: int
    status: int
    fields: tuple[tuple[str, str], ...]

    def every(self, name: str) -> list[str]:
        """The values of every field of that name, in order."""
        return [value for found, value in self.fields if found == name]


class Budget:
    """What the heads of one answer may still take, those of interim answers included."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lines = MOST_LINES

    def line(self, wire: Wire, part: str) -> bytes:
        """The next line of a head. Raises FailedError for a flood."""
        line = wire.line(LONGEST_LINE, part)
        self._size -= len(line) + 2
        self._lines -= 1
        if self._size < 0 or self._lines < 0:
            raise FailedError(f"{part} is too large")
        return line


def read_head(wire: Wire, size: int) -> Head:
    """The head of the final answer, at most `size` bytes with the interim ones before it."""
    budget = Budget(size)
    for _ in range(MOST_INTERIM + 1):
        head = _one_head(wire, budget)
        if head.status >= 200:
            return head
        if head.status == 101:
            raise FailedError("the answer changes the protocol, which nobody asked for")
    raise FailedError("the answer does not come to an end of its interim answers")


def _one_head(wire: Wire, budget: Budget) -> Head:
    begin = wire.begins(5)
    if not begin:
        raise FailedError("the connection was closed without an answer")
    if begin != b"HTTP/":
        raise FailedError("the answer is not HTTP/1.x")
    status = _STATUS.fullmatch(budget.line(wire, "its head"))
    if status is None:
        raise FailedError("the answer is not HTTP/1.x")
    return Head(int(status[1]), int(status[2]), read_fields(wire, budget, "its head"))


def read_fields(wire: Wire, budget: Budget, part: str) -> tuple[tuple[str, str], ...]:
    """Header or trailer fields up to the empty line after them."""
    fields = []
    while line := budget.line(wire, part):
        found = _FIELD.fullmatch(line)
        if found is None:
            raise FailedError(f"{part} has a line that is no header field")
        fields.append((found[1].decode("ascii").lower(), found[2].decode("latin-1")))
    return tuple(fields)
