"""Find every number in a text (matching specification, section 3: anywhere, leftmost first)."""

import re

from providers.standards.code import Code
from providers.standards.folding import fold
from providers.standards.grammar import Found, read_code
from providers.standards.rules import Rules
from providers.standards.tables import STRONG

_LOWER = re.compile("[a-z]")
_UPPER = {lower: lower - 32 for lower in range(ord("a"), ord("z") + 1)}
_STARTS = re.compile(r"[A-Z]+|建标|(?<![0-9A-Z])[0-9]{2}(?=[A-Z]{1,2}[0-9]{3})")
_HAN_BEFORE = re.compile(r"[\u3400-\u9fff]")
_LONGEST_SERIES = 6


def upper(folded: str) -> str:
    """`folded` with ASCII letters in upper case and every character at its place."""
    return folded.translate(_UPPER) if _LOWER.search(folded) else folded


def find_codes(folded: str, rules: Rules) -> tuple[Found, ...]:
    """The numbers in a folded text, from left to right, none inside another."""
    text = upper(folded)
    found: list[Found] = []
    end = 0
    for start in _STARTS.finditer(text):
        if start.start() < end:
            continue
        code = _at(text, start, rules)
        if code is not None:
            found.append(code)
            end = code.end
    return tuple(found)


def _at(text: str, start: re.Match[str], rules: Rules) -> Found | None:
    """The number whose series is the run `start`, or the end of the run where Chinese runs into Latin."""
    first, last = start.span()
    before = text[first - 1 : first]
    if start.group() in STRONG or not before.isdecimal():
        whole = None
        split = _glued_suffix(text, start) if _HAN_BEFORE.match(before) else None
        if split is not None:
            whole = read_code(text, split, rules)
        if whole is None and last - first <= 2 * _LONGEST_SERIES:
            whole = read_code(text, first, rules)
        return whole
    return None


def _glued_suffix(text: str, start: re.Match[str]) -> int | None:
    """`分离RNAGB/T42080.1`: where the longest listed end of an unlisted run begins."""
    first, last = start.span()
    letters = start.group()
    if letters in STRONG:
        return None
    for length in range(min(_LONGEST_SERIES, last - first - 1), 1, -1):
        if text[last - length : last] in STRONG:
            return last - length
    return None


def read_record_code(text: str) -> tuple[Code, ...]:
    """The numbers that an official code owns, one reading each: the first of section 3."""
    return tuple(found.readings[0] for found in find_codes(fold(text), Rules()))
