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
from providers.standards.packed import Groups, Sections, groups, read_numbers, read_texts, texts
from providers.standards.rules import Rules
from providers.standards.titles import Titles, ordered, write_titles

_NO_TITLE = 2**32 - 1


class _Columns:
    """What the index holds of each entry, gathered entry by entry so that none of them has to stay."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.years, self.editions, self.same = array("I"), array("I"), array("I")
        self.unreadable: dict[str, list[int]] = {}
        self.numbers = NumberWriter()
        self._natural: list[str] = []
        self._known: dict[str, str] = {}
        self._first: dict[str, int] = {}

    def add(self, entry: Entry) -> None:
        # Many records share a title; one text is enough for them.
        self.names.append(self._known.setdefault(entry.name, entry.name))
        self.years.append(entry.year)
        self.editions.append(int(entry.edition or 0))
        # A blank code is never the same as another.
        first = self._first.setdefault(entry.key, entry.position) if entry.key else entry.position
        self.same.append(first)
        if not entry.codes and entry.key:
            self.unreadable.setdefault(entry.key, []).append(entry.position)
        self.numbers.add(entry.codes)
        self._natural.append(natural_text(entry.folded))

    def ranks(self) -> bytes:
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
    title_number = {title: number for number, title in enumerate(titles)}
    title_of = array("I", (title_number.get(name, _NO_TITLE) for name in columns.names))
    owners: list[list[int]] = [[] for _ in titles]
    for position, title in enumerate(title_of):
        if title != _NO_TITLE:
            owners[title].append(position)
    return {
        "entries.title": title_of.tobytes(),
        "entries.year": columns.years.tobytes(),
        "entries.edition": columns.editions.tobytes(),
        "entries.rank": columns.ranks(),
        "entries.same": columns.same.tobytes(),
        **groups("titles.owners", owners),
        "unreadable": texts(columns.unreadable),
        **groups("unreadable", columns.unreadable.values()),
        **columns.numbers.sections(),
        **write_titles(titles),
    }


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
