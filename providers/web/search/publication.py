"""A publication date from the text that a service gives for one; blank when the text is no date."""

import re
from datetime import date
from email.utils import parsedate_tz

_NUMERIC = re.compile(
    r"([0-9]{4})(?:-([0-9]{1,2})-([0-9]{1,2})|/([0-9]{1,2})/([0-9]{1,2})|\.([0-9]{1,2})\.([0-9]{1,2})"
    r"|年([0-9]{1,2})月([0-9]{1,2})日)(?:[T ]?[0-9]{1,2}:[0-9]{2}.*)?",
    re.DOTALL,
)


def publication_date(text: str) -> str:
    """The calendar date that `text` states, as YYYY-MM-DD.

    The time of day and its zone are left out: services state them wrongly (web-apis.md, 2), and the
    date as it is written is what the page carries.
    """
    found = _NUMERIC.fullmatch(text.strip())
    if found is not None:
        parts = [int(part) for part in found.groups() if part]
        return _real(*parts)
    named = parsedate_tz(text) if "," in text else None  # RFC 5322, as news services write it
    return _real(*named[:3]) if named is not None else ""


def _real(year: int, month: int, day: int) -> str:
    try:
        return date(year, month, day).isoformat()
    except (ValueError, OverflowError):
        return ""
