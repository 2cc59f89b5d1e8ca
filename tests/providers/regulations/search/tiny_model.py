"""A real, very small stand-in for an embedding package: it counts the characters that texts share."""

from collections.abc import Sequence
from typing import Any

ALPHABET = "灯罩路车桥钟井船擦拭打碎布"
made: list[str] = []


def _vector(text: str) -> list[float]:
    counts = [float(text.count(one)) for one in ALPHABET]
    size = sum(count * count for count in counts) ** 0.5 or 1.0
    return [count / size for count in counts]


def passage(texts: Sequence[str]) -> "Rows":
    made.extend(texts)
    return Rows([_vector(text) for text in texts])


def query(text: str) -> "Rows":
    return Rows([_vector(text)])


class Rows:
    """As much of an array as the adapter uses."""

    def __init__(self, rows: list[list[float]]) -> None:
        self.rows = rows

    def __iter__(self) -> Any:
        return (Rows([row]) for row in self.rows)

    def astype(self, kind: object) -> "Rows":  # noqa: ARG002 - one kind only
        return self

    def reshape(self, *shape: int) -> "Rows":
        if len(shape) == 1:
            return self
        flat = [value for row in self.rows for value in row]
        wide = len(flat) // shape[0]
        return Rows([flat[at * wide : (at + 1) * wide] for at in range(shape[0])])

    def tobytes(self) -> bytes:
        return ",".join(str(value) for row in self.rows for value in row).encode() + b","

    def __matmul__(self, other: "Rows") -> "Rows":
        return Rows([[sum(a * b for a, b in zip(row, other.rows[0], strict=True)) for row in self.rows]])

    def tolist(self) -> list[float]:
        return self.rows[0]


float16 = float32 = "float"


def frombuffer(data: bytes, dtype: object) -> Rows:  # noqa: ARG001 - one kind only
    return Rows([[float(value) for value in data.decode().split(",") if value]])
