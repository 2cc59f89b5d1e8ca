"""Distinct titles by length, and which of them a name can match: the name half of the index.

Titles stand in the order of their length, then alphabetically. A block is a run of them: one length, or
several neighbouring ones where few titles have each. For each *token* it has one integer whose bit i says
that title i of the block holds it. A token is a character, or a character's second, third or
fourth occurrence: a title holds `规2` when it holds 规 twice.

What `Block.holding` leaves out cannot reach the score that is asked for. Let m and n be the lengths of
name and title, c the size of the intersection of their characters as multisets. A common subsequence
takes its characters from that intersection, so LCS <= c and the fuzzy score is at most
rd(20000 c / (m + n)): a score s needs c >= `_shared(s)`, so at most k = m - c of the name's characters
may be missing from the title. Deal the name's tokens into k + 4 hands: of k missing characters each
spoils at most one hand, so four hands are held whole (of k + 1 hands, one). An occurrence beyond the
fourth is in no hand and counts as held. A title that contains the name misses nothing: k = 0. A title
inside the name comes from `inside`, which looks up every piece of the name that begins as some title does.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from zlib import crc32

from providers.standards.packed import (
    Groups,
    Sections,
    groups,
    numbers,
    read_numbers,
    read_text,
    read_texts,
    texts,
)

BLOCK = 65_536
"""No block has more titles; their places are written in two bytes."""
_SMALL = 2_048
"""Shorter blocks cost more in calls than a looser bound costs in candidates."""
_OCCURRENCES = 4
_FULL = 4
_FEW = 256
"""A token that fewer titles than one in so many hold is written as their places."""
_PREFIX = 4
_BLOOM_BITS_EACH = 16
_DENSE = 1 << 31


def tokens_of(text: str) -> list[str]:
    """The tokens of a normalised name or title."""
    if len(set(text)) == len(text):
        return list(text)
    seen: dict[str, int] = {}
    tokens = []
    for character in text:
        count = seen[character] = seen.get(character, 0) + 1
        if count == 1:
            tokens.append(character)
        elif count <= _OCCURRENCES:
            tokens.append(f"{character}{count}")
    return tokens


def ordered(names: Iterable[str]) -> list[str]:
    """Distinct names in the order of the index."""
    # Two sorts need no pair of length and name for each.
    return sorted(sorted(set(names)), key=len)


def write_titles(titles: Sequence[str]) -> dict[str, bytes]:
    """The sections of `titles`, which `ordered` returned."""
    frequency: dict[str, int] = {}
    spans = list(_spans(titles))
    held = []
    for first, last in spans:
        postings: dict[str, list[int]] = {}
        for place in range(first, last):
            for token in tokens_of(titles[place]):
                postings.setdefault(token, []).append(place - first)
        for token, places in postings.items():
            frequency[token] = frequency.get(token, 0) + len(places)
        held.append(_bits(postings, last - first))
    rarest_first = sorted(frequency, key=lambda token: (frequency[token], token))
    number = {token: index for index, token in enumerate(rarest_first)}
    return {
        "titles.text": "".join(titles).encode("utf-8", "surrogatepass"),
        "titles.tokens": texts(rarest_first),
        **_blocks(titles, spans, held, number),
        **_prefixes(titles),
        "titles.bloom": _bloom(titles),
    }


def _spans(titles: Sequence[str]) -> Iterator[tuple[int, int]]:
    first = 0
    for place in range(1, len(titles) + 1):
        size = place - first
        longer = place == len(titles) or len(titles[place]) != len(titles[place - 1])
        if size == BLOCK or place == len(titles) or (longer and size >= _SMALL):
            yield first, place
            first = place


def _bits(postings: dict[str, list[int]], count: int) -> dict[str, tuple[bytes, bool]]:
    """Each token's titles: their numbers, two bytes each, where they are few; else one bit a title."""
    found = {}
    for token, places in postings.items():
        if _FEW * len(places) < count:
            found[token] = (array("H", places).tobytes(), False)
        else:
            bits = bytearray((count + 7) // 8)
            for place in places:
                bits[place >> 3] |= 1 << (place & 7)
            found[token] = (bytes(bits), True)
    return found


def _blocks(
    titles: Sequence[str],
    spans: Sequence[tuple[int, int]],
    held: Sequence[dict[str, tuple[bytes, bool]]],
    number: dict[str, int],
) -> dict[str, bytes]:
    table: list[int] = []
    tokens: list[int] = []
    ends: list[int] = []
    bits: list[bytes] = []
    end = 0
    for (first, last), block in zip(spans, held, strict=True):
        lengths = len(titles[first]), len(titles[last - 1])
        table += [*lengths, first, last - first, len(tokens), len(tokens) + len(block)]
        for token in sorted(block, key=number.__getitem__):
            written, dense = block[token]
            bits.append(written)
            end += len(written)
            tokens.append(number[token] | (_DENSE if dense else 0))
            ends.append(end)
    return {
        "titles.blocks": numbers(table),
        "titles.lengths": numbers(_lengths(titles)),
        "titles.held": numbers(tokens),
        "titles.held_ends": numbers(ends),
        "titles.bits": b"".join(bits),
    }


def _lengths(titles: Sequence[str]) -> Iterator[int]:
    """Each length, the first title that has it, and where that begins in the text."""
    start, length = 0, 0
    for place, title in enumerate(titles):
        if len(title) != length:
            length = len(title)
            yield from (length, place, start)
        start += length


def _prefixes(titles: Sequence[str]) -> dict[str, bytes]:
    lengths: dict[str, dict[int, None]] = {}
    for title in titles:
        lengths.setdefault(title[:_PREFIX], {})[len(title)] = None
    return {
        "titles.prefixes": texts(lengths),
        **groups("titles.prefix_lengths", [list(found) for found in lengths.values()]),
    }


def _bloom(titles: Sequence[str]) -> bytes:
    """One bit for the hash of each title: a text whose bit is not set is no title."""
    size = 1 << max(10, (_BLOOM_BITS_EACH * len(titles)).bit_length())
    bits = bytearray(size // 8)
    for title in titles:
        place = _hash(title) & (size - 1)
        bits[place >> 3] |= 1 << (place & 7)
    return bytes(bits)


def _hash(title: str) -> int:
    return crc32(title.encode("utf-8", "surrogatepass"))


class Block(dict[int, int]):
    """A run of titles; `block[token]` is those that hold the token, read on first use."""

    def __init__(self, shape: Sequence[int], held: memoryview, ends: memoryview, bits: memoryview) -> None:
        super().__init__()
        self.shortest, self.longest, self.first, self.count, self._start, self._end = shape
        self._held, self._ends, self._bits = held, ends, bits
        self._where: dict[int, int] | None = None
        self.all = (1 << self.count) - 1

    def __missing__(self, token: int) -> int:
        if self._where is None:
            held = self._held[self._start : self._end].tolist()
            self._where = {number & ~_DENSE: place for place, number in enumerate(held, self._start)}
        found = self[token] = self._read(self._where.get(token))
        return found

    def _read(self, place: int | None) -> int:
        if place is None:
            return 0
        written = self._bits[self._ends[place - 1] if place else 0 : self._ends[place]]
        if self._held[place] & _DENSE:
            return int.from_bytes(written, "little")
        bits = bytearray((self.count + 7) // 8)
        for title in written.cast("H"):
            bits[title >> 3] |= 1 << (title & 7)
        return int.from_bytes(bits, "little")

    def holding(self, hands: Sequence[Sequence[int]], missing: int, full: int) -> int:
        """The titles that hold `full` of `hands` (one or four), where no more than `missing` are spoilt."""
        one = two = three = four = spoilt = 0
        for hand in hands:
            bits = self[hand[0]]
            for token in hand[1:]:
                if not bits:
                    break
                bits &= self[token]
            if bits:
                second = one & bits
                if second:
                    third = two & second
                    if third:
                        four |= three & third
                        three |= third
                    two |= second
                one |= bits
            elif spoilt == missing:
                return 0
            else:
                spoilt += 1
        return four if full == _FULL else one


class Hands(dict[int, tuple[tuple[int, ...], ...]]):
    """The tokens of a name, rarest first, dealt for so many missing ones; see the head of this file."""

    def __init__(self, tokens: Sequence[int]) -> None:
        super().__init__()
        self._tokens = tokens

    def __missing__(self, missing: int) -> tuple[tuple[int, ...], ...]:
        hands = missing + self.full(missing)
        dealt = self[missing] = tuple(tuple(self._tokens[hand::hands]) for hand in range(hands))
        return dealt

    def full(self, missing: int) -> int:
        """How many hands must be held whole; 0 where so few tokens say nothing."""
        spare = len(self._tokens) - missing
        return _FULL if spare >= _FULL else min(max(spare, 0), 1)


class Titles:
    """The titles that `write_titles` wrote."""

    def __init__(self, sections: Sections) -> None:
        self._text = read_text(sections["titles.text"])
        self._number = {token: place for place, token in enumerate(read_texts(sections["titles.tokens"]))}
        table = read_numbers(sections["titles.blocks"]).tolist()
        held, ends = (read_numbers(sections[f"titles.{name}"]) for name in ("held", "held_ends"))
        bits = memoryview(sections["titles.bits"])
        self.blocks = [Block(table[at : at + 6], held, ends, bits) for at in range(0, len(table), 6)]
        lengths = read_numbers(sections["titles.lengths"]).tolist()
        self._run_lengths, self._firsts = lengths[::3], lengths[1::3]
        self._count = sum(block.count for block in self.blocks)
        self._runs = list(zip(lengths[::3], self._firsts, lengths[2::3], strict=True))
        runs = zip(self._runs, [*self._firsts[1:], self._count], strict=False)
        self._spans = {length: (first, last, start) for (length, first, start), last in runs}
        self._prefixes = {text: place for place, text in enumerate(read_texts(sections["titles.prefixes"]))}
        self._prefix_lengths = Groups(sections, "titles.prefix_lengths")
        self._bloom = memoryview(sections["titles.bloom"])
        self._bloom_mask = 8 * len(self._bloom) - 1
        self.plans: dict[tuple[int, bool], list[tuple[int, int, Block]]] = {}

    def hands(self, name: str) -> tuple[Hands, int]:
        """The tokens of `name` that some title holds, to be dealt, and how many no title holds."""
        tokens = tokens_of(name)
        known = sorted(place for place in map(self._number.get, tokens) if place is not None)
        return Hands(known), len(tokens) - len(known)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, title: int) -> str:
        length, first, start = self._runs[bisect_right(self._firsts, title) - 1]
        at = start + (title - first) * length
        return self._text[at : at + length]

    def of_lengths(self, block: Block, shortest: int, longest: int) -> int:
        """The titles of `block` with these lengths and all between."""
        if shortest <= block.shortest and block.longest <= longest:
            return block.all
        below = self._before(shortest) - block.first
        above = self._before(longest + 1) - block.first
        return ((1 << max(above, 0)) - 1 & block.all) >> max(below, 0) << max(below, 0)

    def _before(self, length: int) -> int:
        """How many titles are shorter than `length`."""
        run = bisect_left(self._run_lengths, length)
        return self._firsts[run] if run < len(self._firsts) else self._count

    def find(self, name: str) -> int | None:
        """The number of the title that is exactly `name`."""
        place = _hash(name) & self._bloom_mask
        if not self._bloom[place >> 3] >> (place & 7) & 1:
            return None
        length = len(name)
        first, last, start = self._spans.get(length, (0, 0, 0))
        low, high = first, last
        while low < high:
            middle = (low + high) // 2
            at = start + (middle - first) * length
            if self._text[at : at + length] < name:
                low = middle + 1
            else:
                high = middle
        at = start + (low - first) * length
        return low if low < last and self._text[at : at + length] == name else None

    def inside(self, name: str, shortest: int) -> Iterator[int]:
        """Every title of `shortest` characters or more that `name` contains and that is not all of it.

        Some may come twice.
        """
        most = len(name)
        starts = range(most - max(shortest, 1) + 1)
        for size in range(min(shortest, _PREFIX), _PREFIX + 1):
            begun = map(self._prefixes.get, [name[start : start + size] for start in starts])
            for start, place in enumerate(begun):
                if place is None or start + size > most:
                    continue
                for length in self._prefix_lengths[place]:
                    if shortest <= length < most and start + length <= most:
                        title = self.find(name[start : start + length])
                        if title is not None:
                            yield title
