"""What a user sets about the web: the search service, how pages are captured, and who is official.

A file of settings is TOML and holds no key: keys come from the environment or a command (`credentials`).
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any, Literal, cast

from providers.web.capture.connecting import tls
from providers.web.capture.policy import FetchPolicy
from providers.web.extraction.rights import Rule, rule
from providers.web.minimise import Policy
from providers.web.search.adapter import Adapter, Options
from providers.web.search.official import OfficialDomains
from providers.web.search.service import address_of
from providers.web.search.services import SERVICES, USUAL
from schemas.errors import InvalidError, UsageError
from schemas.text import shown

MOST_CAPTURES = 8
MOST_AT_ONCE = 16
LONGEST_PAUSE = 600
_SEARCH = ("service", "url", "engines", "categories", "language", "keyless", "hits", "prefer_official")
_CAPTURE = tuple(spec.name for spec in fields(FetchPolicy))
_POLITE = ("spacing", "at_once", "patience")
_KEYS: Mapping[str, tuple[str, ...]] = {
    "": ("detectors", "official_domains", "search", "capture", "rule"),
    "search": _SEARCH,
    "capture": ("pages", *_CAPTURE, *_POLITE),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One way to search and capture. Raises UsageError for a value out of bounds."""

    service: str = USUAL
    url: str = ""
    options: Options = field(default_factory=Options)
    hits: int = 10
    """How many hits of a search are looked at."""
    prefer_official: bool = True
    captures: int = 3
    """How many hits of one query are captured, official ones first."""
    detectors: Policy = "refuse"
    official_domains: tuple[str, ...] = ()
    policy: FetchPolicy = field(default_factory=FetchPolicy)
    spacing: float = 1.0
    """Seconds between two requests to one host."""
    at_once: int = 4
    patience: float = 30.0
    """The longest pause, in seconds, that is made for a host which asks for one."""
    rules: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        if self.service not in SERVICES:
            known = ", ".join(SERVICES)
            raise UsageError(
                f"service must be one of {known}, found {shown(self.service)}", subject="service"
            )
        _within("hits", self.hits, 1, 50)
        _within("pages", self.captures, 0, MOST_CAPTURES)
        _within("at_once", self.at_once, 1, MOST_AT_ONCE)
        _within("spacing", self.spacing, 0, LONGEST_PAUSE)
        _within("patience", self.patience, 0, LONGEST_PAUSE)
        if self.detectors not in ("refuse", "warn"):
            raise UsageError(
                f"detectors must be refuse or warn, found {shown(self.detectors)}", subject="detectors"
            )

    @property
    def adapter(self) -> Adapter:
        """The adapter of the service."""
        return SERVICES[self.service]

    @property
    def configured(self) -> bool:
        """Whether it is known where to search: SearXNG is self-hosted and has no usual address."""
        return bool(self.url) or self.service != USUAL

    def usable(self) -> None:
        """Look now at what is else only looked at when it is used. Raises UsageError."""
        if self.policy.ca_file is not None:
            tls(self.policy.ca_file)
        if self.configured:
            address_of(self.adapter, self.url, self.options)

    def with_policy(self, **changes: Any) -> "Settings":
        """These settings with another value of the fetch policy where one is given."""
        given = {name: value for name, value in changes.items() if value is not None and value != ()}
        return replace(self, policy=replace(self.policy, **given)) if given else self


def read(content: bytes, what: str) -> Settings:
    """The settings of a TOML file; docs/web.md describes it.

    Raises InvalidError, which names the file, the table and the key as they are written there.
    """
    try:
        table = tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # of a number too long, or of tables too deep
        raise InvalidError(f"{what} is not TOML: {error}", subject=what) from error
    _known(table, "", what)
    search, capture = (_table(table, name, what) for name in ("search", "capture"))
    rows = table.get("rule", [])
    if not isinstance(rows, list):
        raise InvalidError(f"{what}: rule must be [[rule]] tables", subject="rule")
    try:
        found = Settings(
            **_search(search, f"{what}: [search]"),
            **_capture(capture, f"{what}: [capture]"),
            detectors=cast(Policy, _typed(table.get("detectors", "refuse"), "text", f"{what}: detectors")),
            official_domains=_texts(table.get("official_domains", []), f"{what}: official_domains"),
            rules=tuple(rule(row, f"{what}: [[rule]] {number}") for number, row in enumerate(rows, 1)),
        )
        found.usable()
        _official(found.official_domains, what)
    except UsageError as error:  # a value out of bounds is an option's fault elsewhere, the file's here
        raise InvalidError(f"{what}: {_placed(error)}", subject=what) from error
    return found


