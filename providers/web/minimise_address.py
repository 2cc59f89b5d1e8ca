"""Whether a URL may be asked for: the rules of a query, on the URL as written and as a server reads it."""

import re
from collections.abc import Iterator
from hashlib import sha256
from urllib.parse import unquote_to_bytes

from providers.web.characters import refused
from providers.web.detectors import detect_in_address
from providers.web.exclusions import Exclusions, trim
from providers.web.minimise import Policy, Verdict, out_of_bounds, refusal

LONGEST = 8192
EXCLUDED = "url contains an excluded term"
EXCLUDED_FOLDED = "url contains an excluded term after folding"
_DECODINGS = 3
_USER = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*@")
_UNITS = re.compile("%u([0-9A-Fa-f]{4})")
_PUNYCODE = re.compile(r"(?<![A-Za-z0-9-])xn--([a-z0-9-]{1,59})", re.IGNORECASE)


def check_address(url: str, exclusions: Exclusions, policy: Policy = "refuse") -> Verdict:
    """The rules of `check_query` for a URL that is to be captured; `sent_query` is the trimmed URL.

    Its length is bounded at 8192 code points, operators mean nothing in it, and where its host may
    lie is the fetcher's rule. The place of a finding is that in the URL with its escapes decoded.
    """
    trimmed = trim(url)
    digest = sha256(trimmed.encode("utf-8", "surrogatepass")).hexdigest()
    problem = out_of_bounds(trimmed, LONGEST, "url")
    if problem is not None:
        return Verdict("invalid", digest, problem)
    decoded = list(dict.fromkeys(_decoded(trimmed)))
    readings = list(dict.fromkeys([*decoded, _host_read(trimmed), *_otherwise(decoded)]))
    if any(exclusions.found_in(reading) for reading in readings):
        return Verdict("rejected", digest, EXCLUDED)
    if any(exclusions.found_folded(reading) for reading in readings):
        return Verdict("rejected", digest, EXCLUDED_FOLDED)
    problem = next((problem for reading in decoded if (problem := refused(reading))), None)
    if problem is None and _USER.match(trimmed):
        problem = "names a user"  # and a password perhaps; it is no e-mail address
    if problem is not None:
        return Verdict("rejected", digest, f"url {problem}")
    found = next((found for reading in reversed(decoded) if (found := detect_in_address(reading))), [])
    if found and policy == "refuse":
        return refusal(digest, "url", "what should not leave", found)
    return Verdict("ok", digest, sent_query=trimmed, findings=tuple(found))


def _decoded(url: str) -> Iterator[str]:
    """`url` as written and with its escapes decoded as UTF-8, again where escapes were escaped."""
    yield url
    for _ in range(_DECODINGS):
        if "%" not in url:
            return
        url = unquote_to_bytes(url).decode("utf-8", "replace")
        yield url


def _otherwise(readings: list[str]) -> Iterator[str]:
    """What a server reads that takes escapes for GBK or Big5, or knows %u84DD, as older Chinese ones do."""
    for reading in readings:
        if "%" in reading:
            octets = unquote_to_bytes(reading)
            yield octets.decode("gb18030", "replace")
            yield octets.decode("big5hkscs", "replace")
            yield _UNITS.sub(lambda found: chr(int(found[1], 16)), reading)


def _host_read(url: str) -> str:
    """`url` with the labels that are punycode as people read them."""
    return _PUNYCODE.sub(_label_read, url)


def _label_read(label: re.Match[str]) -> str:
    try:
        return label[1].encode("ascii").decode("punycode")
    except UnicodeError:
        return label[0]
