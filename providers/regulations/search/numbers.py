"""Document numbers in a query, whole or with a shortened issuer (regulations.md section 8, E4)."""

import re
from collections.abc import Iterable
from typing import Final

from providers.regulations import doc_no, numerals
from providers.regulations.edition import Edition

_CITED: Final = re.compile(
    r"(?P<issuer>[^\W\d_]{0,25}?)"
    r"(?P<year>\s*[〔\[(【]\s*(?:19|20)\d\d年?\s*[〕\])】]|\s*(?:19|20)\d\d\s*年)?"
    rf"\s*第?\s*{numerals.NUMERAL}+\s*号(?P<order>\s*令)?"
)
_ISSUED: Final = re.compile("(?:令|告|字|释|发|函|文|决定|通知)$")
_FOLDS: Final = (("监督管理", "监管"), ("药品监管局", "药监局"), ("国家", ""))
_SHORTEST_ISSUER: Final = 3
# 279号令 is said of 令第279号, 法释2020年25号 of 法释〔2020〕25号.
_ORDER: Final = re.compile(r"([0-9]+号)令$")
_PLAIN_YEAR: Final = re.compile(r"((?:19|20)[0-9]{2})年(?=[0-9]+号)")
_PARTS: Final = re.compile(r"(?P<issuer>.*?)(?P<number>(?:〔[0-9]{4}〕)?[0-9]+号)")
# Numbers of standards and the like: letters, digits, often a year behind a dash.
_CODED: Final = re.compile(r"(?=.*[a-z])(?=[^-]*[0-9])(?P<stem>.+?)(?:-(?:19|20)\d\d)?")
_DASHES: Final = re.compile("[‐‑‒–—―−﹣－]")


class Numbers:
    """The document numbers of a revision's editions."""

    def __init__(self, editions: Iterable[Edition]) -> None:
        self._keys: dict[str, set[str]] = {}
        for edition in editions:
            if edition.doc_no:
                self._keys.setdefault(folded(edition.doc_no), set()).add(edition.edition_id)
        coded: dict[str, set[str]] = {}
        for key, ids in self._keys.items():
            if key.isascii() and (found := _CODED.fullmatch(key)):
                for form in {key, found["stem"]}:
                    coded.setdefault(form, set()).update(ids)
        self._coded = dict(sorted(coded.items(), key=lambda one: (-len(one[0]), one[0])))

    def editions(self, number: str) -> frozenset[str]:
        """The editions whose number is `number`, or else ends with it: 总局令第47号."""
        wanted = folded(number)
        exact = self._keys.get(wanted) or self._coded.get(wanted)
        if exact is not None or not wanted:
            return frozenset(exact or ())
        fitting = [ids for key, ids in self._keys.items() if _ends(key, wanted)]
        fitting = fitting or [ids for key, ids in self._keys.items() if _shortens(wanted, key)]
        return frozenset(one for ids in fitting for one in ids)

    def cited(self, text: str) -> tuple[str, frozenset[str]] | None:
        """The document number in NFKC `text` as it stands there, and its editions: none when unknown.

        None when `text` cites no document number.
        """
        written, at = _squeezed(text)
        for form, ids in self._coded.items():
            start = written.find(form)
            if start >= 0 and _apart(text, at[start], at[start + len(form) - 1] + 1):
                return text[at[start] : at[start + len(form) - 1] + 1], frozenset(ids)
        for match in _CITED.finditer(text):
            if match["year"] or match["order"] or _ISSUED.search(match["issuer"]):
                return self._longest(match)
        return None

    def _longest(self, match: re.Match[str]) -> tuple[str, frozenset[str]]:
        # Words before the issuer run into it: 根据国务院令第797号.
        issuer = len(match["issuer"])
        for start in range(issuer + 1):
            number = match.group()[start:]
            found = self.editions(number)
            whole = start == 0 or folded(number) in self._keys
            bare = match["order"] and start == issuer  # 279号令, whoever gave it
            if found and (whole or bare or issuer - start >= _SHORTEST_ISSUER):
                return number, found
        return match.group(), frozenset()


def _ends(key: str, wanted: str) -> bool:
    """Whether a number ends with `wanted`, and not within its digits: 19号 is no 119号."""
    before = key[: -len(wanted)][-1:]
    return key.endswith(wanted) and not (before.isdigit() and wanted[:1].isdigit())


def _shortens(wanted: str, key: str) -> bool:
    """Whether `wanted` has the number of `key` and a short form of its issuer: 住建委令19号."""
    ours, theirs = _PARTS.fullmatch(wanted), _PARTS.fullmatch(key)
    if ours is None or theirs is None or ours["number"] != theirs["number"]:
        return False
    issuer, whole = ours["issuer"], iter(theirs["issuer"])
    same_end = issuer[-1:] == theirs["issuer"][-1:]
    return len(issuer) >= _SHORTEST_ISSUER and same_end and all(one in whole for one in issuer)


def _squeezed(text: str) -> tuple[str, list[int]]:
    """`text` without white space and with one kind of dash, and where each character of that stood."""
    at = [place for place, character in enumerate(text) if not character.isspace()]
    return _DASHES.sub("-", "".join(text[place] for place in at)), at


def _apart(text: str, start: int, end: int) -> bool:
    """Whether neither a letter nor a digit of the same word goes on at either end."""
    before, after = text[max(start - 1, 0) : start], text[end : end + 1]
    return not any(one.isascii() and one.isalnum() for one in (before, after))


def folded(number: str) -> str:
    """The key of a number with its issuer shortened: 监督管理 and 监管, 国家 or not, are one issuer."""
    key = _DASHES.sub("-", doc_no.fold(number).lower())
    for name, short in _FOLDS:
        key = key.replace(name, short)
    return _ORDER.sub(r"令\1", _PLAIN_YEAR.sub(r"〔\1〕", key))
