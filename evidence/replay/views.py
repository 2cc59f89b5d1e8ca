"""Which part of a log a replay looks at: all, as of a record or an instant, or beyond what is believed."""

from typing import NamedTuple

from ledger.chain import Link
from schemas.dates import split_instant
from schemas.errors import UsageError

Instant = tuple[int, str]


class View(NamedTuple):
    """Up to record `last`, or up to the first record that states a later time than `until`.

    The first `believed` records are chained and hashed, not interpreted, but where a later step needs them.
    """

    last: int | None = None
    until: Instant | None = None
    believed: int = 0

    @classmethod
    def at(cls, text: str) -> "View":
        """As of a seq or an RFC 3339 instant; UsageError for anything else."""
        if text.isascii() and text.isdigit():
            return cls(last=int(text[:20]))
        until = split_instant(text)
        if until is None:
            raise UsageError(f"{text!r} is neither a seq nor an RFC 3339 instant", subject="--at")
        return cls(until=until)

    @property
    def ends_early(self) -> bool:
        """Whether records may follow that are not looked at."""
        return self.last is not None or self.until is not None

    def is_over(self, link: Link) -> bool:
        """Whether this record and all after it are not looked at."""
        if self.last is not None:
            return link.seq > self.last
        if self.until is None or link.record is None:
            return False
        return (split_instant(link.record.at) or self.until) > self.until

    def believes(self, seq: int) -> bool:
        """Whether the record at `seq` is among those that are believed."""
        return seq < self.believed
