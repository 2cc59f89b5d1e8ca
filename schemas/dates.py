"""RFC 3339 instants and publication dates (lifecycle.md H4, H8)."""

import re
from datetime import UTC, date, datetime
from functools import lru_cache

_DATE = r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
# Compiled when a text is first matched: a ledger without receipts has none.
_INSTANT = _DATE + r"[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
_PARTIAL = r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?"


@lru_cache(maxsize=256)
def split_instant(text: str) -> tuple[int, str] | None:
    """`text` as (UTC seconds, fraction digits), which compare in time order; None if it is no instant.

    A leap second (`:60`) is an instant where UTC could have one: in the last minute of a UTC day.
    """
    match = re.fullmatch(_INSTANT, text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    fraction, sign, offset_hour, offset_minute = match.groups()[6:]
    if hour > 23 or minute > 59 or second > 60 or int(offset_hour or 0) > 23 or int(offset_minute or 0) > 59:
        return None
    try:
        days = date(year, month, day).toordinal()
    except ValueError:
        return None
    offset = int(f"{sign or '+'}1") * (int(offset_hour or 0) * 60 + int(offset_minute or 0))
    minutes = days * 1440 + hour * 60 + minute - offset
    if second == 60 and minutes % 1440 != 1439:
        return None
    return minutes * 60 + second, (fraction or "").rstrip("0")


def publication_complaint(text: str) -> str | None:
    """Why `text` is no publication date, in words; None when it is one."""
    match = re.fullmatch(_PARTIAL, text)
    if match is None:
        known = split_instant(text) is not None
        return (
            None
            if known
            else f"must be YYYY, YYYY-MM, YYYY-MM-DD or an RFC 3339 instant, found {text[:40]!r}"
        )
    year, month, day = (int(part or 1) for part in match.groups())
    try:
        date(year, month, day)
    except ValueError:
        return f"is no real calendar date: {text!r}"
    return None


def instant(moment: datetime) -> str:
    """An aware datetime as UTC RFC 3339 text with microseconds and `Z`."""
    # Not strftime: how it writes a year before 1000 is the platform's choice.
    return f"{moment.astimezone(UTC).isoformat(timespec='microseconds').removesuffix('+00:00')}Z"
