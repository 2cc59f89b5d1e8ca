"""What may be sent as a query: EXT-20's rule to the byte, and after it rules that only ever refuse more.

Nothing is edited: besides its trimmed ends a query is sent as it was written, or not at all.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from providers.web.characters import refused
from providers.web.detectors import detect
from providers.web.exclusions import Exclusions, trim
from providers.web.findings import Finding
from providers.web.operators import operators

State = Literal["ok", "rejected", "invalid"]
Policy = Literal["refuse", "warn"]

LONGEST = 256
EXCLUDED = "query contains an excluded term"
EXCLUDED_FOLDED = "query contains an excluded term after folding"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a query may be sent; `sent_query` is what to send, and empty unless the state is ok.

    `query_sha256` is that of the trimmed query in every state, as EXT-20's audit records it.
    """

    state: State
    query_sha256: str
    reason: str = ""
    sent_query: str = ""
    findings: tuple[Finding, ...] = ()

    def to_wire(self) -> dict[str, object]:
        """EXT-20's names; what is empty is left out, as its omitempty does."""
        wire = {
            "state": self.state,
            "reason": self.reason,
            "sentQuery": self.sent_query,
            "querySha256": self.query_sha256,
            "findings": [finding.to_wire() for finding in self.findings],
        }
        return {name: value for name, value in wire.items() if value}


def ext20(query: str, exclusions: Exclusions) -> Verdict:
    """EXT-20's own rule and nothing else (EXT-20 section 4.2, host.md C)."""
    trimmed = trim(query)
    digest = sha256(trimmed.encode("utf-8", "surrogatepass")).hexdigest()
    problem = out_of_bounds(trimmed, LONGEST, "query")
    if problem is not None:
        return Verdict("invalid", digest, problem)
    if exclusions.found_in(trimmed):
        return Verdict("rejected", digest, EXCLUDED)
    return Verdict("ok", digest, sent_query=trimmed)


def without_excluded(query: str, exclusions: Exclusions) -> Verdict:
    """EXT-20's rule, then the same on folded text: what the host asks before a provider is called."""
    verdict = ext20(query, exclusions)
    if verdict.state == "ok" and exclusions.found_folded(verdict.sent_query):
        return Verdict("rejected", verdict.query_sha256, EXCLUDED_FOLDED)
    return verdict


def check_query(query: str, exclusions: Exclusions, policy: Policy = "refuse") -> Verdict:
    """Every rule, in order: EXT-20, folding, characters, operators, detectors.

    With the policy `warn` what the detectors find is told and does not refuse; the other rules stand.
    """
    verdict = without_excluded(query, exclusions)
    if verdict.state != "ok":
        return verdict
    text, digest = verdict.sent_query, verdict.query_sha256
    problem = refused(text)
    if problem is not None:
        return Verdict("rejected", digest, f"query {problem}")
    if acting := operators(text):
        return refusal(digest, "query", "search operators that a service would act on", acting)
    found = detect(text)
    if found and policy == "refuse":
        return refusal(digest, "query", "what should not leave", found)
    return Verdict("ok", digest, sent_query=text, findings=tuple(found))


def out_of_bounds(trimmed: str, most: int, what: str) -> str | None:
    """Why a trimmed text is no query or URL at all, without showing it; None when it is one."""
    if not trimmed:
        return f"{what} is empty"
    if len(trimmed) > most:
        return f"{what} is longer than {most} code points"
    # What invalid UTF-8 is to Go, a lone surrogate is to Python (host.md G.1).
    return f"{what} is not valid Unicode" if any("\ud800" <= sign <= "\udfff" for sign in trimmed) else None


def refusal(digest: str, what: str, problem: str, found: list[Finding]) -> Verdict:
    """The verdict on a text that was `found` to hold a `problem`."""
    places = ", ".join(map(str, found))
    return Verdict("rejected", digest, f"{what} holds {problem}: {places}", findings=tuple(found))
