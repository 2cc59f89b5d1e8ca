"""The kernel of every record: frozen, strict, read field by field, written as canonical JSON.

A `Record` that exists obeys its rules: the constructor and `read` go through the same checks, so
there is no unchecked way in. `read` takes a value from outside (parsed JSON); `to_wire` gives the
normalised JSON object back.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self, dataclass_transform

from schemas.canonical import DEFAULT_ALGORITHM, Algorithm, canonical_record, digest_bytes
from schemas.errors import InvalidError
from schemas.text import refused_character, shown


class RuleError(Exception):
    """A field's rule was broken; `path` grows from the inside out until a record is named."""

    def __init__(self, complaint: str, *path: str, hint: str | None = None) -> None:
        super().__init__(complaint)
        self.complaint = complaint
        self.path = list(path)
        self.hint = hint

    def under(self, step: str) -> "RuleError":
        """The same fault, seen from one level further out."""
        self.path.insert(0, step)
        return self

    def named(self, where: str) -> InvalidError:
        """The error that a caller sees: the whole path, then what is wrong there."""
        subject = (where + "".join(self.path)).lstrip(".") or "params"
        return InvalidError(f"{subject} {self.complaint}", subject=subject, hint=self.hint)


class Rule(ABC):
    """What one value must be."""

    @abstractmethod
    def read(self, value: object) -> object:
        """`value` normalised; raises RuleError."""

    def to_wire(self, value: Any) -> object:
        """The JSON form of a value that `read` returned."""
        return value


REQUIRED: Any = object()
LONGEST_NAME = 64  # of a field, and more


class FieldSpec:
    """One field of a record: its rule, and what absence and null mean."""

    __slots__ = ("as_it_is", "default", "name", "null_is_absent", "omitted", "rule", "stated")

    def __init__(self, rule: Rule, default: Any, omitted: bool, nullable: bool, stated: bool) -> None:
        self.name = ""
        self.rule = rule
        self.as_it_is = type(rule).to_wire is Rule.to_wire
        self.default = default
        self.omitted = omitted
        self.null_is_absent = nullable
        self.stated = stated

    def take(self, given: Mapping[str, object], outside: bool) -> object:
        """The normalised value of this field among `given`; RuleError names the field."""
        value = given.get(self.name, REQUIRED)
        if value is REQUIRED:
            if self.default is REQUIRED or (outside and self.stated):
                raise RuleError("is required and absent", f".{self.name}")
            return self.default
        if value is None and (self.null_is_absent or (self.omitted and not outside)):
            return None
        try:
            return self.rule.read(value)
        except RuleError as fault:
            raise fault.under(f".{self.name}") from None


def field(
    rule: Rule,
    *,
    default: Any = REQUIRED,
    omitted: bool = False,
    nullable: bool = False,
    stated: bool = False,
) -> Any:
    """Declare a field. `default`: the value of an absent one (null stays an error unless `nullable`).

    `omitted`: absent is None and is not written. `nullable`: null equals absent, is None and is
    written as null. `stated`: a text from outside must state it although the constructor need not.
    """
    return FieldSpec(rule, default, omitted, nullable, stated)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
