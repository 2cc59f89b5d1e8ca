"""Numbers of records, and which of them a number in a query can mean: the code half of the index.

A code score needs the same series and digits (rows 1 to 7 and 9 of section 4), or an edit key one
character away beside the same last two digits of the year (row 8). The first is a look-up. For the second
all neighbours of the key are made and looked up; of all characters that could be put between two others
only those are tried that some key of the library has between just these.
"""

from array import array
from collections.abc import Iterable, Iterator

from providers.standards.code import UNREADABLE, Code
from providers.standards.packed import (
    Groups,
    Sections,
    TextGrouping,
    read_numbers,
    read_text,
    read_texts,
    texts,
)

_FIELD, _PART = "\x1f", "\x1e"
_EDGE = "\x1d"
_NO_YEAR = 100


class NumberWriter:
    """Takes the numbers of one entry after the other, and makes the sections of all."""

    def __init__(self) -> None:
        self._rows = bytearray()
        self._written = 0
        self._row_ends = array("I")
        self._owners = array("I")
        self._entry_ends = array("I")
        self._years = bytearray()
        self._by_number = TextGrouping()
        self._by_key = TextGrouping()
        self._triples: set[str] = set()

    def add(self, codes: Iterable[Code]) -> None:
        """The numbers of the next entry."""
        for code in codes:
            row = len(self._owners)
            self._by_number.add(f"{code.org}{_FIELD}{code.num}", row)
            if code.year:
                self._by_key.add(code.edit_key, row)
                self._triples.update(_triples(code.edit_key))
            written = _written(code)
            self._rows += written.encode("utf-8", "surrogatepass")
            self._written += len(written)
            self._row_ends.append(self._written)
            self._owners.append(len(self._entry_ends))
            self._years.append(_short_year(code.year))
        self._entry_ends.append(len(self._owners))

    def sections(self) -> dict[str, bytes]:
        """The sections that `Numbers` reads."""
        return {
            "numbers.rows": bytes(self._rows),
            "numbers.row_ends": self._row_ends.tobytes(),
            "numbers.owners": self._owners.tobytes(),
            "numbers.entry_ends": self._entry_ends.tobytes(),
            "numbers.years": bytes(self._years),
            **self._by_number.sections("numbers.by_number"),
            **self._by_key.sections("numbers.by_key"),
            "numbers.between": texts(sorted(self._triples)),
        }


def _written(code: Code) -> str:
    regional = "1" if code.regional else ""
    parts = _PART.join(code.parts)
    return _FIELD.join(
        (code.org, code.num, parts, code.attr, code.year, code.year_mark, code.amend, regional)
    )


def _read(written: str) -> Code:
    org, num, parts, attr, year, mark, amend, regional = written.split(_FIELD)
    return Code(org, num, tuple(parts.split(_PART)) if parts else (), attr, year, mark, amend, bool(regional))


def _short_year(year: str) -> int:
    return int(year[-2:]) if year.isdecimal() else _NO_YEAR


def _triples(key: str) -> Iterator[str]:
    """Each character of `key` between its neighbours; an edge counts as one."""
    framed = f"{_EDGE}{key}{_EDGE}"
    return map("".join, zip(framed, framed[1:], framed[2:], strict=False))


class Numbers:
    """The numbers that a `NumberWriter` wrote."""

    def __init__(self, sections: Sections) -> None:
        self._rows = read_text(sections["numbers.rows"])
        self._row_ends = read_numbers(sections["numbers.row_ends"])
        self._owners = read_numbers(sections["numbers.owners"])
        self._entry_ends = read_numbers(sections["numbers.entry_ends"])
        self._years = memoryview(sections["numbers.years"])
        self._by_number = _places(sections, "numbers.by_number")
        self._number_rows = Groups(sections, "numbers.by_number")
        self._by_key = _places(sections, "numbers.by_key")
        self._key_rows = Groups(sections, "numbers.by_key")
        self._between: dict[str, str] = {}
        for triple in read_texts(sections["numbers.between"]):
            pair = triple[0] + triple[2]
            self._between[pair] = self._between.get(pair, "") + triple[1]

    def codes(self, entry: int) -> tuple[Code, ...]:
        """The numbers of one entry."""
        first = self._entry_ends[entry - 1] if entry else 0
        return tuple(self._row(row) for row in range(first, self._entry_ends[entry]))

    def _row(self, row: int) -> Code:
        return _read(self._rows[self._row_ends[row - 1] if row else 0 : self._row_ends[row]])

    def near(self, readings: Iterable[Code]) -> set[int]:
        """Every entry that can have a code score against one of `readings`, and few others."""
        found: set[int] = set()
        for reading in readings:
            group = self._by_number.get(f"{reading.org}{_FIELD}{reading.num}")
            if group is not None:
                found.update(self._owners[row] for row in self._number_rows[group])
            if reading.year and reading.year != UNREADABLE and not reading.glued:
                found.update(self._slips(reading.edit_key, int(reading.year[-2:])))
        return found

    def _slips(self, key: str, year: int) -> Iterator[int]:
        for neighbour in self._neighbours(key):
            for row in self._key_rows[neighbour]:
                if self._years[row] == year:
                    yield self._owners[row]

    def _neighbours(self, key: str) -> set[int]:
        """The keys of the library at one edit of `key`; `key` itself may be among them."""
        framed = f"{_EDGE}{key}{_EDGE}"
        places, between = self._by_key.get, self._between.get
        found: set[int | None] = set()
        for at in range(len(key)):
            head, tail = key[:at], key[at + 1 :]
            found.add(places(head + tail))
            for character in between(framed[at] + framed[at + 2], ""):
                found.add(places(head + character + tail))
        for at in range(len(key) + 1):
            head, tail = key[:at], key[at:]
            for character in between(framed[at] + framed[at + 1], ""):
                found.add(places(head + character + tail))
        return {place for place in found if place is not None}


def _places(sections: Sections, name: str) -> dict[str, int]:
    return {text: place for place, text in enumerate(read_texts(sections[name]))}
