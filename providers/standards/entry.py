"""One record as the matcher sees it: everything about it that no query changes."""

from dataclasses import dataclass
from functools import cached_property

from providers.standards.code import Code
from providers.standards.folding import fold
from providers.standards.library import StandardRecord, folded_key
from providers.standards.names import edition_year, may_name_edition, whole_name
from providers.standards.natural import natural_key
from providers.standards.rules import Rules
from providers.standards.scan import find_codes


@dataclass(frozen=True)
class Entry:
    """A record with its numbers, its name and its place in the file."""

    position: int
    record: StandardRecord
    codes: tuple[Code, ...]
    """The numbers of the official code, then those of its alias, one reading each."""
    name: str
    folded: str
    """The official code, folded."""
    edition: str | None

    @cached_property
    def year(self) -> int:
        """The year that sorts editions, 0 where the code has none."""
        return self.codes[0].order_year if self.codes else 0

    @cached_property
    def key(self) -> str:
        """What makes two records the same; the empty code is never the same as another."""
        return folded_key(self.folded)

    @cached_property
    def order(self) -> tuple[tuple[int, int, str], ...]:
        """The official code in natural order."""
        return natural_key(self.record.code)


def read_entry(position: int, record: StandardRecord, rules: Rules) -> Entry:
    """The entry of `record`, which stands at `position` of its library."""
    code, title = fold(record.code), fold(record.title)
    texts = [code]
    # The alias is most often the same code without its blank.
    if record.normalized_code.replace(" ", "") != record.code.replace(" ", ""):
        texts.append(fold(record.normalized_code))
    codes = dict.fromkeys(found.readings[0] for text in texts for found in find_codes(text, rules))
    # A mark that neither holds is not in both together.
    marked = may_name_edition(code) or may_name_edition(title)
    edition = edition_year(fold(f"{record.code} {record.title}")) if marked else None
    return Entry(position, record, tuple(codes), whole_name(title, rules), code, edition)
