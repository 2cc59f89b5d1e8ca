"""robots.txt as RFC 9309 defines it: groups by product token, the longest match wins, allow wins a tie."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

LARGEST = 500 << 10  # RFC 9309 section 2.5: at least so much is read

_TOKEN = re.compile(r"[A-Za-z_-]+")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")


@dataclass(frozen=True, slots=True)
class Rule:
    """One allow or disallow line; `parts` lie between its asterisks, `anchored` is its final $."""

    allow: bool
    length: int
    parts: tuple[bytes, ...]
    anchored: bool

    @classmethod
    def of(cls, allow: bool, pattern: str) -> "Rule":
        """The rule of a path pattern."""
        anchored = pattern.endswith("$")
        parts = tuple(_plain(part).replace(b"$", b"%24") for part in pattern.removesuffix("$").split("*"))
        return cls(allow, sum(map(len, parts)) + len(parts) - 1 + anchored, parts, anchored)

    def matches(self, path: bytes) -> bool:
        """Whether `path`, as `_plain` wrote it, begins with the pattern; all of it when anchored."""
        first, *others = self.parts
        if not path.startswith(first):
            return False
        if not others:
            return not self.anchored or len(path) == len(first)
        place = len(first)
        last = others.pop()
        for part in others:  # the leftmost match leaves most for the rest
            found = path.find(part, place)
            if found < 0:
                return False
            place = found + len(part)
        if self.anchored:
            return len(path) - len(last) >= place and path.endswith(last)
        return path.find(last, place) >= 0


class Robots:
    """The rules of one robots.txt for one product token."""

    def __init__(self, content: bytes, token: str) -> None:
        self._rules = _rules(content, token.lower())

    def allows(self, target: str) -> bool:
        """Whether path and query `target` may be asked for."""
        path = _plain(target).replace(b"*", b"%2A").replace(b"$", b"%24")
        if path == b"/robots.txt":
            return True
        best = max(
            ((rule.length, rule.allow) for rule in self._rules if rule.matches(path)), default=(0, True)
        )
        return best[1]


def _rules(content: bytes, token: str) -> list[Rule]:
    own: list[Rule] | None = None
    others: list[Rule] = []
    names: set[str] = set()
    naming = False
    for key, value in _lines(content):
        if key == "user-agent":
            if not naming:
                names = set()
            naming = True
            found = _TOKEN.match(value)
            names.add(found[0].lower() if found else value)
            if token in names and own is None:
                own = []
        elif key in ("allow", "disallow"):
            naming = False
            if value:
                rule = Rule.of(key == "allow", value)
                if token in names and own is not None:
                    own.append(rule)
                if "*" in names:
                    others.append(rule)
    return others if own is None else own


def _lines(content: bytes) -> Iterable[tuple[str, str]]:
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    for line in re.split(r"\r\n|\r|\n", text):
        key, colon, value = line.partition("#")[0].partition(":")
        if colon:
            yield key.strip(" \t").lower(), value.strip(" \t")


def _plain(text: str) -> bytes:
    """Octets for comparison: escapes of unreserved characters undone (RFC 9309 section 2.2.2)."""

    def plain(found: re.Match[bytes]) -> bytes:
        octet = int(found[1], 16)
        return bytes((octet,)) if octet in _UNRESERVED else found[0].upper()

    octets = _ESCAPE.sub(plain, text.encode("utf-8", "surrogateescape"))
    return b"".join(bytes((octet,)) if 0x20 < octet < 0x7F else b"%%%02X" % octet for octet in octets)
