"""Put the parts of the web together from a user's settings."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from providers.base import Clock
from providers.web.capture.politeness import Politeness
from providers.web.capturing import Capturer
from providers.web.connector import USUAL_SECONDS, WebSearch, reading_seconds
from providers.web.exclusions import Exclusions
from providers.web.extraction.page import DEFAULT, Limits
from providers.web.search.credentials import from_environment, no_key
from providers.web.search.official import OfficialDomains
from providers.web.search.service import SEARCH_SECONDS, SearchService
from providers.web.settings import Settings
from schemas.errors import UsageError


def search_service(
    settings: Settings, clock: Clock, environment: Mapping[str, str], seconds: float = SEARCH_SECONDS
) -> SearchService:
    """The search service of the settings, given `seconds` for an answer; its key comes from `environment`.

    Raises UsageError where no address is known.
    """
    if not settings.configured:
        raise UsageError(
            "no search service is set",
            subject="service",
            hint="give the address of a SearXNG with --search-url, or a file of settings with --web",
        )
    keyed = settings.adapter.key_header is not None and not settings.options.keyless
    return SearchService(
        settings.adapter,
        clock,
        base_url=settings.url,
        key=from_environment(settings.service, environment) if keyed else no_key,
        options=settings.options,
        official=OfficialDomains.standard(settings.official_domains),
        seconds=seconds,
    )


def capturer(
    settings: Settings,
    clock: Clock,
    exclusions: Exclusions,
    wait: Callable[[float], None],
    limits: Limits = DEFAULT,
) -> Capturer:
    """The capturer of the settings; `wait` is called with the seconds that politeness costs."""
    politeness = Politeness(
        wait, spacing=settings.spacing, at_once=settings.at_once, patience=settings.patience
    )
    return Capturer(
        settings.policy,
        clock,
        politeness,
        exclusions,
        detectors=settings.detectors,
        rules=settings.rules,
        limits=limits,
    )


def connector(
    settings: Settings,
    clock: Clock,
    exclusions: Exclusions,
    environment: Mapping[str, str],
    wait: Callable[[float], None],
    seconds: float = USUAL_SECONDS,
) -> WebSearch:
    """`connector:web-search` as the settings describe it, for a caller who waits `seconds` for a run.

    One search, page, pause or reading of a PDF gets at most a quarter of them.
    """
    most = seconds / 4
    settings = replace(
        settings.with_policy(seconds=min(settings.policy.seconds, most)),
        patience=min(settings.patience, most),
    )
    service = search_service(settings, clock, environment, min(SEARCH_SECONDS, most))
    reading = replace(DEFAULT.for_pdf, seconds=reading_seconds(seconds))
    pages = capturer(settings, clock, exclusions, wait, replace(DEFAULT, for_pdf=reading))
    official = OfficialDomains.standard(settings.official_domains)
    return WebSearch(service, pages, clock, settings, exclusions, official, seconds)
