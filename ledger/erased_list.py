"""What was erased from a log, kept beside its key: one erasure a line, canonical JSON (KEY.erased).

An older copy of the store holds the bodies and not the record of their end; this list lies where putting
that copy back does not reach it. After a rotation the old key's list leads to the new key's
(KEY.erased.next): a copy from before it is restored with the old key.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ledger.files import read_if_there, replace, sweep
from schemas.errors import IntegrityError, InvalidError
from schemas.ledger import Subject
from schemas.ledger_erasure import MOST_BODIES, ListedErasure
from schemas.outside import parse

BESIDE = ".erased"
NEXT = ".next"


class ErasedList:
    """The list in the file at `path`; a missing file is an empty list."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def entries(self, log: str) -> list[ListedErasure]:
        """What was erased from that log, as this list and those of later keys say.

        IntegrityError when a line is not as it was written.
        """
        found = [one for each in self._chain() for one in each.own(log)]
        return list(dict.fromkeys(found))

    def own(self, log: str) -> list[ListedErasure]:
        """The same of this list alone."""
        lines = (read_if_there(self.path) or b"").splitlines()
        found = [self._entry(number, line) for number, line in enumerate(lines, 1)]
        return [one for one in found if one.origin == log]

    def lead_to(self, following: "ErasedList") -> None:
        """From now on this list is continued by that of the key that follows; durable at the end."""
        place, here = following.path.resolve(), self._next().parent.resolve()
        # Relative where it can be, so that both may move as one folder; not to another drive of Windows.
        text = os.path.relpath(place, here) if place.drive == here.drive else str(place)
        replace(self._next(), os.fsencode(text) + b"\n", synchronised=True)

    def _chain(self) -> Iterator["ErasedList"]:
        one, seen = self, set[Path]()
        while (place := one.path.resolve()) not in seen:
            seen.add(place)
            yield one
            led = read_if_there(one._next())
            if not led:
                return
            one = ErasedList(one._next().parent.resolve() / os.fsdecode(led.removesuffix(b"\n")))

    def _next(self) -> Path:
        return self.path.with_name(self.path.name + NEXT)

    def add(self, log: str, subject: Subject, reason: str, bodies: Iterable[str]) -> None:
        """Put the bodies that are not on it yet on the list; durable at the end."""
        sweep(self.path)
        known = {digest for one in self.own(log) for digest in one.bodies}
        new = sorted(set(bodies) - known)
        lines = read_if_there(self.path) or b""
        while new:
            part, new = new[:MOST_BODIES], new[MOST_BODIES:]
            entry = ListedErasure(origin=log, subject=subject, bodies=tuple(part), reason=reason)
            lines += entry.canonical() + b"\n"
            replace(self.path, lines, synchronised=True)

    def _entry(self, number: int, line: bytes) -> ListedErasure:
        try:
            return ListedErasure.read(parse(line, f"line {number}"))
        except InvalidError as error:
            raise IntegrityError(
                f"{self.path}, line {number}: {error.message}",
                subject=str(self.path),
                hint="it lists what was erased, so that an older copy cannot bring it back; mend it",
            ) from error
