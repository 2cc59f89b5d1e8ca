"""Keep excluded terms out of what is shown and kept, whoever wrote them: a service, a server, a page."""

from dataclasses import replace

from providers.web.exclusions import Exclusions
from providers.web.minimise_address import EXCLUDED, EXCLUDED_FOLDED, check_address
from schemas.web import WebSearchHit, WebSearchResult

NOT_SHOWN = "[not shown: it holds an excluded term]"


def holds(text: str, exclusions: Exclusions) -> bool:
    """Whether `text` holds an excluded term, also one in the escapes of an address."""
    if exclusions.found_folded(text):
        return True
    escaped = "%" in text or "xn--" in text.lower()
    return escaped and check_address(text, exclusions, "warn").reason in (EXCLUDED, EXCLUDED_FOLDED)


def unspoken(text: str, exclusions: Exclusions) -> str:
    """`text`, or words in its place when it holds an excluded term."""
    return NOT_SHOWN if holds(text, exclusions) else text


def screened(result: WebSearchResult, exclusions: Exclusions) -> WebSearchResult:
    """`result` without the hits that hold an excluded term in any field; how many is told in its reason."""
    shown = tuple(hit for hit in result.results if not any(holds(word, exclusions) for word in _words(hit)))
    reasons = [unspoken(result.reason, exclusions)] if result.reason else []
    if hidden := len(result.results) - len(shown):
        reasons.append(f"hits that hold an excluded term and are not shown: {hidden}")
    return replace(
        result,
        sent_query=unspoken(result.sent_query, exclusions),
        reason="; ".join(reasons),
        results=shown,
    )


def _words(hit: WebSearchHit) -> tuple[str, ...]:
    return hit.url, hit.title, hit.snippet, hit.publisher
