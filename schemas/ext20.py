"""The kernel of EXT-20's wire objects: camelCase names, and fields left out where Go's omitempty does.

Unlike a `Record` such an object is not hashed and its states are open strings: a provider's own word
passes through as it came (EXT-20 sections 3.3 and 4.2.6).
"""

from dataclasses import dataclass, field, fields
from typing import Any

SCHEMA_VERSION = 1
_ALWAYS = "always"


def always(**options: Any) -> Any:
    """A field that is written even when it is empty (必出)."""
    return field(metadata={_ALWAYS: True}, **options)


@dataclass(frozen=True, slots=True, kw_only=True)
class WireObject:
    """Base of EXT-20's objects; fields are declared in wire order."""

    def to_wire(self) -> dict[str, object]:
        """The object as JSON: an empty field is left out unless it is always written."""
        wire: dict[str, object] = {}
        for spec in fields(self):
            value = getattr(self, spec.name)
            if value or spec.metadata.get(_ALWAYS, False):
                wire[camel(spec.name)] = _plain(value)
        return wire


def camel(name: str) -> str:
    """`corpus_revision` as `corpusRevision`."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _plain(value: object) -> object:
    if isinstance(value, WireObject):
        return value.to_wire()
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value
