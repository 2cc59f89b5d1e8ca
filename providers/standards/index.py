"""A library prepared for matching: `write` makes its sections once, `Index` looks into them.

Beside numbers and titles an index holds for each entry, by its position in the library: which title it
has, the year that sorts it, its edition, and its rank in natural order.
"""

from array import array
from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from weakref import WeakKeyDictionary

from providers.standards import cache
from providers.standards.entry import Entry, read_entry
from providers.standards.library import Library
from providers.standards.natural import natural_text
from providers.standards.numbers import Numbers, NumberWriter
from providers.standards.packed import Grouping, Groups, Sections, groups, read_numbers, read_texts, texts
from providers.standards.rules import Rules
from providers.standards.titles import Titles, ordered, write_titles

_NO_TITLE = 2**32 - 1


class _Columns:
    """What the index holds of each entry, gathered entry by entry so that none of them has to stay."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.name_of = array("I")
        self.years, self.editions, self.same = array("I"), array("I"), array("I")
        self.unreadable: dict[str, list[int]] = {}
        self.numbers = NumberWriter()
        self._natural: list[str] = []
        self._first: dict[str, int] = {}

    def add(self, entry: Entry) -> None:
        # Many records share a title; one text is enough for them.
        self.name_of.append(self.names.setdefault(entry.name, len(self.names)))
        self.years.append(entry.year)
        self.editions.append(int(entry.edition or 0))
        # A blank code is never the same as another.
        first = self._first.setdefault(entry.key, entry.position) if entry.key else entry.position
        self.same.append(first)
        if not entry.codes and entry.key:
            self.unreadable.setdefault(entry.key, []).append(entry.position)
        self.numbers.add(entry.codes)
        self._natural.append(natural_text(entry.folded))

    def sections(self) -> dict[str, bytes]:
        """All of it but the names; what only `add` and the order need is gone afterwards."""
        ranks = self._ranks()
        self._first.clear()
        self._natural.clear()
        return {
            "entries.year": self.years.tobytes(),
            "entries.edition": self.editions.tobytes(),
            "entries.rank": ranks,
            "entries.same": self.same.tobytes(),
            "unreadable": texts(self.unreadable),
            **groups("unreadable", self.unreadable.values()),
            **self.numbers.sections(),
        }

    def _ranks(self) -> bytes:
        """For each entry its place in natural order, then file order."""
        order = sorted(range(len(self._natural)), key=self._natural.__getitem__)
        ranks = array("I", bytes(4 * len(order)))
        for rank, position in enumerate(order):
            ranks[position] = rank
        return ranks.tobytes()


def write(library: Library, rules: Rules) -> dict[str, bytes]:
    """The sections of the index of `library` under `rules`."""
    columns = _Columns()
    for position, record in enumerate(library.records):
        columns.add(read_entry(position, record, rules))
    titles = ordered(filter(None, columns.names))
    number = array("I", [_NO_TITLE]) * len(columns.names)
    for place, title in enumerate(titles):
        number[columns.names[title]] = place
    title_of = array("I", map(number.__getitem__, columns.name_of))
    sections = {"entries.title": title_of.tobytes(), **_owners(title_of, len(titles)), **columns.sections()}
    del columns  # what is written of it is a small part of its weight
    return {**sections, **write_titles(titles)}


def _owners(title_of: Sequence[int], count: int) -> dict[str, bytes]:
    """The entries of each title."""
    owners = Grouping(count)
    for position, title in enumerate(title_of):
        if title != _NO_TITLE:
            owners.put(title, position)
    return owners.groups("titles.owners")


class Index:
    """The index that `write` wrote; entries are named by their position."""

    def __init__(self, sections: Sections) -> None:
        self.title_of = read_numbers(sections["entries.title"])
        self.year = read_numbers(sections["entries.year"])
        self.edition = read_numbers(sections["entries.edition"])
        self.rank = read_numbers(sections["entries.rank"])
        self.same = read_numbers(sections["entries.same"])
        self.owners = Groups(sections, "titles.owners")
        self._sections = sections
        self._unreadable = {text: place for place, text in enumerate(read_texts(sections["unreadable"]))}
        self._unreadable_entries = Groups(sections, "unreadable")

    @cached_property
    def titles(self) -> Titles:
        """The names of the library."""
        return Titles(self._sections)

    @cached_property
    def numbers(self) -> Numbers:
        """The numbers of the library."""
        return Numbers(self._sections)

    def name(self, entry: int) -> str:
        """The name of one entry, which may be empty."""
        title = self.title_of[entry]
        return "" if title == _NO_TITLE else self.titles[title]

    def named(self, name: str) -> Sequence[int]:
        """Entries whose title is exactly `name`."""
        title = self.titles.find(name) if name else None
        return () if title is None else self.owners[title]

    def unreadable(self, key: str) -> Sequence[int]:
        """Entries whose code the grammar cannot read and that is exactly `key`."""
        place = self._unreadable.get(key)
        return () if place is None else self._unreadable_entries[place]


_INDEXES: WeakKeyDictionary[Library, dict[Rules, Index]] = WeakKeyDictionary()
FEWEST_KEPT = 2_000
"""The index of fewer records is made in a few hundredths of a second, so it is not kept in a file."""
_PROGRAM = (
    "code", "entry", "folding", "grammar", "index", "library", "names", "natural", "numbers", "packed",
    "rules", "scan", "tables", "tail", "titles",
)  # fmt: skip


def index(library: Library, rules: Rules) -> Index:
    """The index of `library` under `rules`, found or made on first use and kept as long as the library is."""
    known = _INDEXES.get(library)
    if known is None:
        known = _INDEXES.setdefault(library, {})
    found = known.get(rules)
    if found is None:
        found = known[rules] = Index(_found(library, rules) or _made(library, rules))
    return found


def _found(library: Library, rules: Rules) -> Sections | None:
    if len(library) < FEWEST_KEPT:
        return None
    kept = cache.find(_name(library, rules), _key(library, rules))
    return kept.sections() if kept is not None else None


def _made(library: Library, rules: Rules) -> Sections:
    sections = write(library, rules)
    if len(library) < FEWEST_KEPT:
        return sections
    cache.keep(_name(library, rules), _key(library, rules), {}, sections)
    # What was just written takes no memory of this process while the file system holds it.
    return _found(library, rules) or sections


def _key(library: Library, rules: Rules) -> cache.Key:
    return {"revision": library.revision, "rules": asdict(rules), "program": cache.program(*_PROGRAM)}


def _name(library: Library, rules: Rules) -> str:
    switches = "".join(str(int(switch)) for switch in asdict(rules).values())
    return f"{library.revision.rpartition(':')[2]}.{switches}.index"
