"""When a service says to ask again, as whole seconds from now."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

from providers.web.search.adapter import Received, at

LONGEST = 366 * 24 * 3600
BEIJING = timezone(timedelta(hours=8))
_SECONDS = re.compile(r"[0-9]{1,9}")
_BODY = ("retry_after_seconds", "error.retry_after_seconds", "retry_after", "next_flush_time")
_MOMENT = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})[ T]([0-9]{2}):([0-9]{2}):([0-9]{2})")


def retry_after(received: Received) -> int | None:
    """From Retry-After (seconds or date, RFC 9110 10.2.3), the body, or X-RateLimit-Reset; None if unsaid."""
    header = received.headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(header):
        return within(int(header))
    if (until := _http_date(header)) is not None:
        return within(until - received.now)
    for path in _BODY:
        value = at(received.told, path)
        if isinstance(value, int | float) and not isinstance(value, bool):
            # A number as large as a time of this century is a time.
            return within(value - received.now if value > 1e9 else value)
    resets = numbers(received.headers.get("x-ratelimit-reset", ""))
    return within(resets[0]) if resets else None


def within(seconds: float) -> int:
    """`seconds` rounded up, and at least 0 and at most a year."""
    return int(min(max(-(-seconds // 1), 0), LONGEST))


def numbers(header: str) -> Sequence[int]:
    """The whole numbers of a header such as `1, 1419704`; none where it holds anything else."""
    parts = [part.strip() for part in header.split(",")]
    return [int(part) for part in parts] if all(map(_SECONDS.fullmatch, parts)) else []


def until_midnight(now: float) -> int:
    """Seconds until the day ends in Beijing, where a daily quota of a service there begins anew."""
    moment = datetime.fromtimestamp(now, BEIJING)
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return within((midnight - moment).total_seconds())


def until_named(text: str, now: float) -> int | None:
    """Seconds until the moment in Beijing time that `text` names; None when it names none."""
    found = _MOMENT.search(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = map(int, found.groups())
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=BEIJING)
    except ValueError:
        return None
    return within(moment.timestamp() - now)


def _http_date(text: str) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
