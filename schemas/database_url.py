"""The parts of a postgresql:// URL, read so strictly that libpq cannot take a part for another one.

libpq lets a password run to the last thing that it may be (postgresql.org, "Connection URIs"): a bare `?`,
`/`, `#` or `@` in one would be read by us as the end of it, and what follows be shown. So each part is
percent-encoded, or the URL is refused; a refusal repeats nothing of it.
"""

import re
from typing import NamedTuple, Self

_END = r"\x00-\x20\x7f/?#@%"
_ENCODED = r"%[0-9A-Fa-f]{2}"
_HOST = rf"(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~-]|{_ENCODED})*)(?::[0-9]{{0,5}})?"
_URL = re.compile(
    r"(?i:postgres(?:ql)?)://"
    rf"(?:(?P<user>(?:[^:{_END}]|{_ENCODED})*)(?::(?P<password>(?:[^{_END}]|{_ENCODED})*))?@)?"
    rf"(?P<hosts>{_HOST}(?:,{_HOST})*)"
    rf"(?P<database>/(?:[^{_END}]|{_ENCODED})*)?"
    r"(?P<options>\?[^\x00-\x20\x7f#@]*)?"
    r"(?:#(?P<fragment>[^#@]*))?"
)
# What was meant as a URL: with a scheme of any kind, or with one of PostgreSQL's and a slip behind it.
_MEANT = re.compile(r"postgres(?:ql)?\s*(?::|//)", re.IGNORECASE)


class DatabaseUrl(NamedTuple):
    """What libpq is told, what may be shown of that, and the part after #."""

    conninfo: str
    shown: str
    fragment: str

    @classmethod
    def read(cls, text: str) -> Self | None:
        """The URL that `text` is, space around it left out; None for any other text."""
        found = _URL.fullmatch(text.strip())
        if found is None:
            return None
        user, password, hosts, database, options, fragment = (part or "" for part in found.groups())
        at = "" if found["user"] is None else "@"
        secret = "" if found["password"] is None else f":{password}"
        return cls(
            f"postgresql://{user}{secret}{at}{hosts}{database}{options}",
            f"postgresql://{user}{at}{hosts}{database or '/'}",
            fragment,
        )


def is_meant_as_url(text: str) -> bool:
    """Whether `text` is no path of a file, be it a URL that can be read or not."""
    return "://" in text or _MEANT.match(text.strip()) is not None