class Record:
    """Base of every record; subclasses declare fields in wire order and may refine `check`."""

    FIELDS: ClassVar[tuple[FieldSpec, ...]] = ()
    NAMES: ClassVar[frozenset[str]] = frozenset()
    SUBJECT: ClassVar[str] = "record"
    CLOSED: ClassVar[bool] = True

    def __init_subclass__(cls, subject: str | None = None, closed: bool = True) -> None:
        specs = []
        for name, spec in list(vars(cls).items()):
            if isinstance(spec, FieldSpec):
                spec.name = name
                specs.append(spec)
                delattr(cls, name)
        cls.FIELDS = tuple(specs)
        cls.NAMES = frozenset(spec.name for spec in specs)
        cls.SUBJECT = cls.__name__.lower() if subject is None else subject
        cls.CLOSED = closed

    def __init__(self, **given: Any) -> None:
        try:
            self._fill(given, outside=False)
        except RuleError as fault:
            raise fault.named(self.SUBJECT) from None

    @classmethod
    def read(cls, value: object, where: str | None = None) -> Self:
        """The record that `value` (parsed JSON) states; `where` names it in messages.

        Raises InvalidError naming the first field that breaks its rule, the bound and what was found.
        """
        try:
            return cls.take(value)
        except RuleError as fault:
            raise fault.named(cls.SUBJECT if where is None else where) from None

    @classmethod
    def take(cls, value: object) -> Self:
        """As `read`, but raising RuleError, for a record inside a record."""
        if isinstance(value, cls):
            return value
        if not isinstance(value, dict):
            raise RuleError(f"must be an object, found {shown(value)}")
        record = cls.__new__(cls)
        cls._fill(record, value, outside=True)
        return record

    def _fill(self, given: Mapping[str, object], outside: bool) -> None:
        if self.CLOSED and not self.NAMES.issuperset(given):
            raise _unknown(given, self.NAMES)
        values = self.__dict__
        for spec in self.FIELDS:
            value = given.get(spec.name)
            if value is None:
                values[spec.name] = spec.take(given, outside)
                continue
            try:
                values[spec.name] = spec.rule.read(value)
            except RuleError as fault:
                raise fault.under(f".{spec.name}") from None
        self.check()

    def check(self) -> None:
        """Rules over several fields; raises RuleError with the path of the field to blame."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen; {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen; {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in self.__dict__.items())})"

    def replace(self, **changes: Any) -> Self:
        """A copy with `changes`, checked again as a whole."""
        return type(self)(**{**self.__dict__, **changes})

    def to_wire(self) -> dict[str, object]:
        """The normalised JSON object, fields in declared order."""
        values = self.__dict__
        return {
            spec.name: value if spec.as_it_is or value is None else spec.rule.to_wire(value)
            for spec in self.FIELDS
            if (value := values[spec.name]) is not None or not spec.omitted
        }

    def canonical(self) -> bytes:
        """RFC 8785 bytes of the wire form."""
        return canonical_record(self.to_wire())

    def digest(self, algorithm: Algorithm = DEFAULT_ALGORITHM) -> str:
        """The content address of the whole record."""
        return digest_bytes(self.canonical(), algorithm)


def _unknown(given: Mapping[str, object], known: frozenset[str]) -> RuleError:
    name = next(key for key in given if key not in known)
    if not isinstance(name, str):
        return RuleError(f"has a key that is no text but {shown(name)}")
    if refused_character(name) is not None:
        return RuleError(f"has the key {shown(name)}, which holds a control character or lone surrogate")
    import difflib  # only on the way to an error

    # difflib takes a second and 300 MB to look at a name of megabytes, which is near to none.
    near = difflib.get_close_matches(name[:LONGEST_NAME], sorted(known), n=1)
    hint = f"did you mean {near[0]}?" if near else f"known keys: {', '.join(sorted(known))}"
    return RuleError(f"has the unknown key {shown(name)}", hint=hint)


class Nested(Rule):
    """A record inside a record."""

    def __init__(self, record: type[Record]) -> None:
        self.record = record

    def read(self, value: object) -> object:
        return self.record.take(value)

    def to_wire(self, value: Record) -> object:
        return value.to_wire()


class Items(Rule):
    """An array of at least `least` and at most `most` items, each by `rule`; order kept.

    `unique` compares what `key` gives of each item after normalisation.
    """

    def __init__(
        self,
        rule: Rule,
        most: int,
        least: int = 0,
        unique: bool = False,
        key: Callable[[Any], object] | None = None,
    ) -> None:
        self.rule = rule
        self.most = most
        self.least = least
        self.unique = unique
        self.key = key

    def read(self, value: object) -> object:
        if not isinstance(value, list | tuple):
            raise RuleError(f"must be an array, found {shown(value)}")
        if len(value) > self.most:
            raise RuleError(f"has {len(value)} items; at most {self.most} are allowed")
        if len(value) < self.least:
            raise RuleError(f"has {len(value)} items; at least {self.least} is required")
        items = []
        for index, item in enumerate(value):
            try:
                items.append(self.rule.read(item))
            except RuleError as fault:
                raise fault.under(f"[{index}]") from None
        if self.unique:
            self._refuse_repeats(items)
        return tuple(items)

    def _refuse_repeats(self, items: list[object]) -> None:
        seen: set[object] = set()
        for index, item in enumerate(items):
            mark = item if self.key is None else self.key(item)
            if mark in seen:
                raise RuleError(f"repeats {shown(mark)}; items must be unique", f"[{index}]")
            seen.add(mark)

    def to_wire(self, value: tuple[Any, ...]) -> object:
        return [self.rule.to_wire(item) for item in value]
