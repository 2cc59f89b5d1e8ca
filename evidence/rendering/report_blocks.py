"""What a report is made of before it has a form: headings, labelled facts, tables, sentences."""

from collections.abc import Sequence
from typing import NamedTuple


class Value(NamedTuple):
    """One shown value; `at` tells of which stored bytes it is.

    `r12/actor` is of record 12 and `b12/reason` of its body, each with a JSON pointer (RFC 6901); `i12` is
    the record's id, `head` that of the last, `root` and `base` the tree's in hex and in base64, `count/plans`
    how many there are.
    """

    text: str
    form: str = "prose"  # or `code`: an id or reference; `word`: the report's own; `mark …`: a state
    at: str | None = None
    to: str | None = None  # the anchor that it leads to


class Item(NamedTuple):
    """A label, and what stands under it; several values are a list unless they are one line."""

    label: str
    values: tuple[Value, ...]
    line: bool = False


class Heading(NamedTuple):
    """A heading of a level, an anchor to jump to, and marks beside it."""

    level: int
    values: tuple[Value, ...]
    anchor: str | None = None


class Items(NamedTuple):
    """Labelled facts."""

    items: tuple[Item, ...]


class Table(NamedTuple):
    """A table; `anchor` begins the anchor of each row, which ends in the text of its first value."""

    head: tuple[str, ...]
    rows: Sequence[tuple[Value, ...]]
    anchor: str | None = None


class Sentence(NamedTuple):
    """A sentence of the report's own; `tone` is empty, `ok`, `warn` or `bad`."""

    text: str
    tone: str = ""


Block = Heading | Items | Table | Sentence
