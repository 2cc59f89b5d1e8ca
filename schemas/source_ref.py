"""Source references: direct, non-file provenance URIs (lifecycle.md H3)."""

import re
from functools import cache

# Schemes that name a place on somebody's machine, embedded content or a browser's inside.
# fmt: off
REFUSED_SCHEMES = frozenset({
    "file", "filesystem", "localfile", "jar", "smb", "cifs", "nfs", "afp", "unix", "res", "content",
    "data", "javascript", "vbscript", "about", "blob", "view-source",
    "chrome", "chrome-extension", "moz-extension",
})
# fmt: on


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    # Not at import: before its first receipt a ledger has no reference to look at.
    blank, port = re.compile(r"[\s\ufeff\\]"), re.compile(r":([0-9]*)")
    urn = re.compile(r"urn:([A-Za-z0-9][A-Za-z0-9-]{0,31}):(.+)")
    return blank, urn, re.compile(r"([a-z][a-z0-9+.-]+)://(.+)"), port


def source_ref_complaint(text: str) -> str | None:
    """Why the trimmed `text` is no source reference, in words; None when it is one."""
    blank, urn_form, uri_form, _ = _forms()
    if blank.search(text) is not None:
        return "must not hold white space or a backslash"
    urn = urn_form.fullmatch(text)
    if urn is not None:
        return "must not name a file (urn:file)" if urn.group(1).lower() == "file" else None
    uri = uri_form.fullmatch(text)
    if uri is None:
        return "must be urn:NID:NSS or scheme://… with a lower-case scheme of two or more characters"
    scheme, rest = uri.groups()
    if scheme in REFUSED_SCHEMES or "file" in re.split(r"[+.-]", scheme):
        return f"has the scheme {scheme!r}, which is no outside provenance"
    return _web_complaint(rest) if scheme in ("http", "https") else None


def _web_complaint(rest: str) -> str | None:
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if "@" in authority:
        return "must not carry a user name or password"
    host, port = _host_and_port(authority)
    if not host:
        return "must name a host"
    match = _forms()[3].fullmatch(port)
    if port and (match is None or int(match.group(1) or 0) > 65535):
        return f"has no valid port in {authority[:80]!r}"
    return None


def _host_and_port(authority: str) -> tuple[str, str]:
    if authority.startswith("["):
        host, bracket, port = authority.partition("]")
        return (host[1:], port) if bracket else ("", "")
    host, colon, port = authority.partition(":")
    return host, colon + port
