"""E-mail addresses, and names and addresses of machines that only an inner network knows."""

import ipaddress
import re
from collections.abc import Iterator

from providers.web.findings import Finding
from providers.web.narrowing import GAP, Narrow

_AT = r"(?:@| ?[\[(] ?at ?[\])] ?)"
_DOT = r"(?:\.| ?[\[(] ?dot ?[\])] ?)"
_SEPARATED = re.compile(_AT, re.IGNORECASE)
_EMAIL = re.compile(rf"[\w.+%-]{{1,64}}{_AT}\w[\w-]{{0,62}}(?:{_DOT}(\w[\w-]{{0,62}})){{1,8}}", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*+")
_SIX = re.compile(r"(?<![0-9A-Za-z:.])[0-9A-Fa-f:]{3,39}(?:\.[0-9]+)*+(?![0-9A-Za-z:])")
_SHARE = re.compile(r"\\\\[\w.$-]+\\[\w.$-]+")
_SINGLE = re.compile(r"(?<=://)[A-Za-z0-9_-]+(?=[:/?#]|$|\s)")

# Ends that no public name has (RFC 6762, 8375 and custom), and labels that say inner wherever they stand.
_INNER_ENDS = frozenset(
    ("corp", "home", "internal", "intra", "intranet", "lan", "local", "localdomain", "localhost", "private")
)
_INNER_LABELS = frozenset(("corp", "inner", "internal", "intra", "intranet", "lan"))
_PRIVATE = tuple(
    ipaddress.ip_network(block)
    for block in (
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "::1/128",
        "fc00::/7",
        "fe80::/10",
    )
)
# 10.1.2.3 may be a clause: beside such a word, or right after the code of a standard.
_CLAUSE_BEFORE = re.compile(rf"(?:第|条|款|§|{GAP}|clause|section|annex) ?$", re.IGNORECASE)
_CLAUSE_AFTER = re.compile(r" ?[条款节章项]")
_LOOK_BACK = 10


def emails(narrowed: Narrow) -> Iterator[Finding]:
    """E-mail addresses, also with (at) and (dot)."""
    if not _SEPARATED.search(narrowed.text):
        return
    for found in _EMAIL.finditer(narrowed.text):
        if not found[1].isdigit():  # φ8@150.5 is reinforcement
            yield Finding("email", *narrowed.place(found.start(), found.end()))


def inner_names(narrowed: Narrow, uncited: Narrow) -> Iterator[Finding]:
    """Host names and addresses of inner networks, shares, and URLs whose host is one bare label.

    `uncited` is the same text without citations: a clause follows the code of its standard.
    """
    for found in (*_SHARE.finditer(narrowed.text), *_SINGLE.finditer(narrowed.text)):
        yield Finding("internal_host", *narrowed.place(found.start(), found.end()))
    seen = uncited.text
    for found in _NAME.finditer(seen):
        labels = found[0].lower().split(".")
        kind = _judge(labels)
        if kind == "private_address" and _clause(seen, found):
            continue
        if kind is not None:
            yield Finding(kind, *narrowed.place(found.start(), found.end()))
    for found in _SIX.finditer(seen):
        if found[0].count(":") > 1 and _private(found[0]):
            yield Finding("private_address", *narrowed.place(found.start(), found.end()))


def _judge(labels: list[str]) -> str | None:
    if len(labels) == 1:
        return "internal_host" if labels[0] in ("localhost", "localdomain") else None
    if len(labels) == 4 and all(label.isdigit() for label in labels):
        return "private_address" if _private(".".join(labels)) else None
    if labels[-1] in _INNER_ENDS or labels[-2:] == ["home", "arpa"]:
        return "internal_host"
    return "internal_host" if labels[-1].isalpha() and _INNER_LABELS.intersection(labels[:-1]) else None


def _private(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return any(mapped in block for block in _PRIVATE)


def _clause(text: str, found: re.Match[str]) -> bool:
    before = text[max(0, found.start() - _LOOK_BACK) : found.start()]
    return bool(_CLAUSE_BEFORE.search(before) or _CLAUSE_AFTER.match(text, found.end()))
