"""What of a captured page may be kept: a rule a host, and excerpts where no rule says otherwise."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final, Literal, cast

from providers.web.extraction.page import Page
from schemas.errors import InvalidError
from schemas.text import shown
from schemas.web import EXCERPT, FULL, METADATA_ONLY, WebClauseCandidate

Retention = Literal["full", "excerpt", "metadata_only"]

MOST_KEPT: Final = 200
_RETENTIONS: Final = (METADATA_ONLY, EXCERPT, FULL)  # the strictest first
_FIELDS: Final = frozenset(("domain", "path", "retention", "reason"))


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: for `domain` and what is below it, where the path starts with `path`."""

    domain: str
    retention: Retention
    reason: str
    path: str = ""

    def covers(self, host: str, path: str) -> bool:
        """Whether the rule speaks of this host and path; labels are compared whole, never substrings."""
        return (host == self.domain or host.endswith(f".{self.domain}")) and path.startswith(self.path)


@cache
def built_in() -> tuple[Rule, ...]:
    """The rules of rights.toml beside this file."""
    return read((resources.files(__package__) / "rights.toml").read_bytes(), "rights.toml")


def read(content: bytes, what: str) -> tuple[Rule, ...]:
    """The rules of a TOML file as rights.toml describes it. Raises InvalidError, which names the rule."""
    try:
        table = tomllib.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidError(f"{what} is not TOML: {error}", subject=what) from error
    rows = table.pop("rule", [])
    if table or not isinstance(rows, list):
        raise InvalidError(f"{what} holds nothing but [[rule]] tables", subject=what)
    return tuple(rule(row, f"{what}: rule {number}") for number, row in enumerate(rows, 1))


def rule(row: object, what: str) -> Rule:
    """The rule that one table of a TOML file writes. Raises InvalidError, which names it by `what`."""
    if not isinstance(row, Mapping) or not all(isinstance(value, str) for value in row.values()):
        raise InvalidError(f"{what} is not a table of strings", subject=what)
    if unknown := set(row) - _FIELDS:
        raise InvalidError(f"{what} has an unknown key {shown(min(unknown))}", subject=what)
    domain, retention = _host(row.get("domain", "")), row.get("retention", "")
    if not domain or domain.startswith("*"):
        raise InvalidError(f"{what} needs a domain, without a wildcard", subject=what)
    if retention not in _RETENTIONS:
        raise InvalidError(f"{what} needs a retention, one of {', '.join(_RETENTIONS)}", subject=what)
    return Rule(domain, cast(Retention, retention), row.get("reason", ""), row.get("path", ""))


def retention(url_host: str, kind: str, rules: Sequence[Rule] = (), *, path: str = "/") -> Retention:
    """What may be kept of a page: by `rules`, else by the built-in ones, else excerpts.

    `kind` is that of the Page; what is no text has nothing to keep but its metadata.
    """
    if kind == "other":
        return METADATA_ONLY
    host = _host(url_host)
    for known in (rules, built_in()):
        fitting = [rule for rule in known if rule.covers(host, path)]
        if fitting:
            return max(fitting, key=_weight).retention
    return EXCERPT


def _weight(rule: Rule) -> tuple[int, int, int]:
    return len(rule.domain), len(rule.path), -_RETENTIONS.index(rule.retention)


def _host(name: str) -> str:
    return name.strip().rstrip(".").removeprefix(".").lower()


def retained(page: Page, kept: Retention) -> tuple[str, tuple[WebClauseCandidate, ...]]:
    """The text and the candidates that `kept` leaves of `page`; offsets go on referring to its whole text."""
    if kept == FULL:
        return page.text, page.candidates
    if kept == EXCERPT:
        return "", tuple(map(_cut, page.candidates))
    return "", ()


def _cut(candidate: WebClauseCandidate) -> WebClauseCandidate:
    excerpt = candidate.excerpt[:MOST_KEPT]
    return WebClauseCandidate(
        clause_no=candidate.clause_no,
        excerpt=excerpt,
        start=candidate.start,
        end=candidate.start + len(excerpt),
    )
