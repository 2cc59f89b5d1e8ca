"""The editions of one revision as a search needs them: asked for, in force, and by what names."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from providers.regulations.edition import Edition
from providers.regulations.search.router import Router
from providers.regulations.status import in_force, legal_status

_FIRST = "0000-00-00"
_KEPT = 16  # choices by filter; with many editions they are what a short query would wait for


@dataclass(frozen=True, slots=True)
class Chosen:
    """The editions that a request's filters leave, and how many were left out for want of a date (E5)."""

    editions: frozenset[str]
    undated: int = 0


class Catalogue:
    """The editions of an immutable revision."""

    def __init__(self, editions: Sequence[Edition]) -> None:
        self.editions: Mapping[str, Edition] = {one.edition_id: one for one in editions}
        self.router = Router(editions)
        self._of: dict[str, list[Edition]] = {}
        self._chosen: dict[tuple[tuple[str, ...], str, str | None], Chosen] = {}
        for one in editions:
            self._of.setdefault(one.regulation_id, []).append(one)

    def chosen(self, kinds: Collection[str], doc_no: str, as_of: str | None) -> Chosen:
        """The editions of `kinds` that bear `doc_no`, and, when a day is named, are in force on it."""
        asked = (tuple(sorted(kinds)), doc_no, as_of)
        known = self._chosen.get(asked)
        if known is None:
            if len(self._chosen) >= _KEPT:
                self._chosen.clear()
            known = self._chosen[asked] = self._choose(kinds, doc_no, as_of)
        return known

    def _choose(self, kinds: Collection[str], doc_no: str, as_of: str | None) -> Chosen:
        numbered = self.router.editions_numbered(doc_no) if doc_no.strip() else None
        left = [
            one
            for one in self.editions.values()
            if (not kinds or one.kind in kinds) and (numbered is None or one.edition_id in numbered)
        ]
        if as_of is None:
            return Chosen(frozenset(one.edition_id for one in left))
        # A node may come into force before or after its edition: those are looked at one by one.
        current = [one for one in left if in_force(one, as_of) or one.commencements]
        undated = sum(in_force(one, as_of) is None for one in left)
        return Chosen(frozenset(one.edition_id for one in current), undated)

    def in_force(self, edition_id: str, path: str, as_of: str) -> bool:
        """Whether a node is known to be in force on a day."""
        return in_force(self.editions[edition_id], as_of, path) is True

    def status(self, edition_id: str, path: str, as_of: str) -> str:
        """The computed legal status of a node."""
        edition = self.editions[edition_id]
        return legal_status(edition, self._of[edition.regulation_id], as_of, path)

    def preference(self, edition_id: str, as_of: str) -> tuple[bool, str, str]:
        """What of two editions with the same text is shown: the greater one."""
        edition = self.editions[edition_id]
        return in_force(edition, as_of) is True, edition.effective_from or _FIRST, edition_id
