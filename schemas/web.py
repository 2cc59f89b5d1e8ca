"""A search of the open web and a captured page, in EXT-20's words (section 3.3).

Offsets are code points, half open; sizes are bytes; times are UTC RFC 3339; hashes are lower-case hex.
"""

from dataclasses import dataclass, field
from typing import Final

from schemas.ext20 import SCHEMA_VERSION, WireObject, WireRequest, always

OK: Final = "ok"
EMPTY: Final = "empty"
UNAVAILABLE: Final = "unavailable"
RATE_LIMITED: Final = "rate_limited"
REJECTED: Final = "rejected"
ERROR: Final = "error"

CAPTURED: Final = "captured"
FAILED: Final = "failed"

FULL: Final = "full"
EXCERPT: Final = "excerpt"
METADATA_ONLY: Final = "metadata_only"


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSearchRequest(WireRequest):
    """A question to a real search service; `exclusions` must not be in it, and are never shown."""

    schema_version: int = always(default=SCHEMA_VERSION)
    query: str = always(repr=False)
    exclusions: tuple[str, ...] = field(default=(), repr=False)
    prefer_official: bool = False
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSearchHit(WireObject):
    """One result at the rank at which it was received; a snippet is no evidence."""

    rank: int = always()
    url: str = always()
    title: str = ""
    snippet: str = ""
    publisher: str = ""
    official: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSearchResult(WireObject):
    """What one search gave; `sent_query` is what the service really searched."""

    provider: str = ""
    sent_query: str = field(default="", repr=False)
    searched_at: str = always()
    state: str = always()
    reason: str = ""
    results: tuple[WebSearchHit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WebCaptureRequest(WireRequest):
    """A page to capture, and the search that found it if one did."""

    schema_version: int = always(default=SCHEMA_VERSION)
    url: str = always()
    search_provider: str = ""
    search_query: str = field(default="", repr=False)
    search_rank: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WebClauseCandidate(WireObject):
    """A passage that reads like a clause: `text[start:end] == excerpt` in the captured text."""

    clause_no: str = ""
    excerpt: str = always()
    start: int = always()
    end: int = always()


@dataclass(frozen=True, slots=True, kw_only=True)
class WebCapture(WireObject):
    """One captured page: `rejected` is our policy, `failed` their fault, `captured` a whole body, hashed."""

    capture_id: str = ""
    final_url: str = ""
    fetched_at: str = always()
    content_type: str = ""
    byte_size: int = 0
    sha256: str = ""
    retention: str = ""
    text: str = ""
    candidates: tuple[WebClauseCandidate, ...] = ()
    state: str = always()
    reason: str = ""
