"""JSON text from outside, checked before anything looks at its meaning (lifecycle.md H7)."""

import json
import math
import re
from typing import NoReturn

from schemas.errors import InvalidError
from schemas.text import shown

MAX_BYTES = 8 * 1024 * 1024
MAX_DEPTH = 64
MAX_DIGITS = 20  # no field holds a number this long

_BOM = b"\xef\xbb\xbf"
# Strings are consumed whole so that a bracket inside one does not count as depth; possessive repeats keep
# nothing to go back to, which a string of megabytes would fill memory with.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[{]|[\]}]', re.DOTALL)


def parse(raw: bytes, what: str = "input", most_bytes: int = MAX_BYTES) -> object:
    """The value that `raw` writes: UTF-8 JSON, one BOM allowed, ≤ 8 MiB, depth ≤ 64, no duplicate keys.

    `what` names the input in messages; `most_bytes` is for a form that wraps what may have 8 MiB. Raises
    InvalidError; never returns a NaN, an infinity or a value that a second reader could understand
    differently.
    """
    if len(raw) > most_bytes:
        raise InvalidError(f"{what} is {len(raw)} bytes; at most {most_bytes} are read", subject=what)
    if not raw.strip():
        raise InvalidError(f"{what} is empty", subject=what)
    try:
        text = raw.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidError(
            f"{what} is not UTF-8: byte 0x{raw.removeprefix(_BOM)[error.start]:02x} at offset {error.start}",
            subject=what,
        ) from error

    def pairs(items: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(items)
        if len(found) != len(items):
            seen: set[str] = set()
            twice = next(key for key, _ in items if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise InvalidError(f"{what} has the key {shown(twice)} twice in one object", subject=what)
        return found

    def constant(name: str) -> NoReturn:
        raise InvalidError(f"{what} holds {name}, which is not JSON", subject=what)

    try:
        value: object = json.loads(
            text,
            object_pairs_hook=pairs,
            parse_constant=constant,
            parse_int=lambda digits: _integer(digits, what),
            parse_float=lambda digits: _float(digits, what),
        )
    except json.JSONDecodeError as error:
        raise InvalidError(
            f"{what} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}", subject=what
        ) from error
    except RecursionError as error:
        raise _too_deep(what) from error
    _check_depth(raw, what)
    return value


def _too_deep(what: str) -> InvalidError:
    return InvalidError(f"{what} is nested deeper than {MAX_DEPTH} levels", subject=what)


def _integer(digits: str, what: str) -> int:
    # int() of very long text is slow and, past 4300 digits, an error of Python's own.
    if len(digits) > MAX_DIGITS:
        raise InvalidError(f"{what} holds an integer of {len(digits)} characters", subject=what)
    return int(digits)


def _float(digits: str, what: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise InvalidError(f"{what} holds {shown(digits)}, which is beyond every number", subject=what)
    return number


def _check_depth(raw: bytes, what: str) -> None:
    # Only text that parsed comes here, so every string is closed and one pass is linear.
    depth = 0
    for token in _TOKEN.finditer(raw):
        first = raw[token.start()]
        if first in b"[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise _too_deep(what)
        elif first in b"]}":
            depth -= 1