def _official(domains: tuple[str, ...], what: str) -> None:
    try:
        OfficialDomains.standard(domains)
    except InvalidError as error:
        raise InvalidError(f"{what}: official_domains: {error.message}", subject=what) from error


def _search(given: Mapping[str, Any], what: str) -> dict[str, Any]:
    _known(given, "search", what)
    options = Options(
        engines=_texts(given.get("engines", []), f"{what} engines"),
        categories=_texts(given.get("categories", []), f"{what} categories"),
        language=_typed(given.get("language", ""), "text", f"{what} language"),
        keyless=_typed(given.get("keyless", False), "true or false", f"{what} keyless"),
    )
    kinds = {"service": "text", "url": "text", "hits": "whole number", "prefer_official": "true or false"}
    plain = {
        name: _typed(given[name], kind, f"{what} {name}") for name, kind in kinds.items() if name in given
    }
    return {"options": options, **plain}


def _capture(given: Mapping[str, Any], what: str) -> dict[str, Any]:
    _known(given, "capture", what)
    made: dict[str, Any] = {}
    if "pages" in given:
        made["captures"] = _typed(given["pages"], "whole number", f"{what} pages")
    for name in _POLITE:
        if name in given:
            kind: Kind = "whole number" if name == "at_once" else "number"
            made[name] = _typed(given[name], kind, f"{what} {name}")
    policy: dict[str, Any] = {}
    for name in _CAPTURE:
        if name in given:
            policy[name] = _policy_value(name, given[name], f"{what} {name}")
    return {**made, "policy": FetchPolicy(**policy)}


def _policy_value(name: str, value: object, what: str) -> object:
    if name == "allow_networks":
        return _texts(value, what)
    if name == "allow_ports":
        if not isinstance(value, list):
            raise InvalidError(f"{what} must be a list of ports, found {shown(value)}", subject=what)
        return tuple(value)
    kinds: dict[str, Kind] = {"robots": "true or false", "seconds": "number"}
    texts = ("ca_file", "proxy", "user_agent")
    return _typed(value, kinds.get(name, "text" if name in texts else "whole number"), what)


Kind = Literal["text", "whole number", "number", "true or false"]
_KINDS: Mapping[str, Callable[[object], bool]] = {
    "text": lambda value: isinstance(value, str),
    "whole number": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "true or false": lambda value: isinstance(value, bool),
}


def _typed(value: object, kind: str, what: str) -> Any:
    if not _KINDS[kind](value):
        raise InvalidError(f"{what} must be a {kind}, found {shown(value)}", subject=what)
    return value


def _texts(value: object, what: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InvalidError(f"{what} must be a list of texts, found {shown(value)}", subject=what)
    return tuple(value)


def _table(table: dict[str, Any], name: str, what: str) -> Mapping[str, Any]:
    found = table.get(name, {})
    if not isinstance(found, dict):
        raise InvalidError(f"{what}: [{name}] must be a table", subject=name)
    return found


def _known(given: Mapping[str, Any], table: str, what: str) -> None:
    for name in given:
        if name not in _KEYS[table]:
            hint = _hint(name, table)
            raise InvalidError(f"{what} has an unknown key {shown(name)}", subject=what, hint=hint)


def _hint(name: str, table: str) -> str:
    """Where a key that is not one of this table's belongs, or which one is meant."""
    if table and name in _KEYS[""]:
        return "此键应写在所有 [表] 之前 this key stands before every [table]"
    for other, names in _KEYS.items():
        if other and name in names:
            return f"此键属于 [{other}] this key belongs to [{other}]"
    for near in get_close_matches(name, _KEYS[table], 1):
        return f"是否想写 {near}？ did you mean {near}?"
    return f"可用的键 known keys: {', '.join(_KEYS[table])}"


def _placed(error: UsageError) -> str:
    """What is wrong, with the key as it is written in the file."""
    name = error.subject or ""
    if name.startswith("the address of "):
        return f"[search] url: {error.message}"
    table = next((table for table, names in _KEYS.items() if name in names), "search")
    return f"[{table}] {error.message}" if table else error.message


def _within(name: str, value: float, least: int, most: int) -> None:
    if not least <= value <= most:
        raise UsageError(f"{name} must be from {least} to {most}, found {value}", subject=name)
