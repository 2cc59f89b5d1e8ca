"""A library prepared for matching: everything about a record that no query changes, computed once."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

from providers.standards.code import UNREADABLE, Code
from providers.standards.folding import fold, han
from providers.standards.library import Library, StandardRecord, code_key
from providers.standards.names import edition_year, title_name
from providers.standards.natural import natural_key
from providers.standards.rules import Rules
from providers.standards.scan import find_codes


@dataclass(frozen=True)
class Entry:
    """One record as the matcher sees it."""

    position: int
    record: StandardRecord
    codes: tuple[Code, ...]
    """The numbers of the official code, then those of its alias, one reading each."""
    name: str
    name_han: int
    edition: str | None

    @cached_property
    def key(self) -> str:
        """What makes two records the same; the empty code is never the same as another."""
        return code_key(self.record.code)

    @cached_property
    def year(self) -> int:
        """The year that sorts editions, 0 where the code has none."""
        return self.codes[0].order_year if self.codes else 0

    @cached_property
    def order(self) -> tuple[tuple[int, int, str], ...]:
        """The official code in natural order."""
        return natural_key(self.record.code)


class Index:
    """Entries of a library under one set of rules, and where to look for a number or a name."""

    def __init__(self, library: Library, rules: Rules) -> None:
        self.rules = rules
        records = enumerate(library.records)
        self.entries = tuple(_entry(position, record, rules) for position, record in records)
        self._by_number: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._by_year: dict[str, list[int]] = defaultdict(list)
        self._by_name: dict[str, list[int]] = defaultdict(list)
        self._unreadable: dict[str, list[int]] = defaultdict(list)
        for entry in self.entries:
            self._add(entry)

    def _add(self, entry: Entry) -> None:
        place = entry.position
        for number in {(code.org, code.num) for code in entry.codes}:
            self._by_number[number].append(place)
        for year in {code.year[-2:] for code in entry.codes if code.year}:
            self._by_year[year].append(place)
        if entry.name:
            self._by_name[entry.name].append(place)
        if not entry.codes and entry.key:
            self._unreadable[entry.key].append(place)

    def near(self, readings: Iterable[Code]) -> set[int]:
        """Every entry that can have a code score: the same number, or the same year for a slip."""
        found: set[int] = set()
        for reading in readings:
            found.update(self._by_number.get((reading.org, reading.num), ()))
            if reading.year and reading.year != UNREADABLE and not reading.glued:
                found.update(self._by_year.get(reading.year[-2:], ()))
        return found

    def named(self, name: str) -> list[int]:
        """Entries whose title is exactly `name`."""
        return self._by_name.get(name, [])

    def unreadable(self, key: str) -> list[int]:
        """Entries whose code the grammar cannot read and that is exactly `key`."""
        return self._unreadable.get(key, [])


_INDEXES: WeakKeyDictionary[Library, dict[Rules, Index]] = WeakKeyDictionary()


def index(library: Library, rules: Rules) -> Index:
    """The index of `library` under `rules`, made on first use and kept as long as the library is."""
    known = _INDEXES.setdefault(library, {})
    if rules not in known:
        known[rules] = Index(library, rules)
    return known[rules]


def _entry(position: int, record: StandardRecord, rules: Rules) -> Entry:
    texts = [fold(record.code)]
    # The alias is most often the same code without its blank.
    if record.normalized_code.replace(" ", "") != record.code.replace(" ", ""):
        texts.append(fold(record.normalized_code))
    codes = dict.fromkeys(found.readings[0] for text in texts for found in find_codes(text, rules))
    name = title_name(record.title, rules)
    edition = edition_year(fold(f"{record.code} {record.title}"))
    return Entry(position, record, tuple(codes), name, han(name), edition)
