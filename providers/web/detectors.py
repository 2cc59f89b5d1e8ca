"""Everything that looks as if it should not leave, by kind and place.

Kinds: resident_id, social_credit_code, bank_card, mobile_number, email, internal_host,
private_address, api_key. A detector is a guard against accidents, not against somebody who wants a
number to pass: words for digits, other groupings and encodings are not seen.
"""

from collections.abc import Iterable

from providers.web.addresses import emails, inner_names
from providers.web.findings import Finding
from providers.web.keys import disorder, keys
from providers.web.narrowing import narrow
from providers.web.numbers import numbers


def detect(text: str) -> list[Finding]:
    """What a query should not hold, by place; where two findings overlap, the first of the kinds above."""
    seen = narrow(text)
    uncited = seen.without_citations()
    found = (*numbers(uncited), *emails(seen), *inner_names(seen, uncited), *keys(seen), *disorder(seen))
    return _apart(found)


def detect_in_address(text: str) -> list[Finding]:
    """The same for a URL: its host is judged by whoever opens it, and public pages have random names."""
    seen = narrow(text)
    return _apart((*numbers(seen.without_citations()), *emails(seen), *keys(seen)))


def _apart(found: Iterable[Finding]) -> list[Finding]:
    apart: list[Finding] = []
    for finding in found:
        if all(finding.end <= other.start or other.end <= finding.start for other in apart):
            apart.append(finding)
    return sorted(apart, key=lambda finding: finding.start)
