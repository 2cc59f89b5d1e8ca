"""Offsets into a node's text: code points, half-open, never clamped (regulations.md section 5)."""

from schemas.errors import InvalidError


def span(length: int, start: object, end: object) -> tuple[int, int]:
    """The exact slice that a request names in a text of `length` code points.

    0, 0 is the whole text and an end of 0 or None is its end; anything else that is no slice of the
    text raises InvalidError with subject `range`: a clamped quote is a different quote.
    """
    first, last = _offset(start), _offset(end)
    if last == 0 and (first < length or first == 0):
        return first, length
    if not 0 <= first < last <= length:
        raise InvalidError(f"偏移越界 {first}..{last} is no slice of {length} code points", subject="range")
    return first, last


def _offset(value: object) -> int:
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidError(f"an offset is a {type(value).__name__}, not a whole number", subject="range")
    if value < 0:
        raise InvalidError(f"{value} 不是偏移 is no offset", subject="range")
    return value
