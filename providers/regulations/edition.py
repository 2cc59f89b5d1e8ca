"""What is known of an edition besides its text: dates, numbers, rights (regulations.md section 8)."""

import re
from dataclasses import dataclass, field, fields
from datetime import date
from typing import Any, Final, Literal, Self, cast, get_args

from providers.regulations import doc_no
from schemas.errors import InvalidError
from schemas.text import refused_character, shown

Disclosure = Literal["full", "excerpt", "metadata_only", "withheld"]
DISCLOSURES: Final[tuple[str, ...]] = get_args(Disclosure)

_SLUG: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_EDITION_KEY: Final = re.compile(r"[0-9]{4}(?:-[0-9]{1,4}|-[0-9]{2}-[0-9]{2}(?:\.[0-9]{1,2})?)?")
_LONGEST_ID: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """The metadata of one edition; dates are ISO text or None where they are not known.

    `claimed_status` is the source's word on `status_as_of` and decides nothing but how an edition
    ended. `uncertain` names the fields whose source doubts them; `accept` the problems that a reviewer
    took, by name; `commencements` the nodes that come into force on a day of their own.
    """

    regulation_id: str
    key: str
    title: str
    disclosure: Disclosure
    kind: str = ""
    label: str = ""
    doc_no: str = ""
    promulgated_on: str | None = None
    effective_from: str | None = None
    effective_to: str | None = None
    claimed_status: str = ""
    status_as_of: str = ""
    source: str = ""
    source_licence: str = ""
    rights: str = ""
    withheld_reason: str = ""
    note: str = ""
    accept: tuple[str, ...] = ()
    uncertain: tuple[str, ...] = ()
    relations: tuple[tuple[str, str], ...] = ()
    commencements: tuple[tuple[str, str], ...] = field(default=())

    def __post_init__(self) -> None:
        if not _SLUG.fullmatch(self.regulation_id) or len(self.regulation_id) > _LONGEST_ID:
            raise _invalid(
                "regulation_id", self.regulation_id, "应由 a–z、0–9 和 - 组成 is no slug of a-z, 0-9 and -"
            )
        if not _EDITION_KEY.fullmatch(self.key):
            raise _invalid(
                "edition_id", self.key, "不是版本日期 is no edition key (YYYY-MM-DD, YYYY or YYYY-N)"
            )
        if self.disclosure not in DISCLOSURES:
            raise _invalid("disclosure", self.disclosure, f"不是披露级别 is none of {', '.join(DISCLOSURES)}")
        if not self.title.strip():
            raise _invalid("title", self.title, "为空 is blank")
        for name in ("promulgated_on", "effective_from", "effective_to"):
            _check_date(name, getattr(self, name))
        for _, day in self.commencements:
            _check_date("commencements", day)
        for spec in fields(self):
            _check_text(spec.name, getattr(self, spec.name))

    @property
    def edition_id(self) -> str:
        """`regulationId@key`."""
        return f"{self.regulation_id}@{self.key}"

    @property
    def doc_no_key(self) -> str:
        """The folded document number, empty when there is none."""
        return doc_no.fold(self.doc_no) if self.doc_no else ""

    def to_wire(self) -> dict[str, object]:
        """The metadata as the manifest holds it; what is empty is left out."""
        wire: dict[str, object] = {}
        for spec in fields(self):
            value = getattr(self, spec.name)
            if value:
                wire[spec.name] = [_plain(one) for one in value] if isinstance(value, tuple) else value
        if self.doc_no:
            wire["doc_no_key"] = self.doc_no_key
        return wire

    @classmethod
    def from_wire(cls, wire: dict[str, Any]) -> Self:
        """The edition of a manifest's metadata."""
        given = {name: value for name, value in wire.items() if name != "doc_no_key"}
        for name in ("accept", "uncertain"):
            given[name] = tuple(given.get(name, ()))
        for name in ("relations", "commencements"):
            given[name] = tuple(cast(tuple[str, str], tuple(pair)) for pair in given.get(name, ()))
        return cls(**given)


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def is_key(text: str) -> bool:
    """Whether a key in the form of a day names one: 2024-99-99 does not."""
    day = text.partition(".")[0]
    return len(day) < len("2000-01-01") or is_date(day)


def is_date(text: str) -> bool:
    """Whether `text` is a day as YYYY-MM-DD."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _check_date(name: str, value: str | None) -> None:
    if value is not None and not is_date(value):
        raise _invalid(name, value, "不是日期 is no date YYYY-MM-DD")


def _check_text(name: str, value: object) -> None:
    if isinstance(value, tuple):
        for one in value:  # a name, or a pair of a name and what is said of it
            _check_text(name, one)
    elif isinstance(value, str):
        problem = refused_character(value)
        if problem is not None:
            raise InvalidError(f"{name} {problem}", subject=name)


def _invalid(name: str, value: object, why: str) -> InvalidError:
    return InvalidError(f"{name} {shown(value)} {why}", subject=name)
