"""Every single change of every leaf of an artifact, and which of them lifecycle.md says do not matter."""

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.strategies import EMPTY_IS_ABSENT, NULL_IS_ABSENT, Path, paddable

REMOVED: Any = object()


class Change(NamedTuple):
    """One change: what was done where, to which value, and what it became."""

    path: Path
    what: str
    old: Any
    new: Any

    def applied(self, value: object) -> Any:
        """A copy of `value` with this change."""
        changed: Any = copy.deepcopy(value)
        place = changed
        for step in self.path[:-1]:
            place = place[step]
        if self.new is REMOVED:
            del place[self.path[-1]]
        else:
            place[self.path[-1]] = self.new
        return changed

    def harmless(self) -> bool:
        """Whether the artifact is still the same one (lifecycle.md sections 1, 5 and 6)."""
        name = self.path[-1]
        if self.path == ("request", "request_id"):
            return isinstance(self.new, str) or self.new is REMOVED
        if self.what == "pad":
            return paddable(self.path)
        if self.what == "remove":
            absent = (name in NULL_IS_ABSENT and self.old is None) or (
                name in EMPTY_IS_ABSENT and self.old == []
            )
            return absent or (name == "schema_version" and self.path[-2] == "request")
        return False


def changes(value: object, path: Path = ()) -> Iterator[Change]:
    """Every change of the menu at every place inside `value`."""
    if path:
        for what, new in _menu(value):
            if type(new) is not type(value) or new != value:
                yield Change(path, what, value, new)
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in inside:
        yield Change((*path, step), "remove", item, REMOVED)
        yield from changes(item, (*path, step))


def _menu(value: object) -> Iterator[tuple[str, Any]]:
    yield from (
        ("null", None),
        ("number", 0),
        ("text", "x"),
        ("array", []),
        ("object", {}),
        ("wrap", [value]),
    )
    if isinstance(value, bool):
        yield "flip", not value
        yield "as a number", int(value)
    elif isinstance(value, str):
        yield from _texts(value)
    elif isinstance(value, list):
        yield "reverse", value[::-1]
        yield "repeat", value + value[:1]
        yield "repeat all", value + value
        yield "append", [*value, "x"]
        yield "append null", [*value, None]
    elif isinstance(value, dict):
        yield "add a key", {**value, "x": None}
        yield "add a known key", {**value, "schema_versio": "x"}


def _texts(value: str) -> Iterator[tuple[str, str]]:
    yield "pad", f"\u3000\t{value}\n\ufeff"
    yield "other", "urn:x:other"
    yield "flip case", value.swapcase()
    yield "append", f"{value}0"
    yield "append a slash", f"{value}/"
    yield "prepend", f"a{value}"
    yield "cut", value[:-1]
    yield "blank", " "
    yield "combining", f"{value}\u0301"
    yield "invisible", f"{value}\u200b"
    yield "surrogate", f"{value}\ud800"
    yield "control", f"{value}\x00{value}"
    yield "astral", f"{value}𠀀"
