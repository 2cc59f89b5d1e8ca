"""Libraries and queries made from a stream of choices, to hold the index against the definition.

The stream is a seeded generator in tests and the input bytes in the fuzz target. Records come from the
starter library, from the invented one, or from a few characters and digits only, where codes, titles and
scores collide all the time: repeated and blank codes, codes that no grammar reads, aliases, ties.
"""

import random
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache
from typing import Protocol, TypeVar

from benchmarks.synthetic_library import records
from providers.standards.library import Library, StandardRecord, starter
from providers.standards.rules import Rules

T = TypeVar("T")

RULES = (
    Rules(),
    Rules.literal(),
    *(replace(Rules(), **{one.name: False}) for one in fields(Rules)),
)

_FEW = "建筑边坡工程技术规范甲乙12a"
_SERIES = (
    "GB",
    "GB/T",
    "GBJ",
    "JGJ",
    "JGJ/T",
    "CECS",
    "T/CECS",
    "DB13/T",
    "DB13(J)/T",
    "DGJ08-",
    "Q/CR",
    "YY/T",
)
_MARKS = "GBTJYZ/-.:()（）《》、 0123456789OIl建筑规范程标准年版—一"


class Choices(Protocol):
    """Where decisions come from."""

    def below(self, limit: int) -> int: ...


class Seeded:
    """Decisions of a seeded generator."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def below(self, limit: int) -> int:
        return self._random.randrange(limit)


class FromBytes:
    """Decisions that spend the bytes of a fuzzer, two for each; zeros when they are spent."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def below(self, limit: int) -> int:
        taken = self._data[self._at : self._at + 2]
        self._at += 2
        return int.from_bytes(taken, "little") % limit


def one_of(choices: Choices, values: Sequence[T]) -> T:
    return values[choices.below(len(values))]


@cache
def _synthetic() -> tuple[StandardRecord, ...]:
    return tuple(records(3_000, seed=11))


def make_library(choices: Choices, most: int) -> Library:
    """A library of one to `most` records."""
    count = 1 + choices.below(most)
    kind = choices.below(4)
    held: list[StandardRecord] = []
    for _ in range(count):
        if kind == 0:
            held.append(one_of(choices, starter().records))
        elif kind == 1:
            held.append(one_of(choices, _synthetic()))
        else:
            held.append(_collision(choices))
    return Library("made", tuple(held))


def _collision(choices: Choices) -> StandardRecord:
    length = 1 + choices.below(14)
    title = "".join(one_of(choices, _FEW) for _ in range(length))
    if choices.below(8) == 0:
        title += one_of(choices, ("（2015年版）", " 第1部分：总则", "(附条文说明)", "", "GB 1-2000", "！"))
    alias = _code(choices) if choices.below(10) == 0 else ""
    return StandardRecord(_code(choices), alias, title if choices.below(20) else "", "", "", "")


def _code(choices: Choices) -> str:
    odd = choices.below(24)
    if odd == 0:
        return ""
    if odd == 1:
        return one_of(choices, ("建科〔2019〕5号", "无编号", "16G101-1", "JJF(电子) 0012-2018"))
    if odd < 6:
        # So few that the same code and the same year come again and again.
        return f"GB {1 + choices.below(3)}-2010{one_of(choices, ('', '（2015年版）', '（2024年版）'))}"
    number = one_of(choices, ("1", "2", "12", "21", "121", "50330", "50331", "5440"))
    part = one_of(choices, ("", "", "", ".1", ".2", ".10", "/2", "-01"))
    year = one_of(choices, ("-2010", "-2010", "-2013", "-95", ":2010", "", "-1995", "-2010/XG1-2012"))
    return f"{one_of(choices, _SERIES)} {number}{part}{year}"


def make_query(choices: Choices, library: Library) -> str:
    """A query about a record of the library, more or less spoilt, or about nothing."""
    first = one_of(choices, library.records)
    other = one_of(choices, library.records)
    forms = (
        first.code,
        first.title,
        f"{first.code} {first.title}",
        f"《{first.title}》（{first.code}）",
        f"《{first.title}》《{other.title}》",
        f"{first.title}{other.code}",
        f"{first.code}、{other.code}",
        first.title[: 1 + choices.below(12)],
        first.title[-1 - choices.below(8) :],
        f"{first.title}{other.title}",
        f"{first.title}{_SERIES[choices.below(len(_SERIES))]}{choices.below(200)}",
        first.code.rpartition("-")[0] or first.code,
        f"{first.title}（{one_of(choices, ('2015', '2024'))}年版）",
        f"{first.code.partition('（')[0]}（{one_of(choices, ('2015', '2024'))}年版）",
    )
    text = list(one_of(choices, forms))
    for _ in range(choices.below(4)):
        at = choices.below(len(text) + 1)
        change = choices.below(4)
        if change == 0:
            text.insert(at, one_of(choices, _MARKS))
        elif change == 1 and at < len(text):
            del text[at]
        elif change == 2 and at < len(text):
            text[at] = one_of(choices, _MARKS)
        elif change == 3 and at + 1 < len(text):
            text[at], text[at + 1] = text[at + 1], text[at]
    return "".join(text)
