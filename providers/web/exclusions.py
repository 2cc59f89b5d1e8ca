"""The terms that must not leave: held so that they cannot be shown, and looked for in a text."""

import re
from collections.abc import Iterable
from typing import NoReturn

from providers.web import folding
from schemas.errors import InvalidError

# Unicode's White_Space, which Go's strings.TrimSpace removes; ECMAScript trims U+FEFF and not U+0085.
WHITE_SPACE = (
    "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
# Below this length 0 for o and 1 for l would find terms in ordinary words: 101 in violate.
SHORTEST_TIGHT = 4
_SURROGATES = re.compile("[\ud800-\udfff]")


def trim(text: str) -> str:
    """`text` without white space at both ends, as Go's strings.TrimSpace leaves it."""
    return text.strip(WHITE_SPACE)


class Exclusions:
    """Excluded terms. Nothing shows them: not repr, not str, not an error, not a copy or pickle.

    Terms are trimmed and empty ones ignored (EXT-20 section 4.2).
    """

    __slots__ = ("_kept", "_looks", "_lowered", "_plain", "_tight")

    def __init__(self, terms: Iterable[str] = ()) -> None:
        # Go reads a lone surrogate as U+FFFD, so it does not keep a term from being found.
        whole = [_SURROGATES.sub("\ufffd", term) for term in map(trim, terms) if term]
        self._lowered = _once(map(folding.lower, whole))
        self._plain, self._kept = _folded(whole)
        looks = _once(map(folding.looks, whole))
        # One letter's look is too little to say what term was meant, unless the term is that letter.
        self._looks = tuple(look for look in looks if len(look) > 1) + _once(
            look for term in whole if len(term) == 1 and len(look := folding.looks(term)) == 1
        )
        self._tight = _once(folding.tight(look) for look in looks if len(look) >= SHORTEST_TIGHT)

    @classmethod
    def from_bytes(cls, content: bytes, what: str = "exclusions") -> "Exclusions":
        """One term a line, UTF-8, a byte order mark allowed; every line that is not blank is a term.

        Raises InvalidError, which names the line and never what stands on it.
        """
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            place = f"{what} is not UTF-8 on line {line}"
        else:
            return cls(text.split("\n"))
        # Raised outside the handler: the decoder's error holds the whole file.
        raise InvalidError(place, subject=what)

    def joined(self, other: "Exclusions") -> "Exclusions":
        """The terms of both."""
        both = Exclusions()
        for name in self.__slots__:
            setattr(both, name, _once([*getattr(self, name), *getattr(other, name)]))
        return both

    def found_in(self, text: str) -> bool:
        """Whether EXT-20's rule finds a term: lower-case substring, code point by code point."""
        lowered = folding.lower(text)
        return any(term in lowered for term in self._lowered)

    def found_folded(self, text: str) -> bool:
        """Whether a term is found after folding; also whenever `found_in` finds one."""
        if not self._lowered:
            return False
        looks = folding.looks(text)
        return (
            _any(self._plain, folding.plain(text))
            or _any(self._looks, looks)
            or _any(self._tight, folding.tight(looks))
            or (bool(self._kept) and _any(self._kept, folding.kept(text)))
            or self.found_in(text)
        )

    def __len__(self) -> int:
        return len(self._lowered)

    def __repr__(self) -> str:
        return f"<Exclusions: {len(self)} terms, not shown>"

    def __copy__(self) -> "Exclusions":
        return self

    def __deepcopy__(self, memo: object) -> "Exclusions":
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("exclusions are not written anywhere")


def _once(terms: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for term in terms if term))


def _any(terms: tuple[str, ...], text: str) -> bool:
    return any(term in text for term in terms)


def _folded(terms: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What to look for in the plain folding and, where nearly nothing is left of a term, in the kept one.

    C++ would be found in every word with a c.
    """
    plain: list[str] = []
    kept: list[str] = []
    for term in terms:
        letters, whole = folding.plain(term), folding.kept(term)
        if len(letters) > 1 or letters == whole:
            plain.append(letters)
        else:
            kept.append(whole.strip())
    return _once(plain), _once(kept)
