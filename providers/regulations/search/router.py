"""What a query names outright: document number, regulation, edition, clause; and the words that are left."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

from providers.regulations import clause_number, numerals
from providers.regulations.clause_number import ClauseNumber, DecimalNumber
from providers.regulations.edition import Edition
from providers.regulations.search.names import KINDS, Names
from providers.regulations.search.numbers import Numbers
from schemas.errors import InvalidError

_N: Final = numerals.NUMERAL + "+"
_CLAUSE: Final = re.compile(
    rf"第?\s*{_N}\s*条(?:\s*之\s*{_N})?(?:\s*第\s*{_N}\s*款)?"
    rf"(?:\s*第?\s*\(\s*{_N}\s*\)\s*项?|\s*第\s*{_N}\s*项)?(?:\s*第\s*{_N}\s*目)?"
)
# 第九、十条 and 第九条至第十一条.
_ONE: Final = rf"第?\s*{_N}\s*(?:条(?:\s*之\s*{_N})?)?"
_AND: Final = r"\s*(?:以及|[、,和及与或至到~—])\s*"
_SEVERAL: Final = re.compile(
    rf"{_ONE}(?:{_AND}{_ONE})*{_AND}第?\s*{_N}\s*条(?:\s*之\s*{_N})?(?!\s*第?\s*\(?\s*{_N}\s*\)?\s*[款项])"
)
_EACH: Final = re.compile(rf"(?P<to>[至到~—])?\s*第?\s*(?P<n>{_N})\s*(?:条(?:\s*之\s*(?P<s>{_N}))?)?")
_MOST_CLAUSES: Final = 30
# A name right before a clause number that no regulation here bears: 民法典第一千二百五十四条.
_STRANGER: Final = re.compile(
    rf"《([^《》]{{2,60}})》|([^\W_]{{1,30}}(?:{'|'.join(KINDS)}))\s*"
    rf"(?=第?\s*(?:{_N}|[0-9.]+)\s*条)"
)
# 3.1.2 and no part of a version such as v3.1.2.
_DECIMAL: Final = re.compile(
    r"(?<![a-z0-9.])(?P<first>第)?\s*(?P<number>[0-9]{1,4}(?:\.[0-9]{1,4})+)\s*(?P<last>条)?(?![a-z0-9.%])"
)
SURELY_A_CLAUSE: Final = 3  # parts: with two it could be any quantity
_OWN: Final = re.compile("(?:本|该|此|这|前述|上述|本部)(?:法|条例|办法|规定|细则|解释)$")
_YEAR: Final = re.compile(
    r"\(?\s*((?:19|20)\d\d)\s*年?(?:\d{1,2}月(?:\d{1,2}日)?)?"
    r"(?:版本?|修订版?|修正版?|通过|公布|发布|颁布|施行)?的?\s*\)?"
)
_OLD: Final = re.compile("旧版|旧法|旧的|老版|修订前|修正前|修改前|已废止的?|原来的")
# Without a name 修改前 may be what a clause is about.
_SURELY_OLD: Final = re.compile("(?:旧版|老版|旧法|旧条文)的?")
_NEW: Final = re.compile("新版|新法|最新版?|新修订的?|新修正的?")
_BRACKETS: Final = re.compile("[《》〈〉]")


@dataclass(frozen=True, slots=True)
class Route:
    """What a query names; `editions` None means that it names none, `unknown` that it names a stranger.

    `rest` is the query without what was understood, `clause` what it asks of those editions, `others`
    what it asks beside that. `old_first` says that it asks for what is not in force without naming what.
    """

    rest: str
    editions: frozenset[str] | None = None
    clause: ClauseNumber | DecimalNumber | None = None
    others: tuple[ClauseNumber, ...] = ()
    by_number: bool = False
    by_name: bool = False
    old_asked: bool = False
    old_first: bool = False
    unknown: bool = False


class Router:
    """Routes of queries to one revision."""

    def __init__(self, editions: Sequence[Edition]) -> None:
        self._editions = tuple(editions)
        self._names = Names(editions)
        self._numbers = Numbers(editions)

    def editions_numbered(self, number: str) -> frozenset[str]:
        """The editions that a document number filter means."""
        return self._numbers.editions(number)

    def route(self, query: str) -> Route:
        """Read `query`; nothing in it is an error."""
        text = unicodedata.normalize("NFKC", query).lower()
        cited = self._numbers.cited(text)
        numbered = cited[1] if cited is not None else None
        if cited is not None:
            text = text.replace(cited[0], " ", 1)
        text, named, old_asked = self._named(text)
        known = numbered is not None or named is not None
        text, several = _several(text, known=known)
        text, clause = (text, several[0]) if several else _clause(text, known=known)
        old = None if known else _SURELY_OLD.search(text)
        if old is not None:
            text = text[: old.start()] + " " + text[old.end() :]
        stranger = clause is not None and named is None and numbered is None and _stranger(query)
        if stranger:
            text = text.replace(stranger, " ", 1)
        chosen = named if numbered is None else numbered if named is None else named & numbered
        return Route(
            rest=_BRACKETS.sub(" ", text).strip(),
            editions=chosen,
            clause=clause,
            others=several[1:],
            by_number=cited is not None,
            by_name=named is not None,
            old_asked=old_asked,
            old_first=old is not None,
            unknown=bool(stranger) or (numbered is not None and not numbered),
        )

    def _named(self, text: str) -> tuple[str, frozenset[str] | None, bool]:
        found = self._names.whole(text) or self._names.short(text)
        if found is None:
            return text, None, False
        name, regulations = found
        rest = text.replace(name, " ", 1)
        ours = [edition for edition in self._editions if edition.regulation_id in regulations]
        rest, chosen, old = _edition(rest, ours)
        return rest, frozenset(edition.edition_id for edition in chosen), old


def _edition(text: str, ours: Sequence[Edition]) -> tuple[str, list[Edition], bool]:
    """The editions that a year or a word such as 旧版 beside a name means; all when there is none."""
    for year in _YEAR.finditer(text):
        dated = [edition for edition in ours if _of_year(edition, year[1])]
        if dated:
            return text[: year.start()] + " " + text[year.end() :], dated, True
    newest = max((edition.key for edition in ours), default="")
    for pattern, wanted in ((_OLD, False), (_NEW, True)):
        match = pattern.search(text)
        chosen = [edition for edition in ours if (edition.key == newest) == wanted]
        if match is not None and chosen:
            return text[: match.start()] + " " + text[match.end() :], chosen, not wanted
    return text, list(ours), False


def _of_year(edition: Edition, year: str) -> bool:
    return edition.key.startswith(year) or year in edition.label


def _several(text: str, *, known: bool) -> tuple[str, tuple[ClauseNumber, ...]]:
    """Two articles or more that are named in one breath, a range with all of it; else nothing."""
    match = _SEVERAL.search(text)
    if match is None or not (known or "第" in match.group()):
        return text, ()
    found: list[ClauseNumber] = []
    for each in _EACH.finditer(match.group()):
        number, inserted = numerals.read(each["n"]), numerals.read(each["s"]) if each["s"] else 0
        try:
            clause = ClauseNumber(number or 0, inserted or 0)
        except InvalidError:
            return text, ()
        if each["to"] and found:
            found += [ClauseNumber(one) for one in range(found[-1].article + 1, clause.article)][
                :_MOST_CLAUSES
            ]
        found.append(clause)
    return text.replace(match.group(), " ", 1), tuple(dict.fromkeys(found))


def _clause(text: str, *, known: bool) -> tuple[str, ClauseNumber | DecimalNumber | None]:
    decimal = _DECIMAL.search(text)
    if decimal is not None and (
        known or (decimal["first"] and decimal["last"]) or decimal["number"].count(".") + 1 >= SURELY_A_CLAUSE
    ):
        try:
            return text.replace(decimal.group(), " ", 1), clause_number.parse(decimal["number"], "decimal")
        except InvalidError:  # 1.0.2 numbers no clause
            return text, None
    match = _CLAUSE.search(text)
    whole = text.strip()
    written = match.group() if match is not None else whole if known else ""
    # A bare 65 after a name is a clause; without a name it could count anything.
    if match is not None and "第" not in written and not known:
        return text, None
    try:
        clause = cast(ClauseNumber, clause_number.parse(written))  # as documents of articles number
    except InvalidError:
        return text, None
    return text.replace(written, " ", 1), clause


def _stranger(query: str) -> str:
    """The name that stands before a clause number in `query` and is no reference such as 本法; else empty."""
    match = _STRANGER.search(unicodedata.normalize("NFKC", query).lower())
    if match is None or (match[2] and _OWN.search(match[2])):
        return ""
    return match[1] or match[2]


def blank(text: str) -> bool:
    """Whether nothing is left to look for."""
    return not any(character.isalnum() for character in text)
