"""Capture one page: judged, fetched in its turn, read, and kept only as far as its rights allow."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urlsplit

from providers.base import Clock, Outgoing
from providers.web.capture.ending import RejectedError
from providers.web.capture.fetch import Fetcher
from providers.web.capture.fetched import Fetched
from providers.web.capture.policy import FetchPolicy
from providers.web.capture.politeness import NotNowError, Politeness
from providers.web.exclusions import Exclusions
from providers.web.extraction.page import DEFAULT, NO_TEXT, Limits, Page, extract
from providers.web.extraction.rights import Rule, retained, retention
from providers.web.minimise import Policy
from providers.web.minimise_address import check_address
from providers.web.screening import unspoken
from schemas.canonical import digest
from schemas.dates import instant
from schemas.text import legible
from schemas.web import CAPTURED, FAILED, METADATA_ONLY, WebCapture, WebCaptureRequest, WebClauseCandidate

ALMOST_EMPTY = "正文几乎为空，可能需要脚本 almost no text; the page may need scripts"
_FEW = 80
"""Fewer signs than this are what a page shows whose text comes by script: a name, "loading", a footer."""
EXCLUDED = "the page holds an excluded term; nothing of its text is kept"


@dataclass(frozen=True, slots=True)
class Captured:
    """A capture in EXT-20's words, how it was fetched, and the page as it was read (None without one).

    Only what stands in `capture` may be kept; `page` is for choosing what of it a reader needs.
    """

    capture: WebCapture
    fetched: Fetched
    page: Page | None = None
    withheld: bool = False
    """Whether its words are left out because they hold an excluded term."""

    @property
    def moved(self) -> tuple[int, ...]:
        """The statuses of the redirects that led from the address that was asked to the page; often none."""
        return tuple(hop.status for hop in self.fetched.hops[:-1]) if self.capture.state == CAPTURED else ()


def judge(exclusions: Exclusions, detectors: Policy = "refuse") -> Callable[[str], str | None]:
    """Why a URL may not be asked for, by the rules of a query."""

    def refused(url: str) -> str | None:
        verdict = check_address(url, exclusions, detectors)
        return None if verdict.state == "ok" else verdict.reason

    return refused


class Capturer:
    """Captures pages under one policy; `detectors` says what a number or key in a URL leads to."""

    def __init__(
        self,
        policy: FetchPolicy,
        clock: Clock,
        politeness: Politeness,
        exclusions: Exclusions,
        *,
        detectors: Policy = "refuse",
        rules: Sequence[Rule] = (),
        limits: Limits = DEFAULT,
    ) -> None:
        self._clock = clock
        self._politeness = politeness
        self._exclusions = exclusions
        self._judge = judge(exclusions, detectors)
        self._rules = tuple(rules)
        self._limits = limits
        self._fetcher = Fetcher(policy, clock, self._judge)

    def refusal(self, url: str) -> str | None:
        """Why `url` would be rejected before anything is looked up; None when it would be asked for."""
        return self._judge(url)

    def rejection(self, url: str) -> str | None:
        """Why capturing `url` would send nothing at all, as far as that is known before; else None."""
        try:
            self._fetcher.prepared(url)
        except RejectedError as error:
            return str(error)
        return None

    def outgoing(self, url: str) -> list[Outgoing]:
        """Byte for byte what capturing `url` would send before any redirect; nothing where it is rejected."""
        try:
            prepared = self._fetcher.prepared(url)
        except RejectedError:
            return []
        return [Outgoing(place, message.decode("ascii")) for place, message in prepared]

    def capture(self, request: WebCaptureRequest) -> Captured:
        """What capturing the page came to; never raises for what others send."""
        fetched = self._fetched(request.url)
        if fetched.state != "captured":
            return Captured(self._uncaptured(fetched), fetched)
        page = extract(fetched.body, fetched.content_type, limits=self._limits)
        parts = urlsplit(fetched.final_url)
        kept = retention(parts.hostname or "", page.kind, self._rules, path=parts.path or "/")
        withheld = bool(self._exclusions) and self._exclusions.found_folded(_words(page))
        kept = METADATA_ONLY if withheld or page.problem else kept
        text, candidates = retained(page, kept)
        capture = WebCapture(
            capture_id=_identity(fetched),
            final_url=fetched.final_url,
            fetched_at=fetched.fetched_at,
            content_type=unspoken(fetched.content_type, self._exclusions),
            byte_size=fetched.byte_size,
            sha256=fetched.sha256,
            retention=kept,
            text=text,
            candidates=candidates,
            state=fetched.state,
            reason=EXCLUDED if withheld else (page.problem, ALMOST_EMPTY)[almost_empty(page, fetched.body)],
        )
        return Captured(capture, fetched, page, withheld)

    def _fetched(self, url: str) -> Fetched:
        host = _host(url)
        try:
            with self._politeness.turn(host):
                fetched = self._fetcher.fetch(url)
        except NotNowError as error:
            now = instant(self._clock())
            return Fetched(state=FAILED, reason=str(error), requested_url=url, fetched_at=now)
        self._politeness.heard(host, fetched.retry_after, self._clock())
        return fetched

    def _uncaptured(self, fetched: Fetched) -> WebCapture:
        return WebCapture(
            final_url=fetched.final_url,
            fetched_at=fetched.fetched_at,
            content_type=unspoken(fetched.content_type, self._exclusions),
            state=fetched.state,
            reason=unspoken(legible(fetched.reason, 1024), self._exclusions),
        )


def almost_empty(page: Page, body: bytes) -> bool:
    """Whether an HTML page shows nothing but its title, or next to nothing beside its scripts."""
    if page.kind != "html" or page.candidates or page.problem not in ("", NO_TEXT):
        return False
    start = len(page.title) if page.text.startswith(page.title) else 0
    # No copy of a large text only to see that it is one.
    shown = islice((sign for sign in islice(page.text, start, None) if not sign.isspace()), _FEW)
    count = sum(1 for _ in shown)
    return not count or (count < _FEW and b"<script" in body.lower())


def _words(page: Page) -> str:
    """Everything in a page that somebody else chose the words of."""
    stated = (page.title, page.publisher, page.publication_date_from, page.charset, *page.charset_steps)
    return "\n".join((*stated, *page.notes, page.problem, page.text))


def cited(candidate: WebClauseCandidate) -> str:
    """The clause and where it stands, as a reader cites it."""
    place = f"第 {candidate.start}–{candidate.end} 字"
    return f"{candidate.clause_no}，{place}" if candidate.clause_no else place


def _identity(fetched: Fetched) -> str:
    """The content address of a capture: what was asked for, where it ended, when, and what came."""
    return digest(
        {
            "fetchedAt": fetched.fetched_at,
            "finalUrl": fetched.final_url,
            "requestedUrl": fetched.requested_url,
            "sha256": fetched.sha256,
        }
    )


def _host(url: str) -> str:
    """The host for whose sake we wait; blank for what the fetcher will reject."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
