"""The kernel of EXT-20's wire objects: camelCase names, and fields left out where Go's omitempty does.

Unlike a `Record` such an object is not hashed and its states are open strings: a provider's own word
passes through as it came (EXT-20 sections 3.3 and 4.2.6). Making one checks nothing, since a host must
be able to refuse what it was handed; `read` and `checked` look at every field.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self, cast, get_args, get_origin

from schemas.canonical import LARGEST_INTEGER
from schemas.errors import InvalidError
from schemas.record import LONGEST_NAME
from schemas.regulations_errors import InvalidRegulationsRequestError
from schemas.text import shown

SCHEMA_VERSION = 1
# Go's zero time: what a result shows that no search was made for (host.md G.12).
NO_TIME = "0001-01-01T00:00:00Z"
_ALWAYS = "always"
Nested = Callable[[Any, object, str], object]
_KINDS = {str: "text", bool: "true or false", int: "an integer", float: "a number", tuple: "an array"}


def always(**options: Any) -> Any:
    """A field that is written even when it is empty (必出)."""
    return field(metadata={_ALWAYS: True}, **options)


@dataclass(frozen=True, slots=True, kw_only=True)
class WireObject:
    """Base of EXT-20's objects; fields are declared in wire order.

    What came from elsewhere may hold keys of a later day: they are ignored.
    """

    REFUSAL: ClassVar[type[InvalidError]] = InvalidError
    CLOSED: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for spec in fields(self):
            # Go has nil where we have (): a list that is none, or that its maker could still change.
            if get_origin(spec.type) is tuple:
                value = getattr(self, spec.name)
                if value is None or isinstance(value, list):
                    object.__setattr__(self, spec.name, tuple(value or ()))

    def to_wire(self) -> dict[str, object]:
        """The object as JSON: an empty field is left out unless it is always written."""
        wire: dict[str, object] = {}
        for spec in fields(self):
            value = getattr(self, spec.name)
            if value or spec.metadata.get(_ALWAYS, False):
                wire[camel(spec.name)] = _plain(value)
        return wire

    @classmethod
    def read(cls, value: object, where: str = "") -> Self:
        """The object that parsed JSON states; an absent field is its zero value, as in Go.

        Raises InvalidError (of a request its own class) naming the field, never showing what it holds.
        """
        if not isinstance(value, dict):
            raise cls.REFUSAL(f"{where or cls.__name__} must be an object, found {_kind(value)}")
        known = {camel(spec.name): spec.name for spec in fields(cls)}
        if cls.CLOSED and not known.keys() >= value.keys():
            raise cls._unknown(value, known)
        given = {known[key]: one for key, one in value.items() if key in known}
        return cls._made(given, where, lambda kind, one, inside: kind.read(one, inside))

    @classmethod
    def checked(cls, value: object, where: str = "") -> Self:
        """A copy of `value` of exactly this class; each field is read once and of its declared type.

        Raises as `read` does.
        """
        if not isinstance(value, cls):
            raise cls.REFUSAL(f"{where or 'this'} must be a {cls.__name__}, found a {type(value).__name__}")
        given = {spec.name: getattr(value, spec.name, None) for spec in fields(cls)}
        return cls._made(given, where, lambda kind, one, inside: kind.checked(one, inside))

    @classmethod
    def _made(cls, given: Mapping[str, object], where: str, nested: Nested) -> Self:
        taken = {}
        for spec in fields(cls):
            kind = cast(type, spec.type)
            if given.get(spec.name) is None and (spec.name not in given or not cls.CLOSED):
                taken[spec.name] = _zero(kind)
            else:
                inside = f"{where}." if where else ""
                taken[spec.name] = cls._take(kind, given[spec.name], inside + camel(spec.name), nested)
        return cls(**taken)

    @classmethod
    def _take(cls, kind: Any, value: object, where: str, nested: Nested) -> object:
        if get_origin(kind) is tuple and isinstance(value, list | tuple):
            inner = get_args(kind)[0]
            return tuple(cls._take(inner, one, f"{where}[{at}]", nested) for at, one in enumerate(value))
        if kind is str and isinstance(value, str):
            return str.__str__(value)  # of a subclass too: what is checked is what is passed on
        if (kind in _KINDS and kind is type(value)) or (
            kind is float and (type(value) is int or isinstance(value, float))
        ):
            return value
        if kind not in _KINDS and get_origin(kind) is None:
            return nested(kind, value, where)
        wanted = _KINDS[get_origin(kind) or kind]
        raise cls.REFUSAL(f"{where} must be {wanted}, found {_kind(value)}", subject=where)

    @classmethod
    def _unknown(cls, given: Mapping[str, object], known: Mapping[str, str]) -> InvalidError:
        name = shown(next(key for key in given if key not in known), LONGEST_NAME)
        return cls.REFUSAL(f"{cls.__name__} has the unknown key {name}", hint=f"known: {', '.join(known)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class WireRequest(WireObject):
    """Base of the four requests: unknown keys are refused, so that nobody can bring a caller in."""

    REFUSAL: ClassVar[type[InvalidError]] = InvalidRegulationsRequestError
    CLOSED: ClassVar[bool] = True


def camel(name: str) -> str:
    """`corpus_revision` as `corpusRevision`."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _zero(kind: type) -> object:
    return (get_origin(kind) or kind)()


def _kind(value: object) -> str:
    # Never the value itself: it may be a query, or a term that must not be shown.
    return "text" if isinstance(value, str) else shown(value)


def _plain(value: object) -> object:
    if isinstance(value, WireObject):
        return value.to_wire()
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST_INTEGER:
        return int(value)  # Go writes 1, not 1.0
    return value
