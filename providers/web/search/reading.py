"""The hits of an answer: ranked as received, each with an absolute URL, nothing invented."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from providers.web.search.adapter import Adapter, at, text_at
from providers.web.search.official import OfficialDomains
from providers.web.search.publication import publication_date
from schemas.text import legible
from schemas.web import WebSearchHit

LONGEST_URL = 8192
LONGEST_TITLE = 512
LONGEST_SNIPPET = 4096


@dataclass(frozen=True)
class Reading:
    """The hits of one answer, their publication dates beside them, and how many were dropped."""

    hits: tuple[WebSearchHit, ...] = ()
    dates: tuple[str, ...] = ()
    dropped: int = 0


def read(adapter: Adapter, told: object, official: OfficialDomains) -> Reading | None:
    """What the list of hits holds; None when the answer has no such list where it must have one."""
    listed = at(told, adapter.hits)
    if listed is None and adapter.may_be_absent and at(told, adapter.may_be_absent) is None:
        return Reading()
    if not isinstance(listed, list):
        return None
    hits, dates = [], []
    for rank, told_hit in enumerate(listed, 1):
        url = text_at(told_hit, *adapter.fields.url)
        if not is_absolute(url):
            continue
        hits.append(
            WebSearchHit(
                rank=rank,
                url=url,
                title=legible(text_at(told_hit, *adapter.fields.title), LONGEST_TITLE),
                snippet=legible(text_at(told_hit, *adapter.fields.snippet), LONGEST_SNIPPET),
                publisher=legible(text_at(told_hit, *adapter.fields.publisher), LONGEST_TITLE),
                official=official.holds(url),
            )
        )
        dates.append(publication_date(text_at(told_hit, *adapter.fields.date)))
    return Reading(tuple(hits), tuple(dates), len(listed) - len(hits))


def is_absolute(url: str) -> bool:
    """Whether `url` is an http or https URL with a host that everybody reads in the same way."""
    # White space, what cannot be seen, and the backslash, which browsers take for a slash.
    if len(url) > LONGEST_URL or not url.isprintable() or " " in url or "\\" in url:
        return False
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and port != 0
