"""The kinds of value that fields hold: text, literal, flag, integer, id, digest, source ref, date."""

import re

from schemas.canonical import LARGEST_INTEGER, is_digest
from schemas.dates import publication_complaint, split_instant
from schemas.record import Rule, RuleError
from schemas.source_ref import source_ref_complaint
from schemas.text import refused_character, shown, trim, units

DIGEST_LENGTH = 71
_PROVIDER_ID = re.compile(r"[a-z][a-z0-9_.:-]{1,95}")


class Text(Rule):
    """Bounded text (lifecycle.md section 1): trimmed, non-empty, at most `most` UTF-16 code units.

    With `exact` a padded value is refused instead of trimmed.
    """

    def __init__(self, most: int, exact: bool = False) -> None:
        self.most = most
        self.exact = exact

    def read(self, value: object) -> object:
        # What most text is, seen at a glance: nothing printable is refused, and of that only a space is
        # trimmed; no character takes more than two units.
        if (
            type(value) is str
            and value.isprintable()
            and 0 < (len(value) if value.isascii() else 2 * len(value)) <= self.most
            and value[0] != " " != value[-1]
        ):
            return self.accept(value)
        return self._weighed(value)

    def _weighed(self, value: object) -> object:
        if not isinstance(value, str):
            raise RuleError(f"must be text, found {shown(value)}")
        text = trim(value)
        if not text:
            raise RuleError("must not be empty or blank")
        if self.exact and text != value:
            raise RuleError("must not be padded with white space")
        length = units(text)
        if length > self.most:
            raise RuleError(f"is {length} UTF-16 code units long; at most {self.most} are allowed")
        refused = refused_character(text)
        if refused is not None:
            raise RuleError(refused, hint="remove the character; it would mislead a reader or not survive")
        return self.accept(text)

    def accept(self, text: str) -> str:
        """A narrower rule's last word on the trimmed text."""
        return text


class ProviderId(Text):
    """`[a-z][a-z0-9_.:-]{1,95}`."""

    def __init__(self, exact: bool = False) -> None:
        super().__init__(96, exact)

    def accept(self, text: str) -> str:
        if _PROVIDER_ID.fullmatch(text) is None:
            raise RuleError(f"must be 2-96 characters [a-z][a-z0-9_.:-]…, found {shown(text)}")
        return text


class Digest(Text):
    """`sha256:` or `blake3:` and 64 lower-case hex digits."""

    def __init__(self, exact: bool = False) -> None:
        super().__init__(DIGEST_LENGTH, exact)

    def read(self, value: object) -> object:
        return value if type(value) is str and is_digest(value) else super().read(value)

    def accept(self, text: str) -> str:
        if not is_digest(text):
            raise RuleError(f"must be sha256: or blake3: and 64 lower-case hex digits, found {shown(text)}")
        return text


class SourceRef(Text):
    """A non-file provenance URI (H3)."""

    def __init__(self) -> None:
        super().__init__(2048)

    def accept(self, text: str) -> str:
        complaint = source_ref_complaint(text)
        if complaint is not None:
            raise RuleError(complaint)
        return text


class Instant(Text):
    """An RFC 3339 instant with an offset (H4), kept as written."""

    def __init__(self) -> None:
        super().__init__(64)

    def accept(self, text: str) -> str:
        if split_instant(text) is None:
            raise RuleError(f"must be an RFC 3339 instant with an offset, found {shown(text)}")
        return text


class PublicationDate(Text):
    """`YYYY`, `YYYY-MM`, `YYYY-MM-DD` or an instant, a real calendar date (H4)."""

    def __init__(self) -> None:
        super().__init__(64)

    def accept(self, text: str) -> str:
        complaint = publication_complaint(text)
        if complaint is not None:
            raise RuleError(complaint)
        return text


class Literal(Rule):
    """One of a few exact texts; never trimmed."""

    def __init__(self, *values: str) -> None:
        self.values = values

    def read(self, value: object) -> object:
        if not isinstance(value, str) or value not in self.values:
            raise RuleError(f"must be {' or '.join(self.values)}, found {shown(value)}")
        return value


class Flag(Rule):
    """A JSON boolean."""

    def read(self, value: object) -> object:
        if not isinstance(value, bool):
            raise RuleError(f"must be true or false, found {shown(value)}")
        return value


class Constant(Flag):
    """A JSON boolean that can have one value only: a clause of a truth contract."""

    def __init__(self, value: bool) -> None:
        self.value = value

    def read(self, value: object) -> object:
        if value is not self.value:
            raise RuleError(f"must be {str(self.value).lower()}, found {shown(value)}")
        return value


class Integer(Rule):
    """An integer from `least` to `most`."""

    def __init__(self, least: int = 0, most: int = LARGEST_INTEGER) -> None:
        self.least = least
        self.most = most

    def read(self, value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, int):
            raise RuleError(f"must be an integer, found {shown(value)}")
        if not self.least <= value <= self.most:
            raise RuleError(f"must be from {self.least} to {self.most}, found {value}")
        return value
