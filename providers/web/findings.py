"""What a detector saw in a text: its kind and its place, never the text itself."""

from typing import NamedTuple


class Finding(NamedTuple):
    """Something that should not leave, at the half-open code points `start` to `end`."""

    kind: str
    start: int
    end: int

    def to_wire(self) -> dict[str, object]:
        """The finding as the doors print it."""
        return {"kind": self.kind, "start": self.start, "end": self.end}

    def __str__(self) -> str:
        return f"{self.kind} at {self.start}-{self.end}"
