"""`connector:web-search` over a loopback service that speaks SearXNG's format, and a loopback site."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

from evidence.engine import Engine
from providers.registry import Registry
from providers.web.assembly import connector
from providers.web.capture.policy import FetchPolicy
from providers.web.connector import USUAL_SECONDS, WebSearch
from providers.web.exclusions import Exclusions
from providers.web.settings import Settings
from schemas.canonical import Algorithm
from schemas.plan import Plan
from schemas.request import Request
from tests.providers.web.capture.peer import LOOPBACK, Peer
from tests.providers.web.search.faking import Behaviour, Fake, message, raw, says
from tests.world import Clock

OBJECTIVE = "the objective is never sent"
CONFIG = {"engines": [{"name": "notices", "categories": ["general"], "enabled": True}], "version": "2026"}

Hits = Mapping[str, Sequence[str]]


def body(query: str, urls: Sequence[str], failed: Sequence[object] = ()) -> dict[str, Any]:
    """SearXNG's answer."""
    results = [{"url": url, "title": f"题名 {place}", "content": "摘要"} for place, url in enumerate(urls)]
    return {"query": query, "results": results, "answers": [], "unresponsive_engines": list(failed)}


def queries(fake: Fake) -> list[str]:
    """Every query that a service was asked, in order."""
    targets = [request.split(b" ")[1].decode() for request in fake.received]
    asked = [parse_qs(urlsplit(target).query).get("q", []) for target in targets]
    return [query for found in asked for query in found]


def finding(hits: Hits) -> Behaviour:
    """A search that finds these URLs for these queries, and nothing for others."""

    def search(fake: Fake, connection: Any) -> None:
        [query] = queries(fake)[-1:] or [""]
        raw(message(200, body(query, hits.get(query, ()))))(fake, connection)

    return search


def healthy(fake: Fake, search: Behaviour) -> Fake:
    """A service that is well and searches so."""
    fake.received.clear()
    fake.does = {"/healthz": says(200, b"OK", "text/plain"), "/config": says(200, CONFIG), "/search": search}
    return fake


def settings(fake: Fake, site: Peer | None = None, **changes: Any) -> Settings:
    policy = FetchPolicy(
        seconds=5.0, allow_networks=LOOPBACK, allow_ports=(site.port,) if site else (), robots=False
    )
    given: dict[str, Any] = {"url": fake.url, "spacing": 0.0, "patience": 0.0, "policy": policy, **changes}
    return Settings(**given)


def no_wait(_seconds: float) -> None:
    """Nobody is asked for a pause here."""


def provider(
    chosen: Settings,
    exclusions: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    seconds: float = USUAL_SECONDS,
) -> WebSearch:
    return connector(chosen, Clock(), Exclusions(exclusions), environment or {}, no_wait, seconds)


def plan(made: WebSearch, *terms: str, refs: Sequence[str] = (), algorithm: Algorithm = "blake3") -> Plan:
    """A ready plan of these search terms and references."""
    request = Request(
        objective=OBJECTIVE,
        user_activity="a",
        decision="d",
        evidence_kinds=("regulation",),
        search_terms=terms or None,
        source_refs=tuple(refs) or None,
    )
    found = Engine(registry=Registry((made,)), clock=Clock(), algorithm=algorithm).plan(request)
    assert found.status == "ready", found
    return found


def at_times(made: WebSearch, clock: Callable[[], float]) -> WebSearch:
    """The same connector on another clock of its time budget."""
    made._monotonic = clock
    return made
