"""How people name a regulation: its title, whole or without ceremony, and short forms that fit only one."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from providers.regulations.edition import Edition
from providers.regulations.search.grams import fold
from providers.regulations.search.units import short_title

# What a name ends with; the longest first.
KINDS: Final = (
    *("指导原则", "实施条例", "实施细则", "司法解释", "条例", "办法", "规定", "细则"),
    *("解释", "法典", "公告", "通知", "宪法", "规则", "准则", "法"),
)
_KIND: Final = re.compile("|".join(KINDS))
# After a name that ends in 法 these would make it another word: 行政法规, 安全生产法律.
_NO_NAME_BEFORE: Final = re.compile("[规律人官院定]")
_BRACKETED: Final = re.compile(r"\([^()]*\)$")
_PART: Final = re.compile(r"\([一二三四五六七八九十]+\)")
_CEREMONY: Final = re.compile(r"^(?:最高人民法院|最高人民检察院)?关于(?:审理|办理|适用|印发|发布)?")
_MOST_PIECES: Final = 4
_LONGEST: Final = 30
_SHORTEST: Final = 3


class Names:
    """The names of a revision's regulations; every form is found only if it names one regulation."""

    def __init__(self, editions: Iterable[Edition]) -> None:
        self._titles: dict[str, set[str]] = {}
        for edition in editions:
            for form in forms(edition.title):
                self._titles.setdefault(form, set()).add(edition.regulation_id)
        self._longest = sorted(self._titles, key=lambda form: (-len(form), form))
        self._with: dict[str, set[str]] = {}
        for form in self._longest:
            for character in form:
                self._with.setdefault(character, set()).add(form)

    def whole(self, text: str) -> tuple[str, frozenset[str]] | None:
        """The longest full name in folded text, and the regulations that bear it."""
        for form in self._longest:
            at = text.find(form)
            if at >= 0 and not (form.endswith("法") and _NO_NAME_BEFORE.match(text, at + len(form))):
                return form, frozenset(self._titles[form])
        return None

    def short(self, text: str) -> tuple[str, frozenset[str]] | None:
        """The longest short form in folded text: its characters stand in one title only, in few pieces."""
        for candidate in _candidates(text):
            # 司法解释 is a kind of document; titles say 解释.
            wanted = _BRACKETED.sub("", candidate).replace("司法解释", "解释")
            having = sorted((self._with.get(character, set()) for character in wanted), key=len)
            fitting = {
                regulation
                for title in having[0].intersection(*having[1:])
                if _pieces(wanted, title) <= _MOST_PIECES
                for regulation in self._titles[title]
            }
            if len(fitting) == 1:
                return candidate, frozenset(fitting)
        return None


def forms(title: str) -> Iterator[str]:
    """The folded forms of a title: whole, and without the country, the bracket at its end, the ceremony."""
    for start in {fold(title), fold(short_title(title))}:
        plain = _CEREMONY.sub("", start)
        for form in {start, _BRACKETED.sub("", start), plain, _BRACKETED.sub("", plain)}:
            if len(form) > 1:
                yield form


def _candidates(text: str) -> Iterator[str]:
    """Runs of letters that end as names do, the longest first."""
    found: set[str] = set()
    for run in re.finditer(r"[^\W_]+", text):
        for kind in _KIND.finditer(run.group()):
            end = kind.end()
            if kind.group().endswith("法") and _NO_NAME_BEFORE.match(run.group(), end):
                continue
            part = _PART.match(text, run.start() + end)
            for start in range(max(0, end - _LONGEST), end - _SHORTEST + 1):
                found.add(run.group()[start:end] + (part.group() if part else ""))
    return iter(sorted(found, key=lambda one: (-len(one), one)))


def _pieces(wanted: str, title: str) -> int:
    """In how many unbroken pieces `wanted` stands in `title`, in order; too many when it does not."""
    pieces, at = 0, 0
    rest = wanted
    while rest:
        for length in range(len(rest), 0, -1):
            found = title.find(rest[:length], at)
            if found >= 0:
                pieces, at, rest = pieces + 1, found + length, rest[length:]
                break
        else:
            return _MOST_PIECES + 1
        if pieces > _MOST_PIECES:
            return pieces
    return pieces
