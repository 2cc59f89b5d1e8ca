"""Named sections of bytes: the one form of an index, in memory and in a file.

Numbers are unsigned and in the machine's own order; lists of texts are UTF-8, one a line.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence

Sections = Mapping[str, bytes | memoryview]


def numbers(values: Iterable[int]) -> bytes:
    """Numbers below 2**32 as a section."""
    return array("I", values).tobytes()


def read_numbers(section: bytes | memoryview) -> memoryview:
    """The numbers of a section, without a copy."""
    return memoryview(section).cast("I")


def texts(values: Iterable[str]) -> bytes:
    """Texts without a line end as a section."""
    # A lone surrogate comes from a library that was never a file; it must not stop the index.
    return "".join(f"{value}\n" for value in values).encode("utf-8", "surrogatepass")


def read_texts(section: bytes | memoryview) -> list[str]:
    """The texts of a section, in order."""
    return read_text(section).split("\n")[:-1]


def read_text(section: bytes | memoryview) -> str:
    """A section as one text."""
    return str(section, "utf-8", "surrogatepass")


def groups(prefix: str, lists: Iterable[Sequence[int]]) -> dict[str, bytes]:
    """Lists of numbers as two sections: all of them in a row, and where each list ends."""
    ends, flat = array("I"), array("I")
    for values in lists:
        flat.extend(values)
        ends.append(len(flat))
    return {f"{prefix}.ends": ends.tobytes(), f"{prefix}.values": flat.tobytes()}


class Grouping:
    """Numbers gathered in groups, in the order in which they came; a list for each would weigh much more."""

    def __init__(self, count: int = 0) -> None:
        self._count = count
        self._groups = array("I")
        self._values = array("I")

    def put(self, group: int, value: int) -> None:
        """Put `value` at the end of a group."""
        self._count = max(self._count, group + 1)
        self._groups.append(group)
        self._values.append(value)

    def groups(self, prefix: str) -> dict[str, bytes]:
        """All of them, as the function `groups` writes lists."""
        ends = array("I", bytes(4 * self._count))
        for group in self._groups:
            ends[group] += 1
        for group in range(1, len(ends)):
            ends[group] += ends[group - 1]
        flat = array("I", bytes(4 * len(self._values)))
        # From the last value down, each group is filled from its end.
        free = array("I", ends)
        for at in range(len(flat) - 1, -1, -1):
            group = self._groups[at]
            free[group] -= 1
            flat[free[group]] = self._values[at]
        return {f"{prefix}.ends": ends.tobytes(), f"{prefix}.values": flat.tobytes()}


class TextGrouping(Grouping):
    """Numbers gathered under texts, which stand in the order in which they came first."""

    def __init__(self) -> None:
        super().__init__()
        self._number: dict[str, int] = {}

    def add(self, text: str, value: int) -> None:
        """Put `value` at the end of the group of `text`."""
        self.put(self._number.setdefault(text, len(self._number)), value)

    def sections(self, prefix: str) -> dict[str, bytes]:
        """The texts and their groups."""
        return {prefix: texts(self._number), **self.groups(prefix)}


class Groups:
    """Lists of numbers that `groups` wrote."""

    __slots__ = ("_ends", "_values")

    def __init__(self, sections: Sections, prefix: str) -> None:
        self._ends = read_numbers(sections[f"{prefix}.ends"])
        self._values = read_numbers(sections[f"{prefix}.values"])

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, index: int) -> memoryview:
        return self._values[self._ends[index - 1] if index else 0 : self._ends[index]]
