"""Whether a page is on a domain of an official body: by whole labels, from a documented list."""

import csv
import ipaddress
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from schemas.errors import InvalidError
from schemas.text import shown

LIST = Path(__file__).parent / "official.csv"
_LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)")
# Ends under which anybody registers a name; a user who adds one would call every shop official.
_OPEN_ENDS = frozenset(f"{end}.cn" for end in ("ac", "com", "edu", "net", "org")) | {
    "co.uk",
    "com.hk",
    "github.io",
}


class OfficialDomains:
    """Domains with the reason why each is official; a page on one, or below one, is official."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        self._reasons = dict(reasons)

    @classmethod
    def standard(cls, more: Iterable[str] = ()) -> "OfficialDomains":
        """The committed list and the domains of a user. Raises InvalidError for what is no domain."""
        return cls({**_committed(), **{_domain(name): "named by the user" for name in more}})

    def holds(self, url: str) -> bool:
        """Whether the host of an absolute URL is official."""
        return self.reason(url) is not None

    def reason(self, url: str) -> str | None:
        """Why the host of `url` is official, by the longest domain that holds it; None when it is not."""
        try:
            parts = urlsplit(url)
            # A user name before the host is there to be taken for the host.
            host = None if "@" in parts.netloc or "\\" in url else parts.hostname
        except ValueError:
            return None
        labels = (_ascii(host) or "").split(".") if host else []
        for start in range(len(labels)):
            found = self._reasons.get(".".join(labels[start:]))
            if found is not None:
                return found
        return None


@cache
def _committed() -> Mapping[str, str]:
    with LIST.open(encoding="utf-8", newline="") as lines:
        return {row["domain"]: row["reason"] for row in csv.DictReader(lines)}


def _domain(name: str) -> str:
    plain = _ascii(name.strip())
    if plain is None or "." not in plain or _is_address(plain):
        raise InvalidError(f"{shown(name)} is no domain", subject=shown(name))
    if plain in _OPEN_ENDS:
        raise InvalidError(f"under {shown(name)} anybody registers a name", subject=shown(name))
    return plain


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _ascii(host: str) -> str | None:
    """`host` in lower case and punycode without its root dot; None when it is no name."""
    plain = host.removesuffix(".").lower()
    if not plain.isascii():
        try:
            plain = plain.encode("idna").decode("ascii").lower()
        except UnicodeError:
            return None
    return plain if all(map(_LABEL.fullmatch, plain.split("."))) else None
